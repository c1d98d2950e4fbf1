#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wrong.py REWRITE VERIFY: does the verifier find what a rewriter with a wrong rule would make?

Such an object is made by the right rewriter, from a program that differs in what the rule is
about: the difference is then put back.  Without that, the object must verify.
"""
import os, re, subprocess, sys, tempfile

# Registers that the caller reads behind its call: the other program reads %rax instead.
REGS = {'r8': b'\x4c\x01\xc7', 'r9': b'\x4c\x01\xcf', 'r10': b'\x4c\x01\xd7', 'r11': b'\x4c\x01\xdf',
        'rcx': b'\x48\x01\xcf', 'rdx': b'\x48\x01\xd7'}
CONVENTION = '''
	.text
	.type f, @function
f:	xor %%eax, %%eax
	mov $1, %%r8d; mov $2, %%r9d; mov $3, %%r10d; mov $4, %%r11d; mov $5, %%ecx; mov $6, %%edx
1:	testb $1, (%%rdi,%%rax)
	je 2f
	incl (%%rdi)
2:	inc %%rax
	inc %%rax
	inc %%rax
	cmp %%rsi, %%rax
	jne 1b
	ret
	.size f, .-f
	.globl g
	.type g, @function
g:	call f
	xor %%edi, %%edi
	%s
	mov %%rdi, %%rax
	ret
	.size g, .-g
'''.replace('%%', '%')
# A loop that counts in steps; those that go far wrap soon.
STEP = '''
	.text
	.globl h
	.type h, @function
h:	xor %%eax, %%eax
	xor %%edi, %%edi
1:	.byte 0x48, 0x81, 0xc7
	.long %s
	add (%%rdx), %%rax
	cmp %%rsi, %%rax
	jne 1b
	ret
	.size h, .-h
'''
CALL = '.text\n.globl k\n.type k, @function\nk: push %rbx\nmov %edi, %ebx\ncall log\ntest %ebx, %ebx\nje 1f\nincl (%rsi)\n1: pop %rbx\nret\n.size k, .-k\n'


def run(*cmd, ok=(0,)):
    p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if p.returncode not in ok:
        sys.exit('%s: status %d\n%s' % (' '.join(cmd), p.returncode, p.stdout))
    return p


def make(d, name, source):
    src, obj, comb = (os.path.join(d, name + end) for end in ('.s', '.1.o', '.o'))
    open(src, 'w').write(source)
    run('as', '-o', obj, src)
    run('ld.lld-19', '-r', '--unique', '-o', comb, obj)
    return comb


def replace(path, old, new, times=(1,)):
    data = open(path, 'rb').read()
    found = len(re.findall(old, data, re.S))
    if found not in times:
        sys.exit('%s: %d of %r' % (path, found, old))
    open(path, 'wb').write(re.sub(old, new, data, flags=re.S))


def main():
    rewrite, verify = sys.argv[1:3]
    bad = 0

    def judge(title, comb, out, want, *args):
        nonlocal bad
        p = run(verify, comb, out, *args, ok=(0, 1))
        if p.returncode != want:
            bad += 1
            print('FAIL %s: status %d\n%s' % (title, p.returncode, p.stdout))

    with tempfile.TemporaryDirectory(prefix='ldx-wrong.') as d:
        out = os.path.join(d, 'out.o')
        for mode in 'blocks', 'edges':
            right, blind = (make(d, n, CONVENTION.replace('%s', '; '.join('add %%%s, %%rdi' % r for r in regs)))
                            for n, regs in (('a', REGS), ('b', ['rax'] * len(REGS))))
            run(rewrite, mode, right, out)
            judge('register, right, ' + mode, right, out, 0)
            run(rewrite, mode, blind, out)
            judge('register, other program, ' + mode, blind, out, 0)
            replace(out, rb'(?:\x48\x01\xc7){6}', b''.join(REGS.values()))
            judge('register behind a call, ' + mode, right, out, 1)

            right, blind = make(d, 'a', STEP % '0x80000000'), make(d, 'b', STEP % '32')
            run(rewrite, mode, right, out)
            judge('step, right, ' + mode, right, out, 0)
            run(rewrite, mode, blind, out)
            judge('step, other program, ' + mode, blind, out, 0)
            replace(out, rb'\x48\x81\xc7\x20\0\0\0', b'\x48\x81\xc7\0\0\0\x80')
            replace(out, rb'(\x48|\x49)\xc1([\xf8-\xff])\x05', b'\\1\xc1\\2\x1f')
            judge('step that wraps, ' + mode, right, out, 1)

            comb = make(d, 'a', CALL)
            run(rewrite, mode, comb, out)
            judge('name, right, ' + mode, comb, out, 0)
            judge('name of another library, ' + mode, comb, out, 1, 'log')
    return bad != 0


sys.exit(main())
