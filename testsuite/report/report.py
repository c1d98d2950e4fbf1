# SPDX-License-Identifier: Apache-2.0
"""report.py LDXPROF: ldxprof on a small program with a hand-made map and hand-made profiles."""
import fcntl
import json
import mmap
import os
import pty
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from formats import Map, profile, slot

HERE = os.path.dirname(os.path.abspath(__file__))
LDXPROF = os.path.abspath(sys.argv.pop(1))
CC = os.environ.get("CC", "cc").split()
#         entries sum0 sum1 sum2 sum3 twice0 twice1 start hidden never
COUNTS = [2, 2, 8, 6, 2, 1, 1, 1, 1, 0]


def run(*args, **more):
    # A short-lived process: what it has allocated goes with it.
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", **more)
    if "LDX_PROFILE_FILE" not in more:
        env.pop("LDX_PROFILE_FILE", None)
    r = subprocess.run([LDXPROF, *args], capture_output=True, text=True, errors="replace", timeout=60,
                       env=env)
    if r.returncode not in (0, 1, 2) or "Sanitizer" in r.stderr:
        raise AssertionError("%s: status %d\n%s" % (args, r.returncode, r.stderr))
    return r


def get(path):
    with open(path, "rb") as f:
        return f.read()


def put(path, data):
    with open(path, "wb") as f:
        f.write(data)


def link(build):
    subprocess.run([*CC, "-nostdlib", "-no-pie", "-Wa,--defsym,BUILD=%d" % build, "-o", "prog",
                    HERE + "/program.s"], check=True)
    out = subprocess.run(["nm", "prog"], check=True, capture_output=True, text=True).stdout
    return {name: int(a, 16) for a, _, name in (line.split() for line in out.splitlines())}


