#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ldxprof takes for large programs: processor time, and memory at its peak.

  reports.py [--stage DIR] [--work DIR] [--runs N] [--write]

One program is SQLite ten times over, half a million blocks compiled with -O2 -g; the other an lld of all of
LLVM's static libraries, without debug information.  Both are linked with --instrument=edges and run once.
Told is the least of the runs.  The exit status is 1 when `report' of SQLite takes more than a second or
300 MB.  --write replaces the text between the reports markers of man/costs.md.
"""
import argparse
import datetime
import json
import os
import shlex
import subprocess
import sys

import growth
import sources
import tables

TOP = growth.TOP
COPIES = 10
VERBS = ("report", "report --lines", "calls", "annotate main", "coverage", "html")
# without debug information nothing is told by lines
PLAIN_VERBS = ("report", "calls")
MOST = 1.0, 300


def out(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True).stdout


def count(prog, *args):
    """Leaves a profile of one run."""
    if os.path.exists(prog + ".ldxprof"):
        os.remove(prog + ".ldxprof")
    out(prog, *args)
    return prog


def many_sqlites(b):
    p, work = sources.PROGRAMS["sqlite"], os.path.join(b.o.work, "reports")
    src = sources.fetch(p, os.path.join(b.o.work, "src"))
    objects = sources.compile_objects("sqlite", p, src, "gcc", ["-g"], os.path.join(work, "objects"))
    library = next(x for x in objects if x.endswith("sqlite3.o"))
    copies = [os.path.join(work, "copy%d.o" % i) for i in range(1, COPIES)]
    for copy in copies:
        out("objcopy", "--wildcard", "--localize-symbol=*", library, copy)
    prog = os.path.join(work, "sqlites")
    out("gcc", "-B" + b.bindir, "-Wl,--instrument=edges,--ldx-strict", *objects, *copies,
        "-o", prog, *p.libs)
    return count(prog, "small")


def whole_lld(b):
    name, source, with_what = growth.PROGRAMS[-1]
    for key, value in b.names.items():
        with_what = with_what.replace("@%s@" % key, value)
    prog = os.path.join(b.o.work, "reports", "ld.lld")
    out("g++", "-B" + b.bindir, "-Wl,--instrument=edges,--ldx-strict", b.compile(name, source), *shlex.split(with_what),
        "-o", prog)
    return count(prog, "--version")


def measure(b, prog, verb):
    words = verb.split()
    page = ["-o", os.path.join(b.o.work, "reports", "page.html")] if words[0] == "html" else []
    found = growth.least([os.path.join(b.o.stage, "bin", "ldxprof"), *words, *page, prog], b.o.runs)
    if not found:
        sys.exit("reports: ldxprof %s fails" % verb)
    return found[1:]


def size(b, prog):
    rows = json.loads(out(os.path.join(b.o.stage, "bin", "ldxprof"), "report", "--all", "--format=json", prog))
    return "{:,} blocks in {:,} functions".format(sum(r["blocks"] for r in rows), len(rows))


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--stage", default=TOP + "/build/stage")
    ap.add_argument("--work", default=TOP + "/build/bench")
    ap.add_argument("--runs", type=int, default=3)
    ap.add_argument("--write", action="store_true")
    o = ap.parse_args()
    o.stage, o.work = os.path.abspath(o.stage), os.path.abspath(o.work)
    b = growth.Bench(o)
    made = {"SQLite, ten times": (many_sqlites(b), VERBS), "lld": (whole_lld(b), PLAIN_VERBS)}
    lines = ["Measured %s on %s; the least of %d runs." % (datetime.date.today(), tables.machine(), o.runs)]
    lines += ["%s: %s." % (name, size(b, prog)) for name, (prog, _) in made.items()] + [""]
    lines += ["| | %s |" % " | ".join("%s, s | MB" % name for name in made), "|---|" + "---:|---:|" * len(made)]
    figures = {(name, verb): measure(b, prog, verb) for name, (prog, verbs) in made.items() for verb in verbs}
    for verb in VERBS:
        cells = ["%.1f | %.0f" % figures[name, verb] if (name, verb) in figures else " | " for name in made]
        lines.append("| `%s` | %s |" % (verb, " | ".join(cells)))
    print("\n".join(lines))
    if o.write:
        tables.rewrite(os.path.join(TOP, "man", "costs.md"), "reports", lines)
    return any(x > most for x, most in zip(figures["SQLite, ten times", "report"], MOST))


if __name__ == "__main__":
    sys.exit(main())
