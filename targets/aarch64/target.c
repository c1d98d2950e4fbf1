/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - the AArch64 target: facts, relocations, and its table of functions
 *
 * AAPCS64, 6.1.1 (registers); AAELF64, 5.7 (relocations).
 */
#include "targets/aarch64/aarch64.h"
#include "targets/forms.h"

#define CALLEE_SAVED (A64_REGS(A64_X18, A64_FP) | REG_BIT(A64_SP) | A64_VECTORS(8, 15))

#define RELOC(t, bytes, r)                                                                         \
	{                                                                                          \
		R_AARCH64_##t,                                                                     \
		{                                                                                  \
			.name = "R_AARCH64_" #t, .size = bytes, .role = r                          \
		}                                                                                  \
	}
#define LOW(t, r)                                                                                  \
	{                                                                                          \
		R_AARCH64_##t,                                                                     \
		{                                                                                  \
			.name = "R_AARCH64_" #t, .size = 4, .role = r, .low = true                 \
		}                                                                                  \
	}
#define TLS(t) RELOC(t, 4, ROLE_TLS)
/*
 * In ascending order.  What adrp names is an address whose low bits another relocation adds: both
 * say the whole of it.
 */
static const struct known {
	uint32_t type;
	struct reloc_info info;
} relocs[] = {
	RELOC(NONE, 0, ROLE_NONE),
	{256, {.name = "R_AARCH64_NONE", .role = ROLE_NONE}},
	RELOC(ABS64, 8, ROLE_ABS),
	RELOC(ABS32, 4, ROLE_ABS),
	RELOC(ABS16, 2, ROLE_ABS),
	RELOC(PREL64, 8, ROLE_PCREL),
	RELOC(PREL32, 4, ROLE_PCREL),
	RELOC(PREL16, 2, ROLE_PCREL),
	RELOC(MOVW_UABS_G0, 4, ROLE_ABS),
	RELOC(MOVW_UABS_G0_NC, 4, ROLE_ABS),
	LOW(MOVW_UABS_G1, ROLE_ABS),
	LOW(MOVW_UABS_G1_NC, ROLE_ABS),
	LOW(MOVW_UABS_G2, ROLE_ABS),
	LOW(MOVW_UABS_G2_NC, ROLE_ABS),
	LOW(MOVW_UABS_G3, ROLE_ABS),
	RELOC(LD_PREL_LO19, 4, ROLE_PCREL),
	RELOC(ADR_PREL_LO21, 4, ROLE_PCREL),
	RELOC(ADR_PREL_PG_HI21, 4, ROLE_ABS),
	RELOC(ADR_PREL_PG_HI21_NC, 4, ROLE_ABS),
	LOW(ADD_ABS_LO12_NC, ROLE_ABS),
	LOW(LDST8_ABS_LO12_NC, ROLE_ABS),
	RELOC(TSTBR14, 4, ROLE_PCREL),
	RELOC(CONDBR19, 4, ROLE_PCREL),
	RELOC(JUMP26, 4, ROLE_PLT),
	RELOC(CALL26, 4, ROLE_PLT),
	LOW(LDST16_ABS_LO12_NC, ROLE_ABS),
	LOW(LDST32_ABS_LO12_NC, ROLE_ABS),
	LOW(LDST64_ABS_LO12_NC, ROLE_ABS),
	LOW(LDST128_ABS_LO12_NC, ROLE_ABS),
	RELOC(GOT_LD_PREL19, 4, ROLE_GOT),
	RELOC(ADR_GOT_PAGE, 4, ROLE_GOT),
	LOW(LD64_GOT_LO12_NC, ROLE_GOT),
	LOW(LD64_GOTPAGE_LO15, ROLE_GOT),
	{314, {.name = "R_AARCH64_PLT32", .size = 4, .role = ROLE_PLT}},
	TLS(TLSGD_ADR_PREL21),
	TLS(TLSGD_ADR_PAGE21),
	TLS(TLSGD_ADD_LO12_NC),
	TLS(TLSLD_ADR_PREL21),
	TLS(TLSLD_ADR_PAGE21),
	TLS(TLSLD_ADD_LO12_NC),
	TLS(TLSLD_ADD_DTPREL_HI12),
	TLS(TLSLD_ADD_DTPREL_LO12),
	TLS(TLSLD_ADD_DTPREL_LO12_NC),
	TLS(TLSIE_ADR_GOTTPREL_PAGE21),
	TLS(TLSIE_LD64_GOTTPREL_LO12_NC),
	TLS(TLSIE_LD_GOTTPREL_PREL19),
	TLS(TLSLE_MOVW_TPREL_G2),
	TLS(TLSLE_MOVW_TPREL_G1),
	TLS(TLSLE_MOVW_TPREL_G1_NC),
	TLS(TLSLE_MOVW_TPREL_G0),
	TLS(TLSLE_MOVW_TPREL_G0_NC),
	TLS(TLSLE_ADD_TPREL_HI12),
	TLS(TLSLE_ADD_TPREL_LO12),
	TLS(TLSLE_ADD_TPREL_LO12_NC),
	TLS(TLSLE_LDST8_TPREL_LO12),
	TLS(TLSLE_LDST8_TPREL_LO12_NC),
	TLS(TLSLE_LDST16_TPREL_LO12),
	TLS(TLSLE_LDST16_TPREL_LO12_NC),
	TLS(TLSLE_LDST32_TPREL_LO12),
	TLS(TLSLE_LDST32_TPREL_LO12_NC),
	TLS(TLSLE_LDST64_TPREL_LO12),
	TLS(TLSLE_LDST64_TPREL_LO12_NC),
	TLS(TLSDESC_ADR_PAGE21),
	TLS(TLSDESC_LD64_LO12),
	TLS(TLSDESC_ADD_LO12),
	RELOC(TLSDESC_CALL, 0, ROLE_TLS),
	TLS(TLSLE_LDST128_TPREL_LO12),
	TLS(TLSLE_LDST128_TPREL_LO12_NC),
	RELOC(COPY, 0, ROLE_UNKNOWN),
	RELOC(GLOB_DAT, 8, ROLE_UNKNOWN),
	RELOC(JUMP_SLOT, 8, ROLE_UNKNOWN),
	RELOC(RELATIVE, 8, ROLE_UNKNOWN),
};

