#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real programs, and gcc's own tests, on every target: are they the same through ldx, and what do they cost?

  real.py [--stage DIR] [--work DIR] [--only RE] [--kinds LIST] [--parts LIST] [--torture N] [--json FILE] [--write] [CPU...]

The programs are compiled from Debian's source packages by the cross gcc with -O2 and run by qemu-user.
Parts:
  programs  linked statically (all of the C library is counted) and dynamically, plainly and in every mode:
            each run of a program has the same result; the count of each block and edge is the one that QEMU
            sees, in the null link and, for all blocks of libraries and threads too, in the same run; how many
            instructions are executed, and how large the code is, as ratios to the plain link
  opaque    which share of the code is in opaque functions: of the C, mathematical and C++ libraries with all
            their members, and of the programs
  torture   gcc's tests of execution, at -O2 and -O3: as the plain link.  --torture N: each Nth of them (default 20)
--json keeps the figures; those of other CPUs stay.  --write: put the tables of them into man/targets.md.
Exit status: 0 all is the same and no figure is beyond its goal, 1 otherwise.
"""
import argparse
import collections
import concurrent.futures
import glob
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.dirname(HERE)
TOP = os.path.dirname(SUITE)
sys.path[:0] = [SUITE] + [os.path.join(SUITE, d) for d in ("oracle", "bench")]
import exact  # noqa: E402
import ldxmap  # noqa: E402
import oracle  # noqa: E402
import sources  # noqa: E402
import tables  # noqa: E402
from sources import Program  # noqa: E402

_loader = importlib.machinery.SourceFileLoader("run_case", os.path.join(SUITE, "run-case"))
run_case = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_case", _loader))
_loader.exec_module(run_case)

PARTS = "programs,opaque,torture"
KINDS = {"static": ["-static"], "dynamic": []}
MODES = ("none", "functions", "cover", "blocks", "edges")
COUNTING = MODES[1:]
# Counts may be lost where a signal handler runs, or threads: only what they cost is measured.
INEXACT = "edges, plain counters"
FLAGS = {INEXACT: ["--instrument=edges", "--ldx-counters=plain"]}
MEASURED = COUNTING + (INEXACT,)

# Goals: of the share of opaque code in per cent, and of instructions executed with edges.
OPAQUE, EDGES = {"aarch64": 0.5}, 1.35
OPAQUE_ELSEWHERE = 0.2


class Run(typing.NamedTuple):
    """args: with @ for the source and # for this folder; stdin, want: files, for what is read and printed."""
    args: str = ""
    stdin: str = "/dev/null"
    want: typing.Optional[str] = None
    status: int = 0


class Real(typing.NamedTuple):
    """runs: the first is measured.  hashes: what it executes depends on addresses; threads: on who comes first."""
    program: Program
    runs: list
    hashes: bool = False
    threads: bool = False

    def unlike(self):
        """Are no two runs alike?"""
        return self.hashes or self.threads


BZIP2 = "blocksort.c bzlib.c compress.c crctable.c decompress.c huffman.c randtable.c "
SQLITE = dict(package="sqlite3", prep="./configure -q && make -s sqlite3.c shell.c", libs="-lm", driver=False,
              flags="-I. -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_FTS5")
