# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=luajit
DEPS="golang-github-yuin-gopher-lua-dev"
FEATURES="an interpreter in assembly with tables of 16-bit label differences, which a compiler at run time enters and leaves"
PARSE=lines
TT=/usr/share/gocode/src/github.com/yuin/gopher-lua
build() {
  make -s -j$JOBS CC=cc HOST_CC=cc CCOPT_x64="$CFLAGS" CCDEBUG= TARGET_STRIP=@: TARGET_LDFLAGS="$LDFLAGS"
  ln -sf libluajit.so src/libluajit-5.1.so.2
  cc $LDFLAGS -o src/luajit-so src/luajit.o src/libluajit.so -Wl,-rpath,$PWD/src -Wl,-E -lm -ldl
}
# the files of Lua 5.1's suite that LuaJIT's deliberate differences and its own collector leave alone
runtests() {
  top=$PWD; rm -rf t5; cp -r $TT/_lua5.1-tests t5; cd t5
  for f in calls code events files literals locals sort strings verybig; do
    for p in luajit "luajit -joff" "luajit -O3 -Ohotloop=1" luajit-so; do t "$p $f" timeout 100 $top/src/$p $f.lua; done
  done
  cd $top/src
  for f in jit/*.lua ../dynasm/*.lua; do t "list $f" env LUA_PATH="./?.lua" ./luajit -bl $f list.out; done
}
