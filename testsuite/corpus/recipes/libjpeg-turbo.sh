# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=libjpeg-turbo
DEPS="cmake nasm"
FEATURES="SIMD in nasm's assembly, longjmp for errors, symbol versions; checksums of every codec path"
PARSE=ctest
build() { cmake -S . -B b -DCMAKE_BUILD_TYPE=None -DWITH_JAVA=0 $([ -n "$NOSHARED" ] && echo -DENABLE_SHARED=0) >/dev/null && make -s -C b -j$JOBS; }
runtests() { cd b && ctest -j$JOBS; }