ZLIB = dict(package="zlib", flags="-I. -D_LARGEFILE64_SOURCE=1", driver=False)
REAL = {
    "bzip2": Real(Program(BZIP2 + "bzip2.c", package="bzip2", flags="-I.", driver=False),
                  [Run("-1", "@/sample1.ref", "@/sample1.bz2"), Run("-d", "@/sample1.bz2", "@/sample1.ref"),
                   Run("-2", "@/sample2.ref", "@/sample2.bz2"), Run("-d", "@/sample2.bz2", "@/sample2.ref"),
                   Run("-3", "@/sample3.ref", "@/sample3.bz2"), Run("-ds", "@/sample3.bz2", "@/sample3.ref")]),
    "zlib example": Real(Program("*.c test/example.c", **ZLIB), [Run("file.gz")]),
    "zlib infcover": Real(Program("*.c test/infcover.c", **ZLIB), [Run()]),
    "minigzip": Real(Program("*.c test/minigzip.c", **ZLIB), [Run("-6", "@/ChangeLog")]),
    "lua": Real(Program("src/*.c", package="lua5.4", not_files="luac.c", libs="-lm -ldl", driver=False,
                        prep="echo '#define DEB_HOST_MULTIARCH \"any\"' >src/lua5.4-deb-multiarch.h",
                        flags="-Isrc -DLUA_USE_LINUX -DLUA_COMPAT_5_3 '-Dluai_makeseed(L)=0' -DSTRCACHE_N=1 -DSTRCACHE_M=2"),
                [Run("#/program.lua")], hashes=True),
    "sqlite shell": Real(Program("sqlite3.c shell.c", **SQLITE), [Run("-batch :memory:", "#/program.sql", status=1)]),
    "sqlite speedtest1": Real(Program("sqlite3.c test/speedtest1.c", **SQLITE),
                              [Run("--size 1 --verify :memory:"), Run("--size 1 --verify --testset cte :memory:"),
                               Run("--size 1 --verify --testset fp :memory:"),
                               Run("--size 1 --verify --testset rtree :memory:")]),
    "jsoncpp": Real(Program("src/lib_json/*.cpp src/test_lib_json/*.cpp", package="libjsoncpp", flags="-Iinclude",
                            driver=False), [Run()]),
    "unwinding": Real(Program("unwinding.cc"), [Run("small")], threads=True),
}


class Wrong(Exception):
    pass


START = time.monotonic()


def say(*words):
    print("%4.0f s:" % (time.monotonic() - START), *words, flush=True)


def sh(cmd, **how):
    r = subprocess.run(cmd, capture_output=True, text=True, errors="replace", **how)
    if r.returncode:
        said = [line for line in (r.stdout + r.stderr).splitlines() if not line.startswith("ldx: stats")]
        raise Wrong("status %d: %s" % (r.returncode, "\n".join(sorted(said, key=lambda line: "error" not in line)[:5])))
    return r


class Cpu:
    """The tools for one target."""

    def __init__(self, o, name):
        self.o, self.name = o, name
        self.prefix = run_case.TARGETS[name] + "-"
        self.relaxes = name in getattr(run_case, "RELAXED", ())  # the last link deletes bytes: addresses of maps are not right
        self.verify = ["--ldx-verify"]
        self.work = os.path.join(o.work, name)
        self.emulator = ["qemu-" + name, "-L", "/usr/" + run_case.TARGETS[name]]
        os.makedirs(os.path.join(self.work, "plain"), exist_ok=True)
        with open(self.work + "/plain/ld", "w") as f:
            f.write("#!/bin/sh\nexec %sld.bfd \"$@\"\n" % self.prefix)
        os.chmod(self.work + "/plain/ld", 0o755)

    def compiler(self, cxx=False):
        return self.prefix + ("g++" if cxx else "gcc")

    def linker(self, mode, flags=()):
        if mode == "plain":
            return ["-B" + self.work + "/plain"]
        own = FLAGS.get(mode, ["--instrument=" + mode]) + ["--ldx-strict"] + ["--ldx-map"] * (mode == "none") + list(flags)
        return ["-B" + self.o.bindir] + ["-Wl," + f for f in own]

    def link(self, mode, objects, args, out, cxx, flags=()):
        return sh([self.compiler(cxx), "-pthread"] + self.linker(mode, flags) + objects + args + ["-o", out])

    def there(self):
        return all(map(shutil.which, [self.compiler(True), self.emulator[0]]))


# by folder: static and dynamic programs are made of the same objects
COMPILING = collections.defaultdict(threading.Lock)


