# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=nettle
DEPS="libgmp-dev m4"
FEATURES="ciphers and hashes in assembly, chosen at run time; two libraries with symbol versions"
PARSE=lines
build() { ac_build --disable-documentation --disable-openssl; }
runtests() { make -k check; }
