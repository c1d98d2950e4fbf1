/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfa.h - unwinding another process by its .eh_frame, one frame at a time
 *
 * An independent reader of call frame information: it shares nothing with the
 * linker, so that it can judge what the linker wrote.
 */
#ifndef TESTSUITE_UNWIND_CFA_H
#define TESTSUITE_UNWIND_CFA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { DW_RSP = 7, DW_RA = 16, NREGS = 17 };

/* Registers by their DWARF numbers; DW_RA is the pc. */
struct frame {
	uint64_t reg[NREGS];
	bool known[NREGS];
	bool interrupted; /* the pc is where the frame goes on, not behind a call */
};

/* An ELF file mapped in the process, and its .eh_frame, read from the file. */
struct object {
	uint64_t start, end, entry;
	const uint8_t *eh_frame;
	size_t eh_size;
	uint64_t eh_address;
	struct fde *fde;	/* sorted */
	size_t nfde;
};

/* The file whose first bytes are mapped at base; false when it is none. */
bool object_open(struct object *o, const char *path, uint64_t base);

enum unwind { UNWOUND, NO_FDE, NO_CALLER, BAD_CFI };

/* Read what lies from `at' on, for peek() until the next call. */
void peek_window(pid_t pid, uint64_t at);

/* Bytes of the process; false when they are not mapped. */
bool peek(pid_t pid, uint64_t at, void *to, size_t n);

/*
 * Replaces f by its caller; *slot is where the return address lies, or 0 when
 * it is not in memory.
 */
enum unwind unwind_step(pid_t pid, const struct object *o, size_t n, struct frame *f,
			uint64_t *slot);

#endif
