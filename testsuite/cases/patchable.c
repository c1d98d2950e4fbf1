/* No-ops for patching in front of and behind the entry, and the table of their addresses. */
/* hazard: bytes in front of an entry. */
/* hazard: probe in a no-op. */
/* clang-19 has no such option for MIPS. */
//# cc.mips: gcc
//# cc.mipsel: gcc
//# cc.mips64el: gcc
//# cflags: -fpatchable-function-entry=4,2
//# each: -O2 | -O2 -ffunction-sections
//# each.aarch64: -O2 -DLEAVES
//# stdout: 3 nops
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#if defined __x86_64__
static const unsigned char nop[] = {0x90};
#elif defined __aarch64__
static const unsigned char nop[] = {0x1f, 0x20, 0x03, 0xd5};
#elif defined __riscv
static const unsigned char nop[] = {0x01, 0x00};
#else
static const unsigned char nop[4];
#endif

__attribute__((noinline)) static int one(void) { return 1; }
__attribute__((noinline)) static int two(void) { return 2; }
extern unsigned char *__start___patchable_function_entries[], *__stop___patchable_function_entries[];
static jmp_buf out;

__attribute__((unused)) static void leave(int s) { longjmp(out, s); }

int main(void)
{
	int bad = 0;

#ifdef LEAVES /* every block has its counter, and one uses another's base */
	signal(SIGUSR1, leave);
#endif
	for (unsigned char **p = __start___patchable_function_entries; p < __stop___patchable_function_entries; p++)
		bad += memcmp(*p, nop, sizeof nop) || memcmp(*p + sizeof nop, nop, sizeof nop);
	printf("%d %s\n", one() + two(), bad ? "other" : "nops");
	return 0;
}