class Built:
    """A program of REAL, compiled for a target, linked in one kind: static or dynamic."""

    def __init__(self, cpu, name, kind):
        self.cpu, self.name, self.kind = cpu, name, kind
        self.real = REAL[name]
        self.src = sources.fetch(self.real.program, os.path.join(cpu.o.work, "src"))
        self.work = os.path.join(cpu.work, name.replace(" ", "-"))
        self.cxx = sources.is_cxx(self.real.program)

    def path(self, mode, file="prog"):
        """A name as long as that of every mode: a program may look at its own."""
        return os.path.join(self.work, self.kind, "m%d" % (("plain",) + MODES + (INEXACT,)).index(mode), file)

    def link(self):
        """All modes; the lines of --ldx-stats for blocks."""
        with COMPILING[self.work]:
            objects = sources.compile_objects(self.name, self.real.program, self.src, self.cpu.compiler(self.cxx), [],
                                              self.work + "/objects")
        args, stats = KINDS[self.kind] + self.real.program.libs, ""
        for mode in ("plain",) + MODES + (INEXACT,):
            os.makedirs(self.path(mode, ""), exist_ok=True)
            flags = self.cpu.verify + ["--ldx-stats"] * (mode == "blocks")
            r = self.cpu.link(mode, objects, args, self.path(mode), self.cxx, flags if mode != "plain" else ())
            exact.verified(r, mode)
            if self.cpu.relaxes:
                self.cpu.link(mode, objects, args + ["-Wl,--no-relax"], self.path(mode, "judged"), self.cxx)
            stats += r.stderr if mode == "blocks" else ""
        self.own = {n for o in objects for _, _, n in ldxmap.Elf(o).functions()}
        return stats

    def place(self, text):
        return text.replace("@", self.src).replace("#", HERE)

    def how(self, run, where):
        """Arguments of subprocess.run for a run in a new directory."""
        shutil.rmtree(where, ignore_errors=True)
        os.makedirs(where)
        return dict(stdin=open(self.place(run.stdin), "rb"), capture_output=True, cwd=where, timeout=900,
                    env={"PATH": os.environ["PATH"], "LC_ALL": "C", "LDX_PROFILE_FILE": where + "/profile"})

    def result(self, r, run):
        """What one run says: status and output, without times and addresses."""
        out = re.sub(rb" *\d+\.\d{3}s|0x[0-9a-f]{6,}", b"", r.stdout)
        if run.want and r.stdout != open(self.place(run.want), "rb").read():
            raise Wrong("%s does not print what is in %s" % (run.args, run.want))
        return r.returncode, out, r.stderr

    def same(self):
        """Every run of every mode does what the plain program does; the number of runs."""
        for run in self.real.runs:
            want = None
            for mode in ("plain",) + MODES:
                where = self.path(mode, "run")
                how = self.how(run, where)
                r = subprocess.run(self.cpu.emulator + [self.path(mode)] + self.place(run.args).split(), **how)
                got = self.result(r, run)
                want = want or got
                if got != want:
                    raise Wrong("%s %s: status %d, plain %d\n%s" % (mode, run.args, got[0], want[0], got[2].decode()[-500:]))
                if want[0] != run.status:
                    raise Wrong("%s: the plain program fails with %d\n%s" % (run.args, want[0], got[2].decode()[-500:]))
                if mode in COUNTING and not os.path.exists(where + "/profile"):
                    raise Wrong("%s: no profile" % mode)
        return len(self.real.runs)

    def count(self, mode, ways=False, file="prog"):
        """What QEMU counts in the first run, which leaves its profile."""
        run = self.real.runs[0]
        how = self.how(run, self.path(mode, "counted"))
        r, seen = oracle.count([self.path(mode, file)] + self.place(run.args).split(), "qemu", False, self.real.threads, ways, **how)
        if not seen or r.returncode != run.status:
            raise Wrong("%s: under the oracle: status %d" % (mode, r.returncode))
        return seen

    def unfit(self, m):
        """Functions that need not run alike in two programs: what a library executes depends on where its data lie."""
        return {f.name for f in m.funcs} - self.own if self.kind == "static" else set()

    def exact(self):
        """{mode: instructions executed}, when each count is QEMU's; and what was compared, as text."""
        file = "judged" if self.cpu.relaxes else "prog"
        null = self.path("none", file)
        unfit, done = self.unfit(ldxmap.Map(ldxmap.Elf(null))), "not compared with another run"
        seen = self.count("none", not self.real.unlike(), file)
        insns = {"plain": sum(self.count("plain").values())}
        insns[INEXACT] = sum(self.count(INEXACT).values())
        for mode in COUNTING:
            mine, prog, profile = self.count(mode, file=file), self.path(mode, file), self.path(mode, "counted/profile")
            if mode != "functions" and not self.real.unlike():
                done = exact.compare(null, prog, profile, seen, unfit)
            if mode in ("blocks", "edges"):
                own = exact.compare_self(null, prog, profile, mine)
            insns[mode] = sum((mine if file == "prog" else self.count(mode)).values())
        return insns, "%s; in the same run: %d blocks" % (done, own)


