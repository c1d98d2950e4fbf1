#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wrong.py REWRITE VERIFY WRONG-CALLED: does the verifier find what a rewriter with a wrong rule would make?

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
# Places that are found by a distance from a label: the other program compares with it, or loads from there.
FAR = '''
	.section .text.far, "ax", @progbits
	.type before, @function
before:	test %edi, %edi
	je 1f
	mov $5, %eax
1:	ret
	.size before, .-before
	.type far, @function
far:	sub $24, %rsp
	FORM
	call *%rax
	add $24, %rsp
	ret
	.size far, .-far
	.type between, @function
between:
	test %edi, %edi
	je 1f
	inc %eax
1:	ret
	.size between, .-between
	.type target, @function
target:	test %edi, %edi
	je 1f
	mov $7, %eax
	ret
1:	mov $9, %eax
	ret
	.size target, .-target
	.section .text.main, "ax", @progbits
	.globl main
	.type main, @function
main:	call far
	ret
	.size main, .-main
	.data
	.balign 8
base:	.quad far
table:	.skip 256
'''
ADD, LESS, SUM, LEA, LEA2, BYTE, LARGE, CMOV, READ, COMPARED, STRING = (
    ('4805', '483d'), ('482d', '483d'), ('4801c8', '4839c8'), ('488d82', '4881fa'), ('488d0408', '4883f840'),
    ('420fb69411', '3e3e488d15'), ('0fb60e', '83e107'), ('4c0f45d0', '0f1f4000'),
    ('8a4801', '8d4801'), ('80780155', '8d6c2055'), ('f3a4', '39fe'))
FORMS = [
    ('added', ADD, 'lea 1f(%rip), %rax; 1: OP; .long target - 1b'),
    ('taken from', LESS, 'lea 1f(%rip), %rax; 1: OP; .long 1b - before'),
    ('lea', LEA, 'lea 1f(%rip), %rdx; 1: OP; .long target - 1b'),
    ('two registers', SUM, 'lea 1f(%rip), %rax; 1: mov $(target - 1b), %ecx; test %edi, %edi; je 2f; nop; 2: OP'),
    ('popped', ADD, 'call 1f; 1: pop %rax; OP; .long target - 1b'),
    ('GOT', ADD, 'mov far@GOTPCREL(%rip), %rax; OP; .long target - far'),
    ('stored', ADD, 'lea far(%rip), %rax; mov %rax, 8(%rsp); test %edi, %edi; je 2f; nop; 2: mov 8(%rsp), %rax; '
                    'OP; .long target - far'),
    ('data', ADD, 'mov base(%rip), %rax; OP; .long target - far'),
    ('selected', ADD, 'lea far(%rip), %rax; xor %edx, %edx; test %edx, %edx; cmovne %rdx, %rax; '
                      'OP; .long target - far'),
    ('loop', ADD, 'lea far(%rip), %rax; 1: OP; .long target - far; dec %edi; jne 1b'),
    ('any place', SUM, 'lea far(%rip), %rax; mov (%rsi), %rcx; OP'),
    ('bounded', SUM, 'movzbl (%rsi), %ecx; lea far(%rip), %rax; OP'),
    ('other bounds', LARGE, 'OP; lea far(%rip), %rax; add %rcx, %rax'),
    ('returned to', LEA2, 'lea far(%rip), %rax; mov $(target - far), %ecx; OP; push %rax; ret'),
    ('operand', BYTE, 'lea before(%rip), %r10; xor %ecx, %ecx; OP; .long table - before; lea main(%rip), %rax'),
    ('operand of two labels', CMOV, 'lea before(%rip), %r10; lea far(%rip), %rax; xor %ecx, %ecx; test %edi, %edi; OP; '
                                    'movzbl table-before(%rcx,%r10), %edx; lea main(%rip), %rax'),
    ('bytes', READ, 'lea target(%rip), %rax; OP; lea main(%rip), %rax'),
    ('bytes compared', COMPARED, 'lea target(%rip), %rax; OP; lea main(%rip), %rax'),
    ('bytes copied', STRING, 'lea target(%rip), %rsi; OP; lea main(%rip), %rax'),
    ('another function', ADD, 'lea target(%rip), %rax; OP; .long before - target'),
]
# Code that is copied, whose length, 13, is a number; the other program has a larger one.
OFF = 0x12345600
COPIED = '''
	.text
	.globl stencil
	.type stencil, @function
stencil:
	xor %%eax, %%eax
	test %%edi, %%edi
	jle 2f
1:	add %%edi, %%eax
	dec %%edi
	jne 1b
2:	ret
	.size stencil, .-stencil
stencil_end:
	.globl run
	.type run, @function
run:	push %%rbx
	call mmap
	mov stencil@GOTPCREL(%%rip), %%rsi
	.byte 0xb9
	.long stencil_end - stencil + %d
	call copy
	pop %%rbx
	ret
	.size run, .-run
	.data
	.quad stencil_end - stencil + %d
'''
CALL = '.text\n.globl k\n.type k, @function\nk: push %rbx\nmov %edi, %ebx\ncall log\ntest %ebx, %ebx\nje 1f\nincl (%rsi)\n1: pop %rbx\nret\n.size k, .-k\n'


