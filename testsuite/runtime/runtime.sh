#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# runtime.sh EXE-OBJECT SO-OBJECT SOURCE-ROOT KIND: the runtime in a program of KIND (static,
# static-pie, pie, nopie, so), with counters that count by hand.
exe_o=$(realpath "$1") so_o=$(realpath "$2") root=$3 kind=$4
here=$root/testsuite/runtime
: "${CC:=cc}"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ldxrt.XXXXXX") || exit 1
trap 'mount | grep -q " $tmp/full " && umount "$tmp/full"; rm -rf "$tmp"' EXIT
cd "$tmp" && chmod 755 . || exit 1
unset LDX_PROFILE_FILE
fails=0
build=0x1122334455667788

fail() {
	echo "FAIL: $*"
	fails=$((fails + 1))
}

# same WHAT EXPECTED ACTUAL
same() {
	[ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}

# counts WHAT FILE EXPECTED [BUILD]: what `show' says of FILE
counts() {
	same "$1" "$3" "$(./show "$2" $4 2>&1)"
}

# status WHAT EXPECTED COMMAND...
status() {
	what=$1 want=$2
	shift 2
	{ (exec "$@" > out 2>&1); } 2> /dev/null
	got=$?
	[ "$got" = "$want" ] || fail "$what: status $got, not $want"
	[ -s out ] && fail "$what printed: $(head -c 200 out)"
}

# compile OUTPUT BUILD NCOUNTERS SOURCE FLAGS...
compile() {
	out=$1 b=$2 n=$3 src=$4
	shift 4
	$CC -O1 -I"$here" -DBUILD="$b" -DNCOUNTERS="$n" -o "$out" "$here/$src" "$here/module.S" \
		"$@" -pthread || { echo "cannot build $out"; exit 1; }
}

program() {
	compile "$1" "$2" "$3" program.c "$exe_o" $flags -Wl,-e,__ldx_start \
		-Wl,--defsym=__ldx_entry=_start
}

test_program() {
	program prog $build 600
	status return 0 ./prog
	counts return prog.ldxprof "runs=1 lost=0 1 1000 0 0 1"
	same header "slots=1 runs=1 lost=0 1 1000 0 0 1 $(readlink -f prog) $(readlink -f prog)" \
		"$(./show prog.ldxprof $build all)"
	status exit 3 ./prog exit
	status _exit 4 ./prog _exit
	status abort 134 ./prog abort
	status kill 137 ./prog kill 500000
	same "one slot is enough" "slots=1 runs=5 lost=0 5 504000 0 0 5 $(readlink -f prog) $(readlink -f prog)" \
		"$(./show prog.ldxprof $build all)"
	LD_BIND_NOW=1 status bind-now 0 ./prog return 7
	counts "bind now" prog.ldxprof "runs=6 lost=0 6 504007 0 0 6"
	rm prog.ldxprof
	status fork-tree 0 ./prog tree 100
	counts "fork tree" prog.ldxprof "runs=201 lost=0 1 101205 100 100 1"
	rm prog.ldxprof
	status fork-series 0 ./prog series 60
	same "one child after the other" \
		"slots=4 runs=61 lost=0 1 660 60 0 1 $(readlink -f prog) $(readlink -f prog)" \
		"$(./show prog.ldxprof $build all)"
	rm prog.ldxprof
	status threads 0 ./prog threads 0
	counts threads prog.ldxprof "runs=41 lost=0 1 0 40 0 1"
	rm prog.ldxprof
	status vfork 0 ./prog vfork 1
	counts vfork prog.ldxprof "runs=2 lost=0 2 1001 1 0 2"
	rm prog.ldxprof
	same "the second run takes its own slot" "up" "$(./prog pause 3 > up & p=$!
		while [ ! -s up ]; do sleep 0.02; done
		./prog return 4; ./prog return 5; cat up; kill -9 $p)"
	same "while one runs" "slots=2 runs=3 lost=0 3 12 0 0 3 $(readlink -f prog) $(readlink -f prog)" \
		"$(./show prog.ldxprof $build all)"
	rm prog.ldxprof
	for p in 1 2 3 4; do
		(for i in $(seq 50); do ./prog return 10; done) &
	done
	wait
	counts "four at a time" prog.ldxprof "runs=200 lost=0 200 2000 0 0 200"
	rm prog.ldxprof
}

