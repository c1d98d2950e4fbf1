#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What instrumentation costs: user time and text size of real code, against the plain link.

  bench.py [--stage DIR] [--runs N] [--readme FILE] [--only RE] [--modes none,functions,blocks,edges]

Each program is a driver of a few lines around one of Debian's prebuilt static libraries, so what
is measured is compiled as Debian compiles it.  It is linked once by lld and once through ldx in
each mode; runs alternate between them; a ratio is that of the medians of user time.  With
--readme the table replaces the text between the bench markers of FILE.
"""
import argparse
import datetime
import math
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "programs")]
import ldxmap  # noqa: E402
from programs import PROGRAMS, available, link  # noqa: E402

MODES = "none,functions,blocks,edges"
BEGIN, END = "<!-- bench -->", "<!-- /bench -->"


def user_time(prog, work):
    env = dict(os.environ, LDX_PROFILE_FILE=os.path.join(work, "profile"))
    if os.path.exists(env["LDX_PROFILE_FILE"]):
        os.unlink(env["LDX_PROFILE_FILE"])
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    out = subprocess.run([prog], stdout=subprocess.PIPE, env=env, check=True).stdout
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, out


def text(path):
    """Bytes of instructions: sections that are loaded and executable."""
    return ldxmap.Elf(path).text_size()


def measure(o, name):
    hows = ["plain"] + o.modes
    progs = {h: link(o.stage, o.work, name, h) for h in hows}
    times, outs = {h: [] for h in hows}, {}
    for k in range(o.runs):
        # alternating, and not always in the same order: drift of the machine hits all alike
        for h in hows[k % len(hows):] + hows[:k % len(hows)]:
            t, out = user_time(progs[h], o.work)
            times[h].append(t)
            if outs.setdefault(h, out) != out or out != outs.setdefault("plain", out):
                raise SystemExit("bench: %s.%s prints something else" % (name, h))
    med = {h: statistics.median(times[h]) for h in hows}
    size = {h: text(progs[h]) for h in hows}
    return med, size


def geomean(v):
    return math.exp(sum(map(math.log, v)) / len(v))


def table(o, rows):
    lines = ["| program | plain, s | " + " | ".join("%s time | %s text" % (m, m) for m in o.modes) + " |",
             "|---|---:|" + "---:|" * (2 * len(o.modes))]
    for name, (med, size) in rows.items():
        cells = ["%.2f | %.2f" % (med[m] / med["plain"], size[m] / size["plain"]) for m in o.modes]
        lines.append("| %s | %.2f | %s |" % (name, med["plain"], " | ".join(cells)))
    means = ["%.2f | %.2f" % (geomean([r[0][m] / r[0]["plain"] for r in rows.values()]),
                              geomean([r[1][m] / r[1]["plain"] for r in rows.values()])) for m in o.modes]
    lines.append("| **geometric mean** | | " + " | ".join(means) + " |")
    return lines


def machine():
    cpu = next((l.split(":", 1)[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "?")
    return "%s, %d cores" % (cpu, os.cpu_count())


def rewrite(readme, lines):
    s = open(readme).read()
    if BEGIN not in s or END not in s:
        raise SystemExit("bench: %s has no %s ... %s" % (readme, BEGIN, END))
    a, b = s.index(BEGIN) + len(BEGIN), s.index(END)
    with open(readme, "w") as f:
        f.write(s[:a] + "\n" + "\n".join(lines) + "\n" + s[b:])


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    top = os.path.dirname(os.path.dirname(HERE))
    ap.add_argument("--stage", default=os.environ.get("LDX_STAGE", top + "/build/stage"))
    ap.add_argument("--work", default=top + "/build/bench")
    ap.add_argument("--runs", type=int, default=7)
    ap.add_argument("--only", default=".")
    ap.add_argument("--modes", default=MODES)
    ap.add_argument("--readme")
    o = ap.parse_args()
    o.modes = [m for m in o.modes.split(",") if m]
    shutil.rmtree(o.work, ignore_errors=True)
    os.makedirs(o.work)
    rows = {}
    for name in PROGRAMS:
        if not re.search(o.only, name):
            continue
        if not available(name):
            print("bench: no static library for %s" % name, file=sys.stderr)
            continue
        rows[name] = measure(o, name)
        print("bench: %s done" % name, file=sys.stderr, flush=True)
    lines = ["Measured %s on %s; median of %d alternating runs." % (datetime.date.today(), machine(), o.runs), ""]
    lines += table(o, rows)
    print("\n".join(lines))
    if o.readme:
        rewrite(o.readme, lines)


if __name__ == "__main__":
    main()
