# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=libffi
DEPS="dejagnu autoconf automake libtool"
FEATURES="calls and closures built in assembly, tables of code by arithmetic, exceptions through them; links each test"
PARSE=lines
TTIMEOUT=900
prep() { [ -x configure ] || autoreconf -fi; fresh_autotools; }
build() { ac_build --disable-docs --disable-exec-static-tramp; }
# without libffi.bhaible, which compiles each of its programs 81 times
runtests() {
  export LIBFFI_TEST_OPTIMIZATION=-O2
  make -k check RUNTESTFLAGS="call.exp closure.exp complex.exp go.exp" >/dev/null; find . -name libffi.sum -exec cat {} +
}
