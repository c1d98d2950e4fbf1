# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=libjsoncpp
DEPS="cmake python3"
FEATURES="C++: errors are exceptions; a library in C++ and programs that use it"
PARSE=func
build() {
  cmake -S . -B b -DCMAKE_BUILD_TYPE=None -DJSONCPP_WITH_POST_BUILD_UNITTEST=OFF -DBUILD_OBJECT_LIBS=OFF \
    -DBUILD_SHARED_LIBS=$([ -n "$NOSHARED" ] && echo OFF || echo ON) >/dev/null && make -s -C b -j$JOBS
}
runtests() {
  top=$PWD; b/bin/jsoncpp_test
  cd test && python3 runjsontests.py $top/b/bin/jsontestrunner_exe data 2>/dev/null
}
results() {
  sed -n -e 's/^Testing \(.*\): OK$/PASS \1/p' -e 's/^Testing \(.*\): FAILED$/FAIL \1/p' \
    -e 's/^TESTING: .*\/\(.*\) OK$/PASS \1/p' -e 's/^TESTING: .*\/\(.*\) .*\(FAILED\|failed\)$/FAIL \1/p'
}