def make_map(at):
    m = Map(10)
    m.func("sum", at["sum"], 14, [
        (0, 4, 2, at["sum0"] - at["sum"], 1), (4, 2, 1, at["sum1"] - at["sum"], 2),
        (6, 8, 5, at["sum2"] - at["sum"], 3, [(1, at["behind_in_sum2"] - at["in_sum2"]), (4, 0)]),
        (14, 1, 1, at["sum3"] - at["sum"], 4)],
        file="sum.c", entry=0, input="libsum.a(sum.o)")
    m.func("_Z5twicei", at["_Z5twicei"], 8, [
        (0, 6, 2, at["twice0"] - at["_Z5twicei"], 5), (6, 6, 2, at["twice1"] - at["_Z5twicei"], 6)])
    m.func("_start", at["_start"], 24, [(0, 24, 6, at["start0"] - at["_start"], 7)])
    m.func("hidden", at["hidden"], 1, reason="no reason", entry=8)
    m.func("collected", 0, 4, [(0, 4, 1, 0, 9)])
    return m


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp()
        os.chdir(cls.dir)
        m = make_map(link(0))
        cls.map_data = m.data()
        cls.build = m.build
        cls.at = link(m.build)
        put("map", cls.map_data)
        subprocess.run(["objcopy", "--add-section", ".ldx.map=map", "prog"], check=True)
        cls.prog = get("prog")
        m = Map(2)
        m.func("sum", cls.at["sum"], 14, [
            (0, 4, 2, cls.at["sum0"] - cls.at["sum"], 0), (4, 2, 2, cls.at["sum1"] - cls.at["sum"], 1)])
        put("map", m.data())
        cls.lib_build = m.build
        link(m.build)
        subprocess.run(["objcopy", "--add-section", ".ldx.map=map", "prog"], check=True)
        cls.lib = get("prog")

    @classmethod
    def tearDownClass(cls):
        os.chdir("/")
        shutil.rmtree(cls.dir)

    def setUp(self):
        for f in os.listdir("."):
            if f not in ("prog", "map"):
                shutil.rmtree(f) if os.path.isdir(f) else os.remove(f)
        put("prog", self.prog)
        put("prog.ldxprof", profile(self.build, [COUNTS]))

    def good(self, *args):
        r = run(*args)
        self.assertEqual((r.returncode, r.stderr), (0, ""), args)
        return r.stdout

    def bad(self, text, *args):
        r = run(*args)
        self.assertEqual(r.returncode, 1)
        self.assertRegex(r.stderr, r"\Aldxprof: error: .*" + text + r".*\n\Z")

    def test_functions(self):
        rows = [line.split("\t") for line in self.good("report", "--format=tsv", "prog").splitlines()[1:]]
        self.assertEqual([(r[6], r[0], r[1], r[3], r[4], r[7]) for r in rows], [
            ("sum", "2", "44", "4", "4", "libsum.a(sum.o)"), ("_start", "1", "6", "1", "1", ""),
            ("twice(int)", "1", "4", "2", "2", ""), ("hidden", "1", "", "0", "0", "")])
        self.assertAlmostEqual(float(rows[0][2]), 100 * 44 / 54, 3)
        text = self.good("report", "prog")
        self.assertIn("54 instructions in instrumented code\n4 of 4 functions and 7 of 7 blocks executed", text)
        self.assertIn("hidden [no reason]", text)
        self.assertNotIn("collected", text)
        names = [r["function"] for r in json.loads(
            self.good("report", "--format=json", "--sort=name", "--top=2", "--no-demangle", "prog"))]
        self.assertEqual(names, ["_Z5twicei", "_start"])

    def test_needed(self):
        """What the program needs and is not counted is said."""
        subprocess.run([*CC, "-nostdlib", "-no-pie", "-Wa,--defsym,BUILD=%d" % self.build, "-o", "prog",
                        HERE + "/program.s", "-Wl,--no-as-needed", "-lm", "-lc"], check=True)
        text = subprocess.run(["readelf", "-d", "prog"], check=True, capture_output=True, text=True).stdout
        needed = re.findall(r"NEEDED.*\[(.*)\]", text)
        self.assertEqual(len(needed), 2)
        put("prog.ldxmap", self.map_data)
        self.assertIn("\nnot counted: %s\n" % ", ".join(needed), self.good("report", "prog"))
        self.assertNotIn("not counted", self.good("report", "prog", "--format=tsv"))

    def test_blocks(self):
        rows = json.loads(self.good("report", "--blocks", "--format=json", "prog"))
        self.assertEqual([(r["function"], r["offset"], r["count"]) for r in rows[:3]],
                         [("sum", 4, 8), ("sum", 6, 6), ("sum", 0, 2)])
        self.assertIn("sum+0x6", self.good("report", "--blocks", "--top=2", "prog"))
        self.assertIn("5 more", self.good("report", "--blocks", "--top=2", "prog"))

    def test_function(self):
        text = self.good("annotate", "sum", "prog")
        got = [(line.split()[0], line.split(":")[1].split()[0]) for line in text.splitlines()
               if line.startswith("    ")]
        self.assertEqual(got, [("2", "xorl"), ("2", "testl"), ("8", "je"), ("6", "addl"), ("6", "decl"),
                               ("6", "leaq"), ("6", "leaq"), ("6", "jmp"), ("2", "retq")])
        self.assertRegex(text, r"je sum\+0xe\n")
        self.assertRegex(text, r"jmp sum\+0x4\n")
        self.assertRegex(self.good("annotate", "_start", "prog"), r"callq twice\(int\)\n")
        self.assertIn("twice(int)+0x6:", self.good("annotate", "twice(int)", "prog"))
        self.assertIn("no reason", self.good("annotate", "hidden", "prog"))
        self.bad("no function nothing", "annotate", "nothing", "prog")

    def test_apart(self):
        """Runs of instructions may leave no-ops out, but say no more than there are."""
        for runs, text in [((1, 0),), "xorl %eax, %eax\n.*alignment"], [(), "alignment"], \
                [((1, 1 << 20), (1, 0)), "xorl %eax, %eax\n.*1 instructions that cannot be shown"]:
            m = Map(1)
            m.func("sum", self.at["sum"], 4, [(0, 4, 2, self.at["sum0"] - self.at["sum"], 0, runs)])
            put("map", m.data())
            link(m.build)
            subprocess.run(["objcopy", "--add-section", ".ldx.map=map", "prog"], check=True)
            put("prog.ldxprof", profile(m.build, [[1]]))
            self.assertRegex(self.good("annotate", "sum", "prog"), text)
            # what has no run is not in the program: it has no address
            at = "%x" % self.at["sum0"] if runs else "-"
            self.assertRegex(self.good("report", "--blocks", "prog"), " 2 +%s +- +sum" % at)
            self.assertEqual(self.good("export", "--format=counts", "--address", "prog"), at + " 1\n" if runs else "")
            self.assertEqual(json.loads(self.good("export", "prog"))["functions"][0]["blocks"][0]["address"],
                             self.at["sum0"] if runs else None)
            self.assertEqual(json.loads(self.good("report", "--blocks", "--format=json", "prog"))[0]["address"],
                             self.at["sum0"] if runs else None)
            self.assertEqual(self.good("report", "--blocks", "--format=tsv", "prog").split("\t")[-5], at if runs else "")
        m = Map(1)
        m.func("sum", self.at["sum"], 4, [(0, 4, 2, 0, 0, [(1, 0), (2, 0)])])
        put("prog.ldxmap", m.data())
        link(m.build)
        put("prog.ldxprof", profile(m.build, [[1]]))
        self.bad("the map is damaged", "report", "prog")

    def test_export(self):
        j = json.loads(self.good("export", "prog"))
        self.assertEqual([f["name"] for f in j["functions"]], ["sum", "_Z5twicei", "_start", "hidden"])
        self.assertEqual([b["count"] for b in j["functions"][0]["blocks"]], [2, 8, 6, 2])
        self.assertEqual(j["functions"][3]["instructions"], None)
        self.assertEqual(j["functions"][1]["demangled"], "twice(int)")
        self.assertEqual(self.good("export", "--format=counts", "prog").splitlines()[:2],
                         ["sum+0x0 2", "sum+0x4 8"])
        self.assertEqual(self.good("export", "--format=counts", "--address", "prog").splitlines()[1],
                         "%x 8" % self.at["sum1"])
        self.good("export", "-o", "out.json", "prog")
        self.assertEqual(json.loads(get("out.json")), j)

    def test_edges(self):
        """What has no counter follows; an edge that is unknown does not, and holds nothing up."""
        unknown = 2
        m = Map(4, mode=3)
        m.func("sum", self.at["sum"], 14, [(0, 4, 2, 0, 0), (4, 2, 1, 4, None), (6, 8, 5, 6, None)], edges=[
            (0, 1, 0, None), (1, 2, 0, None), (2, 2, 0, 1), (2, 3, 0, None), (3, 0, 0, None)])
        m.func("_start", self.at["_start"], 8, [(0, 4, 2, 0, 2), (4, 4, 2, 4, 3)], edges=[
            (0, 1, 0, None), (0, 2, unknown, None), (1, 0, unknown, None), (2, 0, 0, None)])
        put("map", m.data())
        link(m.build)
        subprocess.run(["objcopy", "--add-section", ".ldx.map=map", "prog"], check=True)
        put("prog.ldxprof", profile(m.build, [[2, 6, 5, 4]]))
        f, g = json.loads(self.good("export", "prog"))["functions"]
        self.assertEqual(([b["count"] for b in f["blocks"]], f["calls"]), ([2, 8, 2], 2))
        self.assertEqual([(e["from"], e["to"], e["count"]) for e in f["edges"]], [
            (None, 0, 2), (0, 1, 2), (1, 1, 6), (1, 2, 2), (2, None, 2)])
        self.assertEqual([e["count"] for e in g["edges"]], [5, None, None, 4])
        self.assertEqual(([b["count"] for b in g["blocks"]], g["calls"]), ([5, 4], 5))

    def test_cover(self):
        """Marks are bytes, joined by or; what has none follows from what proves it."""
        m = Map(2, mode=4)
        m.func("sum", self.at["sum"], 14, [(0, 4, 2, 0, None), (4, 2, 1, 4, None), (6, 6, 4, 6, 9),
                                           (12, 2, 1, 12, 10)], edges=[
            (2, 1, 0, None), (3, 2, 0, None), (4, 2, 0, None)])
        m.func("_start", self.at["_start"], 8, [(0, 4, 2, 0, 11), (4, 4, 2, 4, 12)])
        m.func("hidden", self.at["hidden"], 1, reason="no reason", entry=13)
        put("map", m.data())
        link(m.build)
        subprocess.run(["objcopy", "--add-section", ".ldx.map=map", "prog"], check=True)

        def marks(*numbers):
            return slot(m.build, [0x123456789abcdef, sum(1 << 8 * (n - 8) for n in numbers)], flags=1)

        def executed():
            f, g, h = json.loads(self.good("export", "prog"))["functions"]
            self.assertEqual((f["calls"], f["instructions"], f["edges"]), (None, None, []))
            self.assertEqual({b["count"] for b in f["blocks"]}, {None})
            return [b["executed"] for b in f["blocks"] + g["blocks"]]

        put("prog.ldxprof", profile(m.build, [marks(10), marks(11, 13), marks(10)]))
        self.assertEqual(executed(), [True, True, False, True, True, False])
        text = self.good("report", "prog")
        self.assertIn("3 of 3 functions and 4 of 6 blocks (66.67%) executed; of 1 opaque", text)
        self.assertRegex(text, r" 1/2 +50.00% +- +_start\n +3/4 +75.00% +- +sum\n +- +yes +- +hidden \[no reason\]\n")
        self.assertRegex(self.good("report", "--blocks", "prog"), r" no +4 +[0-9a-f]+ +- +sum\+0x6\n")
        self.assertRegex(self.good("report", "--blocks", "--all", "prog"), r" yes +2 +[0-9a-f]+ +- +sum\+0x0\n")
        self.assertRegex(self.good("annotate", "sum", "prog"), r"sum: blocks executed 3 of 4\n")
        self.assertEqual(self.good("export", "--format=counts", "prog").split()[1::2], list("110110"))
        put("b", profile(m.build, [marks(9, 12)]))
        self.good("merge", "-o", "prog.ldxprof", "prog.ldxprof", "b", "b")
        self.assertEqual(executed(), [True] * 6)
        self.assertEqual(get("prog.ldxprof")[4096 + 4096 + 9:4096 + 4096 + 14], b"\1" * 5)
        r = run("icount", "prog")
        self.assertEqual(r.returncode, 2)
        self.assertIn("counted in modes blocks and edges, not in cover", r.stderr)
        put("prog.ldxprof", profile(m.build, [slot(m.build, [0, 1])]))
        self.bad("not of mode cover", "report", "prog")
        put("prog.ldxprof", profile(m.build, [marks(9), slot(m.build, [0, 1])]))
        self.bad("marks and counters", "report", "prog")

    def test_icount(self):
        r = run("icount", "prog")
        self.assertEqual((r.returncode, r.stdout), (0, "54\n"))
        self.assertRegex(r.stderr, r"warning: not included: 1 calls of 1 opaque function \(1 bytes of code\)\n\Z")
        self.assertEqual(run("icount", "--functions", "prog").stdout.split(),
                         ["44", "sum", "6", "_start", "4", "twice(int)"])
        put("other", profile(self.build, [COUNTS[:8] + [0, 0]], program=os.path.abspath("prog").encode()))
        self.assertEqual(self.good("icount", "other"), "54\n")
        self.assertEqual(run("icount", "--filter=s*", "prog").stdout, "44\n")

    def test_gate(self):
        """A baseline holds figures by function; more than is allowed fails, less passes."""
        def gate(*args, profile="prog.ldxprof"):
            r = run("icount", "--baseline=base", *args, "prog", profile)
            return r.returncode, r.stdout, [x for x in r.stderr.splitlines() if "not included" not in x]

        self.assertEqual(gate("--update"), (0, "54\n", []))
        self.assertEqual(get("base").decode(), "instructions\tfunction\tfile\tobject\n"
                         "6\t_start\t\t\n4\ttwice(int)\t\t\n44\tsum\tsum.c\t\n")
        more = list(COUNTS)
        more[3] += 1  # five instructions of sum
        more[8] += 9  # calls of an opaque function are no instructions
        put("more", profile(self.build, [more]))
        put("less", profile(self.build, [[0, 0, 7] + COUNTS[3:6] + [2] + COUNTS[7:]]))
        text = "%s: %d instructions, where base has %d: +%d, +%.2f%%, at most +%s%% is allowed"
        for args, want in [
                (["--max-increase=9.2%"], text % ("all functions", 59, 54, 5, 500 / 54, "9.2")),
                (["--max-increase=9.3%"], None), (["--max-increase=sum=11.3", "--max-increase=50"], text % ("sum", 49, 44, 5, 500 / 44, "11.3")),
                (["--max-increase=sum=11.4"], None), (["--max-increase=file:*.c=0"], text % ("file:*.c", 49, 44, 5, 500 / 44, "0")),
                (["--max-increase=t*=0", "--max-increase=_start=0%"], None), (["--max-increase=0", "--filter=twice"], None)]:
            status, out, err = gate(*args, profile="more")
            if want:
                self.assertEqual((status, err[0]), (1, "ldxprof: " + want), args)
                self.assertEqual([line.split() for line in err[1:]], [["difference", "change", "function"], ["+5", "+11.36%", "sum"]])
            else:
                self.assertEqual((status, err), (0, []), args)
            self.assertEqual(out, "4\n" if args[-1] == "--filter=twice" else "59\n")
        self.assertEqual(gate("--max-increase=0", profile="less")[::2], (0, []))
        status, _, err = gate("--max-increase=twice=49.9", profile="less")
        self.assertEqual((status, err[2].split()), (1, ["+2", "+50.00%", "twice(int)"]))
        base = get("base")
        self.assertEqual(gate("--max-increase=1", "--update", profile="more")[0], 1)
        self.assertEqual(get("base"), base)
        self.assertEqual(gate("--max-increase=1", "--update", profile="less")[0], 0)
        self.assertNotEqual(get("base"), base)
        for args in (["--max-increase=-1"], ["--max-increase=x"], ["--max-increase=none=1"], ["--no-demangle", "--update"], []):
            self.assertEqual(gate(*args)[:2], (2, ""), args)
        for text in b"54\n", base + b"1 apples\n", base + b"x\ta\t\t\n", base + b"1\ta\t\n", base[:-1], base + b"1\ta\t\0\t\n":
            put("base", text)
            self.assertEqual(gate("--max-increase=1")[:2], (2, ""), text)
        os.remove("base")
        self.assertRegex(gate("--max-increase=1")[2][0], "cannot open base.*--update writes it")
        self.assertEqual(run("icount", "--update", "prog").returncode, 2)
        self.assertEqual(run("icount", "missing").returncode, 2)
        self.assertEqual(run("icount", "--bad").returncode, 2)

    def test_diff(self):
        """Two runs, or runs of two builds: what has the same name and file is compared."""
        put("less", profile(self.build, [[0, 0, 7] + COUNTS[3:6] + [2] + COUNTS[7:]], program=os.path.abspath("prog").encode()))
        r = run("diff", "prog", "prog")
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        self.assertIn("no difference", r.stdout)
        r = run("diff", "prog", "prog,less", "--format=json")
        self.assertEqual(r.returncode, 1)
        self.assertEqual(json.loads(r.stdout), [
            {"old": 44, "new": 39, "difference": -5, "function": "sum", "file": "sum.c", "object": None},
            {"old": 4, "new": 6, "difference": 2, "function": "twice(int)", "file": None, "object": None}])
        self.assertEqual(run("diff", "prog,prog.ldxprof,prog.ldxprof", "less", "--format=json", "--filter=_start").stdout,
                         '[\n {"old":12,"new":6,"difference":-6,"function":"_start","file":null,"object":null}\n]\n')
        self.assertEqual(run("diff", "prog", "less", "--filter=_start").returncode, 0)
        rows = [x.split("\t") for x in run("diff", "prog", "less", "--figure=calls", "--all", "--sort=name", "--format=tsv").stdout.splitlines()]
        self.assertEqual([x[:6] for x in rows[1:]], [
            ["1", "1", "0", "", "_start", ""], ["1", "1", "0", "", "hidden", ""],
            ["2", "0", "-2", "gone", "sum", ""], ["1", "1", "0", "", "twice(int)", ""]])
        self.assertEqual(run("diff", "prog", "less", "--figure=blocks").returncode, 1)
        # another build, which has lost a function and has a new one
        m = Map(3)
        m.func("sum", self.at["sum"], 14, [(0, 4, 3, 0, 0)], file="sum.c")
        m.func("_start", self.at["_start"], 24, [(0, 24, 6, 0, 1)])
        m.func("other", self.at["hidden"], 1, [(0, 1, 1, 0, 2)])
        put("map", m.data())
        put("old", self.prog)
        os.chmod("old", 0o755)
        link(m.build)
        subprocess.run(["objcopy", "--add-section", ".ldx.map=map", "prog"], check=True)
        os.rename("prog.ldxprof", "old.ldxprof")
        put("prog.ldxprof", profile(m.build, [[20, 1, 7]]))
        r = run("diff", "old", "prog")
        self.assertEqual(r.returncode, 1)
        self.assertIn("73 instructions, were 54: +19, +35.19%\n", r.stdout)
        self.assertEqual([x.split() for x in r.stdout.splitlines()[3:]], [
            ["44", "60", "+16", "+36.36%", "sum.c", "sum"], ["-", "7", "+7", "new", "-", "other"],
            ["4", "-", "-4", "gone", "-", "twice(int)"]])
        self.assertIn("2 more: --top=0 shows all", run("diff", "old", "prog", "--top=1").stdout)
        orders = {key: [x.split("\t")[4] for x in run("diff", "old", "prog", "--format=tsv", "--sort=" + key).stdout.splitlines()[1:]]
                  for key in ("percent", "old", "new", "name")}
        self.assertEqual(orders, {"percent": ["other", "twice(int)", "sum"], "old": ["sum", "twice(int)", "other"],
                                  "new": ["sum", "other", "twice(int)"], "name": ["other", "sum", "twice(int)"]})
        # lines of the assembler's source, in which all instructions of a function are in one file
        subprocess.run([*CC, "-g", "-nostdlib", "-no-pie", "-Wa,--defsym,BUILD=%d" % self.build, "-o", "prog",
                        HERE + "/program.s"], check=True)
        put("prog.ldxmap", self.map_data)
        os.rename("old.ldxprof", "prog.ldxprof")
        r = run("diff", "--lines", "--all", "--format=json", "prog", "prog,less")
        self.assertEqual(r.returncode, 1)
        lines, source = json.loads(r.stdout), get(HERE + "/program.s").decode().splitlines()
        self.assertEqual({x["file"] for x in lines}, {"program.s"})

        def values(x):
            return x["old"] or 0, x["new"] or 0

        self.assertEqual([sum(n) for n in zip(*map(values, lines))], [
            sum(n) for n in zip(*map(values, json.loads(run("diff", "--all", "--format=json", "prog", "prog,less").stdout)))])
        by_source = {source[x["line"] - 1].strip(): values(x) for x in lines}
        self.assertEqual((by_source["sum0:\txorl\t%eax, %eax"], by_source["decl\t%edi"]), ((2, 0), (6, 6)))
        for args in ["prog"], ["prog", "missing"], ["prog", "prog", "prog"], ["prog,missing", "prog"], ["--lines", "--figure=calls", "prog", "old"]:
            self.assertEqual(run("diff", *args).returncode, 2, args)

    def test_merge(self):
        def own(n, **kw):
            return slot(self.build, [n] * 10, **kw)

        put("a", profile(self.build, [own(1, runs=5, lost=1), own(2), slot(7, [5])]))
        put("b", profile(self.build, [slot(7, [6], runs=2), own(10)]))
        self.good("merge", "-o", "m", "a", "b")
        m = profile(self.build, [own(13, runs=7, lost=1), slot(7, [11], runs=3)])
        self.assertEqual(get("m"), m.replace(struct.pack("<QQ", 1, 1), struct.pack("<QQ", 1, 0)))
        put("a", profile(self.build, [own(1), own(2)]))
        put("b", profile(self.build, [own(10)]))
        put("unused", profile(self.build, [own(99, used=0)]))
        self.good("merge", "-o", "m", "a", "b", "unused")
        self.assertIn("sum+0x4 13\n", self.good("export", "--format=counts", "prog", "m"))
        self.assertIn("sum+0x4 13\n", self.good("export", "--format=counts", "prog", "a", "b"))
        self.good("merge", "-o", "a", "a", "b")
        self.assertIn("sum+0x4 13\n", self.good("export", "--format=counts", "prog", "a"))
        put("other", profile(self.build + 1, [[1] * 10]))
        self.bad("other: the profile is of build", "merge", "-o", "x", "a", "other")
        self.bad("-o OUT is missing", "merge", "a")
        self.bad("which profiles", "merge", "-o", "m")
        self.bad("cannot open none", "merge", "-o", "x", "none")
        self.bad("cannot write", "merge", "-o", "no/x", "a")
        self.assertFalse([f for f in os.listdir(".") if f.startswith("x")])

    def test_libraries(self):
        put("lib.so", self.lib)
        lib = os.path.abspath("lib.so").encode()
        part = slot(self.lib_build, [4, 9], path=lib)
        put("prog.ldxprof", profile(self.build, [part, COUNTS, part]))
        rows = json.loads(self.good("report", "--format=json", "prog"))
        self.assertEqual([(r["function"], r["calls"], r["instructions"], os.path.basename(r["object"]))
                          for r in rows[:2]], [("sum", 8, 52, "lib.so"), ("sum", 2, 44, "prog")])
        text = self.good("report", "prog")
        self.assertIn("prog: 1 process, 106 instructions in instrumented code\n5 of 5 functions and 9 of 9 blocks executed", text)
        self.assertRegex(text, r"52 +49.06%  /.*/lib.so\n")
        self.assertRegex(text, r"sum \(lib.so\)\n")
        self.assertRegex(self.good("report", "--blocks", "prog"), r"sum\+0x4 \(lib.so\)\n")
        self.assertEqual(self.good("annotate", "sum", "prog").count("calls 8"), 1)
        self.assertIn("%s:sum+0x4 18\n" % lib.decode(), self.good("export", "--format=counts", "prog"))
        j = json.loads(self.good("export", "prog"))
        self.assertEqual([(o["path"], o["build"], o["functions"][0]["calls"]) for o in j["libraries"]],
                         [(lib.decode(), "%016x" % self.lib_build, 8)])
        # of the library alone: in one program, in two, and where it was in none
        put("other", profile(99, [slot(99, [1]), part]))
        put("lib.so.ldxprof", profile(self.lib_build, [part]))
        for files, count in (["prog.ldxprof"], 18), (["prog.ldxprof", "other"], 27), ([], 9), \
                (["other", "lib.so.ldxprof"], 18):
            self.assertEqual(self.good("export", "--format=counts", "lib.so", *files),
                             "sum+0x0 %d\nsum+0x4 %d\n" % (count * 4 // 9, count))
        self.good("merge", "-o", "all", "lib.so.ldxprof", "other", "prog.ldxprof")
        self.assertIn("sum+0x4 36\n", self.good("export", "--format=counts", "lib.so", "all"))
        self.bad("other: the profile is of build 0000000000000063", "report", "prog", "other")
        # what is no longer the same is left out
        for change in (lambda: put("lib.so", self.prog), lambda: put("lib.so", b"text"), lambda: os.remove("lib.so")):
            change()
            r = run("report", "prog")
            self.assertIn("54 instructions", r.stdout)
            self.assertRegex(r.stderr, r"warning: .*/lib.so has changed since it ran")

    def test_info(self):
        text = self.good("info", "prog.ldxprof")
        self.assertRegex(text, r"program: +/p\ncommand: +p arg\nbuild: +%016x\n\nobject: +/p\n" % self.build)
        self.assertIn("1, 1 in use, 0 of running", text)

    def test_find(self):
        os.remove("prog.ldxprof")
        self.bad("no profile of prog: there is no /.*/prog.ldxprof; run the program first", "report", "prog")
        for text, data in ("is empty", b""), ("is not a profile of ldx, and there is no /.*", b"text"):
            put("prog.ldxprof", data)
            self.bad("no profile of prog: /.*/prog.ldxprof " + text, "report", "prog")
        os.remove("prog.ldxprof")
        os.mkdir("prog.ldxprof")
        self.bad("prog.ldxprof: not a regular file", "report", "prog")
        os.rmdir("prog.ldxprof")
        put("prog.ldxprof", profile(1, [COUNTS]))
        self.bad("prog.ldxprof is of build 0000000000000001, not %016x, and there is no /.*%016x.ldxprof" %
                 (self.build, self.build), "report", "prog")
        put("prog.%016x.ldxprof" % self.build, profile(self.build, [COUNTS]))
        self.good("report", "prog")
        self.bad("is of build", "report", "prog", "prog.ldxprof")
        os.symlink("prog", "alias")
        self.good("report", "alias")
        subprocess.run(["objcopy", "--remove-section=.ldx.map", "prog"], check=True)
        self.bad("not instrumented by ldx", "report", "prog")
        put("prog.ldxmap", self.map_data)
        self.good("report", "prog")

    def test_find_named(self):
        """Where LDX_PROFILE_FILE says, in all that the runtime takes."""
        os.makedirs("d", exist_ok=True)
        name = "d/%%%%[*]-%s-%%e-%%b.ldxprof" % os.uname().nodename
        os.rename("prog.ldxprof", "d/%%[*]-%s-prog-%016x.ldxprof" % (os.uname().nodename, self.build))
        for pattern in name, os.path.abspath(name), name.replace(os.uname().nodename, "%h"):
            r = run("icount", "prog", LDX_PROFILE_FILE=pattern)
            self.assertEqual(r.stdout, "54\n", r.stderr)
        for n in 7, 8:
            put("d/p%d" % n, profile(self.build, [COUNTS]))
        put("d/p9", profile(1, [COUNTS]))
        put("d/p7-sum", profile(self.build, [COUNTS]))
        put("d/p9.%016x.ldxprof" % self.build, profile(self.build, [COUNTS]))
        self.assertEqual(run("icount", "prog", LDX_PROFILE_FILE="d/p%p").stdout, "162\n")
        text = run("where", "prog", LDX_PROFILE_FILE="d/p%p").stdout
        self.assertRegex(text, r"profile: +/.*/d/p%p\n(there: +/.*, 1 process\n){3}\Z")
        text = run("where", "prog", LDX_PROFILE_FILE="d/p9").stdout
        self.assertRegex(text, r"profile: +/.*/d/p9.%016x.ldxprof\nbecause: +/.*/d/p9 is of build 0+1, not" % self.build)
        for pattern, text in ("", "is empty, so that none is written"), ("d/none%p", "there is no /.*/d/none%p; run"):
            r = run("report", "prog", LDX_PROFILE_FILE=pattern)
            self.assertRegex(r.stderr, text)

    def test_names(self):
        """A name may hold anything: in no format does it move the cursor, end a line or add a column."""
        weird = 'a"\\ \tb\nc\x1b[31m\x7f\udcff\xe4\x9b31m\u202e\u2028\\x41'
        text = 'a"\\ \\x09b\\x0ac\\x1b[31m\\x7f\\xff\xe4\\xc2\\x9b31m\\xe2\\x80\\xae\\xe2\\x80\\xa8\\x5cx41'
        m = Map(2)
        m.func(weird, self.at["_start"], 8, [(0, 4, 2, 0, 0), (4, 4, 2, 4, 1)], file="f" + weird)
        m.func(weird + "2", self.at["sum"], 1, reason="r" + weird)
        put("map", m.data())
        link(m.build)
        subprocess.run(["objcopy", "--add-section", ".ldx.map=map", "prog"], check=True)
        path = ("p" + weird).encode(errors="surrogateescape")
        os.rename("prog", path)
        put("p", profile(m.build, [[1, 2]], program=path, command=path + b"\0" + path))
        name = os.fsdecode(path)
        for args in (["report", name, "p"], ["report", "--all", name, "p"], ["report", "--blocks", name, "p"],
                     ["report", "--format=tsv", name, "p"], ["report", "--format=json", name, "p"],
                     ["annotate", text, name, "p"], ["annotate", os.fsdecode(path[1:]), name, "p"],
                     ["export", name, "p"], ["export", "--format=counts", name, "p"], ["info", "p"], ["where", name],
                     ["icount", "--functions", name, "p"], ["report", name], ["report", "p", name],
                     ["merge", "-o", "q", name], ["merge", "-o", name + "/", "p"], [name], ["--" + name]):
            r = subprocess.run([LDXPROF, *args], capture_output=True, timeout=60)
            out = r.stdout + r.stderr
            raw = out.replace(b"\t", b"") if "--format=tsv" in args else out
            self.assertFalse([c for c in raw.decode() if c != "\n" and not c.isprintable()], (args, out))
            if args[0] != "export" and "--format=json" not in args:
                self.assertIn(text, out.decode(), args)
        rows = self.good("report", "--all", "--format=tsv", name, "p").splitlines()
        self.assertEqual([len(r.split("\t")) for r in rows], [10] * 3)
        self.assertEqual(self.good("export", "--format=counts", name, "p"), "%s+0x0 1\n%s+0x4 2\n" % (text, text))
        plain = weird.replace("\udcff", "\ufffd")
        self.assertEqual(json.loads(self.good("export", name, "p"))["functions"][0]["name"], plain)

    def test_columns(self):
        """Numbers of 20 digits do not run together."""
        big = (1 << 64) - 1
        put("prog.ldxprof", profile(self.build, [[big] * 10]))
        self.assertRegex(self.good("report", "prog"), r"\n *%d +%d +\d+\.\d\d%% +4/4 +libsum.a\(sum.o\) +sum\n" % (big, big))
        self.assertRegex(self.good("report", "--blocks", "prog"), r"\n *%d +%d +\d+\.\d\d%% +5 +[0-9a-f]+ +libsum.a\(sum.o\) +sum\+0x6\n" % (big, big))
        self.assertRegex(self.good("annotate", "sum", "prog"), r"\n%d +[0-9a-f]+:  xorl" % big)
        self.assertRegex(run("icount", "--functions", "prog").stdout, r"\n%d  sum\n" % big)

    def test_functions_only(self):
        subprocess.run(["objcopy", "--remove-section=.ldx.map", "--remove-section=.ldx.info", "prog"],
                       check=True)
        m = Map(2, mode=1)
        m.func("sum", self.at["sum"], 14, [(0, 4, 2, 7, None)], entry=0)
        m.func("_start", self.at["_start"], 24, [], entry=1)
        put("prog.ldxmap", m.data())
        put("prog.ldxprof", profile(m.build, [[7, 0]]))
        rows = [r.split("\t") for r in self.good("report", "--format=tsv", "--all", "prog").splitlines()]
        self.assertEqual([(r[6], r[0], r[1], r[4]) for r in rows[1:]],
                         [("sum", "7", "", "0"), ("_start", "0", "", "0")])
        self.bad("no block is counted in mode functions", "report", "--blocks", "prog")
        self.assertEqual(self.good("export", "--format=counts", "prog"), "")

    def test_usage(self):
        self.bad("no command nonsense; see", "nonsense")
        self.bad("no command repotr; did you mean report\\?", "repotr")
        self.bad("which program", "report")
        self.bad("cannot open", "report", "missing")
        self.bad("not a regular file", "report", "/dev/null")
        self.bad("not a number", "report", "--top=x", "prog")
        self.bad("--format=xml: no such choice: it is text, json or tsv", "report", "--format=xml", "prog")
        self.bad("did you mean name\\?", "report", "--sort=nam", "prog")
        self.bad("not an ELF file", "report", "map")
        self.bad("--bad: an option stands behind its verb", "--bad")
        self.bad("--bad: no such option of report; see", "report", "--bad", "prog")
        self.bad("--blcks=1: no such option of report; did you mean --blocks\\?", "report", "--blcks=1", "prog")
        self.bad("-x: no such option of report", "report", "-x", "prog")
        self.bad("--blocks takes no value", "report", "--blocks=1", "prog")
        self.bad("--sort: its value is missing: --sort=KEY", "report", "prog", "--sort")
        self.bad("--output: its value is missing", "report", "prog", "-o")
        for option in "--blocks --sort=name --top=1 --all --format=tsv --filter=x".split():
            self.bad("no such option of annotate", "annotate", "sum", option, "prog")
        self.bad("--address goes with export --format=counts only", "export", "--address", "prog")

    def test_help(self):
        """Each verb says what it does, and every option that it says is one."""
        text = self.good("--help")
        self.assertEqual([self.good(*how) for how in (["-h"], ["help"])], [text] * 2)
        verbs = re.findall(r"^  (\w+) ", text, re.M)
        self.assertIn("report", verbs)
        for verb in verbs[:-1]:
            text = self.good("help", verb)
            behind = [verb, "prog", "--help"] if verb != "tool" else [verb, "--help", "prog"]  # a tool has its own
            self.assertEqual([self.good(*how) for how in ([verb, "-h"], behind, ["--help", verb])], [text] * 3)
            self.assertRegex(text, r"\Ausage: ldxprof %s .*\n" % verb)
            self.assertLessEqual(max(map(len, text.splitlines())), 100, verb)
            for name, value in re.findall(r"--([a-z-]+)(=?)", text[text.index("\noptions:"):]):
                if value:
                    self.assertIn("--%s: its value is missing" % name, run(verb, "--" + name).stderr)
        self.assertEqual(verbs[-1], "help")
        self.bad("no command nonsense", "help", "nonsense")
        self.assertRegex(self.good("--version"), r"\Aldxprof \d")
        self.assertRegex(run().stderr, "usage: ldxprof VERB")

    def test_filter(self):
        def names(*filters):
            return [r["function"] for r in json.loads(self.good(
                "report", "--format=json", "--sort=name", *("--filter=" + f for f in filters), "prog"))]

        every = ["_start", "hidden", "sum", "twice(int)"]
        for filters, want in [([], every), (["*"], every), (["s*"], ["sum"]), (["twice"], ["twice(int)"]),
                              (["_Z5*"], ["twice(int)"]), (["twice(int)", "hidden"], ["hidden", "twice(int)"]),
                              (["prog"], every), (["file:prog"], []), (["object:prog"], every), (["function:sum*"], ["sum"]),
                              (["sum.c"], ["sum"]), (["libsum.a(*)"], ["sum"]), (["file:libsum*"], ["sum"]), (["object:libsum.a"], ["sum"]), (["sum.o"], ["sum"]), (["function:sum.o"], []), (["file:sum.?"], ["sum"]), (["file::x"], []), (["[hs]*"], ["hidden", "sum"])]:
            self.assertEqual(names(*filters), want, filters)
        self.assertIn("44 instructions in instrumented code\n1 of 1 functions and 4 of 4 blocks", self.good("report", "--filter=sum", "prog"))

    def test_mangled(self):
        """Names of C++, Rust and D are those that c++filt tells."""
        rust = "_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..clone..Clone$GT$"
        names = ["_ZN1N1fIiEEvT_", "_ZNKSt6vectorIiSaIiEE4sizeEv", "_ZN12_GLOBAL__N_11fEv.cold", "_Zbad", "plain",
                 "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "_RNvCskwGfYPst2Cb_3foo16example_function",
                 "_ZN%d%s5clone17h0123456789abcdefE" % (len(rust), rust),
                 "_RNvXs_C7mycrateINtB4_3FoopEuNtB4_3Bar1m", "_D3std5stdio7writelnFZv", "_D8demangle4testFZv"]
        m = Map(len(names))
        for i, name in enumerate(names):
            m.func(name, self.at["_start"], 8, [(0, 4, 2, 0, i)])
        put("map", m.data())
        link(m.build)
        subprocess.run(["objcopy", "--add-section", ".ldx.map=map", "prog"], check=True)
        put("prog.ldxprof", profile(m.build, [[len(names) - i for i in range(len(names))]]))
        want = [subprocess.run(["c++filt", "-i", "-sdlang" if n[:2] == "_D" else "-sauto", n], check=True,
                               capture_output=True, text=True).stdout.rstrip() for n in names]
        rows = json.loads(self.good("report", "--format=json", "prog"))
        self.assertEqual([r["function"] for r in rows], want)
        self.assertGreater(sum(a != b for a, b in zip(names, want)), 7)
        self.assertNotIn("0123456789abcdef", "".join(want))
        rows = json.loads(self.good("report", "--format=json", "--no-demangle", "prog"))
        self.assertEqual([r["function"] for r in rows], names)

    def test_width(self):
        """A name that is too long loses template arguments first, then parameters, then scopes, never its end."""
        long = "_ZNSt6vectorIN2ab2cdINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEESaIS8_EE9push_backERKS8_"
        m = Map(1)
        m.func(long, self.at["_start"], 8, [(0, 4, 2, 0, 0)])
        put("map", m.data())
        link(m.build)
        subprocess.run(["objcopy", "--add-section", ".ldx.map=map", "prog"], check=True)
        put("prog.ldxprof", profile(m.build, [[1]]))

        def name(*options):
            r = run("report", *options, "prog", LC_ALL="C.UTF-8")
            self.assertEqual((r.returncode, r.stderr), (0, ""))
            line = r.stdout.splitlines()[-1]
            return line, re.search(r"1/1 +- +(.*)", line).group(1)

        line, whole = name()
        self.assertEqual(whole, subprocess.run(["c++filt", long], capture_output=True, text=True).stdout.rstrip())
        self.assertEqual(name("--full-names", "--width=20")[1], whole)
        shorter = set()
        for width in range(len(line) + 2, 20, -1):
            line, text = name("--width=%d" % width)
            shorter.add(text)
            self.assertIn("push_back", text)
            if text != "\u2026::push_back(\u2026)":
                self.assertLessEqual(len(line), width)
            rest = iter(whole)
            self.assertTrue(all(c in rest for c in text if c not in "\u2026:" ), text)
        self.assertLessEqual({whole, "std::vector<\u2026>::push_back(\u2026)", "\u2026::push_back(\u2026)"}, shorter)
        self.assertIn("std::vector<\u2026>::push_back(ab::cd<\u2026> const&)", shorter)

    def test_merge_many(self):
        """Weights, patterns and lists name profiles; a weight is as if the file was named so often."""
        put("a1", profile(self.build, [COUNTS, slot(7, [5])]))
        put("a2", profile(self.build, [slot(7, [6], runs=2), [10] * 10]))
        put("a*", profile(self.build, [[0] * 10]))
        self.good("merge", "-o", "m", "a1", "a1", "a1", "a2", "a2")
        want = get("m")
        put("list", b"a1\n\n2,a2\n2,a1")
        for args in ["--weighted=3,a1", "--weighted=2,a2"], ["--list=list"], ["a1", "--weighted=2,a[1]", "a2", "a2"], \
                ["--weighted=2,a[12]", "a1"]:
            self.good("merge", "-o", "m", *args)
            self.assertEqual(get("m"), want, args)
        r = subprocess.run([LDXPROF, "merge", "-o", "m", "--list=-"], input=get("list"), timeout=60)
        self.assertEqual((r.returncode, get("m")), (0, want))
        self.good("merge", "-o", "m", "a*")  # a file of that name comes before a pattern
        self.assertIn("0 of 4 functions", self.good("report", "prog", "m"))
        os.remove("a*")
        self.good("merge", "-o", "m", "a*")
        self.good("merge", "-o", "n", "a1", "a2")
        self.assertEqual(get("m"), get("n"))
        put("one", profile(self.build, [[1] * 10]))
        self.good("merge", "-o", "most", "--weighted=%d,one" % ((1 << 64) - 1), "--weighted=0,a2")
        self.assertIn("sum+0x4 %d\n" % ((1 << 64) - 1), run("export", "--format=counts", "prog", "most").stdout)
        for args in ["--weighted=%d,a1" % ((1 << 64) - 1)], ["most", "one"], ["one", "--weighted=2,most"]:
            self.bad("a sum of its counts does not fit in 64 bits", "merge", "-o", "none", *args)
            self.assertFalse(os.path.exists("none"))
        self.bad("one: a sum of its counts does not fit in 64 bits", "report", "prog", "most", "one")
        for text, arg in ("no profile matches b\\*", "b*"), ("it is TIMES,FILE", "--weighted=a1"), \
                ("it is TIMES,FILE", "--weighted=-1,a1"), ("cannot open", "--list=none"), ("which profiles", "--list=/dev/null"):
            self.bad(text, "merge", "-o", "m", arg)

    def test_progress(self):
        """What takes longer than two seconds has a bar, on a terminal only, and it goes away."""
        subprocess.run([*CC, "-shared", "-fPIC", "-o", "clock.so", HERE + "/clock.c"], check=True)
        put("list", b"prog.ldxprof\n" * 20)
        for terminal in True, False:
            master, end = pty.openpty() if terminal else os.pipe()
            r = subprocess.run([LDXPROF, "merge", "-o", "m", "--list=list"], stderr=end, timeout=60,
                               env={**os.environ, "LD_PRELOAD": os.path.abspath("clock.so")})
            os.close(end)
            self.assertEqual(r.returncode, 0)
            said = b""
            try:
                while data := os.read(master, 4096):
                    said += data
            except OSError:  # the other end of the terminal is closed
                pass
            os.close(master)
            if terminal:
                self.assertRegex(said, rb"\rreading profiles \[#* *\] +\d+%.*\r\x1b\[K\Z")
            else:
                self.assertEqual(said, b"")
        self.assertIn("sum+0x4 160\n", self.good("export", "--format=counts", "prog", "m"))

    def test_running(self):
        """What a running process counts is seen at once: it has the profile mapped."""
        with open("prog.ldxprof", "r+b") as f, mmap.mmap(f.fileno(), 0) as m:
            fcntl.lockf(f, fcntl.LOCK_EX, 1, 4096)
            for n in 8, 9, 10:
                struct.pack_into("<Q", m, 8192 + 2 * 8, n)
                self.assertIn("sum+0x4 %d\n" % n, self.good("export", "--format=counts", "prog"))
            self.assertIn("slots:     1, 1 in use, 1 of running processes\n", self.good("info", "prog.ldxprof"))
            self.assertIn("twice(int)", self.good("report", "prog"))

    def test_ls(self):
        """Which profiles are there, of which program, how many processes, and whether it is still that program."""
        os.mkdir("d")
        path = os.path.abspath("prog")
        put("d/one", profile(self.build, [slot(self.build, COUNTS, used=3, runs=3), slot(7, [1], runs=9), COUNTS], program=path.encode()))
        put("d/two", profile(5, [slot(5, [1])], program=path.encode()))
        put("d/cut", get("d/one")[:5000])
        put("d/text", b"text")
        os.mkdir("d/e")
        put("d/e/gone", profile(5, [], program=b"/none"))
        for i, name in enumerate(["e/gone", "cut", "one", "two"]):
            os.utime("d/" + name, (i, i))
        row = {"date": "1970-01-01T00:00:02Z", "processes": 4, "running": 0, "size": os.path.getsize("d/one"),
               "build": "%016x" % self.build, "state": "there", "profile": "d/one", "program": path}
        rows = json.loads(self.good("ls", "--format=json", "d"))
        self.assertEqual([(r["profile"], r["state"]) for r in rows],
                         [("d/cut", "damaged profile"), ("d/one", "there"), ("d/two", "linked again")])
        self.assertEqual(rows[1], row)
        with open("d/one", "r+b") as f:
            fcntl.lockf(f, fcntl.LOCK_EX, 1, 4096)
            self.assertEqual(json.loads(self.good("ls", "--format=json", "d/one")), [dict(row, running=1)])
        for key, want in ("path", "cut e/gone one two"), ("date", "two one cut e/gone"), ("processes", "one two cut e/gone"), \
                ("program", "e/gone cut one two"):
            rows = [x.split("\t") for x in self.good("ls", "-R", "--format=tsv", "--sort=" + key, "d").splitlines()]
            self.assertEqual(" ".join(r[6][2:] for r in rows[1:]), want)
        self.assertEqual(self.good("ls", "--top=1", "--sort=date", "d", "--format=tsv").splitlines()[1].split("\t")[6], "d/two")
        self.assertRegex(self.good("ls", "d"), r"4 +0 +%d +%016x +there +d/one +%s\n" % (row["size"], self.build, path))
        os.mkdir("empty")
        self.assertEqual(self.good("ls", "empty"), "no profiles\n")
        self.bad("cannot open none", "ls", "none")

    def test_search(self):
        """Programs and shared objects are found by their builds, in a system root or where one says."""
        where = os.path.abspath("run")
        os.makedirs("root" + where)
        os.makedirs("objects/deep")
        put("objects/deep/other", self.lib)
        put("root" + where + "/lib.so", self.lib)
        put("root" + where + "/prog", self.prog)
        put("objects/deep/text", b"text")
        put("p", profile(self.build, [COUNTS, slot(self.lib_build, [20, 6], path=os.fsencode(where + "/lib.so"))],
                         program=os.fsencode(where + "/prog")))
        self.assertIn("its counts are left out", run("report", "prog", "p").stderr)
        self.bad("cannot open", "report", "p")

        def objects(*args):
            return [o for o in dict.fromkeys(r["object"] for r in json.loads(self.good("report", "--format=json", "--all", *args)))]

        root = "root/" + where
        self.assertEqual(set(objects("--sysroot=root", "p")), {root + "/prog", root + "/lib.so"})
        self.assertEqual(set(objects("--sysroot=root", "prog", "p")), {"prog", root + "/lib.so"})
        self.assertEqual(set(objects("--object=objects", "prog", "p")), {"prog", "objects/deep/other"})
        self.assertEqual(set(objects("--object=objects/deep/other", "--object=prog", "p")), {"prog", "objects/deep/other"})
        self.assertEqual(set(objects("--object=objects", "--sysroot=root", "p")), {root + "/prog", "objects/deep/other"})
        self.assertEqual(run("diff", "--sysroot=root", "p", "prog,p").returncode, 0)
        self.bad("cannot open none", "report", "--object=none", "p")
        put(root + "/lib.so", self.prog)
        self.assertIn("its counts are left out", run("report", "--sysroot=root", "prog", "p").stderr)

    def test_output(self):
        """A file is replaced when all is written, and not before; what is no file is written in place."""
        for args in ["report", "prog"], ["export", "prog"], ["merge", "prog.ldxprof"]:
            put("out", b"old")
            os.symlink("out", "link")
            self.bad("cannot open", args[0], "-o", "out", "missing")
            self.assertEqual(get("out"), b"old")
            self.good(*args, "-o", "link")
            self.assertTrue(os.path.islink("link"))
            self.assertNotEqual(get("out"), b"old")
            os.remove("link")
            self.assertEqual([f for f in os.listdir(".") if f.startswith(("out.", "link."))], [])
            self.bad("cannot write no/out", *args, "-o", "no/out")
            self.bad("cannot write /dev/full", *args, "-o", "/dev/full")

    def test_rows(self):
        """Threads count in rows of their own; a slot that is being made counts nothing."""
        whole = slot(self.build, COUNTS, lost_threads=3)
        rows = slot(self.build, COUNTS + [0] * (512 - len(COUNTS)) + COUNTS, len(COUNTS))
        put("once", profile(self.build, [COUNTS] * 3))
        put("rows", profile(self.build, [whole, slot(0, [], 0), slot(0, [7] * 513, 0), rows]))
        text = self.good("report", "prog", "rows")
        self.assertIn("(but for 3 threads whose counts are lost)", text)
        self.assertEqual(self.good("report", "prog", "once").split("\n")[1:], text.split("\n")[1:])
        self.assertIn("and 3 threads\n", self.good("info", "rows"))
        self.good("merge", "-o", "merged", "rows")
        self.assertIn("and 3 threads\n", self.good("info", "merged"))
        self.assertEqual(json.loads(self.good("export", "prog", "rows"))["lost_threads"], 3)

    def test_unfinished(self):
        """Processes that ended without leaving main: the owner of a slot is one of them unless it runs."""
        said = r"\n%s ended without leaving main, by a signal, execve or _exit\n"
        counts = slot(self.build, COUNTS, used=3, runs=4, unfinished=2)
        put("none", profile(self.build, [slot(self.build, COUNTS, runs=4)]))
        put("two", profile(self.build, [counts]))
        put("three", profile(self.build, [counts, slot(self.build, COUNTS, unfinished=1)]))
        self.assertNotIn("ended", self.good("report", "prog", "none") + self.good("info", "none"))
        self.assertRegex(self.good("report", "prog", "two"), said % "2 processes")
        self.assertIn("processes: 4, 2 ended without leaving main\n", self.good("info", "two"))
        with open("two", "r+b") as f:
            fcntl.lockf(f, fcntl.LOCK_EX, 1, 4096)
            self.assertRegex(self.good("report", "prog", "two"), said % "1 process")
            self.good("merge", "-o", "merged", "three", "two")
        self.assertIn("processes: 9, 4 ended without leaving main\n", self.good("info", "merged"))
        self.assertEqual(json.loads(self.good("export", "prog", "merged"))["unfinished"], 4)

    def test_damaged_profile(self):
        good = profile(self.build, [COUNTS])
        for cut in (0, 10, 4095, 4096 + 10, len(good) - 1):
            put("p", good[:cut])
            self.bad("not a profile|truncated", "report", "prog", "p")
        put("p", good[:16] + b"\xff" * 8 + good[24:])
        self.bad("damaged", "report", "prog", "p")
        put("p", good[:16] + b"\0\1\0\0\0\0\0\0" + good[24:])
        self.bad("header of the profile is damaged", "info", "p")
        for n in (1 << 40, (1 << 64) - 1, 513):
            put("p", profile(self.build, [good[4096:], slot(self.build, [], n, size=8192)]))
            self.bad("slot at 12288 of the profile is damaged", "report", "prog", "p")
        for size in (0, 4096, 4097, 1 << 63):
            put("p", profile(self.build, [slot(self.build, COUNTS, size=size)]))
            self.bad("slot at 4096 of the profile is damaged", "report", "prog", "p")
        put("p", profile(self.build, [slot(7, [1]), slot(7, [1, 1])]))
        self.bad("build 0000000000000007 has 2 counters, not 1", "report", "prog", "p")
        put("p", profile(self.build, [[1]]))
        self.bad("has 10 counters, its profile 1", "report", "prog", "p")
        put("p", profile(self.build, []))
        self.good("merge", "-o", "q", "p")
        self.assertIn("0 of 4 functions", self.good("report", "prog", "p"))

    def test_damaged_map(self):
        subprocess.run(["objcopy", "--remove-section=.ldx.map", "prog"], check=True)
        rnd = random.Random(1)
        good = self.map_data
        for i in range(300):
            d = bytearray(good)
            for _ in range(rnd.randint(1, 3)):
                d[rnd.randrange(len(d))] = rnd.choice((0, 1, 0x7f, 0x80, 0xff, rnd.randrange(256)))
            if rnd.random() < 0.2:
                del d[rnd.randrange(len(d)):]
            put("prog.ldxmap", d)
            run("report", "prog")
            run("annotate", "sum", "prog")

    def test_missing_profile(self):
        """It is looked for before the map is read."""
        subprocess.run(["objcopy", "--remove-section=.ldx.map", "prog"], check=True)
        put("prog.ldxmap", b"no map")
        self.bad("truncated", "report", "prog")
        os.unlink("prog.ldxprof")
        for verb in ("report", "calls"):
            self.bad("no profile of prog: there is no ", verb, "prog")
        self.bad("no profile of prog: there is no ", "annotate", "sum", "prog")
        self.bad("cannot open lost: No such file", "report", "prog", "lost")

    def test_damaged_program(self):
        rnd = random.Random(2)
        for i in range(300):
            d = bytearray(self.prog)
            for _ in range(rnd.randint(1, 4)):
                where = rnd.choice((rnd.randrange(64), rnd.randrange(len(d)),
                                    len(d) - 1 - rnd.randrange(900)))
                d[where] = rnd.choice((0, 1, 0x7f, 0x80, 0xff, rnd.randrange(256)))
            if rnd.random() < 0.1:
                del d[rnd.randrange(len(d)):]
            put("prog", d)
            run("annotate", "sum", "prog")


if __name__ == "__main__":
    unittest.main()
