# SPDX-License-Identifier: Apache-2.0
# shared helpers of the recipes (POSIX sh)
# with --relink the tree is configured already
conf() { [ -n "$RELINK" ] && [ -f config.status ] || ./configure -q "$@"; }
ac_build() { conf $NOSHARED "$@" && make -s -j$JOBS; }
# keep make from re-running autotools: everything that was generated is newer
fresh_autotools() {
  sleep 1
  find . -name aclocal.m4 -exec touch {} +
  sleep 1
  find . \( -name configure -o -name 'config.h.in' -o -name 'config.hin' -o -name Makefile.in -o -name '*.info' -o -name '*.1' \) -exec touch {} +
}
t() { _n=$1; shift; if "$@"; then printf '\nPASS: %s\n' "$_n"; else printf '\nFAIL: %s (%s)\n' "$_n" $?; fi; }
