#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exact counts on real programs: the workloads of workloads.tsv.

  workloads.py --stage DIR [--work DIR] [NAME-RE]     ldx's counts against the emulator's
  workloads.py --engines qemu,callgrind,step ...      the engines against one another, plain build

Builds each package twice through ldx (corpus.py, without its tests): the null link with a map and
the blocks link.  Runs the command of the workload with both, the null link under QEMU, and
compares block by block.  Last line: N exact, N wrong.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTSUITE = os.path.dirname(HERE)
sys.path[:0] = [TESTSUITE, os.path.join(TESTSUITE, "oracle")]
import exact  # noqa: E402
import ldxmap  # noqa: E402
import oracle  # noqa: E402

LINKS = {"null": "--instrument=none --ldx-map", "blocks": "--instrument=blocks"}


def workloads(pattern):
    for line in open(os.path.join(HERE, "workloads.tsv")):
        if line.strip() and line[0] != "#":
            package, name, stdin, cmd = line.rstrip("\n").split("\t")
            if re.search(pattern, package + "/" + name):
                yield package, name, stdin, shlex.split(cmd)


def build(o, package, link):
    """Build package with every link made by ldx in this way; return its tree."""
    tree = "%s/build/gcc-O2-g/%s/%s/tree" % (o.work, link, package)
    if not os.path.isdir(tree):
        cmd = [sys.executable, HERE + "/corpus.py", package, "--work", o.work, "--build-only", "--no-baseline"]
        if link != "plain":
            bindir = subprocess.check_output([o.stage + "/bin/ldx", "--ldx-print=bindir"], text=True).strip()
            cmd += ["--linker-dir", bindir, "--tag", link, "--env", "LDX_OPTIONS=" + LINKS[link]]
        subprocess.run(cmd, stdout=subprocess.DEVNULL, check=True)
    return tree


def environment(profile):
    return {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": "/nonexistent", "LDX_PROFILE_FILE": profile}


def run(tree, stdin, cmd, profile, engine=None):
    """Run a workload; with an engine, return its counts."""
    if stdin == "oracle.gz":
        subprocess.run("./minigzip -6 < deflate.c > oracle.gz", shell=True, cwd=tree, env=environment("/dev/null"))
    os.chdir(tree)
    with open("/dev/null" if stdin == "-" else stdin) as i:
        kw = dict(stdin=i, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(profile))
        return oracle.count(cmd, engine, **kw)[1] if engine else subprocess.run(cmd, **kw)


def check(o, package, name, stdin, cmd):
    null, blocks = (build(o, package, link) for link in LINKS)
    profile = os.path.join(o.work, "%s-%s.ldxprof" % (package, name))
    if os.path.exists(profile):
        os.unlink(profile)
    run(blocks, stdin, cmd, profile)
    seen = run(null, stdin, cmd, "/dev/null", "qemu")
    n = exact.compare(os.path.join(null, cmd[0]), os.path.join(blocks, cmd[0]), profile, seen).blocks
    print("%-24s %6d blocks exact, %9.2f M instructions" % (package + "/" + name, n, sum(seen.values()) / 1e6), flush=True)


def engines(o, package, name, stdin, cmd):
    """A workload on which the engines and a second run agree is fit for exact comparison."""
    tree = build(o, package, "plain")
    elf = ldxmap.Elf(os.path.join(tree, cmd[0]))
    names = o.engines.split(",")
    got = [run(tree, stdin, cmd, "/dev/null", e) for e in names + names[:1]]
    keys = {k for c in got for k in c if not elf.is_rep(k)}
    diff = [k for k in keys if len({c.get(k, 0) for c in got}) > 1]
    if diff:
        raise exact.Mismatch("%d of %d addresses differ between the engines" % (len(diff), len(keys)))
    print("%-24s %6d addresses agree" % (package + "/" + name, len(keys)), flush=True)


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    top = os.path.dirname(TESTSUITE)
    ap.add_argument("--stage", default=os.environ.get("LDX_STAGE", top + "/build/stage"))
    ap.add_argument("--work", default=os.environ.get("CORPUS_WORK") or top + "/build/corpus")
    ap.add_argument("--engines")
    ap.add_argument("pattern", nargs="?", default=".")
    o = ap.parse_args()
    o.work, o.stage = os.path.abspath(o.work), os.path.abspath(o.stage)
    good = bad = 0
    for w in workloads(o.pattern):
        try:
            (engines if o.engines else check)(o, *w)
            good += 1
        except (exact.Mismatch, ValueError, OSError, subprocess.CalledProcessError) as e:
            bad += 1
            print("%-24s WRONG: %s" % (w[0] + "/" + w[1], e), flush=True)
    print("%d exact, %d wrong" % (good, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