# A jump by a table whose index, x0, is compared; the other program compares what has been a word of the frame.
WORD = '''
	.text
	.globl f
	.type f, %function
f:	sub sp, sp, 16
	stp x1, xzr, [sp]
	ldr x5, [sp, 8]
	add sp, sp, 16
	cmp REG, 2
	b.hi 2f
	adrp x1, 3f
	add x1, x1, :lo12:3f
	ldrh w0, [x1, w0, uxtw 1]
	adr x1, 1f
	add x0, x1, w0, sxth 2
	br x0
1:	mov w0, 1
	ret
2:	mov w0, 2
	ret
	.size f, .-f
	.section .rodata
3:	.hword 0, 2, 2, 0x4000
'''
HERE = os.path.dirname(os.path.abspath(__file__))
# Compilers that call functions of the object by their names.
CALLED = '', 'aarch64-linux-gnu-', 'riscv64-linux-gnu-'


def run(*cmd, ok=(0,)):
    p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if p.returncode not in ok:
        sys.exit('%s: status %d\n%s' % (' '.join(cmd), p.returncode, p.stdout))
    return p


def make(d, name, source, tools=''):
    src, obj, comb = (os.path.join(d, name + end) for end in ('.s', '.1.o', '.o'))
    open(src, 'w').write(source)
    run(tools + 'as', '-o', obj, src)
    run('ld.lld-19', '-r', '--unique', '-o', comb, obj)
    return comb


def replace(path, old, new, times=(1,)):
    data = open(path, 'rb').read()
    found = len(re.findall(old, data, re.S))
    if found not in times:
        sys.exit('%s: %d of %r' % (path, found, old))
    open(path, 'wb').write(re.sub(old, new, data, flags=re.S))


def main():
    rewrite, verify, called = sys.argv[1:4]
    bad = 0

    def judge(title, comb, out, want, *args, options=()):
        nonlocal bad
        p = run(verify, *options, comb, out, *args, ok=(0, 1))
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
            replace(out + '.claims', rb'(?m) 5( 0 0 0 0)$', rb' 31\1')
            judge('step that wraps, ' + mode, right, out, 1)

            for title, (op, other), form in FORMS:
                source = FAR.replace('FORM', form)
                right, blind = (make(d, n, source.replace('OP', '.byte ' + ', '.join(
                    '0x' + b for b in re.findall('..', x)))) for n, x in (('a', op), ('b', other)))
                run(rewrite, mode, right, out)
                judge('distance, right, %s, %s' % (title, mode), right, out, 0)
                run(rewrite, mode, blind, out)
                judge('distance, other program, %s, %s' % (title, mode), blind, out, 0)
                replace(out, re.escape(bytes.fromhex(other)), bytes.fromhex(op).replace(b'\\', b'\\\\'))
                judge('distance, %s, %s' % (title, mode), right, out, 1)

            for title, begin, end in ('code', b'\xb9', b''), ('data', b'', bytes(4)):
                right, blind = (make(d, n, COPIED % x) for n, x in (
                    ('a', (OFF * (title != 'code'), OFF * (title != 'data'))), ('b', (OFF, OFF))))
                run(rewrite, mode, right, out)
                judge('length, right, %s, %s' % (title, mode), right, out, 0)
                run(rewrite, mode, blind, out)
                judge('length, other program, %s, %s' % (title, mode), blind, out, 0)
                length = 13
                replace(out, re.escape(begin + (length + OFF).to_bytes(4, 'little') + end),
                        begin + length.to_bytes(4, 'little') + end)
                judge('length, %s, %s' % (title, mode), right, out, 1)

            comb = make(d, 'a', CALL)
            run(rewrite, mode, comb, out)
            judge('name, right, ' + mode, comb, out, 0)
            judge('name of another library, ' + mode, comb, out, 1, 'log')
        right, blind = (make(d, x, WORD.replace('REG', x), CALLED[1]) for x in ('x5', 'x0'))
        run(rewrite, 'blocks', blind, out)
        judge('compare, other program', blind, out, 0, options=['-alone'])
        replace(out, rb'\x1f\x08\0\xf1', b'\xbf\x08\0\xf1')
        judge('compare of a word', right, out, 1, options=['-alone'])
        for n, tools in enumerate(CALLED):
            obj, comb = (os.path.join(d, '%d%s' % (n, end)) for end in ('.1.o', '.o'))
            run(tools + 'gcc', '-O1', '-fno-inline', '-c', '-o', obj, os.path.join(HERE, '../cases/called.c'))
            run('ld.lld-19', '-r', '--unique', '-o', comb, obj)
            for way in 'right', 'lost', 'twice', 'hidden':
                run(called, way, comb, out)
                judge('calls of %sgcc, %s' % (tools, way), comb, out, way != 'right', options=['-alone'] * bool(tools))
    return bad != 0


sys.exit(main())
