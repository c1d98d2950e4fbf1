/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.c - Linux on MIPS (o32)
 *
 * Names of the dynamic linkers: those of glibc and musl.  GNU ld's folders: those of its default
 * script, Debian's and the upstream's.
 */
#include "targets/platform.h"

#include <elf.h>

#define LOADER "ld.so.1"

#define SEARCH(triple)                                                                             \
	(const char *const[])                                                                      \
	{                                                                                          \
		"=/usr/local/lib/" triple, "=/lib/" triple, "=/usr/lib/" triple,                   \
			"=/usr/local/lib", "=/lib", "=/usr/lib", "=/usr/" triple "/lib", NULL      \
	}
#define LIBC(cpu)                                                                                  \
	(const char *const[])                                                                      \
	{                                                                                          \
		LOADER, "ld-musl-" cpu ".so.1", "libc.musl-" cpu ".so.1", NULL                     \
	}
#define PLATFORM(cpu, is_big, name)                                                                \
	{                                                                                          \
		.machine = EM_MIPS, .word = 4, .big = (is_big), .emulation = (name),               \
		.triple = cpu "-linux-gnu", .entry = "__start", .runtime = "-" cpu,                \
		.search = SEARCH(cpu "-linux-gnu"), .libc = LIBC(cpu), .glibc_loader = LOADER,     \
		.llvm = {cpu "-unknown-linux-gnu", "mips32r2", "+dspr2,+msa"},                     \
		.relative = R_MIPS_REL32,                                                          \
	}

const struct platform platform_mips = PLATFORM("mips", true, "elf32btsmip");
const struct platform platform_mipsel = PLATFORM("mipsel", false, "elf32ltsmip");
