/* Constants of routines that are copied become numbers and addresses in their instructions. */
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

enum { LARGE = 0x7fffffff };

static void ask(ldx_site site)
{
	ldx_arg one[] = {ldx_number(5), ldx_number((uint64_t)-3)};
	ldx_arg far[] = {ldx_number(0x123456789), ldx_number(LARGE)};
	ldx_arg text[] = {ldx_number(1), ldx_string("abc")}, wide[] = {ldx_number(9), ldx_number(700)};
	if (!ldx_call(site, "word", 2, one) || !ldx_call(site, "word", 2, far) ||
		!ldx_call(site, "bytes", 2, wide) || !ldx_call(site, "letter", 2, text) ||
		!ldx_call(site, "field", 2, wide) || !ldx_call(site, "steps", 1, one) ||
		!ldx_call(site, "unread", 2, one))
		ldx_fail("%s", ldx_refused());
}

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		ldx_arg mixed[] = {ldx_call_arg(1), ldx_number(3), ldx_call_arg(0)};
		if (strcmp(ldx_func_name(f), "work") != 0)
			continue;
		if (!ldx_call(ldx_at_entry(f), "mixed", 3, mixed))
			ldx_fail("%s", ldx_refused());
		ask(ldx_at_entry(f));
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));) {
				ldx_arg at[] = {ldx_number(40), ldx_number(1)};
				ldx_call(ldx_before(i), "other", 2, at);
			}
	}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "folds", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t sums[64];
LDX_THREAD struct {
	uint32_t half[2];
	uint8_t byte[8];
} item[1024];
uint8_t table[1024];

LDX_ROUTINE void word(unsigned long k, unsigned long n)
{
	ldx_add(sums, [k & 7], n * 8 + (k >> 4));
}
LDX_ROUTINE void bytes(unsigned long k, unsigned long n)
{
	ldx_data(item, [n].byte[2]) = (uint8_t)(ldx_data(item, [n].byte[2]) + 3);
	ldx_data(sums, [k]) = ldx_data(item, [n].byte[2]) + (uint64_t)table[n];
}
LDX_ROUTINE void letter(unsigned long k, const char *s)
{
	ldx_add(sums, [10 + k], s[k]);
}
LDX_ROUTINE void field(unsigned long k, unsigned long n)
{
	uint32_t half = ldx_data(item, [n].half[1]);
	ldx_data(item, [n].half[1]) = half + (uint32_t)k + (half < 100);
	ldx_data(sums, [12]) = half;
}
LDX_ROUTINE void steps(unsigned long n)
{
	unsigned long was = (unsigned long)ldx_data(sums, [13]);
	ldx_add(sums, [14], was < n);
	ldx_add(sums, [15], was > n);
	ldx_data(sums, [13]) = (was * 2 + (n << 7 & 128)) & 1023;
}
LDX_ROUTINE void unread(unsigned long k, unsigned long n)
{
	(void)n;
	ldx_add(sums, [16], k ^ k >> 1);
}
LDX_ROUTINE void mixed(unsigned long b, unsigned long k, unsigned long a)
{
	ldx_add(sums, [16 + k], a * k - b);
}
LDX_ROUTINE void other(unsigned long k, unsigned long n)
{
	ldx_data(sums, [k]) |= n;
}
#else
#include <stdint.h>
#include <stdio.h>

enum { ROUNDS = 200 };

__attribute__((noipa)) unsigned work(unsigned a, unsigned b)
{
	return a < b ? a - 1 : a == b ? b * 3 : a > 2 * b ? 7 : a ^ b;
}

int main(void)
{
	unsigned long words[8] = {0}, was = 0, less = 0, more = 0, mixed = 0;
	uint32_t half = 0, last = 0;
	unsigned sum = 0, want = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		sum += work(i, 10);
		want += i < 10 ? i - 1 : i == 10 ? 30 : i > 20 ? 7 : i ^ 10;
		words[5] += (unsigned long)-3 * 8;
		unsigned long far = (unsigned long)0x123456789;
		words[far & 7] += (unsigned long)0x7fffffff * 8 + (far >> 4);
		last = half;
		half += 9 + (half < 100);
		less += was < 5;
		more += was > 5;
		was = (was * 2 + 128) & 1023;
		mixed += i * 3ul - 10;
	}
	if (sizeof(long) == 8) /* else words of the profile have more bits than those of the CPU */
		printf("sums 1 %lu\nsums 5 %lu\n", words[1], words[5]);
	printf("sums 9 %u\nsums 11 %u\nsums 12 %u\n", ROUNDS * 3 % 256, ROUNDS * 'b', last);
	printf("sums 13 %lu\nsums 14 %lu\nsums 15 %lu\n", was, less, more);
	printf("sums 16 %u\nsums 40 1\n", ROUNDS * (5 ^ 2));
	if (sizeof(long) == 8)
		printf("sums 19 %lu\n", mixed);
	return sum != want;
}
#endif