def code_bytes(stats):
    """Bytes in functions, and in opaque ones, by what --ldx-stats prints."""
    total = int(re.search(r"stats: functions: \d+ \((\d+) bytes", stats)[1])
    return total, total - int(re.search(r"stats: whole: \d+ \((\d+) bytes", stats)[1])


def check(cpu, name, kind):
    """A row of figures of one program, with what is wrong."""
    b, row = Built(cpu, name, kind), {}
    try:
        row["code"] = code_bytes(b.link())
        row["text"] = {mode: ldxmap.Elf(b.path(mode)).text_size() for mode in ("plain",) + MEASURED}
        row["runs"] = b.same()
        row["insns"], row["compared"] = b.exact()
    except (Wrong, exact.Mismatch, ValueError, subprocess.SubprocessError) as e:
        row["wrong"] = str(e)
    say("%s, %s, %s: %s" % (cpu.name, name, kind, "WRONG: " + row["wrong"][:300] if "wrong" in row else row["compared"]))
    return row


def save(o, result):
    with open(o.json, "w") as f:
        json.dump(result, f, indent=1)


def part_programs(o, cpus, result):
    todo = [(cpu, name, kind) for cpu in cpus for kind in o.kinds.split(",") for name in REAL if re.search(o.only, name)]
    for p in {REAL[name].program.package: REAL[name].program for _, name, _ in todo}.values():
        sources.fetch(p, os.path.join(o.work, "src"))
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for (cpu, name, kind), row in zip(todo, pool.map(lambda t: check(*t), todo)):
            result[cpu.name].setdefault("programs", {}).setdefault(name, {})[kind] = row
            save(o, result)


def libraries(cpu):
    """The C library without what crt1.o and crtbeginT.o replace in static programs, and the others."""
    c, *rest = [sh([cpu.compiler(True), "-print-file-name=lib%s.a" % n]).stdout.strip() for n in ("c", "m", "stdc++")]
    copy = os.path.join(cpu.work, "libc.a")
    shutil.copy(c, copy)
    sh([cpu.prefix + "ar", "d", copy, "dl-reloc-static-pie.o", "dso_handle.o"])
    return [copy] + rest


def part_opaque(o, cpus, result):
    """All members of the libraries, verified with counters too."""
    for cpu in cpus:
        row, src = result[cpu.name].setdefault("libraries", {}), os.path.join(cpu.work, "empty.c")
        with open(src, "w") as f:
            f.write("int main(void) { return 0; }\n")
        args = ["-static", "-Wl,--whole-archive", *libraries(cpu), "-Wl,--no-whole-archive"]
        row.clear()
        try:
            for mode in ("none", "edges"):
                r = cpu.link(mode, [src], args, cpu.work + "/libraries", True, cpu.verify + ["--ldx-stats"])
                row["code"] = code_bytes(r.stderr)
            r = subprocess.run(cpu.emulator + [cpu.work + "/libraries"], capture_output=True, cwd=cpu.work)
            if r.returncode:
                raise Wrong("status %d" % r.returncode)
        except Wrong as e:
            row["wrong"] = str(e)
        say("%s: libraries: %s" % (cpu.name, row.get("wrong") or "%d bytes, %d opaque" % row["code"]))


