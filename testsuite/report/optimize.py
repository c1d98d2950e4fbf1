# SPDX-License-Identifier: Apache-2.0
"""optimize.py LDXPROF STAGE: what makes the next build faster is read by those who make it, as ldxprof counted it.

The program counts some of its lines itself."""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
LDXPROF, STAGE = map(os.path.abspath, sys.argv[1:3])
del sys.argv[1:3]
SOURCE = os.path.join(HERE, "optimize.c")
FLAGS = {"gcc": ["-O2", "-g"], "clang-19": ["-O2", "-g", "-fdebug-info-for-profiling"]}
missing = set()


def tool(name):
    path = shutil.which(name)
    if not path:
        missing.add(name)
        raise unittest.SkipTest(name + " is not there")
    return path


def out(*args, **more):
    r = subprocess.run(args, capture_output=True, text=True, **more)
    if r.returncode:
        raise AssertionError("%s: status %d\n%s%s" % (args, r.returncode, r.stdout, r.stderr))
    return r


def page_faults(prog):
    """The least of several runs."""
    faults = []
    for _ in range(5):
        pid = os.posix_spawn(prog, [prog], {})
        faults.append(os.wait4(pid, 0)[2].ru_minflt)
    return min(faults)


def read(path):
    with open(path) as f:
        return f.read()


def declared():
    """The lines on which the functions begin."""
    lines = enumerate(read(SOURCE).splitlines(), 1)
    return {m[1]: n for n, line in lines for m in [re.match(r"[a-z_].*?(\w+)\([\w *,]*\)$", line)] if m}


