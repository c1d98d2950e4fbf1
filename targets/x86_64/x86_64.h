/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86_64.h - what the files of the x86-64 target share
 *
 * An instruction is first split into its parts (its form) by the rules of the
 * Intel SDM, volume 2, chapter 2 and appendix A.  Everything else is a function
 * of the form: what it reads and writes, where its fields are.
 */
#ifndef LDX_TARGETS_X86_64_X86_64_H
#define LDX_TARGETS_X86_64_X86_64_H

#include "targets/target.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
enum { X86_CF = REG_FLAG, X86_PF, X86_AF, X86_ZF, X86_SF, X86_OF, X86_DF };

#define X86_STATUS                                                                                 \
	(REG_BIT(X86_CF) | REG_BIT(X86_PF) | REG_BIT(X86_AF) | REG_BIT(X86_ZF) | REG_BIT(X86_SF) | \
		REG_BIT(X86_OF))
#define X86_GPRS ((regset)0xffff)
/* of vector registers the low 16 bytes */
enum { XMM0 = REG_VECTOR, XMM8 = XMM0 + 8, XMM15 = XMM0 + 15 };
#define X86_SSE ((regset)0xffff << XMM0)
/* xmm8 to xmm15, which no psABI function passes anything in */
#define X86_SPARE ((regset)0xff << XMM8)
#define X86_VECTORS REGSET_VECTORS
enum { X86_MXCSR = 0x1f80 }; /* psABI, 3.4.1: when a program begins */
#define X86_ALL (X86_GPRS | X86_VECTORS | X86_STATUS | REG_BIT(X86_DF))

enum x86_enc { X86_LEGACY, X86_VEX, X86_EVEX, X86_XOP };
enum x86_map {
	X86_1B,
	X86_0F,
	X86_0F38,
	X86_0F3A,
	X86_M5 = 5,
	X86_M6,
	X86_XOP8 = 8,
	X86_XOP9,
	X86_XOPA,
};
enum x86_pp { X86_NP, X86_66, X86_F3, X86_F2 };

enum x86_prefix_bits {
	X86_P66 = 1,
	X86_P67 = 2,
	X86_PLOCK = 4,
	X86_PF2 = 8,
	X86_PF3 = 16,
	X86_P3E = 32,  /* notrack, or a branch hint, or %ds: */
	X86_PSEG = 64, /* %fs: or %gs: */
};

enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8, REX_ANY = 0x40 };

struct x86_form {
	uint8_t len;
	uint8_t head; /* bytes in front of the displacement and the immediate */
	uint8_t enc, map, op, pp;
	uint8_t prefixes; /* enum x86_prefix_bits */
	uint8_t rex;	  /* REX_*, whatever prefix it came from */
	uint8_t op_off;	  /* of the opcode byte */
	uint8_t vvvv;
	bool reg_high; /* EVEX: ModRM.reg is 16 to 31 */
	bool has_modrm, has_sib;
	uint8_t modrm, sib;
	uint8_t disp_off, disp_size;
	uint8_t imm_off, imm_size;
	/* Beside the head, effects depend on this: enum shift_variant, an interrupt's number. */
	uint8_t variant;
};
enum shift_variant { SHIFT_NONE = 1, SHIFT_PERHAPS }; /* a count of zero */

static inline unsigned form_mod(const struct x86_form *f)
{
	return f->modrm >> 6;
}
static inline unsigned form_ext(const struct x86_form *f)
{
	return f->modrm >> 3 & 7;
}
/* Register numbers with their REX bit; of general registers. */
static inline int form_reg(const struct x86_form *f)
{
	return (int)form_ext(f) | (f->rex & REX_R ? 8 : 0);
}
static inline int form_rm(const struct x86_form *f)
{
	return (f->modrm & 7) | (f->rex & REX_B ? 8 : 0);
}
static inline bool form_is_mem(const struct x86_form *f)
{
	return f->has_modrm && form_mod(f) != 3;
}
static inline bool form_is_rip(const struct x86_form *f)
{
	return f->has_modrm && (f->modrm & 0xc7) == 5;
}
/* Base and index register of the memory operand, -1: none. */
int form_base(const struct x86_form *f);
int form_index(const struct x86_form *f);
/* 2, 4 or 8, by the prefixes; some instructions ignore these. */
static inline unsigned form_opsize(const struct x86_form *f)
{
	return f->rex & REX_W ? 8 : f->prefixes & X86_P66 ? 2 : 4;
}

