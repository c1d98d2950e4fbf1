#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool order: testsuite/tools/order.py STAGE WORK.  The order of first executions in a static program is that in
which qemu-user first translates code of functions of the plain one; lld and gold accept the files."""
import os
import re
import shutil
import subprocess
import sys

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define F(n) __attribute__((noinline)) int f##n(int x) { __asm__ volatile(""); return x + n; }
F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8)
int (*volatile table[])(int) = {f3, f1, f4, f1, f5, f2, f6};
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	int v[] = {3, 1, 2}, sum = 0;
	for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
		sum += table[i]((int)i);
	qsort(v, 3, sizeof *v, compare);
	char *s = strdup("text");
	printf("%d %d %s %g\\n", sum, v[0], s, 1.5);
	free(s);
	return f8(-8);
}
"""


def run(argv, work, **env):
    r = subprocess.run(argv, cwd=work, capture_output=True, text=True, errors="replace", env=dict(os.environ, **env))
    assert not r.returncode, (argv, r.stderr)
    return r.stdout


def main():
    stage, work = (os.path.abspath(a) for a in sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    with open(work + "/prog.c", "w") as f:
        f.write(PROGRAM)
    emulator = shutil.which("qemu-x86_64")
    cc = ["gcc", "-O1", "-ffunction-sections", "-fno-ipa-icf", "prog.c"]
    run(cc + ["-static", "-o", "plain"], work)
    run(cc + ["-static", "-o", "prog", "-B" + stage + "/lib/ldx/bin", "-Wl,--instrument=none", "-Wl,--ldx-tool=order",
              "-Wl,--ldx-strict", "-Wl,--ldx-verify"], work)
    run(([emulator] if emulator else []) + ["./prog"], work)
    order = run([stage + "/bin/ldxprof", "tool", "order", "prog"], work).split()
    own = [n for n in order if re.match(r"f\d$|main$|compare$", n)]
    assert own == ["main", "f3", "f1", "f4", "f5", "f2", "f6", "compare", "f8"], own
    if emulator:
        run([emulator, "-d", "in_asm", "-D", "log", "./plain"], work)
        with open(work + "/log") as f:
            want = list(dict.fromkeys(re.findall(r"^IN: (\S+)$", f.read(), re.M)))
        both = set(order) & set(want)
        assert len(both) > 50, len(both)
        got, want = [n for n in order if n in both], [n for n in want if n in both]
        assert got == want, [p for p in zip(got, want) if p[0] != p[1]][:5]
    for linker, option in (("lld", "--symbol-ordering-file"), ("gold", "--section-ordering-file")):
        files = run([stage + "/bin/ldxprof", "tool", "order", "--linker=" + linker, "prog"], work)
        with open(work + "/" + linker, "w") as f:
            f.write(files)
        if not shutil.which("ld." + linker):
            continue
        quiet = ["-Wl,--no-warn-symbol-ordering"] if linker == "lld" else []
        run(cc + ["-fuse-ld=" + linker, "-Wl,%s=%s" % (option, linker), "-o", "ordered"] + quiet, work)
        names = [n for n in re.findall(r" [tT] (\w+)$", run(["nm", "-n", "ordered"], work), re.M) if n in own]
        assert names == own, (linker, names)
    print("order: %d functions" % len(order))


if __name__ == "__main__":
    main()
