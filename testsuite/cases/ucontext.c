/* Contexts of the own: makecontext and swapcontext, coroutines on stacks of their own. */
//# each: -O2 | -O2 -static
//# stdout: 0 1 4 9 16 25 36 49 64 81 
//# oracle: qemu
#include <stdio.h>
#include <ucontext.h>

static ucontext_t main_context, generator;
static char stack[65536];
static int value;

static void generate(void)
{
	for (int i = 0; i < 10; i++) {
		value = i * i;
		swapcontext(&generator, &main_context);
	}
}

int main(void)
{
	getcontext(&generator);
	generator.uc_stack.ss_sp = stack;
	generator.uc_stack.ss_size = sizeof stack;
	generator.uc_link = &main_context;
	makecontext(&generator, generate, 0);
	for (int i = 0; i < 10; i++) {
		swapcontext(&main_context, &generator);
		printf("%d ", value);
	}
	printf("\n");
	return 0;
}
