#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""strange.py LDXPROF STAGE: ldxprof and programs that few people have: generated sources, odd names, rare languages."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

LDXPROF = os.path.abspath(sys.argv.pop(1))
STAGE = os.path.abspath(sys.argv.pop(1))


def out(*args):
    return subprocess.run(args, check=True, capture_output=True, text=True).stdout


def ldxprof(*args):
    r = subprocess.run([LDXPROF, *args], capture_output=True, text=True, timeout=60,
                       env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
    if "Sanitizer" in r.stderr:
        raise AssertionError(r.stderr)
    return r


class Strange(unittest.TestCase):
    def setUp(self):
        self.dir = os.path.realpath(tempfile.mkdtemp())
        os.chdir(self.dir)
        self.bindir = out(STAGE + "/bin/ldx", "--ldx-print=bindir").strip()

    def tearDown(self):
        os.chdir("/")
        shutil.rmtree(self.dir)

    def make(self, source, *flags, name="prog.c", cc="gcc", mode="edges"):
        """The program prog, which has run."""
        with open(name, "w") as f:
            f.write(source)
        subprocess.run([cc, "-g", *flags, "-B" + self.bindir, "-Wl,--instrument=" + mode, name, "-o", "prog"],
                       check=True)
        if os.path.exists("prog.ldxprof"):
            os.remove("prog.ldxprof")
        subprocess.run(["./prog"], check=True, stdout=subprocess.DEVNULL)

    def good(self, *args):
        r = ldxprof(*args)
        self.assertEqual((r.returncode, r.stderr), (0, ""), args)
        return r.stdout

    def test_stripped(self):
        """The map is in the file with what was stripped, if it is not in the program."""
        ways = {"eu-strip": "eu-strip -f prog.debug prog", "eu-strip -g": "eu-strip -g -f other prog",
                "objcopy": "objcopy --only-keep-debug prog other; strip -R .ldx.map prog; objcopy --add-gnu-debuglink=other prog",
                "by name": "objcopy --only-keep-debug prog prog.debug; strip -R .ldx.map prog",
                "strip": "objcopy --only-keep-debug prog prog.debug; strip prog; objcopy --add-gnu-debuglink=prog.debug prog"}
        lost = 0
        for way, commands in ways.items():
            with self.subTest(way):
                if not shutil.which(way.split()[0]) and way != "by name":
                    self.skipTest("no " + way)
                self.make("int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\nint main(void) { return f(9) - 34; }\n", "-Wl,--build-id")
                os.remove("prog.ldxprof")
                subprocess.run(commands, shell=True, check=True)
                subprocess.run(["./prog"], check=True)
                rows = [r.split("\t") for r in self.good("report", "--format=tsv", "prog").splitlines()]
                self.assertIn(["109", "f"], [[r[0], r[6]] for r in rows])
                self.assertIn("prog.c:1", self.good("report", "prog"))
                if ".ldx.map" not in out("readelf", "-SW", "prog"):
                    lost += 1
                    os.remove("other" if os.path.exists("other") else "prog.debug")
                    r = ldxprof("report", "prog")
                    self.assertIn("neither it nor its debug file has a section .ldx.map", r.stderr)
                for f in "other", "prog.debug":
                    if os.path.exists(f):
                        os.remove(f)
        self.assertGreater(lost, 1)

    def test_lines_behind_the_end(self):
        """Lines that the text does not have are shown where they have code, and only there."""
        self.make('int f(void)\n{\n\treturn 0;\n}\n#line 2000000000 "prog.c"\nint main(void)\n{\n\treturn f();\n}\n')
        for what in "prog.c", "main":
            text = self.good("annotate", what, "prog")
            self.assertLess(len(text.splitlines()), 30)
            self.assertIn(" 2000000002\n", text)
        self.assertIn("return 0;", self.good("annotate", "prog.c", "prog"))

    def tree(self, blocks):
        """A program of one function, with that debug information in it."""
        with open("tree.s", "w") as f:
            f.write("""
                .text
                .globl main
                .type main, @function
                main: xor %%eax, %%eax
                   ret
                .size main, . - main
                end:
                .section .debug_abbrev, "", @progbits
                .uleb128 1, 0x11
                .byte 1
                .uleb128 3, 8, 0x11, 1, 0x12, 7, 0, 0
                .uleb128 2, 0x2e
                .byte 1
                .uleb128 3, 8, 0x11, 1, 0x12, 7, 0, 0
                .uleb128 3, 0xb
                .byte 1
                .uleb128 0, 0
                .uleb128 4, 0xb
                .byte 1
                .uleb128 1, 0x13, 0, 0
                .byte 0
                .section .debug_info, "", @progbits
                unit: .long 9f - 1f
                1: .short 4
                .long .debug_abbrev
                .byte 8
                .uleb128 1
                .asciz "tree.s"
                .quad main, end - main
                .uleb128 2
                .asciz "main"
                .quad main, end - main
                %s
                .byte 0, 0
                9:
                .section .note.GNU-stack, "", @progbits
                """ % blocks)
        subprocess.run(["gcc", "-B" + self.bindir, "tree.s", "-o", "prog"], check=True)
        subprocess.run(["./prog"], check=True)

    def test_trees(self):
        """Debug information that nobody should make takes neither all the stack nor forever."""
        n = 60
        for blocks, warned in ((".rept 200\n.uleb128 3\n.endr\n.zero 200", False),
                               (".rept 100000\n.uleb128 3\n.endr\n.zero 100000", True),
                               ("".join("b%d: .uleb128 4\n.long b%d - unit\n" % (i, i + 1) for i in range(n)) +
                                "b%d: .zero %d" % (n, n), True)):
            self.tree(blocks)
            r = ldxprof("report", "--inlined", "prog")
            self.assertEqual((r.returncode, r.stderr.count("its debug information is damaged")), (0, warned), r)
            self.assertIn("main", r.stdout)

    def test_left_out(self):
        """Debug information that cannot be read has a warning that says why."""
        source = "int f(int x)\n{\n\treturn x + 1;\n}\nint main(void)\n{\n\treturn f(-1);\n}\n"

        def warned(why):
            r = ldxprof("report", "--lines", "prog")
            self.assertEqual((r.returncode, r.stderr), (0, "ldxprof: warning: prog: its debug information is %s\n" % why))

        self.make(source, "-gsplit-dwarf")
        warned("incomplete: ldx leaves out .dwo files")
        self.make(source)
        shutil.copy("prog", "other")
        if shutil.which("dwz") and not subprocess.run(["dwz", "-m", "common.debug", "prog", "other"]).returncode \
                and os.path.exists("common.debug"):
            self.good("report", "--lines", "prog")
            os.remove("common.debug")
            warned("incomplete: common.debug is missing")
        self.make(source)
        if subprocess.run(["objcopy", "--compress-debug-sections=zstd", "prog"], capture_output=True).returncode == 0 \
                and "prog.c:7" not in ldxprof("report", "--lines", "prog").stdout:
            warned("compressed in a way that libdw cannot read")

    def test_use_of_damaged_profiles(self):
        """A link with a damaged profile fails with one line that says why."""
        self.make("int main(void)\n{\n\treturn 0;\n}\n")
        with open("prog.ldxprof", "rb") as f:
            data = f.read()
        with open("cut", "wb") as f:
            f.write(data[:5000])
        r = subprocess.run(["gcc", "-B" + self.bindir, "-Wl,--ldx-use-profile=cut", "prog.c", "-o", "next"],
                           capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"))
        self.assertRegex(r.stderr, r"^ldx: error: --ldx-use-profile=cut: [^\\\n]*truncated[^\\\n]*\ncollect2: [^\n]*\n$")
        self.assertFalse(os.path.exists("next"))

    def test_last_parts_of_names(self):
        """Names of C++, Rust and Fortran are found by their ends, if none is the whole name; a scope is no end."""
        names = {"r4gen1": "_ZN1p1r4gen117h0123456789abcdefE", "g2": "__shapes_MOD_gen2", "g3": "gen3_",
                 "g4": "_ZN1q4gen4IiEEvT_", "g5": "_ZN4gen55innerEv", "g6": "_ZN1q4gen6Ei", "g7": "_ZNK1qclEi",
                 "g8": "_RNvMNtCs1_1s1rNtB2_1T4gen8"}
        self.make("".join('void %s(void) __asm__("%s"); __attribute__((noinline)) void %s(void) { __asm__(""); }\n'
                          % (f, name, f) for f, name in names.items()) +
                  "int main(void) { %s return 0; }" % " ".join(f + "();" for f in names), "-O1")
        for wanted, f in {"gen1": "r4gen1", "r::gen1": "r4gen1", "p::r::gen1": "r4gen1", "gen2": "g2", "shapes::gen2": "g2",
                          "gen3": "g3", "gen4": "g4", "gen4<int>": "g4", "q::gen4": "g4", "inner": "g5", "gen6": "g6",
                          "gen6(int)": "g6", "operator()": "g7", "T::gen8": "g8", "s::r::T::gen8": "g8"}.items():
            self.assertIn(" void %s(void) {" % f, self.good("annotate", wanted, "prog"), wanted)
        for wanted in "gen5", "en1", "gen", "shape::gen2", "r::gen", "int", "":
            r = ldxprof("annotate", wanted, "prog")
            self.assertEqual((r.returncode, r.stdout), (1, ""), wanted)
            self.assertIn("no function", r.stderr)

    def test_empty_patterns(self):
        self.make("int main(void)\n{\n\treturn 0;\n}\n")
        self.good("icount", "--baseline=base", "--update", "prog")
        for args in [("icount", "--baseline=base", "--max-increase==1%"), ("report", "--filter="), ("coverage", "--exclude=")]:
            r = ldxprof(*args, "prog")
            self.assertEqual(r.returncode, 1 if args[0] == "report" else 2, args)
            self.assertIn("an empty pattern", r.stderr)

    def test_tail_calls(self):
        """A jump to another function was executed as often as its block, a conditional one maybe less often."""
        source = """
            .text
            .type g, @function
            g: lea 1(%rdi), %eax
               ret
            .size g, . - g
            .type always, @function
            always: lea (%rdi, %rdi), %edi
               jmp g
            .size always, . - always
            .type sometimes, @function
            sometimes: cmp $4, %edi
               jg g
               xor %eax, %eax
               ret
            .size sometimes, . - sometimes
            .type inside, @function
            inside: cmp $2, %edi
               ja two
               lea table(%rip), %rax
               movslq (%rax, %rdi, 4), %rdx
               add %rdx, %rax
               notrack jmp *%rax
            one: xor %eax, %eax
               ret
            two: mov $3, %eax
               ret
            .size inside, . - inside
            .globl main
            .type main, @function
            main: push %rbx
               mov $9, %ebx
            1: mov %ebx, %edi
               call always
               mov %ebx, %edi
               call sometimes
               mov %ebx, %edi
               call inside
               dec %ebx
               jnz 1b
               xor %eax, %eax
               pop %rbx
               ret
            .size main, . - main
            .section .rodata
            table: .long one - table, two - table, two - table
            .section .note.GNU-stack, "", @progbits
            """
        for mode, placement, conditional in ("edges", "fewest", 5), ("blocks", "fewest", 5), ("blocks", "every", None), \
                ("cover", "fewest", None), ("cover", "every", None):
            self.make(source, "-Wl,--ldx-placement=" + placement, name="prog.s", mode=mode)
            rows = json.loads(self.good("calls", "--format=json", "prog"))
            calls = {(r["caller"], r["callee"]): r for r in rows if r["jump"]}
            if mode == "cover":
                got = [calls[caller, "g"]["executed"] for caller in ("always", "sometimes")]
                self.assertEqual(got, [True, None], placement)
            else:
                got = [calls[caller, "g"]["calls"] for caller in ("always", "sometimes")]
                self.assertEqual(got, [9, conditional], (mode, placement))
            self.assertEqual(len(calls), 2, (mode, placement))
            text = self.good("calls", "prog")
            self.assertEqual("- sometimes g [jump]" in " ".join(text.split()), conditional is None, text)


if __name__ == "__main__":
    if not shutil.which("gcc"):
        print("no gcc")
        sys.exit(77)
    unittest.main()