static const struct reloc_info *a64_reloc_info(uint32_t type)
{
	static const struct reloc_info none = {.role = ROLE_UNKNOWN};
	size_t i;

	BISECT(i, 0, sizeof relocs / sizeof relocs[0], relocs[i].type < type);
	return i < sizeof relocs / sizeof relocs[0] && relocs[i].type == type ? &relocs[i].info
									      : &none;
}

static const char *const reg_name[REGSET_BITS] = {
	"x0",
	"x1",
	"x2",
	"x3",
	"x4",
	"x5",
	"x6",
	"x7",
	"x8",
	"x9",
	"x10",
	"x11",
	"x12",
	"x13",
	"x14",
	"x15",
	"x16",
	"x17",
	"x18",
	"x19",
	"x20",
	"x21",
	"x22",
	"x23",
	"x24",
	"x25",
	"x26",
	"x27",
	"x28",
	"x29",
	"x30",
	"sp",
	"v0",
	"v1",
	"v2",
	"v3",
	"v4",
	"v5",
	"v6",
	"v7",
	"v8",
	"v9",
	"v10",
	"v11",
	"v12",
	"v13",
	"v14",
	"v15",
	"v16",
	"v17",
	"v18",
	"v19",
	"v20",
	"v21",
	"v22",
	"v23",
	"v24",
	"v25",
	"v26",
	"v27",
	"v28",
	"v29",
	"v30",
	"v31",
	[A64_N] = "n",
	"z",
	"c",
	"v",
};

static const struct branch_forms branch_forms = {
	.at_field = true,
	.len = a64_branch_len,
	.field = a64_field,
	.reloc = a64_branch_reloc,
	.distance = a64_distance,
	.leads_to = a64_leads_to,
	.encode = a64_encode,
	.same_but_field = a64_same_but_field,
};

static const struct word_tables word_tables = {
	.read_words = a64_read_words,
	.read_own = a64_read_own,
	.own_len = 12,
};

/*
 * x16 and x17 are the linker's between a branch and its target.  A nested function is given its
 * frame in x18 by gcc, in x15 by clang.
 */
const struct target target_aarch64 = {
	.name = "aarch64",
	.machine = EM_AARCH64,
	.word = 8,
	.reg_name = reg_name,
	.stack_reg = A64_SP,
	.link_reg = A64_LR,
	.code_align = 4,
	.no_scratch = REG_BIT(A64_FP) | REG_BIT(A64_SP),
	.reserved = A64_REGS(A64_IP0, A64_X18) | REG_BIT(A64_LR),
	.reloc_info = a64_reloc_info,
	.decoder_new = a64_decoder_new,
	.decoder_free = forms_free,
	.run = a64_run,
	.relocate = a64_relocate,
	.decode = a64_decode,
	.describe = a64_describe,
	.glued = a64_glued,
	.leads_through = a64_leads_through,
	.frame_access = a64_frame_access,
	.actions = a64_actions,
	.zone = a64_zone,
	.nops = a64_nops,
	.micro = &a64_micro,
	.frame_setup = a64_frame_setup,
	.stack_use = a64_stack_use,
	.exclusive = a64_exclusive,
	.keep_whole = a64_keep_whole,
	.abi =
		{
			.arg = {0, 1, 2, 3},
			.result = 0,
			.stack_dwarf = 31, /* DWARF for the Arm 64-bit Architecture, 4.1 */
			.ret_live = CALLEE_SAVED | A64_REGS(0, 1) | A64_VECTORS(0, 3),
			.ret_more = A64_REGS(2, 7) | A64_VECTORS(4, 7),
			.entry_live = CALLEE_SAVED | A64_REGS(0, 8) | REG_BIT(15) |
				REG_BIT(A64_LR) | A64_VECTORS(0, 7),
			.chain = REG_BIT(15),
			.beside_args = REG_BIT(8) | REG_BIT(15) | REG_BIT(A64_LR),
			.call_clobbers = A64_REGS(0, A64_X18) | REG_BIT(A64_LR) | A64_FLAGS |
				A64_VECTORS(0, 7) | A64_VECTORS(16, 31),
			/* clang's preserve_all; no other convention keeps all of v24 to v31 */
			.kept_elsewhere = A64_REGS(9, 15) | A64_VECTORS(16, 31),
		},
	.mark =
		{
			.code = "$x",
			.data = "$d",
		},
	.made =
		{
			.address = R_AARCH64_ABS64,
			.distance4 = R_AARCH64_PREL32,
			.jump = R_AARCH64_JUMP26,
			.distance = R_AARCH64_PREL64,
		},
	.syscall =
		{
			.number = a64_syscall_number,
			.forks = a64_forks,
			.installs = a64_installs,
			.leaves = a64_leaves,
			.exits = a64_exits,
			.reg = A64_X8,
		},
	.form = &branch_forms,
	.words = &word_tables,
};
