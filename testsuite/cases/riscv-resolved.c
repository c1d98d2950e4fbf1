/*
 * hazard: address of two instructions.  Without relaxation, clang resolves the addresses of
 * functions and labels in the same section, and keeps no relocation for them.
 */
//# targets: riscv64; addresses of two instructions
//# cc: clang-19
//# each: -O2 -mno-relax | -O1 -mno-relax
//# stdout: 7 9 1 11
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile sig_atomic_t got;
static void on(int sig) { got = sig; }
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

__attribute__((noinline)) static int go(const char *p)
{
	static void *const t[] = {&&inc, &&dec, &&dbl, &&end};
	int r = 1;
	goto *t[(int)*p++];
inc: r++; goto *t[(int)*p++];
dec: r--; goto *t[(int)*p++];
dbl: r *= 2; goto *t[(int)*p++];
end: return r;
}

int main(int argc, char **argv)
{
	int v[] = {11, 1, 9};
	(void)argv;
	signal(SIGUSR1, argc > 5 ? SIG_DFL : on);
	raise(SIGUSR1);
	qsort(v, 3, sizeof *v, cmp);
	printf("%d %d %d %d\n", go("\0\2\0\0\0\3"), v[1], v[0], v[2]);
	return got != SIGUSR1;
}
