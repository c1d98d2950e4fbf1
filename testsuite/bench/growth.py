#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a link costs, from a hundred kilobytes to a hundred megabytes, plain and by ldx.

  growth.py [--stage DIR] [--work DIR] [--runs N] [--only RE] [--ways RE] [--bolt] [--readme FILE]

Programs are made of Debian's static libraries, up to an lld of all of LLVM's.  Of each link, the
least wall and processor time of the runs and the peak memory of its largest process are
told.  A table for each of them, and the exponent e of size^e that fits the processor time best over
programs of a megabyte or more: 1 is linear; more than 1.15 is an error.  --bolt: also
llvm-bolt -instrument.  --readme replaces the text between the growth markers of FILE.
"""
import argparse
import datetime
import math
import os
import re
import shlex
import subprocess
import sys
import time

import tables

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))

EMPTY = "int main(void) { return 0; }\n"
# an lld with all of its drivers; Debian's libraries were made with Polly, which it does not ship
LLD = r"""
#include "lld/Common/Driver.h"
LLD_HAS_DRIVER(coff) LLD_HAS_DRIVER(elf) LLD_HAS_DRIVER(mingw) LLD_HAS_DRIVER(macho) LLD_HAS_DRIVER(wasm)
struct plugin_info { unsigned version; const char *a, *b; void (*c)(void *); };
namespace llvm { struct PassPluginLibraryInfo; }
plugin_info getPollyPluginInfo() { return {1, "", "", nullptr}; }
int main(int argc, char **argv) {
  std::vector<const char *> args(argv, argv + argc);
  return lld::lldMain(args, llvm::outs(), llvm::errs(), LLD_ALL_DRIVERS).retCode; }
