#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""large.py REWRITE VERIFY N SECONDS: objects with very many of one thing are rewritten and verified in time that grows
linearly.

N of each thing; a step that is quadratic in one of them takes minutes instead of a second.  SECONDS of processor time
are the limit of each of the two tools.
"""
import os
import resource
import subprocess
import sys
import tempfile

N, SECONDS = int(sys.argv[3]), int(sys.argv[4])

HEAD = ".text\n.globl f\n.type f, @function\nf:\n"
TAIL = "ret\n.size f, .-f\n"


def each(form, n=N):
    return "\n".join(form.format(i=i, next=(i + 1) % n) for i in range(n)) + "\n"


FUNCTION = (".globl f{i}\n.type f{i}, @function\nf{i}: .cfi_startproc\ntest %edi, %edi\nje 1f\ncall f{next}\n1: ret\n"
            ".cfi_endproc\n.size f{i}, .-f{i}")
JUMP = ("c{i}: cmp $3, %edi\nja e{i}\nlea t{i}(%rip), %rdx\nmov %edi, %eax\nmovslq (%rdx,%rax,4), %rax\nadd %rdx, %rax\n"
        "jmp *%rax\na{i}: inc %esi\nb{i}: inc %esi\ne{i}:")
TABLE = ".balign 4\nt{i}: .long a{i} - t{i}, b{i} - t{i}, a{i} - t{i}, e{i} - t{i}"
SOURCES = {
    "functions and FDEs": ".text\n" + each(FUNCTION),
    "sections": each('.section .text.f{i}, "ax", @progbits\n' + FUNCTION),
    "symbols": HEAD + each("l{i}: .globl l{i}\ninc %eax") + TAIL + ".data\n" + each(".quad l{i}"),
    "relocations": HEAD + each("mov x + {i}(%rip), %eax") + TAIL + ".data\nx:\n" + each(".quad f"),
    "blocks": HEAD + each("test $1, %dil\nje 1f\ninc %eax\n1:") + TAIL,
    "loops": HEAD + each("mov %esi, %ecx\n1: add (%rdi), %eax\ndec %ecx\njne 1b") + TAIL,
    "loops in loops": HEAD + each("n{i}: inc %eax") + "".join("cmp $%d, %%eax\njne n%d\n" % (i, i) for i in reversed(range(N))) + TAIL,
    "tables in a function": HEAD + each(JUMP, N // 2) + TAIL + ".section .rodata\n" + each(TABLE, N // 2),
    "entries of a table": HEAD + JUMP[:JUMP.index("a{i}")].format(i="").replace("$3", "$%d" % (N - 1)) + each("a{i}: inc %esi\njmp e") + "e: " + TAIL + ".section .rodata\nt:\n" + each(".long a{i} - t"),
    "calls": "x: push %rbx\n" + HEAD + each("call g\ncall *%rbx", N // 2) + TAIL,
    "tail calls": ".text\n" + each(".globl f{i}\n.type f{i}, @function\nf{i}: test %edi, %edi\njne f{next}\nadd %r8, %rax\nret\n.size f{i}, .-f{i}"),
}
# By g++ -O1 -g: debug entries, exception tables, landing pads.
CXX = {
    "inlined functions": "int g;\n" + each("static inline __attribute__((always_inline)) int i{i}(int a) {{ int v = a + {i}; return v * g; }}\n"
                                           "int f{i}(int a) {{ return a ? i{i}(a) : i{i}(a + 1); }}", N // 10),
    "exception tables": 'extern "C" int x(int); struct D { ~D() { x(1); } };\n' +
                        each("int f{i}(int a) {{ D d; try {{ if (a) return x(a); }} catch (int e) {{ return e; }} return x(2); }}", N // 20),
    "landing pads": 'extern "C" int x(int); struct D { ~D() { x(1); } };\nint f(int a) {\n' +
                    each("{{ D d; if (x({i})) a++; }}", N // 20) + "return a; }\n",
}


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def seconds():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def main(rewrite, verify):
    bad = False
    with tempfile.TemporaryDirectory(prefix="ldx-large.") as tmp:
        comb, obj, out = (os.path.join(tmp, n) for n in ("comb.o", "a.o", "out.o"))
        for kind, source in [(k, s) for all in (SOURCES, CXX) for k, s in all.items()]:
            src = os.path.join(tmp, "a.s" if kind in SOURCES else "a.cc")
            with open(src, "w") as f:
                f.write(source)
            subprocess.run(["as" if kind in SOURCES else "g++"] + (["-O1", "-g", "-c"] if kind in CXX else []) +
                           [src, "-o", obj], check=True, stderr=subprocess.DEVNULL)
            subprocess.run(["ld.lld-19", "-r", "--unique", "-o", comb, obj], check=True)
            for tool in [rewrite, "edges", comb, out], [verify, comb, out]:
                start = seconds()
                p = subprocess.run(tool, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=limit)
                print("%s: %s: %.1f s" % (kind, os.path.basename(tool[0]), seconds() - start), flush=True)
                if p.returncode:
                    print("FAIL: status %d\n%s" % (p.returncode, p.stdout[:2000]))
                    bad = True
    return bad


sys.exit(main(*sys.argv[1:3]))
