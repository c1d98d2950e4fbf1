/* SPDX-License-Identifier: Apache-2.0 */
/*
 * riscv64.h - what the files of the RISC-V target share
 *
 * The RISC-V Instruction Set Manual, volume I (unprivileged), "RV32/64G Instruction Set Listings"
 * and "C" extension; RISC-V ABIs Specification (psABI): RV64GC, lp64d.
 *
 * auipc and the jalr behind it that jumps by the same register are one instruction of 8 bytes to
 * all others, as they are one to the psABI: R_RISCV_CALL_PLT.
 */
#ifndef LDX_TARGETS_RISCV64_RISCV64_H
#define LDX_TARGETS_RISCV64_RISCV64_H

#include "targets/target.h"

/* Registers by number.  The zero register is in no set. */
enum {
	RV_ZERO,
	RV_RA,
	RV_SP,
	RV_GP,
	RV_TP,
	RV_T0,
	RV_T1,
	RV_T2,
	RV_S0,
	RV_S1,
	RV_A0,
	RV_A7 = 17,
	RV_S2,
	RV_S11 = 27,
	RV_T3,
	RV_T6 = 31
};

/* xFIRST to xLAST */
#define RV_REGS(first, last) (((REG_BIT((last) - (first)) << 1) - 1) << (first))
#define RV_ALL RV_REGS(RV_RA, RV_T6)
/* f0 to f31 by number */
#define RV_FLOATS(first, last) (RV_REGS(first, last) << REG_VECTOR)

/* The opcode of an instruction: bits 6:0. */
enum {
	RV_LOAD = 0x03,
	RV_LOAD_FP = 0x07,
	RV_FENCE = 0x0f,
	RV_OP_IMM = 0x13,
	RV_AUIPC = 0x17,
	RV_OP_IMM_32 = 0x1b,
	RV_STORE = 0x23,
	RV_STORE_FP = 0x27,
	RV_AMO = 0x2f,
	RV_OP = 0x33,
	RV_LUI = 0x37,
	RV_OP_32 = 0x3b,
	RV_BRANCH = 0x63,
	RV_JALR = 0x67,
	RV_JAL = 0x6f,
	RV_SYSTEM = 0x73,
};
enum { RV_NOP = 0x13, RV_UNIMP = 0xc0001073, RV_C_NOP = 1 };

/* Bits from, from + 1... of word w, n of them. */
static inline uint32_t rv_bits(uint32_t w, unsigned from, unsigned n)
{
	return w >> from & ((1u << n) - 1);
}
static inline unsigned rv_op(uint32_t w)
{
	return rv_bits(w, 0, 7);
}
static inline unsigned rv_rd(uint32_t w)
{
	return rv_bits(w, 7, 5);
}
static inline unsigned rv_rs1(uint32_t w)
{
	return rv_bits(w, 15, 5);
}
static inline unsigned rv_rs2(uint32_t w)
{
	return rv_bits(w, 20, 5);
}
static inline unsigned rv_f3(uint32_t w)
{
	return rv_bits(w, 12, 3);
}
/* The immediate operand of loads, of computations and of jalr. */
static inline int32_t rv_imm(uint32_t w)
{
	return (int32_t)w >> 20;
}
static inline bool rv_is_compressed(const uint8_t *p)
{
	return (*p & 3) != 3;
}

/* Distances in instructions, and how they are encoded. */
enum rv_form { RV_FORM_B, RV_FORM_J, RV_FORM_CB, RV_FORM_CJ };
int64_t rv_distance_in(uint32_t w, enum rv_form form);
uint32_t rv_with_distance(uint32_t w, enum rv_form form, int64_t dist);
uint32_t rv_distance_mask(enum rv_form form);
bool rv_reaches(enum rv_form form, int64_t dist);

/* The instruction of 32 bits that a compressed one stands for; 0: it is none. */
uint32_t rv_expand(uint32_t c);
/* The instruction at p, which may be compressed, in 32 bits; of a call its first half. */
uint32_t rv_word(const uint8_t *p);

/*
 * What the instruction w of 32 bits does: all of in but off, ref, len and effects.  False: it is
 * none, or a branch that is not understood.
 */
bool rv_effects(uint32_t w, struct insn *in, struct effects *e);
void rv_vague(struct insn *in, struct effects *e);

struct decoder *rv_decoder_new(void);
bool rv_decode(struct decoder *d, const uint8_t *p, size_t n, struct insn *in);
bool rv_join(const uint8_t *p, size_t n, struct insn *in);
/* rv_decode() without its memory: the reference for tests. */
bool rv_decode_uncached(struct decoder *d, const uint8_t *p, size_t n, struct insn *in);
bool rv_run(struct machine *m, const uint8_t *p, const struct insn *in);
bool rv_relocate(uint8_t *p, uint32_t type, uint64_t to, uint64_t at);
bool rv_zone(const uint8_t *p, const struct insn *in, struct zone *a);
unsigned rv_actions(const uint8_t *p, const struct insn *in, struct action *out);
void rv_operand(struct code *c, unsigned reg, const struct address *o, unsigned spare);
const char *rv_operand_reloc(struct address *o);
void rv_low_bytes(struct code *c, unsigned reg, unsigned from, unsigned size);
bool rv_condition(struct code *c, unsigned reg, const struct condition *condition);
void rv_describe(struct decoder *d, const uint8_t *p, const struct insn *in, struct operation *op);

bool rv_glued(const struct object *o, const struct section *s, const struct insn *first,
	const struct insn *second);
unsigned rv_branch_len(const struct insn *in, int64_t dist, unsigned now);
unsigned rv_far_len(const struct insn *in, regset *changes);
uint32_t rv_branch_reloc(const struct insn *in, unsigned len);
unsigned rv_field(const struct insn *in, unsigned len);
int64_t rv_distance(const struct insn *in, const uint8_t *p, unsigned len);
bool rv_encode(const struct insn *in, const uint8_t *p, unsigned len, int64_t dist, uint8_t *out);
bool rv_same_but_field(const struct insn *in, const uint8_t *p, const uint8_t *q);
void rv_nops(uint8_t *out, size_t n);

const struct reloc_info *rv_reloc_info(uint32_t type);
extern const struct micro rv_micro;
uint32_t rv_frame_setup(const uint8_t *text, const struct insn *in, uint32_t n);
enum stack_use rv_stack_use(const uint8_t *p, const struct insn *in);
extern const int64_t rv_forks[], rv_exits[], rv_installs[], rv_leaves[];
bool rv_syscall_number(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
	int64_t *nr);
bool rv_keep_whole(const char *name, const uint8_t *p, size_t n, const char **why);
enum exclusive rv_exclusive(const uint8_t *p, unsigned len);

#endif
