/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.c - Linux on MIPS (o32, most significant byte first)
 *
 * Names of the dynamic linkers: those of glibc and musl.  GNU ld's folders: those of its default
 * script, Debian's and the upstream's.
 */
#include "targets/platform.h"

#include <capstone/capstone.h>
#include <elf.h>

static const char *const search[] = {"=/usr/local/lib/mips-linux-gnu", "=/lib/mips-linux-gnu",
	"=/usr/lib/mips-linux-gnu", "=/usr/local/lib", "=/lib", "=/usr/lib",
	"=/usr/mips-linux-gnu/lib", NULL};

#define LOADER "ld.so.1"
static const char *const libc[] = {LOADER, "ld-musl-mips.so.1", "libc.musl-mips.so.1", NULL};

static bool leads_to(const cs_insn *in, uint64_t *to)
{
	const cs_mips *x = &in->detail->mips;
	if (!x->op_count || x->operands[x->op_count - 1].type != MIPS_OP_IMM)
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
	return in->id != MIPS_INS_J && in->id != MIPS_INS_B && in->id != MIPS_INS_JR;
}

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
	.cs_arch = CS_ARCH_MIPS,
	.cs_mode = CS_MODE_MIPS32 | CS_MODE_BIG_ENDIAN,
	.leads_to = leads_to,
	.leads_through = leads_through,
	.is_conditional = is_conditional,
	.relative = R_MIPS_REL32,
};
