#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a build with the profile of the last one gains.

  rebuild.py [--stage DIR] [--work DIR] [--runs N] [--format afdo|sample|fdata] [--write] [PROGRAM...]

Each program (default: lua, sqlite and lld) is compiled with -O2 -g, linked by ldx and run with a small
workload; with what ldxprof exports of that it is built again by gcc and clang, and its plain link is
optimised by llvm-bolt.  Then the large workload is run, plain and rebuilt in turn.  Printed are ratios to the
plain program of the same compiler: of the user time, the median over the pairs of runs; and, for the small
workload, of the instructions and of the misses in the first-level cache of instructions, which cachegrind
counts: these do not change from run to run.  With lld as PROGRAM: the page faults of an lld of 100 MB that
prints its version, linked by lld with its functions in the order of such a run, and without.
--write: the figures also replace those in man/rebuild.md, when all were measured.
"""
import argparse
import datetime
import os
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import sys

import growth
import sources
import tables

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
# in sections, since ldx leaves all code of a section alone where a part cannot be moved apart
GCC, CLANG = ["-g"], ["-g", "-fdebug-info-for-profiling", "-ffunction-sections"]
# How the next build takes a profile: compiler, its flags, the export, the flags that take it.  Where counts come
# from -fauto-profile, GCC 12's vectorizer of loops divides by zero in sqlite3Insert().
WAYS = [("gcc -fauto-profile", "gcc", GCC, "afdo", ["-fno-tree-loop-vectorize", "-fauto-profile="]),
        ("clang -fprofile-sample-use", "clang-19", CLANG, "sample", ["-fprofile-sample-use="]),
        ("llvm-bolt", "gcc", GCC + ["-fno-reorder-blocks-and-partition"], "fdata", None)]
PROGRAMS = ("lua", "sqlite")
BOLT = "-reorder-blocks=ext-tsp -reorder-functions=cdsort -split-functions -split-all-cold".split()


def out(*args, **more):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def user_time(prog):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([prog], check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def cachegrind(prog):
    """Instructions, and misses in a cache of instructions like this processor's."""
    r = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null", prog,
                        "small"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    found = (re.search(name + " *([0-9,]+)", r.stderr)[1] for name in ("I *refs:", "I1 *misses:"))
    return [int(x.replace(",", "")) for x in found]


def build(o, name, p, way):
    """The plain program and the rebuilt one."""
    what, compiler, flags, form, use = way
    src, work = sources.fetch(p, os.path.join(o.work, "src")), os.path.join(o.work, "rebuild", name, form)
    plain, counted, profile, again = (os.path.join(work, x) for x in ("plain", "counted", "profile", "again"))

    def objects(to, more):
        return sources.compile_objects(name, p, src, compiler, flags + more, os.path.join(work, to))

    first = objects("first", [])
    link = ["gcc", "-no-pie"]
    # callgrind does not read all debug information
    bare = link + ["-Wl,--strip-debug"]
    out(*bare, *first, "-Wl,--emit-relocs", "-o", plain, *p.libs)
    bindir = out(o.stage + "/bin/ldx", "--ldx-print=bindir").strip()
    out(*link, "-B" + bindir, "-Wl,--instrument=edges", *first, "-o", counted, *p.libs)
    for old in (profile, counted + ".ldxprof"):
        if os.path.exists(old):
            os.remove(old)
    out(counted, "small")
    out(o.stage + "/bin/ldxprof", "export", "--format=" + form, "-o", profile, counted)
    if use:
        subprocess.run(["rm", "-rf", os.path.join(work, "second")], check=True)
        out(*bare, *objects("second", use[:-1] + [use[-1] + profile]), "-o", again, *p.libs)
    else:
        out("llvm-bolt-19", plain, "-data=" + profile, "-o", again, *BOLT, stderr=subprocess.DEVNULL)
    if out(plain) != out(again):
        raise SystemExit("%s: %s makes a program with another output" % (name, what))
    return plain, again


