/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.c - Linux on MIPS (o32, n64)
 *
 * Names of the dynamic linkers: those of glibc and musl.  GNU ld's folders: those of its default
 * script, Debian's and the upstream's.
 */
#include "targets/platform.h"

#include <elf.h>

#define LOADER "ld.so.1"
#define ABI_FLAGS                                                                                  \
	{                                                                                          \
		".MIPS.abiflags", SHT_LOPROC + 0x2a, SHF_ALLOC                                     \
	}

static const char *const search[] = {"=/usr/local/lib/mips-linux-gnu", "=/lib/mips-linux-gnu",
	"=/usr/lib/mips-linux-gnu", "=/usr/local/lib", "=/lib", "=/usr/lib",
	"=/usr/mips-linux-gnu/lib", NULL};
static const char *const libc[] = {LOADER, "ld-musl-mips.so.1", "libc.musl-mips.so.1", NULL};

static const char *const search_el[] = {"=/usr/local/lib/mipsel-linux-gnu",
	"=/lib/mipsel-linux-gnu", "=/usr/lib/mipsel-linux-gnu", "=/usr/local/lib", "=/lib",
	"=/usr/lib", "=/usr/mipsel-linux-gnu/lib", NULL};
static const char *const libc_el[] = {LOADER, "ld-musl-mipsel.so.1", "libc.musl-mipsel.so.1", NULL};

static const char *const search_64el[] = {"=/usr/local/lib/mips64el-linux-gnuabi64",
	"=/lib/mips64el-linux-gnuabi64", "=/usr/lib/mips64el-linux-gnuabi64", "=/usr/local/lib64",
	"=/lib64", "=/usr/lib64", "=/usr/local/lib", "=/lib", "=/usr/lib",
	"=/usr/mips64el-linux-gnuabi64/lib64", "=/usr/mips64el-linux-gnuabi64/lib", NULL};
static const char *const libc_64el[] = {LOADER, "ld-musl-mips64el.so.1", "libc.musl-mips64el.so.1",
	NULL};

static const char *const check_flags[] = {"-msoft-float", NULL};
#define ROUTINE_FLAGS "-Wa,-mno-pdr", "-fno-asynchronous-unwind-tables"
/* for registers of 32 and of 64 bits */
static const char *const routine_flags[] = {ROUTINE_FLAGS, "-mfpxx", "-mno-odd-spreg", NULL};
static const char *const routine_flags_64el[] = {ROUTINE_FLAGS, NULL};

const struct platform platform_mips = {
	.machine = EM_MIPS,
	.word = 4,
	.big = true,
	.emulation = "elf32btsmip",
	.triple = "mips-linux-gnu",
	.routine_flags = routine_flags,
	.check_flags = check_flags,
	.entry = "__start",
	.runtime = "-mips",
	.search = search,
	.libc = libc,
	.glibc_loader = LOADER,
	.llvm = {"Mips", "mips-unknown-linux-gnu", "mips32r2", "+dspr2,+fp64,+msa"},
	.relative = R_MIPS_REL32,
	.said_flags = EF_MIPS_NOREORDER | EF_MIPS_NAN2008,
	.statements = {ABI_FLAGS, {".mdebug.abi32", SHT_PROGBITS, 0}},
	.object_other = 0x20 /* STO_MIPS_PIC */,
	.flag_tags = {DT_MIPS_FLAGS, DT_MIPS_RLD_VERSION},
};

const struct platform platform_mipsel = {
	.machine = EM_MIPS,
	.word = 4,
	.emulation = "elf32ltsmip",
	.triple = "mipsel-linux-gnu",
	.routine_flags = routine_flags,
	.check_flags = check_flags,
	.entry = "__start",
	.runtime = "-mipsel",
	.search = search_el,
	.libc = libc_el,
	.glibc_loader = LOADER,
	.llvm = {"Mips", "mipsel-unknown-linux-gnu", "mips32r2", "+dspr2,+fp64,+msa"},
	.relative = R_MIPS_REL32,
	.said_flags = EF_MIPS_NOREORDER | EF_MIPS_NAN2008,
	.statements = {ABI_FLAGS, {".mdebug.abi32", SHT_PROGBITS, 0}},
	.object_other = 0x20 /* STO_MIPS_PIC */,
	.flag_tags = {DT_MIPS_FLAGS, DT_MIPS_RLD_VERSION},
};

const struct platform platform_mips64el = {
	.machine = EM_MIPS,
	.word = 8,
	.emulation = "elf64ltsmip",
	.triple = "mips64el-linux-gnuabi64",
	.routine_flags = routine_flags_64el,
	.check_flags = check_flags,
	.entry = "__start",
	.runtime = "-mips64el",
	.search = search_64el,
	.libc = libc_64el,
	.glibc_loader = LOADER,
	.llvm = {"Mips", "mips64el-unknown-linux-gnuabi64", "mips64r2", "+dspr2,+msa"},
	.relative = R_MIPS_REL32,
	.said_flags = EF_MIPS_NOREORDER | EF_MIPS_NAN2008,
	.statements = {ABI_FLAGS, {".mdebug.abi64", SHT_PROGBITS, 0}},
	.object_other = 0x20 /* STO_MIPS_PIC */,
	.flag_tags = {DT_MIPS_FLAGS, DT_MIPS_RLD_VERSION},
};
