/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.c - Linux on x86-64
 *
 * The dynamic linker's name: x86-64 psABI, 5.2.1; names of libraries: LSB Core, AMD64, 9.2 and 9.4,
 * and musl's.  GNU ld's folders: those of its default script, Debian's and the upstream's.
 */
#include "targets/platform.h"

#include <elf.h>

static const char *const search[] = {"=/usr/local/lib/x86_64-linux-gnu", "=/lib/x86_64-linux-gnu",
	"=/usr/lib/x86_64-linux-gnu", "=/usr/local/lib64", "=/lib64", "=/usr/lib64",
	"=/usr/local/lib", "=/lib", "=/usr/lib", NULL};

#define LOADER "ld-linux-x86-64.so.2"
static const char *const libc[] = {LOADER, "ld-musl-x86_64.so.1", "libc.musl-x86_64.so.1", NULL};

static const char *const routine_flags[] = {"-mno-sse", "-mno-mmx", "-mno-80387",
	"-DLDX_VECTORS_OF_CPU_=__attribute__((target(\"sse2\"),force_align_arg_pointer))",
	"-fcf-protection", NULL};

const struct platform platform_x86_64 = {
	.machine = EM_X86_64,
	.word = 8,
	.emulation = "elf_x86_64",
	.routine_flags = routine_flags,
	.entry = "_start",
	.runtime = "",
	.search = search,
	.libc = libc,
	.glibc_loader = LOADER,
	.features = GNU_PROPERTY_X86_FEATURE_1_AND,
	.llvm = {"X86", "x86_64-unknown-linux-gnu", "", ""},
	.relative = R_X86_64_RELATIVE,
	.irelative = R_X86_64_IRELATIVE,
	.address4 = R_X86_64_32S,
	.large_common = 0xff02, /* SHN_X86_64_LCOMMON: psABI, 4.2 */
};
