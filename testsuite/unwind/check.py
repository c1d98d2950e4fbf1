#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py UNWIND_STEP SOURCE [few]: is the way back to main known at every instruction?

SOURCE is linked plainly and through ldx, and run one instruction at a time by UNWIND_STEP, which
compares the frames that .eh_frame gives with the calls that were made.  The functions where they
differ (libgcc's that change stacks) must be those of the plain program.  From frames.cpp, rows
are then taken away, which must be noticed.  few: with one compiler and one set of flags.
Exit status: 0 passed, 1 failed, 77 skipped.
"""
import bisect
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STAGE = os.environ.get("LDX_STAGE") or os.path.join(HERE, "../../build/stage")
MODES = {"none": ["--instrument=none"], "functions": ["--instrument=functions"],
         "blocks": ["--instrument=blocks"], "edges": ["--instrument=edges"],
         "atomic": ["--instrument=blocks", "--ldx-counters=atomic"],
         "stress": ["--instrument=blocks", "--ldx-stress=3"],
         "every": ["--instrument=blocks", "--ldx-placement=every"]}
UNWINDER = "-static-libstdc++ -static-libgcc"    # instrumented as well
# compiler, its flags, those of the link, modes; what runs in a library costs as much and shows less
PROGRAMS = {"calls.c": [("gcc", "-O0", "", "none blocks"),
                        ("gcc", "-O2", "", "functions atomic stress"),
                        ("gcc", "-O2", "-static", "blocks"),
                        ("clang-19", "-O2", "", "blocks")],
            "thread.c": [("gcc", "-O2 -pthread", "", "blocks"),
                         ("gcc", "-O0 -pthread", "-static", "blocks"),
                         ("clang-19", "-O2 -pthread", "-static-pie", "blocks")],
            # counters held in registers
            "../cases/hold.c": [("gcc", "-O1", "", "edges"),
                                ("clang-19", "-O3", "", "edges")],
            "frames.cpp": [("g++", "-O0", "", "none blocks"),
                           ("g++", "-O2", UNWINDER, "atomic stress blocks"),
                           ("clang++-19", "-O2", "", "blocks")]}

FEW = {"calls.c": 1, "thread.c": 0, "../cases/hold.c": 0, "frames.cpp": 0}    # the row of `few'


def run(*cmd, **kw):
    return subprocess.run(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", **kw)


def must(*cmd):
    r = run(*cmd)
    if r.returncode:
        sys.exit("%s: %s" % (" ".join(cmd), r.stdout))
    return r.stdout.strip()


class Names:
    """The functions of a program, by their addresses; libraries have no names here."""

    def __init__(self, prog):
        words = [w.split() for w in must("nm", "--defined-only", prog).split("\n")]
        self.syms = sorted((int(w[0], 16), w[2]) for w in words if w[1] in "tTwWiV" or w[2] == "_end")
        head = must("readelf", "-h", prog)
        self.base = 0x555555554000 if "DYN" in head else 0    # without randomisation

    def at(self, pc):
        i = bisect.bisect(self.syms, (pc - self.base, "~"))
        return self.syms[i - 1][1] if 0 < i < len(self.syms) else None


def wrong_functions(step, prog, steps=1000000):
    """The functions with wrong frames, and one of the complaints about each."""
    env = dict(os.environ, LDX_PROFILE_FILE=prog + ".profile")
    r = run(step, "-v", "-n", str(steps), prog, env=env)
    total = re.search(r"(\d+) instructions, (\d+) without frames, (\d+) frames, .*; status 0", r.stdout)
    if not total or int(total[3]) < 100 or int(total[2]) > 1000:
        sys.exit("%s: not checked: %s" % (prog, r.stdout[-1000:]))
    names, bad = Names(prog), {}
    for line in r.stdout.split("\n"):
        m = re.match(r"pc (0x[0-9a-f]+): ", line)
        if m and names.at(int(m[1], 16)):
            bad.setdefault(names.at(int(m[1], 16)), line)
    return bad, "%s instructions, %s frames" % (total[1], total[3])


def link(cc, obj, out, flags, ldx=()):
    bindir = must(STAGE + "/bin/ldx", "--ldx-print=bindir")
    words = ["-Wl,%s" % f for f in ldx] + ["-Wl,--ldx-strict", "-Wl,--ldx-verify"]
    must(cc, obj, "-o", out, *flags.split(), *(["-B" + bindir] + words if ldx else []))


def take_rows_away(prog):
    """DW_CFA_remember_state; DW_CFA_def_cfa_offset of 128 and more: the offset stays as it was."""
    data = open(prog, "rb").read()
    m = re.search(r" \.eh_frame +\w+ +\w+ +(\w+) +(\w+)", must("readelf", "-SW", prog))
    at, size = (int(x, 16) for x in m.groups())
    table, n = re.subn(rb"\x0a\x0e[\x80-\xff][\x01-\x7f]", b"\x0a\0\0\0", data[at:at + size])
    with open(prog, "wb") as f:
        f.write(data[:at] + table + data[at + size:])
    return n


def check(step, source, work, cc, flags, lflags, modes):
    """The number of programs that are wrong."""
    title, failed = " ".join([cc, source, flags, lflags]).strip(), 0
    obj, plain, prog = (os.path.join(work, f) for f in ("main.o", "plain", "prog"))
    must(cc, *flags.split(), "-c", os.path.join(HERE, source), "-o", obj)
    link(cc, obj, plain, lflags)
    usual, _ = wrong_functions(step, plain)
    for mode in modes.split():
        link(cc, obj, prog, lflags, MODES[mode])
        bad, total = wrong_functions(step, prog)
        new = sorted(set(bad) - set(usual))
        print("%-4s %s, %s: %s" % ("FAIL" if new else "ok", title, mode, total), flush=True)
        for f in new:
            print("  %s: %s" % (f, bad[f]))
        failed += bool(new)
    if source == "frames.cpp" and flags == "-O0":
        link(cc, obj, prog, lflags, MODES["every"])    # also where flags are alive and nothing is free
        n = take_rows_away(prog)
        if "tight" in wrong_functions(step, prog, 50000)[0]:
            print("ok   %s, rows taken away: %d, noticed" % (title, n))
        else:
            print("FAIL %s, rows taken away: %d, not noticed" % (title, n))
            failed += 1
    return failed


def main():
    step, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    if not os.access(STAGE + "/bin/ldx", os.X_OK):
        print("skipped: no bin/ldx in %s: ./dev build first" % STAGE)
        return 77
    with tempfile.TemporaryDirectory() as work:
        programs = PROGRAMS[source][FEW[source]:][:1] if sys.argv[3:] == ["few"] else PROGRAMS[source]
        failed = sum(check(step, source, work, *p) for p in programs if shutil.which(p[0]))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
