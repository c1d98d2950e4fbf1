/* What instructions compare, in registers, constant or in memory; words of the tool that are numbers and addresses. */
//# flags: -O1 -fno-inline -fno-toplevel-reorder
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void must(bool asked)
{
	if (!asked)
		ldx_fail("%s", ldx_refused());
}

static void ask(unsigned number, const ldx_insn *i)
{
	int memory = ldx_compare_memory(i);
	ldx_arg arg[] = {ldx_number(number | ldx_compare_size(i) << 8), ldx_compare_value(i, memory == 0),
		ldx_compare_value(i, 1)};
	if (!ldx_compare_size(i))
		return;
	if (memory >= 0)
		arg[2] = ldx_access_address(i, 0);
	must(ldx_call(ldx_before(i), memory < 0 ? "compare" : "compare_memory", 3, arg));
}

static void instrument(const ldx_object *o)
{
	const ldx_func *main = ldx_find_func(o, "main");
	const ldx_insn *first = ldx_next_insn(ldx_next_block(main, NULL), NULL);
	ldx_arg bytes = ldx_bytes("abcd", 5, 8);
	ldx_arg words[] = {ldx_number(-77), ldx_func_address(main), ldx_bytes_at(bytes, 2), ldx_insn_address(first), bytes};
	ldx_arg begin[] = {ldx_words(words, 5), words[1], words[3], words[2]};
	must(ldx_call(ldx_at_event(LDX_EVENT_BEGIN), "begin", 4, begin));
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (const ldx_insn *i = NULL; !strncmp(ldx_func_name(f), "same", 4) && (i = ldx_next_insn(b, i));)
				ask((unsigned)ldx_func_name(f)[4] - '0', i);
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "compares", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t sums[8], wrong[5];

LDX_ROUTINE void compare(unsigned long number, unsigned long a, unsigned long b)
{
	ldx_add(sums, [number & 7], a);
	ldx_add(sums, [number & 7], b);
}
LDX_ROUTINE void compare_memory(unsigned long number, unsigned long a, const void *p)
{
	unsigned size = (unsigned)number >> 8;
	uint64_t b = size == 1 ? *(const uint8_t *)p
		: size == 2    ? *(const uint16_t *)p
		: size == 4    ? *(const uint32_t *)p
			       : *(const uint64_t *)p;
	ldx_add(sums, [number & 7], a);
	ldx_add(sums, [number & 7], b);
}
LDX_ROUTINE void begin(const uint64_t *word, uintptr_t main, uintptr_t first, const char *c)
{
	ldx_data(wrong, [0]) = word[0] != (uint64_t)-77;
	ldx_data(wrong, [1]) = ldx_word(&word[1]) != main;
	ldx_data(wrong, [2]) = ldx_word(&word[2]) != (uintptr_t)c || *c != 'c';
	ldx_data(wrong, [3]) = ldx_word(&word[3]) != first;
	ldx_data(wrong, [4]) = ldx_word(&word[4]) != (uintptr_t)c - 2;
}
#else
#include <stdio.h>

volatile int times;
__attribute__((noipa)) void same0(unsigned long a, unsigned long b)
{
	if (a != b)
		times++;
}
__attribute__((noipa)) void same1(unsigned a, unsigned b)
{
	if (a == b)
		times++;
}
__attribute__((noipa)) void same2(unsigned short a, unsigned short b)
{
	if (a == b)
		times++;
}
__attribute__((noipa)) void same3(unsigned char a, const unsigned char *b)
{
	if (a == *b)
		times++;
}
__attribute__((noipa)) void same4(const unsigned *a)
{
	if (*a == 0x12345678)
		times++;
}
__attribute__((noipa)) void same5(unsigned long a, const unsigned long *b)
{
	if (a == *b)
		times++;
}
__attribute__((noipa)) void same6(unsigned a)
{
	if (a != 100)
		times++;
}

int main(void)
{
	unsigned long long want[7] = {0};
	for (unsigned long i = 0; i < 50; i++) {
		unsigned long a = i * 12345678, b = i % 3 ? a + i : a;
		unsigned char c = b;
		unsigned u = a;
		same0(a, b), want[0] += (unsigned long long)a + b;
		same1(a, b), want[1] += (unsigned long long)(unsigned)a + (unsigned)b;
		same2(a, b), want[2] += (unsigned short)a + (unsigned short)b;
		same3(a, &c), want[3] += (unsigned char)a + c;
		same4(&u), want[4] += 0x12345678ull + u;
		same5(a, &b), want[5] += (unsigned long long)a + b;
		same6(a), want[6] += 100ull + u;
	}
	for (int i = 0; i < 7; i++)
		printf("sums %d %llu\n", i, want[i]);
	for (int i = 0; i < 5; i++)
		printf("wrong %d 0\n", i);
	return 0;
}
#endif