class Optimize(unittest.TestCase):
    bindir = out(STAGE + "/bin/ldx", "--ldx-print=bindir").stdout.strip()

    def setUp(self):
        self.dir = tempfile.mkdtemp()
        os.chdir(self.dir)

    def tearDown(self):
        os.chdir("/")
        shutil.rmtree(self.dir)

    def compile(self, cc, *flags):
        for name, more in ("a", []), ("b", ["-DOTHER"]):
            out(tool(cc), *FLAGS.get(cc), *flags, *more, "-c", SOURCE, "-o", name + ".o")

    def count(self, cc, *flags):
        """Run a program that was linked by ldx; sets what it says of its lines, by number."""
        self.compile(cc, *flags)
        out("gcc", "-B" + self.bindir, "-Wl,--instrument=edges", "a.o", "b.o", "-o", "prog")
        self.said = out("./prog").stdout
        self.hits = {int(line): int(n) for line, n in (x.split() for x in self.said.splitlines())}
        self.funcs = json.loads(out(LDXPROF, "export", "prog").stdout)["functions"]
        self.calls = {f["name"]: f["calls"] for f in self.funcs}

    def export(self, form, to):
        return out(LDXPROF, "export", "--format=" + form, "-o", to, "prog").stderr

    def same_hits(self, places):
        """places: (function, line from its declaration, count); whatever the program counts is there."""
        at, got = declared(), {}
        own = [n for n, line in enumerate(read(SOURCE).splitlines(), 1) if "HERE;" in line]
        for name, line, count in places:
            if at[name] + line in own and count:
                got[at[name] + line] = got.get(at[name] + line, 0) + count
        self.assertEqual(got, self.hits)
        self.assertEqual(len({self.hits[n] for n in self.hits}), 5)

    def read_sample(self, path):
        """(outermost function, function, line, discriminator, count), the heads, and the calls by callee."""
        places, heads, called, path_ = [], {}, {}, []
        for line in read(path).splitlines():
            m = re.match(r"( *)(\d+)(?:\.(\d+))?: (?:(\d+)(?: |$)|(\w+):\d+)|(\w+):\d+:(\d+)$", line)
            if m[6]:
                path_, heads[m[6]] = [m[6]], int(m[7])
            elif m[5]:
                path_ = path_[:len(m[1])] + [m[5]]
            else:
                path_ = path_[:len(m[1])]
                places.append((path_[0], path_[-1], int(m[2]), int(m[3] or 0), int(m[4])))
                for name, n in re.findall(r" (\w+):(\d+)", line):
                    called[name] = called.get(name, 0) + int(n)
        return places, heads, called

    def test_sample(self):
        """clang, and llvm-profdata; a name of two functions is no function's."""
        self.count("clang-19")
        self.assertIn("warning: 1 names are left out", self.export("sample", "prof"))
        places, heads, called = self.read_sample("prof")
        self.same_hits([(f, line, n) for _, f, line, _, n in places])
        self.assertEqual(heads, {n: c for n, c in self.calls.items() if c and n != "twin"})
        out(tool("llvm-profdata-19"), "merge", "--sample", "--text", "prof", "-o", "again")
        again = self.read_sample("again")
        self.assertEqual((sorted(again[0]), *again[1:]), (sorted(places), heads, called))
        self.assertEqual({n: called[n] for n in called if n in heads}, {n: heads[n] for n in heads if n != "main"})
        shown = out("llvm-profdata-19", "show", "--sample", "prof").stdout
        self.assertEqual({m[0]: int(m[1]) for m in re.findall(r"^Function: (\w+): \d+, (\d+),", shown, re.M)}, heads)
        said = out("clang-19", *FLAGS["clang-19"], "-fprofile-sample-use=prof", "-Rpass-analysis=sample-profile", "-c",
                   SOURCE, "-o", "a.o").stderr
        got = re.findall(r":(\d+):\d+: remark: Applied (\d+) samples from profile \(offset: (\d+)(?:\.(\d+))?\)", said)
        at = declared()
        want = {(at[f] + line, line, d, n) for _, f, line, d, n in places}
        self.assertTrue(got)
        self.assertEqual({(int(a), int(o), int(d or 0), int(n)) for a, n, o, d in got} - want, set())

    def read_afdo(self, path):
        """(function, line, count), and the entries."""
        with open(path, "rb") as f:
            data = f.read()
        at, places, entries = [0], [], {}

        def u32():
            at[0] += 4
            return struct.unpack_from("<I", data, at[0] - 4)[0]

        def count():
            return u32() | u32() << 32

        def string():
            n = u32()
            at[0] += n
            return data[at[0] - n:at[0] - 1].decode()

        def inlined():
            name, nplaces, nsites = names[u32()], u32(), u32()
            for _ in range(nplaces):
                line, targets, n = u32(), u32(), count()
                self.assertEqual((line & 0xffff, targets), (0, 0))
                places.append((name, line >> 16, n))
            for _ in range(nsites):
                u32()
                inlined()
            return name

        self.assertEqual([u32(), u32(), u32()], [0x67636461, 2, 0])
        self.assertEqual([u32(), u32()], [0xaa000000, 0])
        names = [string() for _ in range(u32())]
        self.assertEqual([u32(), u32()], [0xac000000, 0])
        for _ in range(u32()):
            n = count()
            entries[inlined()] = n
        self.assertEqual([u32(), u32(), u32(), at[0]], [0xae000000, 0, 0, len(data)])
        return places, entries

    def test_afdo(self):
        """gcc: the counts in its dump are those of the entries."""
        self.count("gcc")
        self.export("afdo", "prof")
        places, entries = self.read_afdo("prof")
        self.same_hits(places)
        self.assertEqual(entries, {n: c for n, c in self.calls.items() if c and n != "twin"})
        out("gcc", *FLAGS["gcc"], "-fauto-profile=prof", "-fdump-tree-optimized-blocks-details=dump", "-c", SOURCE,
            "-o", "a.o")
        parts = re.split(r"^;; Function (\w+) .*$", read("dump"), flags=re.M)
        got = {name: re.search(r"ENTRY \[always\]  count:(\d+) \(auto FDO\)", text) for name, text in zip(parts[1::2], parts[2::2])}
        self.assertEqual({n: int(m[1]) for n, m in got.items() if m}, {n: entries[n] for n in ("main", "unseen", "walk")})

    def test_fdata(self):
        """llvm-bolt, with hidden functions as global and as local ones, and two that only their files tell apart."""
        for flags in ["-no-pie"], ["-pie"], ["-pie", "-fuse-ld=lld"]:
            self.count("gcc", "-fno-reorder-blocks-and-partition")
            self.export("fdata", "prof")
            out("gcc", *flags, "-Wl,--emit-relocs", "a.o", "b.o", "-o", "plain")
            said = out(tool("llvm-bolt-19"), "plain", "-data=prof", "-o", "bolted", "-reorder-blocks=ext-tsp",
                       "-reorder-functions=cdsort", "-split-functions", "-print-cfg")
            ran = [f for f in self.funcs if any(b["count"] for b in f["blocks"])]
            self.assertEqual(int(re.search(r"(\d+) out of \d+ functions in the binary .* have non-empty", said.stdout +
                                           said.stderr)[1]), len(ran))
            self.assertEqual(self.bolt_branches(said.stdout), self.own_branches(ran))
            self.assertEqual(out("./bolted").stdout, self.said)

    def own_branches(self, funcs):
        """By function: the counts of the two ways out of each conditional branch that was executed."""
        found = []
        for f in funcs:
            for i, b in enumerate(f["blocks"]):
                ways = [e["count"] for e in f["edges"] if e["from"] == i and e["to"] is not None]
                if len(ways) == 2 and any(ways):
                    found.append((f["name"], *sorted(ways)))
        return sorted(found)

    def bolt_branches(self, text):
        found = []
        for name, body in re.findall(r'^Binary Function "(\w+).*?" after building cfg \{(.*?)^End of Function', text,
                                     re.M | re.S):
            for ways in re.findall(r"^  Successors: (.*)$", body, re.M):
                counts = [int(n) for n in re.findall(r"count: (\d+)", ways)]
                if len(counts) == 2 and any(counts):
                    found.append((name, *sorted(counts)))
        return sorted(found)

    def test_symbol_order(self):
        """ld.lld, which knows each name, puts the functions in that order."""
        self.count("gcc", "-ffunction-sections")
        self.export("symbol-order", "order")
        order = read("order").split()
        ran = {f["name"]: max(b["count"] for b in f["blocks"]) for f in self.funcs}
        self.assertEqual(sorted(order), sorted({n for n in ran if ran[n]}))
        tool("ld.lld")
        said = out("gcc", "-fuse-ld=lld", "-Wl,--symbol-ordering-file=order", "a.o", "b.o", "-o", "plain")
        self.assertEqual(said.stderr, "")
        names = [line.split()[-1] for line in out("nm", "-n", "plain").stdout.splitlines() if " t " in line or " T " in line]
        got = [n for n in names if n in ran and n != "twin"]
        self.assertEqual(got[:len(order) - 1], [n for n in order if n != "twin"])

    def test_page_faults(self):
        """Functions that are executed share pages: fewer are loaded."""
        with open("many.c", "w") as f:
            for i in range(1024):
                f.write("__attribute__((noinline, aligned(4096))) void f%d(volatile int *p) { ++*p; }\n" % i)
            f.write("int main(void) { volatile int n = 0;\n%s return 0; }\n" %
                    "".join("f%d(&n);\n" % i for i in range(0, 1024, 16)))
        out("gcc", "-O1", "-ffunction-sections", "-c", "many.c")
        out("gcc", "-B" + self.bindir, "many.o", "-o", "prog")
        out("./prog")
        self.export("symbol-order", "order")
        tool("ld.lld")
        for name, more in ("plain", []), ("ordered", ["-Wl,--symbol-ordering-file=order"]):
            out("gcc", "-fuse-ld=lld", *more, "many.o", "-o", name)
        self.assertLess(page_faults("./ordered"), page_faults("./plain"))

    def test_errors(self):
        """What was not counted is not told; no file is left."""
        for mode, flags, formats, text in [
                ("blocks", ["-g"], ["fdata"], "branches were not counted"),
                ("cover", ["-g"], ["fdata"], "branches were not counted"),
                ("cover", ["-g"], ["sample", "afdo", "call-graph-order"], "mode cover records what was executed, not how often"),
                ("edges", ["-g0"], ["sample", "afdo"], "no debug information: compile with -g")]:
            self.compile("gcc", *flags)
            out("gcc", "-B" + self.bindir, "-Wl,--instrument=" + mode, "a.o", "b.o", "-o", "prog")
            out("./prog")
            for form in formats:
                r = subprocess.run([LDXPROF, "export", "--format=" + form, "-o", "prof", "prog"], capture_output=True,
                                   text=True)
                self.assertEqual((r.returncode, os.path.exists("prof")), (1, False), form)
                self.assertRegex(r.stderr, r"\Aldxprof: error: prog: .*%s" % text)
            os.remove("prog.ldxprof")

    def test_call_graph_order(self):
        """ld.lld knows each name, and brings together who call each other most."""
        self.count("gcc", "-ffunction-sections")
        self.export("call-graph-order", "order")
        called = {}
        for line in read("order").splitlines():
            _, callee, n = line.split()
            called[callee] = called.get(callee, 0) + int(n)
        self.assertEqual(called, {n: c for n, c in self.calls.items() if c and n not in ("main", "twin")})
        tool("ld.lld")
        said = out("gcc", "-fuse-ld=lld", "-Wl,--call-graph-ordering-file=order", "a.o", "b.o", "-o", "plain")
        self.assertEqual(said.stderr, "")
        names = [line.split()[-1] for line in out("nm", "-n", "plain").stdout.splitlines()]
        self.assertEqual(names.index("unseen"), names.index("walk") + 1)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    if missing:
        print("not there: " + ", ".join(sorted(missing)))
    sys.exit(1 if not result.wasSuccessful() else 77 if missing else 0)
