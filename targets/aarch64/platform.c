/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.c - Linux on AArch64
 *
 * Names of the dynamic linkers: those of glibc and musl.  GNU ld's folders: those of its default
 * script, Debian's and the upstream's.
 */
#include "targets/platform.h"

#include <capstone/capstone.h>
#include <elf.h>

static const char *const search[] = {"=/usr/local/lib/aarch64-linux-gnu", "=/lib/aarch64-linux-gnu",
	"=/usr/lib/aarch64-linux-gnu", "=/usr/local/lib64", "=/lib64", "=/usr/lib64",
	"=/usr/local/lib", "=/lib", "=/usr/lib", "/usr/aarch64-linux-gnu/lib", NULL};

#define LOADER "ld-linux-aarch64.so.1"
static const char *const libc[] = {LOADER, "ld-musl-aarch64.so.1", "libc.musl-aarch64.so.1", NULL};

static bool leads_to(const cs_insn *in, uint64_t *to)
{
	const cs_arm64 *x = &in->detail->arm64;
	if (!x->op_count || x->operands[x->op_count - 1].type != ARM64_OP_IMM)
		return false;
	*to = (uint64_t)x->operands[x->op_count - 1].imm;
	return true;
}

/* No branch leads through memory. */
static bool leads_through(const cs_insn *in, uint64_t *word)
{
	(void)in;
	(void)word;
	return false;
}

static bool is_conditional(const cs_insn *in)
{
	const cs_arm64 *x = &in->detail->arm64;
	bool always = x->cc == ARM64_CC_INVALID || x->cc == ARM64_CC_AL || x->cc == ARM64_CC_NV;
	return x->op_count != 1 || !always;
}

const struct platform platform_aarch64 = {
	.machine = EM_AARCH64,
	.word = 8,
	.emulation = "aarch64linux",
	.triple = "aarch64-linux-gnu",
	.entry = "_start",
	.runtime = "-aarch64",
	.search = search,
	.libc = libc,
	.glibc_loader = LOADER,
	.features = GNU_PROPERTY_AARCH64_FEATURE_1_AND,
	.cs_arch = CS_ARCH_ARM64,
	.cs_mode = CS_MODE_LITTLE_ENDIAN,
	.leads_to = leads_to,
	.leads_through = leads_through,
	.is_conditional = is_conditional,
	.relative = R_AARCH64_RELATIVE,
};
