#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Data that a function of the tool merges: testsuite/tools/merge.py STAGE WORK.  Of threads, processes, runs and merged
profiles, the product of all is that of each; what a reset, a stop and a start do."""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from run import CPUS, Failed, run

ASKS = r"""
#include <ldx/tool.h>
static void instrument(const ldx_object *o)
{
	ldx_arg n = ldx_call_arg(0);
	if (!ldx_call(ldx_at_entry(ldx_find_func(o, "work")), "work", 1, &n))
		ldx_fail("%s", ldx_refused());
	ldx_set_size("product", 24);
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "merge", "a test", NULL, instrument};
"""
ROUTINES = r"""
#include <ldx/analysis.h>
LDX_THREAD_BY(tool) uint64_t product[2];
LDX_THREAD_BY(tool) uint64_t other[2];
LDX_THREAD uint64_t calls[1];
LDX_ROUTINE void work(unsigned long n)
{
	uint32_t old = (uint32_t)ldx_data(product, [1]);
	ldx_data(product, [1]) = (uint32_t)((old ? old : 1) * (2 * (uint32_t)n + 1));
	ldx_data(other, [0]) = 7;
	ldx_add(calls, [0], 1);
}
"""
REPORT = r"""
#include <ldx/report.h>
#include <string.h>
static const struct ldx_table *const tables[] = {0};
static void run(void)
{
	size_t n, m, k;
	const ldx_object *o = ldx_next_object(NULL);
	const uint64_t *p = ldx_variable(o, "product", &n), *c = ldx_variable(o, "calls", &k), *x = ldx_variable(o, "other", &m);
	ldx_print("%zu %zu %lu %lu %lu %lu\n", n, m, (long)p[0], (long)p[1], (long)x[0], (long)c[0]);
}
static void merge(const char *variable, uint64_t *to, const uint64_t *from, size_t n)
{
	if (!strcmp(variable, "product") && n == 3)
		to[1] = to[1] && from[1] ? (uint32_t)(to[1] * from[1]) : to[1] + from[1];
	else if (from[0])
		to[0] = from[0];
}
LDX_API const struct ldx_report ldx_report = {.version = LDX_REPORT_VERSION, .name = "merge", .summary = "a test",
	.tables = tables, .run = run, .merge = merge};
"""
PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noipa)) void work(unsigned long n) { (void)n; }
static pthread_barrier_t all;
static void works(unsigned long n)
{
	for (unsigned long i = 0; i < 50; i++)
		work(n + i);
}
static void *thread(void *n)
{
	pthread_barrier_wait(&all);
	works((unsigned long)n);
	pthread_barrier_wait(&all);
	return NULL;
}
int main(int argc, char **argv)
{
	unsigned long n = (unsigned long)atoi(argv[1]);
	pthread_t t[3];
	pthread_barrier_init(&all, NULL, 3);
	for (unsigned long k = 0; k < 3; k++)
		if (argc > 2)
			works(n + 100 * k);
		else
			pthread_create(&t[k], NULL, thread, (void *)(n + 100 * k));
	for (int k = 0; k < 3 && argc == 2; k++)
		pthread_join(t[k], NULL);
	if (!fork()) {
		work(n + 7);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
"""


def expected(runs):
    product, calls = 1, 0
    for n in runs:
        for i in [n + 100 * k + j for k in range(3) for j in range(50)] + [n + 7]:
            product = product * (2 * i + 1) % 2**32
            calls += 1
    return product, calls


def check(o, prog, profile, runs):
    out = run([o.stage + "/bin/ldxprof", "tool", "./merge.ldxtool", prog, profile], cwd=o.work).stdout.split()
    product, calls = expected(runs)
    if out[:6] != ["3", "2", "0", str(product), "7", str(calls)]:
        raise Failed("%s: %s of %s, not %d %d" % (prog, out, runs, product, calls))


def test(o, cpu, flags, shared):
    prog = "prog-%s%s" % (cpu, "".join(flags))
    cc = CPUS[cpu] + "-gcc" if CPUS[cpu] else "gcc"
    run([cc, "-O1", "-pthread", "prog.c", "-o", prog, "-B" + o.stage + "/lib/ldx/bin", "-Wl,--ldx-strict", "-Wl,--ldx-verify",
         "-Wl,--ldx-tool=./merge.ldxtool"] + flags, cwd=o.work)
    start = (["qemu-" + cpu, "-L", "/usr/" + CPUS[cpu]] if CPUS[cpu] else []) + ["./" + prog]
    one, two, all = (prog + end for end in (".1", ".2", ".all"))

    def execute(n, profile):
        run(start + [str(n)] + (["alone"] if shared else []), cwd=o.work, env=dict(os.environ, LDX_PROFILE_FILE=profile))

    execute(3, one)
    check(o, prog, one, [3])
    execute(5, one)
    check(o, prog, one, [3, 5])
    execute(11, two)
    run([o.stage + "/bin/ldxprof", "merge", "-o", all, one, two], cwd=o.work)
    check(o, prog, all, [3, 5, 11])
    if shared:  # threads have one copy, and what they change at once would be lost
        return
    execute(13, all)
    check(o, prog, all, [3, 5, 11, 13])
    run([o.stage + "/bin/ldxprof", "ctl", one, "stop"], cwd=o.work)
    execute(17, one)
    check(o, prog, one, [3, 5])
    run([o.stage + "/bin/ldxprof", "ctl", one, "start"], cwd=o.work)
    execute(19, one)
    check(o, prog, one, [3, 5, 19])
    run([o.stage + "/bin/ldxprof", "ctl", one, "reset"], cwd=o.work)
    execute(23, one)
    check(o, prog, one, [23])


def main():
    class o:
        stage, work = (os.path.abspath(a) for a in sys.argv[1:3])
    shutil.rmtree(o.work, ignore_errors=True)
    os.makedirs(o.work)
    for name, text in (("merge.c", ASKS), ("merge-routines.c", ROUTINES), ("merge-report.c", REPORT), ("prog.c", PROGRAM)):
        with open(o.work + "/" + name, "w") as f:
            f.write(text)
    try:
        run([o.stage + "/bin/ldxtool", "build", "merge"], cwd=o.work)
        test(o, "x86_64", [], False)
        test(o, "x86_64", ["-static"], False)
        for cpu, cross in CPUS.items():
            if cross and shutil.which(cross + "-gcc") and shutil.which("qemu-" + cpu):
                test(o, cpu, [], True)
    except Failed as e:
        print("FAIL", e)
        return 1
    print("merge: passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
