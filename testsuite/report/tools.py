#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do tools say of every instruction what QEMU, LLVM's objdump and valgrind say?

  tools.py STAGE [CPU...]

A static program is linked plainly and through ldx, for each CPU with a cross compiler.  QEMU runs the plain one
with the plugin of the oracle, which counts every instruction; objdump tells their mnemonics.  The counts, mnemonics
and classes of all instructions that ldx counts are compared for equality, also those of the C library, and then the
sums that opmix, dyninst and pixie tell.  On x86-64 lackey's trace is compared, too.  Beforehand known:

  rep      an emulator counts the rounds of a repeated string instruction, a processor and ldx one instruction: as
           many as of the one in front of it or behind it.
  no-op    no-ops that align code may have been replaced: all kinds of them are one.
  string   functions for strings take a path by addresses, which are others in the two programs.
  changed  ldx makes entries of jump tables larger, and inverts branches to make them longer; the linker makes
           direct calls of indirect ones in the plain program.
  store    an emulator makes stores that may fail (sc, stxr) by loading, comparing and storing.
  exit     lackey does not tell the block that ends the process.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "oracle"), os.path.join(HERE, "..")]
import oracle  # noqa: E402

SOURCE = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
__attribute__((noinline)) static int collatz(unsigned n)
{
	int steps = 0;
	for (; n != 1; steps++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}
int main(void)
{
	int v[300], sum = 0;
	char text[100];
	volatile double x = 1;
	for (int i = 0; i < 100; i++)
		sum += collatz(i + 1);
	for (int i = 0; i < 300; i++)
		v[i] = i * 7919 % 1009;
	qsort(v, 300, sizeof *v, compare);
	for (int i = 0; i < 20; i++)
		x = x * 1.5 + v[i];
	snprintf(text, sizeof text, "%d %s %g", sum, strchr("a text", 't'), x);
	char *more = malloc(1000);
	memset(more, 'x', 1000);
	memcpy(more + 100, text, strlen(text) + 1);
	return printf("%s %ld\n", more + 100, strtol("123456", NULL, 10)) < 0;
}
"""

# Tells all instructions.
EACH = r"""
#include <ldx/report.h>
static uint64_t class_of(const ldx_insn *i)
{
	return ldx_insn_class(i);
}
static const struct ldx_column columns[] = {
	{.name = "count", .kind = LDX_EXECUTED},
	{.name = "class", .kind = LDX_FACT, .value = class_of},
	{.name = "mnemonic", .kind = LDX_NAME, .text = ldx_insn_mnemonic},
	{0},
};
static const struct ldx_table insns = {.name = "insns", .rows = LDX_ROWS_INSNS, .columns = columns, .sort = LDX_UNSORTED};
static const struct ldx_table *const tables[] = {&insns, 0};
LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION, .name = "each", .summary = "each instruction", .tables = tables};
"""

CLASSES = {name: 1 << n for n, name in enumerate("loads stores jumps branches calls returns indirect syscalls strings nops unknown".split())}


STRINGS = re.compile("_*(str|stp|mem|raw|wcs|wmem)")


class Cpu:
    """How its tools begin, and what its mnemonics do.  changed: pairs of mnemonics, one of which may stand for the other."""

    def __init__(self, tools, nops="nop", changed="", **kinds):
        self.tools, self.nops, self.kinds = tools, re.compile("(%s)$" % nops), kinds
        self.changed = [set(pair.split("/")) for pair in changed.split()]

    def nop(self, mnemonic):
        return "nop" if self.nops.match(mnemonic) else mnemonic

    def classes(self, text):
        return {kind for kind, pattern in self.kinds.items() if re.match(pattern, text)}


MIPS = {"changed": "jalr/bal jr/b", "branches": r"b(?!al|reak|itswap|\s)[a-z0-9.]*\s", "jumps": r"(j|b|jr)\s(?!\$ra)", "calls": r"(jal|jalr|bal|bgezal|bltzal)\s", "returns": r"jr\s+\$ra",
        "syscalls": "syscall"}
CPUS = {
    "x86_64": Cpu("", nops=r"(data16 |cs )*nop[wl]?|xchgw|data16", branches=r"j(?!mp)|loop", jumps="jmp|notrack jmp", calls="call|notrack call",
                  returns="(rep )?ret", syscalls="syscall"),
    "aarch64": Cpu("aarch64-linux-gnu-", changed="ldrsw/ldrb ldrsw/ldrh", branches=r"b\.|cbn?z|tbn?z", jumps=r"(b|br)\s", calls=r"blr?\s",
                   returns="ret", syscalls="svc"),
    "riscv64": Cpu("riscv64-linux-gnu-", changed="beq/bne beqz/bnez blt/bge bltz/bgez bltu/bgeu bgtz/blez", branches="b(eq|ne|lt|ge|gt|le)", jumps=r"(j|jr)\s", calls=r"(jal|jalr)\s", returns="ret", syscalls="ecall"),
    "mips": Cpu("mips-linux-gnu-", **MIPS),
    "mipsel": Cpu("mipsel-linux-gnu-", **MIPS),
    "mips64el": Cpu("mips64el-linux-gnuabi64-", **MIPS),
}


def out(*args, **more):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


class Test:
    def __init__(self, stage, name):
        self.stage, self.name, self.cpu, self.bad = stage, name, CPUS[name], 0
        self.env = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
        bindir = out(stage + "/bin/ldx", "--ldx-print=bindir").strip()
        for folder, flags in ("plain", []), ("count", ["-B" + bindir]):
            os.makedirs(folder)
            out(self.cpu.tools + "gcc", "-static", "-Wl,--no-relax", *flags, self.object(), "-lm", "-o", folder + "/prog")
        self.elf = oracle.Elf("plain/prog")
        self.text = collections.defaultdict(lambda: ("nop", "nop"), self.disassembled())  # it leaves out runs of zeros

    def object(self):
        with open("main.c", "w") as f:
            f.write(SOURCE)
        out(self.cpu.tools + "gcc", "-O2", "-g", "-c", "main.c", "-o", "main.o")
        return "main.o"

    def disassembled(self):
        """(address, (mnemonic, all)) of the plain program."""
        text = out("llvm-objdump-19", "-d", "--no-show-raw-insn", "--mattr=+all" if self.name == "aarch64" else "--mattr=", "plain/prog")
        prefix = None
        for a, t in re.findall(r"^ *([0-9a-f]+): *\t(.*?)(?: <\S+>)?$", text, re.M):
            parts = t.strip().split("\t")
            mnemonic = parts[0] if len(parts) < 3 or parts[1] else parts[0] + " " + parts[2]
            if prefix is not None:  # objdump tells some prefixes as instructions
                a, mnemonic, prefix = prefix[0], prefix[1] + " " + mnemonic, None
            elif t.strip() in ("lock", "rep", "repne", "notrack", "data16", "xacquire", "xrelease", "bnd"):
                prefix = a, mnemonic
                continue
            yield int(a, 16), (mnemonic, mnemonic + " " + "\t".join(parts[1:]) + " ")

    def check(self, what, differences, n):
        print("%s: %s: %d compared, %d differ" % (self.name, what, n, len(differences)))
        for d in differences[:20]:
            print("  ", d)
        self.bad += bool(differences) or not n

    def tool(self, name, table):
        done = subprocess.run([self.stage + "/bin/ldxprof", "tool", name, "--format=json", "--table=" + table, "--no-demangle", "count/prog"],
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return json.loads(done.stdout)[table]

    def rows(self):
        """[(address in the plain program, its function, row of the tool)] for each instruction."""
        at = collections.defaultdict(set)
        for address, size, name in self.elf.functions():
            at[name].add(address)
        rows = []
        for r in self.tool("./each.so", "insns"):
            function, offset = r["place"].rsplit("+", 1)
            if len(at[function]) == 1:  # of functions with one name it is not known which is which
                rows.append((min(at[function]) + int(offset, 16), function, r))
        return rows

    def run(self, *command):
        if os.path.exists("count/prog.ldxprof"):
            os.remove("count/prog.ldxprof")
        subprocess.run([*command, "./prog"], cwd="count", env=self.env, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def is_same(self, address, mine, theirs):
        """Are these counts of one instruction the same?"""
        if self.name == "x86_64" and self.elf.is_rep(address):
            order = self.order
            beside = [order[i] for i in (order.index(address) - 1, order.index(address) + 1)]
            return mine in [self.counts.get(a, 0) for a in beside]
        return mine == theirs

    def compare_counts(self, rows, what):
        self.order = sorted(self.text)
        mine = collections.Counter()
        for address, function, r in rows:
            if not STRINGS.match(function):
                mine[address] += r["count"]
        replaced = {address for address, _, r in rows if r["instruction"] == "nop"}
        wrong = [("%x" % a, self.text.get(a), n, self.counts.get(a, 0)) for a, n in sorted(mine.items())
                 if a not in replaced and not self.is_same(a, n, self.counts.get(a, 0))]
        self.check(what, wrong, len(mine))

    def compare_mnemonics(self, rows):
        wrong = []
        for a, _, r in rows:
            mine, theirs = r["mnemonic"], self.text[a][0]
            if self.cpu.nop(mine) != "nop" and mine != theirs and {mine, theirs} not in self.cpu.changed:
                wrong.append((r["place"], mine, self.text.get(a)))
        self.check("mnemonics", wrong, len(rows))

    def compare_classes(self, rows):
        wrong, pair = [], set()
        for a, _, r in rows:
            mine = {kind for kind in self.cpu.kinds if r["class"] & CLASSES[kind]}
            theirs = self.cpu.classes(self.text[a][1]) if r["mnemonic"] != "nop" else set()
            if mine == {"calls"} and r["mnemonic"] == "auipc" or mine == {"jumps"} and r["mnemonic"] == "auipc":
                mine, pair = set(), mine  # stands for the jalr behind it, too
            elif self.text[a][1].startswith(("jalr", "jr")) and pair:
                mine, pair = pair, set()
            if mine != theirs:
                wrong.append((r["place"], self.text[a], mine, theirs))
        self.check("classes", wrong, len(rows))

    def compare_accesses(self, rows):
        """Loads and stores are the instructions that have accessed memory."""
        wrong = []
        for a, function, r in rows:
            mine = [bool(r["class"] & CLASSES[kind]) for kind in ("loads", "stores")]
            theirs = [n > 0 for n in self.counts.memory.get(a, (0, 0))]
            if re.match(r"(sc|stl?xr)\b", self.text[a][0]):
                theirs[0] = False
            if self.counts.get(a) and mine != theirs:
                wrong.append((r["place"], self.text[a], mine, theirs))
        self.check("loads and stores", wrong, len(rows))

    def compare_sums(self):
        """The tools' sums are those over all instructions."""
        rows = self.tool("./each.so", "insns")
        opcodes = collections.Counter()
        for r in rows:
            opcodes[r["mnemonic"]] += r["count"]
        told = {r["opcode"]: r["executed"] for r in self.tool("opmix", "opcodes") if r["executed"]}
        self.check("opmix", sorted(set(told.items()) ^ set((+opcodes).items())), len(told))
        total, = self.tool("dyninst", "total")
        expected = {kind: sum(r["count"] for r in rows if r["class"] & bit) for kind, bit in CLASSES.items() if kind in total}
        expected["instructions"] = sum(r["count"] for r in rows)
        self.check("dyninst", [(k, total[k], n) for k, n in expected.items() if total[k] != n], len(expected))
        for name in "pixie", "prof", "iprof":
            n = sum(r["instructions"] or 0 for r in self.tool(name, "functions"))
            self.check(name, [n] if n != expected["instructions"] else [], 1)

    def compare_calls(self):
        """Calls in main by inline are those at the instructions that call."""
        mine = sum(r["calls"] for r in self.tool("inline", "sites") if r["caller"] == "main")
        (low, size), = [f[:2] for f in self.elf.functions() if f[2] == "main"]
        theirs = sum(n for a, n in self.counts.items() if low <= a < low + size and "calls" in self.cpu.classes(self.text[a][1]))
        self.check("inline", [(mine, theirs)] if mine != theirs else [], theirs)

    def compare_lackey(self):
        """Counts by lackey's trace of the plain program; the other one runs under lackey as well."""
        subprocess.run(["valgrind", "--tool=lackey", "--trace-mem=yes", "--vex-guest-chase=no", "--log-file=../trace", "./prog"], cwd="plain", env=self.env,
                       check=True, stdout=subprocess.PIPE)
        self.run("valgrind", "-q", "--tool=lackey")
        self.counts = oracle.Counts()
        with open("trace") as f:
            for line in f:
                if line.startswith("I "):
                    at = int(line[2:].split(",")[0], 16)
                    self.counts[at] = self.counts.get(at, 0) + 1
                elif line[:2] in (" L", " S", " M"):  # M: modify, both
                    loads, stores = self.counts.memory.get(at, (0, 0))
                    self.counts.memory[at] = loads + (line[1] != "S"), stores + (line[1] != "L")
        rows = [r for r in self.rows() if r[1] != "_exit"]
        self.compare_counts(rows, "lackey's counts")
        self.compare_accesses(rows)

    def all(self):
        self.counts = oracle.count(["plain/prog"], memory=True, env=self.env, stdout=subprocess.PIPE)[1]
        self.run(*oracle.qemu_command(self.elf))
        rows = self.rows()
        self.compare_counts(rows, "counts")
        self.compare_mnemonics(rows)
        self.compare_classes(rows)
        self.compare_accesses(rows)
        self.compare_sums()
        self.compare_calls()
        if self.name == "x86_64" and shutil.which("valgrind"):
            self.compare_lackey()
        return not self.bad


def build_each(stage):
    with open("each.c", "w") as f:
        f.write(EACH)
    out("gcc", "-shared", "-fPIC", "-I" + stage + "/include", "each.c", "-o", "each.so")


def main():
    stage = os.path.abspath(sys.argv[1])
    good, skipped = True, []
    for name in sys.argv[2:] or CPUS:
        cpu = CPUS[name]
        qemu = "qemu-" + name
        if not all(shutil.which(x) for x in (cpu.tools + "gcc", qemu, "llvm-objdump-19")):
            skipped.append(name)
            continue
        with tempfile.TemporaryDirectory() as work:
            os.chdir(work)
            build_each(stage)
            good &= Test(stage, name).all()
            os.chdir("/")
    if skipped:
        print("tools: not tested: " + ", ".join(skipped))
    return 1 if not good else 77 if len(skipped) == len(CPUS) else 0


if __name__ == "__main__":
    sys.exit(main())
