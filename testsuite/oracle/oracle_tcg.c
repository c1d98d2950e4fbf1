/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle_tcg.c - counts executions of every instruction of a program under QEMU
 *
 * A TCG plugin (plugin API version 1, qemu-user 6.0 to 8.x), with its own
 * declarations because Debian's qemu-user ships no header.
 *
 *	qemu-ARCH -plugin oracle_tcg.so,out=FILE[,atomic=1][,ways=1][,memory=1][,addresses=1]
 *		PROGRAM ...
 *
 * Each process writes FILE.PID: the run-time address of the lowest executable
 * segment, then lines "address count", all in hexadecimal and decimal; with ways,
 * also lines "address address count": how often control went from the one at the
 * end of a translation block, where every branch is, to the other at the start of one; with memory,
 * lines "m address loads stores": how many accesses to memory the instruction made; with addresses,
 * lines "a address count sum": in how many executions it made any, and the sum of the addresses of
 * the first of each.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
};
enum { CB_NO_REGS = 0, INLINE_ADD_U64 = 0, MEM_RW = 3 };
typedef void (*translate_fn)(plugin_id, struct qemu_plugin_tb *);
typedef void (*exec_fn)(unsigned int, void *);
typedef void (*memory_fn)(unsigned int, uint32_t, uint64_t, void *);
typedef void (*exit_fn)(plugin_id, void *);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, translate_fn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, exec_fn, int, void *);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *, int, void *, uint64_t);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, memory_fn, int, int, void *);
bool qemu_plugin_mem_is_store(uint32_t);
void qemu_plugin_register_atexit_cb(plugin_id, exit_fn, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_start_code(void);
uint64_t qemu_plugin_end_code(void);

/* How often control went from one to another offset; a hash table without locks, for forks. */
enum { WAYS = 1 << 18 };
static struct way {
	uint64_t key, count; /* key: from << 32 | to, each + 1; 0: free */
} * ways;
static _Thread_local uint64_t last; /* of the last translation block, + 1; 0: outside */

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(plugin_id, const struct qemu_info *, int, char **);

static uint64_t *counts, *accesses, low, high; /* accesses: of each address loads, stores */
static uint64_t *firsts;		       /* of each address count, sum */
static _Thread_local uint64_t *fresh; /* of the instruction that runs, until its first access */
static char out[4096];
static bool atomic_mode, with_ways, with_memory, with_addresses;

static void count_atomically(unsigned int cpu, void *p)
{
	(void)cpu;
	__atomic_fetch_add((uint64_t *)p, 1, __ATOMIC_RELAXED);
}

static void count_access(unsigned int cpu, uint32_t info, uint64_t at, void *p)
{
	uint64_t *of = p;
	(void)cpu;
	(void)at;
	__atomic_fetch_add(&of[qemu_plugin_mem_is_store(info)], 1, __ATOMIC_RELAXED);
}

static void execute(unsigned int cpu, void *p)
{
	(void)cpu;
	fresh = p;
}

static void note_address(unsigned int cpu, uint32_t info, uint64_t at, void *p)
{
	uint64_t *of = p;
	(void)cpu;
	(void)info;
	if (fresh != of)
		return;
	__atomic_fetch_add(&of[0], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&of[1], at, __ATOMIC_RELAXED);
	fresh = NULL;
}

static void leave(unsigned int cpu, void *p)
{
	(void)cpu;
	last = (uintptr_t)p;
}

static void enter(unsigned int cpu, void *p)
{
	uint64_t key = last << 32 | (uintptr_t)p;
	(void)cpu;
	if (!last)
		return;
	last = 0; /* of a block that was cut short, no end is seen */
	for (uint64_t i = key * 0x9e3779b97f4a7c15 >> 40;; i++) {
		struct way *w = &ways[i % WAYS];
		uint64_t seen = 0;
		if (__atomic_compare_exchange_n(&w->key, &seen, key, false, __ATOMIC_RELAXED,
			    __ATOMIC_RELAXED) ||
			seen == key) {
			__atomic_fetch_add(&w->count, 1, __ATOMIC_RELAXED);
			return;
		}
	}
}

/* A forked process counts from zero: the sum over the processes is then exact. */
static void in_child(void)
{
	if (counts)
		memset(counts, 0, (high - low + 1) * sizeof *counts);
	for (size_t i = 0; with_ways && i < WAYS; i++)
		ways[i].count = 0;
}

static void start(void)
{
	pthread_atfork(NULL, NULL, in_child);
	low = qemu_plugin_start_code();
	high = qemu_plugin_end_code();
	counts = calloc(high - low + 1, sizeof *counts);
	ways = calloc(WAYS, sizeof *ways);
	accesses = calloc(with_memory ? high - low + 1 : 1, 2 * sizeof *accesses);
	firsts = calloc(with_addresses ? high - low + 1 : 1, 2 * sizeof *firsts);
	if (!counts || !ways || !accesses || !firsts)
		abort();
}

static void register_way(struct qemu_plugin_insn *in, exec_fn fn)
{
	uint64_t a = qemu_plugin_insn_vaddr(in);
	uintptr_t arg = a < low || a >= high ? 0 : a - low + 1;
	qemu_plugin_register_vcpu_insn_exec_cb(in, fn, CB_NO_REGS, (void *)arg);
}

/*
 * QEMU 7.2 takes back an instruction that lies across two pages, unless it is the first of its
 * block, but still shows the part on the first page as the last one, which is never executed.
 */
static bool may_be_taken_back(const struct qemu_plugin_insn *in)
{
	return (qemu_plugin_insn_vaddr(in) + qemu_plugin_insn_size(in)) % 4096 == 0;
}

static void translate(plugin_id id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	if (!counts)
		start();
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *in = qemu_plugin_tb_get_insn(tb, i);
		uint64_t a = qemu_plugin_insn_vaddr(in);

		if (a < low || a >= high)
			continue;
		if (atomic_mode)
			qemu_plugin_register_vcpu_insn_exec_cb(in, count_atomically, CB_NO_REGS,
				&counts[a - low]);
		else
			qemu_plugin_register_vcpu_insn_exec_inline(in, INLINE_ADD_U64,
				&counts[a - low], 1);
		if (with_memory)
			qemu_plugin_register_vcpu_mem_cb(in, count_access, CB_NO_REGS, MEM_RW,
				&accesses[2 * (a - low)]);
		if (with_addresses) {
			qemu_plugin_register_vcpu_insn_exec_cb(in, execute, CB_NO_REGS,
				&firsts[2 * (a - low)]);
			qemu_plugin_register_vcpu_mem_cb(in, note_address, CB_NO_REGS, MEM_RW,
				&firsts[2 * (a - low)]);
		}
	}
	if (with_ways) {
		register_way(qemu_plugin_tb_get_insn(tb, 0), enter);
		if (n > 1 && may_be_taken_back(qemu_plugin_tb_get_insn(tb, n - 1)))
			register_way(qemu_plugin_tb_get_insn(tb, n - 2), leave);
		register_way(qemu_plugin_tb_get_insn(tb, n - 1), leave);
	}
}

