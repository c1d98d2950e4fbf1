#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real code: drivers of a few lines around Debian's prebuilt static libraries.

  programs.py [--stage DIR] NAME...     is NAME the same program through ldx, its counts exact?

For each: the plain link, the null link and the modes print the same; every block of the library
has the count that QEMU sees.  Nothing of the libraries is compiled here.  Exit status 77: no such
library on this machine.
"""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "oracle")]
import exact  # noqa: E402
import ldxmap  # noqa: E402
import likeness  # noqa: E402
import oracle  # noqa: E402

# name: libraries, arguments.  The library is the archive with this name, never the shared one.
PROGRAMS = {
    "bzip2": (["bz2"], []),
    "zlib": (["z"], []),
    "xz": (["lzma"], ["-pthread"]),
    "zstd": (["zstd"], ["-pthread"]),
    "lua": (["lua5.4"], ["-lm", "-ldl"]),
    "sqlite": (["sqlite3"], ["-lm"]),
    "expat": (["expat"], ["-lm"]),
    "png": (["png", "z"], ["-lm"]),
    "jpeg": (["jpeg"], []),
}
# The hash of a string depends on addresses, and with it the paths through the string table.
INEXACT = {"lua"}


def archive(name):
    path = subprocess.check_output(["gcc", "-print-file-name=lib%s.a" % name], text=True).strip()
    return path if "/" in path else None


def available(name):
    return all(archive(x) for x in PROGRAMS[name][0])


def link(stage, work, name, how, flags=()):
    """Link NAME in the way HOW: plain, or a mode of ldx.  -no-pie: the same addresses in each run."""
    libs, args = PROGRAMS[name]
    out, obj = os.path.join(work, name + "." + how), os.path.join(work, name + ".o")
    if not os.path.exists(obj):
        subprocess.run(["gcc", "-O2", "-I/usr/include/lua5.4", "-c", os.path.join(HERE, name + ".c"), "-o", obj],
                       check=True)
    ld = []
    if how != "plain":
        bindir = subprocess.check_output([stage + "/bin/ldx", "--ldx-print=bindir"], text=True).strip()
        ld = ["-B" + bindir, "-Wl,--instrument=" + how, "-Wl,--ldx-strict"] + ["-Wl," + f for f in flags]
    r = subprocess.run(["gcc", "-no-pie"] + ld + [obj] + [archive(x) for x in libs] + args + ["-o", out],
                       stderr=subprocess.PIPE, text=True)
    sys.stderr.write(r.stderr)
    r.check_returncode()
    exact.verified(r, how)
    return out


def run(prog, profile):
    if os.path.exists(profile):
        os.unlink(profile)
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "LDX_PROFILE_FILE": profile}
    return subprocess.run([prog, "small"], env=env, capture_output=True)


def functions(prog):
    """Names and addresses of the functions."""
    out = subprocess.check_output(["nm", prog], text=True)
    return [l for l in out.splitlines() if l[17:18] in "tTwW"]


def check(stage, work, name):
    plain = run(link(stage, work, name, "plain"), "/nonexistent/profile")
    progs, profiles = {}, {}
    for how, flags in (("none", ["--ldx-map", "--ldx-verify"]), ("functions", ["--ldx-verify"]),
                       ("blocks", ["--ldx-verify"]), ("edges", ["--ldx-verify"]),
                       ("cover", ["--ldx-verify"])):
        progs[how] = link(stage, work, name, how, flags)
        profiles[how] = os.path.join(work, "%s.%s.profile" % (name, how))
        r = run(progs[how], profiles[how])
        if (r.stdout, r.stderr, r.returncode) != (plain.stdout, plain.stderr, plain.returncode):
            raise exact.Mismatch("%s behaves differently: status %d\n%s" % (how, r.returncode, r.stderr[-500:]))
    for how, prog in progs.items():
        diff = likeness.differences(os.path.join(work, name + ".plain"), prog, how == "none")
        if diff:
            raise exact.Mismatch("%s is not what the plain link makes:\n%s" % (how, "\n".join(diff[:10])))
    if functions(progs["none"]) != functions(os.path.join(work, name + ".plain")):
        raise exact.Mismatch("the null link has functions at other addresses")
    m = ldxmap.Map(ldxmap.Elf(progs["blocks"]))
    opaque = sum(f.size for f in m.funcs if f.flags & ldxmap.OPAQUE)
    total = sum(f.size for f in m.funcs)
    text = "%s: %d functions, %.2f %% of the code opaque" % (name, len(m.funcs), 100 * opaque / total)
    if name not in INEXACT:
        _, seen = oracle.count([progs["none"], "small"], capture_output=True, env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
        for how in ("blocks", "edges", "cover"):
            done = exact.compare(progs["none"], progs[how], profiles[how], seen)
        text += ", %s, %.0f M instructions" % (done, sum(seen.values()) / 1e6)
    print(text)


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--stage", default=os.environ.get("LDX_STAGE", os.path.join(HERE, "../../build/stage")))
    ap.add_argument("names", nargs="+", choices=list(PROGRAMS))
    o = ap.parse_args()
    status = 77
    if not os.access(o.stage + "/bin/ldx", os.X_OK):
        print("skipped: no bin/ldx in %s: ./dev build first" % o.stage)
        return status
    for name in o.names:
        if not available(name):
            print("%s: skipped, no static library" % name)
            continue
        work = os.path.join(oracle.work_dir(), "programs", name)
        subprocess.run(["rm", "-rf", work])
        os.makedirs(work)
        try:
            check(o.stage, work, name)
            status = 0 if status == 77 else status
        except (exact.Mismatch, ValueError, subprocess.CalledProcessError) as e:
            print("FAIL %s: %s" % (name, e))
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
