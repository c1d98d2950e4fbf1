/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seen_tcg.c - tells what memory the instructions of runner.c access under QEMU
 *
 * A TCG plugin as testsuite/oracle/oracle_tcg.c, which says why its declarations are its own.
 *
 *	qemu-ARCH -plugin seen_tcg.so,seen=FILE RUNNER TRIALS OUTCOMES FILE
 */
#include "trial.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;
enum { CB_NO_REGS = 0, MEM_RW = 3 };
typedef void (*translate_fn)(plugin_id, struct qemu_plugin_tb *);
typedef void (*memory_fn)(unsigned int, uint32_t, uint64_t, void *);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, translate_fn);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, memory_fn, int, int, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
unsigned int qemu_plugin_mem_size_shift(uint32_t);
bool qemu_plugin_mem_is_store(uint32_t);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(plugin_id, const struct qemu_info *, int, char **);

static struct seen *seen;

static void accessed(unsigned int cpu, uint32_t info, uint64_t at, void *p)
{
	(void)cpu;
	(void)p;
	if (seen->n >= SEEN)
		return;
	seen->access[seen->n].at = at;
	seen->access[seen->n].how = 1u << qemu_plugin_mem_size_shift(info) |
		(qemu_plugin_mem_is_store(info) ? 256u : 0);
	seen->n++;
}

static void translate(plugin_id id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *in = qemu_plugin_tb_get_insn(tb, i);
		uint64_t at = qemu_plugin_insn_vaddr(in);

		if (at >= CODE && at < CODE + TRIALS * SLOT)
			qemu_plugin_register_vcpu_mem_cb(in, accessed, CB_NO_REGS, MEM_RW, NULL);
	}
}

int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc, char **argv)
{
	int fd = argc == 1 && !strncmp(argv[0], "seen=", 5) ? open(argv[0] + 5, O_RDWR) : -1;

	(void)info;
	if (fd < 0)
		return 1;
	seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (seen == MAP_FAILED)
		return 1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
