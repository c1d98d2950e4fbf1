# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=libsigsegv
FEATURES="handlers of stack overflow and page faults on an alternate stack, siglongjmp"
PARSE=automake
prep() { fresh_autotools; }
build() { ac_build --enable-shared; }
runtests() { make -k check; }
