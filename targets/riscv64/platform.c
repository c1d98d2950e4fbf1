/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.c - Linux on RISC-V (64 bits, lp64d)
 *
 * Names of the dynamic linkers: those of glibc and musl.  GNU ld's folders: those of its default
 */
#include "targets/platform.h"

#include <elf.h>

static const char *const search[] = {"=/usr/local/lib/riscv64-linux-gnu", "=/lib/riscv64-linux-gnu",
	"=/usr/lib/riscv64-linux-gnu", "=/usr/local/lib64/lp64d", "=/usr/local/lib64",
	"=/lib64/lp64d", "=/lib64", "=/usr/lib64/lp64d", "=/usr/lib64", "=/usr/local/lib", "=/lib",
	"=/usr/lib", "=/usr/riscv64-linux-gnu/lib64/lp64d", "=/usr/riscv64-linux-gnu/lib64",
	"=/usr/riscv64-linux-gnu/lib", NULL};

#define LOADER "ld-linux-riscv64-lp64d.so.1"
static const char *const libc[] = {LOADER, "ld-musl-riscv64.so.1", "libc.musl-riscv64.so.1", NULL};

static const char *const check_flags[] = {"-march=rv64ima", "-mabi=lp64", NULL};
static const char *const routine_flags[] = {"-march=rv64g", "-mno-relax", "-mno-riscv-attribute",
	"-Wa,-mno-arch-attr", NULL};

const struct platform platform_riscv64 = {
	.machine = EM_RISCV,
	.word = 8,
	.emulation = "elf64lriscv",
	.triple = "riscv64-linux-gnu",
	.routine_flags = routine_flags,
	.check_flags = check_flags,
	.entry = "_start",
	.no_fini = true,
	.runtime = "-riscv64",
	.search = search,
	.libc = libc,
	.glibc_loader = LOADER,
	.llvm = {"RISCV", "riscv64-unknown-linux-gnu", "",
		"+m,+a,+f,+d,+c,+v,+zba,+zbb,+zbc,+zbs,+zicbom,+zicboz,+zicbop,+zfh,+zicond"},
	.relative = R_RISCV_RELATIVE,
	.said_flags = EF_RISCV_FLOAT_ABI,
	.attributes = SHT_RISCV_ATTRIBUTES,
	/* LLD adds the extensions that others imply */
	.statements = {{".riscv.attributes", SHT_RISCV_ATTRIBUTES, 0}},
	.irelative = R_RISCV_IRELATIVE,
	.relaxes = true,
};
