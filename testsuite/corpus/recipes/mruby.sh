# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=mruby
DEPS="rake bison"
FEATURES="an interpreter with computed gotos, setjmp for exceptions, fibers"
PARSE=func
build() { rake -s -j$JOBS all test:build; }
runtests() { build/host/bin/mrbtest -v; rake -s test:run; }
results() {
  sed -n -e 's/^\(.*\) : \.$/PASS \1/p' -e 's/^\(.*\) : \?$/SKIP \1/p' -e 's/^\(.*\) : [FX]$/FAIL \1/p' \
    -e 's/^ *\(OK\|KO\|Crash\): *\(.*\)$/PASS count \1 \2/p'
}