# Killed at any time by SIGKILL, the file stays good: the slot is taken again.
test_kill() {
	for i in $(seq 30); do
		./prog tree 5 > /dev/null 2>&1 &
		p=$!
		sleep "0.00$((i % 10))"
		kill -9 $p 2> /dev/null
	done
	wait
	sleep 0.2
	./prog return 1 && ./show prog.ldxprof > out || fail "after SIGKILLs"
	rm prog.ldxprof
}

# locked R-OR-W FROM LENGTH WHAT COMMAND...: meanwhile somebody has locked a part of prog.ldxprof.
locked() {
	: > lock.out
	./lock prog.ldxprof "$1" "$2" "$3" > lock.out &
	holder=$! what=$4
	shift 4
	while [ ! -s lock.out ]; do
		kill -0 $holder || { fail "$what: cannot lock"; return; }
		sleep 0.02
	done
	status "$what" 0 timeout 20 "$@"
	kill $holder
	wait $holder 2> /dev/null
}

# Who can read the file, and a process that is stopped, can neither keep others waiting nor cost counts.
test_locks() {
	$CC -o lock "$here/lock.c" || exit 1
	for range in "0 1" "1 0" "0 0"; do
		./prog return 1
		locked r $range "a reader has locked $range" ./prog tree 10
		counts "a reader has locked $range" prog.ldxprof "runs=22 lost=0 2 10126 10 10 2"
		locked r $range "a reader has locked $range again" sh -c './prog return 3 & ./prog return 3 & ./prog return 3; wait'
		counts "a reader has locked $range again" prog.ldxprof "runs=25 lost=0 5 10135 10 10 5"
		rm prog.ldxprof
	done
	./prog return 1
	locked w 0 1 "a stopped process has the lock" ./prog tree 10
	counts "a stopped process has the lock" prog.ldxprof "runs=22 lost=0 2 10126 10 10 2"
	rm prog.ldxprof
	: > prog.ldxprof
	locked r 0 0 "four at a time, locked" sh -c 'for p in 1 2 3 4; do
		(for i in $(seq 20); do ./prog return 10; done) & done; wait'
	counts "four at a time, locked" prog.ldxprof "runs=80 lost=0 80 800 0 0 80"
	rm prog.ldxprof
}

test_log() {
	LDX_PROFILE_LOG=log status "log to a file" 0 ./prog tree 1
	LDX_PROFILE_LOG=log status "log to a file" 0 ./prog
	same "log of two starts" "2 ldx: $(readlink -f prog): profile: $(readlink -f prog).ldxprof" \
		"$(wc -l < log) $(sort -u log)"
	rm log prog.ldxprof
	same "log to stderr" "ldx: $(readlink -f prog): profile: $(readlink -f prog).ldxprof" \
		"$(LDX_PROFILE_LOG=stderr ./prog 2>&1)"
	rm prog.ldxprof
	for why in "LDX_PROFILE_FILE= :LDX_PROFILE_FILE is empty" "LDX_PROFILE_FILE=/dev/null:it is not a file" \
		"LDX_PROFILE_FILE=/proc/x/y:it cannot be opened: error 2"; do
		same "log: $why" "no profile: ${why#*:}" \
			"$(env ${why%%:*} LDX_PROFILE_LOG=stderr ./prog 2>&1 | sed 's/.*: no/no/')"
	done
	LDX_PROFILE_FILE=a/b/%e/p LDX_PROFILE_LOG=/nowhere/log status "directories are made" 0 ./prog
	counts "directories are made" a/b/prog/p "runs=1 lost=0 1 1000 0 0 1"
	rm -r a
}

