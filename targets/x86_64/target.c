/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - the x86-64 target: facts, relocations, and its table of functions
 *
 * System V ABI, AMD64 Architecture Processor Supplement (x86-64 psABI): 3.2
 * (calls), 4.4 (relocations).
 */
#include "targets/x86_64/x86_64.h"

#define BITS7(a, b, c, d, e, f, g)                                                                 \
	(REG_BIT(a) | REG_BIT(b) | REG_BIT(c) | REG_BIT(d) | REG_BIT(e) | REG_BIT(f) | REG_BIT(g))
#define CALLEE_SAVED BITS7(RBX, RSP, RBP, R12, R13, R14, R15)
#define XMM(first, last) (((REG_BIT((last) - (first)) << 1) - 1) << (XMM0 + (first)))
#define ARGUMENTS (BITS7(RDI, RSI, RDX, RCX, R8, R9, RAX) | REG_BIT(R10))

#define RELOC(t, bytes, r) [R_X86_64_##t] = {.name = "R_X86_64_" #t, .size = bytes, .role = r}
/*
 * hazard: relaxed GOT load.  The linker turns mov and call through the GOT (GOTPCRELX) into
 * lea and a direct call, by the opcode in front of the field: the bytes of such an
 * instruction stay, and its relocation keeps its type.
 */
static const struct reloc_info relocs[] = {
	RELOC(NONE, 0, ROLE_NONE),
	RELOC(64, 8, ROLE_ABS),
	RELOC(PC32, 4, ROLE_PCREL),
	RELOC(GOT32, 4, ROLE_GOT),
	RELOC(PLT32, 4, ROLE_PLT),
	RELOC(COPY, 0, ROLE_UNKNOWN),
	RELOC(GLOB_DAT, 8, ROLE_UNKNOWN),
	RELOC(JUMP_SLOT, 8, ROLE_UNKNOWN),
	RELOC(RELATIVE, 8, ROLE_UNKNOWN),
	RELOC(GOTPCREL, 4, ROLE_GOT),
	RELOC(32, 4, ROLE_ABS),
	RELOC(32S, 4, ROLE_ABS),
	RELOC(16, 2, ROLE_ABS),
	RELOC(PC16, 2, ROLE_PCREL),
	RELOC(8, 1, ROLE_ABS),
	RELOC(PC8, 1, ROLE_PCREL),
	RELOC(DTPMOD64, 8, ROLE_TLS),
	RELOC(DTPOFF64, 8, ROLE_TLS),
	RELOC(TPOFF64, 8, ROLE_TLS),
	RELOC(TLSGD, 4, ROLE_TLS),
	RELOC(TLSLD, 4, ROLE_TLS),
	RELOC(DTPOFF32, 4, ROLE_TLS),
	RELOC(GOTTPOFF, 4, ROLE_TLS),
	RELOC(TPOFF32, 4, ROLE_TLS),
	RELOC(PC64, 8, ROLE_PCREL),
	RELOC(GOTOFF64, 8, ROLE_GOTREL),
	RELOC(GOTPC32, 4, ROLE_BASE),
	RELOC(GOT64, 8, ROLE_GOT),
	RELOC(GOTPCREL64, 8, ROLE_GOT),
	RELOC(GOTPC64, 8, ROLE_BASE),
	RELOC(GOTPLT64, 8, ROLE_GOT),
	RELOC(PLTOFF64, 8, ROLE_GOTREL),
	RELOC(SIZE32, 4, ROLE_SIZE),
	RELOC(SIZE64, 8, ROLE_SIZE),
	RELOC(GOTPC32_TLSDESC, 4, ROLE_TLS),
	RELOC(TLSDESC_CALL, 0, ROLE_TLS),
	RELOC(TLSDESC, 16, ROLE_TLS),
	RELOC(IRELATIVE, 8, ROLE_UNKNOWN),
	RELOC(RELATIVE64, 8, ROLE_UNKNOWN),
	RELOC(GOTPCRELX, 4, ROLE_GOT),
	RELOC(REX_GOTPCRELX, 4, ROLE_GOT),
};

