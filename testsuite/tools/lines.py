#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines of instructions in the link are those that ldxprof finds: testsuite/tools/lines.py STAGE WORK"""
import collections
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from run import CPUS, Failed, run

COMMON = r"""
#include <stdio.h>
#include <string.h>
static void show(const ldx_object *o, FILE *to)
{
	const char *file;
	unsigned line, k;
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
			k = 0;
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i)); k++)
				if (ldx_insn_line(i, &file, &line))
					fprintf(to, "%u %u %s:%u\n", ldx_block_id(b), k, file, line);
				else
					fprintf(to, "%u %u\n", ldx_block_id(b), k);
		}
}
"""
ASKS = "#include <ldx/tool.h>\n" + COMMON + r"""
static const struct ldx_option options[] = {{"file", "FILE", "", "where"}, {0}};
static void instrument(const ldx_object *o)
{
	FILE *to = fopen(ldx_option("file"), "w");
	show(o, to);
	fclose(to);
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "lines", "a test", options, instrument};
"""
REPORT = "#include <ldx/report.h>\n" + COMMON + r"""
static const struct ldx_option options[] = {{"file", "FILE", "", "where"}, {0}};
static void run(void)
{
	FILE *to = fopen(ldx_option("file"), "w");
	show(ldx_next_object(NULL), to);
	fclose(to);
}
static const struct ldx_table *const tables[] = {0};
LDX_API const struct ldx_report ldx_report = {.version = LDX_REPORT_VERSION, .name = "lines",
	.summary = "a test", .options = options, .tables = tables, .run = run};
"""
HEADER = r"""
template <class T> __attribute__((noinline)) T most(T *v, int n)
{
	T best = v[0];
	for (int i = 1; i < n; i++)
		best = v[i] > best ? v[i] : best;
	return best;
}
static inline int small(int n)
{
	if (n > 3)
		n = n * n;
	return n ^ 5;
}
"""
FIRST = r"""
#include "sub/most.h"
#include <stdio.h>
int other(int *v, int n);
static int twice(int n) { return small(n) + small(n + 1); }
__attribute__((used)) static int unused(int n)
{
	return n;
}
int main(int argc, char **argv)
{
	int v[] = {argc, 7, 3, argc * 4};
	try {
		printf("%d %d\n", twice(argc), other(v, 4) + most(v, 4));
		if (argc > 1)
			throw argc;
	} catch (int n) {
		puts(argv[n - 1]);
	}
	return 0;
}
"""
SECOND = r"""
#include "sub/../sub/most.h"
int other(int *v, int n)
{
	long w[3] = {v[0], v[1], n};
	return (int)most(w, 3) + most(v, n) + small(n);
}
"""


def read(path, work):
    """Before DWARF 5, line tables have not the compiler's folder."""
    with open(path) as f:
        lines = [line.split() for line in f]
    return {tuple(words[:2]): [os.path.join(work, w) for w in words[2:]] for words in lines}


def check(stage, work, cpu, flags):
    cxx = CPUS[cpu] + "-g++" if CPUS[cpu] else "g++"
    prog, linked, shown = ("%s/%s%s%s" % (work, cpu, "".join(flags), end) for end in ("", ".linked", ".shown"))
    for name in ("first", "second"):
        run([cxx, "-c", name + ".cpp", "-o", "%s-%s.o" % (cpu, name)] + flags, cwd=work)
    run([cxx, "%s-first.o" % cpu, "%s-second.o" % cpu, "-o", prog, "-B" + stage + "/lib/ldx/bin", "-Wl,--ldx-strict", "-Wl,--gc-sections",
         "-Wl,--ldx-tool=./lines.ldxtool:file=" + linked], cwd=work)
    run((["qemu-" + cpu, "-L", "/usr/" + CPUS[cpu]] if CPUS[cpu] else []) + [prog], cwd=work)
    run([stage + "/bin/ldxprof", "tool", "./lines.ldxtool", "--file=" + shown, prog], cwd=work)
    linked, shown = read(linked, work), read(shown, work)
    # linkers remove instructions; a branch and its delay slot, or the two of a call, are one in the link
    size = [collections.Counter(block for block, insn in lines) for lines in (linked, shown)]
    same = [k for k in shown if k[1] == "0" or size[0][k[0]] == size[1][k[0]]]
    wrong = [(k, linked.get(k), shown[k]) for k in same if shown[k] != linked.get(k)]
    if wrong or len(same) < 20:
        raise Failed("%s: %d of %d lines differ, as of %s" % (prog, len(wrong), len(shown), wrong[:8]))
    known = {v[0] for v in linked.values() if v}
    for file, n in (("sub/most.h", 4), ("first.cpp", 9), ("second.cpp", 2)):
        found = {k for k in known if k.startswith("%s/%s:" % (work, file))}
        if len(found) < n:
            raise Failed("%s: only %s of %s" % (prog, sorted(found), file))


def main():
    stage, work = (os.path.abspath(a) for a in sys.argv[1:3])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work + "/sub")
    for name, text in (("lines.c", ASKS), ("lines-report.c", REPORT), ("sub/most.h", HEADER), ("first.cpp", FIRST), ("second.cpp", SECOND)):
        with open("%s/%s" % (work, name), "w") as f:
            f.write(text)
    cpus = [c for c, t in CPUS.items() if not t or (shutil.which(t + "-g++") and shutil.which("qemu-" + c))]
    try:
        run([stage + "/bin/ldxtool", "build", "lines"], cwd=work)
        for cpu in cpus:
            check(stage, work, cpu, ["-g", "-O1"])
        check(stage, work, "x86_64", ["-gdwarf-4", "-O2", "-ffunction-sections"])
        check(stage, work, "x86_64", ["-gdwarf-5", "-O0", "-gz"])
        check(stage, work, "x86_64", ["-g", "-gsplit-dwarf", "-O2"])
    except Failed as e:
        print("FAIL lines", e)
        return 1
    print("lines: passed on " + " ".join(cpus))
    return 0


if __name__ == "__main__":
    sys.exit(main())
