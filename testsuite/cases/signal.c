/* Signal handlers: on an alternate stack, recursive, with siginfo, and a fault that is repaired. */
//# each: -O2 | -O2 -static
//# stdout: 20 1 fault
//# oracle: qemu skip=touch
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static volatile sig_atomic_t depth, most, onstack;
static char stack[1 << 20];
static char *volatile page;

static void handler(int s, siginfo_t *i, void *u)
{
	char here;

	(void)i;
	(void)u;
	onstack = &here >= stack && &here < stack + sizeof stack;
	if (++depth < 20)
		raise(s);
	if (depth > most)
		most = depth;
	depth--;
}

static void repair(int s, siginfo_t *i, void *u)
{
	(void)s;
	(void)u;
	if ((char *)i->si_addr == page)
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

/* The store that faults runs twice, its block once. */
__attribute__((noinline, noipa)) static void touch(void) { page[0] = 'f'; }

int main(void)
{
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof stack };
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

	sigaltstack(&ss, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sa.sa_sigaction = repair;
	sigaction(SIGSEGV, &sa, NULL);
	touch();
	printf("%d %d %s\n", most, onstack, page[0] == 'f' ? "fault" : "?");
	return 0;
}
