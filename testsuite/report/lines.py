#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines and functions of the source: are their counts those of the line table and the blocks, and callgrind's?

  lines.py [--stage DIR] [--callgrind] PROG [ARGS]    check what ldxprof says of a program, linked by ldx
                                       with -g, that has run; with ARGS run its null link PROG.none first
  lines.py [--stage DIR]               make such a program and check it

The line table is objdump's; where the original instructions are, the map says; the counts of blocks are
those of `ldxprof export'.  Exit status: 0 equal, 1 not, 77 a tool is missing."""
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

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]
import ldxmap  # noqa: E402


def out(*args, **more):
    return subprocess.run(args, check=True, capture_output=True, text=True, errors="replace", **more).stdout


def line_table(prog):
    """Ranges of code and the line they are of, by address: [(from, to, file name, line)].

    Of several rows with one address the last is that of the code.  Sequences of functions that the linker has
    left out begin at 0."""
    ranges, rows = [], []
    for text in out("objdump", "-w", "--dwarf=decodedline", prog).splitlines():
        m = re.match(r"(\S.*?) +(\d+|-) +(?:0x)?([0-9a-f]+)(?: .*)?$", text)
        if not m:
            continue
        rows.append((int(m[3], 16), os.path.basename(m[1]), m[2]))
        if m[2] == "-":
            if rows[0][0] > 1:
                ranges += [(a[0], b[0], a[1], int(a[2])) for a, b in zip(rows, rows[1:]) if a[0] < b[0]]
            rows = []
    return sorted(ranges)


def instructions(prog, ldxprof, profile):
    """{address: (function, count)} of the original instructions whose functions have counts; how many have no address."""
    m = ldxmap.Map(ldxmap.Elf(prog))
    code = sorted(int(a, 16) for a in re.findall(r"^ *([0-9a-f]+):\t", out("objdump", "-d", "-w", "--no-show-raw-insn", prog),
                                                 re.M))
    exported = json.loads(out(ldxprof, "export", prog, *profile))["functions"]
    counts = {(f["address"], f["name"], b["offset"]): b["count"] for f in exported for b in f["blocks"]}
    found, gone = {}, collections.Counter()
    for f in m.funcs:
        for b in f.blocks:
            count = counts.get((f.address, f.name, b.offset - f.offset))
            if count is None:
                continue
            at, n = b.address, b.insns
            for insns, skip in b.runs:
                i = bisect.bisect_left(code, at)
                for k in range(i, i + insns):
                    found[code[k]] = (f, count)
                at = (code[i + insns] if i + insns < len(code) else at) + skip
                n -= insns
            gone[f.name] += n * count
    return found, gone


def expected_lines(prog, ldxprof, profile):
    """{(file name, line): [instructions executed, greatest count of one, sum over all]}; None for what has no line."""
    table = line_table(prog)
    found, gone = instructions(prog, ldxprof, profile)
    lines = collections.defaultdict(lambda: [0, 0, 0])
    for at, (_, count) in found.items():
        i = bisect.bisect_right(table, (at, 1 << 64, "", 0)) - 1
        key = table[i][2:] if i >= 0 and at < table[i][1] else None
        line = lines[key if key and key[1] else None]
        line[0] += count
        line[1] = max(line[1], count)
    return lines, sum(gone.values())


def check_lines(prog, ldxprof, profile=()):
    """What the line table and the counts of the blocks imply."""
    expected, gone = expected_lines(prog, ldxprof, profile)
    got = collections.defaultdict(lambda: [0, 0])
    for row in json.loads(out(ldxprof, "report", "--lines", "--all", "--format=json", prog, *profile)):
        line = got[(os.path.basename(row["file"]), row["line"]) if row["line"] else None]
        line[0] += row["instructions"]
        line[1] += row["count"]
    wrong = [(k, expected[k][:2], got[k]) for k in sorted(set(expected) | set(got), key=str)
             if expected[k][0] != got[k][0] or not (k is None or expected[k][1] <= got[k][1] <= max(expected[k][0], 0))]
    if gone:  # no-ops that are no longer there are counted, but not in the line table
        wrong = [w for w in wrong if w[2][0] - w[1][0] < 0 or w[2][0] - w[1][0] > gone]
    return len([k for k in expected if k]), sum(e[0] for e in expected.values()), gone, wrong


def check_functions(prog, ldxprof):
    """Where `report' says that functions are declared is what LLVM says of their first instructions."""
    symbolizer = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer")
    rows = json.loads(out(ldxprof, "report", "--all", "--no-demangle", "--format=json", prog))
    said = out(symbolizer, "--obj=" + prog, "--inlines", "--output-style=JSON",
               input="\n".join("%#x" % r["address"] for r in rows)) if symbolizer else ""
    wrong = []
    for row, line in zip(rows, said.splitlines()):
        last = json.loads(line)["Symbol"][-1]
        if last["StartFileName"] and (row["file"], row["line"]) != (os.path.normpath(last["StartFileName"]), last["StartLine"]):
            wrong.append((row["function"], (row["file"], row["line"]), last))
    return len(said.splitlines()), wrong


