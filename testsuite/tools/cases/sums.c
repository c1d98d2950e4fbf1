/* Sums, marks and bytes that count without a routine, also where flags are live, with threads and a
 * handler of signals.
 */
//# flags: -pthread
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static const int64_t number[] = {1, 2, 127, 128, 2047, 2048, 4095, 4096, 32767, 32768, 0x7fffffff,
	0x80000000, 0xffffffff};
enum { BYTES = 100000 };
enum { NUMBERS = sizeof number / sizeof *number };

static void ask(ldx_site site)
{
	for (unsigned k = 0; k < NUMBERS; k++)
		if (!ldx_add_to(site, "sums", k, number[k]))
			ldx_fail("%s", ldx_refused());
	/* Nothing is subtracted on CPUs of 32 bits. */
	for (unsigned k = 0; k < NUMBERS; k++)
		if (!ldx_add_to(site, "less", k, -number[k]))
			ldx_add_to(site, "more", k, number[k]);
}

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		if (!strcmp(ldx_func_name(f), "work"))
			ask(ldx_at_entry(f));
		if (!strcmp(ldx_func_name(f), "often"))
			for (unsigned k = 0; k < 3; k++)
				ldx_count_byte(ldx_at_entry(f), "bytes", k ? BYTES - 1 - k : 0);
		if (!strcmp(ldx_func_name(f), "never"))
			ldx_mark(ldx_at_entry(f), "marks", 2);
		if (strcmp(ldx_func_name(f), "compare") != 0)
			continue;
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));) {
				ldx_site site = ldx_before(i);
				ldx_add_to(site, "executed", 0, 3);
				ldx_add_to(site, "executed", 1, 1000000);
				ldx_mark(site, "marks", 9);
				ldx_mark(site, "marks", 15);
				ldx_count_byte(site, "bytes", BYTES - 1);
			}
	}
	ldx_call(ldx_at_event(LDX_EVENT_END), "end", 0, NULL);
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "sums", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t sums[13], less[13], more[13], executed[2], seen[6];
LDX_THREAD uint8_t marks[16];
uint8_t bytes[100000] = {[1] = 7, [99996] = 7};

LDX_ROUTINE void end(void)
{
	ldx_add(seen, [0], bytes[0]);
	ldx_add(seen, [1], bytes[1]);
	ldx_add(seen, [2], bytes[99996]);
	ldx_add(seen, [3], bytes[99997]);
	ldx_add(seen, [4], bytes[99998]);
	ldx_add(seen, [5], bytes[99999] > 0);
}
#else
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>

enum { THREADS = 3, ROUNDS = 3000, SIGNALS = 20 };

__attribute__((noipa)) void work(unsigned n)
{
	(void)n;
}
__attribute__((noipa)) void often(unsigned n)
{
	(void)n;
}
__attribute__((noipa)) void never(void)
{
}

/* Flags are live between blocks. */
__attribute__((noipa)) int compare(int a, int b)
{
	return a < b ? a - 1 : a == b ? b * 3 : a > 2 * b ? 7 : a ^ b;
}

static void handler(int sig)
{
	(void)sig;
	work(1);
}

static void *run(void *arg)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		work(3);
	return arg;
}

int main(int argc, char **argv)
{
	static const uint32_t number[] = {1, 2, 127, 128, 2047, 2048, 4095, 4096, 32767, 32768,
		0x7fffffff, 0x80000000, 0xffffffff};
	pthread_t t[THREADS];
	(void)argv;
	signal(SIGUSR1, handler);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < SIGNALS; i++)
		raise(SIGUSR1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (unsigned i = 0; i < 300; i++) /* 255, then 1 to 45 */
		often(i);
	if (argc > 5)
		never();
	int sum = 0;
	for (int i = 0; i < 30; i++)
		sum += compare(i, 10);
	unsigned long long calls = THREADS * ROUNDS + SIGNALS;
	for (int k = 0; k < 13; k++)
		printf("sums %d %llu\n%s %d %llu\n", k, calls * number[k],
			sizeof(void *) < 8 ? "more" : "less", k,
			calls * (sizeof(void *) < 8 ? number[k] : 0ULL - number[k]));
	union {
		uint8_t byte[8];
		uint64_t word;
	} marks = {.byte = {[1] = 1, [7] = 1}};
	printf("marks 0 0\nmarks 1 %llu\n", (unsigned long long)marks.word);
	printf("seen 0 45\nseen 1 7\nseen 2 7\nseen 3 45\nseen 4 45\nseen 5 1\n");
	return sum == 12345;
}
#endif
