/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op.c - instructions as the analysis of jumps and addresses sees them; see struct operation
 *
 * In o32 words fill a register, as eight bytes do on CPUs of 64 bits: their size is said to be 8.
 */
#include "targets/mips/mips.h"

enum { WORD = 8 };
/* Instructions on whole registers, by their first and last 6 bits. */
enum {
	ADDU = MIPS_WORD == 8 ? 0x2d : 0x21,
	SUBU = MIPS_WORD == 8 ? 0x2f : 0x23,
	ADDIU = MIPS_WORD == 8 ? 25 : 9,
	LOAD = MIPS_WORD == 8 ? 55 : 35,
	STORE = MIPS_WORD == 8 ? 63 : 43,
	LWX = 0x7c00000a, /* DSP: with an index */
	LBUX = 0x7c00018a,
	LDX = 0x7c00020a,
	SLL = 0,
	DSLL = 0x38,
	ANDI = 12,
	LB = 32,
	LH = 33,
	LW = 35,
	LBU = 36,
	LHU = 37,
	LWU = 39,
	SB = 40,
	SH = 41,
	SW = 43,
	LWC1 = 49,
	LDC1 = 53,
	LD = 55,
	SWC1 = 57,
	SDC1 = 61,
	SD = 63,
};

struct fields {
	unsigned rs, rt, rd;
	int32_t imm;
};

/*
 * The sum of the GOT's distance and the function's own address, in $t9, is not one of a table and
 * an index.  In n64 it may be in another register than $gp.
 */
static void describe_sum(const struct fields *f, struct operation *op)
{
	bool zero = f->rs == MIPS_ZERO || f->rt == MIPS_ZERO;
	bool gp = f->rs == MIPS_GP || f->rt == MIPS_GP;

	if (f->rd == MIPS_GP && f->rt != MIPS_T9)
		return;
	op->dst = (int)f->rd;
	if (f->rd == f->rs && f->rt == MIPS_T9 && (gp || MIPS_WORD == 8)) {
		op->op = OP_ADD;
		op->src = MIPS_T9;
	} else if (zero || gp) {
		op->op = zero ? OP_MOVE : OP_ADD_GOT;
		op->src = (int)(f->rs == MIPS_ZERO || f->rs == MIPS_GP ? f->rt : f->rs);
		op->size = WORD;
	} else {
		op->op = OP_LEA;
		op->base = (int)f->rs;
		op->index = (int)f->rt;
	}
}

static void describe_immediate(const struct fields *f, struct operation *op)
{
	op->dst = (int)f->rt;
	if (f->rs == MIPS_ZERO) {
		op->op = OP_IMM;
		op->imm = f->imm;
	} else {
		op->op = OP_LEA;
		op->base = (int)f->rs;
		op->disp = f->imm;
	}
}

static void describe_memory(const struct fields *f, bool store, struct operation *op)
{
	op->op = !store ? OP_LOAD : f->rt == MIPS_ZERO ? OP_STORE_IMM : OP_STORE;
	op->dst = store ? -1 : (int)f->rt;
	op->src = op->op == OP_STORE ? (int)f->rt : -1;
	op->base = (int)f->rs;
	op->disp = f->imm;
	op->size = WORD;
}

