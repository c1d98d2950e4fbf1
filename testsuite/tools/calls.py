#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool calls: testsuite/tools/calls.py STAGE WORK [CPU...].

Calls, those by address included, and instructions until they return are callgrind's, with recursion, too.  Where callgrind
is not right, with longjmp, exceptions and threads, instructions are conserved, on each CPU: what the calls of a function
say is what it executes, by its counters, and what the calls say that it makes."""
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from run import CPUS, Failed, run

PLAIN = r"""
#include <stdio.h>
#include <stdlib.h>
typedef unsigned step(unsigned);
#define FN __attribute__((noipa)) unsigned
FN odd(unsigned n) { return n * 3 + 1; }
FN even(unsigned n) { return n / 2; }
step *volatile steps[2] = {even, odd};
FN collatz(unsigned n)
{
	unsigned k = 0;
	for (; n > 1; k++)
		n = steps[n & 1](n);
	return k;
}
FN tail(unsigned n) { return steps[n & 1](n + 1); }
FN choose(unsigned n) { return n % 3 ? collatz(n) : tail(n) + 1; }
FN less(unsigned x) { return collatz(x % 16 + 1) < collatz(x / 16 + 1); }
FN sort(unsigned n, step *compare)
{
	unsigned v[10], k;
	for (unsigned i = 0; i < 10; i++) {
		for (k = i; k && compare(v[k - 1] * 16 + i * n % 16); k--)
			v[k] = v[k - 1];
		v[k] = i * n % 16;
	}
	return v[3];
}
FN fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2) + odd(n); }
FN work(void)
{
	unsigned sum = fibonacci(9);
	for (unsigned i = 1; i < 60; i++)
		sum += choose(i) + (i % 7 ? 0 : sort(i, less));
	return sum;
}
int main(void)
{
	unsigned sum = work();
	printf("%u\n", sum);
	return 0;
}
"""

HARD = r"""
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#define FN extern "C" __attribute__((noipa)) unsigned
typedef unsigned step(unsigned);
#ifdef __x86_64__ /* elsewhere there is one thread, and linkers remove instructions */
static __thread jmp_buf back;
#else
static jmp_buf back;
#endif
FN leaf(unsigned n) { return n & 1 ? n * 5 : n / 3 + 2; }
FN spin(unsigned n)
{
	unsigned sum = 0;
	while (n--)
		sum += leaf(n);
	return sum;
}
FN fibonacci(unsigned n) { return n < 2 ? leaf(n) : fibonacci(n - 1) + fibonacci(n - 2); }
FN even(unsigned n);
FN odd(unsigned n) { return n ? even(n - 1) + spin(2) : 0; }
FN even(unsigned n) { return n ? odd(n - 1) : spin(3); }
FN jumps(unsigned n)
{
	unsigned sum = spin(n);
	if (n > 3)
		longjmp(back, (int)sum + 1);
	return n ? jumps(n + 1) + 1 : 0;
}
FN sets(unsigned n)
{
	volatile unsigned sum = 0;
	for (volatile unsigned i = 0; i < n; i++) {
		if (!setjmp(back))
			sum += jumps(i);
		else
			sum += spin(i);
	}
	return sum;
}
FN throws(unsigned n)
{
	if (spin(n) % 4 != 1 && n > 6)
		throw n;
	return n < 6 ? throws(n + 1) + 1 : n;
}
struct counts {
	unsigned *n;
	~counts() { *n += spin(4); }
};
FN passes(unsigned n, unsigned *sum)
{
	counts c = {sum};
	return throws(n) + spin(1);
}
FN catches(unsigned n)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		try {
			sum += passes(i, &sum);
		} catch (unsigned k) {
			sum += leaf(k);
		}
	return sum;
}
step *volatile steps[] = {leaf, spin, fibonacci, odd};
FN by_address(unsigned n)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum += steps[i % 4](i % 9);
	return sum;
}
FN all(unsigned n) { return fibonacci(n) + odd(9) + sets(n) + catches(n + 4) + by_address(41); }
extern "C" void *thread(void *n)
{
	return (void *)(size_t)all(*(unsigned *)n);
}
int main(int argc, char **)
{
	unsigned sum = all(8), n[] = {5, 6, 7};
	pthread_t t[3];
	for (int i = 0; argc > 1 && i < 3; i++)
		pthread_create(&t[i], NULL, thread, &n[i]);
	for (int i = 0; argc > 1 && i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%u\n", sum);
	return 0;
}
"""
FORK = r"""
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#define FN __attribute__((noipa)) unsigned
FN leaf(unsigned n) { return n & 1 ? n * 5 : n / 3 + 2; }
FN spin(unsigned n)
{
	unsigned sum = 0;
	while (n--)
		sum += leaf(n);
	return sum;
}
FN recurs(unsigned n) { return n ? recurs(n - 1) + spin(n) : 1; }
FN forks(unsigned n)
{
	if (fork())
		wait(NULL);
	return recurs(n) + 1;
}
FN deep(unsigned n) { return n ? deep(n - 1) + spin(2) : forks(5); }
int main(int argc, char **argv)
{
	(void)argv;
	unsigned sum = argc > 1 ? recurs(70000) : deep(4) + recurs(3);
	fprintf(stderr, "%u\n", sum);
	return 0;
}
"""
SETS = (("fibonacci",), ("odd", "even"), ("odd",), ("even",), ("jumps",), ("throws",), ("leaf",), ("spin",), ("sets",),
        ("passes",), ("catches",), ("by_address",), ("all",))


# Another tool that could follow calls, and knows of none.
IDLE = {"idle.c": r"""
#include <ldx/tool.h>
static void instrument(const ldx_object *o)
{
	ldx_call(ldx_at_entry(ldx_find_func(o, "main")), "ldx_began", 0, 0);
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "idle", "a test", 0, instrument};
""", "idle-routines.c": r"""
#include <ldx/open.h>
LDX_BEGINS(call) { (void)call; }
LDX_ENDS(call) { (void)call; }
"""}
STOPPED = r"""
#include <pthread.h>
#define FN __attribute__((noinline)) static int
static volatile int stop, started, x;
FN leaf(int n) { int s = 0; for (int i = 0; i < n; i++) s += x; return s; }
FN spin(void) { int s = 0; while (!stop) s += leaf(3), started = 1; return s; }
FN other(void) { return leaf(5) + leaf(6); }
static void *run(void *p) { return spin() ? p : 0; }
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, 0, run, argv);
	for (int i = 0; i < 1000 || !started; i++) other();
	if (argc > 1) stop = 1, pthread_join(t, 0);
	return 0;
}
"""


def link(o, cc, source, prog, flags):
    run([cc, source, "-o", prog, "-B" + o.stage + "/lib/ldx/bin", "-Wl,--ldx-verify", "-Wl,--ldx-strict"] +
        flags + ["-Wl,--ldx-tool=calls"], cwd=o.work)


def calls_of(o, prog):
    rows = json.loads(run([o.stage + "/bin/ldxprof", "calls", "--top=0", "--format=json", prog], cwd=o.work).stdout)
    return {(r["caller"], r["callee"]): (r["calls"], r["inclusive_estimate"]) for r in rows}


def callgrind_arcs(out):
    """{(caller, callee): (calls, instructions)}, as a file of callgrind's has them."""
    name, arcs = {}, {}
    caller = callee = calls = None
    for line in open(out):
        m = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line)
        if m:
            name.setdefault(m.group(2), (m.group(3) or "").split("'")[0])  # odd'2: in a call of odd
            if m.group(1) == "fn":
                caller = name[m.group(2)]
            else:
                callee = name[m.group(2)]
        elif line.startswith("calls="):
            calls = int(line[6:].split()[0])
        elif calls:
            old = arcs.get((caller, callee), (0, 0))
            arcs[caller, callee] = (old[0] + calls, old[1] + int(line.split()[1]))
            calls = None
    return arcs


