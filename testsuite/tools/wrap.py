#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool wrap: testsuite/tools/wrap.py STAGE WORK.  Calls of a function of the program and of the C library, by call
site; what sleeps takes at least that long."""
import os
import re
import shutil
import subprocess
import sys

PROGRAM = """
#include <setjmp.h>
#include <stdlib.h>
#include <time.h>
static jmp_buf back;
__attribute__((noipa)) int work(int n)
{
	struct timespec t = {0, 2000000};
	if (n == 3)
		longjmp(back, 1);
	nanosleep(&t, NULL);
	return n && n < 3 ? work(n - 1) + 1 : 0;
}
__attribute__((noipa)) int tail(int n) { return work(n + 10); }
__attribute__((noipa)) void loops(void)
{
	for (int i = 0; i < 7; i++)
		free(malloc((size_t)tail(i) + 1));
}
int main(void)
{
	work(2);
	if (!setjmp(back))
		work(3);
	loops();
	return 0;
}
"""


def run(argv, work, **env):
    r = subprocess.run(argv, cwd=work, capture_output=True, text=True, env=dict(os.environ, **env))
    assert not r.returncode, (argv, r.stderr)
    return r.stdout


def rows(stage, work, function, flags):
    run(["gcc", "-O2", "-g", "-fno-builtin", "prog.c", "-o", "prog", "-B" + stage + "/lib/ldx/bin", "-Wl,--ldx-strict",
         "-Wl,--ldx-verify"] + 2 * ["-Wl,--ldx-tool=wrap:function=" + function] + flags, work)
    run(["./prog"], work)
    out = run([stage + "/bin/ldxprof", "tool", "wrap", "--format=tsv", "prog"], work)
    os.unlink(work + "/prog.ldxprof")
    lines = [line.split("\t") for line in out.splitlines()]
    return {(r[0], int(re.search(r":(\d+)$", r[1]).group(1))): [int(x) for x in r[2:5]] for r in lines[1:] if r[1]}


def main():
    stage, work = (os.path.abspath(a) for a in sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    with open(work + "/prog.c", "w") as f:
        f.write(PROGRAM)
    line = {text: n for n, text in enumerate(PROGRAM.split("\n"), 1)}
    number = {key: next(n for text, n in line.items() if key in text)
              for key in ("work(n - 1)", "work(2)", "work(3)", "work(n + 10)", "malloc")}
    for flags in ([], ["-static"]):
        got = rows(stage, work, "work", flags)
        calls = {("work", number["work(n - 1)"]): (2, 2), ("main", number["work(2)"]): (1, 1),
                 ("main", number["work(3)"]): (1, 0), ("tail", number["work(n + 10)"]): (7, 0)}
        assert {key: tuple(v[:2]) for key, v in got.items()} == calls, (flags, got)
        assert got["main", number["work(2)"]][2] >= 6000000 and got["work", number["work(n - 1)"]][2] >= 6000000, got
    got = rows(stage, work, "malloc", [])
    run(["gcc", "prog.c", "-o", "prog", "-B" + stage + "/lib/ldx/bin"], work, LDX_TOOL="wrap:function=work order")
    run(["./prog"], work)
    assert "work" in run([stage + "/bin/ldxprof", "tool", "order", "prog"], work).split()
    assert "tail" in run([stage + "/bin/ldxprof", "tool", "wrap", "prog"], work)
    assert list(got) == [("loops", number["malloc"])] and got["loops", number["malloc"]][:2] == [7, 7], got
    r = subprocess.run(["gcc", "-B" + stage + "/lib/ldx/bin", "prog.c", "-o", "none",
                        "-Wl,--ldx-tool=wrap:function=none"], cwd=work, capture_output=True, text=True)
    assert not r.returncode, r
    run(["./none"], work)
    r = subprocess.run([stage + "/bin/ldxprof", "tool", "wrap", "none"], cwd=work, capture_output=True, text=True)
    assert r.returncode and "nothing calls the function by its name" in r.stderr, r


if __name__ == "__main__":
    main()