void mips_describe(struct decoder *d, const uint8_t *p, const struct insn *in, struct operation *op)
{
	uint32_t w = mips_word(p);
	const struct fields f = {.rs = mips_bits(w, 21, 5),
		.rt = mips_bits(w, 16, 5),
		.rd = mips_bits(w, 11, 5),
		.imm = (int16_t)w};

	(void)d;
	*op = (struct operation){.op = OP_OTHER,
		.dst = -1,
		.src = -1,
		.base = -1,
		.index = -1,
		.scale = 1};
	if (in->kind == INSN_JUMP_IND || in->kind == INSN_CALL_IND) {
		op->op = in->kind == INSN_JUMP_IND ? OP_JUMP_REG : OP_CALL_REG;
		op->src = (int)f.rs;
		op->size = WORD;
	} else if (in->kind != INSN_OTHER || in->flags & INSN_VAGUE) {
		return;
	} else if ((w & 0xfc0007ff) == ADDU || /* or with $0 */
		(w & 0xfc1f07ff) == 0x00000025) {
		describe_sum(&f, op);
	} else if ((w & 0xfc0007ff) == SUBU && f.rs != MIPS_ZERO && f.rt != MIPS_ZERO) {
		op->op = OP_SUB;
		op->dst = (int)f.rd;
		op->index = (int)f.rs;
		op->src = (int)f.rt;
	} else if ((w & 0xfc0007fe) == 0x0000000a || (w & 0xfc0207ff) == 0x00000001) {
		op->op = OP_SELECT; /* movz, movn, movf, movt */
		op->dst = (int)f.rd;
		op->src = (int)f.rs;
	} else if (w >> 26 == ADDIU || (w & 0xffe00000) == 0x24000000) { /* or addiu of $0 */
		describe_immediate(&f, op);
	} else if (MIPS_WORD == 8 && w >> 26 == 15) { /* lui; in o32 see cfg/halves.h */
		op->op = OP_IMM;
		op->dst = (int)f.rt;
		op->imm = (int32_t)(w << 16);
	} else if (w >> 26 == ANDI && f.rs != MIPS_ZERO) {
		op->op = OP_AND_IMM;
		op->dst = (int)f.rt;
		op->src = (int)f.rs;
		op->max = (uint64_t)(op->imm = (uint16_t)w);
	} else if (w >> 26 == LBU || w >> 26 == LHU) {
		op->max = w >> 26 == LBU ? UINT8_MAX : UINT16_MAX;
	} else if ((w & 0xfc0007ff) == LBUX) {
		op->max = UINT8_MAX;
	} else if (((w & 0xffe0003f) == SLL || (w & 0xffe0003f) == DSLL) && f.rd == f.rt) {
		op->op = OP_SHIFT;
		op->dst = (int)f.rd;
		op->imm = mips_bits(w, 6, 5);
	} else if ((w & 0xfc0007ff) == LWX || (w & 0xfc0007ff) == LDX) {
		describe_memory(&f, false, op);
		op->dst = (int)f.rd;
		op->index = (int)f.rt;
		op->disp = 0;
		op->sext = MIPS_WORD == 8 && (w & 0xfc0007ff) == LWX;
		op->size = op->sext ? 4 : WORD;
	} else if (w >> 26 == LOAD || w >> 26 == STORE) {
		describe_memory(&f, w >> 26 == STORE, op);
	} else if (w >> 26 == LW) {
		describe_memory(&f, false, op);
		op->size = 4;
		op->sext = true;
	} else if (w >> 26 == SB || w >> 26 == SH || w >> 26 == SW) {
		describe_memory(&f, true, op);
		op->size = (uint8_t)(1 << (w >> 26 == SW ? 2 : w >> 26 == SH));
	}
	if (op->dst == MIPS_ZERO)
		*op = (struct operation){.op = OP_OTHER,
			.dst = -1,
			.src = -1,
			.base = -1,
			.index = -1,
			.scale = 1};
}

/* The bytes that load or store w accesses, aligned; 0: it is none. */
static unsigned accessed(uint32_t w)
{
	static const uint8_t size[] = {[LW] = 4,
		[SB] = 1,
		[SH] = 2,
		[SW] = 4,
		[LB] = 1,
		[LBU] = 1,
		[LH] = 2,
		[LHU] = 2,
		[LWU] = 4,
		[LWC1] = 4,
		[SWC1] = 4,
		[LDC1] = 8,
		[SDC1] = 8,
		[LD] = 8,
		[SD] = 8};

	return w >> 26 < sizeof size ? size[w >> 26] : 0;
}

bool mips_frame_access(const uint8_t *p, const struct insn *in, int64_t *at, unsigned *size,
	bool *store)
{
	uint32_t w = mips_word(p);
	bool copies = (w & 0xfc1f07ff) == 0x00000025;
	bool makes = copies || (w >> 26 == ADDIU && mips_bits(w, 16, 5) != MIPS_SP);

	(void)in;
	*size = accessed(w);
	*at = copies ? 0 : (int16_t)w;
	*store = w >> 26 == SB || w >> 26 == SH || w >> 26 == SW || w >> 26 == SWC1 ||
		w >> 26 == SDC1 || w >> 26 == SD;
	return mips_bits(w, 21, 5) == MIPS_SP && (*size || makes);
}

/*
 * Loads and stores: opcodes from 32 on, and of parts of eight bytes; of COP1X, and of DSP, with an
 * index.
 */
bool mips_zone(const uint8_t *p, const struct insn *in, struct zone *a)
{
	enum { LDL = 26, LDR, COP1X = 19 };
	uint32_t w = mips_word(p), op = w >> 26;
	bool index = (op == COP1X && !(w & 0x30)) || (w & 0xfc00003f) == LWX;

	*a = (struct zone){.base = (int)mips_bits(w, 21, 5),
		.index = index ? (int)mips_bits(w, 16, 5) : -1,
		.at = index ? 0 : (int16_t)w,
		.size = 8};
	return in->len == 4 && (op >= 32 || op == LDL || op == LDR || index);
}
