# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=xz-utils
FEATURES="threads, hot loops, ifunc crc (5.4: CLMUL dispatch), hand asm (i386 only), shared+static"
PARSE=automake
prep() { [ -x configure ] || autoreconf -fi; fresh_autotools; }
build() { ac_build --disable-nls --disable-doc; }
runtests() { make -k check -j$JOBS; }
