# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=libunwind
DEPS="autoconf automake libtool liblzma-dev"
FEATURES="unwinds through every frame, from signal handlers and of other processes; getcontext and resume in assembly"
PARSE=automake
FLAKY='run-ptrace-mapper'   # must end in 80 s: reads 30,000 mappings again for each of 164 instructions
prep() { [ -x configure ] || autoreconf -fi; fresh_autotools; }
build() { ac_build --enable-cxx-exceptions --disable-documentation; }
runtests() { make -k check; }
