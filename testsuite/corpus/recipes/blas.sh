# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=lapack
DEPS="gfortran"
FEATURES="Fortran: the reference BLAS, its C interface and the tests of both, linked statically and with shared libraries"
PARSE=func
build() {
  F="gfortran -B$LDDIR/"
  sed -e "s%^CC *=.*%CC = cc%" -e "s%^FC *=.*%FC = $F%" -e "s%^CFLAGS *=.*%CFLAGS = $CFLAGS -fPIC%" \
    -e "s%^LDFLAGS *=.*%LDFLAGS = $LDFLAGS%" -e "s%^FFLAGS *=.*%FFLAGS = -O2 -g -fPIC -frecursive%" \
    INSTALL/make.inc.gfortran >make.inc
  make -s -j$JOBS blaslib cblaslib
  make -s -j$JOBS -C BLAS/TESTING && make -s -j$JOBS -C CBLAS/testing
  mkdir -p so
  $F -shared -Wl,-soname,libblas.so.3 -o so/libblas.so.3 -Wl,--whole-archive librefblas.a -Wl,--no-whole-archive
  for p in c d s z; do for l in 1 2 3; do
    $F $LDFLAGS -o so/xblat$l$p BLAS/TESTING/${p}blat$l.o so/libblas.so.3 -Wl,-rpath,$PWD/so
  done; done
}
# run NAME PROGRAM FOLDER INPUT: what a program prints, and the files it writes there
run() {
  echo "RUN $1 $(basename $2)"
  (cd $3; if [ -f $4 ]; then $2 <$4; else $2; fi; echo "STATUS $?"; cat *.SUMM *.out 2>/dev/null; rm -f *.SUMM *.out)
}
runtests() {
  top=$PWD
  for p in c d s z; do for l in 1 2 3; do
    run static $top/BLAS/TESTING/xblat$l$p $top/BLAS/TESTING ${p}blat$l.in
    run shared $top/so/xblat$l$p $top/BLAS/TESTING ${p}blat$l.in
    run cblas $top/CBLAS/testing/x${p}cblat$l $top/CBLAS/testing ${p}in$l
  done; done
}
results() {
  awk '/^RUN /{n=$2 " " $3; k=0} /^STATUS/{print ($2==0?"PASS ":"FAIL ") n " status"} /IF TEST RATIO/{next}
    /PASS/{print "PASS " n " " ++k} /FAIL|SUSPECT|FATAL/{print "FAIL " n " " $0}'
}
