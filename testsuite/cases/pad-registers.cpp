// What a landing pad reads is alive where an instruction faults, and a handler throws for it.
//# targets: x86_64; its faults are assembly
//# cc: gcc
//# cflags: -fnon-call-exceptions
//# stdout: 77
//# oracle: step noinsns
#include <csignal>
#include <cstdio>

extern "C" {
int kept;
int reads(int, const long *);
}

/* The flags are alive over the block that faults, and nothing is free in it but %rbx, for the pad. */
asm(R"(
	.text
	.type	reads, @function
reads:	.cfi_startproc
	.cfi_personality 0x9b, DW.ref.__gxx_personality_v0
	.cfi_lsda 0x1b, .Ltable
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_offset %rbx, -16
	mov	$77, %ebx
	mov	%edi, %eax
	cmp	$1, %edi
	je	.Lfrom
	lea	2(%rax), %eax
.Lfrom:	mov	(%rsi), %rsi
.Lto:	jne	1f
	inc	%eax
1:	pop	%rbx
	.cfi_remember_state
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
.Lpad:	.cfi_restore_state
	mov	%ebx, kept(%rip)
	mov	%rax, %rdi
	call	_Unwind_Resume@PLT
	.cfi_endproc
	.size	reads, .-reads
	.section .gcc_except_table, "a", @progbits
.Ltable:
	.byte	0xff, 0xff, 1
	.uleb128 2f - 1f
1:	.uleb128 .Lfrom - reads
	.uleb128 .Lto - .Lfrom
	.uleb128 .Lpad - reads
	.uleb128 0
	.uleb128 .Lpad - reads
	.uleb128 .size_of_pad
	.uleb128 0
	.uleb128 0
2:	.equ	.size_of_pad, 20
	.text
)");

static void handler(int)
{
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGSEGV);
	sigprocmask(SIG_UNBLOCK, &s, nullptr);
	throw 1;
}

int main()
{
	long good = 5;
	std::signal(SIGSEGV, handler);
	int sum = reads(1, &good) + reads(2, &good);
	try {
		sum += reads(3, nullptr);
	} catch (int) {
		std::printf("%d\n", kept);
	}
	return sum != 6;
}
