#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unwinding and the debugger on an instrumented program: check.py UNWIND_STEP STAGE

Single-steps frames.cpp, plain and linked through ldx, and compares the frames that .eh_frame
gives at each instruction with the calls that were made; runs the session of session.gdb on
debugger.c, plain and linked through ldx, and compares what the debugger says.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = "400000"
# or most steps are the dynamic linker's
LIBS = ["-static-libstdc++", "-static-libgcc"]
MODES = {"none": ["--instrument=none"], "blocks": ["--instrument=blocks"],
         "stress": ["--instrument=blocks", "--ldx-stress=3"]}


def run(*cmd, **kw):
    return subprocess.run(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", **kw)


def link(stage, cc, obj, out, *flags):
    bindir = run(stage + "/bin/ldx", "--ldx-print=bindir").stdout.strip()
    words = ["-Wl,%s" % f for f in flags] + ["-Wl,--ldx-strict", "-Wl,--ldx-verify"]
    r = run(cc, obj, "-o", out, *LIBS, *(["-B" + bindir] + words if flags else []))
    if r.returncode:
        sys.exit("%s: %s" % (out, r.stdout))


def wrong_frames(step, prog):
    """How many frames are wrong, and which."""
    r = run(step, "-v", "-n", STEPS, "./" + prog)
    total = re.search(r"(\d+) frames, (\d+) wrong", r.stdout)
    if not total or int(total[1]) < 10000:
        sys.exit("%s: nothing was checked: %s" % (prog, r.stdout))
    return int(total[2]), r.stdout


def session(prog, shown):
    r = run("gdb", "-q", "-nx", "-batch", "-x", HERE + "/session.gdb", "./" + prog)
    text = re.sub(r"0x[0-9a-f]+( <[^>]*>)?", "ADDRESS", r.stdout.replace(prog, shown))
    return re.sub(r"process \d+|length \d+|thread\w*=\d+|threadid=\d+", "N", text)


def frames(step, stage):
    bad = 0
    for cc in "g++", "clang++-19":
        for opt in "-O0", "-O2":
            name = cc + opt
            run(cc, opt, "-c", HERE + "/frames.cpp", "-o", name + ".o", check=True)
            link(stage, "g++", name + ".o", name + "-plain")
            plain, _ = wrong_frames(step, name + "-plain")
            for mode, flags in MODES.items():
                link(stage, "g++", name + ".o", name + "-" + mode, *flags)
                n, text = wrong_frames(step, name + "-" + mode)
                if n > plain:
                    print("%s %s: %d wrong frames, %d in the plain program\n%s" % (
                        name, mode, n, plain, text))
                    bad += 1
    return bad


def debugger(stage):
    bad = 0
    for cc in "gcc", "clang-19":
        for opt in "-O0", "-Og", "-O2":
            for dwarf in "-gdwarf-4", "-gdwarf-5":
                name = cc + opt + dwarf
                run(cc, opt, dwarf, "-c", HERE + "/debugger.c", "-o", name + ".o", check=True)
                link(stage, "gcc", name + ".o", name + "-plain")
                plain = session(name + "-plain", "PROG")
                assert "Breakpoint 1, " in plain, plain
                for mode in "none", "blocks":
                    link(stage, "gcc", name + ".o", name + "-" + mode, *MODES[mode])
                    text = session(name + "-" + mode, "PROG")
                    if text != plain:
                        print("%s %s: the debugger says something else:" % (name, mode))
                        print("\n".join(difflib.unified_diff(plain.split("\n"),
                                                             text.split("\n"), n=1)))
                        bad += 1
    return bad


def main():
    step, stage = (os.path.abspath(p) for p in sys.argv[1:])
    if not shutil.which("gdb"):
        print("skipped: no gdb")
        return 77
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        bad = debugger(stage) + frames(step, stage)
    print("unwind: %s" % ("%d failed" % bad if bad else "all the same"))
    return bad != 0


sys.exit(main())
