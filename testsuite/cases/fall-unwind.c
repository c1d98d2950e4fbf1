// Backtraces from every instruction of functions that fall into one another, and from inserted code.
// hazard: FDE length without relocation.
//# targets: x86_64; it steps itself by this CPU's trap flag
//# cc:     gcc clang-19
//# cflags: -fno-omit-frame-pointer -mno-red-zone
//# oracle: no, it steps itself
//# stdout: 0 wrong
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
#include <unwind.h>

__asm__(".text\n .irp f, first, f2, f3, f4, f5, f6, f7, f8, f9, last\n .globl \\f\n"
	".type \\f, @function\n \\f: .cfi_startproc\n testl %edi, %edi\n je 1f\n incl %edi\n"
	".ifc \\f, last\n 1: ret\n .else\n 1: incl %edi\n .endif\n"
	".cfi_endproc\n .size \\f, .-\\f\n .endr\n end: nop\n");

void first(int), last(int), end(void);
static volatile unsigned wrong, steps;
int main(void);

static __attribute__((noinline)) void run(void (*f)(int), int x)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq; call *%1; pushfq; andq $~0x100, (%%rsp); popfq"
		: "+D"(x) : "r"(f) : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory");
}

static _Unwind_Reason_Code note(struct _Unwind_Context *c, void *found)
{
	void *f = _Unwind_FindEnclosingFunction((void *)(_Unwind_GetIP(c) - 1));
	*(int *)found |= f == (void *)main;
	return _URC_NO_REASON;
}

static void trap(int sig, siginfo_t *si, void *uc)
{
	unsigned long pc = (unsigned long)((ucontext_t *)uc)->uc_mcontext.gregs[REG_RIP];
	int found = 0;
	if (pc < (unsigned long)first || pc >= (unsigned long)end)
		return;
	steps++;
	_Unwind_Backtrace(note, &found);
	wrong += !found;
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
	sigaction(SIGTRAP, &sa, NULL);
	run(first, 0);
	run(last, 1);
	wrong += steps < 30;
	printf("%u wrong\n", wrong);
	return 0;
}
