#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tools calls and wrap beside tracers: testsuite/tools/tracers.py STAGE WORK.

Three programs, compiled with -pg and run by uftrace: how often each function calls another one is what ldx says of the
programs without -pg, by direct calls, by address, virtual ones, in recursion and with exceptions.  How often
they call malloc and free is what ltrace says, and the tool wrap.  Exit status 77: there is no uftrace or no ltrace."""
import collections
import json
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from calls import HARD, PLAIN
from run import Failed, run

VIRTUAL = r"""
#include <map>
#include <memory>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <vector>
struct shape {
	virtual ~shape() {}
	virtual unsigned area(unsigned n) const = 0;
};
struct square : shape {
	unsigned side;
	explicit square(unsigned n) : side(n) {}
	unsigned area(unsigned n) const override { return side * side + n; }
};
struct pair : shape {
	std::unique_ptr<shape> a, b;
	pair(shape *x, shape *y) : a(x), b(y) {}
	unsigned area(unsigned n) const override { return a->area(n) + b->area(n + 1); }
};
static shape *make(unsigned n)
{
	return n % 3 ? (shape *)new square(n) : new pair(make(n + 1), make(n + 2));
}
int main()
{
	std::map<std::string, unsigned> seen;
	std::vector<std::unique_ptr<shape>> all;
	unsigned sum = 0;
	for (unsigned i = 0; i < 30; i++)
		all.emplace_back(make(i));
	for (auto &s : all)
		seen[std::to_string(s->area(3) % 17)] += s->area(1);
	for (auto &s : seen)
		sum += s.second * (unsigned)s.first.size();
	void *p[40];
	for (unsigned i = 0; i < 40; i++)
		p[i] = malloc(i + 1);
	for (unsigned i = 0; i < 40; i++)
		free(p[i]);
	printf("%u\n", sum);
	return 0;
}
"""
# uftrace 0.13 crashes in longjmp.
PROGRAMS = {"plain": ("c", PLAIN), "hard": ("cpp", HARD.replace(" + sets(n)", "")), "virtual": ("cpp", VIRTUAL)}
FLAGS = ["-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-fno-partial-inlining", "-pthread"]


def one_name(name):
    """Constructors and destructors that are the same code have two."""
    return re.sub(r"(?<=[a-zA-Z_])([CD]I?)1(?=[EIS])", r"\g<1>2", name) if name else name


def traced(o, name, source):
    """{(caller, callee): calls} of functions of the program."""
    run(["g++", "-pg", "-x", "c++" if source.endswith("pp") else "c", source, "-o", name + ".pg"] + FLAGS, cwd=o.work)
    run(["uftrace", "record", "--no-libcall", "-d", name + ".data", "./%s.pg" % name], cwd=o.work)
    out = run(["uftrace", "replay", "-d", name + ".data", "-f", "none", "--demangle=no", "--no-pager", "--no-merge"], cwd=o.work).stdout
    arcs, open = collections.Counter(), []
    for line in out.splitlines():
        m = re.match(r"( *)(\S+)\(\) \{$", line)
        if m:
            depth = len(m.group(1)) // 2
            del open[depth:]
            if open:
                arcs[open[-1], one_name(m.group(2))] += 1
            open.append(one_name(m.group(2)))
    return arcs


def counted(o, name, source):
    language = "c++" if source.endswith("pp") else "c"
    run(["g++", "-x", language, source, "-x", "none", "-o", name, "-B" + o.stage + "/lib/ldx/bin", "-Wl,--ldx-strict",
         "-Wl,--ldx-tool=calls"] + FLAGS, cwd=o.work)
    run(["./" + name], cwd=o.work)
    rows = json.loads(run([o.stage + "/bin/ldxprof", "calls", "--top=0", "--no-demangle", "--format=json", name], cwd=o.work).stdout)
    arcs = collections.Counter()
    for r in rows:
        arcs[one_name(r["caller"]), one_name(r["callee"])] += r["calls"]
    return arcs


def compare_calls(o, name, source):
    want, got = traced(o, name, source), counted(o, name, source)
    known = {f for arc in want for f in arc}
    got = {arc: n for arc, n in got.items() if set(arc) <= known and n}
    if got != dict(want) or not want:
        wrong = [(arc, got.get(arc), want.get(arc)) for arc in sorted(set(got) | set(want)) if got.get(arc) != want.get(arc)]
        raise Failed("%s: ldx and uftrace: %s" % (name, wrong[:10]))
    return len(want), sum(want.values())


def compare_wrapped(o, name, source, function):
    language = "c++" if source.endswith("pp") else "c"
    flags = FLAGS + ["-no-pie", "-Wl,-z,lazy"]
    run(["g++", "-x", language, source, "-x", "none", "-o", name + ".lazy"] + flags, cwd=o.work)
    run(["ltrace", "-e", function, "-o", name + ".ltrace", "./%s.lazy" % name], cwd=o.work)
    with open(o.work + "/%s.ltrace" % name) as f:
        want = sum(line.startswith("%s.lazy->%s(" % (name, function)) for line in f)
    run(["g++", "-x", language, source, "-x", "none", "-o", name, "-B" + o.stage + "/lib/ldx/bin", "-Wl,--ldx-strict",
         "-Wl,--ldx-tool=wrap:function=" + function] + flags, cwd=o.work)
    profile = "%s.%s" % (name, function)
    run(["./" + name], cwd=o.work, env=dict(os.environ, LDX_PROFILE_FILE=profile))
    out = run([o.stage + "/bin/ldxprof", "tool", "wrap", "--format=tsv", name, profile], cwd=o.work).stdout
    got = sum(int(line.split("\t")[2]) for line in out.splitlines()[1:])
    if got != want or not got:
        raise Failed("%s: calls of %s: %d, ltrace says %d" % (name, function, got, want))
    return got


def main():
    class o:
        stage, work = (os.path.abspath(a) for a in sys.argv[1:3])
    if not shutil.which("uftrace") or not shutil.which("ltrace"):
        print("there is no uftrace or no ltrace")
        return 77
    shutil.rmtree(o.work, ignore_errors=True)
    os.makedirs(o.work)
    try:
        for name, (end, text) in PROGRAMS.items():
            source = "%s.%s" % (name, end)
            with open(o.work + "/" + source, "w") as f:
                f.write(text)
            print("%s: %d arcs, %d calls as uftrace" % ((name,) + compare_calls(o, name, source)))
        for function in ("malloc", "free"):
            print("virtual: %d calls of %s as ltrace" % (compare_wrapped(o, "virtual", "virtual.cpp", function), function))
    except Failed as e:
        print("FAIL", e)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
