#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several tools in one link: testsuite/tools/several.py STAGE WORK.  Each measures what it measures alone, in any order
of the options, and one thread of the link makes the same bytes as several."""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import run

TOOLS = ("blocks", "entry", "threads")


def build(stage, work, name):
    for part, macro in (("", "ASKS"), ("-routines", "ROUTINES")):
        with open("%s/%s%s.c" % (work, name, part), "w") as f:
            f.write('#define %s\n#include "%s/cases/%s.c"\n' % (macro, HERE, name))
    run.run([stage + "/bin/ldxtool", "build", name, "--cpu=x86_64"], cwd=work)


def link(stage, work, program, tools, first=()):
    flags = run.re.search(r"^//# flags: (.*)$", open("%s/cases/%s.c" % (HERE, program)).read(), run.re.M)
    run.run(list(first) + ["gcc", "-O1", "-B" + stage + "/lib/ldx/bin", "%s/cases/%s.c" % (HERE, program), "-o", "prog", "-static",
            "-Wl,--ldx-verify", "-Wl,--ldx-strict"] + (flags.group(1).split() if flags else []) + ["-Wl,--ldx-tool=./%s.ldxtool" % t for t in tools],
            cwd=work)
    with open(work + "/prog", "rb") as f:
        return f.read()


def measures(work, program):
    if os.path.exists(work + "/prog.ldxprof"):
        os.unlink(work + "/prog.ldxprof")
    out = run.run(["./prog"], cwd=work).stdout
    run.compare(program, out, run.words(work + "/prog", program, work + "/prog.ldxprof"))


def main():
    stage, work = (os.path.abspath(a) for a in sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    for name in TOOLS:
        build(stage, work, name)
    for program in TOOLS:
        one = link(stage, work, program, TOOLS, ["taskset", "-c", "0"])
        assert link(stage, work, program, TOOLS) == one, program + ": other bytes by several threads"
        measures(work, program)
        link(stage, work, program, TOOLS[::-1])
        measures(work, program)
    print("several tools: passed")


if __name__ == "__main__":
    main()
