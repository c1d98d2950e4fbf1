/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mips.h - what the files of the MIPS target share
 *
 * MIPS32 Architecture for Programmers, volumes II-A (MD00086) and II-B; System V ABI, MIPS RISC
 * Processor Supplement, 3rd edition (o32); MIPS64 Architecture for Programmers (MD00087); 64-bit
 * ELF Object File Specification, draft version 2.5, and the N64 ABI of gcc and GNU ld.
 *
 * These files are compiled once for each target: MIPS_TARGET is its name, and what the names of its
 * functions begin with; MIPS_BIG: its most significant byte is the first one; MIPS_WORD: bytes of
 * an address and a register, 4 in o32 and 8 in n64.
 *
 * A branch and the instruction in its delay slot are one instruction of 8 bytes to all others.
 */
#ifndef LDX_TARGETS_MIPS_MIPS_H
#define LDX_TARGETS_MIPS_MIPS_H

#include "targets/target.h"

#define MIPS_JOIN(a, b) a##_##b
#define MIPS_NAME(a, b) MIPS_JOIN(a, b)
#define MIPS(name) MIPS_NAME(MIPS_TARGET, name)
#define mips_effects MIPS(effects)
#define mips_floats MIPS(floats)
#define mips_changes_odd MIPS(changes_odd)
#define mips_decoder_new MIPS(decoder_new)
#define mips_decode MIPS(decode)
#define mips_parts MIPS(parts)
#define mips_decode_word MIPS(decode_word)
#define mips_describe MIPS(describe)
#define mips_actions MIPS(actions)
#define mips_operand MIPS(operand)
#define mips_operand_reloc MIPS(operand_reloc)
#define mips_low_bytes MIPS(low_bytes)
#define mips_condition MIPS(condition)
#define mips_zone MIPS(zone)
#define mips_frame_access MIPS(frame_access)
#define mips_glued MIPS(glued)
#define mips_branch_len MIPS(branch_len)
#define mips_field MIPS(field)
#define mips_distance MIPS(distance)
#define mips_leads_to MIPS(leads_to)
#define mips_leads_through MIPS(leads_through)
#define mips_far_reloc MIPS(far_reloc)
#define mips_encode MIPS(encode)
#define mips_same_but_field MIPS(same_but_field)
#define mips_nops MIPS(nops)
#define mips_run MIPS(run)
#define mips_relocate MIPS(relocate)
#define mips_micro MIPS(micro)
#define mips_frame_setup MIPS(frame_setup)
#define mips_stack_use MIPS(stack_use)
#define mips_exits MIPS(exits)
#define mips_installs MIPS(installs)
#define mips_leaves MIPS(leaves)
#define mips_forks MIPS(forks)
#define mips_syscall_number MIPS(syscall_number)
#define mips_keep_whole MIPS(keep_whole)
#define mips_exclusive MIPS(exclusive)
#define mips_load_part MIPS(load_part)

/* Registers by number.  The zero register is in no set. */
enum {
	MIPS_ZERO,
	MIPS_AT,
	MIPS_V0,
	MIPS_A0 = 4,
	MIPS_A3 = 7,
	MIPS_LAST_ARG = MIPS_WORD == 8 ? 11 : 7,
	MIPS_S0 = 16,
	MIPS_T8 = 24,
	MIPS_T9,
	MIPS_K0,
	MIPS_GP = 28,
	MIPS_SP,
	MIPS_FP,
	MIPS_RA
};

enum { MIPS_R_PC32 = 248 };
enum { MIPS_GET_PC = 0x04110001 }; /* bal .+8 */

/* $first to $last, $fFIRST to $fLAST */
#define MIPS_FLOATS(first, last) (MIPS_REGS(first, last) << REG_VECTOR)
#define MIPS_REGS(first, last) (((REG_BIT((last) - (first)) << 1) - 1) << (first))
#define MIPS_ALL (MIPS_REGS(1, 31) | REGSET_VECTORS)

static inline uint32_t mips_word(const uint8_t *p)
{
	return (uint32_t)get_word(p, 4, MIPS_BIG);
}
static inline void mips_put(uint8_t *p, uint32_t w)
{
	put_word(p, 4, MIPS_BIG, w);
}
static inline void mips_code(struct code *c, uint32_t w)
{
	uint8_t bytes[4];
	mips_put(bytes, w);
	code_put(c, bytes, sizeof bytes);
}

