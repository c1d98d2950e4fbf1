/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.h - what linkers, loaders and a disassembler call a CPU, and where its libraries are
 *
 * The linker's side and ldxprof share it; nothing here is about code.
 */
#ifndef LDX_TARGETS_PLATFORM_H
#define LDX_TARGETS_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cs_insn;

struct platform {
	uint16_t machine;      /* e_machine */
	const char *emulation; /* for the linker's -m */
	const char *triple;    /* what its cross tools' names begin with; NULL: ldx runs on it */
	/* ending with NULL: */
	const char *const
		*search;	  /* where GNU ld looks for libraries by itself; = is the sysroot */
	const char *const *libc;  /* files of the C libraries that are named after the CPU */
	const char *glibc_loader; /* one of them: glibc's dynamic linker */
	uint32_t features;	  /* property whose bits all inputs must have; .note.gnu.property */
	/* capstone's cs_arch and cs_mode, and where the branch or call in leads directly */
	unsigned cs_arch, cs_mode;
	bool (*leads_to)(const struct cs_insn *in, uint64_t *to);
	/* and through which word of memory, at a constant address, it leads */
	bool (*leads_through)(const struct cs_insn *in, uint64_t *word);
	uint32_t relative; /* R_*_RELATIVE */
};

extern const struct platform platform_x86_64, platform_aarch64;

/* The first is what a link is for when nothing says it. */
extern const struct platform *const platforms[];
extern const size_t nplatforms;

/* NULL: not known. */
const struct platform *platform_find(uint16_t machine);

#endif
