# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=expat
DEPS="autoconf automake libtool"
FEATURES="big switch tables, function-pointer tables, C++ variant of the tests, shared lib"
PARSE=func
prep() { cd expat 2>/dev/null || :; [ -x configure ] || ./buildconf.sh; }
build() { [ -d expat ] && cd expat; ac_build --without-docbook; }
runtests() { [ -d expat ] && cd expat; make check; cd tests; for p in ./runtests ./runtestspp; do echo "RUN $p"; $p -v 2>&1; done; }
results() { awk '/^RUN /{p=$2} /^PASS: [^ ]*$/{if(p){print "PASS " p " " $2}else print "PASS " $2; next} /^FAIL: /{print "FAIL " p " " $0} /[0-9]+%: Checks:/{print ($0 ~ /Failed: 0/ ? "PASS " : "FAIL ") p " " $0}'; }
