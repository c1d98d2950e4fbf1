/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.c - Linux on AArch64
 *
 * Names of the dynamic linkers: those of glibc and musl.  GNU ld's folders: those of its default
 * script, Debian's and the upstream's.
 */
#include "targets/platform.h"

#include <elf.h>

static const char *const search[] = {"=/usr/local/lib/aarch64-linux-gnu", "=/lib/aarch64-linux-gnu",
	"=/usr/lib/aarch64-linux-gnu", "=/usr/local/lib64", "=/lib64", "=/usr/lib64",
	"=/usr/local/lib", "=/lib", "=/usr/lib", "/usr/aarch64-linux-gnu/lib", NULL};

#define LOADER "ld-linux-aarch64.so.1"
static const char *const libc[] = {LOADER, "ld-musl-aarch64.so.1", "libc.musl-aarch64.so.1", NULL};

static const char *const routine_flags[] = {"-march=armv8-a+nofp+nosimd", "-mno-outline-atomics",
	"-DLDX_VECTORS_OF_CPU_=__attribute__((target(\"+fp+simd\")))", NULL};

const struct platform platform_aarch64 = {
	.machine = EM_AARCH64,
	.word = 8,
	.emulation = "aarch64linux",
	.triple = "aarch64-linux-gnu",
	.routine_flags = routine_flags,
	.entry = "_start",
	.runtime = "-aarch64",
	.search = search,
	.libc = libc,
	.glibc_loader = LOADER,
	.features = GNU_PROPERTY_AARCH64_FEATURE_1_AND,
	.llvm = {"AArch64", "aarch64-unknown-linux-gnu", "", "+all"},
	.relative = R_AARCH64_RELATIVE,
	.irelative = R_AARCH64_IRELATIVE,
};
