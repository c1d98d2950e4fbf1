#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The man pages: troff has no warning for them, and the counts in the example of ldx-map(5) can be derived.

The counters of the example, given to what reads maps in the test suite, must lead to its other counts.  The figures with
which README.md compares ldx and other tools are those of its table of costs.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

import ldxmap

MAN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "man")
WORDS = {"counted": ldxmap.COUNTED, "derived": 0, "unknown": ldxmap.UNKNOWN}


def warnings():
    """At two widths, as a line that cannot be broken depends on it."""
    pages = sorted(glob.glob(MAN + "/*.[1-9]"))
    assert pages, "no man pages"
    for page in pages:
        for width in "65n", "130n":
            r = subprocess.run(["groff", "-ww", "-z", "-man", "-Tutf8", "-K", "utf8", "-rLL=" + width, page],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            assert not r.returncode and not r.stdout, r.stdout


def example():
    """The function of the example, its counters, and all counts that the page gives."""
    with open(MAN + "/ldx-map.5") as f:
        text = f.read().replace("\\-", "-")
    f, counters, said = ldxmap.Func(), [], {}
    f.marks, f.entry, f.blocks, f.edges = False, None, [], []
    for block, a, b, count, word in re.findall(
            r"^(?:block (\d+)|edge  (\d+) -> (\d+)) +(\d*) +(counted|derived|unknown)$", text, re.M):
        x = ldxmap.Block() if block else ldxmap.Edge()
        x.flags, x.counter = WORDS[word], None
        if x.flags & ldxmap.COUNTED:
            x.counter = len(counters)
            counters.append(int(count))
        if block:
            f.blocks.append(x)
            assert int(block) == len(f.blocks), "blocks are not in order"
        else:
            x.from_, x.to = (([None] + f.blocks)[int(n)] for n in (a, b))
            f.edges.append(x)
        if count:
            said[x] = int(count)
    return f, counters, said


def beside():
    """What README.md says that ldx and other tools cost is in its table of costs."""
    with open(os.path.join(os.path.dirname(MAN), "README.md")) as f:
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\|.*\|$", f.read(), re.M)]
    costs = {r[0]: (r[1], r[3]) for r in rows if len(r) == 5}
    said = {r[0]: tuple(r[5:]) for r in rows if len(r) == 7}
    ldx, gcc, atomic = costs["edges"], costs["gcc -fprofile-arcs"], costs["gcc, atomic"]
    assert said["ldx (`edges`)"] == ldx, (said, ldx)
    assert said["gcov"] == tuple("%s; atomic %s" % c for c in zip(gcc, atomic)), (said, gcc, atomic)
    assert said["BOLT"] == costs["BOLT"] and said["callgrind"][1] == costs["callgrind"][1], (said, costs)


def main():
    f, counters, said = example()
    assert any(e.flags & ldxmap.UNKNOWN for e in f.edges), "ldx-map(5) has no example with unknown edges"
    assert len(said) > len(counters) and ldxmap.solve(f, counters) == said, "ldx-map(5): the counts do not follow"
    beside()
    if not shutil.which("groff"):
        print("no groff: the pages are not checked for troff's warnings")
        return 77
    warnings()
    return 0


if __name__ == "__main__":
    sys.exit(main())
