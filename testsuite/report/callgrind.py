#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are costs by function and line, and direct calls, those of callgrind?

  callgrind.py [--stage DIR] --work DIR NAME...   of programs of testsuite/bench/sources.py, compiled with -O2 -g
  callgrind.py [--stage DIR]                      of a small one

The same objects are linked plainly and through ldx; callgrind runs the plain program.  Compared for equality are
the instructions of each function, those of each line in each function (inlined code included), and the calls by
each direct call, or jump to another function; also as the tools prof, pixie, iprof and inline tell them.  Three rules tell beforehand what differs, and by how much:

  rep    callgrind counts the iterations of a repeated string instruction, a processor and ldx one instruction.
         How often it was executed is taken from the instruction beside it.
  no-op  A no-op that only aligns code may not be in the instrumented program (the map says which), nor is its
         line.  It is counted, at the line of the block's last other instruction; if the block has none, at the
         line that the program's line table has for the block's address.
  loop   A jump to the beginning of its own function is a call for callgrind, an edge for ldx.

Exit status: 0 equal, 1 not, 77 a tool is missing."""
import argparse
import bisect
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import gcov
import lines  # and with it the folder of ldxmap
import ldxmap
from lines import out

HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
REP = re.compile(r"rep(n?[ez])? (?!ret)")
NOP = re.compile(r"(data16 |cs )*(nop|xchg +%ax,%ax$)")
# _start, and code without symbols: that of PLTs and of the compiler's crt files
NOT_LDX = re.compile(r"\(below main\)$|0x[0-9a-f]+( \[PLT\])?$|_init$|_fini$")
JUMP = re.compile(r"(notrack |bnd )*(j|call|ret|rep[a-z]* ret|loop|ud2|hlt)")


class Code:
    """The instructions of a program."""

    def __init__(self, prog):
        text = out("objdump", "-d", "-w", "--no-show-raw-insn", prog)
        self.text = {int(a, 16): t for a, t in re.findall(r"^ *([0-9a-f]+):\t(.*)$", text, re.M)}
        self.order = sorted(self.text)
        self.targets = {int(a, 16) for a in re.findall(r"\t(?:notrack |bnd )?(?:j\w+|call|loop\w*) +([0-9a-f]+) <", text)}

    def beside(self, address, step):
        i = bisect.bisect_left(self.order, address) + step
        return self.order[i] if 0 <= i < len(self.order) else None

    def falls_into(self, a, b):
        """Is b executed exactly as often as a, the instruction before it?"""
        return a is not None and b is not None and b not in self.targets and not JUMP.match(self.text[a])

    def executed(self, address, cost):
        """How often a repeated instruction was, by the costs of those beside it."""
        before, after = self.beside(address, -1), self.beside(address, 1)
        counts = {cost[before]} if self.falls_into(before, address) else set()
        counts |= {cost[after]} if self.falls_into(address, after) else set()
        if len(counts) != 1:
            raise ValueError("%#x: how often %s was executed is not known" % (address, self.text[address]))
        return counts.pop()

    def between(self, low, high):
        return self.order[bisect.bisect_left(self.order, low):bisect.bisect_left(self.order, high)]


def plain_addresses(m, plain):
    """Yield functions of the map with their addresses in the plain program: both have one order."""
    at = collections.defaultdict(list)
    for address, size, name in sorted(set(plain.functions())):
        at[name].append((address, size))
    here = collections.defaultdict(list)
    for f in m.funcs:
        here[f.name].append(f)
    for name, functions in here.items():
        functions.sort(key=lambda f: f.address)
        if [f.size for f in functions] == [size for _, size in at[name]]:
            yield from ((f, address) for f, (address, _) in zip(functions, at[name]))


def moved_nops(prog, plain, code):
    """{address of a no-op in the plain program: the instruction or the (file, line) that ldxprof counts it at}"""
    moved, table = {}, lines.line_table(prog)
    for f, base in plain_addresses(ldxmap.Map(ldxmap.Elf(prog)), ldxmap.Elf(plain)):
        for b in f.blocks:
            kept = sum(n for n, _ in b.runs)
            low = base + b.offset - f.offset
            own = code.between(low, low + b.length)
            if kept == b.insns or len(own) != b.insns:
                continue
            nops = [a for a in own if NOP.match(code.text[a])][kept - b.insns:]
            left = [a for a in own if a not in nops]
            moved.update((a, left[-1] if left else line_at(table, b.address)) for a in nops)
    return moved


def line_at(table, address):
    at = table[bisect.bisect_right(table, (address, 1 << 64, "", 0)) - 1]
    return at[2:]


def expected_costs(records, code, moved):
    """{(function, file, line): instructions} that ldxprof should say, and how many each rule changes."""
    cost, place = collections.Counter(), {}
    for _, _, fn, fl, line, address, n in records:
        cost[address] += n
        place[address] = fn, fl, line
    costs, changed = collections.Counter(), collections.Counter()
    for address, n in cost.items():
        at = place[address]
        if REP.match(code.text.get(address, "")):
            changed["rep"] += n - code.executed(address, cost)
            n = code.executed(address, cost)
        elif address in moved:
            to = moved[address]
            at = at[0], *(to if isinstance(to, tuple) else place[to][1:])
            changed["no-op"] += n if at != place[address] else 0
        costs[at] += n
    return costs, changed


def sums(costs, key):
    """{key of (function, file, line): cost}, without those of 0."""
    found = collections.Counter()
    for at, n in costs.items():
        found[key(at)] += n
    return +found


def direct_calls(records, code):
    """{(caller, callee): calls} by instructions that name what they call; how many are loops."""
    calls, loops = collections.Counter(), 0
    for _, _, fn, callee, _, address, n in records:
        text = code.text.get(address, "*")
        if fn == callee and not text.startswith("call"):
            loops += n
        elif "*" not in text:
            calls[fn, callee] += n
    return calls, loops


def same_names(prog, names, counts):
    """A function with several names is the one of them that ldxprof says."""
    alias = lines.aliases(prog, names)
    return sums(counts, lambda at: tuple(alias.get(x, x) for x in at))


def compare(d, ldxprof):
    """Yield (what, number compared, [(key, ldxprof's, callgrind's)], remark)."""
    prog, plain = d + "/prog", d + "/plain"
    code = Code(plain)
    everything = lines.run_callgrind(plain, ["small"], all_objects=True, cwd=d, env=ENVIRONMENT)
    records = [r for r in everything if r[1] == os.path.realpath(plain)]
    expected, changed = expected_costs([r for r in records if r[0] == "self"], code, moved_nops(prog, plain, code))
    functions = {f["function"] for f in json.loads(out(ldxprof, "report", "--all", "--format=json", prog))}
    expected = same_names(plain, functions, expected)
    unknown = {at[0] for at in expected if at[0] not in functions and not NOT_LDX.match(at[0])}
    yield "functions that ldxprof does not know", (len(functions), [(fn, "nothing", "instructions") for fn in sorted(unknown)]), ""
    expected = {at: n for at, n in expected.items() if at[0] in functions}
    subprocess.run([ldxprof, "export", "--format=callgrind", "-o", d + "/export", prog], check=True)
    got = {}
    for kind, _, fn, fl, line, _, n in lines.read_callgrind(d + "/export"):
        if kind == "self":
            got[fn, fl, line] = got.get((fn, fl, line), 0) + n
    rules = ", ".join("%s %d" % (rule, n) for rule, n in sorted(changed.items()))
    for what, key in ("functions", lambda at: at[0]), ("lines", lambda at: at):
        yield what, differences(sums(got, key), sums(expected, key)), rules
    theirs, loops = direct_calls([r for r in records if r[0] == "call"], code)
    theirs = same_names(plain, functions, theirs)
    theirs = {k: n for k, n in theirs.items() if set(k) <= functions}
    ours = collections.Counter()
    for r in json.loads(out(ldxprof, "calls", "--format=json", prog)):
        if r["kind"] == "direct" and r["caller_object"] == prog:
            ours[r["caller"], r["callee"]] += r["calls"]
    yield "direct calls", differences(+ours, theirs), "loop %d" % loops
    entries = entries_of(everything, os.path.realpath(plain), code)
    entries = same_names(plain, functions, entries)
    yield from compare_tools(ldxprof, prog, expected, theirs, {k: n for k, n in entries.items() if set(k) <= functions})


def entries_of(records, plain, code):
    """{(function,): calls from anywhere}, of names that no other object has executed."""
    entries, others = collections.Counter(), {r[2] for r in records if r[1] != plain}
    for kind, ob, fn, callee, _, address, n in records:
        loop = ob == plain and fn == callee and not code.text.get(address, "*").startswith("call")
        if kind == "call" and not loop and callee not in others:
            entries[callee,] += n
    return entries


def tool(ldxprof, name, table, prog):
    return json.loads(out(ldxprof, "tool", name, "--format=json", "--table=" + table, "--no-demangle", prog))[table]


def compare_tools(ldxprof, prog, costs, calls, entries):
    """The same by tools that come with ldx; a line of any function of the file is one."""
    def counts(rows, key, value):
        found = collections.Counter()
        for r in rows:
            if r["object"] == prog and r[value]:
                found[key(r)] += r[value]
        return found

    functions = sums(costs, lambda at: at[0])
    for name in "prof", "pixie", "iprof":
        rows = tool(ldxprof, name, "functions", prog)
        yield "tool %s: functions" % name, differences(counts(rows, lambda r: r["function"], "instructions"), functions), ""
    rows = [r for r in rows if (r["function"],) in entries]
    yield "tool iprof: calls", differences(counts(rows, lambda r: (r["function"],), "calls"), entries), ""
    rows = tool(ldxprof, "pixie", "lines", prog)
    at_lines = {at: n for at, n in sums(costs, lambda at: at[1:]).items() if at[1] and at[0] != "???"}
    yield "tool pixie: lines", differences(counts(rows, lambda r: (os.path.basename(r["file"]), r["line"]), "instructions"), at_lines), ""
    rows = [r for r in tool(ldxprof, "inline", "sites", prog) if r["size"] is not None]
    yield "tool inline", differences(counts(rows, lambda r: (r["caller"], r["callee"]), "calls"), calls), ""


def differences(got, expected):
    keys = sorted(set(got) | set(expected))
    return len(keys), [(k, got.get(k, 0), expected.get(k, 0)) for k in keys if got.get(k, 0) != expected.get(k, 0)]


def make(name, stage, work):
    """The directory with the program, plain and linked by ldx, which has run."""
    files, flags, libs = gcov.program(name, work)
    d = os.path.join(work, "callgrind-" + name.replace(" ", "-"))
    shutil.rmtree(d, ignore_errors=True)
    os.makedirs(d)
    bindir = out(stage + "/bin/ldx", "--ldx-print=bindir").strip()
    subprocess.run(["gcc", "-O2", "-g", "-w", "-c", *flags, *files], cwd=d, check=True)
    objects = [os.path.basename(f)[:-2] + ".o" for f in files]
    for link, prog in ([], "plain"), (["-B" + bindir, "-Wl,--instrument=edges"], "prog"):
        subprocess.run(["gcc", "-no-pie", *link, *objects, *libs, "-o", prog], cwd=d, check=True)
    subprocess.run(["setarch", "-R", "./prog", "small"], cwd=d, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    return d


def check(name, args, work):
    bad = False
    for what, (n, wrong), rules in compare(make(name, args.stage, work), args.ldxprof):
        lines.say("%s: %s%s" % (name, what, rules and " (by rule: %s)" % rules), n, wrong)
        bad |= bool(wrong) or not n
    return not bad


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--stage", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "stage"))
    ap.add_argument("--ldxprof", help="default: that of the stage")
    ap.add_argument("--work")
    ap.add_argument("names", nargs="*")
    args = ap.parse_args()
    args.stage = os.path.abspath(args.stage)
    args.ldxprof = os.path.abspath(args.ldxprof or args.stage + "/bin/ldxprof")
    for tool in "gcc", "valgrind", "setarch", "objdump":
        if not shutil.which(tool):
            print("no " + tool)
            sys.exit(77)
    with tempfile.TemporaryDirectory() as d:
        good = [check(name, args, os.path.abspath(args.work or d)) for name in args.names or [gcov.SMALL]]
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