const struct reloc_info *x86_reloc_info(uint32_t type)
{
	static const struct reloc_info none = {.role = ROLE_UNKNOWN};

	return type < sizeof relocs / sizeof relocs[0] && relocs[type].name ? &relocs[type] : &none;
}

static const char *const reg_name[REGSET_BITS] = {
	"rax",
	"rcx",
	"rdx",
	"rbx",
	"rsp",
	"rbp",
	"rsi",
	"rdi",
	"r8",
	"r9",
	"r10",
	"r11",
	"r12",
	"r13",
	"r14",
	"r15",
	[XMM0] = "xmm0",
	"xmm1",
	"xmm2",
	"xmm3",
	"xmm4",
	"xmm5",
	"xmm6",
	"xmm7",
	"xmm8",
	"xmm9",
	"xmm10",
	"xmm11",
	"xmm12",
	"xmm13",
	"xmm14",
	"xmm15",
	"xmm16",
	"xmm17",
	"xmm18",
	"xmm19",
	"xmm20",
	"xmm21",
	"xmm22",
	"xmm23",
	"xmm24",
	"xmm25",
	"xmm26",
	"xmm27",
	"xmm28",
	"xmm29",
	"xmm30",
	"xmm31",
	[X86_CF] = "cf",
	"pf",
	"af",
	"zf",
	"sf",
	"of",
	"df",
};

static const struct branch_forms branch_forms = {
	.len = x86_branch_len,
	.field = x86_field,
	.distance = x86_distance,
	.encode = x86_encode,
	.same_but_field = x86_same_but_field,
};

static const struct thread_base thread_base = {
	.setter = "arch_prctl",
	.sets = x86_sets_base,
	.code_sets = x86_code_sets_base,
};

const struct target target_x86_64 = {
	.name = "x86_64",
	.machine = EM_X86_64,
	.word = 8,
	.reg_name = reg_name,
	.stack_reg = RSP,
	.code_align = 1,
	.no_scratch = REG_BIT(RSP) | REG_BIT(RBP),
	.reloc_info = x86_reloc_info,
	.decoder_new = x86_decoder_new,
	.decoder_free = x86_decoder_free,
	.run = x86_run,
	.relocate = x86_relocate,
	.decode = x86_decode,
	.describe = x86_describe,
	.actions = x86_actions,
	.zone = x86_zone,
	.glued = x86_glued,
	.leads_through = x86_leads_through,
	.nops = x86_nops,
	.micro = &x86_micro,
	.turn = x86_turn,
	.frame_setup = x86_frame_setup,
	.stack_use = x86_stack_use,
	.keep_whole = x86_keep_whole,
	.link_reg = -1,
	.abi =
		{
			.arg = {RDI, RSI, RDX, RCX},
			.result = RAX,
			.stack_dwarf = 7, /* psABI, figure 3.36 */
			.ret_live = CALLEE_SAVED | REG_BIT(RAX) | REG_BIT(RDX) | REG_BIT(X86_DF) |
				XMM(0, 1),
			.ret_more = XMM(2, 3),
			.entry_live = CALLEE_SAVED | ARGUMENTS | REG_BIT(X86_DF) | XMM(0, 7),
			.beside_args = REG_BIT(RAX) | REG_BIT(R10),
			.variadic = REG_BIT(RAX),
			.call_clobbers = (ARGUMENTS | REG_BIT(R11)) | X86_VECTORS | X86_STATUS,
			.kept_elsewhere = REG_BIT(RSI) | REG_BIT(RDI),
		},
	.made =
		{
			.address = R_X86_64_64,
			.distance4 = R_X86_64_PC32,
			.distance = R_X86_64_PC64,
		},
	.syscall =
		{
			.number = x86_syscall_number,
			.forks = x86_forks,
			.installs = x86_installs,
			.leaves = x86_leaves,
			.exits = x86_exits,
			.reg = RAX,
			.maps_low = x86_maps_low,
		},
	.form = &branch_forms,
	.thread_base = &thread_base,
};
