/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - the RISC-V target (RV64GC, lp64d): facts, and its table of functions
 *
 * psABI, "Integer Calling Convention"; its relocations are in reloc.c.
 */
#include "targets/riscv64/riscv64.h"
#include "targets/forms.h"

#include <elf.h>
#include <string.h>

#define CALLEE_SAVED                                                                               \
	(REG_BIT(RV_SP) | RV_REGS(RV_S0, RV_S1) | RV_REGS(RV_S2, RV_S11) | RV_FLOATS(8, 9) |       \
		RV_FLOATS(18, 27))
#define FIXED (REG_BIT(RV_GP) | REG_BIT(RV_TP))

/*
 * Extensions whose encodings mean something else in RV64GC: Zcmp and Zcmt have those of c.fsdsp;
 * instructions for floating-point numbers have them in general registers with Zfinx.
 */
static const char *other_meaning(const char *isa, size_t n)
{
	static const char *const other[] = {"zcmp", "zcmt", "zfinx", "xqccmp"};
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (memmem(isa, n, other[i], strlen(other[i])))
			return other[i];
	return NULL;
}

/*
 * Code of 64-bit files; RV64E has 16 registers.  The psABI names extensions in a section of
 * attributes, and in mapping symbols where code has others: $xrv64imac_zcmp.
 *
 * hazard: encoding of two extensions.
 */
static const char *refuses(const struct object *o)
{
	const char *why = o->eflags & EF_RISCV_RVE ? "RV64E" : NULL;
	for (size_t i = 1; i < o->sec.n && !why; i++)
		if (o->sec.v[i].type == SHT_RISCV_ATTRIBUTES && o->sec.v[i].data)
			why = other_meaning((const char *)o->sec.v[i].data, o->sec.v[i].size);
	for (size_t i = 1; i < o->nlocal && !why; i++)
		if (!strncmp(o->sym.v[i].name, "$xrv", 4))
			why = other_meaning(o->sym.v[i].name, strlen(o->sym.v[i].name));
	return why;
}

static const char *const linker_names[] = {"__global_pointer$", NULL};
static const char *const reg_name[REGSET_BITS] = {"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2",
	"s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6",
	"s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "ft0", "ft1", "ft2", "ft3", "ft4",
	"ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7",
	"fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9",
	"ft10", "ft11"};

static const struct branch_forms branch_forms = {
	.at_field = true,
	.len = rv_branch_len,
	.far_len = rv_far_len,
	.reloc = rv_branch_reloc,
	.field = rv_field,
	.distance = rv_distance,
	.encode = rv_encode,
	.same_but_field = rv_same_but_field,
};

/* t0 may hold a return address, too.  A nested function is given its frame in t2. */
const struct target target_riscv64 = {
	.name = "riscv64",
	.machine = EM_RISCV,
	.word = 8,
	.linker_names = linker_names,
	.reg_name = reg_name,
	.stack_reg = RV_SP,
	.link_reg = RV_RA,
	.code_align = 2,
	.insn_size = 4,
	.zero = REG_BIT(RV_ZERO),
	.no_scratch = REG_BIT(RV_ZERO) | RV_REGS(RV_SP, RV_TP) | REG_BIT(RV_S0),
	.reserved = REG_BIT(RV_RA),
	.refuses = refuses,
	.reloc_info = rv_reloc_info,
	.decoder_new = rv_decoder_new,
	.decoder_free = forms_free,
	.decode = rv_decode,
	.run = rv_run,
	.relocate = rv_relocate,
	.describe = rv_describe,
	.actions = rv_actions,
	.zone = rv_zone,
	.glued = rv_glued,
	.join = rv_join,
	.exclusive = rv_exclusive,
	.nops = rv_nops,
	.micro = &rv_micro,
	.frame_setup = rv_frame_setup,
	.stack_use = rv_stack_use,
	.keep_whole = rv_keep_whole,
	.abi =
		{
			.arg = {RV_A0, RV_A0 + 1, RV_A0 + 2, RV_A0 + 3},
			.result = RV_A0,
			.stack_dwarf = RV_SP,
			.ret_live = CALLEE_SAVED | FIXED | RV_REGS(RV_A0, RV_A0 + 1) |
				RV_FLOATS(10, 11),
			.ret_more = RV_FLOATS(12, 17),
			.thread_reg = RV_TP,
			.entry_live = CALLEE_SAVED | FIXED | RV_REGS(RV_A0, RV_A7) |
				REG_BIT(RV_RA) | REG_BIT(RV_T0) | REG_BIT(RV_T2) |
				RV_FLOATS(10, 17),
			.beside_args = REG_BIT(RV_RA) | REG_BIT(RV_T0) | REG_BIT(RV_T2),
			.call_clobbers = REG_BIT(RV_RA) | RV_REGS(RV_T0, RV_T2) |
				RV_REGS(RV_A0, RV_A7) | RV_REGS(RV_T3, RV_T6) | RV_FLOATS(0, 7) |
				RV_FLOATS(10, 17) | RV_FLOATS(28, 31),
		},
	.mark =
		{
			.code = "$x",
			.data = "$d",
			.isa = "rv",
		},
	.made =
		{
			.address = R_RISCV_64,
			.distance = R_RISCV_ADD64,
			.jump = R_RISCV_JAL,
			.subtract = R_RISCV_SUB64,
			.distance4 = R_RISCV_32_PCREL,
			.pair = R_RISCV_CALL_PLT,
			.pair_rest = R_RISCV_PCREL_LO12_I,
		},
	.syscall =
		{
			.number = rv_syscall_number,
			.forks = rv_forks,
			.installs = rv_installs,
			.leaves = rv_leaves,
			.exits = rv_exits,
			.reg = RV_A7,
		},
	.form = &branch_forms,
};
