# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=cppunit
FEATURES="C++: each failed assertion is an exception, caught in another library; RTTI"
PARSE=func
build() { ac_build --disable-doxygen --disable-werror; }
runtests() { make -k check; cat examples/cppunittest/cppunittestmain.log; find . -name '*.trs' -exec cat {} +; }
results() {
  sed -n -e 's/^:test-result: \(PASS\|FAIL\|SKIP\)$/\1 program/p' -e 's/^\(.*::.*\) : OK$/PASS \1/p' \
    -e 's/^\(.*::.*\) : \(assertion\|error\)$/FAIL \1/p'
}
