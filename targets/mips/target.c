/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - the MIPS targets: facts, relocations, and the table of functions
 *
 * MIPS Processor Supplement, 3rd edition, 3-11 (registers) and 4-17 (relocations); 64-bit ELF
 * Object File Specification, 2.9 (relocations of n64, up to three in one entry: the first in the
 * low byte).
 */
#include "targets/mips/mips.h"
#include "targets/forms.h"

enum { MACH = 0x00ff0000, MICROMIPS = 0x02000000, MIPS16 = 0x04000000 }; /* in e_flags */
#ifndef EF_MIPS_ARCH_32R6
#define EF_MIPS_ARCH_32R6 0x90000000
#define EF_MIPS_ARCH_64R6 0xa0000000
#endif

#define CALLEE_SAVED                                                                               \
	(MIPS_REGS(MIPS_S0, 23) | MIPS_REGS(MIPS_GP, MIPS_FP) |                                    \
		MIPS_FLOATS(MIPS_WORD == 8 ? 24 : 20, 31))
#define FLOAT_ARGS MIPS_FLOATS(12, MIPS_WORD == 8 ? 19 : 15)

#define RELOC(t, r, n, by)                                                                         \
	{                                                                                          \
		R_MIPS_##t,                                                                        \
		{                                                                                  \
			.name = "R_MIPS_" #t, .size = 4, .role = ROLE_##r, .bits = n, .shift = by  \
		}                                                                                  \
	}
#define TLS(t, n) RELOC(TLS_##t, TLS, n, 0)
/* The registers that halves of addresses without addends of their own are added to, and put in. */
enum { IN_RS = MIPS_WORD == 4 ? 21 : 0, IN_RT = MIPS_WORD == 4 ? 16 : 0 };

/*
 * In ascending order.  In o32 the instruction of LO16 adds the low half of an address to the high
 * one, which HI16, or GOT16 of a local symbol, have put in a register.  In n64 each says the whole
 * of an address; what GOT_DISP and GOT_PAGE load from the GOT is that, and its page.
 */
