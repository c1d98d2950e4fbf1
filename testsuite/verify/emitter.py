#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""emitter.py EMITTER: code that a wrong emitter has inserted must not verify.

EMITTER is emitter.c: it says which of its wrong emitters changed something, and were found.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
import verify  # noqa: E402

CASES = ["hold.c", "hold-vector.c", "step.s", "flags-live.s", "fork-raw.c"]
# A process that the C library does not know of.
RAW = """
long work(void), count;
#ifdef __x86_64__
long make(void) { long r = 57; asm volatile("syscall" : "+a"(r) : : "rcx", "r11", "memory"); return r ? count : work(); }
#elif defined __riscv
long make(void) { register long n asm("a7") = 220; register long r asm("a0") = 17;
  asm volatile("ecall" : "+r"(r) : "r"(n) : "memory"); return r ? count : work(); }
#elif defined __mips__
long make(void) { register long n asm("$2") = 4002; asm volatile("syscall" : "+r"(n) : : "$7", "memory"); return n ? count : work(); }
#else
long make(void) { register long n asm("x8") = 220; register long r asm("x0") = 17;
  asm volatile("svc 0" : "+r"(r) : "r"(n) : "memory"); return r ? count : work(); }
#endif
"""
# Which of them must change something in some object: what memory, registers and vectors count by.
COUNTS = set(range(1, 6)) | {16, 17, 18, 20, 24, 26, 28, 29} | set(range(39, 54))
HOLDS = set(range(7, 14)) | {30, 31, 34, 36}
TOOLS = set(range(54, 68)) | set(range(72, 80)) | {83}
VECTORS = set(range(88, 93))
BRANCH = set(range(93, 99))
TOOL_FLAGS = {"": ["-mno-sse", "-mno-mmx", "-mno-80387", '-DLDX_VECTORS_OF_CPU_=__attribute__((target("sse2")))'],
              "aarch64-linux-gnu-": ["-march=armv8-a+nofp+nosimd", '-DLDX_VECTORS_OF_CPU_=__attribute__((target("+fp+simd")))'],
              "mips-linux-gnu-": ["-mfpxx", "-mno-odd-spreg"], "riscv64-linux-gnu-": ["-mno-relax"]}
LEAST = {"edges": COUNTS | HOLDS | {19}, "threads": COUNTS | HOLDS, "atomic": COUNTS | HOLDS | {22, 23},
         "every": COUNTS | {14, 15, 19, 21, 32, 33}, "cover": {6, 16, 17, 21, 24, 27, 28, 35},
         "tool": {6, 15, 21, 27, 28, 32, 33, 68, 71, 80, 81, 82, 84, 85, 86, 87} | TOOLS - {59} | VECTORS | BRANCH}


# The same of CPUs that count in a load, an addition and a store; on the second a register holds half a counter.
OTHERS = {"aarch64-linux-gnu-": (["hold.c", "hold-vector-aarch64.c", "step-stack.c"], {
    "edges": {1, 2, 3, 4, 24, 25} | HOLDS, "atomic": {1, 2, 3, 4, 24} | HOLDS, "every": {1, 2, 3, 4, 24, 25},
    "cover": {6, 15, 21, 24, 27, 32, 33}, "tool": {6, 15, 27} | TOOLS - {59} | VECTORS}),
          "mips-linux-gnu-": (["hold.c"], {"edges": {7, 8, 10, 11, 34, 37, 38}, "atomic": {7, 8, 10, 11, 34, 37, 38},
                                          "tool": {6, 15, 27} | TOOLS - {59, 63, 64, 65} | VECTORS}),
          "riscv64-linux-gnu-": ([], {"tool": VECTORS}), "mips64el-linux-gnuabi64-": ([], {"tool": VECTORS})}


