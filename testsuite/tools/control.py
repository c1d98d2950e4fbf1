#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Data of tools in programs that control what is counted: testsuite/tools/control.py STAGE WORK.  The program stops, starts,
dumps and resets its data by ldx.h, with threads, and says what must be in each profile; profiles with wrong rules are
refused."""
import os
import shutil
import struct
import subprocess
import sys

import run

ASKS = """
#include <ldx/tool.h>
#include <string.h>
static void instrument(const ldx_object *o)
{
	ldx_arg n = ldx_call_arg(0);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		if (!strcmp(ldx_func_name(f), "work") && !ldx_call(ldx_at_entry(f), "enter", 1, &n))
			ldx_fail("%s", ldx_refused());
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "control", "a test", NULL, instrument};
"""
ROUTINES = """
#include <ldx/analysis.h>
LDX_THREAD uint64_t calls[1];
LDX_THREAD_BY(maximum) uint64_t greatest[1];
LDX_THREAD_TABLE(1, 1) struct { uint64_t key, count; } own[256];
LDX_PROCESS_TABLE(1, 1) struct { uint64_t key, count; } all[256];
LDX_ROUTINE void enter(unsigned long n)
{
	ldx_add(calls, [0], 1);
	ldx_maximum(greatest, [0], n);
	ldx_add(own, [ldx_find(own, 256, n)].count, 1);
	ldx_add(all, [ldx_find(all, 256, n)].count, 1);
}
"""
PROGRAM = """
#include <ldx.h>
#include <pthread.h>
#include <stdio.h>
__attribute__((noipa)) void work(unsigned n)
{
	(void)n;
}
static void some(unsigned from, unsigned to, int times)
{
	for (; from <= to; from++)
		for (int i = 0; i < times; i++)
			work(from);
}
static void *run(void *arg)
{
	some(1, 50, 7);
	return arg;
}
static void threads(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}
static void says(const char *what, int calls, int greatest, int from, int to, int first, int rest)
{
	printf("= %s\\ncalls 0 %d\\ngreatest 0 %d\\n", what, calls, greatest);
	for (int i = from; i <= to; i++)
		printf("own %d %d\\nall %d %d\\n", i, i == from ? first : rest, i, i == from ? first : rest);
}
int main(void)
{
	threads();
	some(1, 1, 3);
	int bad = ldx_stop();
	some(40, 90, 5);
	bad |= ldx_start();
	says("dump.1", 50 * 21 + 3, 50, 1, 50, 24, 21);
	bad |= ldx_dump("dump.1") | ldx_reset();
	some(30, 60, 2);
	threads();
	some(1, 1, 4);
	bad |= ldx_dump("dump.2") | ldx_reset();
	threads();
	some(1, 1, 9);
	printf("= dump.2\\ncalls 0 %d\\n", 31 * 2 + 4 + 50 * 21);
	printf("greatest 0 60\\n");
	for (int i = 1; i <= 60; i++) {
		int n = (i == 1) * 4 + (i >= 30) * 2 + (i <= 50) * 21;
		printf("own %d %d\\nall %d %d\\n", i, n, i, n);
	}
	says("prog.ldxprof", 50 * 21 + 9, 50, 1, 50, 30, 21);
	return bad;
}
"""


def put(work, name, text):
    with open(work + "/" + name, "w") as f:
        f.write(text)


def refused(stage, work, offset, value, why, *more):
    """Change a word of the first rule of the first slot."""
    with open(work + "/prog.ldxprof", "rb") as f:
        data = bytearray(f.read())
    struct.pack_into("<Q", data, 4096 + 1104 + offset, value)
    with open(work + "/wrong", "wb") as f:
        f.write(data)
    r = subprocess.run([stage + "/bin/ldxprof", "merge", "-o", "sum", "wrong", *more], cwd=work, capture_output=True, text=True)
    assert r.returncode == 1 and why in r.stderr and not os.path.exists(work + "/sum"), (why, r)


def main():
    stage, work = (os.path.abspath(a) for a in sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    put(work, "control.c", ASKS)
    put(work, "control-routines.c", ROUTINES)
    put(work, "prog.c", PROGRAM)
    run.run([stage + "/bin/ldxtool", "build", "control", "--cpu=x86_64"], cwd=work)
    # something is where the cells were to be
    run.run(["gcc", "-shared", "-fPIC", "-DLIB", os.path.join(run.HERE, "..", "cases", "alone-moved.c"), "-o", "libtaken.so"], cwd=work)
    for flags, env in ([], {}), ([], {"LD_PRELOAD": "./libtaken.so"}), (["-static"], {}), (["-Wl,--ldx-counters=atomic"], {}):
        for name in ("prog.ldxprof", "dump.1", "dump.2"):
            if os.path.exists(work + "/" + name):
                os.unlink(work + "/" + name)
        run.run(["gcc", "-O1", "-pthread", "-I" + stage + "/include", "prog.c", "-o", "prog",
                 "-B" + stage + "/lib/ldx/bin", "-Wl,--ldx-tool=./control.ldxtool", "-Wl,--ldx-verify", "-Wl,--ldx-strict"] + flags, cwd=work)
        out = run.run(["./prog"], cwd=work, env=dict(os.environ, **env)).stdout
        for part in out.split("= ")[1:]:
            name, said = part.split("\n", 1)
            run.compare(" ".join(flags + [name]), said, run.words(work + "/prog", "control", work + "/" + name))
    refused(stage, work, 16, 99, "are damaged")                     # the rule
    refused(stage, work, 8, 1 << 40, "are damaged")                 # cells
    refused(stage, work, 32, 6, "are damaged")                      # sums: no whole entries
    refused(stage, work, 16, 0, "has different rules", "prog.ldxprof")
    print("control: passed")


if __name__ == "__main__":
    main()
