#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exits.py REWRITE: the exits of functions, as --ldx-dump=exits tells them, on every CPU; code can stand at each."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SRC = r'''
#include <setjmp.h>
#include <stdlib.h>
extern "C" {
int other(int);
extern int (*pointer)(int);
int returns(int x) { return x + 1; }
int jumps(int x) { return other(x + 1); }
int indirect(int x) { return pointer(x + 1); }
void calls(void) { abort(); }
void leaps(jmp_buf b) { longjmp(b, 1); }
void traps(void) { __builtin_trap(); }
struct guard { ~guard() { other(0); } };
void resumes(void) { guard g; other(1); }
}
#if defined __x86_64__
#define RET "ret\n"
#define BRANCH "je behind\n"
#define QUIT "mov $60, %eax\nsyscall\n"
#elif defined __aarch64__
#define RET "ret\n"
#define BRANCH "cbz w0, behind\n"
#define QUIT "mov x8, #93\nsvc #0\n"
#elif defined __riscv
#define RET "ret\n"
#define BRANCH "beqz a0, behind\n"
#define QUIT "li a7, 93\necall\n"
#else
#define RET "jr $31\nnop\n"
#define BRANCH "beqz $4, behind\nnop\n"
#define QUIT "li $2, " NUMBER "\nsyscall\n"
#endif
#if defined __mips__ && _MIPS_SIM == _ABIO32
#define NUMBER "4001"
#else
#define NUMBER "5058"
#endif
#ifdef __mips__
asm(".set noreorder");
#endif
asm(".text\n.type falls, %function\nfalls: nop\n.type behind, %function\nbehind: " RET
    ".type branches, %function\nbranches: " BRANCH RET
    ".type quits, %function\nquits: " QUIT RET ".size quits, .-quits");
'''
WANT = {'returns': ['returns'], 'jumps': ['jumps'], 'indirect': ['jumps to an address'],
        'calls': ['calls what does not return'], 'leaps': ['jumps to another frame'], 'traps': ['traps'],
        'resumes': ['resumes unwinding', 'returns'], 'falls': ['falls out'], 'behind': ['returns'],
        'branches': ['branches', 'returns'], 'quits': ['ends by a system call', 'returns']}
# Its calling convention restores the GOT's address behind each call: no tail calls.
WANT_N64 = dict(WANT, jumps=['returns'])
TRIPLES = ['', 'aarch64-linux-gnu-', 'mips-linux-gnu-', 'mipsel-linux-gnu-', 'mips64el-linux-gnuabi64-',
           'riscv64-linux-gnu-']


def exits(rewrite, cc, d):
    """By function, the texts of its exits."""
    src, obj, comb, out = (os.path.join(d, n) for n in ('a.cc', 'a.o', 'comb.o', 'out.o'))
    with open(src, 'w') as f:
        f.write(SRC)
    subprocess.run(cc.split() + ['-c', src, '-o', obj], check=True)
    subprocess.run(['ld.lld-19', '-r', '--unique', '-o', comb, obj], check=True)
    p = subprocess.run([rewrite, 'blocks', comb, out], check=True, capture_output=True, text=True,
                       env=dict(os.environ, LDX_DUMP='exits'))
    found = {}
    for name, text in re.findall(r'^exits (\w+)\+0x[0-9a-f]+: (.*)$', p.stdout, re.M):
        text, place = text.split(': ', 1)
        found.setdefault(name, []).append(text + (' (%s)' % place if place.startswith('none') else ''))
    return {name: sorted(texts) for name, texts in found.items()}


def main():
    bad = 0
    for triple in TRIPLES:
        if not shutil.which(triple + 'g++'):
            print('skipped: no %sg++' % triple)
            continue
        for flags in ('-O2', '-O1 -fPIC'):
            cc = '%sg++ %s -fno-reorder-blocks-and-partition -foptimize-sibling-calls' % (triple, flags)
            with tempfile.TemporaryDirectory(prefix='ldx-exits.') as d:
                got = exits(sys.argv[1], cc, d)
            want = WANT_N64 if 'abi64' in triple else WANT
            for name in sorted(set(want) | set(got)):
                if want.get(name) != got.get(name):
                    bad += 1
                    print('FAIL %s: %s: %s, not %s' % (cc, name, got.get(name), want.get(name)))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
