#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""turned.py STAGE SOURCES: libraries whose counters are plain until a second thread comes, in a plain program.

Each is linked also with atomic counters: the counts of both must be the same, whatever threads do.
"""
import filecmp
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

bases = {}  # how many threads had any
STAGE, SOURCES = map(os.path.abspath, sys.argv[1:3])
# how the program goes about it: copies of the library, times
WAYS = {"one": (1, 1), "threads": (1, 3), "race": (1, 10), "made": (1, 3), "gs": (1, 2), "open": (1, 2), "spaces": (3, 1),
        "waves": (3, 2), "first": (3, 2), "counted": (2, 1),
        "forks": (1, 3), "forked": (1, 1), "killed": (1, 1), "crowd": (50, 1), "preload": (1, 2),
        "bfd": (1, 2), "lld": (1, 2)}
PROGRAM = {"gs": "./sets", "counted": "./counted"}  # that is not main: it sets %gs; it is instrumented
COLLECTED = ("bfd", "lld")  # linked by these with --gc-sections


def run(*argv, env=None, status=(0,)):
    r = subprocess.run(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if r.returncode not in status:
        sys.exit("%s: %d: %s" % (" ".join(argv), r.returncode, r.stdout))
    return r


def build(out, counters, *flags):
    said = run("gcc", "-O2", "-fPIC", "-shared", "-pthread", *flags, SOURCES + "/turned-lib.c", "-o", out,
               "-B" + STAGE + "/lib/ldx/bin", "-Wl,--instrument=edges", "-Wl,--ldx-stats", "-Wl,--ldx-verify",
               "-Wl,--ldx-counters=" + counters).stdout
    want = "counters are " + ("atomic" if counters == "atomic" else "plain until")
    if want not in said:
        sys.exit("not '%s': %s" % (want, said))


def count(name, how, libs, status, preload=""):
    profile = name + ".prof"
    env = dict(os.environ, LDX_PROFILE_FILE=profile)
    if preload:
        env["LD_PRELOAD"] = preload
    times = WAYS.get(how, (1, 1))[1]
    for _ in range(times):
        r = run(PROGRAM.get(how, "./main"), how, *libs, env=env, status=status)
        bases[how] = max(bases.get(how, 0), int((re.findall(r"^(\d+) bases$", r.stdout, re.M) or [0])[0]))
    if r.returncode == 77:
        return None
    said = run(STAGE + "/bin/ldxprof", "report", profile).stdout
    counts = run(STAGE + "/bin/ldxprof", "export", "--format=counts", profile).stdout
    with open(name + ".counts", "w") as f:
        f.write(re.sub("/(atomic|thread)/", "/", counts))
    return said


def has_bases():
    """Can programs set %gs, and are addresses random?"""
    with open("/proc/self/auxv", "rb") as f:
        words = struct.iter_unpack("=QQ", f.read())
    with open("/proc/sys/kernel/randomize_va_space") as f:
        return any(a == 26 and b & 2 for a, b in words) and f.read() == "2\n"


def main():
    for name, *flags in (("main",), ("sets", "-DSETS"), ("counted", "-B" + STAGE + "/lib/ldx/bin")):
        run("gcc", "-O2", "-pthread", SOURCES + "/turned-main.c", "-o", name, "-ldl", *flags)
    for counters in ("atomic", "thread"):
        os.mkdir(counters)
        build(counters + "/lib0.so", counters)
        build(counters + "/malloc.so", counters, "-DMALLOC", "-fno-builtin")
        for linker in COLLECTED:
            lib = "%s/%s.so" % (counters, linker)
            build(lib, counters, "-DDEAD", "-ffunction-sections", "-fuse-ld=" + linker, "-Wl,--gc-sections")
            if "dead" in run("nm", lib).stdout:
                sys.exit(lib + ": has a function that --gc-sections drops")
        for i in range(1, 50):
            shutil.copy(counters + "/lib0.so", "%s/lib%d.so" % (counters, i))
    for how, (copies, _) in WAYS.items():
        said = {}
        for counters in ("atomic", "thread"):
            libs = ["./%s/lib%d.so" % (counters, i) for i in range(copies)]
            libs = ["./%s/%s.so" % (counters, how)] if how in COLLECTED else libs
            preload = "./%s/malloc.so" % counters if how == "preload" else ""
            said[counters] = count(how + "-" + counters, how, [preload] if preload else libs, (0, -9), preload)
            if "lost" in said[counters]:
                sys.exit("%s: %s" % (how, said[counters]))
        names = [how + "-" + c + ".counts" for c in said]
        if not os.path.getsize(names[0]) or not filecmp.cmp(*names, shallow=False):
            print(subprocess.run(["diff", *names], stdout=subprocess.PIPE, text=True).stdout[:2000])
            sys.exit("%s: other counts than atomic ones" % how)
    # where the kernel leaves room for rows: mostly, if it chooses addresses at random
    if has_bases() and (not bases["threads"] or not bases["crowd"] or not bases["spaces"] or bases["gs"] < 8):
        sys.exit("threads had no bases: %s" % bases)
    said = count("denied", "denied", ["./thread/lib0.so"], (0, 77))
    if said is not None and "lost" not in said:
        sys.exit("denied: nothing is said to be lost: " + said)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as d:
        os.chdir(d)
        main()
