#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Execution counts of an uninstrumented program, from outside: the judge of ldx's counts.

  oracle.py [--engine qemu|callgrind|step] [--children] [--atomic] [-o FILE] -- PROG ARG...
  oracle.py compare [--skip-rep] A B
  oracle.py selftest [--quick]

Prints `address count [rep]` for every instruction of PROG that ran: address is the link-time
address in hex.  Shared libraries are not counted.

  qemu       qemu-user with the plugin oracle_tcg.c; 2.6 times native speed; any guest CPU
  callgrind  valgrind; 16 times native speed; x86-64
  step       ptrace single step on the real CPU, from the entry point on; 0.1 M instructions/s;
             x86-64; the reference

What the engines cannot agree on, measured on Debian 12:
 - REP string instructions: qemu and callgrind count iterations, step counts one.  Marked `rep`.
 - CPUID: qemu and callgrind show another CPU, so a static libc takes other paths in start-up and
   IFUNC code.  Run both programs under the same engine, or use step.
 - AVX-512: qemu 7.2 and callgrind raise SIGILL.
 - A faulting instruction is counted by qemu and step, not by callgrind.
 - A process killed by a signal leaves no counts with qemu.
 - fork: callgrind's children inherit their parent's counts; use --children with the others.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from ldxmap import Elf  # noqa: E402

# By e_machine, byte order and width: qemu's name, and the triple of the tools.
CPUS = {(183, "<", True): ("aarch64", "aarch64-linux-gnu"), (8, ">", False): ("mips", "mips-linux-gnu"),
        (8, "<", False): ("mipsel", "mipsel-linux-gnu"), (8, "<", True): ("mips64el", "mips64el-linux-gnuabi64"), (243, "<", True): ("riscv64", "riscv64-linux-gnu")}


def work_dir():
    d = os.environ.get("LDX_TEST_WORK") or os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "testwork")
    os.makedirs(d, exist_ok=True)
    return d


def helper(src, out, flags):
    """Compile one of the helpers next to this file, once; safe with several runners."""
    src, out = os.path.join(HERE, src), os.path.join(work_dir(), out)
    if not os.path.exists(out) or os.path.getmtime(out) < os.path.getmtime(src):
        tmp = "%s.%d" % (out, threading.get_native_id())
        subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", "-o", tmp, src] + flags, check=True)
        os.rename(tmp, out)
    return out


class Counts(dict):
    """{address: count}; ways: {(from, to): count}; memory: {address: (loads, stores)}; addresses: {address: (executions that
    access memory, sum of the addresses of the first access of each)}, where the engine tells them."""

    def __init__(self):
        super().__init__()
        self.ways, self.memory, self.addresses = {}, {}, {}


def read_counts(files, elf):
    total = Counts()
    for name in files:
        with open(name) as f:
            bias = (int(f.readline(), 16) - elf.exec_base()) & ~0xFFF
            for line in f:
                if line[0] == "m":
                    _, a, *accesses = line.split()
                    a = int(a, 16) - bias
                    total.memory[a] = tuple(int(n) + old for n, old in zip(accesses, total.memory.get(a, (0, 0))))
                    continue
                if line[0] == "a" and line[1] == " ":
                    _, a, n, s = line.split()
                    total.addresses[int(a, 16) - bias] = int(n), int(s)
                    continue
                *where, n = line.split()
                a = tuple(int(x, 16) - bias for x in where)
                d, a = (total, a[0]) if len(a) == 1 else (total.ways, a)
                d[a] = d.get(a, 0) + int(n)
    return total


def qemu_command(elf):
    if elf.machine == 62:
        return ["qemu-x86_64", "-cpu", "max"]
    name, triple = CPUS[elf.machine, elf.order, elf.wide]
    return ["qemu-" + name, "-L", "/usr/" + triple]


def newest(pattern, children):
    files = sorted(glob.glob(pattern), key=os.path.getmtime)
    return files if children else files[-1:]


def run_qemu(elf, cmd, tmp, o, run):
    so = helper("oracle_tcg.c", "oracle_tcg.so", ["-shared", "-fPIC"])
    plugin = "%s,out=%s/tcg%s" % (so, tmp, "".join(",%s=1" % k for k in ("atomic", "ways", "memory", "addresses") if o.get(k)))
    done = subprocess.run(qemu_command(elf) + ["-plugin", plugin] + cmd, **run)
    return done, read_counts(newest(tmp + "/tcg.*", o.get("children")), elf)


def run_step(elf, cmd, tmp, o, run):
    exe = helper("oracle_step.c", "oracle_step", [])
    done = subprocess.run([exe] + (["-f"] if o.get("children") else []) + ["-o", tmp + "/step"] + cmd, **run)
    return done, read_counts([tmp + "/step"], elf)


def callgrind_lines(path, me):
    """(is it code valgrind attributes to no object, address, count) for each cost line of PROG."""
    obj = skip = None
    for line in open(path, errors="replace"):
        if line.startswith("0x"):
            if not skip and obj is not None:
                p = line.split()
                if len(p) >= 3:
                    yield obj, int(p[0], 16), int(p[2])
            skip = False
        elif line.startswith("ob="):
            name = line[3:].strip()
            obj = True if name == "???" else False if os.path.realpath(name) == me else None
        elif line.startswith("calls="):
            skip = True


