# SPDX-License-Identifier: Apache-2.0
SRC=bzip2
FEATURES="hot integer loops"
PARSE=lines
build() {
  make -j$JOBS CC=cc CFLAGS="$CFLAGS -D_FILE_OFFSET_BITS=64" LDFLAGS="$LDFLAGS" bzip2 bzip2recover libbz2.a
  # Debian's bzip2 uses libbz2.so; a second one has the library inside
  cc $CFLAGS $LDFLAGS -o bzip2-static bzip2.o libbz2.a
}
runtests() { export LD_LIBRARY_PATH=$PWD; for B in ./bzip2 ./bzip2-static; do tests; done; }
tests() {
  t() { n=$1; shift; if "$@"; then echo "PASS: $n"; else echo "FAIL: $n"; fi; }
  for i in 1 2 3; do
    $B -$i <sample$i.ref >o$i.bz2; t "$B compress $i" cmp sample$i.bz2 o$i.bz2
    $B -d <sample$i.bz2 >o$i.ref;  t "$B decompress $i" cmp sample$i.ref o$i.ref
    $B -ds <sample$i.bz2 >o$i.ref; t "$B decompress small $i" cmp sample$i.ref o$i.ref
  done
  for f in bzip2 bzlib.o compress.o sample*.ref; do
    for l in 1 5 9; do $B -$l <$f >rt.bz2; $B -d <rt.bz2 >rt.out; t "$B roundtrip -$l $f" cmp $f rt.out; done
  done
  $B -9 <sample3.ref >bad.bz2; printf 'XXXX' | dd of=bad.bz2 bs=1 seek=60 conv=notrunc 2>/dev/null
  if $B -t bad.bz2 2>/dev/null; then echo "FAIL: $B corrupt input"; else [ $? -lt 128 ] && echo "PASS: $B corrupt input" || echo "FAIL: $B corrupt input"; fi
  rm -f rec*r.bz2; cp sample2.bz2 r.bz2; t "$B recover" ./bzip2recover r.bz2
}