def branches(exported):
    """{(function, offset of its block): (taken, executed)} of the blocks that a conditional jump may end."""
    found = {}
    for f in exported:
        out_of = collections.defaultdict(dict)
        for e in f["edges"]:
            out_of[e["from"]][e["to"]] = e["count"]
        for b, to in out_of.items():
            if b is not None and b + 1 in to and len(to) > 1 and None not in to.values():
                found[f["name"], f["blocks"][b]["offset"]] = (sum(to.values()) - to[b + 1], sum(to.values()))
    return found


def check_annotation(prog, ldxprof, source, folder):
    """A file's counts are those of the lines; the text is there, also when it has moved; branches are as the edges."""
    def annotate(*args):
        r = subprocess.run([ldxprof, "annotate", *args, prog], check=True, capture_output=True, text=True)
        return r.stdout, r.stderr

    wrong, name = [], os.path.basename(source)
    expected, _ = expected_lines(prog, ldxprof, ())
    expected = {k[1]: v for k, v in expected.items() if k and k[0] == name}
    with open(source) as f:
        texts = [line.rstrip().expandtabs() for line in f]
    text, errors = annotate(name)
    rows = re.findall(r"^(?: +(\d+) +(\d+))? +(\d+)(?:  (.*))?$", text, re.M)
    if errors or [r[3] for r in rows] != texts or [int(r[2]) for r in rows] != list(range(1, len(texts) + 1)):
        wrong.append(("text", [r[3] for r in rows][:3], errors))
    got = {int(r[2]): int(r[1]) for r in rows if r[1]}
    if got != {n: v[0] for n, v in expected.items()}:
        wrong.append(("file", got, expected))
    exported = json.loads(out(ldxprof, "export", prog))["functions"]
    edges = branches(exported)
    blocks = {f["name"]: sorted(b["offset"] for b in f["blocks"]) for f in exported}
    seen = set()
    for f in exported:
        text, _ = annotate("--asm", "--no-demangle", f["name"])
        here = None
        for line in text.splitlines():
            m = re.match(r" *(\S+)\+0x([0-9a-f]+):$", line)
            here = (m[1], max(o for o in blocks[m[1]] if o <= int(m[2], 16))) if m else here
            m = re.search(r"\[taken (\d+) of (\d+)", line)
            if m:
                seen.add(here)
                if edges.get(here) != (int(m[1]), int(m[2])):
                    wrong.append((here, m[0], edges.get(here)))
    if not seen:
        wrong.append(("branches", 0, len(edges)))
    moved = folder + "/moved"
    os.rename(source, moved)
    text, errors = annotate(name)
    if errors.count("\n") != 1 or "no source text of" not in errors or texts[0] in text:
        wrong.append(("no source", text, errors))
    os.makedirs(folder + "/other/part")
    shutil.copy(moved, folder + "/other/part/" + name)
    if annotate(name, "--source-dir=%s/other" % folder)[1] == "" or annotate(name, "--source-dir=%s/other/part" % folder)[1]:
        wrong.append(("source dir", "", ""))
    os.rename(moved, source)
    return len(rows) + len(seen), wrong


