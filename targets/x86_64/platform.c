/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.c - Linux on x86-64
 *
 * The dynamic linker's name: x86-64 psABI, 5.2.1; names of libraries: LSB Core, AMD64, 9.2 and 9.4,
 * and musl's.  GNU ld's folders: those of its default script, Debian's and the upstream's.
 */
#include "targets/platform.h"

#include <capstone/capstone.h>
#include <elf.h>

static const char *const search[] = {"=/usr/local/lib/x86_64-linux-gnu", "=/lib/x86_64-linux-gnu",
	"=/usr/lib/x86_64-linux-gnu", "=/usr/local/lib64", "=/lib64", "=/usr/lib64",
	"=/usr/local/lib", "=/lib", "=/usr/lib", NULL};

#define LOADER "ld-linux-x86-64.so.2"
static const char *const libc[] = {LOADER, "ld-musl-x86_64.so.1", "libc.musl-x86_64.so.1", NULL};

static bool leads_to(const cs_insn *in, uint64_t *to)
{
	const cs_x86 *x = &in->detail->x86;
	if (!x->op_count || x->operands[0].type != X86_OP_IMM)
		return false;
	*to = (uint64_t)x->operands[0].imm;
	return true;
}

static bool leads_through(const cs_insn *in, uint64_t *word)
{
	const cs_x86 *x = &in->detail->x86;
	const cs_x86_op *op = &x->operands[0];
	bool jumps = in->id == X86_INS_CALL || in->id == X86_INS_JMP;
	if (!jumps || x->op_count != 1 || op->type != X86_OP_MEM || op->mem.base != X86_REG_RIP ||
		op->mem.index != X86_REG_INVALID)
		return false;
	*word = in->address + in->size + (uint64_t)op->mem.disp;
	return true;
}

static bool is_conditional(const cs_insn *in)
{
	return in->id != X86_INS_JMP && in->id != X86_INS_LJMP;
}

const struct platform platform_x86_64 = {
	.machine = EM_X86_64,
	.word = 8,
	.emulation = "elf_x86_64",
	.entry = "_start",
	.runtime = "",
	.search = search,
	.libc = libc,
	.glibc_loader = LOADER,
	.features = GNU_PROPERTY_X86_FEATURE_1_AND,
	.cs_arch = CS_ARCH_X86,
	.cs_mode = CS_MODE_64,
	.leads_to = leads_to,
	.leads_through = leads_through,
	.is_conditional = is_conditional,
	.relative = R_X86_64_RELATIVE,
};
