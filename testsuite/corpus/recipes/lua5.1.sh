# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=lua5.1
DEPS="golang-github-yuin-gopher-lua-dev libreadline-dev"
FEATURES="setjmp/longjmp errors, interpreter switch, dlopen, coroutines (no stack switch); the Lua 5.1 test suite as adapted by gopher-lua"
PARSE=lines
TT=/usr/share/gocode/src/github.com/yuin/gopher-lua
build() {
  echo "#define DEB_HOST_MULTIARCH \"x86_64-linux-gnu\"" >src/lua5.1-deb-multiarch.h
  cd src
  for f in l*.c print.c; do [ $f = luac.c ] || echo $f; done >list
  for f in $(cat list) luac.c; do cc $CFLAGS -DLUA_USE_POSIX -DLUA_USE_DLOPEN -DLUA_COMPAT_ALL -c $f; done
  cc $CFLAGS $LDFLAGS -o lua lua.o $(ls *.o | grep -v -e '^lua.o$' -e luac.o -e print.o) -Wl,-E -lm -ldl
  cc $CFLAGS $LDFLAGS -o luac luac.o print.o $(ls *.o | grep -v -e '^lua.o$' -e luac.o -e print.o) -lm
}
runtests() {
  top=$PWD; rm -rf t5; cp -r $TT/_lua5.1-tests t5; cp -r $TT/_glua-tests tg
  cd t5
  # each file in an own interpreter; the C-API parts need a special build and skip themselves
  for f in calls closure code constructs db errors events files gc literals locals nextvar sort strings vararg verybig; do
    [ -f $f.lua ] && t "lua51 $f" timeout 300 $top/src/lua $f.lua
    [ -f $f.lua ] && $top/src/luac -o x.out $f.lua && t "luac51 $f" timeout 300 $top/src/lua x.out
  done
  cd ../tg
  for f in base table; do t "glua $f" timeout 300 $top/src/lua $f.lua; done
  cd ../test && for f in bisect cf env factorial fib fibfor hello life printf sieve sort table trace-calls trace-globals; do
    [ -f $f.lua ] && t "demo $f" timeout 100 $top/src/lua $f.lua </dev/null; done
  :
}
