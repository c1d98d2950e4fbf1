# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=libgc
DEPS="autoconf automake libtool pkg-config"
FEATURES="a collector: scans registers and stacks of stopped threads, signals, dl_iterate_phdr, C++"
PARSE=automake
prep() { [ -x configure ] || autoreconf -fi; fresh_autotools; }
build() { ac_build --enable-cplusplus --with-libatomic-ops=none; }
runtests() { make -k check; }
