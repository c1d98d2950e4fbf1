#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compared.py: a comparison with the oracle that leaves out blocks of a program fails.

A program is compared as cases are, whole and then with a map or counts that lack something.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import exact  # noqa: E402
import ldxmap  # noqa: E402
import oracle  # noqa: E402

SOURCE = r"""
__attribute__((noinline)) int f(int x) { return x & 1 ? x * 3 : x / 5; }
int main(int c, char **v) { int s = 0; for (int i = 0; i < 9 + c; i++) s += f(i); (void)v; return s == 61; }
"""
OWN = {"f", "main"}


class Lacking(ldxmap.Map):
    """A map in which functions are cut short."""

    def __init__(self, elf):
        super().__init__(elf)
        for f in self.funcs:
            self.cut(f)
        self.funcs = [f for f in self.funcs if f.blocks is not None]

    def cut(self, f):
        pass


class NoBlock(Lacking):
    def cut(self, f):
        if f.name == "f":
            del f.blocks[1]


class NoLast(Lacking):
    def cut(self, f):
        if f.name == "f":
            del f.blocks[-1]


class NoFunction(Lacking):
    def cut(self, f):
        if f.name == "f":
            f.blocks = None


def build(stage, tmp):
    with open(tmp + "/t.c", "w") as f:
        f.write(SOURCE)
    bindir = subprocess.check_output([stage + "/bin/ldx", "--ldx-print=bindir"], text=True).strip()
    for how, flags in (("null", "-Wl,--instrument=none,--ldx-map"), ("blocks", "-Wl,--instrument=blocks")):
        subprocess.run(["gcc", "-O1", "-B" + bindir, flags, tmp + "/t.c", "-o", "%s/%s" % (tmp, how)], check=True)
    subprocess.run([tmp + "/blocks"], env=dict(os.environ, LDX_PROFILE_FILE=tmp + "/profile"))


def compared(tmp, seen):
    """What exact.py says of it: what is left out, and the numbers or what is wrong."""
    left = "; ".join(exact.missing(tmp + "/null", OWN, seen, set()))
    try:
        return left + "; " + str(exact.compare(tmp + "/null", tmp + "/blocks", tmp + "/profile", seen))
    except exact.Mismatch as e:
        return left + "; mismatch: " + str(e).splitlines()[0]


def main():
    stage = os.environ.get("LDX_STAGE") or os.path.join(HERE, "../../build/stage")
    if not os.access(stage + "/bin/ldx", os.X_OK):
        print("skipped: no bin/ldx in %s: ./dev build first" % stage)
        return 77
    whole, solve, bad = ldxmap.Map, ldxmap.solve, 0

    def forgetful(f, counters):
        known = solve(f, counters)
        return {x: n for x, n in known.items() if f.name != "f" or x is not f.blocks[-1]}

    with tempfile.TemporaryDirectory(prefix="ldx-compared.") as tmp:
        build(stage, tmp)
        _, seen = oracle.count([tmp + "/null"], "step", False, False, True, stdout=subprocess.DEVNULL)
        for name, maps, solver, want in (
                ("whole", whole, solve, r"; compared (\d+) of \1 blocks and"),
                ("no function", NoFunction, solve, r"f \(0x\w+\) is not in the map"),
                ("no block", NoBlock, solve, r"f: what is between 0x\w+ and 0x\w+ is in no block"),
                ("no last block", NoLast, solve, r"f: what is between 0x\w+ and 0x\w+ is in no block"),
                ("no count", whole, forgetful, r"; mismatch: compared \d+ of \d+ blocks \(1 without a count\)")):
            ldxmap.Map, ldxmap.solve = maps, solver
            said = compared(tmp, seen)
            bad += not re.match(want, said)
            print("%-14s %s%s" % (name, said, "" if re.match(want, said) else "  WRONG"))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