# A tool that asks for everything at each block.
ASKS = """
#include <ldx/tool.h>
static void ask(const ldx_insn *i)
{
	ldx_arg taken[] = {ldx_number(1), ldx_branch_taken(i)}, to[] = {ldx_number(1), ldx_target(i)};
	ldx_call(ldx_before(i), "access", 2, taken);
	taken[0] = ldx_compare_value(i, 0), taken[1] = ldx_compare_value(i, 1);
	ldx_call(ldx_before(i), "access", 2, taken);
	ldx_call(ldx_before(i), "access", 2, to);
	ldx_arg passed[] = {ldx_call_arg(0), ldx_call_arg(1)};
	ldx_call(ldx_before(i), "access", 2, passed);
	for (unsigned n = 0; n < ldx_insn_accesses(i); n++) {
		ldx_arg arg[] = {ldx_access_length(i, n), ldx_access_address(i, n)};
		ldx_call(ldx_before(i), "access", 2, arg);
		arg[0] = ldx_access_value(i, n);
		ldx_call(ldx_before(i), "access", 2, arg);
		ldx_call(ldx_after(i), "access", 1, arg);
	}
}
static void instrument(const ldx_object *o)
{
	ldx_arg arg[] = {ldx_number(77), ldx_stack(), ldx_string("x"), ldx_call_arg(0)};
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		ldx_call(ldx_at_entry(f), "enter", 4, arg);
		ldx_call(ldx_at_entry(f), "pasted", 4, arg);
		ldx_call(ldx_at_entry(f), "floats", 2, arg);
		ldx_call(ldx_at_entry(f), "swap", 1, arg);
		ldx_call(ldx_at_entry(f), "few", 2, arg);
		ldx_call(ldx_at_entry(f), "more", 2, arg);
		ldx_call(ldx_at_entry(f), "moved", 2, arg);
		ldx_call_if(ldx_at_entry(f), "when", 1, arg + 3, "enter", 4, arg);
		ldx_call_if(ldx_at_entry(f), "is", 1, arg, "enter", 4, arg);
		if (ldx_is_copied("has"))
			ldx_call_if(ldx_at_entry(f), "has", 2, arg, "enter", 4, arg);
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
			ldx_arg place[] = {ldx_insn_address(ldx_next_insn(b, NULL)), ldx_func_address(f)};
			ldx_call(ldx_at_block(b), "access", 2, place);
			ldx_add_to(ldx_at_block(b), "sums", ldx_block_id(b) & 63, 5);
			ldx_add_to(ldx_at_block(b), "sums", ldx_block_id(b) & 63, 0x12345678);
			ldx_mark(ldx_at_block(b), "sums", ldx_block_id(b) & 255);
			ldx_count_byte(ldx_at_block(b), "bytes", ldx_block_id(b) & 4095);
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
				ask(i);
		}
	}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "t", "a test", 0, instrument};
"""
ROUTINES = """
#include <ldx/analysis.h>
LDX_THREAD uint64_t sums[64];
uint8_t bytes[4096];
static __attribute__((noinline)) unsigned long sum(unsigned long a, const char *c) { return a ? sum(a - 1, c) * a + *c : 1; }
LDX_ROUTINE void enter(unsigned long a, unsigned long b, const char *c, unsigned long d) { ldx_add(sums, [a & 63], b + sum(d, c)); }
LDX_ROUTINE unsigned long when(unsigned long a) { return a & 5; }
LDX_ROUTINE unsigned long is(unsigned long n) { return n & 5; }
LDX_ROUTINE unsigned long has(unsigned long n, unsigned long stack) { return ldx_data(sums, [n & 63]) ^ stack; }
LDX_ROUTINE void pasted(unsigned long a, unsigned long b, const char *c, unsigned long d) { ldx_add(sums, [a & 63], b + *c + d); }
LDX_ROUTINE void swap(unsigned long n)
{
	uint64_t a = ldx_data(sums, [n & 7]), b = ldx_data(sums, [8 + (n & 7)]);
	ldx_data(sums, [n & 7]) = b, ldx_data(sums, [8 + (n & 7)]) = a;
}
LDX_ROUTINE void few(unsigned long n, unsigned long a) { if (ldx_data(sums, [n & 63]) < 3) ldx_add(sums, [n & 31], a); }
LDX_ROUTINE void more(unsigned long n, unsigned long a)
{
	if (ldx_data(sums, [n & 63]) == 3)
		ldx_add(sums, [n & 31], a);
	ldx_add(sums, [n & 15], a);
}
LDX_ROUTINE void moved(unsigned long n, unsigned long a)
{
	if (a & 64) {
		ldx_add(sums, [n & 31], 1);
		n += 2;
	}
	ldx_add(sums, [n & 15], a);
}
LDX_THREAD_BY(tool) double squares;
LDX_VECTORS LDX_ROUTINE void floats(unsigned long a, unsigned long b) { ldx_data(squares, ) += (double)a * (double)b; }
LDX_ROUTINE void access(unsigned long n, unsigned long at) { ldx_add(sums, [at & 63], n); }
"""
INCLUDE = "-I" + os.path.join(HERE, "../../include")
FREESTANDING = ["-ffreestanding", "-fvisibility=hidden", "-fno-stack-protector", "-fno-section-anchors"]


