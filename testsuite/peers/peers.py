#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""peers.py - two suites that others wrote, GNU ld's and mold's, with ldx in GNU ld's place

Each test is run with GNU ld, with ldx --instrument=none and with edges: what passes with GNU ld is to pass with
ldx.  Each link that a test makes through ldx is made by GNU ld too, and both outputs are compared (link.py).

    peers.py mold            mold's tests
    peers.py ld              GNU ld's tests
    peers.py ld-elf          those of one folder of GNU ld's, or of one file: ld-elf/shared.exp
    peers.py mold 1/4        the first of four parts
    peers.py aarch64 mold    on another CPU (aarch64, riscv64, mips, mips64el): a sample, chosen by --seed
    peers.py --report ...    only say what earlier runs have found

A run continues where an earlier one ended: what ran with the same ldx is not repeated.  Everything is below
--work (build/peers): table.tsv has the tests, differences.tsv what differs; a link that differs is kept with both
outputs.  known.tsv says what may differ; whatever it does not list is a failure.

The sources are Debian's source packages, fetched by apt.  mold's is that of the release named by --mold-suite: it
has twice the tests of Debian 12's.
"""
import argparse
import collections
import fnmatch
import glob
import hashlib
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TOP, "testsuite", "corpus")]
import corpus  # noqa: E402

MODES = ("ref", "none", "edges")
HANGS = 3000  # seconds, of one file of GNU ld's suite
HANGS_SCRIPT = 300  # of one of mold's tests

# The name of the CPU in each suite, the triplets of gcc and of GNU ld's suite, the folders of the latter.
Cpu = collections.namedtuple("Cpu", "triple target mold folders")
CPUS = {
    "x86_64": Cpu("", "x86_64-pc-linux-gnu", "x86_64", ["ld-x86-64"]),
    "aarch64": Cpu("aarch64-linux-gnu", "aarch64-unknown-linux-gnu", "aarch64", ["ld-aarch64"]),
    "riscv64": Cpu("riscv64-linux-gnu", "riscv64-unknown-linux-gnu", "riscv64", ["ld-riscv-elf"]),
    "mips": Cpu("mips-linux-gnu", "mips-unknown-linux-gnu", "mips", ["ld-mips-elf"]),
    "mips64el": Cpu("mips64el-linux-gnuabi64", "mips64el-unknown-linux-gnuabi64", "mips64el", ["ld-mips-elf"]),
}
# The folders of GNU ld's suite that are for each ELF target.  Not ld-bootstrap, which links GNU ld itself.
FOLDERS = """ld-cdtest ld-checks ld-ctf ld-discard ld-dynamic ld-elf ld-elfcomm ld-elfvers ld-elfweak ld-gc ld-ifunc
    ld-libs ld-linkonce ld-misc ld-pie ld-plugin ld-scripts ld-selective ld-sframe ld-shared ld-size ld-srec
    ld-undefined ld-unique ld-vsb""".split()
MOLD_SAMPLE, LD_SAMPLE = 60, 15  # of other CPUs: scripts of mold's; per cent of GNU ld's tests


# ---------------------------------------------------------------- sources
def apt_of_release(release, where):
    """The configuration of an apt that knows the sources of another release of Debian only."""
    os.makedirs(where + "/lists/partial", exist_ok=True)
    os.makedirs(where + "/parts", exist_ok=True)
    mirror = "http://deb.debian.org/debian"
    for f in glob.glob("/etc/apt/sources.list") + glob.glob("/etc/apt/sources.list.d/*"):
        with open(f) as text:
            if m := re.search(r"\b(https?://\S+/debian)/?\s", text.read()):
                mirror = m[1]
                break
    with open(where + "/parts/release.sources", "w") as f:
        f.write("Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\n" % (mirror, release) +
                "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n")
    with open(where + "/conf", "w") as f:
        f.write('Dir::Etc::SourceList "/dev/null";\nDir::Etc::SourceParts "%s/parts";\n' % where +
                'Dir::State::Lists "%s/lists";\nDir::Cache "%s";\nAPT::Sandbox::User "root";\n' % (where, where))
    env = dict(os.environ, APT_CONFIG=where + "/conf")
    subprocess.run(["apt-get", "-qq", "update"], env=env, stderr=subprocess.DEVNULL)
    return env


def fetch_mold(cache, release):
    """mold's upstream archive of that release; None if it cannot be had."""
    src = os.path.join(cache, "mold")
    if os.path.exists(src + ".ok"):
        return src
    env = apt_of_release(release, os.path.join(cache, "apt"))
    subprocess.run(["apt-get", "source", "-qq", "--tar-only", "--download-only", "mold"], cwd=cache, env=env,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    archives = sorted(glob.glob(os.path.join(cache, "mold_*.orig.tar.*")))
    if not archives:
        return None
    shutil.rmtree(src, ignore_errors=True)
    os.makedirs(src)
    subprocess.run(["tar", "-xf", archives[-1], "--strip-components=1", "-C", src], check=True)
    open(src + ".ok", "w").close()
    return src


def fetch_ld(cache):
    """The source of the binutils that are installed, with the plugins that its tests load; None if not to be had."""
    src = os.path.join(cache, "binutils")
    if os.path.exists(src + ".ok"):
        return src
    shutil.rmtree(src, ignore_errors=True)
    try:
        corpus.unpack(cache, corpus.download("binutils", cache), src)
    except SystemExit:
        return None
    build_plugins(src, src + "/peers-libs")
    open(src + ".ok", "w").close()
    return src


def build_plugins(src, libs):
    """testplug.c, without building binutils: what configure would find out is known here."""
    os.makedirs(libs, exist_ok=True)
    have = "STRING_H STDLIB_H UNISTD_H SYS_STAT_H SYS_TYPES_H FCNTL_H"
    with open(libs + "/config.h", "w") as f:
        f.write("#define _GNU_SOURCE 1\n#define PACKAGE \"ld\"\n#include <stdbool.h>\n" +
                "".join("#define HAVE_%s 1\n" % h for h in have.split()))
    open(libs + "/bfd.h", "w").close()
    for n in "", "2", "3", "4":
        subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-I" + libs, "-I" + src + "/include",
                        src + "/ld/testplug%s.c" % n, "-o", libs + "/libldtestplug%s.so" % n, "-liberty"], check=False)