test_nowhere_to_write() {
	mkdir ro && cp prog ro/ && chmod 555 ro
	if [ "$(id -u)" = 0 ]; then
		status "read-only directory" 0 setpriv --reuid 65534 --clear-groups env -C / "$tmp/ro/prog"
	else
		status "read-only directory" 0 ro/prog
	fi
	[ -e ro/prog.ldxprof ] && fail "read-only directory: a profile"
	chmod 755 ro
	[ "$kind" = static ] && fds="3 4" || fds=4
	for n in $fds; do
		LOWEST_FD=3 status "$n descriptors" 0 sh -c "ulimit -n $n; exec ./prog"
	done
	rm -f prog.ldxprof
	LOWEST_FD=0 status "closed descriptors" 0 sh -c 'exec ./prog return <&- >&- 2>&-'
	counts "closed descriptors" prog.ldxprof "runs=1 lost=0 1 1000 0 0 1"
	rm prog.ldxprof
	status "the program closes all" 0 ./prog close 0
	counts "the program closes all" prog.ldxprof "runs=2 lost=0 1 100 1 0 1"
	rm prog.ldxprof
	status "no file may grow" 0 sh -c 'ulimit -f 0; exec ./prog'
	[ -e prog.ldxprof ] && fail "no file may grow: a profile"
	./prog
	status "no file may be written" 0 sh -c 'ulimit -f 0; exec ./prog'
	counts "no file may be written" prog.ldxprof "runs=1 lost=0 1 1000 0 0 1"
	rm prog.ldxprof
	status "a file may grow for one slot only" 0 sh -c 'ulimit -f 32; exec ./prog tree 3'
	same "a file may grow for one slot only" "runs=1 lost=6 1 8" \
		"$(./show prog.ldxprof | cut -d' ' -f1-4)"
	rm prog.ldxprof
	status seccomp 0 ./prog seccomp 5
	counts seccomp prog.ldxprof "runs=1 lost=1 1 5 0 0 1"
	rm prog.ldxprof
	for call in fallocate madvise; do
		status no-$call 0 ./prog no-$call 5
		counts no-$call prog.ldxprof "runs=12 lost=0 2 5070 5 5 2"
		rm prog.ldxprof
	done
	test_full_disk no-fallocate
	test_full_disk tree
}