static void done(plugin_id id, void *user)
{
	char name[4200];
	FILE *f;

	(void)id;
	(void)user;
	snprintf(name, sizeof name, "%s.%d", out, (int)getpid());
	f = counts ? fopen(name, "w") : NULL;
	if (!f)
		return;
	fprintf(f, "%" PRIx64 "\n", low);
	for (uint64_t i = 0; i < high - low; i++)
		if (counts[i])
			fprintf(f, "%" PRIx64 " %" PRIu64 "\n", low + i, counts[i]);
	for (size_t i = 0; i < WAYS; i++)
		if (ways[i].count && (uint32_t)ways[i].key)
			fprintf(f, "%" PRIx64 " %" PRIx64 " %" PRIu64 "\n",
				low + (ways[i].key >> 32) - 1, low + (uint32_t)ways[i].key - 1,
				ways[i].count);
	for (uint64_t i = 0; with_memory && i < high - low; i++)
		if (accesses[2 * i] || accesses[2 * i + 1])
			fprintf(f, "m %" PRIx64 " %" PRIu64 " %" PRIu64 "\n", low + i,
				accesses[2 * i], accesses[2 * i + 1]);
	for (uint64_t i = 0; with_addresses && i < high - low; i++)
		if (firsts[2 * i])
			fprintf(f, "a %" PRIx64 " %" PRIu64 " %" PRIu64 "\n", low + i,
				firsts[2 * i], firsts[2 * i + 1]);
	fclose(f);
}

int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			snprintf(out, sizeof out, "%s", argv[i] + 4);
		else if (!strncmp(argv[i], "atomic=", 7))
			atomic_mode = argv[i][7] == '1' || argv[i][7] == 'o';
		else if (!strncmp(argv[i], "ways=", 5))
			with_ways = argv[i][5] == '1' || argv[i][5] == 'o';
		else if (!strncmp(argv[i], "memory=", 7))
			with_memory = argv[i][7] == '1' || argv[i][7] == 'o';
		else if (!strncmp(argv[i], "addresses=", 10))
			with_addresses = argv[i][10] == '1' || argv[i][10] == 'o';
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, done, NULL);
	return 0;
}