# ---------------------------------------------------------------- runs
class Unit:
    """What is run at once with one linker: a file of GNU ld's suite, or one of mold's scripts."""

    def __init__(self, cpu, suite, name):
        self.cpu, self.suite, self.name = cpu, suite, name

    def where(self, work, mode):
        return os.path.join(work, self.cpu, self.suite, self.name.replace("/", "_").replace(".exp", ""), mode)


def tool(cpu, name):
    triple = CPUS[cpu].triple
    return shutil.which((triple + "-" if triple else "") + name)


def identity(o):
    """Of the ldx under test: what ran with another one is run again."""
    h = hashlib.sha1()
    parts = glob.glob(o.stage + "/lib/ldx/*.o") + [os.path.join(o.stage, "bin", "ldx"), HERE + "/link.py"]
    for f in sorted(parts) + ([o.same] if o.same else []):
        with open(f, "rb") as data:
            h.update(data.read())
    return h.hexdigest()


def install_linker(o, unit, mode, where, names):
    """The script that stands for the linker in one run."""
    bindir = os.path.join(where, "linker")
    os.makedirs(bindir)
    os.makedirs(where + "/kept")
    run = {"mode": mode, "ld": tool(unit.cpu, "ld.bfd"), "ldx": o.stage + "/lib/ldx/bin/ld", "same": o.same,
           "own": os.path.realpath(bindir), "results": where + "/results", "keep": where + "/kept"}
    with open(where + "/run.json", "w") as f:
        json.dump(run, f)
    script = "#!/bin/sh\nPEERS_RUN=%s exec %s -IS %s \"$@\"\n" % (
        shlex.quote(where + "/run.json"), sys.executable, shlex.quote(HERE + "/link.py"))
    for name in names:
        with open(os.path.join(bindir, name), "w") as f:
            f.write(script)
        os.chmod(os.path.join(bindir, name), 0o755)
    return bindir


