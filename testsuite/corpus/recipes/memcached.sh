# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib.sh"
SRC=memcached
DEPS="libevent-dev"
FEATURES="a threaded server: libevent, four workers, maintenance threads, signals"
PARSE=tap
prep() { fresh_autotools; }
build() { ac_build --disable-docs; }
# without those that wait for long
runtests() {
  ./testapp
  prove $(ls t/*.t | grep -v -e extstore -e slab -e lru- -e restart -e idle- -e expirations -e maxconns -e proxy)
}
