#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""coverage.py LDXPROF STAGE: ldxprof coverage of a small program, and the tools that read what it writes."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
LDXPROF = os.path.abspath(sys.argv.pop(1))
STAGE = os.path.abspath(sys.argv.pop(1))
FILES = ["covered.c", "covered-other.c", "covered.h"]


def run(*args):
    r = subprocess.run([LDXPROF, *args], capture_output=True, text=True, timeout=60,
                       env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
    if "Sanitizer" in r.stderr:
        raise AssertionError(r.stderr)
    return r


def needs(*tools):
    missing = [t for t in tools if not shutil.which(t)]
    return unittest.skipIf(missing, "no " + " ".join(missing))


def out(*args):
    return subprocess.run(args, check=True, capture_output=True, text=True).stdout


class Coverage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = os.path.realpath(tempfile.mkdtemp())
        os.chdir(cls.dir)
        cls.bindir = bindir = out(STAGE + "/bin/ldx", "--ldx-print=bindir").strip()
        os.mkdir("src")
        for f in FILES:
            shutil.copy(HERE + "/" + f, "src")
        for level, modes in ("-O0", ["edges", "blocks", "cover", "functions"]), ("-O2", ["edges"]):
            for f in FILES[:2]:
                subprocess.run(["gcc", level, "-g", "-c", "%s/src/%s" % (cls.dir, f)], check=True)
            for mode in modes:
                subprocess.run(["gcc", "-B" + bindir, "-Wl,--instrument=" + mode, "covered.o", "covered-other.o", "-o",
                                mode + level], check=True)
                subprocess.run(["./" + mode + level], check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        os.chdir("/")
        shutil.rmtree(cls.dir)

    def tearDown(self):
        for f in FILES:
            shutil.copy(HERE + "/" + f, "src")

    def good(self, *args):
        r = run("coverage", *args)
        self.assertEqual((r.returncode, r.stderr), (0, ""), args)
        return r.stdout

    def bad(self, text, *args):
        r = run("coverage", *args)
        self.assertEqual((r.returncode, r.stdout), (2, ""), args)
        self.assertRegex(r.stderr, r"\Aldxprof: error: .*" + text + r".*\n\Z")

    def json(self, *args):
        return json.loads(self.good("--format=json", *args))

    def lines(self, *args):
        """{(file name, line): count}"""
        return {(os.path.basename(f["file"]), line["line_number"]): line["count"]
                for f in json.loads(self.good("--format=gcovr", *args))["files"] for line in f["lines"]}

    def at(self, text, file="covered.c"):
        """The line of the source that has the text."""
        with open("src/" + file) as f:
            return file, next(i for i, line in enumerate(f, 1) if text in line)

    def mark(self, text, comment):
        """Add a comment to that line."""
        file, line = self.at(text)
        with open("src/" + file) as f:
            lines = f.read().split("\n")
        lines[line - 1] += " /* %s */" % comment
        with open("src/" + file, "w") as f:
            f.write("\n".join(lines))

    def test_counts(self):
        lines = self.lines("edges-O0")
        n = 40
        self.assertEqual(lines[self.at("all += classify")], n)
        self.assertEqual(lines[self.at("for (int i = 0; i < n; i++) {")], n + 1)
        self.assertEqual(lines[self.at("while (*p++);")], len("some text") + len("more") + 2)
        self.assertEqual(lines[self.at("for (int i = 0; i < n; i++) s +=")], n + 1)
        self.assertEqual(lines[self.at("return x * 2")], 0)
        # compiled into two objects
        self.assertEqual(lines[self.at("if (x < least)", "covered.h")], 1 + 7)
        self.assertEqual(lines[self.at("return least", "covered.h")], 2)
        self.assertEqual(self.lines("blocks-O0"), lines)

    def test_modes(self):
        lines = self.lines("edges-O0")
        self.assertEqual(self.lines("cover-O0"), {k: min(n, 1) for k, n in lines.items()})
        self.assertEqual(self.lines("functions-O0"), {})
        edges, blocks, cover, functions = (self.json(m + "-O0") for m in ("edges", "blocks", "cover", "functions"))
        self.assertEqual(edges["lines"], {"found": len(lines), "hit": sum(n > 0 for n in lines.values())})
        for j in blocks, cover, functions:
            self.assertEqual(j["functions"], edges["functions"])
        for j in cover, functions:
            self.assertEqual(j["branches"], {"found": 0, "hit": 0})
        self.assertEqual(blocks["branches"], edges["branches"])
        self.assertIn("-", self.good("functions-O0").splitlines()[-1])

    def test_without_edges(self):
        """Where each block has a counter of its own, blocks do not tell branches: the report says what does."""
        subprocess.run(["gcc", "-B" + self.bindir, "-Wl,--ldx-placement=every", "covered.o", "covered-other.o", "-o",
                        "every"], check=True)
        subprocess.run(["./every"], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(self.json("every")["branches"], {"found": 0, "hit": 0})
        self.assertIn("the branches of every are counted when it is linked with --instrument=edges", self.good("every"))
        self.assertNotIn("--instrument", self.good("blocks-O0"))

    def test_inlined(self):
        """Where a function was inlined its lines have the sum; it is not listed itself."""
        lines = self.lines("edges-O2")
        self.assertEqual(lines[self.at("all += classify")], 40)
        self.assertEqual(lines[self.at("if (x < least)", "covered.h")], 1 + 7)

    def test_missing(self):
        text = self.good("--missing", "edges-O0")
        never, fail = self.at("static int never_called")[1], self.at("static void fail")[1]
        self.assertRegex(text, r"/src/covered.c\n  function never_called, line %d\n  function fail, line %d\n  lines " % (
            never, fail))
        (row,) = [r for r in self.json("--missing", "edges-O0")["rows"] if r["missing"][0]["functions"]]
        (m,) = row["missing"]
        self.assertEqual([f["name"] for f in m["functions"]], ["never_called", "fail"])
        lines = {n: c for (f, n), c in self.lines("edges-O0").items() if f == "covered.c"}
        self.assertEqual([n for n, c in sorted(lines.items()) if not c],
                         [n for a, b in m["lines"] for n in range(a, b + 1) if n in lines])
        rows = [r.split("\t") for r in self.good("--missing", "--format=tsv", "edges-O0").splitlines()[1:]]
        self.assertEqual([[int(r[1]), int(r[2])] for r in rows if r[0] == "lines" and r[4].endswith("covered.c")], m["lines"])

    def test_rows(self):
        def names(*args):
            return [r.split("\t")[-1] for r in self.good("--format=tsv", *args, "edges-O0").splitlines()[1:]]
        src = self.dir + "/src"
        files = [src + "/" + f for f in sorted(FILES)]
        self.assertEqual(names("--sort=name"), files)
        self.assertEqual(names("--by=directory"), [src])
        self.assertEqual(names("--by=object"), ["edges-O0"])
        self.assertGreater(len(names("--by=member")), 1)
        self.assertEqual(names("--source-root=src", "--sort=name"), sorted(FILES))
        self.assertEqual(names("--prefix-map=%s=there" % src, "--prefix-map=/no=/where", "--sort=name"),
                         ["there/" + f for f in sorted(FILES)])
        self.assertEqual(names("--filter=file:*.h"), files[2:])
        self.assertEqual(names("--exclude=file:*.h", "--exclude=other", "--filter=object:edges*"), files[1:2])
        self.assertEqual(names("--exclude=file:covered*"), [])
        j = self.json("--filter=function:main", "edges-O0")
        self.assertEqual(j["functions"], {"found": 1, "hit": 1})
        # the code of a header is in both objects
        total = [r["lines"]["found"] for r in self.json("--by=member", "edges-O0")["rows"]]
        self.assertGreater(sum(total), self.json("edges-O0")["lines"]["found"])

    def test_members(self):
        """A member is told by its archive's name without folders, and by its own with them."""
        os.mkdir("sub")
        shutil.copy("covered-other.o", "sub/other.o")
        subprocess.run(["ar", "rcsT", "libthin.a", "sub/other.o"], check=True)
        subprocess.run(["gcc", "-B" + self.bindir, "covered.o", self.dir + "/libthin.a", "-o", "thin"], check=True)
        subprocess.run(["./thin"], check=True, stdout=subprocess.DEVNULL)
        names = [r.split()[-1] for r in self.good("--by=member", "thin").splitlines()[-2:]]
        self.assertEqual(sorted(names), ["covered.o", "libthin.a(sub/other.o)"])

    def test_gate(self):
        self.good("--fail-under=50", "edges-O0")
        r = run("coverage", "--fail-under=100%", "edges-O0")
        self.assertEqual(r.returncode, 1)
        self.assertIn("lines: ", r.stdout)
        self.assertRegex(r.stderr, r"\Aldxprof: \d+ of \d+ lines were executed: [\d.]+%, less than 100%\n\Z")
        r = run("coverage", "--fail-under=1", "functions-O0")
        self.assertEqual(r.returncode, 2)
        self.assertIn("no line has a count", r.stderr)

    def test_errors(self):
        self.bad("it is OLD=NEW", "--prefix-map=x", "edges-O0")
        self.bad("source-root=nowhere: No such file", "--source-root=nowhere", "edges-O0")
        self.bad("--by and --missing go with", "--format=lcov", "--missing", "edges-O0")
        self.bad("no such choice", "--by=line", "edges-O0")
        self.bad("cannot open", "nothing")

    def test_excluded(self):
        before = self.lines("edges-O0")
        self.mark("return x * 2", "LCOV_EXCL_LINE")
        self.mark("static void fail", "LCOV_EXCL_START")
        self.mark("int main", "LCOV_EXCL_STOP")
        self.mark("if (argc > 3)", "LCOV_EXCL_BR_LINE")
        after = self.lines("edges-O0")
        fail, main = self.at("static void fail")[1], self.at("int main")[1]
        gone = {self.at("return x * 2")} | {k for k in before if k[0] == "covered.c" and fail <= k[1] < main}
        self.assertEqual(after, {k: n for k, n in before.items() if k not in gone})
        info = self.good("--format=lcov", "edges-O0")
        self.assertNotIn(",fail\n", info)
        self.assertIn(",never_called\n", info)
        self.assertNotIn("\nBRDA:%d," % self.at("if (argc > 3)")[1], info)
        self.mark("if (x < 0", "LCOV_EXCL_BR_START")
        self.mark("for (int i = 0; i < n; i++) s +=", "LCOV_EXCL_BR_STOP")
        self.assertEqual(self.lines("edges-O0"), after)
        branches = [int(n) for n in re.findall(r"^BRDA:(\d+),", self.good("--format=lcov", "edges-O0"), re.M)]
        start, stop = self.at("if (x < 0")[1], self.at("for (int i = 0; i < n; i++) s +=")[1]
        self.assertFalse([n for n in branches if start <= n < stop and n > 20])
        self.assertIn(stop, branches)

    def test_changed(self):
        """Lines behind the end of the source are not of this source."""
        with open("src/covered.c", "w") as f:
            f.write("\n" * 20)
        r = run("coverage", "--format=lcov", "edges-O0")
        self.assertRegex(r.stderr, r"\Aldxprof: warning: .*covered.c has changed since it was compiled.*\n\Z")
        section = next(s for s in r.stdout.split("end_of_record\n") if "/covered.c\n" in s)
        self.assertLess(max(int(n) for n in re.findall(r"^(?:DA|FN|BRDA):(\d+)", section, re.M)), 21)
        os.remove("src/covered.c")
        self.assertEqual(run("coverage", "edges-O0").stderr, "")

    def totals(self):
        j = self.json("edges-O0")
        return [(j[k]["hit"], j[k]["found"]) for k in ("lines", "functions", "branches")]

    @needs("lcov", "genhtml")
    def test_lcov(self):
        self.good("--format=lcov", "-o", "info", "edges-O0")
        text = out("lcov", "--rc", "lcov_branch_coverage=1", "--summary", "info")
        self.assertEqual([(int(a), int(b)) for a, b in re.findall(r"\((\d+) of (\d+) ", text)], self.totals())
        subprocess.run(["lcov", "--rc", "lcov_branch_coverage=1", "-a", "info", "-a", "info", "-o", "twice"], check=True,
                       stdout=subprocess.DEVNULL)

        def counts(name):
            with open(name) as f:
                return [int(n) for n in re.findall(r"^DA:\d+,(\d+)", f.read(), re.M)]
        self.assertEqual(counts("twice"), [2 * n for n in counts("info")])
        text = out("genhtml", "--branch-coverage", "-o", "html", "info")
        self.assertEqual([(int(a), int(b)) for a, b in re.findall(r"\((\d+) of (\d+) ", text)], self.totals())
        self.assertTrue(os.path.exists("html/index.html"))

    @needs("gcovr")
    def test_gcovr(self):
        self.good("--format=gcovr", "--source-root=src", "-o", "json", "edges-O0")
        subprocess.run(["gcovr", "-r", "src", "-a", "json", "--json-summary", "summary", "--xml", "xml"], check=True)
        with open("summary") as f:
            j = json.load(f)
        self.assertEqual([(j[k + "_covered"], j[k + "_total"]) for k in ("line", "function", "branch")], self.totals())
        self.assertEqual({c.get("filename") for c in xml.parse("xml").iter("class")}, set(FILES))

    def test_cobertura(self):
        text = self.good("--format=cobertura", "--source-root=src", "edges-O0")
        root = xml.fromstring(text)
        lines, _, branches = self.totals()
        self.assertEqual([(int(root.get(k + "-covered")), int(root.get(k + "-valid"))) for k in ("lines", "branches")],
                         [lines, branches])
        self.assertEqual(root.find("sources/source").text, self.dir + "/src")
        self.assertEqual({c.get("filename") for c in root.iter("class")}, set(FILES))
        got = {(c.get("filename"), int(line.get("number"))): int(line.get("hits"))
               for c in root.iter("class") for line in c.findall("lines/line")}
        self.assertEqual(got, self.lines("edges-O0"))
        shares = [re.fullmatch(r"\d+% \((\d+)/(\d+)\)", line.get("condition-coverage")).groups()
                  for line in root.iter("line") if line.get("branch") == "true"]
        self.assertEqual((sum(int(a) for a, _ in shares), sum(int(b) for _, b in shares)), branches)
        self.assertEqual(text, self.good("--format=cobertura", "--source-root=src", "edges-O0"))

    @needs("lcov", "gcovr")
    def test_without_lines(self):
        """An object without debug information has functions; formats of lines have nothing of it."""
        bindir = self.bindir
        with open("plain.c", "w") as f:
            f.write("int covered_plainly(void) { return 1; }\n")
        subprocess.run(["gcc", "-O0", "-c", "plain.c"], check=True)
        subprocess.run(["gcc", "-B" + bindir, "covered.o", "covered-other.o", "plain.o", "-o", "with"], check=True)
        subprocess.run(["./with"], check=True, stdout=subprocess.DEVNULL)
        self.assertIn("plain.o", self.good("with"))
        for form in "lcov", "gcovr", "cobertura":
            self.good("--format=" + form, "-o", form, "with")
            with open(form) as f:
                text = f.read()
            self.assertNotIn("plain", text)
            self.assertIn("covered.c", text)
        with open("gcovr") as f:
            self.assertEqual(len(json.load(f)["files"]), len(FILES))
        subprocess.run(["gcovr", "-r", "src", "-a", "gcovr", "--json-summary", "summary"], check=True)
        with open("summary") as f:
            self.assertEqual(json.load(f)["line_total"], self.json("with")["lines"]["found"])
        self.assertIn("lines", out("lcov", "--summary", "lcov"))

    @needs("xmllint")
    def test_cobertura_form(self):
        self.good("--format=cobertura", "-o", "cobertura.xml", "edges-O0")
        subprocess.run(["xmllint", "--noout", "--nonet", "cobertura.xml"], check=True)


if __name__ == "__main__":
    if not shutil.which("gcc"):
        print("no gcc")
        sys.exit(77)
    unittest.main()
