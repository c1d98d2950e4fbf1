#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools and --ldx-only, --ldx-skip: testsuite/tools/selected.py STAGE WORK.  Nothing is inserted in functions that are not
selected: they have no blocks, edges or exits, requests at their entries are refused, and ldx-tool-calls(7) counts the
others as exactly."""
import json
import os
import re
import shutil
import sys

import run as cases

PROGRAM = """
__attribute__((noipa)) int skipped(int n) { return n + 1; }
__attribute__((noipa)) int kept(int n) { return skipped(n) + 1; }
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += kept(i) + skipped(i);
	return sum != 2 * 45 + 30;
}
"""
ASKS = """
#include <ldx/tool.h>
#include <stdio.h>
static void instrument(const ldx_object *o)
{
	const char *const names[] = {"skipped", "kept"};
	for (int k = 0; k < 2; k++) {
		const ldx_func *f = ldx_find_func(o, names[k]);
		int entry = ldx_add_to(ldx_at_entry(f), "entries", (size_t)k, 1);
		fprintf(stderr, "%s: %d %d %d %d %d %s\\n", names[k], !!ldx_next_block(f, NULL), !!ldx_next_edge(f, NULL),
			!!ldx_next_exit(f, NULL), entry, ldx_clock(f, "clock", 0),
			ldx_func_opaque(f) ? ldx_func_opaque(f) : "selected");
	}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "chosen", "a test", NULL, instrument};
"""
ROUTINES = """
#include <ldx/analysis.h>
LDX_THREAD uint64_t entries[2];
LDX_THREAD uint64_t clock[1];
"""


def length(work, cpu, cc, name):
    """The number of instructions of a function without branches."""
    cases.run(cc + ["-O1", "-c", "prog.c", "-o", "prog.o"], cwd=work)
    text = cases.run(["llvm-objdump-19", "-d", "--no-show-raw-insn", "--disassemble-symbols=" + name, "prog.o"], cwd=work).stdout
    return len([line for line in text.splitlines() if re.match(r"\s+[0-9a-f]+:", line)])


def check(stage, work, cpu):
    cc = [cases.CPUS[cpu] + "-gcc"] if cases.CPUS[cpu] else ["gcc"]
    emulator = ["qemu-" + cpu] if cases.CPUS[cpu] else []
    link = cc + ["-O1", "-static", "prog.c", "-o", "prog", "-B" + stage + "/lib/ldx/bin", "-Wl,--ldx-strict", "-Wl,--ldx-verify",
                 "-Wl,--ldx-skip=skipped"]
    said = cases.run(link + ["-Wl,--ldx-tool=./chosen.ldxtool"], cwd=work).stderr
    assert "skipped: 0 0 0 0 0 it is not selected" in said and "kept: 1 1 1 1 1 selected" in said, (cpu, said)
    cases.run(emulator + ["./prog"], cwd=work)
    assert cases.words(work + "/prog", "chosen", work + "/prog.ldxprof")["entries"][:2] == [0, 10], cpu
    os.unlink(work + "/prog.ldxprof")
    cases.run(link + ["-Wl,--ldx-tool=calls"], cwd=work)
    cases.run(emulator + ["./prog"], cwd=work)
    rows = json.loads(cases.run([stage + "/bin/ldxprof", "calls", "--top=0", "--format=json", "prog"], cwd=work).stdout)
    os.unlink(work + "/prog.ldxprof")
    calls = {r["callee"]: (r["calls"], r["inclusive_estimate"]) for r in rows if r["caller"] in ("main", "kept")}
    assert calls == {"skipped": (10, 0), "kept": (10, 10 * length(work, cpu, cc, "kept"))}, (cpu, calls)


def main():
    stage, work = (os.path.abspath(a) for a in sys.argv[1:3])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    for name, text in (("prog.c", PROGRAM), ("chosen.c", ASKS), ("chosen-routines.c", ROUTINES)):
        with open(work + "/" + name, "w") as f:
            f.write(text)
    cases.run([stage + "/bin/ldxtool", "build", "chosen"], cwd=work)
    for cpu, prefix in cases.CPUS.items():
        if not prefix or (shutil.which(prefix + "-gcc") and shutil.which("qemu-" + cpu)):
            check(stage, work, cpu)


if __name__ == "__main__":
    main()