def compare(o):
    with open(o.work + "/plain.c", "w") as f:
        f.write(PLAIN)
    run(["gcc", "-O2", "-static", "plain.c", "-o", "plain"], cwd=o.work)
    run(["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=callgrind.out", "./plain"], cwd=o.work)
    want = callgrind_arcs(o.work + "/callgrind.out")
    own = set(re.findall(r"^FN (\w+)\(", PLAIN, re.M))
    # what is static may interrupt itself: it is all measured
    for flags in (["-static"], ["-no-pie"], ["-no-pie", "-Wl,--ldx-stress=order"]):
        link(o, "gcc", "plain.c", "prog", ["-O2"] + flags)
        if run(["./prog"], cwd=o.work).stdout != run(["./plain"], cwd=o.work).stdout:
            raise Failed("another output")
        run([o.stage + "/bin/ldxprof", "export", "--format=callgrind", "-o", "exported", "prog"], cwd=o.work)
        arcs = [a for a in want if a[1] in own and a[0] != "(below main)"]
        for got in calls_of(o, "prog"), callgrind_arcs(o.work + "/exported"):
            for arc in arcs:
                if got.get(arc) != want[arc]:
                    raise Failed("%s calls %s: %s, callgrind says %s" % (arc + (got.get(arc), want[arc])))
        os.unlink(o.work + "/prog.ldxprof")
    return len(arcs)


def whole(name):
    """The function that a part with rare code is of."""
    return name[:-5] if name and name.endswith(".cold") else name