"""


def whole(*libs):
    return "-Wl,--whole-archive %s -Wl,--no-whole-archive" % " ".join("-l:lib%s.a" % x for x in libs)


def llvm(*components):
    return ("-L@LLVM@ -Wl,--whole-archive " + " ".join("-l:libLLVM%s.a" % c for c in components) +
            " -Wl,--no-whole-archive @LIBS@")


# name, C++ source, what it is linked with
PROGRAMS = [
    ("bzip2", EMPTY, whole("bz2")),
    ("zstd", EMPTY, whole("zstd")),
    ("sqlite", EMPTY, whole("sqlite3") + " -lm -lz"),
    ("libcrypto", EMPTY, whole("crypto") + " -ldl -pthread"),
    ("LLVM's core", EMPTY, llvm("Core", "Support", "Analysis")),
    ("LLVM's passes", EMPTY, llvm("Core", "Support", "Analysis", "CodeGen", "TransformUtils", "ScalarOpts",
                                  "InstCombine", "Vectorize", "ipo", "SelectionDAG", "GlobalISel")),
    ("lld", LLD, "-L@LLVM@ -llldCOFF -llldMinGW -llldELF -llldMachO -llldWasm -llldCommon @LIBS@"),
]
MODES = ("none", "functions", "cover", "blocks", "edges")
BOLT = "/usr/lib/llvm-19/bin/llvm-bolt"


def config(*args):
    out = subprocess.run(["llvm-config-19", "--link-static", *args], stdout=subprocess.PIPE, check=True, text=True)
    return out.stdout.split()


class Bench:
    def __init__(self, o):
        self.o = o
        libs = [x for x in config("--libs", "all") if "Polly" not in x] + config("--system-libs")
        self.names = {"LLVM": config("--libdir")[0], "LIBS": "-Wl,--start-group %s -Wl,--end-group" % " ".join(libs)}
        ldx = os.path.join(o.stage, "bin", "ldx")
        self.bindir = subprocess.run([ldx, "--ldx-print=bindir"], stdout=subprocess.PIPE, check=True,
                                     text=True).stdout.strip()
        # gcc puts its own search path into the environment of what it calls
        self.lld = os.path.join(o.work, "lld")
        os.makedirs(self.lld, exist_ok=True)
        with open(os.path.join(self.lld, "ld"), "w") as f:
            f.write('#!/bin/sh\nexec ld.lld-19 "$@"\n')
        os.chmod(f.name, 0o755)

    def compile(self, name, source):
        obj = os.path.join(self.o.work, re.sub(r"\W", "", name) + ".o")
        cmd = ["g++", "-O1", "-g0", "-std=c++17", "-I" + config("--includedir")[0], "-xc++", "-c", "-", "-o", obj]
        subprocess.run(cmd, input=source, check=True, text=True)
        return obj

    def links(self):
        ways = [("bfd", ["-fuse-ld=bfd"]), ("lld", ["-B" + self.lld])]
        ways += [("ldx " + m, ["-B" + self.bindir, "-Wl,--instrument=" + m, "-Wl,--ldx-strict"]) for m in MODES]
        return [w for w in ways if re.search(self.o.ways, w[0])]


def cost(cmd):
    """Wall seconds, processor seconds and peak MB, or None when it fails."""
    start = time.monotonic()
    p = subprocess.Popen(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    text = p.stderr.read()
    _, status, use = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    p.stderr.close()
    if p.returncode:
        print("growth: %s ...: %s" % (" ".join(cmd[:3]), text.strip()[-300:]), file=sys.stderr)
        return None
    return time.monotonic() - start, use.ru_utime + use.ru_stime, use.ru_maxrss / 1024


def least(cmd, runs):
    found = [c for c in (cost(cmd) for _ in range(runs)) if c]
    return tuple(min(x) for x in zip(*found)) if found else None


def measure(b, name, source, with_what):
    for key, value in b.names.items():
        with_what = with_what.replace("@%s@" % key, value)
    obj, out = b.compile(name, source), os.path.join(b.o.work, "out")
    row = {"name": name}
    base = ["g++", obj, *shlex.split(with_what), "-o", out]
    for way, flags in b.links():
        row[way] = least(base + flags, b.o.runs)
        if "size" not in row and row[way]:
            row["size"] = os.path.getsize(out) / 1e6
    if b.o.bolt:
        subprocess.run(base + ["-fuse-ld=bfd", "-Wl,--emit-relocs"], check=True, stderr=subprocess.DEVNULL)
        row["BOLT"] = least([BOLT, out, "-o", out + ".bolt", "-instrument"], 1)
    print("growth: %s: %s" % (name, {k: v for k, v in row.items() if k != "name"}), file=sys.stderr, flush=True)
    return row


def exponent(rows, way):
    """The slope of processor time over size, both as logarithms, by least squares."""
    at = [(math.log(r["size"]), math.log(r[way][1])) for r in rows if r.get(way) and r["size"] >= 1]
    if len(at) < 3:
        return None
    mx, my = (sum(x) / len(at) for x in zip(*at))
    return sum((x - mx) * (y - my) for x, y in at) / sum((x - mx) ** 2 for x, _ in at)


def table(rows, ways, title, k, form):
    lines = ["", title, "", "| program | MB | %s |" % " | ".join(ways), "|---|---:|" + "---:|" * len(ways)]
    for r in rows:
        cells = [form % r[w][k] if r.get(w) else "-" for w in ways]
        lines.append("| %s | %.1f | %s |" % (r["name"], r["size"], " | ".join(cells)))
    return lines


def ratios(rows, ways):
    r, base = rows[-1], rows[-1].get("lld")
    if not base:
        return []
    return ["", "Times lld, for %s (%.0f MB): " % (r["name"], r["size"]) + "; ".join(
        "%s %.1f wall, %.1f processor, %.1f memory" % (w, *(x / y for x, y in zip(r[w], base)))
        for w in ways if r.get(w) and w != "lld") + "."]


def markdown(rows, ways):
    lines = ["Measured %s on %s." % (datetime.date.today(), tables.machine())]
    lines += table(rows, ways, "Wall time of the link, s:", 0, "%.2f")
    lines += table(rows, ways, "Processor time, s:", 1, "%.2f")
    fits = [exponent(rows, w) for w in ways]
    lines.append("| **exponent** | | %s |" % " | ".join("-" if e is None else "%.2f" % e for e in fits))
    lines += table(rows, ways, "Peak memory of the largest process, MB:", 2, "%.0f")
    return lines + ratios(rows, ways), [w for w, e in zip(ways, fits) if e and e > 1.15 and w.startswith("ldx")]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--stage", default=TOP + "/build/stage")
    ap.add_argument("--work", default=TOP + "/build/growth")
    ap.add_argument("--runs", type=int, default=3)
    ap.add_argument("--only", default=".")
    ap.add_argument("--ways", default=".")
    ap.add_argument("--bolt", action="store_true")
    ap.add_argument("--readme")
    o = ap.parse_args()
    o.stage, o.work = os.path.abspath(o.stage), os.path.abspath(o.work)
    b = Bench(o)
    rows = [measure(b, *p) for p in PROGRAMS if re.search(o.only, p[0])]
    rows = [r for r in rows if "size" in r]
    if not rows:
        return 1
    ways = [w for w, _ in b.links()] + ["BOLT"] * o.bolt
    lines, steep = markdown(rows, ways)
    print("\n".join(lines))
    if o.readme:
        tables.rewrite(o.readme, "growth", lines)
    for w in steep:
        print("growth: %s grows faster than its input" % w, file=sys.stderr)
    return bool(steep)


if __name__ == "__main__":
    sys.exit(main())
