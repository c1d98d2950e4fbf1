# SPDX-License-Identifier: Apache-2.0
"""source.py FRAMES: what ldxprof takes from debug information of every kind is what binutils and LLVM say.

The program is not instrumented: a map made by hand says where its functions are."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from formats import Map

HERE = os.path.dirname(os.path.abspath(__file__))
FRAMES = os.path.abspath(sys.argv.pop(1))
CXX = os.environ.get("CXX", "c++").split()
SYMBOLIZER = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer")
if not SYMBOLIZER:
    print("llvm-symbolizer is not there")
    sys.exit(77)


def out(*args):
    return subprocess.run(args, check=True, capture_output=True, text=True).stdout


def add_map(prog):
    """A function of one block for each function of the program; returns the addresses of the instructions."""
    code = [int(a, 16) for a in re.findall(r"^ +([0-9a-f]+):\t", out("objdump", "-d", "--no-show-raw-insn", prog), re.M)]
    m, insns = Map(0, mode=0), []
    for line in out("nm", "-S", prog).splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tTW":
            at, size = int(fields[0], 16), int(fields[1], 16)
            own = [a for a in code if at <= a < at + size]
            m.func(fields[3], at, size, [(0, size, len(own), 0, None)])
            insns += own
    with open("map", "wb") as f:
        f.write(m.data())
    subprocess.run(["objcopy", "--add-section", ".ldx.map=map", prog], check=True)
    return insns


def line_table(prog):
    """The rows of the line table: {address: [(line, is a statement)]}; line None: the end of a sequence."""
    rows = {}
    for line in out("objdump", "--dwarf=decodedline", prog).splitlines():
        m = re.match(r"\S+ +(\d+|-) +(0x[0-9a-f]+|0)( .*)?$", line)
        if m:
            rows.setdefault(int(m[2], 0), []).append((None if m[1] == "-" else int(m[1]), "x" in (m[3] or "")))
    return rows


def symbolize(prog, addresses):
    """By address: the frames (function, file, line, discriminator, file and line of the declaration)."""
    r = subprocess.run([SYMBOLIZER, "--obj=" + prog, "--inlines", "--functions=linkage", "--no-demangle",
                        "--output-style=JSON"], input="\n".join("%#x" % a for a in addresses), text=True, check=True,
                       capture_output=True)
    found = [json.loads(line) for line in r.stdout.splitlines()]
    return [[(f["FunctionName"], os.path.normpath(f["FileName"]).lstrip("."), f["Line"], f["Discriminator"],
              os.path.normpath(f["StartFileName"]), f["StartLine"]) for f in j["Symbol"]] for j in found]


class Source(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp()
        os.chdir(cls.dir)
        os.mkdir("sub")
        shutil.copy(HERE + "/inlined.cpp", "sub/inlined.cpp")

    @classmethod
    def tearDownClass(cls):
        os.chdir("/")
        shutil.rmtree(cls.dir)

    def compile(self, *options, prog="prog"):
        for f in os.listdir("."):
            if f != "sub":
                os.remove(f)
        subprocess.run([*CXX, "-O2", *options, "-o", prog, "sub/../sub/inlined.cpp"], check=True)
        return add_map(prog)

    def frames(self, prog="prog", env={}):
        r = subprocess.run([FRAMES, prog], capture_output=True, text=True, check=True,
                           env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0", **env))
        self.assertEqual(r.stderr, "")
        known, *lines = r.stdout.splitlines()
        got = []
        for line in lines:
            at, _, statement, *frames = line.split("\t")
            got.append((int(at, 16), statement == "1",
                        [(frames[i], frames[i + 1], int(frames[i + 2]), int(frames[i + 3]), frames[i + 4],
                          int(frames[i + 5])) for i in range(0, len(frames), 6)]))
        return known == "1", got

    def check(self, insns, prog="prog", reference=None):
        reference = reference or prog
        known, got = self.frames(prog)
        self.assertTrue(known)
        self.assertEqual([g[0] for g in got], insns)
        inlined = 0
        for (at, _, frames), expected in zip(got, symbolize(reference, insns)):
            if not expected[-1][1]:
                expected = []
            else:  # it knows the outermost function by the name of the symbol
                name = {"_ZL1fi": "f"}.get(expected[-1][0], expected[-1][0].split(".")[0])
                expected[-1] = (name, *expected[-1][1:])
            # not everywhere does it say where a function is declared
            expected = [e if e[4] != "." else e[:4] + f[4:] for e, f in zip(expected, frames)] + expected[len(frames):]
            self.assertEqual(frames, expected, hex(at))
            inlined += len(frames) > 1
        self.assertGreater(inlined, 20)
        return got

    def test_versions(self):
        for options in ["-gdwarf-2", "-gno-strict-dwarf"], ["-gdwarf-3"], ["-gdwarf-4"], ["-gdwarf-5"]:
            with self.subTest(options):
                self.check(self.compile("-g", *options))

    def test_layout(self):
        """Position-dependent; no .debug_aranges; compressed; types apart; -g1 has inlined functions too."""
        for options in ["-no-pie"], ["-gz"], ["-fdebug-types-section"], ["-g1"], ["-ffunction-sections", "-Wl,--gc-sections"]:
            with self.subTest(options):
                self.check(self.compile("-g", *options))
        insns = self.compile("-g")
        subprocess.run(["objcopy", "--remove-section=.debug_aranges", "prog"], check=True)
        self.check(insns)

    def test_left_out(self):
        """Rows of a function that the linker has left out lie among those of others: no line is known there."""
        insns = self.compile("-g", "-DDEAD", "-ffunction-sections", "-Wl,--gc-sections")
        _, got = self.frames()
        wrong = [hex(at) for (at, _, frames), expected in zip(got, symbolize("prog", insns))
                 if frames and frames[0][2] not in (0, expected[0][2])]
        self.assertEqual(wrong, [])
        self.assertEqual({frames[-1][0] for _, _, frames in got if frames and not frames[0][1]} & {"f", "main"},
                         {"f", "main"})

    def test_statements(self):
        insns = self.compile("-g")
        rows = line_table("prog")
        for at, statement, _ in self.check(insns):
            self.assertEqual(statement, any(s for line, s in rows.get(at, []) if line is not None), hex(at))

    def test_split(self):
        for version in "-gdwarf-4", "-gdwarf-5":
            with self.subTest(version):
                self.check(self.compile("-g", version, "-gsplit-dwarf"))

    def test_split_lost(self):
        """Without the other part there are lines, but no functions; that is said."""
        self.compile("-g", "-gsplit-dwarf")
        for f in os.listdir("."):
            if f.endswith(".dwo"):
                os.remove(f)
        r = subprocess.run([FRAMES, "prog"], capture_output=True, text=True, check=True)
        self.assertRegex(r.stderr, r"\Aldxprof: warning: prog: its debug information is incomplete: .*\.dwo is missing\n\Z")
        self.assertRegex(r.stdout, r"\t\t%s/sub/inlined.cpp\t\d+" % self.dir)

    def test_separate(self):
        """By the name in .gnu_debuglink, or that of the program."""
        for name in "other", "prog.debug":
            insns = self.compile("-g", "-Wl,--build-id")
            shutil.copy("prog", "whole")
            subprocess.run(["objcopy", "--only-keep-debug", "prog", name], check=True)
            link = ["--add-gnu-debuglink=other"] if name == "other" else []
            subprocess.run(["objcopy", "--strip-debug", *link, "prog"], check=True)
            self.check(insns, reference="whole")
            os.remove(name)
            known, got = self.frames()
            self.assertFalse(known)
            self.assertEqual([frames for _, _, frames in got], [[]] * len(insns))

    def test_dwz(self):
        if not shutil.which("dwz"):
            self.skipTest("no dwz")
        insns = self.compile("-g", "-gdwarf-4")
        shutil.copy("prog", "whole")
        shutil.copy("prog", "other")
        subprocess.run(["dwz", "-m", "common", "prog", "other"], check=True)
        self.check(insns, reference="whole")

    def test_none(self):
        insns = self.compile("-g0")
        self.assertEqual(self.frames(), (False, [(at, False, []) for at in insns]))


if __name__ == "__main__":
    unittest.main()
