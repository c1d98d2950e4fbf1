#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do the programs that read other formats say what ldxprof says itself?

  exports.py [--stage DIR] PROG        a program, linked by ldx with -g, that has run
  exports.py [--stage DIR]             make such a program and check it

callgrind_annotate, go tool pprof, gprof; stacks and drcov, whose readers are not packaged, by lines of our
own; JSON by its schema.  Exit status: 0 equal, 1 not, 77 a tool is missing."""
import argparse
import collections
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import calls
from lines import out

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(os.path.dirname(os.path.dirname(HERE)), "report", "export.schema.json")


class Program:
    def __init__(self, ldxprof, path, work):
        self.ldxprof, self.path, self.work = ldxprof, path, work
        self.all = json.loads(out(ldxprof, "export", path))
        self.functions = self.rows("report", "--all")

    def rows(self, verb, *options):
        return json.loads(out(self.ldxprof, verb, "--format=json", *options, self.path))

    def export(self, form):
        name = os.path.join(self.work, form)
        subprocess.run([self.ldxprof, "export", "--format=" + form, "-o", name, self.path], check=True)
        return name


def own(name):
    """A part of a function that gcc has split, or a copy that it has changed, is the function."""
    return re.sub(r"\.(isra|part|constprop|cold)\b(\.\d+)?", "", name)


def total(rows, key, value="instructions"):
    """{key of the row: sum of its value}, without those of 0."""
    sums = collections.Counter()
    for r in rows:
        sums[key(r)] += r[value] or 0
    return +sums


def number(text):
    return int(text.replace(",", ""))


def callgrind(p):
    base = os.path.basename
    text = out("callgrind_annotate", "--auto=no", "--threshold=100", "--show-percs=no", "--tree=calling", p.export("callgrind"))
    self, callees, caller = collections.Counter(), collections.Counter(), None
    for line in text.splitlines():
        if m := re.match(r" *([\d,]+) +\* +[^:]*:(.*) \[(.*?)\]$", line):
            caller = m[2], base(m[3])
            self[caller] += number(m[1])
        elif m := re.match(r" *[\d,]+ +> +[^:]*:(.*) \(([\d,]+)x\)(?: \[.*\])?$", line):
            callees[caller, m[1]] += number(m[2])
    yield "self", +self, total(p.functions, lambda r: (r["function"], base(r["object"])))
    expected = total((r for r in p.rows("calls", "--all") if r["callee"]),
                     lambda r: ((r["caller"], base(r["caller_object"])), r["callee"]), "calls")
    yield "calls", callees, expected


def callgrind_lines(p):
    """By line, which callgrind_annotate tells only beside the source."""
    form, file, line_sums, jumps = {}, None, collections.Counter(), 0
    last = None
    with open(p.export("callgrind")) as f:
        for line in f.read().splitlines():
            if m := re.match(r"(fl|fi|fe|cfi|jfi)=\((\d+)\)(?: (.*))?$", line):
                form.setdefault(m[2], m[3])
                file = form[m[2]] if m[1][0] == "f" else file
            elif m := re.match(r"(\d+) (\d+)$", line):
                if last != "calls":
                    line_sums[file, int(m[1])] += int(m[2])
            elif m := re.match(r"jcnd=(\d+)/(\d+) \d+$", line):
                jumps += int(m[1]) <= int(m[2])
            last = line.partition("=")[0]
    yield "lines", line_sums, total(p.rows("report", "--lines", "--top=0"), lambda r: (r["file"] or "???", r["line"]))
    yield "jumps", jumps > 0, True


def pprof(p):
    name = p.export("pprof")
    for what, options, rows, key in (
            ("functions", [], p.rows("report", "--inlined", "--top=0"), lambda r: r["function"]),
            ("lines", ["-lines"], p.rows("report", "--lines", "--top=0"), lambda r: (own(r["function"]), r["line"]))):
        text = out("go", "tool", "pprof", "-top", "-nodecount=1000000", "-nodefraction=0", *options, name)
        found = collections.Counter()
        for m in re.finditer(r"^ *(\d+) +\S+% +\S+% +\d+ +\S+% +(.*)$", text, re.M):
            function = re.sub(r" \(inline\)$| \(partial-inline\)$", "", m[2])
            if options:
                place = re.match(r"(.*?) (?:/|\?|[^ ]*:).*?:(\d+)$", function)
                found[(own(place[1]), int(place[2])) if place else (own(function), 0)] += int(m[1])
            else:
                found[own(function)] += int(m[1])
        yield what, +found, total(rows, key)
    raw = out("go", "tool", "pprof", "-raw", name)
    yield "total", sum(int(n) for n in re.findall(r"^ +\d+ +(\d+): \d+", raw, re.M)), sum(total(p.functions, id).values())
    # the last frame of a location is the function that contains it
    frames, last = collections.defaultdict(list), None
    for m in re.finditer(r"^ +(\d+): 0x\w+ M=\d+ (.*?) [^ ]*:\d+.* s=|^ {10,}(\S.*?) [^ ]*:\d+.* s=", raw, re.M):
        last = m[1] or last
        frames[last].append(m[2] or m[3])
    chains = [m.split() for m in re.findall(r"^ +\d+ +\d+: ([\d ]+)$", raw, re.M)]
    ends = {(frames[b][-1], frames[a][-1]) for c in chains for a, b in zip(c, c[1:]) if frames[a] and frames[b]}
    known = {(r["caller"], r["callee"]) for r in p.rows("calls", "--all") if r["callee"] and r["calls"]}
    yield "calls that are none", {e for e in ends if e not in known}, set()
    yield "calls", bool(ends), True


def folded(p):
    leaves, ends = collections.Counter(), set()
    with open(p.export("folded")) as f:
        for line in f:
            stack, n = line.rsplit(" ", 1)
            frames = [x.removesuffix("_[i]") for x in stack.split(";")]
            leaves[own(frames[-1])] += int(n)
            ends |= {pair for pair in zip(stack.split(";"), stack.split(";")[1:]) if not pair[1].endswith("_[i]")}
    yield "self", leaves, total(p.rows("report", "--inlined", "--top=0"), lambda r: r["function"].replace(";", ":"))
    known = {(r["caller"], r["callee"]) for r in p.rows("calls", "--all") if r["callee"] and r["calls"]}
    yield "calls that are none", {e for e in ends if e not in known}, set()


def gprof(p):
    """Of the program alone; the histogram is exact where its greatest bin has 16 bits."""
    name = p.export("gmon")
    flat, graph = (out("gprof", "-b", option, p.path, name) for option in ("-p", "-q"))
    unit = re.search(r"Each sample counts as (\S+) (\w+)", flat)
    # symbols with a dot are none for gprof: their code belongs to the symbol before
    last, symbol, names = None, {}, collections.Counter()
    for f in sorted(p.all["functions"], key=lambda f: f["address"]):
        name = f.get("demangled", f["name"])
        last = symbol[name] = last if "." in f["name"] and last else name
        names[last] += f["instructions"] or 0
    found = {}
    for m in re.finditer(r"^ *[\d.]+ +[\d.]+ +([\d.]+) +(?:(\d+) +[\d.]+ +[\d.]+ +)?(\S.*)$", flat, re.M):
        found[m[3]] = int(float(m[1]))
    if unit[2] == "instructions":
        yield "self", {k: v for k, v in found.items() if v}, +names
    # a primary line "[3]  12.1  5.00  0.00  19+191  fib" has calls from others, and its own
    found = {m[3]: int(m[1]) + int(m[2] or 0)
             for m in re.finditer(r"^\[\d+\] +[\d.]+ +[\d.]+ +[\d.]+ +(\d+)(?:\+(\d+))? +([^<\s].*?)(?: <cycle \d+>)? \[\d+\]$", graph, re.M)}
    direct = total((r for r in p.rows("calls", "--all") if r["kind"] == "direct" and r["caller_object"] == p.path
                    and r["callee_object"] == p.path), lambda r: symbol[r["callee"]], "calls")
    yield "calls", found, direct


def drcov(p):
    with open(p.export("drcov"), "rb") as f:
        head, _, rest = f.read().partition(b"BB Table: ")
    count, _, data = rest.partition(b" bbs\n")
    blocks = list(struct.iter_unpack("<IHH", data))
    yield "blocks", len(blocks), int(count)
    modules = re.findall(r"^ *(\d+), (0x\w+), (0x\w+), 0x\w+, (.*)$", head.decode(), re.M)
    objects = [p.all, *p.all["libraries"]]
    yield "modules", [m[3] for m in modules], [o.get("program") or o.get("path") for o in objects]
    for m, o in zip(modules, objects):
        covered = set()
        for start, size, module in blocks:
            if module == int(m[0]):
                covered.update(range(int(m[1], 16) + start, int(m[1], 16) + start + size))
        first = [(b["address"], b["executed"]) for f in o["functions"] for b in f["blocks"]
                 if b["address"] is not None and b["executed"] is not None]
        yield "of " + m[3], {a for a, run in first if run} - covered, set()
        yield "not of " + m[3], {a for a, run in first if not run} & covered - {a for a, run in first if run}, set()


def schema(p):
    import jsonschema
    with open(SCHEMA) as f:
        rules = json.load(f)
    jsonschema.Draft7Validator.check_schema(rules)
    jsonschema.validate(p.all, rules)

    # a member that the schema does not name is not documented
    def names(value, found):
        if isinstance(value, dict):
            found.update(value)
        for x in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            names(x, found)
        return found

    def described(rule, found):
        if isinstance(rule, dict):
            found.update(rule.get("properties", {}))
            for x in rule.values():
                described(x, found)
        for x in rule if isinstance(rule, list) else ():
            described(x, found)
        return found

    yield "members", names(p.all, set()) - described(rules, set()), set()


def check(ldxprof, prog):
    bad = False
    with tempfile.TemporaryDirectory() as work:
        p = Program(ldxprof, prog, work)
        for reader in callgrind, callgrind_lines, pprof, folded, gprof, drcov, schema:
            for what, found, expected in reader(p):
                if found != expected:
                    bad = True
                    print("%s: %s: %s: it has\n%s\nexpected\n%s" % (prog, reader.__name__, what, *differences(found, expected)))
        size = len(p.functions)
    print("%s: %d functions: %s" % (os.path.basename(prog), size, "different" if bad else "equal"))
    return bad


def refused(ldxprof, stage):
    """Formats that need counts have none in other modes, and leave no file."""
    bad = False
    with tempfile.TemporaryDirectory() as work:
        prog = work + "/prog"
        for mode, formats in ("functions", ["callgrind", "pprof", "folded", "gmon", "drcov"]), ("cover", ["callgrind", "pprof", "folded", "gmon"]):
            subprocess.run(["gcc", "-B" + out(stage + "/bin/ldx", "--ldx-print=bindir").strip(), "-Wl,--instrument=" + mode,
                            "-o", prog, "-x", "c", "-"], check=True, input=b"int main() { return 0; }")
            subprocess.run([prog], check=True)
            for form in formats:
                r = subprocess.run([ldxprof, "export", "--format=" + form, "-o", work + "/out", prog], capture_output=True, text=True)
                if r.returncode != 1 or "mode " + mode not in r.stderr or os.path.exists(work + "/out"):
                    bad = True
                    print("%s in mode %s: %s" % (form, mode, r))
    return bad


def differences(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        keys = [k for k in sorted({*a, *b}, key=str) if a.get(k) != b.get(k)][:20]
        return {k: a.get(k) for k in keys}, {k: b.get(k) for k in keys}
    return a, b


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--stage", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "stage"))
    ap.add_argument("--ldxprof")
    ap.add_argument("prog", nargs="?")
    o = ap.parse_args()
    ldxprof = o.ldxprof or o.stage + "/bin/ldxprof"
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        print("no jsonschema for Python")
        return 77
    for tool in "callgrind_annotate", "go", "gprof", "g++":
        if not shutil.which(tool):
            print("no " + tool)
            return 77
    if o.prog:
        return check(ldxprof, o.prog)
    if refused(ldxprof, o.stage):
        return 1
    with tempfile.TemporaryDirectory() as work:
        return any([check(ldxprof, calls.make(work, o.stage, flags)) for flags in (["-no-pie", "-falign-functions=1"], ["-pie"])])


if __name__ == "__main__":
    sys.exit(main())
