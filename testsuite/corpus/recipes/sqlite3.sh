# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=sqlite3
DEPS="tcl8.6-dev zlib1g-dev"
FEATURES="200 kLoC amalgamation, huge switch VM, fork/exec and locks, dlopen of test extensions, threads"
PARSE=func
AS_USER=nobody
FLAKY='^pager1 pager1-16.1'   # one case for each length of the path of the tree
TIMEOUT=900 TTIMEOUT=900
build() {
  export CFLAGS="$CFLAGS -DSQLITE_DISABLE_FTS3_UNICODE -fno-strict-aliasing"
  conf --enable-debug=no --disable-shared --with-tcl=/usr/lib/tcl8.6 && make -j$JOBS sqlite3 testfixture
}
TESTS="select1 select2 select3 select4 select5 select6 select7 selectA selectB selectC where where2 where3 where9 join join2 join3 join5 insert insert2 insert4 update delete index index3 autoinc alter alter3 trigger1 trigger2 trigger3 triggerC view func func2 expr cast collate1 collate2 collate3 collate5 in in3 in4 subquery sort sort2 sort4 orderby1 orderby2 limit minmax minmax2 null vacuum vacuum2 pager1 wal wal2 savepoint trans trans2 lock lock2 shared shared2 schema schema2 attach attach2 pragma pragma2 types types2 types3 enc enc2 utf16align blob hook capi2 capi3 intpkey rowid rowhash fts3aa fts3ab fts3ac fts3query rtree1 json101 json102 window1 window2 window3 window4 with1 with2 upsert1 upsert2 corrupt2 misc1 misc2 misc3 misc5 tkt1435 printf btree01 busy analyze bigrow between boundary1 check conflict cse distinct e_select e_insert e_delete eval exists fkey1 fkey2 hexlit incrblob like like2 like3 memdb notnull quote reindex spellfix table tempdb temptable unique vtab2 without_rowid1 zeroblob"
runtests() {
  for f in $TESTS; do
    [ -f test/$f.test ] || [ -f ext/rtree/$f.test ] || continue
    p=test/$f.test; [ -f $p ] || p=ext/rtree/$f.test
    echo "FILE $f"; timeout 600 ./testfixture $p 2>&1 || echo "RC $?"
  done
}
# one result for each test case that runs ("name... Ok" or "! name expected")
results() { awk '/^FILE /{f=$2} /^RC /{print "FAIL " f " exit status " $2} /\.\.\. Ok$/{sub(/\.\.\. Ok$/,""); print "PASS " f " " $1} /^! .* (expected|got):/{if($2!=l)print "FAIL " f " " $2; l=$2}
  /errors out of .* tests/{print ($1==0?"PASS ":"FAIL ") f " (all)"}'; }
