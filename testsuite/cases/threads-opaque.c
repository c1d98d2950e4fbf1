/* What a thread runs first is not understood, or nothing says that it is a function. */
/* hazard: unseen thread start. */
//# targets: x86_64; the pieces are assembly
//# each: -O1 | -O2 -no-pie | -O1 -DASM=call | -O1 -DASM=inner | -O1 -DASM=jump | -O1 -DASM=flags
//# libs: -pthread
//# either: start whole by_inner by_flags
//# report: loop 8
//# report: step 2400000
//# oracle: no, threads
#include <pthread.h>
#include <stdlib.h>

__attribute__((noinline)) static void step(long x) { __asm__ volatile("" : : "r"(x)); }

__attribute__((noinline, used)) static void *loop(void *n)
{
	for (long i = 0; i < (long)n; i++)
		step(i);
	return NULL;
}

void *by_call(void *), *by_inner(void *), *by_jump(void *), *by_flags(void *);
#define PIECE(name, code) __asm__(".pushsection .text." #name ", \"ax\"\n" code "\n.popsection");
PIECE(by_call, "by_call: sub $8, %rsp; call loop; add $8, %rsp; ret")
PIECE(by_jump, "by_jump: mov %rdi, -64(%rsp); mov -64(%rsp), %rdi; jmp loop")
PIECE(by_inner, ".type whole, @function; whole: sub $8, %rsp; call abort; nop\n"
	"by_inner: sub $8, %rsp; call loop; add $8, %rsp; ret; .size whole, .-whole")
PIECE(by_flags, ".type by_flags, @function; by_flags: jc 1f; sub $8, %rsp; call loop; add $8, %rsp\n"
	"1: ret; .size by_flags, .-by_flags")

#ifdef ASM
#define NAME_(x) by_##x
#define NAME(x) NAME_(x)
#define start NAME(ASM)
#else
static void *start(void *n)
{
	void *volatile arg = n;
	void *frame[5];

	if (!__builtin_setjmp(frame))
		loop(arg);
	return NULL;
}
#endif

int main(void)
{
	pthread_t t[8];

	for (int i = 0; i < 8; i++)
		if (pthread_create(&t[i], NULL, start, (void *)300000L))
			abort();
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	return 0;
}
