#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of other CPUs: what ldxprof tells of them, compared with a program of this machine and with objdump.

  targets.py STAGE

At -O0 the same source has the same counts of lines and calls on every CPU.  At -O2 the instructions are those at the
addresses where objdump has them, with the same functions as targets.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = """
#include <stdio.h>
__attribute__((noinline)) int collatz(unsigned n)
{
	int steps = 0;
	while (n != 1) {
		n = n % 2 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}
__attribute__((noinline)) const char *kind(int x)
{
	switch (x % 7) {
	case 0: return "zero";
	case 1: return "one";
	case 2: return "two";
	case 3: return "three";
	case 4: return "four";
	case 5: return "five";
	default: return "more";
	}
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += *kind(collatz(i + 1));
	return printf("%d\\n", sum) < 0;
}
"""
CPUS = {"": [], "aarch64-linux-gnu-": ["qemu-aarch64"], "mips-linux-gnu-": ["qemu-mips"],
        "mipsel-linux-gnu-": ["qemu-mipsel"]}
FUNCTIONS = "collatz", "kind", "main"


def out(*args, **more):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


class Cpu:
    def __init__(self, stage, tools, run):
        self.ldxprof, self.tools, self.run = os.path.join(stage, "bin", "ldxprof"), tools, run
        self.bindir = out(os.path.join(stage, "bin", "ldx"), "--ldx-print=bindir").strip()

    def link(self, prog, *flags):
        out(self.tools + "gcc", "-g", "-B" + self.bindir, *flags, "main.c", "-o", prog)
        out(*self.run, "./" + prog)
        return prog

    def prof(self, *args):
        return out(self.ldxprof, *args)

    def lines(self, prog):
        """Of main.c: (line, count)."""
        return re.findall(r"^DA:(\d+),(\d+)", self.prof("coverage", "--format=lcov", "--filter=file:main.c", prog), re.M)

    def calls(self, prog):
        text = self.prof("calls", "--top=0", "--width=0", prog)
        found = re.findall(r"^ *(\d+) +\S+ +(\w+) +(\w+)$", text, re.M)
        return sorted(x for x in found if x[1] in FUNCTIONS and x[2] in FUNCTIONS)


def check(good, what, *more):
    if not good:
        sys.exit("targets: " + what + "".join("\n" + str(x) for x in more))


def check_assembly(cpu, prog):
    dump = {}
    for address, text in re.findall(r"^ *([0-9a-f]+):\t(.*)$", out(cpu.tools + "objdump", "-d", "--no-show-raw-insn", prog), re.M):
        dump[int(address, 16)] = text
    for f in FUNCTIONS:
        found = re.findall(r"^ *\d+ +([0-9a-f]+):  (.*)$", cpu.prof("annotate", "--asm", f, prog), re.M)
        check(len(found) > 5, "%s has %d instructions" % (f, len(found)))
        for address, text in found:
            theirs = dump.get(int(address, 16))
            check(theirs is not None, "%s: no instruction at %s: %s" % (f, address, text))
            called = re.search(r"<(%s)>" % "|".join(FUNCTIONS), theirs)
            if called and re.match(r"call|jal|bal|bl\b", theirs):
                check(text.endswith(" " + called.group(1)), "a call of another function", address, text, theirs)
            check("cannot be shown" not in text, "an instruction without text at " + address, theirs)
    whole = cpu.prof("annotate", "--asm", "collatz", prog)
    check(re.search(r"\[taken \d+ of \d{3,}, [\d.]+%\]", whole), "no share of a branch", whole)


def check_cpu(stage, tools, run, expected):
    cpu = Cpu(stage, tools, run)
    static = [] if not tools else ["-static"]
    prog = cpu.link("plain", "-O0", *static)
    found = cpu.lines(prog), cpu.calls(prog)
    check(len(found[0]) > 15 and len(found[1]) == 2, "too few lines or calls", *found)
    check(not expected or found == expected, tools + ": counts differ", found, expected)
    prog = cpu.link("fast", "-O2", *static)
    check_assembly(cpu, prog)
    cpu.prof("html", "-o", "page.html", prog)
    check(os.path.getsize("page.html") > 10000, "an empty page")
    return found


def main():
    stage = os.path.abspath(sys.argv[1])
    missing = [x for tools, run in CPUS.items() for x in [tools + "gcc", *run] if not shutil.which(x)]
    if missing:
        print("targets: not tested without " + ", ".join(missing))
        return 77
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        with open("main.c", "w") as f:
            f.write(SOURCE)
        expected = None
        for tools, run in CPUS.items():
            expected = check_cpu(stage, tools, run, expected)
            for name in os.listdir():
                if name != "main.c":
                    os.remove(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
