# SPDX-License-Identifier: Apache-2.0
SRC=zlib
FEATURES="tight loops, setjmp-free, shared+static"
PARSE=func
build() { ./configure && make -j$JOBS; }
runtests() {
  make test || :
  # round trips with the two minigzips that the package builds
  for m in minigzip minigzipsh minigzip64; do
    for f in zlib.h deflate.c trees.o example minigzip ChangeLog; do
      for l in 1 6 9; do
        n="roundtrip $m -$l $f"
        if LD_LIBRARY_PATH=. ./$m -$l <$f >rt.gz && LD_LIBRARY_PATH=. ./$m -d <rt.gz | cmp - $f && gzip -dc <rt.gz | cmp - $f
        then echo "PASS: $n"; else echo "FAIL: $n"; fi
      done
    done
  done
}
results() { sed -n -e 's/.*\*\*\* \(zlib.*test\) OK.*/PASS \1/p' -e 's/.*\*\*\* \(zlib.*test\) FAILED.*/FAIL \1/p' -e 's/^\(PASS\|FAIL\): /\1 /p'; }