def tool(tmp, cpu, flags):
    """The two parts of the tool, for wrong emitters of a CPU."""
    parts = []
    for cc, text, name, more in (("gcc", ASKS, "asks.so", ["-shared"]), (cpu + "gcc", ROUTINES, "routines.o", ["-c"] + FREESTANDING + flags)):
        source = os.path.join(tmp, name + ".c")
        with open(source, "w") as f:
            f.write(text)
        parts.append(os.path.join(tmp, cpu + name))
        subprocess.run([cc, "-O2", "-fPIC", INCLUDE, source, "-o", parts[-1]] + more, check=True)
    return parts


def objects(tmp, cpu, cases):
    source = os.path.join(tmp, "t.cpp")
    with open(source, "w") as f:
        f.write(verify.SRC)
    raw = os.path.join(tmp, "raw.c")
    with open(raw, "w") as f:
        f.write(RAW)
    for name in [source, raw] + [os.path.join(HERE, "../cases", c) for c in cases]:
        obj = os.path.join(tmp, cpu + os.path.basename(name))
        subprocess.run([cpu + ("g++" if name.endswith("cpp") else "gcc"), "-O2", "-c", name, "-o", obj + ".o"], check=True)
        subprocess.run(["ld.lld-19", "-r", obj + ".o", "-o", obj + ".r"], check=True)
        yield obj + ".r"


def main(emitter):
    with tempfile.TemporaryDirectory() as tmp:
        bad = try_all(emitter, tmp, "", objects(tmp, "", CASES), LEAST)
        for cpu, (cases, least) in OTHERS.items():
            bad |= try_all(emitter, tmp, cpu, objects(tmp, cpu, cases), least)
        return bad


def try_all(emitter, tmp, cpu, objects, modes):
    bad = False
    files = list(objects)
    for mode, least in modes.items():
        found = set()
        for f in files:
            parts = tool(tmp, cpu, TOOL_FLAGS.get(cpu, [])) if mode == "tool" else []
            p = subprocess.run([emitter, mode, f, os.path.join(tmp, "out")] + parts, capture_output=True, text=True)
            found |= {int(line.split()[1]) for line in p.stdout.splitlines() if line.startswith("found")}
            if p.returncode:
                print("%s, %s: status %d\n%s%s" % (os.path.basename(f), mode, p.returncode, p.stdout, p.stderr[-500:]))
                bad = True
        print("%s: found %s" % (mode, sorted(found)))
        if not least <= found:
            print("%s: %s changed nothing" % (mode, sorted(least - found)))
            bad = True
    return bad


sys.exit(main(sys.argv[1]))