def conserved(o, prog, sets=SETS):
    arcs, own = calls_of(o, prog), {}
    rows = json.loads(run([o.stage + "/bin/ldxprof", "report", "--top=0", "--format=json", prog], cwd=o.work).stdout)
    for r in rows:
        own[whole(r["function"])] = own.get(whole(r["function"]), 0) + r["instructions"]
    for names in sets:
        ends = [(whole(a) in names, whole(b) in names, n) for (a, b), (_, n) in arcs.items()]
        into = sum(n for a, b, n in ends if b and not (a and len(names) > 1) and n)
        out = sum(n for a, b, n in ends if a and not (b and len(names) > 1) and n)
        executed = sum(own[f] for f in names)
        if into != executed + out or not into:
            raise Failed("%s: %s: %s executed, %d in what they call, but %d in their calls" % (prog, names, executed, out, into))
    return arcs


def hard(o, cpu):
    cross = CPUS[cpu] + "-" if CPUS[cpu] else ""
    emulator = ["qemu-" + cpu, "-L", "/usr/" + CPUS[cpu]] if CPUS[cpu] else []
    for how in ([],) if cross else ([], ["-static"], ["-foptimize-sibling-calls"]):
        link(o, cross + "g++", "hard.cpp", "prog", ["-O2", "-fno-optimize-sibling-calls", "-pthread"] + how)
        # threads share their data on other CPUs, which then have no clock
        run(emulator + ["./prog"] + ([] if cross else ["threads"]), cwd=o.work)
        arcs = conserved(o, "prog")
        times = 1 if cross else 4
        want = {("by_address", "leaf"): 11, ("by_address", "spin"): 10, ("by_address", "fibonacci"): 10, ("by_address", "odd"): 10}
        for arc, n in want.items():
            if arcs[arc][0] != n * times:
                raise Failed("%s: %s calls %s %d times" % ((cpu,) + arc + (arcs[arc][0],)))
        os.unlink(o.work + "/prog.ldxprof")


def forks(o):
    """A child does not know its parent's calls; where too many are open for the tool, it says so."""
    with open(o.work + "/fork.c", "w") as f:
        f.write(FORK)
    for name, text in IDLE.items():
        with open(o.work + "/" + name, "w") as f:
            f.write(text)
    run([o.stage + "/bin/ldxtool", "build", "idle", "--cpu=x86_64"], cwd=o.work)
    for how in ([], ["-static"], ["-Wl,--ldx-tool=./idle.ldxtool"]):
        link(o, "gcc", "fork.c", "prog", ["-O2"] + how)
        run(["./prog"], cwd=o.work)
        conserved(o, "prog", (("leaf",), ("spin",), ("recurs",)))
        if run([o.stage + "/bin/ldxprof", "calls", "prog"], cwd=o.work).stdout.split("\n")[0].find("~") >= 0:
            raise Failed("instructions are estimated")
        run(["./prog", "too deep"], cwd=o.work)
        if run([o.stage + "/bin/ldxprof", "calls", "prog"], cwd=o.work).stdout.split("\n")[0].find("~") < 0:
            raise Failed("too many open calls, but instructions are not estimated")
        os.unlink(o.work + "/prog.ldxprof")


def stopped(o):
    """A thread is in a call that would return when the process ends: nothing follows from sums."""
    with open(o.work + "/stopped.c", "w") as f:
        f.write(STOPPED)
    for args in ["join"], []:
        link(o, "gcc", "stopped.c", "prog", ["-O2", "-pthread"])
        run(["./prog"] + args, cwd=o.work)
        estimated = "~" in run([o.stage + "/bin/ldxprof", "calls", "prog"], cwd=o.work).stdout.split("\n")[0]
        if estimated == bool(args):
            raise Failed("estimated: %s, with arguments %s" % (estimated, args))
        os.unlink(o.work + "/prog.ldxprof")


class Options:
    pass


def main():
    o = Options()
    o.stage, o.work = (os.path.abspath(a) for a in sys.argv[1:3])
    shutil.rmtree(o.work, ignore_errors=True)
    os.makedirs(o.work)
    with open(o.work + "/hard.cpp", "w") as f:
        f.write(HARD)
    passed = []
    try:
        if shutil.which("valgrind") and not sys.argv[3:]:
            passed.append("%d arcs as callgrind" % compare(o))
        if not sys.argv[3:]:
            forks(o)
            stopped(o)
        for cpu in sys.argv[3:] or CPUS:
            if not CPUS[cpu] or (shutil.which(CPUS[cpu] + "-g++") and shutil.which("qemu-" + cpu)):
                hard(o, cpu)
                passed.append(cpu)
    except (Failed, KeyError) as e:
        print("FAIL", type(e).__name__, e)
        return 1
    print("calls:", ", ".join(passed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
