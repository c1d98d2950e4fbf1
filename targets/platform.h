/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.h - a CPU's names in linkers, loaders and disassemblers, and its library folders
 *
 * For the linker driver and ldxprof; nothing here is about code.
 */
#ifndef LDX_TARGETS_PLATFORM_H
#define LDX_TARGETS_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A section by which objects say something of the whole program. */
struct statement {
	const char *name;
	uint32_t type;
	uint64_t flags;
};
enum { PLATFORM_STATEMENTS = 2 };

struct platform {
	uint16_t machine;      /* e_machine */
	uint8_t word;	       /* bytes of an address */
	bool big;	       /* most significant byte first */
	const char *emulation; /* for the linker's -m */
	const char *triple;    /* what its cross tools' names begin with; NULL: ldx runs on it */
	/* for a compiler of the routines of tools, ending with NULL: as runtime/meson.build has */
	const char *const *routine_flags;
	/* the same, by which floating point is an error of a link that only looks for errors; NULL:
	 * the flags above forbid it */
	const char *const *check_flags;
	const char *entry; /* the linkers' default for -e */
	bool no_fini; /* C libraries call no _fini, but dynamic linkers the array of functions */
	const char *runtime; /* how the names of its runtime's files end, before .o */
	/* ending with NULL: */
	const char *const *search; /* GNU ld's default library folders; = is the sysroot */
	const char *const *libc;   /* files of the C libraries that are named after the CPU */
	const char *glibc_loader;  /* one of them: glibc's dynamic linker */
	uint32_t features; /* property whose bits all inputs must have; .note.gnu.property */
	struct {
		const char *target, *triple, *cpu, *features;
	} llvm;		       /* for LLVM's disassembler */
	uint32_t relative;     /* R_*_RELATIVE */
	uint32_t irelative;    /* R_*_IRELATIVE; 0: there is none */
	uint32_t address4;     /* R_*: an address below 2 GB in an instruction; 0: there is none */
	uint32_t flag_tags[3]; /* its own tags of numbers and flags; the last one is 0 */
	uint32_t said_flags; /* bits of e_flags that need not be those of the runtime, which has no
				floating point */
	struct statement statements[PLATFORM_STATEMENTS]; /* its own; the last ones have no name */
	uint32_t attributes;   /* type of a section of which readers take the first one; or 0 */
	uint16_t large_common; /* the section index of common symbols beyond 2 GB; 0: none */
	uint8_t object_other;  /* upper half of st_other: joined objects mark functions by it */
	bool relaxes;	       /* linkers delete bytes of code */
};

extern const struct platform platform_x86_64, platform_aarch64, platform_mips, platform_mipsel,
	platform_mips64el, platform_riscv64;

/* The first one is the default of a link. */
extern const struct platform *const platforms[];
extern const size_t nplatforms;

/* NULL: not known. */
const struct platform *platform_find(uint16_t machine, uint8_t word, bool big);

/* Do linkers for the machine delete bytes of code? */
bool platform_relaxes(uint16_t machine);

#endif