def read_callgrind(path):
    """Of a callgrind profile, with or without addresses, yield ("self", object, function, file, line, address, cost)
    and ("call", object, function, callee, line, address of the call, number of calls)."""
    names, at, calls = {}, {}, None
    with open(path, errors="replace") as f:
        text = f.read().splitlines()
    for line in text:
        m = re.match(r"(ob|cob|fl|fi|fe|fn|cfi|cfl|cfn|calls)=(.*)$", line)
        if m and m[1] == "calls":
            calls = int(m[2].split()[0])
        elif m:
            kind, name = {"cob": "ob", "fn": "fn", "cfn": "fn"}.get(m[1], m[1] if m[1] == "ob" else "fl"), m[2]
            number = re.match(r"\((\d+)\)(?: (.*))?$", name)
            if number:
                name = names.setdefault((kind, number[1]), number[2])
            at[m[1] if m[1][0] == "c" else kind] = name
        elif line[:1].isdigit() and " " in line:  # alone: of a jump
            *address, number, cost = line.split()
            where = int(number), int(address[0], 16) if address else None
            fn = re.sub(r"'\d+$", "", at["fn"])
            if calls is not None:
                yield ("call", at["ob"], fn, re.sub(r"'\d+$", "", at["cfn"]), *where, calls)
            else:
                yield ("self", at["ob"], fn, os.path.basename(at["fl"]), *where, int(cost))
            calls = None


def run_callgrind(prog, args, all_objects=False, **run):
    """What read_callgrind() says of a run, as far as it is of the program's own code; or of all."""
    with tempfile.TemporaryDirectory() as d:
        subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=%s/out" % d, "--compress-strings=no",
                        "--compress-pos=no", "--demangle=no", "--dump-instr=yes", "--skip-plt=no", prog, *args],
                       check=True, capture_output=True, **run)
        return [r for r in read_callgrind(d + "/out") if all_objects or r[1] == os.path.realpath(prog)]


def callgrind(prog, args):
    """Self costs of the program's own functions: {(function, file name, line): instructions}."""
    costs = collections.Counter()
    for kind, _, fn, fl, number, _, cost in run_callgrind(prog, args):
        if kind == "self":
            costs[fn, fl, number] += cost
    return costs


def aliases(prog, names):
    """{a name of a function: that of names which it has at the same address}."""
    symbols = [line.split() for line in out("nm", prog).splitlines()]
    at = {f[0]: f[2] for f in symbols if len(f) == 3 and f[2] in names}
    return {f[2]: at[f[0]] for f in symbols if len(f) == 3 and f[2] not in names and f[0] in at}


def check_callgrind(prog, null, args, ldxprof, profile=()):
    """Costs by function and by line are callgrind's of the null link, but for instructions it repeats."""
    costs = callgrind(os.path.abspath(null), args)
    rows = json.loads(out(ldxprof, "report", "--all", "--format=json", "--no-demangle", prog, *profile))
    ours = collections.Counter()
    for row in rows:
        ours[row["function"]] += row["instructions"] or 0
    alias, theirs = aliases(null, set(ours)), collections.Counter()
    for (fn, _, _), cost in costs.items():
        theirs[alias.get(fn, fn)] += cost
    by_function = [(fn, ours[fn], theirs[fn]) for fn in sorted(ours) if ours[fn] != theirs[fn]]
    lines, known = collections.Counter(), collections.Counter()
    for row in json.loads(out(ldxprof, "report", "--lines", "--all", "--format=json", prog, *profile)):
        if row["line"]:
            lines[os.path.basename(row["file"]), row["line"]] += row["instructions"]
    for (fn, fl, number), cost in costs.items():
        if alias.get(fn, fn) in ours and number:
            known[fl, number] += cost
    by_line = [(k, lines[k], known[k]) for k in sorted(set(lines) | set(known)) if lines[k] != known[k]]
    return (len(ours), by_function), (len(set(lines) | set(known)), by_line)


def say(what, n, wrong):
    print("%s: %d compared, %d differ" % (what, n, len(wrong)))
    for w in wrong[:40]:
        print("  %s: ldxprof %s, expected %s" % (w[0], w[1], w[2]))


def check(prog, args, stage, with_callgrind):
    ldxprof = stage + "/bin/ldxprof"
    n, insns, gone, wrong = check_lines(prog, ldxprof)
    say("lines of %d instructions (%d of no-ops that are gone)" % (insns, gone), n, [(k, b, a) for k, a, b in wrong])
    bad = bool(wrong)
    if with_callgrind:
        functions, lines = check_callgrind(prog, prog + ".none", args, ldxprof)
        say("functions, callgrind", *functions)
        say("lines, callgrind", *lines)
        bad |= bool(functions[1] or lines[1])
    return bad


