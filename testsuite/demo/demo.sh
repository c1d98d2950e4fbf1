#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# demo.sh STAGE WORKDIR - link, run and look: Debian's libsqlite3.a is never recompiled
set -eu
stage=$1
src=$(dirname "$0")/demo.c
mkdir -p "$2"
cp "$src" "$2/demo.c"
cd "$2"
rm -f ./*.ldxprof demo
show() { printf '$ %s\n' "$*"; "$@"; }
PATH=$stage/bin:$PATH
export PATH
lib=$(gcc -print-file-name=libsqlite3.a)
[ "$lib" != libsqlite3.a ] || { echo "demo: libsqlite3.a is missing (libsqlite3-dev)" >&2; exit 1; }
show gcc -O2 -g -c demo.c
show gcc "-B$(ldx --ldx-print=bindir)" demo.o -l:libsqlite3.a -lm -o demo
show ./demo
ls -l demo.ldxprof
show ldxprof report demo >report.txt
head -n 30 report.txt
printf '$ %s\n' 'ldxprof report --blocks demo | head -n 20'
ldxprof report --blocks demo | head -n 20
printf '$ %s\n' 'ldxprof annotate sqlite3VdbeExec demo | head -n 25'
ldxprof annotate sqlite3VdbeExec demo | head -n 25
show ldxprof report --lines --filter=file:demo.c --top=8 demo
show ldxprof coverage --by=member demo
show ldxprof html -o demo.html demo
printf 'demo: look at %s in a browser\n' "$PWD/demo.html"
