/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle_tcg.c - counts executions of every instruction of a program under QEMU
 *
 * A TCG plugin (plugin API version 1, qemu-user 6.0 to 8.x), with its own
 * declarations because Debian's qemu-user ships no header.
 *
 *	qemu-ARCH -plugin oracle_tcg.so,out=FILE[,atomic=1] PROGRAM ...
 *
 * Each process writes FILE.PID: the run-time address of the lowest executable
 * segment, then lines "address count", all in hexadecimal and decimal.
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
enum { CB_NO_REGS = 0, INLINE_ADD_U64 = 0 };
typedef void (*translate_fn)(plugin_id, struct qemu_plugin_tb *);
typedef void (*exec_fn)(unsigned int, void *);
typedef void (*exit_fn)(plugin_id, void *);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, translate_fn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, exec_fn, int, void *);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *, int, void *, uint64_t);
void qemu_plugin_register_atexit_cb(plugin_id, exit_fn, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_start_code(void);
uint64_t qemu_plugin_end_code(void);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(plugin_id, const struct qemu_info *, int, char **);

static uint64_t *counts, low, high;
static char out[4096];
static bool atomic_mode;

static void count_atomically(unsigned int cpu, void *p)
{
	(void)cpu;
	__atomic_fetch_add((uint64_t *)p, 1, __ATOMIC_RELAXED);
}

/* A forked process counts from zero: the sum over the processes is then exact. */
static void in_child(void)
{
	if (counts)
		memset(counts, 0, (high - low + 1) * sizeof *counts);
}

static void start(void)
{
	pthread_atfork(NULL, NULL, in_child);
	low = qemu_plugin_start_code();
	high = qemu_plugin_end_code();
	counts = calloc(high - low + 1, sizeof *counts);
	if (!counts)
		abort();
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
			qemu_plugin_register_vcpu_insn_exec_cb(
				in, count_atomically, CB_NO_REGS, &counts[a - low]);
		else
			qemu_plugin_register_vcpu_insn_exec_inline(
				in, INLINE_ADD_U64, &counts[a - low], 1);
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
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, done, NULL);
	return 0;
}
