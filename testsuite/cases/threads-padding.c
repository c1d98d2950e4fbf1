/* A function where a thread may start is behind padding, and that behind a function which ends in a tail call. */
//# targets: aarch64; the pieces are assembly
//# libs: -pthread
//# stdout: 34 33
//# report: second 1
//# oracle: no, threads
#include <pthread.h>
#include <stdio.h>

__asm__(".text\n"
	".balign 8\n"
	".globl first, second\n"
	".type first, %function\n"
	"first: fcmp d0, d0\n"
	"	b.vs 1f\n"
	"	mov w0, #33\n"
	"	b third\n"
	"1:	ret\n"
	".size first, . - first\n"
	"	nop\n"
	".type second, %function\n"
	"second: cmp x0, #1\n"
	"	b.eq 2f\n"
	"	mov w0, #34\n"
	"	b third\n"
	"2:	ret\n"
	".size second, . - second\n"
	".type third, %function\n"
	"third:	sxtw x0, w0\n"
	"	ret\n"
	".size third, . - third\n");
long first(double);
void *second(void *);

int main(void)
{
	pthread_t t;
	void *r;

	pthread_create(&t, NULL, second, NULL);
	pthread_join(t, &r);
	printf("%ld %ld\n", (long)r, first(1));
	return 0;
}
