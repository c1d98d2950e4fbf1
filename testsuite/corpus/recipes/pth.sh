# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=pth
DEPS="autoconf automake libtool"
FEATURES="threads in user space: stacks switched by contexts, scheduler, signals"
PARSE=func
prep() { mv aclocal.m4 acinclude.m4; mkdir -p m4; autoreconf -fi; fresh_autotools; }
build() { conf $NOSHARED --enable-pthread && make -s && make -s test_std test_mp test_misc test_uctx test_pthread; }
runtests() { for p in std mp misc uctx pthread; do t "pth $p" timeout 60 ./test_$p </dev/null; done; }
results() { sed -n -e 's/^\(PASS\|FAIL\): /\1 /p'; }