static const struct known {
	uint32_t type;
	struct reloc_info info;
} relocs[] = {
	{R_MIPS_NONE, {.name = "R_MIPS_NONE", .role = ROLE_NONE}},
	RELOC(32, ABS, 32, 0),
	RELOC(26, PLT, 26, 2),
	{R_MIPS_HI16,
		{.name = "R_MIPS_HI16",
			.size = 4,
			.role = ROLE_ABS,
			.bits = 16,
			.shift = 16,
			.high = true,
			.reg_bit = IN_RT}},
	{R_MIPS_LO16,
		{.name = "R_MIPS_LO16",
			.size = 4,
			.role = ROLE_ABS,
			.bits = 16,
			.low = true,
			.reg_bit = IN_RS}},
	RELOC(GPREL16, GOTREL, 16, 0),
	RELOC(LITERAL, GOTREL, 16, 0),
	{R_MIPS_GOT16,
		{.name = "R_MIPS_GOT16",
			.size = 4,
			.role = ROLE_GOT,
			.bits = 16,
			.high = true,
			.entry = true,
			.reg_bit = IN_RT}},
	{R_MIPS_CALL16,
		{.name = "R_MIPS_CALL16", .size = 4, .role = ROLE_GOT, .bits = 16, .calls = true}},
	RELOC(GPREL32, GOTREL, 32, 0),
	{R_MIPS_64, {.name = "R_MIPS_64", .size = 8, .role = ROLE_ABS, .bits = 64}},
	{R_MIPS_GOT_DISP,
		{.name = "R_MIPS_GOT_DISP",
			.size = 4,
			.role = ROLE_ABS,
			.bits = 16,
			.entry = true}},
	RELOC(GOT_PAGE, ABS, 16, 0),
	{R_MIPS_GOT_OFST, {.name = "R_MIPS_GOT_OFST", .size = 4, .role = ROLE_ABS, .low = true}},
	RELOC(GOT_HI16, GOT, 16, 0),
	RELOC(GOT_LO16, GOT, 16, 0),
	RELOC(HIGHER, ABS, 16, 0),
	RELOC(HIGHEST, ABS, 16, 0),
	RELOC(CALL_HI16, GOT, 16, 0),
	RELOC(CALL_LO16, GOT, 16, 0),
	{R_MIPS_JALR, {.name = "R_MIPS_JALR", .role = ROLE_NONE, .callee = true}},
	TLS(DTPMOD32, 32),
	TLS(DTPREL32, 32),
	TLS(DTPMOD64, 32),
	{R_MIPS_TLS_DTPREL64,
		{.name = "R_MIPS_TLS_DTPREL64", .size = 8, .role = ROLE_TLS, .bits = 64}},
	TLS(GD, 16),
	TLS(LDM, 16),
	TLS(DTPREL_HI16, 16),
	TLS(DTPREL_LO16, 16),
	TLS(GOTTPREL, 16),
	TLS(TPREL32, 32),
	TLS(TPREL_HI16, 16),
	TLS(TPREL_LO16, 16),
	{MIPS_R_PC32, {.name = "R_MIPS_PC32", .size = 4, .role = ROLE_PCREL, .bits = 32}},
	{R_MIPS_GPREL32 | R_MIPS_64 << 8,
		{.name = "R_MIPS_GPREL32/64", .size = 8, .role = ROLE_GOTREL}},
	{R_MIPS_GPREL16 | R_MIPS_SUB << 8 | R_MIPS_HI16 << 16,
		{.name = "R_MIPS_GPREL16/SUB/HI16", .size = 4, .role = ROLE_GOTREL, .high = true}},
	{R_MIPS_GPREL16 | R_MIPS_SUB << 8 | R_MIPS_LO16 << 16,
		{.name = "R_MIPS_GPREL16/SUB/LO16", .size = 4, .role = ROLE_GOTREL, .low = true}},
};

static const struct reloc_info *mips_reloc_info(uint32_t type)
{
	static const struct reloc_info none = {.role = ROLE_UNKNOWN};
	size_t i;

	BISECT(i, 0, sizeof relocs / sizeof relocs[0], relocs[i].type < type);
	return i < sizeof relocs / sizeof relocs[0] && relocs[i].type == type ? &relocs[i].info
									      : &none;
}

/* Binutils' include/elf/mips.h: of which CPU the instructions are that others do not have. */
static const char *own_machine(uint32_t eflags)
{
	switch ((eflags & MACH) >> 16) {
	case 0: return NULL;
	case 0x8b:
	case 0x8d:
	case 0x8e: return "Octeon";
	case 0xa0:
	case 0xa1:
	case 0xa2:
	case 0xa3:
	case 0xa4: return "Loongson";
	default: return "a MIPS CPU with instructions of its own (EF_MIPS_MACH)";
	}
}

/* Code of MIPS I has delay slots of loads too. */
static const char *refuses(const struct object *o)
{
	uint32_t eflags = o->eflags;
	uint32_t arch = eflags & EF_MIPS_ARCH;

	if (eflags & EF_MIPS_ABI2)
		return "the ABI n32";
	if (eflags & MICROMIPS)
		return "microMIPS";
	if (eflags & MIPS16)
		return "MIPS16";
	if (arch == EF_MIPS_ARCH_32R6 || arch == EF_MIPS_ARCH_64R6)
		return "MIPS release 6";
	return arch == EF_MIPS_ARCH_1 ? "MIPS I" : own_machine(eflags);
}

static const char *const linker_names[] = {"_gp_disp", "__gnu_local_gp", "_gp", NULL};
#if MIPS_WORD == 8
#define EIGHT_TO_15 "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3"
#else
#define EIGHT_TO_15 "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"
#endif
static const char *const reg_name[REGSET_BITS] = {"zero", "at", "v0", "v1", "a0", "a1", "a2", "a3",
	EIGHT_TO_15, "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", "gp",
	"sp", "fp", "ra", "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11",
	"f12", "f13", "f14", "f15", "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23", "f24",
	"f25", "f26", "f27", "f28", "f29", "f30", "f31"};

