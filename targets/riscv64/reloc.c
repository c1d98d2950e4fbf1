/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reloc.c - the relocation types of RISC-V (psABI, "Relocations")
 */
#include "targets/riscv64/riscv64.h"

#include <elf.h>

/* In the psABI since 2019 or later; elf.h may not have them. */
enum {
	RV_PLT32 = 59,
	RV_SET_ULEB128 = 60,
	RV_SUB_ULEB128 = 61,
	RV_TLSDESC_HI20 = 62,
	RV_TLSDESC_LOAD_LO12 = 63,
	RV_TLSDESC_ADD_LO12 = 64,
	RV_TLSDESC_CALL = 65,
	RV_GOT32_PCREL = R_RISCV_GNU_VTINHERIT, /* its number now */
};

#define ROW(number, t, ...) [number] = {.name = "R_RISCV_" #t, __VA_ARGS__}
#define RELOC(t, bytes, r) ROW(R_RISCV_##t, t, .size = bytes, .role = r)
#define LOW(t, r) ROW(R_RISCV_##t, t, .size = 4, .role = r, .low = true)
#define TLS(t) RELOC(t, 4, ROLE_TLS)
#define TERM(number, t, bytes, r, what, width)                                                     \
	ROW(number, t, .size = bytes, .role = r, .composed = true, .term = what, .bits = width)
#define ADD(bits) TERM(R_RISCV_ADD##bits, ADD##bits, bits / 8, ROLE_ABS, TERM_ADD, bits)
#define SET(bits) TERM(R_RISCV_SET##bits, SET##bits, (bits + 7) / 8, ROLE_ABS, TERM_SET, bits)
#define SUB(bits) TERM(R_RISCV_SUB##bits, SUB##bits, (bits + 7) / 8, ROLE_SUB, TERM_SUB, bits)

/*
 * What a high half names is an address whose low bits another relocation adds.  PCREL_LO12_* name
 * the instruction with the high half, wherever that is; so do those of TLS descriptors.
 */
static const struct reloc_info relocs[] = {
	RELOC(NONE, 0, ROLE_NONE),
	RELOC(32, 4, ROLE_ABS),
	RELOC(64, 8, ROLE_ABS),
	RELOC(RELATIVE, 8, ROLE_UNKNOWN),
	RELOC(COPY, 0, ROLE_UNKNOWN),
	RELOC(JUMP_SLOT, 8, ROLE_UNKNOWN),
	RELOC(TLS_DTPMOD32, 4, ROLE_UNKNOWN),
	RELOC(TLS_DTPMOD64, 8, ROLE_UNKNOWN),
	RELOC(TLS_DTPREL32, 4, ROLE_TLS), /* in debug information */
	RELOC(TLS_DTPREL64, 8, ROLE_TLS),
	RELOC(TLS_TPREL32, 4, ROLE_UNKNOWN),
	RELOC(TLS_TPREL64, 8, ROLE_UNKNOWN),
	RELOC(BRANCH, 4, ROLE_PCREL),
	RELOC(JAL, 4, ROLE_PCREL),
	RELOC(CALL, 8, ROLE_PLT),
	RELOC(CALL_PLT, 8, ROLE_PLT),
	RELOC(GOT_HI20, 4, ROLE_GOT),
	TLS(TLS_GOT_HI20),
	TLS(TLS_GD_HI20),
	RELOC(PCREL_HI20, 4, ROLE_ABS),
	LOW(PCREL_LO12_I, ROLE_PART),
	LOW(PCREL_LO12_S, ROLE_PART),
	RELOC(HI20, 4, ROLE_ABS),
	LOW(LO12_I, ROLE_ABS),
	LOW(LO12_S, ROLE_ABS),
	TLS(TPREL_HI20),
	TLS(TPREL_LO12_I),
	TLS(TPREL_LO12_S),
	RELOC(TPREL_ADD, 0, ROLE_TLS),
	ADD(8),
	ADD(16),
	ADD(32),
	ADD(64),
	SUB(8),
	SUB(16),
	SUB(32),
	SUB(64),
	ROW(RV_GOT32_PCREL, GOT32_PCREL, .size = 4, .role = ROLE_GOT),
	ROW(R_RISCV_ALIGN, ALIGN, .role = ROLE_NONE, .relax = true, .aligns = true),
	RELOC(RVC_BRANCH, 2, ROLE_PCREL),
	RELOC(RVC_JUMP, 2, ROLE_PCREL),
	RELOC(RVC_LUI, 2, ROLE_ABS),
	ROW(R_RISCV_RELAX, RELAX, .role = ROLE_NONE, .relax = true),
	SUB(6),
	SET(6),
	SET(8),
	SET(16),
	SET(32),
	RELOC(32_PCREL, 4, ROLE_PCREL),
	RELOC(IRELATIVE, 8, ROLE_UNKNOWN),
	ROW(RV_PLT32, PLT32, .size = 4, .role = ROLE_PLT),
	TERM(RV_SET_ULEB128, SET_ULEB128, 1, ROLE_ABS, TERM_SET, 0),
	TERM(RV_SUB_ULEB128, SUB_ULEB128, 1, ROLE_SUB, TERM_SUB, 0),
	ROW(RV_TLSDESC_HI20, TLSDESC_HI20, .size = 4, .role = ROLE_TLS),
	ROW(RV_TLSDESC_LOAD_LO12, TLSDESC_LOAD_LO12, .size = 4, .role = ROLE_PART),
	ROW(RV_TLSDESC_ADD_LO12, TLSDESC_ADD_LO12, .size = 4, .role = ROLE_PART),
	ROW(RV_TLSDESC_CALL, TLSDESC_CALL, .role = ROLE_PART),
};

const struct reloc_info *rv_reloc_info(uint32_t type)
{
	static const struct reloc_info none = {.role = ROLE_UNKNOWN};
	return type < sizeof relocs / sizeof *relocs && relocs[type].name ? &relocs[type] : &none;
}
