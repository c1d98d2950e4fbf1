#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool branch: testsuite/tools/branch.py STAGE WORK.  Predictor `shared' equals valgrind's cachegrind, function by function;
predictor `own' equals a model of branches whose directions are known, on several CPUs.

The program has no C library, as cachegrind sees all code that runs and the tool only what ldx links.  --vex-guest-chase=no:
otherwise valgrind takes two branches of one condition for one.
"""
import collections
import os
import re
import shutil
import subprocess
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
import run as runner

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "branch.c")


def run(argv, work, status=0):
    r = subprocess.run(argv, cwd=work, capture_output=True, text=True)
    assert r.returncode == status, (argv, r.returncode, r.stderr)
    return r.stdout


def tables(stage, work, prog):
    """[[row of the table of functions], [row of that of branches]]"""
    out = run([stage + "/bin/ldxprof", "tool", "branch", "--format=tsv", prog], work).splitlines()
    found = []
    for line in out:
        if "function\tbranches" in line:
            found.append([])
        elif line.count("\t") >= 4:
            found[-1].append(line.split("\t"))
    return found


def cachegrind(work):
    """{function: (conditional branches, wrongly predicted)}"""
    run(["valgrind", "--tool=cachegrind", "--branch-sim=yes", "--cache-sim=no", "--vex-guest-chase=no",
         "--cachegrind-out-file=cg.out", "./plain"], work, 24)
    found, name = collections.defaultdict(lambda: (0, 0)), None
    for line in open(work + "/cg.out"):
        if line.startswith("events:"):
            assert line.split()[1:4] == ["Ir", "Bc", "Bcm"], line
        elif line.startswith("fn="):
            name = line[3:].strip()
        elif line[0].isdigit():
            n = line.split()
            found[name] = (found[name][0] + int(n[2]), found[name][1] + int(n[3]))
    return {f: n for f, n in found.items() if n[0]}


def model(taken):
    counter = wrong = 0
    for t in taken:
        wrong += (counter > 1) != t
        counter = min(counter + 1, 3) if t else max(counter - 1, 0)
    return wrong


def bits():
    """The directions of known()'s branch in branch.c."""
    x = 1
    for _ in range(2000):
        x = (x * 1103515245 + 12345) & 0xffffffff
        yield bool(x >> 20 & 3)


def check_own(stage, work, cpu):
    cross = runner.CPUS[cpu]
    run([cross + "-gcc" if cross else "gcc", "-O1", "-DHOSTED", "-B" + stage + "/lib/ldx/bin", SOURCE, "-o", cpu,
         "-Wl,--ldx-tool=branch", "-Wl,--ldx-strict", "-Wl,--ldx-verify"] + ([] if cross else ["-static"]), work)
    run((["qemu-" + cpu, "-L", "/usr/" + cross] if cross else []) + ["./" + cpu], work, 24)
    seen = [tuple(int(n) for n in row[1:3]) for row in tables(stage, work, cpu)[1] if row[0] == "known"]
    taken = list(bits())
    known = {(2000, model(taken)), (2000, model([not t for t in taken]))}
    loop = {(2000, 1), (2000, 3), (2001, 1), (2001, 3), (2000, 2), (2001, 2)}
    assert len(seen) == 2 and any(n in known for n in seen) and any(n in loop for n in seen), (cpu, seen, known)


def main():
    stage, work = (os.path.abspath(a) for a in sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    for cpu in ("x86_64", "aarch64", "riscv64", "mips"):
        if not runner.CPUS[cpu] or shutil.which(runner.CPUS[cpu] + "-gcc") and shutil.which("qemu-" + cpu):
            check_own(stage, work, cpu)
    if not shutil.which("valgrind"):
        return 77
    cc = ["gcc", "-O2", "-ffreestanding", "-nostdlib", "-static", "-fno-stack-protector", SOURCE]
    run(cc + ["-o", "plain"], work)
    with open(work + "/plain.nm", "w") as f:
        f.write(run(["nm", "plain"], work))
    run(cc + ["-o", "prog", "-B" + stage + "/lib/ldx/bin", "-Wl,--ldx-tool=branch:predictor=shared:plain=plain.nm",
              "-Wl,--ldx-strict", "-Wl,--ldx-verify"], work)
    run(["./prog"], work, 24)
    seen = {row[0]: (int(row[1]), int(row[2])) for row in tables(stage, work, "prog")[0]}
    want = cachegrind(work)
    assert seen == want and sum(n for n, _ in want.values()) > 500000, (seen, want)
    print("%d branches, %d wrong" % tuple(map(sum, zip(*seen.values()))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
