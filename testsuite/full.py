#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""full.py [--list] [--again] [--stage PREFIX] [PART...]: what takes longer than the suite of ./dev test, in parts.

Each part takes less than twenty minutes on two cores.  Without names all parts run that have not passed at this commit:
what was interrupted is continued by the same command.  A name may be a pattern: 'cases-mips-*'.  --again: also those
that have passed.  --list: when each part last passed, at which commit, and how long it took.  What a part prints is in
build/full/PART.log, what is known about it in build/full/PART.json.  Exit status: 1 if one failed.
"""
import argparse
import fnmatch
import glob
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
WORK = os.path.join(TOP, "build", "full")
SKIPPED = 77
# CPUs, and into how many parts the cases are divided for each
CPUS = {"x86_64": 6, "aarch64": 8, "riscv64": 8, "mips": 8, "mipsel": 8, "mips64el": 8}


def parts():
    """{name: command}, in the order in which they run: what finds most first."""
    p = {"sanitized": ["meson", "test", "-C", "build", "-t", "5", "--print-errorlogs", "--suite", "sanitized"],
         "more": ["meson", "test", "-C", "build", "-t", "5", "--print-errorlogs", "--suite", "more"],
         "places": ["meson", "test", "-C", "build", "-t", "5", "--print-errorlogs", "--suite", "places"]}
    for cpu, n in CPUS.items():
        for i in range(n):
            p["cases-%s-%d" % (cpu, i + 1)] = ["testsuite/run-target", "--shard", "%d/%d" % (i + 1, n), cpu]
    for cpu in CPUS:
        target = [] if cpu == "x86_64" else ["--target", cpu]
        p["links-" + cpu] = ["testsuite/links/links.py", "--all"] + target
    for what, n in {"mold": 4, "ld": 8}.items():
        for i in range(n):
            p["peers-%s-%d" % (what, i + 1)] = ["./dev", "peers", what, "%d/%d" % (i + 1, n)]
    for cpu in ("aarch64", "riscv64", "mips", "mips64el"):
        for what in ("mold", "ld"):
            p["peers-%s-%s" % (cpu, what)] = ["./dev", "peers", cpu, what]
    for i in range(4):
        p["conventions-%d" % (i + 1)] = ["testsuite/conventions/run", "--jobs", "2", "--seeds", "%d-%d" % (30 * i + 1, 30 * i + 30)]
    # other programs every day
    day = int(time.time() / 86400) * 100
    p["soak"] = ["testsuite/conventions/run", "--jobs", "2", "--seeds", "%d-%d" % (day, day + 29)]
    faults = ["testsuite/faults/mutate.py", "--only-bad", "--timeout", "200", "--random", "300"]
    for name, flags in {"exec": [], "r": ["--no-exec", "--r"], "so": ["--no-exec", "--so"]}.items():
        p["faults-" + name] = faults + flags
    for target in ("rewrite", "codec", "program", "profile", "inputs"):
        p["fuzz-" + target] = ["testsuite/fuzz/run", "600", target]
    for recipe in sorted(glob.glob(HERE + "/corpus/recipes/*.sh")):
        name = os.path.basename(recipe)[:-3]
        p["corpus-" + name] = ["./dev", "corpus", name]
    for i in range(6):
        p["libraries-%d" % (i + 1)] = ["./dev", "libraries", "%d/6" % (i + 1)]
    for verb in ("gcov", "callgrind", "implied", "deb"):
        p[verb] = ["./dev", verb]
    for cpu in ("aarch64", "riscv64", "mips", "mips64el"):
        p["real-" + cpu] = ["./dev", "real", "--torture", "1", cpu]
    return p


def absent(name):
    """Why a part cannot run here, or None."""
    if name.startswith("peers-") and not os.path.exists(HERE + "/peers/peers.py"):
        return "there is no testsuite/peers/peers.py"
    if name.startswith("fuzz-") and not (shutil.which("clang-19") and glob.glob("/usr/lib/llvm-19/lib/clang/*/lib/linux/*fuzzer*")):
        return "there is no clang-19 with its libFuzzer"
    return None


def commit():
    """The commit, with a + where files differ from it: then nothing is known to have passed."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=TOP, capture_output=True, text=True).stdout.strip()
    return git("rev-parse", "--short=10", "HEAD") + "+" * bool(git("status", "--porcelain", "--untracked-files=no"))


def known(name):
    try:
        with open("%s/%s.json" % (WORK, name)) as f:
            return json.load(f)
    except FileNotFoundError:
        return {}


def keep(name, what):
    tmp = "%s/%s.json.new" % (WORK, name)
    with open(tmp, "w") as f:
        json.dump(what, f)
    os.rename(tmp, tmp[:-4])


def table(names):
    rows = [("part", "last passed", "commit", "minutes", "last run")]
    for name in names:
        k = known(name)
        ok = k.get("passed", {})
        rows.append((name, ok.get("when", "never"), ok.get("commit", "-"),
                     "%.1f" % (ok["seconds"] / 60) if ok else "-", k.get("last", "-")))
    wide = [max(len(row[i]) for row in rows) for i in range(5)]
    for row in rows:
        print("  ".join(cell.ljust(w) for cell, w in zip(row, wide)).rstrip())


def run(name, command, stage, at):
    """Run a part; 'passed', 'failed' or 'skipped'."""
    begin, k, log = time.time(), known(name), "%s/%s.log" % (WORK, name)
    print("== %s: %s" % (name, " ".join(command)), flush=True)
    why = absent(name)
    if why:
        print("skipped: " + why)
        return "skipped"
    with open(log, "w") as f:
        status = subprocess.run(command, cwd=TOP, stdout=f, stderr=subprocess.STDOUT, env=dict(os.environ, LDX_STAGE=stage)).returncode
    result = {0: "passed", SKIPPED: "skipped"}.get(status, "failed")
    seconds, when = time.time() - begin, time.strftime("%Y-%m-%d %H:%M")
    k["last"] = "%s at %s, %s" % (result, at, when)
    if result == "passed":
        k["passed"] = {"when": when, "commit": at, "seconds": seconds}
    keep(name, k)
    with open(log, errors="replace") as f:
        lines = f.read().splitlines()
    for line in lines[-30 if result == "failed" else -1:]:
        print(line)
    print("%s, %.1f minutes; %s" % (result, seconds / 60, os.path.relpath(log, TOP)), flush=True)
    return result


def chosen(every, patterns):
    """The parts that the patterns name."""
    for pattern in patterns:
        if not fnmatch.filter(every, pattern):
            sys.exit("full: no such part: %s; --list names them" % pattern)
    return [name for name in every if not patterns or any(fnmatch.fnmatch(name, x) for x in patterns)]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--list", action="store_true")
    ap.add_argument("--again", action="store_true")
    ap.add_argument("--stage", default=TOP + "/build/stage")
    ap.add_argument("part", nargs="*")
    o = ap.parse_args()
    every, at = parts(), commit()
    names = chosen(every, o.part)
    os.makedirs(WORK, exist_ok=True)
    if o.list:
        table(names)
        return 0
    count = dict.fromkeys(("passed", "failed", "skipped"), 0)
    for name in names:
        done = known(name).get("passed", {}).get("commit") == at and not at.endswith("+")
        # who names a part wants it to run
        result = "passed" if done and not o.part and not o.again else run(name, every[name], os.path.abspath(o.stage), at)
        count[result] += 1
    print("%(passed)d passed, %(failed)d failed, %(skipped)d skipped" % count)
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