# A disk that is full must not end in SIGBUS.
test_full_disk() {
	mkdir -p full && mount -t tmpfs -o size=24k none full 2> /dev/null || return 0
	for k in 0 1 2 3 4 5; do
		rm -f full/*
		[ $k = 0 ] || head -c $((k * 4096)) /dev/zero > full/filler
		LDX_PROFILE_FILE=$tmp/full/p status "full disk, $k pages used, $1" 0 ./prog "$1" 3
	done
	umount full
}

test_names() {
	run() {
		LDX_PROFILE_FILE=$1 status "name $1" 0 ./prog return 2
		[ -e "$2" ] || { fail "name $1: no $2 but: $(ls)"; return; }
		counts "name $1" "$2" "runs=1 lost=0 1 2 0 0 1"
		rm -f "$2"
	}
	run my.prof my.prof
	run "$tmp/abs" abs
	run "x%e-%b%%" "xprog-1122334455667788%"
	run "%h.p" "$(uname -n).p"
	run "%q%" "%q%"
	mkdir "a%b" && (cd "a%b" && LDX_PROFILE_FILE=rel ../prog)
	[ -e "a%b/rel" ] || fail "directory a%b"
	LDX_PROFILE_FILE= status "empty name" 0 ./prog
	[ -e prog.ldxprof ] && fail "empty name: a profile"
	LDX_PROFILE_FILE=/dev/null status "not a file" 0 ./prog
	mkfifo pipe
	LDX_PROFILE_FILE=pipe status "pipe" 0 ./prog
	LDX_PROFILE_FILE=p.%p status "pid" 0 ./prog chdir 5
	same "a file for each process" 2 "$(ls p.* | wc -l)"
	status "chdir" 0 ./prog chdir 5
	counts "chdir" prog.ldxprof "runs=2 lost=0 1 105 1 0 1"
	rm prog.ldxprof
	if [ "$(id -u)" = 0 ]; then
		mkdir empty
		status chroot 0 ./prog chroot 5 "$tmp/empty"
		counts chroot prog.ldxprof "runs=1 lost=1 1 5 0 0 1"
		rm prog.ldxprof
	fi
	ln -s target prog.ldxprof
	status "planted link" 0 ./prog
	[ -e target ] && fail "followed a planted link"
	LDX_PROFILE_FILE=prog.ldxprof status "link of the user's own" 0 ./prog
	counts "link of the user's own" target "runs=1 lost=0 1 1000 0 0 1"
	rm prog.ldxprof target
	for special in /dev/zero /dev/full /dev/tty "$tmp" /proc/self/mem; do
		LDX_PROFILE_FILE=$special status "$special" 0 ./prog
	done
	echo precious > victim && ln victim prog.ldxprof
	status "planted hard link" 0 ./prog
	same "planted hard link" precious "$(cat victim)"
	rm victim prog.ldxprof prog.*.ldxprof
	./prog && ln prog.ldxprof second && ./prog
	counts "hard link to a profile" second "runs=2 lost=0 2 2000 0 0 2"
	rm second prog.ldxprof
}

# A file of another build, or no profile at all, is left alone.
test_other_build() {
	alt=prog.1122334455667788.ldxprof
	for other in "echo hello" "head -c 5000 /dev/zero" "head -c 9000 keep" "cat old"; do
		./prog && cp prog.ldxprof keep && rm prog.ldxprof
		program prog2 0xabc 600 && ./prog2 && mv prog2.ldxprof old
		$other > prog.ldxprof && cp prog.ldxprof before
		status "other file ($other)" 0 ./prog return 5
		cmp -s before prog.ldxprof || fail "other file ($other) was changed"
		counts "beside other file ($other)" $alt "runs=1 lost=0 1 5 0 0 1"
		echo no > $alt
		status "two other files" 0 ./prog
		same "two other files" no "$(cat $alt)"
		rm -f $alt prog.ldxprof
	done
	: > prog.ldxprof
	status "empty file" 0 ./prog
	counts "empty file" prog.ldxprof "runs=1 lost=0 1 1000 0 0 1"
	rm prog.ldxprof
}

# Whoever starts a program that has more rights than he must not make it write files.
test_secure() {
	[ "$(id -u)" = 0 ] || { echo "not root: set-user-ID and capabilities are not tried"; return 0; }
	mkdir secure && chmod 777 secure && cp prog secure/
	LDX_PROFILE_FILE=secure/p status "as another user" 0 setpriv --reuid 65534 --clear-groups secure/prog
	[ -e secure/p ] || fail "as another user: no profile"
	rm -f secure/p
	chmod 4755 secure/prog
	for file in secure/p ""; do
		[ "$file" ] && export LDX_PROFILE_FILE=$file LDX_PROFILE_LOG=secure/log
		status "set-user-id" 0 setpriv --reuid 65534 --clear-groups secure/prog
		chmod 755 secure/prog
		# linux/capability.h: revision 2, effective; CAP_NET_RAW permitted
		python3 -c 'import os, struct
os.setxattr("secure/prog", "security.capability", struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0))' ||
			fail "cannot give the program a capability"
		status "capability" 0 setpriv --reuid 65534 --clear-groups secure/prog
		unset LDX_PROFILE_FILE LDX_PROFILE_LOG
	done
	same "files of programs with more rights" prog "$(ls secure)"
}

test_objects() {
	for i in 1 2; do
		compile obj$i.so 0x$i 5 object.c "$so_o" -shared -fPIC $flags
	done
	$CC -O1 -o loader "$here/loader.c" || exit 1
	status objects 0 ./loader ./obj1.so "$tmp/obj2.so"
	for i in 1 2; do
		counts "object $i" obj$i.so.ldxprof "runs=2 lost=0 1 1110 1 0 0"
	done
	[ "$(ls | grep -c ldxprof)" = 2 ] || fail "objects: profiles: $(ls)"
	LDX_PROFILE_FILE=%e.prof status "objects, one name" 0 ./loader ./obj1.so ./obj2.so
	counts "first object" loader.prof "runs=2 lost=0 1 1110 1 0 0"
	counts "second object" loader.prof.0000000000000002.ldxprof "runs=2 lost=0 1 1110 1 0 0"
	LDX_PROFILE_FILE= status "objects, no name" 0 ./loader ./obj1.so
	test_program_and_objects
}

# An instrumented program has its objects in its own profile, however it comes by them.
test_program_and_objects() {
	start="-Wl,-e,__ldx_start -Wl,--defsym=__ldx_entry=_start"
	for pie in -pie -no-pie; do
		compile linked $build 5 program.c "$exe_o" $start $pie -Wl,--no-as-needed ./obj1.so
		rm -f *.ldxprof
		status "program and object" 0 ./linked tree 2
		counts "program of both" linked.ldxprof "runs=5 lost=0 1 2029 2 2 1"
		counts "object of both" linked.ldxprof "runs=5 lost=0 1 0 1 0 0" 1
		same "one profile" linked.ldxprof "$(ls *.ldxprof)"
		same "names" "linked $tmp/obj1.so" "$(./show linked.ldxprof 1 all | sed 's|.*/\(linked\) |\1 |')"
	done
	compile counting 0x77 5 loader.c "$exe_o" $start
	rm -f *.ldxprof
	status "objects of a program" 0 ./counting ./obj1.so "$tmp/obj2.so" ./obj1.so
	counts "program, no counts" counting.ldxprof "runs=7 lost=0 0 0 0 0 0"
	counts "object loaded twice" counting.ldxprof "runs=4 lost=0 2 2220 2 0 0" 1
	counts "object loaded once" counting.ldxprof "runs=2 lost=0 1 1110 1 0 0" 2
	same "slots are used again" 2 "$(./show counting.ldxprof 1 all | sed 's/slots=\([0-9]*\).*/\1/')"
	same "one profile for three" counting.ldxprof "$(ls *.ldxprof)"
	mkdir sub && cp obj1.so sub/
	LDX_PROFILE_FILE=rel-%e.%b status "moved, object loaded later" 0 ./counting -C sub ./obj1.so
	counts "object loaded elsewhere" rel-counting.0000000000000077 "runs=2 lost=0 1 1110 1 0 0" 1
	same "nothing else there" obj1.so "$(ls sub)"
	rm -f *.ldxprof
	./linked return 2 && mv linked.ldxprof counting.ldxprof
	status "profile of another program" 0 ./counting ./obj1.so
	counts "left alone" counting.ldxprof "runs=1 lost=0 1 0 1 0 0" 1
	counts "object beside it" counting.0000000000000077.ldxprof "runs=2 lost=0 1 1110 1 0 0" 1
}

# It may need nothing but what the rewriter and the driver define.
undefined=$(nm -u "$exe_o" "$so_o" | awk 'NF == 2 { print $2 }' | sort -u | tr '\n' ' ')
same "undefined symbols" "__ldx_entry __ldx_info " "$undefined"
cc_show="$CC -I$root -o show $here/show.c"
$cc_show || exit 1
case $kind in
static) flags="-static -DCALL_FORKED" ;;
static-pie) flags="-static-pie -fPIE -DCALL_FORKED" ;;
pie) flags="-pie -fPIE" ;;
nopie) flags="-no-pie -fno-pie" ;;
esac
if [ "$kind" = so ]; then
	test_objects
else
	test_program
	test_kill
	test_locks
	test_log
	test_nowhere_to_write
	test_names
	test_other_build
	test_secure
fi
[ $fails = 0 ] || exit 1
