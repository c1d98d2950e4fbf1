#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the increments of a program's counters are executed: what is left to gain.

  where.py [-n N] PROG [ARG...]

PROG was linked by ldx.  Prints how many increments it executes for 100 of its own instructions, and
the N functions and counters with most of them.  A counter's `times` is its count for each call of
its function: where that is large, the counter is in a loop.
"""
import argparse
import collections
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]
import ldxmap  # noqa: E402


def profile(cmd):
    with tempfile.TemporaryDirectory(prefix="where.") as tmp:
        name = os.path.join(tmp, "profile")
        subprocess.run(cmd, stdout=subprocess.DEVNULL, env=dict(os.environ, LDX_PROFILE_FILE=name), check=True)
        return ldxmap.Profile(name).counters


def place(f, b):
    return "outside" if b is None else "%s+%#x" % (f.name, b.offset - f.offset)


def counters_of(f):
    """(counter, what it counts) of a function."""
    if f.entry is not None:
        yield f.entry, f.name + ", entry"
    for b in f.blocks:
        if b.counter is not None:
            yield b.counter, place(f, b)
    for e in f.edges:
        if e.counter is not None:
            yield e.counter, "%s -> %s" % (place(f, e.from_), place(f, e.to))


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("-n", type=int, default=10)
    ap.add_argument("cmd", nargs=argparse.REMAINDER)
    o = ap.parse_args()
    m, counters = ldxmap.Map(ldxmap.Elf(o.cmd[0])), profile(o.cmd)
    insns, rows, funcs = 0, [], collections.Counter()
    for f in m.funcs:
        counts = ldxmap.solve(f, counters)
        calls = ldxmap.calls(f, counts, counters)
        insns += sum(b.insns * counts.get(b, 0) for b in f.blocks)
        # functions that are folded into one share its counters
        for c, what in set(counters_of(f)):
            rows.append((counters[c], what, counters[c] / calls if calls else 0))
            funcs[f.name] += counters[c]
    total = sum(funcs.values())
    print("%d instructions, %d increments: %.1f for 100 instructions" % (insns, total, 100 * total / insns))
    for name, n in funcs.most_common(o.n):
        print("%5.1f %%  %s" % (100 * n / total, name))
    print()
    for n, what, times in sorted(rows, reverse=True)[:o.n]:
        print("%5.1f %%  %12.1f times  %s" % (100 * n / total, times, what))


if __name__ == "__main__":
    main()
