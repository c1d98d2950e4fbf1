// hazard: distance from the own entry.  makecontext() makes contexts that, when their function returns, go on
// in code of the C library and, from there, in uc_link.
//# each: -O2 | -O2 -static
//# stdout: 1 2 3
//# oracle: qemu
#include <stdio.h>
#include <ucontext.h>

static ucontext_t back, other;
static char stack[65536];
static int value;

static void run(void)
{
	value++;
}

int main(void)
{
	for (int i = 0; i < 3; i++) {
		getcontext(&other);
		other.uc_stack.ss_sp = stack;
		other.uc_stack.ss_size = sizeof stack;
		other.uc_link = &back;
		makecontext(&other, run, 0);
		swapcontext(&back, &other);
		printf("%d%c", value, i < 2 ? ' ' : '\n');
	}
}
