#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts that tools see in a link that is given a profile: testsuite/tools/prior.py STAGE WORK.  The counts of edges that
follow from those of blocks are the ones that the profile has; without a profile none is known."""
import os
import shutil
import sys

import run as cases

PROGRAM = """
__attribute__((noipa)) int work(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		__asm__ volatile("");
		if (i % 3)
			sum += 2;
		else
			__asm__ volatile("" : "+r"(sum));
		__asm__ volatile("");
	}
	return sum;
}
int main(void)
{
	return work(1000) != 1332 || work(0);
}
"""
ASKS = """
#include <ldx/tool.h>
#include <stdio.h>
#include <string.h>
static void instrument(const ldx_object *o)
{
	const ldx_func *f = ldx_find_func(o, "work");
	for (const ldx_edge *e = NULL; (e = ldx_next_edge(f, e));) {
		const ldx_block *from = ldx_edge_from(e), *to = ldx_edge_to(e);
		fprintf(stderr, "edge %d %d %lld\\\\n", from ? (int)ldx_block_id(from) : -1, to ? (int)ldx_block_id(to) : -1,
			(long long)ldx_edge_count(e));
	}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "prior", "a test", NULL, instrument};
""".replace("\\\\", "\\")
REPORT = """
#include <ldx/report.h>
#include <stdio.h>
#include <string.h>
static const struct ldx_table *const tables[] = {NULL};
static void run(void)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(ldx_next_object(NULL), f));)
		for (const ldx_edge *e = NULL; !strcmp(ldx_func_name(f), "work") && (e = ldx_next_edge(f, e));) {
			const ldx_block *from = ldx_edge_from(e), *to = ldx_edge_to(e);
			printf("edge %d %d %lld\\\\n", from ? (int)ldx_block_id(from) : -1, to ? (int)ldx_block_id(to) : -1,
				(long long)ldx_edge_count(e));
		}
}
LDX_API const struct ldx_report ldx_report = {.version = LDX_REPORT_VERSION, .name = "prior", .summary = "a test",
	.tables = tables, .run = run};
""".replace("\\\\", "\\")


def edges(text):
    return sorted(line for line in text.splitlines() if line.startswith("edge "))


def known(lines):
    return {line for line in lines if line.split()[3] != "-1"}


def check(stage, work, cpu):
    cc = [cases.CPUS[cpu] + "-gcc"] if cases.CPUS[cpu] else ["gcc"]
    emulator = ["qemu-" + cpu] if cases.CPUS[cpu] else []
    link = cc + ["-O2", "-static", "prog.c", "-B" + stage + "/lib/ldx/bin", "-Wl,--ldx-tool=./prior.ldxtool", "-Wl,--ldx-strict"]
    unknown = cases.run(link + ["-o", "prog"], cwd=work).stderr
    cases.run(emulator + ["./prog"], cwd=work)
    want = edges(cases.run([stage + "/bin/ldxprof", "tool", "./prior.ldxtool", "prog"], cwd=work).stdout)
    said = cases.run(link + ["-o", "again", "-Wl,--ldx-use-profile=prog.ldxprof"], cwd=work).stderr
    os.unlink(work + "/prog.ldxprof")
    assert len(want) > 5 and not known(edges(unknown)), (want, unknown)
    got = known(edges(said))
    assert len(got) >= len(want) / 2 and got <= known(want), (cpu, want, got)


def main():
    stage, work = (os.path.abspath(a) for a in sys.argv[1:3])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    for name, text in (("prog.c", PROGRAM), ("prior.c", ASKS), ("prior-report.c", REPORT)):
        with open(work + "/" + name, "w") as f:
            f.write(text)
    cpus = [c for c in cases.CPUS if not cases.CPUS[c] or
            (shutil.which(cases.CPUS[c] + "-gcc") and shutil.which("qemu-" + c))]
    cases.run([stage + "/bin/ldxtool", "build", "prior"], cwd=work)
    for cpu in cpus:
        check(stage, work, cpu)


if __name__ == "__main__":
    main()
