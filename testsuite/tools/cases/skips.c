/* Routines that skip a part of themselves are copied: constants, live flags and registers. */
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void ask(const ldx_func *f)
{
	ldx_arg few[] = {ldx_number(3), ldx_number(100)}, at[] = {ldx_number(20), ldx_number(5)};
	ldx_arg either[] = {ldx_number(4), ldx_call_arg(0)}, last[] = {ldx_number(8), ldx_call_arg(0)};
	ldx_arg both[] = {ldx_number(6), ldx_call_arg(0), ldx_call_arg(1)};
	ldx_arg moved[] = {ldx_number(10), ldx_call_arg(0)}, when[] = {ldx_call_arg(0), ldx_number(16)};
	ldx_arg crossed[] = {ldx_number(24), ldx_call_arg(0), ldx_call_arg(0)};
	ldx_site site = ldx_at_entry(f);
	if (!ldx_call(site, "few", 2, few) || !ldx_call(site, "either", 2, either) ||
		!ldx_call(site, "last", 2, last) || !ldx_call(site, "both", 3, both) ||
		!ldx_call(site, "moved", 2, moved) || !ldx_call(site, "crossed", 3, crossed) ||
		!(ldx_is_copied("is") ? ldx_call_if(site, "is", 2, when, "few", 2, at)
				      : ldx_call(site, "called", 2, when)))
		ldx_fail("%s", ldx_refused());
	at[0] = ldx_number(21);
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
		for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
			ldx_call(ldx_before(i), "few", 2, at);
}

static void instrument(const ldx_object *o)
{
	static const char *const name[] = {"few", "last", "both"};
	for (unsigned i = 0; i < sizeof name / sizeof *name && ldx_is_copied("straight"); i++)
		if (!ldx_is_copied(name[i]))
			ldx_fail("%s is not copied", name[i]);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		if (!strcmp(ldx_func_name(f), "work"))
			ask(f);
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "skips", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t sums[32];

LDX_ROUTINE void straight(unsigned long n)
{
	ldx_add(sums, [n], 1);
}
LDX_ROUTINE void few(unsigned long n, unsigned long most)
{
	if (ldx_data(sums, [n]) < most)
		ldx_add(sums, [n], 1);
}
LDX_ROUTINE void either(unsigned long n, unsigned long a)
{
	if (a & 4)
		ldx_add(sums, [n], a);
	else
		ldx_add(sums, [n + 1], 3);
}
LDX_ROUTINE void both(unsigned long n, unsigned long a, unsigned long b)
{
	if (a > b) {
		ldx_add(sums, [n], a);
		if (a != 3 * b)
			ldx_add(sums, [n + 1], b);
	}
}
/* How often it changes. */
LDX_ROUTINE void last(unsigned long n, unsigned long a)
{
	if ((unsigned long)ldx_data(sums, [n]) != a) {
		ldx_data(sums, [n]) = a;
		ldx_add(sums, [n + 1], 1);
	}
}
LDX_ROUTINE void moved(unsigned long n, unsigned long a)
{
	if (a > 20) {
		ldx_add(sums, [n], 1);
		n += 2;
	}
	ldx_add(sums, [n + 1], a);
}
/* What one branch skips ends within what another one skips. */
LDX_ROUTINE void crossed(unsigned long n, unsigned long a, unsigned long b)
{
	if (a <= 30) {
		ldx_add(sums, [n], 1);
		n += 2;
		if (b == 10)
			goto out;
	}
	ldx_add(sums, [n + 1], a);
out:
	ldx_add(sums, [n + 5], 1);
}
LDX_ROUTINE unsigned long is(unsigned long a, unsigned long n)
{
	if (ldx_data(sums, [n]) > 1000)
		return 1;
	return a & 1;
}
LDX_ROUTINE void called(unsigned long a, unsigned long n)
{
	if (is(a, n))
		few(20, 5);
}
#else
#include <stdio.h>

enum { ROUNDS = 200 };

__attribute__((noipa)) unsigned work(unsigned a, unsigned b)
{
	return a < b ? a - 1 : a == b ? b * 3 : a > 2 * b ? 7 : a ^ b;
}

int main(void)
{
	unsigned sums[32] = {0}, wrong = 0, odd = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		wrong += work(i / 2, 10) != (i < 20 ? i / 2 - 1 : i < 22 ? 30 : i > 41 ? 7 : i / 2 ^ 10);
		sums[i / 2 & 4 ? 4 : 5] += i / 2 & 4 ? i / 2 : 3;
		sums[6] += i / 2 > 10 ? i / 2 : 0;
		sums[7] += i / 2 > 10 && i / 2 != 30 ? 10 : 0;
		sums[10] += i / 2 > 20;
		sums[i / 2 > 20 ? 13 : 11] += i / 2;
		odd += i / 2 & 1;
		sums[24] += i / 2 <= 30;
		sums[i / 2 <= 30 ? 27 : 25] += i / 2 == 10 ? 0 : i / 2;
		sums[i / 2 <= 30 ? 31 : 29]++;
	}
	printf("sums 3 100\nsums 4 %u\nsums 5 %u\nsums 6 %u\nsums 7 %u\n", sums[4], sums[5], sums[6], sums[7]);
	printf("sums 8 %u\nsums 9 %u\n", ROUNDS / 2 - 1, ROUNDS / 2 - 1);
	printf("sums 10 %u\nsums 11 %u\nsums 13 %u\n", sums[10], sums[11], sums[13]);
	printf("sums 24 %u\nsums 25 %u\nsums 27 %u\nsums 29 %u\nsums 31 %u\n", sums[24], sums[25], sums[27],
		sums[29], sums[31]);
	printf("sums 20 %u\nsums 21 5\n", odd < 5 ? odd : 5);
	return wrong != 0;
}
#endif
