/*
 * Backtraces from every instruction of functions where counting code has no free register and
 * the flags are alive, with the CFA in %rsp, in %rbp and in memory; of one that has nothing to
 * spare at its entry; and of one that makes a system call of any number.
 * hazard: FDE length without relocation.
 */
//# targets: x86_64; it steps itself by this CPU's trap flag
//# cc:     gcc clang-19
//# cflags: -fno-omit-frame-pointer -mno-red-zone
//# oracle: no, it steps itself
//# stdout: 0 wrong
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unwind.h>

#define START(f) ".globl " #f ", " #f "_end\n .type " #f ", @function\n" #f ": .cfi_startproc\n"
#define END(f) "ret\n .cfi_endproc\n" #f "_end: .size " #f ", .-" #f "\n"
#define WORK "cmpq $0, (%rdi)\n jg 1f\n je 2f\n incq (%rdi)\n 1: decq (%rdi)\n 2: "
__asm__(".text\n"
	START(by_rsp) "pushq $1\n .cfi_def_cfa_offset 16\n" WORK "leaq 8(%rsp), %rsp\n"
	".cfi_def_cfa_offset 8\n" END(by_rsp)
	START(by_rbp) "pushq %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n"
	"movq %rsp, %rbp\n .cfi_def_cfa_register %rbp\n" WORK "popq %rbp\n"
	".cfi_def_cfa %rsp, 8\n" END(by_rbp)
	START(by_slot) "movq %rsp, %rax\n .cfi_def_cfa_register %rax\n leaq -64(%rsp), %rsp\n"
	"movq %rax, 16(%rsp)\n .cfi_escape 0x0f, 5, 0x77, 16, 0x06, 0x23, 8\n" WORK
	"movq %rax, %rsp\n .cfi_def_cfa %rsp, 8\n" END(by_slot)
	START(nothing) END(nothing)
	START(call) "movl 8(%rdi), %eax\n syscall\n" END(call)
	/* who relies on it that these leave %r11 alone: it is not free there */
	START(keeps) "call by_rsp\n call by_rbp\n call by_slot\n call nothing\n"
	"movq %r11, %rax\n" END(keeps));

typedef void fn(long *);
fn by_rsp, by_rbp, by_slot, nothing, call, by_rsp_end, by_rbp_end, by_slot_end, nothing_end, call_end;
static fn *const from[] = {by_rsp, by_rbp, by_slot, nothing, call};
static fn *const to[] = {by_rsp_end, by_rbp_end, by_slot_end, nothing_end, call_end};
static volatile unsigned now, wrong, steps[5];
static void *frame[64];
int main(void);

static __attribute__((noinline)) void run(fn *f, long *arg)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq; call *%0; pushfq; andq $~0x100, (%%rsp); popfq"
		: : "r"(f), "D"(arg) : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory");
}

static _Unwind_Reason_Code note(struct _Unwind_Context *c, void *n)
{
	frame[(*(unsigned *)n)++] = _Unwind_FindEnclosingFunction((void *)(_Unwind_GetIP(c) - 1));
	return *(unsigned *)n == 64 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static void trap(int sig, siginfo_t *si, void *uc)
{
	unsigned long pc = (unsigned long)((ucontext_t *)uc)->uc_mcontext.gregs[REG_RIP];
	unsigned n = 0, i = 2;
	if (pc < (unsigned long)from[now] || pc >= (unsigned long)to[now])
		return;
	steps[now]++;
	_Unwind_Backtrace(note, &n);
	while (i < n && frame[i] != (void *)run)
		i++;
	wrong += i > 4 || i + 1 >= n || frame[i + 1] != (void *)main;
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
	sigaction(SIGTRAP, &sa, NULL);
	for (now = 0; now < 5; now++)
		for (long i = 0; i < 4; i++) {
			long arg[] = {i - 2, SYS_getppid};
			run(from[now], arg);
			wrong += !steps[now];
		}
	printf("%u wrong\n", wrong);
	return 0;
}
