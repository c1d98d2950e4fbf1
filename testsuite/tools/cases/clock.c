/* The clock is what each block adds, where a function is entered, calls, and is left. */
//# flags: -O2 -fno-inline
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static unsigned longest = 4;

static void must(bool asked)
{
	if (!asked)
		ldx_fail("%s", ldx_refused());
}

static const ldx_insn *last_of(const ldx_block *b, unsigned *n)
{
	const ldx_insn *last = NULL;
	*n = 0;
	/* What a linker may make one instruction of is two. */
	for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i)); last = i)
		*n += ldx_insn_size(i) > longest ? 2 : 1;
	return last;
}

static void compare(ldx_site site, const char *how, int64_t lacks)
{
	ldx_arg arg = ldx_number((uint64_t)lacks);
	if (site.place)
		must(ldx_call(site, how, 1, &arg));
}

static void ask(const ldx_func *f)
{
	unsigned n;
	compare(ldx_at_entry(f), "pass", 0);
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
		if (ldx_block_end(b) == LDX_END_CALL)
			compare(ldx_after(last_of(b, &n)), "come_back", ldx_clock_lacks(b));
	must(ldx_clock(f, "clock", 0));
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		const ldx_insn *last = last_of(b, &n);
		must(ldx_add_to(ldx_at_block(b), "executed", 0, n));
		if (ldx_block_end(b) == LDX_END_CALL)
			compare(ldx_before(last), "go", ldx_clock_lacks(b));
	}
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(f, x));)
		if (ldx_exit_kind(x) < LDX_EXIT_CALL)
			compare(ldx_at_exit(x), "pass", 0);
}

static void instrument(const ldx_object *o)
{
	if (!strcmp(ldx_object_cpu(o), "x86_64"))
		longest = 15;
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		if (!strncmp(ldx_func_name(f), "work", 4))
			ask(f);
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "clock", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t clock[1], executed[1], wrong[1], compared[1];
static uint64_t lacking; /* in the functions that are open */

LDX_ROUTINE void pass(long lacks)
{
	ldx_add(compared, [0], 1);
	if (ldx_data(clock, [0]) + lacking != ldx_data(executed, [0]))
		ldx_add(wrong, [0], 1);
	(void)lacks;
}
LDX_ROUTINE void go(long lacks)
{
	lacking += (uint64_t)(int64_t)lacks;
	pass(lacks);
}
LDX_ROUTINE void come_back(long lacks)
{
	pass(lacks);
	lacking -= (uint64_t)(int64_t)lacks;
}
#else
#include <stdio.h>
#include <stdlib.h>

unsigned (*volatile step)(unsigned);
__attribute__((noipa)) unsigned work1(unsigned n)
{
	return n & 1 ? n * 3 + 1 : n / 2;
}
__attribute__((noipa)) unsigned work2(unsigned n)
{
	unsigned k = 0;
	for (; n > 1 && k < 1000; k++)
		n = step(n);
	return k;
}
__attribute__((noipa)) unsigned work3(unsigned n)
{
	return n > 50 ? work2(n) : work1(n);
}
__attribute__((noipa)) unsigned work4(unsigned n, unsigned how)
{
	unsigned sum = 1;
	while (n--)
		switch (how++ % 9) {
		case 0: sum += work3(n); break;
		case 1: sum ^= n; break;
		case 2: sum *= work2(how); break;
		case 3:
			for (unsigned i = 0; i < how; i++)
				sum += sum >> 3 ^ i;
			break;
		case 4: sum = sum << 3 | sum >> 29; break;
		case 5: sum = ~sum; break;
		case 6:
			if (sum & 1)
				sum += n * 3;
			break;
		case 7: free(malloc(sum % 64)); break;
		default: sum |= n > 2 ? work4(n - 2, 0) : 4;
		}
	return sum;
}

int main(void)
{
	step = work1;
	fprintf(stderr, "%u\n", work4(40, 3));
	puts("wrong 0 0");
	return 0;
}
#endif