def run_callgrind(elf, cmd, tmp, o, run):
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no", "--compress-strings=no",
         "--skip-plt=no", "--callgrind-out-file=%s/cg.%%p" % tmp, "--log-file=%s/log.%%p" % tmp] + cmd, **run)
    # .plt, .init and .fini are outside the .text that valgrind knows of: they come with run-time
    # addresses, and valgrind loads a PIE at 0x108000
    bias = 0x108000 if elf.type == 3 else 0
    code = [(p[3], p[3] + p[5]) for p in elf.segments if p[0] == 1 and p[1] & 1]
    total = Counts()
    for path in newest(tmp + "/cg.*", o.get("children")):
        for unknown, a, n in callgrind_lines(path, os.path.realpath(elf.path)):
            if unknown:
                a -= bias
                if not any(lo <= a < hi for lo, hi in code):
                    continue
            total[a] = total.get(a, 0) + n
    return done, total


ENGINES = {"qemu": run_qemu, "callgrind": run_callgrind, "step": run_step}


def count(cmd, engine="qemu", children=False, atomic=False, ways=False, memory=False, addresses=False, **run):
    """Run cmd; return (CompletedProcess, Counts)."""
    prog = cmd[0] if os.path.exists(cmd[0]) else shutil.which(cmd[0]) or cmd[0]
    tmp = tempfile.mkdtemp(prefix="oracle.")
    try:
        return ENGINES[engine](Elf(prog), list(cmd), tmp,
                               {"children": children, "atomic": atomic, "ways": ways, "memory": memory,
                                "addresses": addresses}, run)
    finally:
        shutil.rmtree(tmp, ignore_errors=True)


def load(path):
    counts, rep = {}, set()
    for line in open(path):
        p = line.split()
        if len(p) >= 2:
            counts[p[0]] = int(p[1])
            if "rep" in p[2:]:
                rep.add(p[0])
    return counts, rep


def compare(argv):
    ap = argparse.ArgumentParser()
    ap.add_argument("--skip-rep", action="store_true")
    ap.add_argument("a")
    ap.add_argument("b")
    o = ap.parse_args(argv)
    (a, ra), (b, rb) = load(o.a), load(o.b)
    keys = (set(a) | set(b)) - (ra | rb if o.skip_rep else set())
    bad = sorted(k for k in keys if a.get(k, 0) != b.get(k, 0))
    for k in bad[:20]:
        print("%s: %d %d" % (k, a.get(k, 0), b.get(k, 0)))
    print("%d addresses compared, %d equal, %d differ" % (len(keys), len(keys) - len(bad), len(bad)))
    return 1 if bad else 0


SELF = r'''
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf jb;
static void handler(int s) { (void)s; longjmp(jb, 2); }
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) int sw(int x)
{
	switch (x % 9) {
	case 0: return 3; case 1: return 7; case 2: return 1; case 3: return 9;
	case 4: return 12; case 5: return 44; case 6: return 8; default: return 0;
	}
}
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	int s = 0, v[300];
	for (int i = 0; i < 1000; i++) s += sw(i);
	s += fib(15);
	for (int i = 0; i < 300; i++) v[i] = i * 7919 % 1009;
	qsort(v, 300, sizeof *v, cmp);
	signal(SIGUSR1, handler);
	if (!setjmp(jb)) raise(SIGUSR1);
	printf("%d %d\n", s, v[100]);
	return 0;
}
'''


def selftest(quick):
    """fib(15) is called 1973 times, sw 1000 times, and the engines agree at every address."""
    bad = 0
    with tempfile.TemporaryDirectory(prefix="oracle.") as tmp:
        with open(tmp + "/t.c", "w") as f:
            f.write(SELF)
        for flags in [["-O1"]] if quick else (["-O0"], ["-O1"], ["-O1", "-no-pie"], ["-O1", "-static"]):
            subprocess.run(["cc", "-w"] + flags + [tmp + "/t.c", "-o", tmp + "/t"], check=True)
            elf = Elf(tmp + "/t")
            where = {n: (a, a + s) for a, s, n in elf.functions() if n in ("fib", "sw", "main")}
            got = {}
            for engine in ENGINES:
                c = count([tmp + "/t"], engine, stdout=subprocess.DEVNULL)[1]
                got[engine] = {a: n for a, n in c.items() if not elf.is_rep(a)}
                right = c.get(where["fib"][0]) == 1973 and c.get(where["sw"][0]) == 1000
                bad += not right
                print("%-12s %-10s %d addresses%s" % (" ".join(flags), engine, len(c), "" if right else "  WRONG"))
            ref = got["step"]
            for engine in ("callgrind", "qemu"):
                keys = {k for k in set(ref) | set(got[engine])
                        if "-static" not in flags or any(a <= k < b for a, b in where.values())}
                diff = [k for k in keys if ref.get(k, 0) != got[engine].get(k, 0)]
                bad += bool(diff)
                print("%-12s %-10s against step: %d differ" % (" ".join(flags), engine, len(diff)))
    return 1 if bad else 0


def main():
    if sys.argv[1:2] == ["compare"]:
        return compare(sys.argv[2:])
    if sys.argv[1:2] == ["selftest"]:
        return selftest("--quick" in sys.argv)
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--engine", default="qemu", choices=list(ENGINES))
    ap.add_argument("--children", action="store_true")
    ap.add_argument("--atomic", action="store_true")
    ap.add_argument("-o", default="-")
    ap.add_argument("cmd", nargs=argparse.REMAINDER)
    o = ap.parse_args()
    cmd = o.cmd[1:] if o.cmd[:1] == ["--"] else o.cmd
    if not cmd:
        ap.error("no program")
    done, counts = count(cmd, o.engine, o.children, o.atomic)
    elf = Elf(shutil.which(cmd[0]) or cmd[0])
    f = sys.stdout if o.o == "-" else open(o.o, "w")
    for a in sorted(counts):
        f.write("%x %d%s\n" % (a, counts[a], " rep" if elf.is_rep(a) else ""))
    if not counts:
        print("oracle: no counts", file=sys.stderr)
        return 125
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


if __name__ == "__main__":
    sys.exit(main())
