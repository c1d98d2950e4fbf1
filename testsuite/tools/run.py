#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one case of a tool: testsuite/tools/run.py STAGE WORK [--cpu CPU] CASE.c

A case is three parts in one file: with ASKS defined, what asks for code in the link; with ROUTINES, what is called; with
neither, the program.  The program prints what the tool must have measured, `VARIABLE WORD VALUE` in each line: each
VALUE must equal the word of the profile.  Of a table it prints `TABLE KEY... VALUE`, the first sum of an entry, for all
entries but perhaps the first, whose keys are 0; `TABLE * VALUE` is the sum of all.  `//# flags: ...` are further flags of
the program, `//# compiler: g++` that it is C++, `//# static: no` says that it is not linked statically, too.
`//# runs: merged`: the argument of the program is N in its Nth run, in which it prints what all N have measured
together; the third counts in another profile, which is merged with the first by ldxprof, and the fourth in the sum.
It is linked in fewer ways, and in one in which threads share the data.
`//# counts: blocks`: beside counters, word N of `blocks` must be the count of block N, of all blocks but those of which
the tool says in the link that it was `refused N`.

The program is linked for each CPU that has a cross compiler and an emulator, in verified links: alone, and beside counters
of edges, with dead registers overwritten, with no-ops everywhere, and with functions in another order.  Exit status: 0
passed, 1 failed, 77 skipped.
"""
import argparse
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import ldxmap

CPUS = {"x86_64": None, "aarch64": "aarch64-linux-gnu", "riscv64": "riscv64-linux-gnu", "mips": "mips-linux-gnu",
        "mipsel": "mipsel-linux-gnu", "mips64el": "mips64el-linux-gnuabi64"}
LINKS = (("alone", "none", []), ("poison", "edges", ["--ldx-stress=poison"]),
         ("no-ops", "edges", ["--ldx-stress=7"]), ("order", "blocks", ["--ldx-stress=order"]))
# Of cases that are run several times, and on this machine linked statically, too.
SHARINGS = (("poison", "edges", ["--ldx-stress=poison"]), ("shared", "none", ["--ldx-counters=atomic"]), ("marks", "cover", []))


class Failed(Exception):
    pass


def run(argv, **more):
    r = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=300, **more)
    if r.returncode:
        raise Failed("%s: status %d\n%s%s" % (" ".join(argv), r.returncode, r.stdout[-2000:], r.stderr[-4000:]))
    return r


def compare_blocks(prog, seen, refused):
    m, n = ldxmap.Map(ldxmap.Elf(prog)), 0
    counters = ldxmap.Profile(prog + ".ldxprof").objects[m.build]
    number = {b: i for i, b in enumerate(m.blocks)}
    for f in m.funcs:
        for b, count in ldxmap.solve(f, counters).items():
            if b in number and number[b] not in refused:
                n += count > 0
                if seen[number[b]] != count:
                    raise Failed("%s: block %d, of %s, is counted %d times, and called for %d times" %
                                 (prog, number[b], f.name, count, seen[number[b]]))
    if n < 100:
        raise Failed("%s: only %d blocks were compared" % (prog, n))


def words(prog, tool, profile):
    """The variables of the tool, as words of 64 bits, or {keys: sums}, merged from all rows."""
    m = ldxmap.Map(ldxmap.Elf(prog))
    p = ldxmap.Profile(profile)
    counts = p.objects[m.build]
    return {name: p.tables.get((m.build, at // 8), counts[at // 8:(at + size) // 8])
            for owner, name, at, size in m.variables if owner == tool}


def compare(prog, out, seen):
    """What the program says with what the tool has seen; of tables, all entries with keys."""
    told = set()
    for line in out.splitlines():
        variable, *key, value = line.split()
        table = seen[variable]
        if not isinstance(table, dict):
            got = table[int(key[0])]
        elif key == ["*"]:
            got = sum(sums[0] for sums in table.values())
            told.update((variable, k) for k in table)
        else:
            k = tuple(map(int, key))
            got = table.get(k, (0,))[0]
            told.add((variable, k))
        if got % 2**64 != int(value):
            raise Failed("%s: %s[%s] is %d, not %s\n%s" % (prog, variable, " ".join(key), got, value, out[:2000]))
    for variable, table in seen.items():
        for k in table if isinstance(table, dict) else ():
            if any(k) and (variable, k) not in told:
                raise Failed("%s: %s has an entry %s\n%s" % (prog, variable, k, out[:2000]))
    if not out:
        raise Failed(prog + ": prints nothing")


def compare_shown(o, prog, name, profile):
    """All words that are not 0, as ldxprof shows them, are those that were read here."""
    out = run([o.stage + "/bin/ldxprof", "tool", "./%s.ldxtool" % name, "--format=tsv", prog, profile], cwd=o.work).stdout
    shown = [tuple(line.split("\t")) for line in out.splitlines()[1:]]
    want = []
    for variable, cells in words(prog, name, profile).items():
        if variable.startswith("ldx_"):  # kept by <ldx/open.h>
            continue
        rows = cells.items() if isinstance(cells, dict) else [((), cells)]
        want += [(variable, " ".join(map(str, key)), str(k), str(n % 2**64)) for key, row in rows for k, n in enumerate(row) if n]
    if sorted(shown) != sorted(want):
        raise Failed("%s: ldxprof shows %s" % (prog, sorted(set(shown) ^ set(want))[:20]))


def run_controlled(o, prog, name, argv):
    """Runs in a profile that is reset, stopped and started."""
    ctl, dumped = [o.stage + "/bin/ldxprof", "ctl", prog + ".ldxprof"], prog + ".dumped"

    def check(when, out):
        run(ctl + ["dump", "-o", dumped])
        compare(prog + ": after a " + when, out, words(prog, name, dumped))

    run(ctl + ["reset"])
    once = run(argv + ["1"], cwd=o.work).stdout
    check("reset", once)
    run(ctl + ["stop"])
    run(argv + ["2"], cwd=o.work)
    check("stop", once)
    run(ctl + ["start"])
    check("start", once)
    check("start", run(argv + ["2"], cwd=o.work).stdout)


def run_merged(o, prog, name, argv):
    """Two runs in one profile, one in another, all merged."""
    profile, other, all = prog + ".ldxprof", prog + ".other", prog + ".merged"
    if os.path.exists(other):
        os.unlink(other)
    compare(prog, run(argv + ["1"], cwd=o.work).stdout, words(prog, name, profile))
    compare(prog, run(argv + ["2"], cwd=o.work).stdout, words(prog, name, profile))
    out = run(argv + ["3"], cwd=o.work, env=dict(os.environ, LDX_PROFILE_FILE=other)).stdout
    run([o.stage + "/bin/ldxprof", "merge", "-o", all, profile, other])
    compare(prog, out, words(prog, name, all))
    for one in (profile, all):
        compare_shown(o, prog, name, one)
    with open(profile, "rb") as f:
        if f.read(1) != b"l":  # the sum is in this machine's byte order, which is another one
            return
    out = run(argv + ["4"], cwd=o.work, env=dict(os.environ, LDX_PROFILE_FILE=all)).stdout
    compare(prog, out, words(prog, name, all))


def check(o, cpu, static, how, mode, flags, case, extra):
    cc = [(CPUS[cpu] + "-" if CPUS[cpu] else "") + o.compiler]
    name = os.path.basename(case)[:-2]
    prog = "%s/%s-%s%s" % (o.work, cpu, how, "-static" if static else "")
    if os.path.exists(prog + ".ldxprof"):
        os.unlink(prog + ".ldxprof")
    link = ["-Wl,--instrument=" + mode, "-Wl,--ldx-verify", "-Wl,--ldx-strict", "-Wl,--ldx-tool=./%s.ldxtool" % name]
    counts = re.search("^//# counts: blocks$", open(case).read(), re.M)
    if counts:
        flags = flags + ["--ldx-placement=every"]
    said = run(cc + ["-O1", "-B" + o.stage + "/lib/ldx/bin", case, "-o", prog] + extra + (["-static"] if static else []) + link +
        ["-Wl," + f for f in flags], cwd=o.work).stderr
    emulator = ["qemu-" + cpu, "-L", "/usr/" + CPUS[cpu]] if CPUS[cpu] else []
    if re.search("^//# runs: merged$", open(case).read(), re.M):
        run_merged(o, prog, name, emulator + [prog])
        if not emulator:
            run_controlled(o, prog, name, [prog])
        return
    out, seen = run(emulator + [prog], cwd=o.work).stdout, words(prog, name, prog + ".ldxprof")
    compare(prog, out, seen)
    if counts and mode != "none" and static:
        compare_blocks(prog, seen["blocks"], {int(n) for n in re.findall(r"^refused (\d+)$", said, re.M)})


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--cpu")
    ap.add_argument("stage")
    ap.add_argument("work")
    ap.add_argument("case")
    o = ap.parse_args()
    o.stage, o.case = os.path.abspath(o.stage), os.path.abspath(o.case)
    name = os.path.basename(o.case)[:-2]
    o.work = os.path.abspath(o.work + "/" + name)
    shutil.rmtree(o.work, ignore_errors=True)
    os.makedirs(o.work)
    text = open(o.case).read()
    flags = dict(re.findall(r"^//# (\w+): (.*)$", text, re.M))
    for part, macro in (("", "ASKS"), ("-routines", "ROUTINES")):
        with open("%s/%s%s.c" % (o.work, name, part), "w") as f:
            f.write('#define %s\n#include "%s"\n' % (macro, o.case))
    o.compiler = flags.get("compiler", "gcc")
    cpus = [c for c in ([o.cpu] if o.cpu else CPUS)
            if not CPUS[c] or (shutil.which(CPUS[c] + "-" + o.compiler) and shutil.which("qemu-" + c))]
    if not cpus:
        print("no cross compiler or no emulator for " + o.cpu)
        return 77
    try:
        run([o.stage + "/bin/ldxtool", "build", name, "--cpu=" + ",".join(cpus)], cwd=o.work)
        for cpu in cpus:
            links = LINKS[1:2] if "counts" in flags else SHARINGS[:1 if CPUS[cpu] else 3] if "runs" in flags else LINKS
            for how, mode, stress in links:
                check(o, cpu, False, how, mode, stress, o.case, shlex.split(flags.get("flags", "")))
            if flags.get("static") != "no" and not ("runs" in flags and CPUS[cpu]):
                check(o, cpu, True, "alone", "blocks" if "counts" in flags else "none", [], o.case, shlex.split(flags.get("flags", "")))
    except Failed as e:
        print("FAIL", name, e)
        return 1
    print("%s: passed on %s" % (name, " ".join(cpus)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
