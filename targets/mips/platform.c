/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.c - Linux on MIPS (o32, most significant byte first)
 *
 * Names of the dynamic linkers: those of glibc and musl.  GNU ld's folders: those of its default
 * script, Debian's and the upstream's.
 */
#include "targets/platform.h"

#include <elf.h>

static const char *const search[] = {"=/usr/local/lib/mips-linux-gnu", "=/lib/mips-linux-gnu",
	"=/usr/lib/mips-linux-gnu", "=/usr/local/lib", "=/lib", "=/usr/lib",
	"=/usr/mips-linux-gnu/lib", NULL};

#define LOADER "ld.so.1"
static const char *const libc[] = {LOADER, "ld-musl-mips.so.1", "libc.musl-mips.so.1", NULL};

const struct platform platform_mips = {
	.machine = EM_MIPS,
	.word = 4,
	.big = true,
	.emulation = "elf32btsmip",
	.triple = "mips-linux-gnu",
	.entry = "__start",
	.runtime = "-mips",
	.search = search,
	.libc = libc,
	.glibc_loader = LOADER,
	.llvm = {"mips-unknown-linux-gnu", "mips32r2", "+dspr2,+msa"},
	.relative = R_MIPS_REL32,
};
