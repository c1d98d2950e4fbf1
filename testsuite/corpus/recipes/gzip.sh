# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=gzip
FEATURES="signals, fork by test scripts, small asm-free C"
PARSE=automake
prep() { fresh_autotools; }
build() { ac_build; }
runtests() { make -k check -j$JOBS; }
