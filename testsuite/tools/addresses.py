#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Addresses of accesses compared with an emulator's: testsuite/tools/addresses.py STAGE WORK [CPU...]

Calls of a routine in front of all instructions of a static program with its C library that access memory add up the addresses
of each one's first access, and count how often conditional branches will be taken.  QEMU with a plugin does it for the same
instructions in the same run.  All sums must be equal but those of instructions that access memory in several rounds, or perhaps
not.  Exit status: 0 passed, 1 failed, 77 skipped.
"""
import collections
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(HERE, "../oracle")]
import oracle
import run

# Else the linker turns loads from the GOT into what loads nothing, and deletes instructions.
MORE = {"x86_64": ["-Wl,--no-relax"], "riscv64": ["-Wl,--no-relax"]}
SOURCE = os.path.join(HERE, "addresses.c")


def places(stage, prog, tool):
    """{(block, instruction of it): (address, size)}"""
    out = run.run([stage + "/bin/ldxprof", "tool", tool, prog, "--format=tsv"]).stdout.splitlines()
    names = next(line for line in out if "address" in line).lstrip("#").strip().split("\t")
    columns = [names.index(c) for c in ("block", "k", "address", "size")]
    rows = [line.split("\t") for line in out if line.count("\t") + 1 >= len(names)]
    found = [[row[c] for c in columns] for row in rows]
    return {(int(b), int(k)): (int(a, 16), int(n)) for b, k, a, n in found if b.isdigit()}


def is_replaced(cpu, prog, at):
    """Has the linker made mov of a constant of it, as the symbol is weak and undefined?"""
    elf = oracle.Elf(prog)
    start, offset = next((p[3], p[2]) for p in elf.segments if p[0] == 1 and p[3] <= at < p[3] + p[5])
    code = open(prog, "rb").read()[at - start + offset:][:4]
    if cpu == "x86_64":
        return code[1] == 0xc7 and code[2] >= 0xc0
    return cpu.startswith("mips") and int.from_bytes(code, "big" if cpu == "mips" else "little") >> 21 == 9 << 5  # li


def check(stage, work, cpu):
    cc = [run.CPUS[cpu] + "-gcc"] if run.CPUS[cpu] else ["gcc"]
    prog, tool = "%s/%s" % (work, cpu), work + "/addresses.ldxtool"
    said = run.run(cc + ["-O2", "-static", "-B" + stage + "/lib/ldx/bin", SOURCE, "-o", prog, "-lm", "-Wl,--instrument=blocks",
                         "-Wl,--ldx-verify", "-Wl,--ldx-tool=" + tool] + MORE.get(cpu, []), cwd=work).stderr
    asked, refused = [], collections.Counter()
    for line in said.splitlines():
        if line.startswith(("access ", "branch ")):
            what, number, block, k, plain, why = line.split(" ", 5)
            if why:
                refused[why] += 1
            else:
                asked.append((what, int(number), (int(block), int(k)), plain == "1"))
    done, counts = oracle.count([prog], addresses=True, ways=True, capture_output=True, text=True)
    if done.returncode:
        raise run.Failed("%s: status %d\n%s" % (prog, done.returncode, done.stderr))
    taken = collections.defaultdict(dict)
    for (start, to), n in counts.ways.items():
        taken[start][to] = n
    seen, where = run.words(prog, "addresses", prog + ".ldxprof"), places(stage, prog, tool)
    compared, bad, slot = collections.Counter(), [], 4 if cpu.startswith("mips") else 0
    for what, number, place, plain in asked:
        n, total = seen["counts"][number], seen["sums"][number]
        if not plain or not n:
            continue
        if place not in where:
            raise run.Failed("%s: instruction %d of block %d is not known" % (prog, place[1], place[0]))
        at, size = where[place]
        size = 2 * slot or size  # of branches
        if what == "branch":
            emulated = (n, sum(m for to, m in taken[at + slot].items() if to != at + size))
            # a branch that no longer reaches leads over a jump to its target, perhaps
            if cpu != "x86_64" and set(taken[at + slot]) <= {at + size, at + size + 4, at + size + 8} and emulated[1] != total:
                emulated = (n, n - emulated[1])
        else:
            emulated = counts.addresses.get(at) or counts.addresses.get(at + slot, (0, 0))
            if emulated == (0, 0) and is_replaced(cpu, prog, at):
                continue
        compared[what] += 1
        if emulated != (n, total):
            bad.append("%s 0x%x: %d times, sum 0x%x; emulated %d, sum 0x%x" % ((what, at, n, total) + emulated))
    print("%s: %d asked for, %d accesses and %d branches executed and compared, %d differ; refused: %s" %
          (cpu, len(asked), compared["access"], compared["branch"], len(bad),
           ", ".join("%d %s" % (n, w) for w, n in refused.most_common()) or "none"))
    if bad or min(compared["access"], compared["branch"]) < 500:
        raise run.Failed("\n".join(bad[:20]))


def main():
    stage, work = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    cpus = [c for c in sys.argv[3:] or run.CPUS
            if shutil.which("qemu-" + c) and (not run.CPUS[c] or shutil.which(run.CPUS[c] + "-gcc"))]
    if not cpus:
        return 77
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    for part, macro in (("", "ASKS"), ("-routines", "ROUTINES"), ("-report", "REPORT")):
        with open("%s/addresses%s.c" % (work, part), "w") as f:
            f.write('#define %s\n#include "%s"\n' % (macro, SOURCE))
    try:
        run.run([stage + "/bin/ldxtool", "build", "addresses", "--cpu=" + ",".join(cpus)], cwd=work)
        for cpu in cpus:
            check(stage, work, cpu)
    except (run.Failed, subprocess.TimeoutExpired) as e:
        print("FAIL", e)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