def check_inputs(work, stage):
    """Without debug information a function's file is the first input that defines it, as nm says."""
    bindir, names = out(stage + "/bin/ldx", "--ldx-print=bindir").strip(), ["one", "two", "three", "main"]
    shared = "template <class T> __attribute__((noinline)) T both(T x) { return x + 1; }\n"
    for n in names:
        with open("%s/%s.cpp" % (work, n), "w") as f:
            f.write(shared)
            if n == "main":
                f.write("int one(int), two(int), three(int); int main() { return one(two(three(1))) == both('a'); }\n")
            else:
                f.write("static __attribute__((noinline)) int own(int x) { return x * %d; }\n" % len(n))
                f.write("int %s(int x) { return own(x) + both(x) + both((long)x); }\n" % n)
        subprocess.run(["g++", "-O1", "-c", n + ".cpp"], check=True, cwd=work)
    subprocess.run(["ar", "rc", "libtwo.a", "two.o", "three.o"], check=True, cwd=work)
    inputs = ["main.o", "libtwo.a(two.o)", "libtwo.a(three.o)", "one.o"]
    subprocess.run(["g++", "-B" + bindir, "-Wl,--ldx-verify", "main.o", "libtwo.a", "one.o", "-o", "prog"], check=True, cwd=work)
    subprocess.run([work + "/prog"], cwd=work)
    defines = collections.defaultdict(list)
    for i in inputs:
        for line in out("nm", "--defined-only", re.sub(r".*\((.*)\)", r"\1", i), cwd=work).splitlines():
            defines[line.split()[2]].append(i)
    exported = json.loads(out(stage + "/bin/ldxprof", "export", work + "/prog"))["functions"]
    shown = {r["address"]: r["file"] for r in json.loads(out(stage + "/bin/ldxprof", "report", "--all", "--format=json",
                                                             work + "/prog"))}
    wrong, owns = [], []
    for f in exported:
        owns += [f["input"]] if f["name"].startswith("_ZL3own") else []
        if not f["name"].startswith("_ZL3own") and f["input"] != defines[f["name"]][0]:
            wrong.append((f["name"], f["input"], defines[f["name"]]))
        if shown[f["address"]] != f["input"]:
            wrong.append((f["name"], shown[f["address"]], f["input"]))
    if sorted(owns) != sorted(inputs[1:]):
        wrong.append(("own", owns, inputs[1:]))
    return len(exported), wrong


def make(work, stage):
    """A program and its null link: C++ with inlined functions, optimised."""
    bindir = out(stage + "/bin/ldx", "--ldx-print=bindir").strip()
    prog = work + "/inlined"
    shutil.copy(HERE + "/inlined.cpp", prog + ".cpp")
    subprocess.run(["g++", "-O2", "-g", "-c", prog + ".cpp", "-o", prog + ".o"], check=True)
    for mode, name in ("edges", prog), ("none", prog + ".none"):
        subprocess.run(["g++", "-no-pie", "-B" + bindir, "-Wl,--instrument=" + mode, prog + ".o", "-o", name], check=True)
    subprocess.run([prog], check=True, stdout=subprocess.DEVNULL)
    return prog


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--stage", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "stage"))
    ap.add_argument("--callgrind", action="store_true")
    ap.add_argument("prog", nargs="?")
    ap.add_argument("args", nargs="*")
    o = ap.parse_args()
    if not shutil.which("valgrind") or not shutil.which("g++"):
        print("no valgrind or no g++")
        return 77
    if o.prog:
        return check(o.prog, o.args, o.stage, o.callgrind)
    with tempfile.TemporaryDirectory() as work:
        prog = make(work, o.stage)
        n, wrong = check_annotation(prog, o.stage + "/bin/ldxprof", prog + ".cpp", work)
        say("annotations", n, wrong)
        ninputs, strange = check_inputs(work, o.stage)
        say("inputs of functions", ninputs, strange)
        nfuncs, misplaced = check_functions(prog, o.stage + "/bin/ldxprof")
        say("files of functions", nfuncs, misplaced)
        return check(prog, [], o.stage, True) or bool(wrong or misplaced or strange)


if __name__ == "__main__":
    sys.exit(main())
