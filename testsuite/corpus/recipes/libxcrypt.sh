# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=libxcrypt
DEPS="autoconf automake libtool pkg-config"
FEATURES="symbol versions, compatibility symbols; tests that run for long in one loop"
PARSE=automake
prep() { [ -x configure ] || autoreconf -fi; fresh_autotools; }
build() { ac_build --disable-werror --enable-obsolete-api=glibc; }
runtests() { make -k check -j$JOBS; }