/* Is the field the low 16 bits of an instruction, which loads and stores may have? */
static inline bool mips_is_low(uint32_t type)
{
	switch (type) {
	case R_MIPS_LO16:
	case R_MIPS_GPREL16:
	case R_MIPS_LITERAL:
	case R_MIPS_GOT16:
	case R_MIPS_CALL16:
	case R_MIPS_GOT_DISP:
	case R_MIPS_GOT_PAGE:
	case R_MIPS_GOT_OFST:
	case R_MIPS_GOT_LO16:
	case R_MIPS_CALL_LO16:
	case R_MIPS_TLS_GOTTPREL:
	case R_MIPS_TLS_DTPREL_LO16:
	case R_MIPS_TLS_TPREL_LO16: return true;
	default: return false;
	}
}
/* Bits from, from + 1... of word w, n of them. */
static inline uint32_t mips_bits(uint32_t w, unsigned from, unsigned n)
{
	return w >> from & ((1u << n) - 1);
}

/* A single instruction, without its delay slot. */
struct mips_op {
	enum insn_kind kind;
	uint8_t flags;	 /* enum insn_flags */
	bool bad;	 /* not an instruction, or one that is not understood */
	bool slot;	 /* it has a delay slot */
	bool likely;	 /* the slot is executed only if it branches */
	bool field;	 /* a direct branch */
	bool other_regs; /* its operands name registers that are not general ones */
	struct effects e;
	uint32_t effects; /* their number, if it is one of decode.c */
};
void mips_effects(uint32_t w, struct mips_op *op);
/* What it does to floating-point registers; named: those in its assembly text. */
void mips_floats(uint32_t w, regset named, struct effects *e);
/* Does it change a floating-point register of an odd number by its name? */
bool mips_changes_odd(uint32_t w);

struct decoder *mips_decoder_new(void);
bool mips_decode(struct decoder *d, const uint8_t *p, size_t n, struct insn *in);
/* A single instruction: mips_effects(), if a disassembler agrees.  False: it is none. */
bool mips_decode_word(struct decoder *d, uint32_t w, struct mips_op *op);
unsigned mips_parts(struct decoder *d, const uint8_t *p, const struct insn *in, struct insn *out);
bool mips_zone(const uint8_t *p, const struct insn *in, struct zone *a);
unsigned mips_actions(const uint8_t *p, const struct insn *in, struct action *out);
void mips_operand(struct code *c, unsigned reg, const struct address *o, unsigned spare);
const char *mips_operand_reloc(struct address *o);
void mips_low_bytes(struct code *c, unsigned reg, unsigned from, unsigned size);
bool mips_condition(struct code *c, unsigned reg, const struct condition *condition);
bool mips_frame_access(const uint8_t *p, const struct insn *in, int64_t *at, unsigned *size,
	bool *store);
void mips_describe(struct decoder *d, const uint8_t *p, const struct insn *in,
	struct operation *op);

bool mips_glued(const struct object *o, const struct section *s, const struct insn *first,
	const struct insn *second);
unsigned mips_branch_len(const struct insn *in, int64_t dist, unsigned now);
unsigned mips_field(const struct insn *in, unsigned len);
int64_t mips_distance(const struct insn *in, const uint8_t *p, unsigned len);
uint64_t mips_leads_to(const struct insn *in, const uint8_t *p, uint64_t at);
uint64_t mips_leads_through(struct decoder *d, const uint8_t *p, size_t n, uint64_t at);
uint32_t mips_far_reloc(const struct insn *in, unsigned len, int64_t dist, unsigned *field);
bool mips_encode(const struct insn *in, const uint8_t *p, unsigned len, int64_t dist, uint8_t *out);
bool mips_same_but_field(const struct insn *in, const uint8_t *p, const uint8_t *q);
void mips_nops(uint8_t *out, size_t n);

struct machine;
bool mips_run(struct machine *m, const uint8_t *p, const struct insn *in);
bool mips_relocate(uint8_t *p, uint32_t type, uint64_t to, uint64_t at);

extern const struct micro mips_micro;
uint32_t mips_frame_setup(const uint8_t *text, const struct insn *in, uint32_t n);
enum stack_use mips_stack_use(const uint8_t *p, const struct insn *in);
extern const int64_t mips_forks[], mips_exits[], mips_installs[], mips_leaves[];
bool mips_syscall_number(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
	int64_t *nr);
bool mips_keep_whole(const char *name, const uint8_t *p, size_t n, const char **why);
enum exclusive mips_exclusive(const uint8_t *p, unsigned len);
bool mips_load_part(const uint8_t *p, unsigned len, struct load_part *l);

#endif