def supervise(cmd, cwd, env, log, seconds):
    """Run it in a session of its own, so that nothing is left of what hangs."""
    with open(log, "w") as out:
        p = subprocess.Popen(cmd, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                             start_new_session=True)
        try:
            return p.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(p.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            p.wait()


SITE = """set tool ld
set base_dir [pwd]
set objdir [pwd]
set build_triplet x86_64-pc-linux-gnu
set host_triplet x86_64-pc-linux-gnu
set target_triplet %(target)s
set development false
set experimental false
set enable_libctf no
set ld %(linker)s/ld
set LD $ld
set ld_testsuite_bindir %(linker)s
foreach { variable program } { as as nm nm objdump objdump objcopy objcopy ar ar strip strip size size
		RANLIB ranlib READELF readelf ELFEDIT elfedit } {
	set $variable %(prefix)s$program
}
set CC gcc
set CXX g++
set CC_FOR_TARGET %(prefix)sgcc
set CXX_FOR_TARGET %(prefix)sg++
foreach variable { CFLAGS CXXFLAGS CFLAGS_FOR_TARGET CXXFLAGS_FOR_TARGET } {
	set $variable "-g -O2"
}
foreach variable { OFILES BFDLIB CTFLIB SFRAMELIB LIBIBERTY LIBS } {
	set $variable ""
}
set DO_COMPARE {cmp $f1 $f2}
"""


def run_ld(o, unit, mode, where):
    """One file of GNU ld's suite."""
    cpu = CPUS[unit.cpu]
    linker = install_linker(o, unit, mode, where, ["ld"])
    os.symlink(tool(unit.cpu, "as"), linker + "/as")
    os.makedirs(where + "/boards")
    os.symlink(o.ld_source + "/peers-libs", where + "/.libs")
    shutil.copy(HERE + "/board.exp", where + "/boards/peers.exp")
    with open(where + "/board.site", "w") as f:
        f.write("set target_list peers\n")
    with open(where + "/site.exp", "w") as f:
        f.write(SITE % {"target": cpu.target, "linker": linker, "prefix": cpu.triple + "-" if cpu.triple else ""})
    env = dict(os.environ, LC_ALL="C", DEJAGNU=where + "/board.site", PEERS_RESULTS=where + "/results")
    if unit.cpu != "x86_64":
        env.update(PEERS_SAMPLE=str(o.ld_sample), PEERS_SEED=str(o.seed))
    folder, name = unit.name.split("/")
    return supervise(["runtest", "--tool", "ld", "--srcdir", o.ld_source + "/ld/testsuite", "--directory", folder, name],
                     where, env, where + "/log", HANGS)


def run_mold(o, unit, mode, where):
    """One of mold's scripts, which expects the linker under two names in the folder that it runs in."""
    cpu = CPUS[unit.cpu]
    linker = install_linker(o, unit, mode, where, ["ld", "mold"])
    env = dict(os.environ, MACHINE="x86_64")
    if cpu.triple:
        env.update(MACHINE=cpu.mold, TRIPLE=cpu.triple)
    status = supervise(["bash", "-x", os.path.join(o.mold_source, "test", unit.name + ".sh")], linker, env,
                       where + "/log", HANGS_SCRIPT)
    with open(where + "/log", errors="replace") as f:
        skipped = re.search(r"^(\+ echo )?skipped$|\.\.\. skipped$", f.read(), re.M)
    result = "SKIP" if status == 0 and skipped else "PASS" if status == 0 else "FAIL" if status else "TIMEOUT"
    with open(where + "/results", "a") as f:
        f.write("T\t%s\t%s\n" % (result, unit.name))
    return status


def run_unit(o, unit, mode):
    """Run it, unless that was done; whether it was run."""
    where = unit.where(o.work, mode)
    stamp = "ref" if mode == "ref" else o.identity
    try:
        with open(where + "/done") as f:
            if f.read() == stamp and not o.again:
                return False
    except FileNotFoundError:
        pass
    shutil.rmtree(where, ignore_errors=True)
    os.makedirs(where)
    open(where + "/results", "w").close()
    status = (run_mold if unit.suite == "mold" else run_ld)(o, unit, mode, where)
    if status is None:
        with open(where + "/results", "a") as f:
            f.write("T\tTIMEOUT\t(all of %s)\n" % unit.name)
    tidy(where)
    with open(where + "/done", "w") as f:
        f.write(stamp)
    return True


def tidy(where):
    """What a run leaves and nobody needs: only what differs is kept."""
    for d in "linker", "tmpdir", "boards":
        shutil.rmtree(os.path.join(where, d), ignore_errors=True)
    for f in glob.glob(where + "/*"):
        if os.path.isfile(f) and os.path.basename(f) not in ("results", "log", "run.json", "ld.log"):
            os.remove(f)
    if not os.listdir(where + "/kept"):
        os.rmdir(where + "/kept")


# ---------------------------------------------------------------- results
class Test:
    """One test with one linker: its result, its links and the dumps that were not as expected."""

    def __init__(self, result, links, dumps):
        self.result, self.links, self.dumps = result, links, dumps


def read_results(path):
    """The tests by name; a name that occurs again gets a number."""
    tests, links, dumps, count = {}, [], [], collections.Counter()
    if not os.path.exists(path):
        return tests
    with open(path, errors="replace") as f:
        for line in f:
            part = line.rstrip("\n").split("\t")
            if part[0] == "L":
                links.append(json.loads(line[2:]))
            elif part[0] == "D":
                dumps.append(os.path.basename(part[1]))
            elif part[0] == "T" and len(part) > 2:
                name = part[2]
                count[name] += 1
                if count[name] > 1:
                    name += " #%d" % count[name]
                tests[name] = Test(part[1], links, dumps)
                links, dumps = [], []
    if links:
        tests["(behind the last test)"] = Test("-", links, dumps)
    return tests


class Difference:
    def __init__(self, unit, test, mode, what, kept=None, of_link=False):
        self.unit, self.test, self.mode, self.what, self.kept = unit, test, mode, what, kept
        self.of_link = of_link
        self.entry = None

    def name(self):
        return self.unit.name if self.unit.suite == "mold" else self.unit.name + ": " + self.test


def differences_of(unit, mode, ref, tests):
    """Results that are worse than GNU ld's, and what differs in the links."""
    found = []
    for name, t in tests.items():
        what = [(link["out"], d, link["kept"]) for link in t.links for d in link["differences"]]
        for out, d, kept in what:
            found.append(Difference(unit, name, mode, "%s: %s" % (os.path.basename(out), d), kept, True))
    for name, r in ref.items():
        if r.result not in ("PASS", "XPASS"):
            continue
        t = tests.get(name)
        if t and t.result in ("PASS", "XPASS"):
            continue
        what = "passes with GNU ld: %s" % (t.result if t else "missing")
        # a dump of addresses and code, of an output that agrees in all facts
        if t and t.dumps and t.links and not any(link["differences"] for link in t.links):
            what += ", only the dump"
        found.append(Difference(unit, name, mode, what))
    return found


# ---------------------------------------------------------------- what is known
class Known:
    """One line of known.tsv."""

    def __init__(self, line):
        self.cpu, self.suite, self.test, self.mode, self.what, self.reason = line.split("\t")
        self.pattern = re.compile(self.what)
        self.count = 0

    def covers(self, unit):
        """Might it match something of this unit?"""
        return fnmatch.fnmatchcase(unit.cpu, self.cpu) and fnmatch.fnmatchcase(unit.suite, self.suite) and \
            any(fnmatch.fnmatchcase(unit.name, t.split(": ")[0]) for t in self.test.split("|"))

    def matches(self, d):
        return fnmatch.fnmatchcase(d.unit.cpu, self.cpu) and fnmatch.fnmatchcase(d.unit.suite, self.suite) and \
            any(fnmatch.fnmatchcase(d.name(), t) for t in self.test.split("|")) and \
            fnmatch.fnmatchcase(d.mode, self.mode) and \
            bool(self.pattern.search(d.what))


def read_known(path):
    with open(path) as f:
        return [Known(line.rstrip("\n")) for line in f if line.strip() and not line.startswith("#")]


def explain(found, known):
    """Find the entry of each difference: a test that fails needs none if all that its links differ in is listed."""
    links = collections.defaultdict(list)
    for d in found:
        d.entry = next((k for k in known if k.matches(d)), None)
        if d.of_link:
            links[d.test].append(d.entry)
        elif not d.entry and links[d.test] and all(links[d.test]):
            d.entry = links[d.test][0]
        if d.entry:
            d.entry.count += 1


def collect(o, units, known):
    """The rows of the table, and all differences, each with the entry that lists it."""
    rows, found = [], []
    for unit in units:
        results = {m: read_results(unit.where(o.work, m) + "/results") for m in MODES}
        by_test = collections.Counter()
        for m in o.modes:
            if not os.path.exists(unit.where(o.work, m) + "/done"):
                continue
            mine = differences_of(unit, m, results["ref"], results[m])
            explain(mine, known)
            by_test.update(d.test for d in mine)
            found += mine
        for name in dict.fromkeys(n for m in MODES for n in results[m]):
            of = {m: results[m].get(name) for m in MODES}
            links = sum(len(of[m].links) for m in o.modes if of[m])
            rows.append([unit.cpu, unit.suite, unit.name if unit.suite == "mold" else unit.name + ": " + name] +
                        [of[m].result if of[m] else "-" for m in MODES] + [links, by_test[name]])
    return rows, found


def write_tables(o, rows, found):
    with open(o.work + "/table.tsv", "w") as f:
        f.write("cpu\tsuite\ttest\tGNU ld\tnone\tedges\tlinks compared\tdifferences\n")
        f.writelines("\t".join(map(str, r)) + "\n" for r in rows)
    with open(o.work + "/differences.tsv", "w") as f:
        f.write("cpu\tsuite\ttest\tmode\twhat\tlisted\tkept\n")
        for d in found:
            f.write("\t".join([d.unit.cpu, d.unit.suite, d.name(), d.mode, d.what.replace("\t", " "),
                               d.entry.reason if d.entry else "no", d.kept or ""]) + "\n")


def report(o, units, known):
    rows, found = collect(o, units, known)
    write_tables(o, rows, found)
    for key in dict.fromkeys((r[0], r[1]) for r in rows):
        mine = [r for r in rows if (r[0], r[1]) == key]
        passed = [r for r in mine if r[3] in ("PASS", "XPASS")]
        text = ", ".join("%d of these with ldx %s" % (sum(r[MODES.index(m) + 3] in ("PASS", "XPASS") for r in passed), m)
                         for m in o.modes)
        print("%s %s: %d tests; %d pass with GNU ld, %s; %d links compared" % (
            key[0], key[1], len(mine), len(passed), text, sum(r[6] for r in mine)))
    for k in known:
        if k.count:
            print("known, %d times: %s %s %s %s: %s" % (k.count, k.cpu, k.suite, k.test, k.mode, k.reason))
    suites = {u.suite for u in units}
    complete = not o.part and not o.only and suites.issuperset(w for w in o.what if w not in CPUS) and \
        all(os.path.exists(u.where(o.work, m) + "/done") for u in units for m in o.modes)
    for k in known:
        if complete and not k.count and (k.suite != "*" or len(suites) == 2) and any(k.covers(u) for u in units):
            print("known, but did not occur: %s %s %s %s %s" % (k.cpu, k.suite, k.test, k.mode, k.what))
    unlisted = [d for d in found if not d.entry]
    tests = collections.defaultdict(list)
    for d in unlisted:
        tests[d.unit.cpu, d.unit.suite, d.name()].append(d)
    for key, of in list(tests.items())[:o.show]:
        more = "" if len(of) == 1 else " (and %d more)" % (len(of) - 1)
        print("NOT LISTED: %s (%s): %s%s" % (" ".join(key), of[0].mode, of[0].what, more))
    print("%d differences that known.tsv does not list, in %d tests; %s" % (
        len(unlisted), len(tests), o.work + "/differences.tsv"))
    return 1 if unlisted else 0


# ---------------------------------------------------------------- what is asked for
def mold_units(o, cpu):
    names = [os.path.basename(f)[:-3] for f in sorted(glob.glob(o.mold_source + "/test/*.sh"))]
    general = [n for n in names if not n.startswith("arch-")]
    own = [n for n in names if n.startswith("arch-%s-" % CPUS[cpu].mold)]
    if cpu != "x86_64":
        general = sorted(random.Random("%s/%s" % (o.seed, cpu)).sample(general, min(o.mold_sample, len(general))))
    return [Unit(cpu, "mold", n) for n in general + own]


def ld_units(o, cpu, pattern):
    found = []
    for folder in FOLDERS + CPUS[cpu].folders:
        for f in sorted(glob.glob("%s/ld/testsuite/%s/*.exp" % (o.ld_source, folder))):
            name = folder + "/" + os.path.basename(f)
            if pattern in ("ld", folder, name):
                found.append(Unit(cpu, "ld", name))
    if not found:
        sys.exit("peers.py: there is nothing called %s in GNU ld's suite" % pattern)
    return found


def units_of(o):
    words = [w for w in o.what if w not in CPUS]
    found = []
    for cpu in [w for w in o.what if w in CPUS] or ["x86_64"]:
        if not tool(cpu, "ld.bfd") or not tool(cpu, "gcc"):
            print("skipped: there is no GNU ld and gcc for " + cpu)
            continue
        for w in words or ["mold", "ld"]:
            if w == "mold" and o.mold_source:
                found += mold_units(o, cpu)
            elif w.startswith("ld") and o.ld_source:
                found += ld_units(o, cpu, w)
    return found


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", nargs="*", metavar="CPU, SUITE or N/M")
    p.add_argument("--stage", default=TOP + "/build/stage", help="the installed ldx")
    p.add_argument("--work", default=TOP + "/build/peers")
    p.add_argument("--known", default=HERE + "/known.tsv")
    p.add_argument("--same", default=TOP + "/build/testsuite/same/same", help="the program that compares two outputs")
    p.add_argument("--modes", default="none,edges")
    p.add_argument("--only", help="a pattern for the names of mold's scripts or of files of GNU ld's suite")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--mold-sample", type=int, default=MOLD_SAMPLE, help="scripts, on other CPUs")
    p.add_argument("--ld-sample", type=int, default=LD_SAMPLE, help="per cent of GNU ld's tests, on other CPUs")
    p.add_argument("--mold-suite", default="trixie", help="the release of Debian that mold's tests are of")
    p.add_argument("--minutes", type=float, help="end then; the next run goes on")
    p.add_argument("--again", action="store_true", help="run also what has run with this ldx")
    p.add_argument("--report", action="store_true")
    p.add_argument("--show", type=int, default=40, help="of how many tests differences are printed")
    o = p.parse_args()
    o.stage, o.work = os.path.abspath(o.stage), os.path.abspath(o.work)
    o.modes = o.modes.split(",")
    parts = [w for w in o.what if re.fullmatch(r"\d+/\d+", w)]
    o.part = tuple(map(int, parts[0].split("/"))) if parts else None
    o.what = [w for w in o.what if w not in parts]
    for w in o.what:
        if w not in CPUS and w != "mold" and not w.startswith("ld"):
            p.error("neither a CPU nor a suite: " + w)
    return o


def run_all(o, units):
    end = time.monotonic() + o.minutes * 60 if o.minutes else None
    for i, unit in enumerate(units):
        for mode in ["ref"] + o.modes:
            if end and time.monotonic() > end:
                print("%d of %d units are done; the next run goes on" % (i, len(units)))
                return
            # what has no test on this CPU has none with ldx
            if mode != "ref" and not read_results(unit.where(o.work, "ref") + "/results"):
                os.makedirs(unit.where(o.work, mode), exist_ok=True)
                open(unit.where(o.work, mode) + "/done", "w").close()
                continue
            start = time.monotonic()
            if run_unit(o, unit, mode) and unit.suite == "ld":
                print("%s %s %s: %.0f s" % (unit.cpu, unit.name, mode, time.monotonic() - start), flush=True)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    o = parse()
    cache = o.work + "/sources"
    os.makedirs(cache, exist_ok=True)
    suites = {w.split("-")[0].split("/")[0] for w in o.what if w not in CPUS} or {"mold", "ld"}
    if not shutil.which("runtest"):
        print("skipped: GNU ld's suite; dejagnu is not installed")
        suites.discard("ld")
    o.ld_source = fetch_ld(cache) if "ld" in suites else None
    o.mold_source = fetch_mold(cache, o.mold_suite) if "mold" in suites else None
    for name, src in ("ld", o.ld_source), ("mold", o.mold_source):
        if name in suites and not src:
            print("skipped: the source of %s cannot be fetched" % name)
    if not os.path.exists(o.same):
        print("outputs are not compared: there is no " + o.same)
        o.same = None
    o.identity = identity(o)
    units = units_of(o)
    if not units:
        sys.exit(77)
    if o.only:
        units = [u for u in units if fnmatch.fnmatchcase(u.name, o.only)]
    if o.part:
        units = units[o.part[0] - 1::o.part[1]]
    if not o.report:
        run_all(o, units)
    sys.exit(report(o, units, read_known(o.known)))


if __name__ == "__main__":
    main()
