#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a build with the profile of the last one gains.

  rebuild.py [--stage DIR] [--work DIR] [--runs N] [--format afdo|sample|fdata] [PROGRAM...]

Each program (default: lua, sqlite and lld) is compiled with -O2 -g, linked by ldx and run with a small
workload; with what ldxprof exports of that it is built again by gcc and clang, and its plain link is
optimised by llvm-bolt.  Then the large workload is run, plain and rebuilt in turn.  Printed are ratios to the
plain program of the same compiler: of the user time, the median over the pairs of runs; and, for the small
workload, of the instructions and of the misses in the first-level cache of instructions, which cachegrind
counts: these do not change from run to run.  With lld as PROGRAM: the page faults of an lld of 100 MB that
prints its version, linked by lld with its functions in the order of such a run, and without.
"""
import argparse
import os
import re
import resource
import shlex
import statistics
import subprocess

import growth
import sources

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
# in sections, since ldx leaves all code of a section alone where a part cannot be moved apart
GCC, CLANG = ["-g"], ["-g", "-fdebug-info-for-profiling", "-ffunction-sections"]
# How the next build takes a profile: compiler, its flags, the export, the flags that take it.  Where counts come
# from -fauto-profile, GCC 12's vectorizer of loops divides by zero in sqlite3Insert().
WAYS = [("gcc -fauto-profile", "gcc", GCC, "afdo", ["-fno-tree-loop-vectorize", "-fauto-profile="]),
        ("clang -fprofile-sample-use", "clang-19", CLANG, "sample", ["-fprofile-sample-use="]),
        ("llvm-bolt", "gcc", GCC + ["-fno-reorder-blocks-and-partition"], "fdata", None)]
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
    print("page faults of ld.lld --version: %d, %d without the order of symbols" %
          (page_faults(again), page_faults(plain)), flush=True)


def gains(o, name):
    for way in (w for w in WAYS if w[3] in (o.format or [w[3]])):
        pair = build(o, name, sources.PROGRAMS[name], way)
        runs = [[user_time(prog) for prog in pair] for _ in range(o.runs)]
        insns, misses = ([again / plain] for plain, again in zip(*map(cachegrind, pair)))
        ratios = [statistics.median(again / plain for plain, again in runs)] + insns + misses
        print("| %s | %s | %s |" % (name, way[0], " | ".join("%.2f" % x for x in ratios)), flush=True)


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--stage", default=os.path.join(TOP, "build", "stage"))
    ap.add_argument("--work", default=os.path.join(TOP, "build", "bench"))
    ap.add_argument("--runs", type=int, default=31)
    ap.add_argument("--format", action="append", choices=[way[3] for way in WAYS])
    ap.add_argument("program", nargs="*", default=["lua", "sqlite", "lld"])
    o = ap.parse_args()
    programs = [name for name in o.program if name != "lld"]
    if programs:
        print("| program | rebuilt by | user time | instructions | I1 misses |\n|---|---|---:|---:|---:|", flush=True)
    for name in programs:
        gains(o, name)
    if "lld" in o.program:
        start_up(o)


if __name__ == "__main__":
    main()