/*
 * Split the instruction at p into its parts.  False when it is longer than n or
 * 15 bytes, or no encoding this target knows the length of.  It says nothing
 * about whether the opcode exists.
 */
bool x86_parse(const uint8_t *p, size_t n, struct x86_form *f);

/*
 * Only f->head of the instruction at p, where 16 bytes are readable; quicker.  0:
 * ask x86_parse().
 */
unsigned x86_head(const uint8_t *p);

/*
 * What an instruction does, from its form alone.  in is filled but for off, rel and effects.
 * named: the general registers its operands name, implicit ones left out.
 */
void x86_effects(const struct x86_form *f, struct insn *in, struct effects *e, regset *named);

/* Make in vague: only its length, kind and pc-relative field are known. */
void x86_vague(struct insn *in, struct effects *e);

/* The memory operand of an instruction of general registers; size 0: it is not accessed.  False:
 * it has none such. */
bool x86_general_memory(const struct x86_form *f, unsigned *size, bool *reads, bool *writes);

struct decoder *x86_decoder_new(void);
void x86_decoder_free(struct decoder *d);
bool x86_decode(struct decoder *d, const uint8_t *p, size_t n, struct insn *in);
bool x86_run(struct machine *m, const uint8_t *p, const struct insn *in);
bool x86_relocate(uint8_t *p, uint32_t type, uint64_t to, uint64_t at);
/* x86_decode() without its memory: the reference for tests. */
bool x86_decode_uncached(struct decoder *d, const uint8_t *p, size_t n, struct insn *in);

bool x86_zone(const uint8_t *p, const struct insn *in, struct zone *a);
unsigned x86_actions(const uint8_t *p, const struct insn *in, struct action *out);
void x86_operand(struct code *c, unsigned reg, const struct address *o, unsigned spare);
const char *x86_operand_reloc(struct address *o);
void x86_low_bytes(struct code *c, unsigned reg, unsigned from, unsigned size);
bool x86_condition(struct code *c, unsigned reg, const struct condition *condition);
const char *x86_unfit(const uint8_t *p, const struct insn *in);
bool x86_fold_body(const struct tool_body *b, const struct call_arg *arg, unsigned nargs,
	const uint8_t *reg, int result, struct tool_body *out);
bool x86_shrink_body(const struct tool_body *b, regset kept, int *result, struct tool_body *out);
bool x86_body_uses(const struct tool_body *b, struct body_uses *to);
bool x86_rename_body(const struct tool_body *b, const uint8_t *to, struct tool_body *out);
void x86_describe(struct decoder *d, const uint8_t *p, const struct insn *in, struct operation *op);

bool x86_glued(const struct object *o, const struct section *s, const struct insn *first,
	const struct insn *second);
unsigned x86_branch_len(const struct insn *in, int64_t dist, unsigned now);
int64_t x86_distance(const struct insn *in, const uint8_t *p, unsigned len);
uint64_t x86_leads_through(struct decoder *d, const uint8_t *p, size_t n, uint64_t at);
bool x86_same_but_field(const struct insn *in, const uint8_t *p, const uint8_t *q);
bool x86_encode(const struct insn *in, const uint8_t *p, unsigned len, int64_t dist, uint8_t *out);
unsigned x86_field(const struct insn *in, unsigned len);

const struct reloc_info *x86_reloc_info(uint32_t type);
void x86_nops(uint8_t *out, size_t n);
extern const struct micro x86_micro;
bool x86_turn(const uint8_t *field, struct turn *turn);
uint32_t x86_frame_setup(const uint8_t *text, const struct insn *in, uint32_t n);
enum stack_use x86_stack_use(const uint8_t *p, const struct insn *in);
extern const int64_t x86_forks[], x86_installs[], x86_leaves[], x86_exits[];
bool x86_syscall_number(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
	int64_t *nr);
bool x86_sets_base(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n);
bool x86_maps_low(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
	bool named);
bool x86_code_sets_base(const uint8_t *p, size_t n);
bool x86_keep_whole(const char *name, const uint8_t *p, size_t n, const char **why);

#endif
