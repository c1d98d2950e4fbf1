# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=jq
DEPS="libonig-dev autoconf automake libtool flex bison"
FEATURES="bytecode interpreter switch, threads (pthread once/key), flex/bison tables, own stack"
PARSE=func
prep() { autoreconf -fi >/dev/null 2>&1; }
build() { ac_build --disable-maintainer-mode --disable-docs --disable-valgrind --with-oniguruma=/usr; }
runtests() { rm -f tests/*.trs tests/*.log; make -k check; for f in jq man onig; do [ -f tests/$f.test ] && { echo "SUITE $f"; ./jq -L tests/modules --run-tests tests/$f.test; }; done; :; }
# one result for each program of the .test files
results() { awk '/^(PASS|FAIL|SKIP): /{sub(/:/,"",$1); print $1 " " $2} /^SUITE/{s=$2}
  /^Testing /{n=$0; sub(/.* at line number /,"",n); if(cur)print st " " s ".test line " cur; cur=n; st="PASS"} /^\*\*\*/{st="FAIL"}
  /tests passed/{if(cur)print st " " s ".test line " cur; cur=""}'; }
