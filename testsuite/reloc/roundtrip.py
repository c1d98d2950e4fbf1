#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""roundtrip.py COPY PART: an object that is read and written again links to the same bytes.

Each case is a real link: what lld takes from the archives is combined with -r
--unique, copied by COPY, and linked finally from the combined object and from
the copy.  A copy of a copy must be the same file, too.  PART: a compiler, or sections: an object with 70,000.
"""
import os, re, shlex, subprocess, sys, tempfile

C = r'''
#include <math.h>
#include <stdio.h>
int com[10];
__thread int tl = 3;
__thread int tb;
static int r1(int x) { return x + 1; }
static void *res(void) { return r1; }
int ifn(int) __attribute__((ifunc("res")));
int sw(int x) { switch (x) { case 0: return 3; case 1: return 17; case 2: return 1; case 3: return 99;
  case 4: return 6; case 5: return 8; case 6: return 12; default: return ifn(x); } }
__attribute__((constructor)) void ctor(void) { tb = 1; }
int main(int c, char **v) { (void)v; printf("%d %d %f\n", sw(c), tl + tb + com[1], sqrt(c)); return 0; }
'''
CXX = r'''
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
thread_local int t1 = 5;
template <class T> T f(T a) { if (a > T(3)) throw std::runtime_error("x"); return a; }
int main(int c, char **) {
  std::map<std::string, int> m;
  m["a"] = c;
  try { f(c + 5); } catch (std::exception &e) { std::cout << e.what() << m["a"] + t1 << "\n"; }
  return 0;
}
'''
CRT = re.compile(r'^(r?g?S?crt1|crti|crtn|crtbegin[ST]?|crtend[S]?)\.o$')


def run(cmd):
    p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if p.returncode:
        sys.exit('%s\n%s' % (shlex.join(cmd), p.stdout))
    return p.stdout


def lld_args(driver):
    """What the compiler driver gives its linker, without the LTO plugin."""
    out = subprocess.run(driver + ['-###'], capture_output=True, text=True).stderr
    line = shlex.split([l for l in out.split('\n') if 'collect2' in l and '-o ' in l][0])[1:]
    args, skip = [], False
    for a in line:
        if not skip and a != '-plugin' and not a.startswith('-plugin-opt'):
            args.append(a)
        skip = a == '-plugin'
    return args


def members(args, work):
    """The objects that lld takes, without crt files; archive members are extracted."""
    objs = []
    for k, line in enumerate(run(['ld.lld-19', '-t'] + args).split('\n')):
        m = re.match(r'(.*\.a)\((.*)\)$', line)
        if m:
            path = '%s/m%d.o' % (work, k)
            with open(path, 'wb') as f:
                subprocess.run(['ar', 'p', m[1], m[2]], check=True, stdout=f)
            objs.append(path)
        elif line.endswith('.o') and not CRT.match(os.path.basename(line)):
            objs.append(line)
    return objs


def final(args, obj, user, out):
    cmd = ['ld.lld-19']
    for a in args:
        if a == user:
            cmd.append(obj)
        elif not a.endswith('.a'):
            cmd.append(a)
    cmd[cmd.index('-o') + 1] = out
    run(cmd)
    with open(out, 'rb') as f:
        return f.read()


def check(name, copy, work, driver, user):
    args = lld_args(driver + [user, '-o', work + '/ref'] + (['-lm'] if user.endswith('c.o') else []))
    comb, once, twice = (work + '/' + n for n in ('comb.o', 'once.o', 'twice.o'))
    run(['ld.lld-19', '-r', '--unique', '-o', comb] + members(args, work))
    run([copy, comb, once])
    run([copy, once, twice])
    same = open(once, 'rb').read() == open(twice, 'rb').read()
    linked = final(args, comb, user, work + '/a') == final(args, once, user, work + '/b')
    print('%s %s' % ('ok  ' if same and linked else 'FAIL', name))
    return same and linked


def many_sections(work):
    with open(work + '/big.s', 'w') as f:
        for i in range(70000):
            f.write('.section .text.f%d,"ax",@progbits\n.globl f%d\nf%d: call f%d\nret\n' % (i, i, i, i * 7 % 70000))
        f.write('.globl main\nmain: xor %eax,%eax\nret\n')
    run(['as', work + '/big.s', '-o', work + '/big.o'])


def main():
    copy, part, work = sys.argv[1], sys.argv[2], tempfile.mkdtemp(prefix='ldx-roundtrip.')
    good = True
    try:
        open(work + '/c.c', 'w').write(C)
        open(work + '/x.cc', 'w').write(CXX)
        for cc, cxx in {'gcc': [('gcc', 'g++')], 'clang-19': [('clang-19', 'clang++-19')]}.get(part, []):
            run([cc, '-O2', '-g', '-ffunction-sections', '-c', work + '/c.c', '-o', work + '/c.o'])
            run([cxx, '-O2', '-g', '-c', work + '/x.cc', '-o', work + '/x.o'])
            for how in ([], ['-static-pie']):
                good &= check(' '.join([cc] + how), copy, work, ['gcc'] + how, work + '/c.o')
            for how in ([], ['-static', '-Wl,--gc-sections']):
                good &= check(' '.join([cxx] + how), copy, work, ['g++'] + how, work + '/x.o')
        if part == 'sections':
            many_sections(work)
            good &= check('70,000 sections', copy, work, ['gcc'], work + '/big.o')
    finally:
        subprocess.run(['rm', '-rf', work])
    return not good


sys.exit(main())
