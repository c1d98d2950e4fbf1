# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib-gcc.sh"
COMPARE=no  # thousands of links alike
DEPS="csmith libcsmith-dev"
FEATURES="random C programs, checksums equal to the plain link's"
prep() { :; }
runtests() { csm --seeds 1-120 --opts "-O0;-O2;-O3"; }