def torture(o, cpu, suite, mode):
    """{test: verdict}"""
    cmd = [sys.executable, os.path.join(SUITE, "corpus", "torture.py"), "--dir", suite, "--cc", cpu.compiler(), "--opts", "-O2;-O3",
           "--link", " ".join(cpu.linker(mode, cpu.verify if mode != "plain" else ())), "--run", " ".join(cpu.emulator),
           "--cache", os.path.join(cpu.work, "torture"), "--jobs", str(o.jobs), "--shard", "0/%d" % o.torture, "gcc.c-torture/execute"]
    r = subprocess.run(cmd, capture_output=True, text=True)
    return {m[2]: m[1] for m in re.finditer(r"^(PASS|FAIL|SKIP): (.*?-O[23])\b.*$", r.stdout, re.M)}


def part_torture(o, cpus, result):
    suite = os.path.join(o.work, "gcc-testsuite")
    archive = glob.glob("/usr/src/gcc-12/gcc-12.*.tar.xz")
    if not os.path.exists(suite + "/gcc.c-torture"):
        if not archive:
            raise SystemExit("no package gcc-12-source")
        os.makedirs(suite, exist_ok=True)
        subprocess.run(["tar", "-C", suite, "-xf", archive[0], "--strip-components=3", "--wildcards",
                        "*/gcc/testsuite/gcc.c-torture/execute"], check=True)
    for cpu in cpus:
        got = {mode: torture(o, cpu, suite, mode) for mode in ("plain", "edges")}
        differ = sorted(t for t in got["plain"] if got["edges"].get(t) != got["plain"][t])
        passed = sum(v == "PASS" for v in got["plain"].values())
        result[cpu.name]["torture"] = {"passed": passed, "of": len(got["plain"]), "differ": differ}
        say("%s: torture: %d of %d pass when linked plainly; %d differ %s" % (cpu.name, passed, len(got["plain"]), len(differ), differ[:20]))


def opaque_share(r):
    """Per cent of opaque code in the libraries and in all static programs."""
    pairs = [row["code"] for row in [r.get("libraries", {})] + [kinds.get("static", {}) for kinds in r.get("programs", {}).values()]
             if "code" in row]
    return 100 * sum(p[1] for p in pairs) / max(sum(p[0] for p in pairs), 1)


def ratios(r, kind, key, mode):
    return [row[kind][key][mode] / row[kind][key]["plain"] for row in r.get("programs", {}).values()
            if key in row.get(kind, {}) and (key != "text" or row[kind][key]["plain"] >= tables.LARGE)]


def beyond(cpu, r):
    """What is wrong of a target, as lines."""
    bad = ["%s, %s: %s" % (name, kind, row["wrong"].split("\n")[0][:200]) for name, kinds in r.get("programs", {}).items()
           for kind, row in kinds.items() if "wrong" in row]
    bad += ["libraries: " + r["libraries"]["wrong"].split("\n")[0][:200]] if "wrong" in r.get("libraries", {}) else []
    bad += ["torture: %s" % t for t in r.get("torture", {}).get("differ", [])]
    if opaque_share(r) > OPAQUE.get(cpu, OPAQUE_ELSEWHERE):
        bad.append("%.2f %% of the code is opaque" % opaque_share(r))
    bad += ["edges: %.2f times the instructions, %s" % (tables.geomean(v), kind) for kind in KINDS
            for v in [ratios(r, kind, "insns", "edges")] if v and tables.geomean(v) > EDGES]
    return [cpu + ": " + line for line in bad]


