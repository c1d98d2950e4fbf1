# SPDX-License-Identifier: Apache-2.0
# common part of the corpora made of GCC's testsuite and of csmith
DEPS="gcc-12-source"
TIMEOUT=300 TTIMEOUT=1500
PARSE=func
TS=$WORK/src/gcc-testsuite
if [ "${CORPUS_CC:-gcc}" = clang ]; then RCC=/usr/bin/clang-19 RCXX=/usr/bin/clang++-19; else RCC=/usr/bin/gcc RCXX=/usr/bin/g++; fi
prep() {
  [ -d $TS/gfortran.fortran-torture ] && return
  mkdir -p $TS
  tar -C $TS -xf /usr/src/gcc-12/gcc-12.*.tar.xz --strip-components=3 --wildcards '*/gcc/testsuite/gcc.c-torture/execute' \
   '*/gcc/testsuite/g++.dg' '*/gcc/testsuite/g++.old-deja' '*/gcc/testsuite/gcc.dg' '*/gcc/testsuite/gcc.target/i386' \
   '*/gcc/testsuite/gfortran.fortran-torture' '*/gcc/testsuite/c-c++-common' '*/gcc/testsuite/gcc.target/x86_64'
}
build() { :; }
torture() { python3 $CORPUS/torture.py --dir $TS --cc "$RCC" --cxx "$RCXX" --cache $WORK/cache/torture --jobs $JOBS --link "-B$LDDIR/ $LDFLAGS" "$@"; }
csm() { python3 $CORPUS/csmith.py --cc "$RCC" --cache $WORK/cache/csmith --jobs $JOBS --link "-B$LDDIR/ $LDFLAGS" "$@"; }
results() { sed -n -e 's/^\(PASS\|SKIP\|FAIL\): /\1 /p' | sed -e 's/  *# .*//' -e 's/ (\(signal\|exit\|link\|timeout\).*//'; }