static const struct branch_forms branch_forms = {
	.at_field = true,
	.len = mips_branch_len,
	.field = mips_field,
	.distance = mips_distance,
	.leads_to = mips_leads_to,
	.encode = mips_encode,
	.far_reloc = mips_far_reloc,
	.same_but_field = mips_same_but_field,
};

/* $k0 and $k1 are the kernel's.  A nested function is given its frame in $t7. */
#define TEXT(x) #x
#define NAME(x) TEXT(x)

const struct target MIPS_NAME(target, MIPS_TARGET) = {
	.name = NAME(MIPS_TARGET),
	.machine = EM_MIPS,
	.word = MIPS_WORD,
	.big = MIPS_BIG,
	.linker_names = linker_names,
	.got_distance = "_gp_disp",
	.reg_name = reg_name,
	.stack_reg = MIPS_SP,
	.link_reg = MIPS_RA,
	.code_align = 4,
	.insn_size = 4,
	.zero = REG_BIT(MIPS_ZERO),
	.no_scratch = MIPS_REGS(MIPS_GP, MIPS_FP) | REG_BIT(MIPS_ZERO),
	.reserved = MIPS_REGS(MIPS_K0, 27) | REG_BIT(MIPS_T9) | REG_BIT(MIPS_RA),
	.refuses = refuses,
	.reloc_info = mips_reloc_info,
	.decoder_new = mips_decoder_new,
	.decoder_free = forms_free,
	.decode = mips_decode,
	.parts = mips_parts,
	.run = mips_run,
	.relocate = mips_relocate,
	.describe = mips_describe,
	.frame_access = mips_frame_access,
	.actions = mips_actions,
	.zone = mips_zone,
	.glued = mips_glued,
	.leads_through = mips_leads_through,
	.exclusive = mips_exclusive,
	.load_part = mips_load_part,
	.nops = mips_nops,
	.micro = &mips_micro,
	.frame_setup = mips_frame_setup,
	.stack_use = mips_stack_use,
	.keep_whole = mips_keep_whole,
	.abi =
		{
			.arg = {4, 5, 6, 7},
			.arg_home = MIPS_WORD == 4 ? 16 : 0,
			.result = MIPS_V0,
			.handler_off = MIPS_WORD,
			.stack_dwarf = MIPS_SP,
			.ret_live = CALLEE_SAVED | MIPS_REGS(MIPS_V0, 3) | MIPS_FLOATS(0, 3),
			.entry_label = REG_BIT(MIPS_T9),
			.entry_live = CALLEE_SAVED | MIPS_REGS(MIPS_A0, MIPS_LAST_ARG) |
				REG_BIT(15) | REG_BIT(MIPS_T9) | REG_BIT(MIPS_RA) | FLOAT_ARGS,
			.profiler = "_mcount",
			.profiler_reads = REG_BIT(1),
			.beside_args = REG_BIT(15) | REG_BIT(MIPS_T9) | REG_BIT(MIPS_RA),
			.call_clobbers = MIPS_REGS(MIPS_AT, 15) | MIPS_REGS(MIPS_T8, MIPS_T9) |
				REG_BIT(MIPS_RA) | (REGSET_VECTORS & ~CALLEE_SAVED),
		},
	.made =
		{
			.address = MIPS_WORD == 8 ? R_MIPS_64 : R_MIPS_32,
			.distance = MIPS_R_PC32,
			.distance4 = MIPS_R_PC32,
		},
	.syscall =
		{
			.number = mips_syscall_number,
			.forks = mips_forks,
			.installs = mips_installs,
			.leaves = mips_leaves,
			.exits = mips_exits,
			.reg = MIPS_V0,
		},
	.form = &branch_forms,
};
