#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who calls whom: are the counts callgrind's, and what is said of each kind of call?

  calls.py [--stage DIR] PROG [ARGS]   compare a program, linked by ldx, that has run with these ARGS, with what
                                       callgrind says of its null link PROG.none
  calls.py [--stage DIR]               make such a program, and check kinds of calls and formats too

Exit status: 0 equal, 1 not, 77 a tool is missing."""
import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

from lines import aliases, out, run_callgrind, say

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = r"""
#include <cstdio>
#include <cstdlib>
extern "C" int shared(int);
struct base { virtual int value(int) = 0; };
struct one : base { __attribute__((noinline)) int value(int x) override { return x + 1; } };
struct two : base { __attribute__((noinline)) int value(int x) override { return x + 2; } };
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int never(int n);
__attribute__((noinline)) int fib(int n) { return n > 1000 ? never(n) : n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) int jumps(int n) { return fib(n + 1); }
__attribute__((noinline)) int never(int n) { return jumps(n - 1000) + 1; }
__attribute__((noinline)) int may_jump(int n) { if (n & 1) return fib(n); return n * 3; }
__attribute__((noinline)) int chosen(int n)
{
	switch (n) {
	case 0: return fib(3);
	case 1: return jumps(2);
	case 2: return n + 9;
	case 3: return may_jump(7);
	case 4: return may_jump(6) + 1;
	case 5: return 11 * fib(2);
	}
	return 0;
}
int main(int argc, char **)
{
	one o; two t;
	base *b[] = {&o, &t};
	int v[16], sum = 0;
	for (int i = 0; i < 16; i++) v[i] = abs(i * 7919 % 31 - 9);
	qsort(v, 16, sizeof *v, compare);
	for (int i = 0; i < 9; i++)
		sum += b[(i + argc) & 1]->value(v[i]) + jumps(i) + may_jump(i) + chosen(i % 6) + shared(i);
	printf("%d\n", sum);
}
"""
SHARED = "__attribute__((noinline)) static int inner(int x) { return x + 1; }\nint shared(int x) { return inner(x) + inner(x + 1); }\n"


def callgrind_calls(prog, args):
    """{(caller, callee): calls} of callers in the program itself."""
    calls = collections.Counter()
    for kind, _, fn, callee, _, _, n in run_callgrind(prog, args):
        if kind == "call":
            calls[fn, callee] += n
    return calls


def rows(ldxprof, prog, *options):
    return json.loads(out(ldxprof, "calls", "--format=json", "--no-demangle", *options, prog))


def check_callgrind(prog, args, ldxprof):
    """Direct calls: each of ours is callgrind's, and each of callgrind's between functions of the map is ours."""
    ours = collections.Counter()
    for r in rows(ldxprof, prog):
        if r["kind"] == "direct" and r["caller_object"] == prog:
            ours[r["caller"], r["callee"]] += r["calls"]
    names = {r["function"] for r in json.loads(out(ldxprof, "report", "--all", "--format=json", "--no-demangle", prog))}
    alias, theirs = aliases(prog, names), collections.Counter()
    for (a, b), n in callgrind_calls(prog + ".none", args).items():
        theirs[alias.get(a, a), alias.get(b, b)] += n
    indirect = {r["caller"] for r in rows(ldxprof, prog) if r["kind"] == "address"}
    keys = set(ours) | {k for k in theirs if k[0] in names and k[1] in names and k[0] not in indirect}
    return len(keys), [(k, ours[k], theirs[k]) for k in sorted(keys) if ours[k] != theirs[k]]


def expect(got, expected, what):
    if got != expected:
        print("%s: %s, expected %s" % (what, got, expected))
    return got != expected


def check_kinds(prog, ldxprof, library):
    calls = {(r["caller"], r["callee"]): r for r in rows(ldxprof, prog)}
    bad = False
    for key, kind, n, jump in ((("main", "abs"), None, None, None), (("main", "qsort"), "name", 1, False),
                               (("main", "shared"), "name", 9, False), (("shared", "inner"), "direct", 18, None),
                               (("_Z5jumpsi", "_Z3fibi"), "direct", 11, True), (("main", None), "address", 9, False)):
        r = calls.get(key)
        if kind is not None:
            bad |= expect(r and (r["kind"], r["calls"], r["jump"] if jump is not None else None), (kind, n, jump), key)
    bad |= expect(calls["main", "shared"]["callee_object"], library, "the callee's object")
    # exact where each function has one caller: a chain below main
    bad |= expect(calls["main", "shared"]["inclusive_estimate"],
                  sum(r["instructions"] for r in json.loads(out(ldxprof, "report", "--format=json", prog))
                      if r["object"] == library), "inclusive")
    # a way back through what was not executed makes no cycle of the functions on it
    bad |= expect(calls["_Z3fibi", "_Z3fibi"]["inclusive_estimate"], None, "inclusive, within a cycle")
    bad |= expect(calls["_Z5jumpsi", "_Z3fibi"]["inclusive_estimate"] > 0, True, "inclusive, past a cycle that did not run")
    everything = rows(ldxprof, prog, "--all")
    bad |= expect([r for r in everything if r["executed"]], rows(ldxprof, prog), "--all, as far as it was executed")
    missing = {("_Z3fibi", "_Z5neveri"), ("_Z5neveri", "_Z5jumpsi")}
    bad |= expect((missing <= {(r["caller"], r["callee"]) for r in everything}, missing & set(calls)), (True, set()), "--all")
    of = rows(ldxprof, prog, "--of=_Z3fibi")
    bad |= expect({r["caller"] for r in of} | {r["callee"] for r in of},
                  {"_Z3fibi", "_Z5jumpsi", "_Z8may_jumpi", "_Z6choseni"}, "--of")
    return bad


def make(work, stage, flags):
    bindir = out(stage + "/bin/ldx", "--ldx-print=bindir").strip()
    for name, text in ("calls.cpp", SOURCE), ("shared.c", SHARED):
        with open(work + "/" + name, "w") as f:
            f.write(text)
    subprocess.run(["gcc", "-O1", "-g", "-fPIC", "-shared", "-B" + bindir, "-o", work + "/libshared.so", work + "/shared.c"], check=True)
    subprocess.run(["g++", "-O2", "-g", "-fno-ipa-icf", "-fno-plt" if "-fno-plt" in flags else "-fplt",
                    *(f for f in flags if f.startswith("-falign")), "-c", "-o", work + "/calls.o",
                    work + "/calls.cpp"], check=True)
    prog = work + "/calls"
    for mode, name in ("edges", prog), ("none", prog + ".none"):
        subprocess.run(["g++", *flags, "-B" + bindir, "-Wl,--instrument=" + mode, work + "/calls.o", "-L" + work, "-lshared",
                        "-Wl,-rpath," + work, "-o", name], check=True)
    for f in os.listdir(work):
        if f.endswith(".ldxprof"):
            os.unlink(work + "/" + f)
    subprocess.run([prog], check=True, stdout=subprocess.DEVNULL)
    return prog


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--stage", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "stage"))
    ap.add_argument("prog", nargs="?")
    ap.add_argument("args", nargs="*")
    o = ap.parse_args()
    ldxprof = o.stage + "/bin/ldxprof"
    if not shutil.which("valgrind") or not shutil.which("g++"):
        print("no valgrind or no g++")
        return 77
    if o.prog:
        result = check_callgrind(o.prog, o.args, ldxprof)
        say("calls, callgrind", *result)
        return bool(result[1])
    bad = False
    for flags in ["-no-pie"], ["-pie", "-Wl,-z,now"], ["-pie", "-fno-plt"], ["-no-pie", "-fuse-ld=bfd", "-Wl,-z,ibtplt"]:
        with tempfile.TemporaryDirectory() as work:
            prog = make(work, o.stage, flags)
            result = check_callgrind(prog, [], ldxprof)
            say("calls, callgrind " + " ".join(flags), *result)
            bad |= bool(result[1]) or check_kinds(prog, ldxprof, work + "/libshared.so")
    return bad


if __name__ == "__main__":
    sys.exit(main())
