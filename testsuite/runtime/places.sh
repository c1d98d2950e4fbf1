#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# places.sh STAGE: programs in places with odd names, and names of profiles that the link gives:
# the program and ldxprof find the same file.  And programs that can have little address space.
stage=$(realpath "$1") here=$(dirname "$(realpath "$0")")
: "${CC:=cc}"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ldxrt.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
unset LDX_PROFILE_FILE LDX_PROFILE_LOG LDX_OPTIONS LDX_INSTRUMENT
fails=0
ldx="$CC -O1 -B$("$stage/bin/ldx" --ldx-print=bindir)/ -Wl,--ldx-strict"

# same WHAT EXPECTED ACTUAL
same() {
	[ "$2" = "$3" ] && return
	echo "FAIL: $1: expected '$2', got '$3'"
	fails=$((fails + 1))
}

executed() {
	"$stage/bin/ldxprof" icount "$@" 2>&1
}

cat > p.c << 'END'
int main(void) { volatile int n = 0; for (int i = 0; i < 1000; i++) n += i % 3; return 0; }
END
$ldx p.c -o p || exit 1
./p
usual=$(executed p)
rm p.ldxprof

# The name of the program alone, then the folder, then both.
line='a
b'
for name in "$line" 'a\012b' 'b (deleted)' '100%p' '%e' 'a\b' "$line (deleted)"; do
	mkdir -p "$name" && $ldx p.c -o "$name/p" && cp p "in $name" && cp p "$name/$name"
	for prog in "in $name" "$name/p" "$name/$name"; do
		"./$prog"
		same "$prog" "$usual" "$(executed "./$prog")"
		same "profile of $prog" 1 "$(ls "$(dirname "$prog")" | grep -c 'ldxprof$')"
		rm -f "$prog".ldxprof
	done
	(cd "$name" && LDX_PROFILE_FILE=%e.x ./p && [ -e p.x ]) || same "%e in $name" p.x "$(ls "$name")"
done

# %t is the test's name, also for what is in the environment no more, and a library of its own.
for test in unit 'a/b %p' ''; do
	LDX_TEST=$test LDX_PROFILE_FILE=by/x%t.%p ./p
	LDX_TEST=$test LDX_PROFILE_FILE=by/x%t.%p ./p
	name=$(printf %s "$test" | tr / _)
	same "profiles of '$test'" 2 "$(ls by | grep -c "^x$name\.[0-9]*$")"
	same "of this test" "$((2 * usual))" "$(LDX_TEST=$test LDX_PROFILE_FILE=by/x%t.%p executed p)"
done
same "of all tests" "$((6 * usual))" "$(unset LDX_TEST; LDX_PROFILE_FILE=by/x%t.%p executed p)"
cat > renames.c << 'END'
#include <ldx.h>
#include <stdlib.h>
#include <string.h>
int main(int n, char **v)
{
	memset(getenv("LDX_TEST"), '-', 3);
	return n > 1 ? ldx_dump(v[1]) : 0;
}
END
$ldx -I"$stage/include" renames.c -o renames || exit 1
LDX_TEST=one LDX_PROFILE_FILE=of/%t ./renames of/dump.%t
same "a program that overwrites its environment" "dump.one one" "$(ls of | tr '\n' ' ' | sed 's/ $//')"

# Gone before it has begun: what has its name now is another's.
mkdir gone && cp p gone/ && cp p "gone/p (deleted)"
(cd gone && exec 3< p && rm p && exec /proc/self/fd/3)
same "a program that is gone" "p (deleted)" "$(ls gone)"

# The link says where.
$ldx p.c -Wl,--ldx-profile=out/%e.%b.prof -o q || exit 1
./q && same "a pattern of the link" 1 "$(ls out/q.????????????????.prof | wc -l)"
same "it is found" "$usual" "$(executed q)"
LDX_PROFILE_FILE=mine ./q && same "the environment wins" "$usual" "$(executed q mine)"
$ldx p.c "-Wl,--ldx-profile=$tmp/deep/down/%p" -o r || exit 1
./r && ./r && same "two processes" 2 "$(ls deep/down | wc -l)"
same "both are found" "$((2 * usual))" "$(executed r)"
same "nothing beside the programs" "" "$(ls [qr].*prof* 2> /dev/null)"
$CC -O1 -shared -fPIC -DLIB -x c - -o libz.so -B"$("$stage/bin/ldx" --ldx-print=bindir)/" \
	-Wl,--ldx-profile=lib/%e << 'END' || exit 1
int answer(void) { return 42; }
END
echo 'int answer(void); int main(void) { return answer() != 42; }' |
	$CC -x c - -x none -o plain ./libz.so -Wl,-rpath,. || exit 1
./plain && same "of a library in a plain program" plain "$(ls lib)"
LDX_TEST=of/it LDX_PROFILE_FILE=lib/%e.%t ./plain && same "and of its test" "plain plain.of_it" "$(echo $(ls lib))"

# No memory for the counters.
cat > limit.c << 'END'
#include <pthread.h>
#include <unistd.h>
static void *start(void *p) { return p; }
int main(int argc, char **argv)
{
	pthread_t t;
	if (THREADS && argc > 1)
		pthread_create(&t, NULL, start, argv);
	return write(1, "done\n", 5) != 5;
}
END
$CC -O1 -DTHREADS=1 limit.c -o limit.plain -pthread && $ldx -DTHREADS=0 limit.c -o limit.alone &&
	$ldx -DTHREADS=1 limit.c -o limit.threads -pthread || exit 1
"$here/limit.py" limit.plain limit.alone limit.threads || fails=$((fails + 1))

[ $fails = 0 ] || exit 1