def page_faults(prog):
    """The least of several runs."""
    faults, silent = [], (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    for _ in range(9):
        pid = os.posix_spawn(prog, ["ld.lld", "--version"], {}, file_actions=[silent])
        faults.append(os.wait4(pid, 0)[2].ru_minflt)
    return min(faults)


def start_up(o):
    """An lld with all of its drivers, made of LLVM's static libraries."""
    b = growth.Bench(o)
    name, source, with_what = growth.PROGRAMS[-1]
    for key, value in b.names.items():
        with_what = with_what.replace("@%s@" % key, value)
    link = ["g++", "-no-pie", b.compile(name, source)] + shlex.split(with_what)
    work = os.path.join(o.work, "rebuild", "lld")
    plain, counted, order, again = (os.path.join(work, x) for x in ("plain", "ld.lld", "order", "again"))
    os.makedirs(work, exist_ok=True)
    out(*link, "-B" + b.bindir, "-Wl,--instrument=functions", "-o", counted)
    subprocess.run(["rm", "-f", counted + ".ldxprof"], check=True)
    out(counted, "--version")
    out(o.stage + "/bin/ldxprof", "export", "--format=symbol-order", "-o", order, counted)
    out(*link, "-B" + b.lld, "-o", plain)
    out(*link, "-B" + b.lld, "-Wl,--no-warn-symbol-ordering,--symbol-ordering-file=" + order, "-o", again)
    return page_faults(plain), page_faults(again)


def gain(o, name, way):
    """Ratios of user time, instructions and misses, and the misses of the plain program."""
    pair = build(o, name, sources.PROGRAMS[name], way)
    runs = [[user_time(prog) for prog in pair] for _ in range(o.runs)]
    (plain_insns, plain_misses), (insns, misses) = map(cachegrind, pair)
    time = statistics.median(again / plain for plain, again in runs)
    return time, insns / plain_insns, misses / plain_misses, plain_misses


HEAD = ["| program | rebuilt by | user time | instructions | I1 misses | of |", "|---|---|---:|---:|---:|---:|"]


def row(name, way, figures):
    return "| %s | %s | %.2f | %.2f | %.2f | %s |" % (name, way, *figures[:3], format(figures[3], ","))


def faults_text(faults):
    return ["An lld of 100 MB, linked without PIE, prints its version with {1:,} page faults if it was linked with the order of".format(*faults),
            "symbols of such a run, with {0:,} otherwise.".format(*faults)]


def write(o, gains, faults):
    """Where the figures stand."""
    when = "Measured %s on %s; medians of %d pairs of runs." % (datetime.date.today(), tables.machine(), o.runs)
    rows = [row(*key, figures) for key, figures in gains.items()]
    tables.rewrite(os.path.join(TOP, "man", "rebuild.md"), "rebuild", [when, ""] + HEAD + rows + [""] + faults_text(faults))


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--stage", default=os.path.join(TOP, "build", "stage"))
    ap.add_argument("--work", default=os.path.join(TOP, "build", "bench"))
    ap.add_argument("--runs", type=int, default=31)
    ap.add_argument("--format", action="append", choices=[way[3] for way in WAYS])
    ap.add_argument("--write", action="store_true")
    ap.add_argument("program", nargs="*", default=[*PROGRAMS, "lld"])
    o = ap.parse_args()
    if o.write and (o.format or set(o.program) != {*PROGRAMS, "lld"}):
        ap.error("--write is for all figures")
    missing = [tool for tool in ("gcc", "clang-19", "llvm-bolt-19", "valgrind") if not shutil.which(tool)]
    if missing:
        print("skipped: no " + ", ".join(missing))
        return 77
    gains, faults = {}, None
    print("\n".join(HEAD), flush=True)
    for name in o.program:
        for way in WAYS if name != "lld" else ():
            if not o.format or way[3] in o.format:
                gains[name, way[0]] = gain(o, name, way)
                print(row(name, way[0], gains[name, way[0]]), flush=True)
    if "lld" in o.program:
        faults = start_up(o)
        print("\n" + "\n".join(faults_text(faults)), flush=True)
    if o.write:
        write(o, gains, faults)


if __name__ == "__main__":
    sys.exit(main())
