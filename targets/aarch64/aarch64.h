/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aarch64.h - what the files of the AArch64 target share
 *
 * Arm Architecture Reference Manual for A-profile (Arm ARM), C4.1 (encodings), C6 (instructions);
 * Procedure Call Standard for the Arm 64-bit Architecture (AAPCS64); ELF for the Arm 64-bit
 * Architecture (AAELF64).
 */
#ifndef LDX_TARGETS_AARCH64_AARCH64_H
#define LDX_TARGETS_AARCH64_AARCH64_H

#include "targets/target.h"

/* Registers by number; 31 is the stack pointer, never the zero register. */
enum { A64_X0, A64_X8 = 8, A64_IP0 = 16, A64_IP1, A64_X18, A64_FP = 29, A64_LR, A64_SP };
enum { A64_N = REG_FLAG, A64_Z, A64_C, A64_V };

#define A64_FLAGS (REG_BIT(A64_N) | REG_BIT(A64_Z) | REG_BIT(A64_C) | REG_BIT(A64_V))
/* xFIRST to xLAST */
#define A64_VECTORS(first, last) (A64_REGS(first, last) << REG_VECTOR)
#define A64_REGS(first, last) (((REG_BIT((last) - (first)) << 1) - 1) << (first))

enum { A64_NOP = 0xd503201f };

/* Bits from, from + 1... of word w, n of them; a number with a sign. */
static inline uint32_t a64_bits(uint32_t w, unsigned from, unsigned n)
{
	return w >> from & ((1u << n) - 1);
}
static inline int64_t a64_signed(uint32_t w, unsigned from, unsigned n)
{
	return (int64_t)((uint64_t)w << (64 - from - n)) >> (64 - n);
}

/*
 * What the instruction w does: all of in but off, rel and effects.  named: the general registers
 * its operands name, those left out that it always uses.  False: it is not known.
 */
bool a64_effects(uint32_t w, struct insn *in, struct effects *e, regset *named);

/*
 * Vector registers that the assembly text names are read and changed, if the table tells none, or
 * others.
 */
void a64_vectors(struct effects *e, regset seen);

/* Make in one that says nothing but its length, kind and pc-relative field. */
void a64_vague(struct insn *in, struct effects *e);

struct decoder *a64_decoder_new(void);
bool a64_decode(struct decoder *d, const uint8_t *p, size_t n, struct insn *in);
/* a64_decode() without its memory: the reference for tests. */
bool a64_decode_uncached(struct decoder *d, const uint8_t *p, size_t n, struct insn *in);
bool a64_run(struct machine *m, const uint8_t *p, const struct insn *in);
bool a64_relocate(uint8_t *p, uint32_t type, uint64_t to, uint64_t at);
void a64_describe(struct decoder *d, const uint8_t *p, const struct insn *in, struct operation *op);

bool a64_glued(const struct object *o, const struct section *s, const struct insn *first,
	const struct insn *second);
unsigned a64_branch_len(const struct insn *in, int64_t dist, unsigned now);
uint32_t a64_branch_reloc(const struct insn *in, unsigned len);
unsigned a64_field(const struct insn *in, unsigned len);
int64_t a64_distance(const struct insn *in, const uint8_t *p, unsigned len);
uint64_t a64_leads_to(const struct insn *in, const uint8_t *p, uint64_t at);
uint64_t a64_leads_through(struct decoder *d, const uint8_t *p, size_t n, uint64_t at);
bool a64_encode(const struct insn *in, const uint8_t *p, unsigned len, int64_t dist, uint8_t *out);
bool a64_same_but_field(const struct insn *in, const uint8_t *p, const uint8_t *q);
void a64_read_words(uint8_t *load, uint8_t *sum);
void a64_read_own(uint8_t *load, unsigned reg, uint32_t types[2]);
bool a64_zone(const uint8_t *p, const struct insn *in, struct zone *a);
unsigned a64_actions(const uint8_t *p, const struct insn *in, struct action *out);
void a64_operand(struct code *c, unsigned reg, const struct address *o, unsigned spare);
const char *a64_operand_reloc(struct address *o);
void a64_low_bytes(struct code *c, unsigned reg, unsigned from, unsigned size);
bool a64_condition(struct code *c, unsigned reg, const struct condition *condition);
bool a64_frame_access(const uint8_t *p, const struct insn *in, int64_t *at, unsigned *size,
	bool *store);
void a64_nops(uint8_t *out, size_t n);

extern const struct micro a64_micro;
uint32_t a64_frame_setup(const uint8_t *text, const struct insn *in, uint32_t n);
enum stack_use a64_stack_use(const uint8_t *p, const struct insn *in);
extern const int64_t a64_forks[], a64_exits[], a64_installs[], a64_leaves[];
bool a64_syscall_number(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
	int64_t *nr);
bool a64_keep_whole(const char *name, const uint8_t *p, size_t n, const char **why);
enum exclusive a64_exclusive(const uint8_t *p, unsigned len);

#endif
