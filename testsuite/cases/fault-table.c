/* A handler finds an instruction that faulted in a table, which names it and the place to go on at. */
/* hazard: table of instructions. */
//# targets: x86_64; the instruction and the register are its own
//# cflags: -O1 -D_GNU_SOURCE
//# opaque: load
//# stdout: 5 -1
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

struct entry {
	uintptr_t insn, fixup;
};
extern const struct entry table[], table_end[];

__attribute__((noinline)) static int load(const int *p)
{
	int x = -1;
	__asm__ volatile("1:	mov (%1), %0\n"
			 "2:\n"
			 ".pushsection __ex_table, \"a\"\n\t.globl table, table_end\n"
			 "table:	.quad 1b, 2b\n"
			 "table_end:\n\t.popsection"
			 : "+r"(x) : "r"(p));
	return x;
}

static void handle(int sig, siginfo_t *info, void *context)
{
	greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	(void)info;
	for (const struct entry *e = table; e < table_end; e++)
		if ((uintptr_t)*pc == e->insn) {
			*pc = (greg_t)e->fixup;
			return;
		}
	_Exit(sig);
}

int main(void)
{
	struct sigaction sa = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	int five = 5;

	sigaction(SIGSEGV, &sa, NULL);
	printf("%d ", load(&five));
	printf("%d\n", load(NULL));
	return 0;
}