def by_target(results):
    out = [tables.line(["target", "link", ""] + list(MEASURED)), "|---|---|---|" + "---:|" * len(MEASURED)]
    for cpu, r in results.items():
        for kind in KINDS:
            for key, what in ("insns", "instructions"), ("text", "text"):
                if ratios(r, kind, key, "edges"):
                    out.append(tables.line([cpu, kind, what] + [tables.number(tables.geomean(ratios(r, kind, key, m))) for m in MEASURED]))
    return out


def by_program(results):
    rows = [(cpu, kind) for cpu in results for kind in KINDS if ratios(results[cpu], kind, "insns", "edges")]
    out = [tables.line(["program"] + ["%s, %s" % c for c in rows]), "|---|" + "---:|" * len(rows)]
    for name in REAL:
        cells = [results[cpu].get("programs", {}).get(name, {}).get(kind, {}).get("insns") for cpu, kind in rows]
        out.append(tables.line([name] + [tables.number(c["edges"] / c["plain"]) if c else "" for c in cells]))
    return out


def others(results):
    out = [tables.line(["target", "libraries, kB", "opaque, %", "with the programs, %", "gcc's tests: compared", "differ"]), "|---|" + "---:|" * 5]
    for cpu, r in results.items():
        lib, t = r.get("libraries", {}).get("code"), r.get("torture")
        out.append(tables.line([cpu, "%d" % (lib[0] / 1000) if lib else "", "%.2f" % (100 * lib[1] / lib[0]) if lib else "",
                                "%.2f" % opaque_share(r)] + ([str(t["of"]), str(len(t["differ"]))] if t else ["", ""])))
    return out


def options():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--stage", default=os.environ.get("LDX_STAGE", TOP + "/build/stage"))
    ap.add_argument("--work", default=TOP + "/build/targets")
    ap.add_argument("--only", default=".", help="programs")
    ap.add_argument("--kinds", default=",".join(KINDS))
    ap.add_argument("--parts", default=PARTS)
    ap.add_argument("--torture", type=int, default=20)
    ap.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    ap.add_argument("--json")
    ap.add_argument("--write", action="store_true")
    ap.add_argument("cpus", nargs="*", metavar="CPU")
    o = ap.parse_args()
    for cpu in o.cpus:
        if cpu not in run_case.TARGETS:
            ap.error("no such target: %s: choose of %s" % (cpu, ", ".join(run_case.TARGETS)))
    o.stage, o.work = os.path.abspath(o.stage), os.path.abspath(o.work)
    o.json = o.json or o.work + "/results.json"
    o.bindir = sh([o.stage + "/bin/ldx", "--ldx-print=bindir"]).stdout.strip()
    return o


def main():
    o = options()
    os.makedirs(o.work, exist_ok=True)
    os.environ.setdefault("LDX_TEST_WORK", o.work)
    cpus = [Cpu(o, name) for name in o.cpus or run_case.TARGETS]
    for cpu in cpus:
        if not cpu.there():
            raise SystemExit("no cross compiler or no emulator for " + cpu.name)
    result = {}
    if os.path.exists(o.json):
        with open(o.json) as f:
            result = json.load(f)
    for cpu in cpus:
        result.setdefault(cpu.name, {})
    for part in o.parts.split(","):
        {"programs": part_programs, "opaque": part_opaque, "torture": part_torture}[part](o, cpus, result)
    save(o, result)
    text = {"targets": by_target(result), "targets-programs": by_program(result), "targets-opaque": others(result)}
    print("\n" + "\n\n".join("\n".join(lines) for lines in text.values()))
    if o.write:
        for mark, lines in text.items():
            tables.rewrite(TOP + "/man/targets.md", mark, lines)
    bad = [line for cpu in cpus for line in beyond(cpu.name, result[cpu.name])]
    print("\n" + "\n".join(bad + ["%d wrong" % len(bad)]))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
