/*
 * Each rule by which data of threads, of processes and of runs are merged.  Tables have the same
 * keys wherever the entries are; what has no room, or no key, is counted in the first entry.  Data
 * of the process are the same for all its threads.
 */
//# flags: -pthread
//# runs: merged
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		ldx_arg arg[] = {ldx_call_arg(0), ldx_call_arg(1)};
		if (strcmp(ldx_func_name(f), "work") != 0)
			continue;
		if (!ldx_call(ldx_at_entry(f), "enter", 2, arg) ||
			!ldx_mark(ldx_at_entry(f), "marked", 0) ||
			!ldx_add_to(ldx_at_entry(f), "calls", 0, 1))
			ldx_fail("%s", ldx_refused());
	}
	ldx_set_size("seen", 3 * 8 * 1024);
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "rules", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD_BY(maximum) uint64_t greatest[2];
LDX_THREAD_BY(minimum) uint64_t least[2];
LDX_THREAD_BY(or) uint64_t bits[1];
LDX_THREAD_BY(or) uint8_t marked[8];
LDX_THREAD_BY(first) uint64_t first[2];
LDX_THREAD uint64_t calls[1], minus[1];
LDX_THREAD_TABLE(2, 1) struct {
	uint64_t a, b, count;
} seen[2];
LDX_THREAD_TABLE(1, 2) struct {
	uint64_t key, count, sum;
} odd[4], full[3];
LDX_PROCESS uint64_t sum[2], missing[1];
LDX_PROCESS_BY(maximum) uint64_t started[1];
LDX_PROCESS_BY(or) uint64_t kinds[1];
LDX_PROCESS_TABLE(1, 1) struct {
	uint64_t n, count;
} all[512];

LDX_ROUTINE void enter(unsigned long n, unsigned long kind)
{
	size_t i;
	ldx_add(minus, [0], -(uint64_t)1);
	ldx_maximum(greatest, [1], n);
	ldx_minimum(least, [0], n);
	ldx_or(bits, [0], 1ul << kind);
	ldx_first(first, [1], kind);
	ldx_add(seen, [ldx_find(seen, 1024, n, kind)].count, 1);
	i = ldx_find(odd, 4, n & 1);
	ldx_add(odd, [i].count, 1);
	ldx_add(odd, [i].sum, n);
	ldx_add(full, [ldx_find(full, 3, n)].count, 1);
	if (kind > 10)
		ldx_data(started, [0]) = 1;
	ldx_add(missing, [0], kind == 2 && !ldx_data(started, [0]));
	ldx_add(sum, [1], n);
	ldx_or(kinds, [0], 1ul << kind);
	ldx_add(all, [ldx_find(all, 512, n)].count, 1);
}
#else
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, MOST = 100, ROUNDS = 10, SIGNALS = 20 };

static unsigned kind_of_all = 2;

__attribute__((noipa)) void work(unsigned n, unsigned kind)
{
	(void)n;
	(void)kind;
}

static void handler(int sig)
{
	(void)sig;
	work(1, 1);
}

/* Each key comes in all threads and processes: its entries are at different places. */
static void *run(void *arg)
{
	unsigned from = (unsigned)(unsigned long)arg;
	for (unsigned k = 0; k < ROUNDS; k++)
		for (unsigned i = 0; i < MOST; i++)
			work((from + i) % MOST + 1, kind_of_all);
	return arg;
}

int main(int argc, char **argv)
{
	unsigned long long runs = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	pthread_t t[THREADS];
	signal(SIGUSR1, handler);
	work((unsigned)(1000 - runs), 10 + (unsigned)runs); /* the greatest and the first of the first run */
	for (unsigned long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, run, (void *)(i * 37));
	for (int i = 0; i < SIGNALS; i++)
		raise(SIGUSR1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	pid_t child = fork();
	if (!child) {
		kind_of_all = 4;
		run((void *)5);
		work(1000 + (unsigned)runs, 3); /* the greatest of the last run */
		kill(getpid(), SIGKILL);
	}
	waitpid(child, NULL, 0);
	unsigned long long each = runs * (THREADS + 1) * ROUNDS, odd = each * MOST / 2 + runs * SIGNALS,
			   even = each * MOST / 2;
	unsigned long long kinds = 30 + (2048ull << runs) - 2048;
	union {
		unsigned char byte[8];
		unsigned long long word;
	} marked = {.byte = {1}};
	printf("marked 0 %llu\ncalls 0 %llu\n", marked.word, odd + even + 2 * runs);
	printf("greatest 0 0\ngreatest 1 %llu\nleast 0 1\nleast 1 0\n", 1000 + runs);
	printf("first 0 0\nfirst 1 11\nbits 0 %llu\nkinds 0 %llu\nmissing 0 0\n",
		kinds, kinds);
	printf("seen 1 1 %llu\n", runs * SIGNALS);
	for (int i = 0; i < MOST; i++) {
		printf("seen %d 2 %llu\n", i + 1, runs * THREADS * ROUNDS);
		printf("seen %d 4 %llu\n", i + 1, runs * ROUNDS);
		printf("all %d %llu\n", i + 1, each + (i ? 0 : runs * SIGNALS));
	}
	for (unsigned long long r = 1; r <= runs; r++) {
		printf("seen %llu 3 1\nseen %llu %llu 1\n", 1000 + r, 1000 - r, 10 + r);
		printf("all %llu 1\nall %llu 1\n", 1000 + r, 1000 - r);
		*((1000 - r) & 1 ? &odd : &even) += 2;
	}
	printf("odd 1 %llu\nodd 0 %llu\nfull * %llu\n", odd, even, odd + even);
	printf("minus 0 %llu\n", 0 - odd - even);
	printf("sum 0 0\nsum 1 %llu\n", each * MOST * (MOST + 1) / 2 + runs * (SIGNALS + 2000));
	return 0;
}
#endif
