/*
 * Handlers find the context that they return to above their frames, or in a register behind a call, and change it.
 * hazard: register kept over a call.
 */
//# cc: gcc
//# each: -O2 | -O1 -DCALL | -O2 -DWALK | -O2 -DINFO | -O2 -DFAR | -O2 -DFAR -DPOINTER | -O2 -DKEPT | -O2 -DINFO -DKEPT
//# stdout: after
//# report: inner 3
//# report: after 1
//# stats: counters are .*one for each block$
//# oracle: step skip=inner
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

/* From a handler's canonical frame address to the context: Linux, struct rt_sigframe. */
#if defined __x86_64__
#define FRAME(u) ((u)->uc_mcontext.gregs[REG_RSP] &= -16, (u)->uc_mcontext.gregs[REG_RSP] -= 264, &(u)->uc_mcontext.gregs[REG_RIP])
enum { AT = 0, INFO_TO_FRAME = -304 };
#elif defined __aarch64__
#define FRAME(u) (&(u)->uc_mcontext.pc)
enum { AT = sizeof(siginfo_t), INFO_TO_FRAME = 0 };
#elif defined __riscv
#define FRAME(u) (&(u)->uc_mcontext.__gregs[0])
enum { AT = sizeof(siginfo_t), INFO_TO_FRAME = 0 };
#else
#define FRAME(u) ((u)->uc_mcontext.gregs[25] = (unsigned long)after, &(u)->uc_mcontext.pc)
enum { AT = 24 + sizeof(siginfo_t), INFO_TO_FRAME = -24 };
#endif

static long list[100];
static long total;

__attribute__((noinline, noipa)) static void after(void)
{
	puts("after");
	exit(0);
}

static inline void change(char *frame)
{
	ucontext_t *u = (ucontext_t *)(frame + AT);
	*FRAME(u) = (unsigned long)after;
}

#ifdef KEPT
static volatile int times;
__attribute__((noinline)) static void note(void) { times++; }
#else
#define note()
#endif

#if defined INFO
static void handler(int s, siginfo_t *i)
{
	(void)s;
	note();
	change((char *)i + INFO_TO_FRAME);
}
#elif defined KEPT
static void handler(int s, siginfo_t *i, ucontext_t *u)
{
	note();
	*FRAME(u) = (unsigned long)after;
	(void)s;
	(void)i;
}
#elif defined FAR
/* It calls far(), perhaps by a pointer, with an address in its frame, 256 bytes below the end of that. */
#ifdef POINTER
#define IF_POINTER(a, b) a
#else
#define IF_POINTER(a, b) b
#endif
void handler(int s);
__asm__(".text; .globl handler; .type handler, %function; handler:"
#if defined __x86_64__
	"sub $264, %rsp; lea 16(%rsp), %rdi; xor %esi, %esi; xor %edx, %edx;"
	IF_POINTER("call *pointer(%rip)", "call far") "; add $264, %rsp; ret;"
#elif defined __aarch64__
	"sub sp, sp, 288; str x30, [sp]; add x0, sp, 32; mov x1, 0; mov x2, 0;"
	IF_POINTER("adrp x3, pointer; ldr x3, [x3, :lo12:pointer]; blr x3", "bl far")
	"; ldr x30, [sp]; add sp, sp, 288; ret;"
#elif defined __riscv
	"addi sp, sp, -288; sd ra, 0(sp); addi a0, sp, 32; li a1, 0; li a2, 0;"
	IF_POINTER("ld a3, pointer; jalr a3", "call far") "; ld ra, 0(sp); addi sp, sp, 288; ret;"
#elif _MIPS_SIM == _ABIO32
	".set noreorder; .cpload $25; .set reorder; addiu $sp, $sp, -288; .cprestore 16; sw $31, 24($sp);"
	"addiu $4, $sp, 32; move $5, $0; move $6, $0;" IF_POINTER("lw $25, pointer; jalr $25", "jal far") "; lw $31, 24($sp); addiu $sp, $sp, 288; jr $31;"
#else
	"daddiu $sp, $sp, -288; sd $31, 24($sp); .cpsetup $25, 16, handler; daddiu $4, $sp, 32; move $5, $0; move $6, $0;"
	IF_POINTER("ld $25, pointer; jalr $25", "jal far") ";"
	".cpreturn; ld $31, 24($sp); daddiu $sp, $sp, 288; jr $31;"
#endif
	".size handler, .-handler");
__attribute__((noipa)) void far(char *variable) { change(variable + 256); }
void (*volatile pointer)(char *) = far;
#elif defined CALL
__attribute__((noinline, noipa)) static void with(char *frame) { change(frame); }
static void handler(int s) { (void)s; with(__builtin_dwarf_cfa()); }
#elif defined NESTED
__attribute__((noinline, noipa)) static void with(char *local) { change(local + 200); }
static void handler(int s)
{
	char local[200];
	with(local);
	(void)s;
}
#elif defined WALK
static volatile int words = AT / sizeof(long);
static void handler(int s)
{
	long *p = __builtin_dwarf_cfa();
	for (int n = words; n; n--)
		__asm__("" : "=r"(p) : "0"(p + 1));
	change((char *)p - AT);
	(void)s;
}
#else
static void handler(int s) { (void)s; change(__builtin_dwarf_cfa()); }
#endif

__attribute__((noinline, noipa)) static long inner(volatile long *s, long n)
{
	long k = 0;
	for (long i = 0; i != n; i++)
		k += s[i];
	return k;
}

int main(void)
{
	struct sigaction a = {.sa_flags = SA_SIGINFO, .sa_handler = (void (*)(int))(void *)handler};
	sigaction(SIGSEGV, &a, NULL);
	total = inner(list, 10) + inner(list, 20);
	total += inner((long *)8, 30);
	return 1;
}
