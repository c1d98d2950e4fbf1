/* A function changes the handler in a structure of its caller's frame, whose address it knows. */
//# each: -O2 -DHOW=0 | -O2 -DHOW=1 | -O2 -DHOW=2 | -O2 -DHOW=3 | -O0 -DHOW=0
//# stdout: left
//# report: inner 1
//# report: after 1
//# stats: counters are .*one for each block$
//# oracle: step skip=inner
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static jmp_buf back;
static struct sigaction *known;
static char *far;
static struct {
	struct sigaction *first;
	void *second;
} two; /* a vector register may have both */

static void note(int s) { (void)s; }
static void leave(int s)
{
	(void)s;
	siglongjmp(back, 1);
}

__attribute__((noinline, noipa)) static void change(int n)
{
	if (HOW == 0)
		known->sa_handler = n ? leave : note;
	else if (HOW == 3)
		two.first->sa_handler = n ? leave : note;
	else if (HOW == 1)
		((struct sigaction *)(far - n * 64))->sa_handler = leave;
	else
		((struct sigaction *)(far + 64 * n))->sa_handler = leave;
}

__attribute__((noinline, noipa)) static void inner(int n)
{
	for (; n; n--)
		raise(SIGUSR1);
	puts("never");
}

__attribute__((noinline, noipa)) static void after(void) { puts("left"); }

int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = note};
	if (HOW == 3) {
		two.first = &sa;
		two.second = argv;
	}
	if (HOW == 0)
		known = &sa;
	if (HOW == 1 || HOW == 2)
		far = HOW == 1 ? (char *)&sa + 64 * argc : (char *)&sa - 64 * argc;
	change(argc);
	sigaction(SIGUSR1, &sa, NULL);
	if (!sigsetjmp(back, 1))
		inner(argc);
	after();
	return 0;
}
