#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool values: testsuite/tools/values.py STAGE WORK.  The program says how often each indirect call and each jump by a
table leads where, and with which values a function is called: in threads, in a forked child, in two runs that are merged."""
import os
import re
import shutil
import subprocess
import sys

import run

PROGRAM = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define F(n) __attribute__((noipa)) static int f##n(int x) { return x + n; }
F(0)
F(1)
F(2)
F(3)
static int (*volatile table[])(int) = {f0, f1, f2, f3};
__attribute__((noipa)) void work(int n, long wide)
{
	(void)n;
	(void)wide;
}
__attribute__((noipa)) int choose(int n)
{
	return table[n & 3](n);
}
__attribute__((noipa)) int pick(int n)
{
	switch (n) {
	case 0: return choose(1); /* case 0 */
	case 1: return choose(7) ^ 11; /* case 1 */
	case 2: work(n, 0); return 17; /* case 2 */
	case 3: return n * choose(n); /* case 3 */
	case 4: work(-n, -1); return 5; /* case 4 */
	case 5: puts(""); return 2; /* case 5 */
	}
	return n;
}
static void *rounds(void *arg)
{
	for (int i = 0; i < 60; i++)
		pick(i % 5);
	return arg;
}
__attribute__((noipa)) static int by_length(const char *a)
{
	size_t (*volatile length)(const char *) = strlen;
	return (int)length(a);
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, rounds, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	if (!fork()) {
		rounds(NULL);
		_exit(0);
	}
	wait(NULL);
	return by_length("");
}
"""


def rows(stage, prog, profile):
    out = run.run([stage + "/bin/ldxprof", "tool", "values", "--format=tsv", prog, profile]).stdout
    return [line.split("\t") for line in out.splitlines()[1:]]


def check(stage, work, cpu, flags):
    lines = {n: text for n, text in enumerate(PROGRAM.split("\n"), 1)}
    prog = "%s/%s%s" % (work, cpu, "".join(flags))
    cc = [run.CPUS[cpu] + "-gcc" if run.CPUS[cpu] else "gcc"]
    emulator = ["qemu-" + cpu, "-L", "/usr/" + run.CPUS[cpu]] if run.CPUS[cpu] else []
    run.run(cc + ["-O2", "-g", "-pthread", "prog.c", "-o", prog, "-B" + stage + "/lib/ldx/bin", "-Wl,--ldx-strict", "-Wl,--ldx-verify",
                  "-Wl,--ldx-tool=values:function=work:bits=32"] + flags, cwd=work)
    for profile in (prog + ".1", prog + ".2"):
        run.run(emulator + [prog], cwd=work, env=dict(os.environ, LDX_PROFILE_FILE=profile))
    run.run([stage + "/bin/ldxprof", "merge", "-o", prog + ".all", prog + ".1", prog + ".2"])
    for profile, n in ((prog + ".1", 4 * 12), (prog + ".all", 2 * 4 * 12)):
        seen, jumps = {}, []
        for function, at, value, line, count in rows(stage, prog, profile):
            number = re.search(r":(\d+)$", line)
            line = lines[int(number.group(1))] if number and "prog.c" in line else ""
            if function == value == "pick":
                jumps.append(int(count))
            elif function in ("choose", "work", "by_length"):
                seen[function, value] = seen.get((function, value), 0) + int(count)
                if value[0] == "f":
                    assert line == "F(%s)" % value[1], (value, line)
        want = {("choose", "f1"): n, ("choose", "f3"): 2 * n, ("work", "2"): n, ("work", "-4"): n}
        calls = {k: v for k, v in seen.items() if k[0] != "by_length"}
        assert calls == want, (prog, profile, seen)
        assert sum(v for k, v in seen.items() if k[0] == "by_length") == n // 48, (prog, seen)
        # not each gcc makes a table; the first instruction of a case may be of another line
        assert jumps == [n] * (5 if jumps or cpu == "x86_64" else 0), (prog, jumps)


def main():
    stage, work = (os.path.abspath(a) for a in sys.argv[1:3])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    with open(work + "/prog.c", "w") as f:
        f.write(PROGRAM)
    cpus = [c for c, t in run.CPUS.items() if not t or (shutil.which(t + "-gcc") and shutil.which("qemu-" + c))]
    for cpu in cpus:
        check(stage, work, cpu, [])
    check(stage, work, "x86_64", ["-static"])
    check(stage, work, "x86_64", ["-no-pie"])
    run.run(["gcc", "-g", "-pthread", "-fno-builtin", "prog.c", "-o", "outside", "-B" + stage + "/lib/ldx/bin", "-Wl,--ldx-verify",
             "-Wl,--ldx-tool=values:function=pthread_create:argument=3"], cwd=work)
    run.run([work + "/outside"], cwd=work)
    created = [r for r in rows(stage, work + "/outside", work + "/outside.ldxprof") if r[0] == "main"]
    at = 1 + next(n for n, text in enumerate(PROGRAM.split("\n")) if "pthread_create" in text)
    assert len(created) == 1 and created[0][1].endswith("prog.c:%d" % at) and created[0][4] == "3", created
    for options, why in (("function=none", "there is no function none"), ("function=work:bits=8", "bits are 32 or 64")):
        r = subprocess.run(["gcc", "-B" + stage + "/lib/ldx/bin", "-pthread", "prog.c", "-o", "none", "-Wl,--ldx-tool=values:" + options],
                           cwd=work, capture_output=True, text=True)
        assert r.returncode and "tool values: " in r.stderr and why in r.stderr, r
    print("values: passed on " + " ".join(cpus))


if __name__ == "__main__":
    main()
