#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the line counts of `ldxprof coverage' those of gcov?

  gcov.py [--stage DIR] [--mode MODE]     of the small program beside this file: all lines, without exception
  gcov.py [--stage DIR] --work DIR NAME...   of programs of testsuite/bench/sources.py

A program is compiled twice without optimisation, with --coverage and with -g, and both run alike.  Compared is
each line that both report.  Differences of the larger programs stand in gcov-differences.txt with their causes;
one that does not, and one that is not there any more, is an error.  Exit status: 0 equal, 1 not, 77 a tool is
missing."""
import argparse
import glob
import gzip
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "bench")]
import sources  # noqa: E402

# Strings are hashed with a seed that differs from run to run, and kept in a cache by address.
FLAGS = {"lua": ["-Dluai_makeseed(L)=0", "-DSTRCACHE_N=1", "-DSTRCACHE_M=2"]}
SMALL = "small program"


def program(name, work):
    """Sources, flags and libraries."""
    if name == SMALL:
        return [HERE + "/covered.c", HERE + "/covered-other.c"], [], []
    p = sources.PROGRAMS[name]
    src = sources.fetch(p, os.path.join(work, "src"))
    flags = ["-I" + os.path.join(src, a[2:]) if a.startswith("-I") else a for a in shlex.split(p.flags)]
    return sources.files(name, p, src), flags + FLAGS.get(name, []), p.libs


def make(d, files, flags, libs, link):
    """The program in the new directory D, which has run there."""
    shutil.rmtree(d, ignore_errors=True)
    os.makedirs(d)
    subprocess.run(["gcc", "-O0", "-w", "-c", *flags, *files], cwd=d, check=True)
    objects = [os.path.basename(f)[:-2] + ".o" for f in files]
    subprocess.run(["gcc", "-no-pie", *link, *objects, *libs, "-o", "prog"], cwd=d, check=True)
    # One layout of memory: what is hashed by address is the same too.
    subprocess.run(["setarch", "-R", "./prog", "small"], cwd=d, check=True, stdout=subprocess.DEVNULL,
                   env={"PATH": os.environ["PATH"], "LC_ALL": "C"})


def add(counts, path, line, count):
    key = os.path.realpath(path), line
    counts[key] = counts.get(key, 0) + count


def by_gcov(d, starts):
    """Counts; starts: receives the lines that functions begin with."""
    subprocess.run(["gcov", "--json-format", *sorted(os.path.basename(f) for f in glob.glob(d + "/*.gcda"))], cwd=d, check=True,
                   stdout=subprocess.DEVNULL)
    counts = {}
    for name in glob.glob(d + "/*.gcov.json.gz"):
        with gzip.open(name) as f:
            for file in json.load(f)["files"]:
                starts.update((os.path.realpath(os.path.join(d, file["file"])), f["start_line"]) for f in file["functions"])
                for line in file["lines"]:
                    add(counts, os.path.join(d, file["file"]), line["line_number"], line["count"])
    return counts


def by_ldx(d, ldxprof):
    text = subprocess.run([ldxprof, "coverage", "--format=gcovr", "prog"], cwd=d, check=True, capture_output=True, text=True).stdout
    counts = {}
    for file in json.loads(text)["files"]:
        for line in file["lines"]:
            add(counts, os.path.join(d, file["file"]), line["line_number"], line["count"])
    return counts


def known_differences(name):
    """{(file name, line): cause}"""
    known = {}
    with open(HERE + "/gcov-differences.txt") as f:
        for text in f:
            fields = text.split(None, 2)
            if not text.startswith("#") and fields and fields[0] == name:
                file, line = fields[1].split(":")
                known[file, int(line)] = fields[2].strip()
    return known


def check(name, args, work):
    files, flags, libs = program(name, work)
    d = os.path.join(work, "gcov-" + name.replace(" ", "-"))
    bindir = subprocess.check_output([args.stage + "/bin/ldx", "--ldx-print=bindir"], text=True).strip()
    make(d + "/gcov", files, ["--coverage", *flags], libs, ["--coverage"])
    make(d + "/ldx", files, ["-g", *flags], libs, ["-B" + bindir, "-Wl,--instrument=" + args.mode])
    starts = set()
    want, got = by_gcov(d + "/gcov", starts), by_ldx(d + "/ldx", args.stage + "/bin/ldxprof")
    both = sorted(set(want) & set(got))
    if args.mode == "cover":
        want = {k: min(n, 1) for k, n in want.items()}
    known = {} if name == SMALL else known_differences(name)
    differ = {k: (want[k], got[k]) for k in both if want[k] != got[k]}
    wrong = ["%s:%d: gcov counts %d, ldxprof %d" % (os.path.basename(k[0]), k[1], *v) for k, v in differ.items()
             if (os.path.basename(k[0]), k[1]) not in known]
    wrong += ["%s:%d: no difference any more: %s" % (*k, why) for k, why in known.items()
              if k not in {(os.path.basename(f), line) for f, line in differ}]
    print("%s: %d lines compared, %d equal, %d different for known causes; %d are gcov's alone, %d ldxprof's" % (
        name, len(both), len(both) - len(differ), len(known), len(set(want) - set(got)), len(set(got) - set(want))))
    if not both:
        wrong.append("nothing to compare")
    if name == SMALL:
        wrong += ["%s:%d: ldxprof does not list it" % k for k in sorted(set(want) - set(got) - starts)]
    for w in wrong:
        print("  " + w)
    return not wrong


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--stage", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "stage"))
    ap.add_argument("--mode", default="edges")
    ap.add_argument("--work")
    ap.add_argument("names", nargs="*")
    args = ap.parse_args()
    args.stage = os.path.abspath(args.stage)
    for tool in "gcc", "gcov", "setarch":
        if not shutil.which(tool):
            print("no " + tool)
            sys.exit(77)
    with tempfile.TemporaryDirectory() as d:
        good = [check(name, args, os.path.abspath(args.work or d)) for name in args.names or [SMALL]]
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
