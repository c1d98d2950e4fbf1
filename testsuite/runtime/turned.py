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
TRIES = 20  # until addresses leave room for rows: one in 60 processes has none
# how the program goes about it: copies of the library, times
WAYS = {"one": (1, 1), "threads": (1, 3), "race": (1, 10), "made": (1, 3), "gs": (1, 2), "open": (1, 2), "spaces": (3, 1),
        "waves": (3, 2), "first": (3, 2),
        "forks": (1, 3), "forked": (1, 1), "killed": (1, 1), "crowd": (50, 1), "preload": (1, 2),
        "bfd": (1, 2), "lld": (1, 2)}
# In an instrumented program, too, that needs the first library, or does not.
COUNTED = ("threads", "race", "made", "spaces", "waves", "first", "forks", "forked", "killed", "crowd", "open")
PROGRAMS = {"main": WAYS, "needs": COUNTED, "counted": ("threads", "forks"), "sets": ("gs",)}
COLLECTED = ("bfd", "lld")  # linked by these with --gc-sections


def run(*argv, env=None, status=(0,), cwd=None):
    r = subprocess.run(argv, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
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


def count(program, how, libs, name, status=(0, -9), preload=""):
    profile = name + ".prof"
    env = dict(os.environ, LDX_PROFILE_FILE=profile)
    if preload:
        env["LD_PRELOAD"] = preload
    for _ in range(WAYS.get(how, (1, 1))[1]):
        r = run(program, how, *libs, env=env, status=status)
        shared = int((re.findall(r"^(\d+) bases$", r.stdout, re.M) or [0])[0])
        name_of = os.path.basename(program)
        bases[name_of, how] = max(bases.get((name_of, how), 0), shared)
    if r.returncode == 77:
        return None
    said = run(STAGE + "/bin/ldxprof", "report", profile).stdout
    counts = run(STAGE + "/bin/ldxprof", "export", "--format=counts", profile).stdout
    with open(name + ".counts", "w") as f:
        f.write(re.sub("/(atomic|thread)/", "/", counts))
    return said


def build_programs(counters):
    instrumented = "-B" + STAGE + "/lib/ldx/bin", "-Wl,--ldx-verify"
    for name, *flags in (("main",), ("sets", "-DSETS"), ("counted", *instrumented),
                         ("needs", "-DBARE", *instrumented, "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", "-L.", "-l:lib0.so")):
        run("gcc", "-O2", "-pthread", SOURCES + "/turned-main.c", "-o", name, "-ldl", *flags, cwd=counters)


def libraries(counters, how):
    return ["./%s/%s.so" % (counters, how)] if how in COLLECTED else \
        ["./%s/lib%d.so" % (counters, i) for i in range(WAYS[how][0])]


def compare(program, how):
    """Are the counts with libraries of both kinds the same?"""
    names = []
    for counters in ("atomic", "thread"):
        names.append("%s-%s-%s" % (program, how, counters))
        libs = libraries(counters, how)
        preload = "./%s/malloc.so" % counters if how == "preload" else ""
        said = count("%s/%s" % (counters, program), how, [preload] if preload else libs, names[-1], preload=preload)
        if "lost" in said:
            sys.exit("%s: %s" % (names[-1], said))
    names = [n + ".counts" for n in names]
    if not os.path.getsize(names[0]) or not filecmp.cmp(*names, shallow=False):
        print(subprocess.run(["diff", *names], stdout=subprocess.PIPE, text=True).stdout[:2000])
        sys.exit("%s, %s: other counts than atomic ones" % (program, how))


def has_bases():
    """Can programs set %gs, and are addresses random?"""
    with open("/proc/self/auxv", "rb") as f:
        words = struct.iter_unpack("=QQ", f.read())
    with open("/proc/sys/kernel/randomize_va_space") as f:
        return any(a == 26 and b & 2 for a, b in words) and f.read() == "2\n"


def main():
    for counters in ("atomic", "thread"):
        os.mkdir(counters)
        build(counters + "/lib0.so", counters)
        build(counters + "/malloc.so", counters, "-DMALLOC", "-fno-builtin")
        build_programs(counters)
        for linker in COLLECTED:
            lib = "%s/%s.so" % (counters, linker)
            build(lib, counters, "-DDEAD", "-ffunction-sections", "-fuse-ld=" + linker, "-Wl,--gc-sections")
            if "dead" in run("nm", lib).stdout:
                sys.exit(lib + ": has a function that --gc-sections drops")
        for i in range(1, 50):
            shutil.copy(counters + "/lib0.so", "%s/lib%d.so" % (counters, i))
    for program, ways in PROGRAMS.items():
        for how in ways:
            compare(program, how)
    if has_bases():
        for program, how in (("main", "threads"), ("main", "crowd"), ("main", "spaces"), ("needs", "threads")):
            for _ in range(TRIES):
                if not bases[program, how]:
                    count("thread/" + program, how, libraries("thread", how), "again")
            if not bases[program, how]:
                sys.exit("%s, %s: no thread had a base" % (program, how))
        if bases["sets", "gs"] != 8 or bases["counted", "threads"]:
            sys.exit("threads had other bases: %s" % bases)
    said = count("thread/main", "denied", ["./thread/lib0.so"], "denied", (0, 77))
    if said is not None and "lost" not in said:
        sys.exit("denied: nothing is said to be lost: " + said)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as d:
        os.chdir(d)
        main()
