#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools that are wrong: testsuite/tools/errors.py STAGE WORK.  The link fails, says of which tool and why, and leaves
nothing."""
import os
import shutil
import subprocess
import sys

ASKS = """#include <ldx/tool.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static const struct ldx_option options[] = {{"size", "N", "1", "a number"}, {0}};
static void instrument(const ldx_object *o) {
	const ldx_func *f = ldx_next_func(o, NULL);
	ldx_func_name(f);
	%s
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "wrong", "a test", options, instrument};
"""
CALL = 'ldx_call(ldx_at_entry(f), "r", 0, NULL);'
ROUTINE = "#include <ldx/analysis.h>\n%s LDX_ROUTINE void r(void) { %s; }\n"
# what it does when it asks, what its routine has; options; what the message says
WRONG = [
    ("*(volatile int *)0 = 1;", None, "", "tool wrong crashed: Segmentation fault at function "),
    ("abort();", None, "", "tool wrong crashed: Aborted at function "),
    ("exit(0);", None, "", "tool wrong called exit()"),
    ("_exit(0);", None, "", "tool wrong ended the process that it runs in"),
    ("raise(SIGKILL);", None, "", "tool wrong ended the process that it runs in"),
    ("signal(SIGSEGV, SIG_DFL); *(volatile int *)0 = 1;", None, "", "tool wrong ended the process that it runs in"),
    ('ldx_call((ldx_site){99}, "r", 0, NULL);', None, "", "a site that no function of ldx/tool.h made"),
    ('ldx_bytes("x", 1, 3);', None, "", "bytes with alignment 3"),
    ('ldx_bytes("x", 1, 128);', None, "", "bytes with alignment 128"),
    ('ldx_bytes("x", -1, 1);', None, "", "its bytes and strings are more than the possible 1 GB"),
    ('ldx_bytes_at(ldx_bytes("x", 1, 1), 2);', None, "", "a place behind the bytes"),
    ('ldx_add_to(ldx_at_entry(f), "n", (size_t)1 << 61, 1);', ("LDX_THREAD uint64_t n;", ""), "", "variable n has no word"),
    ('ldx_fail("%d sheep", 3);', None, "", "tool wrong: 3 sheep"),
    ('fputs("of the tool\\n", stderr); ldx_fail("no");', None, "", "of the tool\n"),
    ("ldx_register(\"no such\");", None, "", "has no general register no such"),
    (CALL, None, "", "tool wrong: it has no routine r"),
    (CALL, ("static LDX_THREAD uint64_t n;", "ldx_add(n, , 1)"), "", "a variable of the profile is static"),
    (CALL, ("LDX_THREAD uint64_t n;", "n++"), "", "variable n is not accessed by ldx_data()"),
    (CALL, ("LDX_THREAD uint64_t n[2]; uint64_t *p = n;", "++*p"), "", "variable n is not accessed by ldx_data()"),
    ('ldx_add_to(ldx_at_entry(f), "n", 0, 1);', None, "", "it has no variable n with LDX_THREAD or LDX_PROCESS"),
    ('ldx_mark(ldx_at_entry(f), "n", 0);', ("static uint64_t n;", "n++"), "", "it has no variable n with LDX_THREAD or LDX_PROCESS"),
    ('ldx_add_to(ldx_at_entry(f), "n", 2, 1);', ("LDX_THREAD uint64_t n[2];", ""), "", "variable n has only 16 bytes"),
    ('ldx_mark(ldx_at_entry(f), "n", 16);', ("LDX_THREAD uint64_t n[2];", ""), "", "variable n has only 16 bytes"),
    ('ldx_count_byte(ldx_at_entry(f), "n", 0);', ("static uint64_t n;", "n++"), "", "it has no variable n without LDX_THREAD"),
    ('ldx_count_byte(ldx_at_entry(f), "n", 0);', ("LDX_THREAD uint64_t n;", ""), "", "it has no variable n without LDX_THREAD"),
    ('ldx_count_byte(ldx_at_entry(f), "n", 16);', ("uint64_t n[2];", ""), "", "variable n has only 16 bytes"),
    ('ldx_add_to(ldx_at_entry(f), "m", 0, 1); ldx_add_to(ldx_at_entry(f), "n", 0, 1);',
     ("typedef uint64_t __attribute__((aligned(4))) u; LDX_THREAD u m; LDX_THREAD uint32_t l; LDX_THREAD u n;", ""), "",
     " is not aligned to words of 64 bits"),
    ('ldx_add_to(ldx_at_entry(f), "n", 0, 1);', ("LDX_THREAD_BY(maximum) uint64_t n;", ""), "",
     "variable n is not merged as what ldx_add_to() adds to"),
    ('ldx_mark(ldx_at_entry(f), "n", 0);', ("LDX_THREAD_BY(first) uint64_t n;", ""), "",
     "variable n is not merged as what ldx_mark() sets"),
    ('ldx_mark(ldx_at_entry(f), "n", 0);', ("LDX_PROCESS uint64_t n;", ""), "", "variable n is of the process: only routines change it"),
    ("", ("LDX_THREAD_BY(least) uint64_t n;", ""), "", "n has no rule of ldx/analysis.h: .least"),
    ("", ("LDX_THREAD_TABLE(1, 1) uint64_t n[5];", ""), "", "table n is not an array of entries of 1 keys and 1 sums"),
    ("", ("LDX_THREAD_TABLE(2, 1) uint64_t n[3];", ""), "", "table n is not an array of entries of 2 keys and 1 sums"),
    ("", ("LDX_THREAD_TABLE(1, 1) uint64_t %s;" % ", ".join("n%d[4]" % i for i in range(64)), ""), "",
     "its data, and those of tools before it, need more than 63 rules"),
    ('ldx_set_size("n", 41);', ("LDX_THREAD_TABLE(1, 1) uint64_t n[4];", ""), "", "41 bytes are no whole entries of table n"),
    ('ldx_replace(f, "r");', ("void g(void) LDX_ORIGINAL(\"g\");", "g()"), "", "calls the original of g, which it does not replace"),
    (CALL, ("void g(void) LDX_ORIGINAL(\"g\");", "g()"), "", "r calls an original, which may change all of vector registers: it can only"),
    ('ldx_call_if(ldx_at_entry(f), "r", 0, NULL, "r", 0, NULL);', ("", "volatile int n = 1; n++"), "",
     "r is no predicate: it is long, has a frame or LDX_VECTORS, or calls"),
    ('ldx_call_if(ldx_at_entry(f), "r", 0, NULL, "r", 0, NULL);', ("", ""), "", "r is no predicate: it returns nothing"),
    (CALL, ("", '__asm__ volatile("pxor %xmm9, %xmm9")'), "", "r uses vector registers without LDX_VECTORS"),
    (CALL, ("", '__asm__ volatile("ucomisd %xmm9, %xmm8")'), "", "r uses vector registers without LDX_VECTORS"),
    (CALL, ("", '__asm__ volatile("fldz; fstp %st")'), "", "r has an x87 instruction"),
    (CALL, ("LDX_VECTORS", '__asm__ volatile("vxorps %xmm1, %xmm1, %xmm1")'), "", "r has a VEX or EVEX instruction, which changes"),
    (CALL, ("LDX_VECTORS", '__asm__ volatile("paddb %mm1, %mm1")'), "", "r has an MMX instruction"),
    (CALL, ("LDX_VECTORS", '__asm__ volatile("fxrstor (%rsp)")'), "", "r has an instruction for the state of all vector registers"),
    (CALL, ("", '__asm__ volatile("std")'), "", "r has an instruction that sets the direction flag"),
    (CALL, ("", '__asm__ volatile("popf" : : : "cc")'), "", "r has an instruction that sets the direction flag"),
    (CALL, ("", '__asm__ volatile("mov %0, %%gs" : : "r"(0))'), "", "r has an instruction that changes a segment"),
    (CALL, ("", '__asm__ volatile("wrgsbase %0" : : "r"(0ul))'), "", "r has an instruction that changes a segment"),
    (CALL, ("LDX_VECTORS void f(void); void f(void) { __asm__ volatile(\"\"); }", 'void (*volatile p)(void) = 0; p()'), "",
     "r may call a routine with LDX_VECTORS, and has none"),
    ('puts(ldx_call(ldx_at_event(LDX_EVENT_END), "r", 0, NULL) ? "" : ldx_refused()); ldx_fail("refused: %s", ldx_refused());',
     ("static double x; LDX_VECTORS", "x += 1.5"), "", "refused: the routine has LDX_VECTORS, and the runtime keeps none for it"),
    ("", None, ":length=3", "tool wrong: it has no option length"),
    ("", None, ":size", "option size has no value"),
    ('ldx_option_number("size");', None, ":size=x", "size=x: a number is expected"),
    ('ldx_option_number("size");', None, ":size=17179869184G", "size=17179869184G: the number is too large"),
    ('ldx_set_size("n", -1);', ("LDX_THREAD uint64_t n;", ""), "", "bytes of variable n are more than the possible 1 GB"),
    ('ldx_set_size("n", 1 << 30);', ("LDX_THREAD uint64_t n; LDX_THREAD uint64_t m[2];", ""), "", "more than 1 GB"),
]
# what a routine has that no tool is built with: what the message says
UNBUILT = [
    ("int puts(const char *);", 'puts("x")', "wrong-routines.c:2: undefined reference to `puts'"),
    ("extern int *outside;", "++*outside", "wrong-routines.c:2: undefined reference to `outside'"),
    ("", "puts(0)", "wrong-routines.c:2:"),
    ("static __thread int n;", "n++", 'wrong-routines.c:2:8: error: attempt to use poisoned "__thread"'),
    ("", 'char b[4000]; __asm__("" : : "r"(b) : "memory")', "wrong-routines.c:2:"),
    ("LDX_THREAD uint64_t n;", 'char b[n]; __asm__("" : : "r"(b) : "memory")', "variable length array"),
    ("LDX_THREAD uint64_t n;", "n = (uint64_t)((double)n * 1.5)", "wrong-routines.c:2:"),
    ("static double x;", "x *= 1.5", "wrong-routines.c:2:"),
    ("static double x; LDX_VECTORS static __attribute__((noinline)) void f(void) { x *= 1.5; }", "f()", "defined in discarded section"),
    ("double sqrt(double); static double x; LDX_VECTORS", "x = sqrt(x)", "undefined reference to `sqrt'"),
]


# CPUs whose compilers are not told to do without floating point, and these
FLOATING = {"riscv64": "riscv64-linux-gnu-gcc", "mips": "mips-linux-gnu-gcc", "mips64el": "mips64el-linux-gnuabi64-gcc"}

# names and options that are wrong
MISUSED = [
    (["nothing"], "there is no nothing.c"),
    (["wrong", "--cpu=x86_64,x86-64"], "there is no CPU x86-64"),
    (["wrong", "-o", "no/such"], "cannot write no/such.new"),
]


def build(stage, folder, asks, routine, cc="cc", cpu="x86_64"):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(folder + "/wrong.c", "w") as f:
        f.write(ASKS % asks)
    if routine:
        with open(folder + "/wrong-routines.c", "w") as f:
            f.write(ROUTINE % routine)
    with open(folder + "/prog.c", "w") as f:
        f.write("#include <pthread.h>\nint main(void) { pthread_t t; return pthread_create(&t, 0, 0, 0); }\n")
    return subprocess.run([stage + "/bin/ldxtool", "build", "wrong", "--cpu=" + cpu], cwd=folder, capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL="C", TMPDIR=temporary(folder), CC=cc))


def temporary(folder):
    os.makedirs(folder + ".tmp", exist_ok=True)
    return folder + ".tmp"


def main():
    stage, work = (os.path.abspath(a) for a in sys.argv[1:])
    for number, (asks, routine, options, want) in enumerate(WRONG):
        folder = "%s/%d" % (work, number)
        r = build(stage, folder, asks, routine)
        assert not r.returncode, r.stderr
        r = subprocess.run(["gcc", "-B" + stage + "/lib/ldx/bin", "prog.c", "-o", "prog",
                            "-Wl,--ldx-tool=./wrong.ldxtool" + options], cwd=folder, capture_output=True, text=True)
        left = set(os.listdir(folder)) - {"wrong.c", "wrong-routines.c", "prog.c", "wrong.ldxtool"}
        assert r.returncode and "ldx: error: prog: " in r.stderr and want in r.stderr and not left, (want, r.stderr, left)
    r = subprocess.run(["gcc", "-B" + stage + "/lib/ldx/bin", "prog.c", "-o", "prog", "-Wl,--ldx-tool=pixie"], cwd=folder,
                       capture_output=True, text=True)
    assert r.returncode and "tool pixie asks for nothing in the link: ldxprof tool pixie PROG" in r.stderr, r.stderr
    for before, code, want in UNBUILT:
        r = build(stage, work + "/unbuilt", "", (before, code), "gcc")
        assert r.returncode and want in r.stderr and not os.path.exists(work + "/unbuilt/wrong.ldxtool"), (want, r.stderr)
    for cpu, cc in FLOATING.items():
        r = build(stage, work + "/unbuilt", "", ("LDX_THREAD uint64_t n; static double x;", "x *= 1.5"), cpu=cpu)
        want = "in function `r':\n" if shutil.which(cc) else "there is no " + cc
        assert r.returncode and want in r.stderr and (not shutil.which(cc) or "wrong-routines.c:2: undefined" in r.stderr), r.stderr
        r = build(stage, work + "/unbuilt", "", ("LDX_THREAD uint64_t n; static double x; LDX_VECTORS", "x *= 1.5"), cpu=cpu)
        assert bool(r.returncode) == (not shutil.which(cc)), r.stderr
    for code, fails in (("ldx_add(n, , 1)", False), ('char b[4000]; __asm__("" : : "r"(b) : "memory")', True)):
        r = build(stage, work + "/unbuilt", "", ("LDX_THREAD uint64_t n;", code), "clang-19")
        assert bool(r.returncode) == fails and bool(r.stderr) == fails, r.stderr
    for words, want in MISUSED:
        r = subprocess.run([stage + "/bin/ldxtool", "build"] + words, cwd=work + "/unbuilt", capture_output=True, text=True,
                           env=dict(os.environ, TMPDIR=temporary(work + "/unbuilt")))
        left = os.listdir(work + "/unbuilt") + os.listdir(temporary(work + "/unbuilt"))
        assert r.returncode and want in r.stderr and len(left) == 3, (want, r.stderr, left)
    print("%d wrong tools" % (len(WRONG) + len(UNBUILT) + len(MISUSED)))


if __name__ == "__main__":
    main()
