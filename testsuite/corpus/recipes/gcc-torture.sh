# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib-gcc.sh"
COMPARE=no  # thousands of links alike
FEATURES="1600 small C programs x -O0 -O2: computed goto, setjmp, nested functions (trampolines on the stack), varargs, alloca"
runtests() { torture --opts "-O0;-O2" gcc.c-torture/execute; }
