/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op.c - instructions as the analysis of jumps and addresses sees them; see struct operation
 *
 * Only operations that compute code addresses, or move registers to and from memory.
 */
#include "targets/riscv64/riscv64.h"

static const struct operation other = {
	.op = OP_OTHER, .dst = -1, .src = -1, .base = -1, .index = -1, .scale = 1};

static void set_move(struct operation *op, unsigned from)
{
	op->op = OP_MOVE;
	op->src = (int)from;
	op->size = 8;
}

/* addi, slli, andi; addi of the zero register is li, addi of 0 is mv. */
static void describe_immediate(uint32_t w, bool named, struct operation *op)
{
	op->imm = rv_imm(w);
	op->dst = (int)rv_rd(w);
	op->size = 8;
	if (rv_f3(w) == 0 && !rv_rs1(w) && !named) {
		op->op = OP_IMM;
	} else if (rv_f3(w) == 0 && !op->imm && !named) {
		set_move(op, rv_rs1(w));
	} else if (rv_f3(w) == 0) {
		op->op = OP_LEA;
		op->base = rv_rs1(w) ? (int)rv_rs1(w) : -1;
		op->disp = op->imm;
	} else if (rv_f3(w) == 7 && rv_rs1(w) && op->imm >= 0) {
		op->op = OP_AND_IMM;
		op->src = (int)rv_rs1(w);
	} else if (rv_rd(w) == rv_rs1(w) && (rv_f3(w) == 7 || w >> 26 == 0)) {
		op->op = rv_f3(w) == 7 ? OP_AND_IMM : rv_f3(w) == 1 ? OP_SHIFT : OP_OTHER;
		op->imm &= rv_f3(w) == 7 ? -1 : 63;
	}
}

/* addiw of 0 is sext.w. */
static void describe_word(uint32_t w, struct operation *op)
{
	if (rv_f3(w) || rv_imm(w) || !rv_rs1(w))
		return;
	op->op = OP_SEXT;
	op->dst = (int)rv_rd(w);
	op->src = (int)rv_rs1(w);
	op->size = 4;
}

/* add and sub of two registers; one of the zero register is mv. */
static void describe_sum(uint32_t w, struct operation *op)
{
	unsigned a = rv_rs1(w), b = rv_rs2(w);
	uint32_t form = w & 0xfe00707f;

	op->dst = (int)rv_rd(w);
	op->size = 8;
	if (form == 0x00000033 && (!a || !b)) {
		set_move(op, a ? a : b);
	} else if (form == 0x00000033 || (form & 0xffff9fff) == 0x20000033) {
		op->op = OP_LEA; /* add, sh1add, sh2add, sh3add */
		op->base = (int)(form >> 25 ? b : a);
		op->index = (int)(form >> 25 ? a : b);
		op->scale = form >> 25 ? 1 << (rv_f3(w) / 2) : 1;
	} else if (form == 0x40000033 && a && b) {
		op->op = OP_SUB;
		op->index = (int)a;
		op->src = (int)b;
	}
}

static void describe_load(uint32_t w, struct operation *op)
{
	op->op = OP_LOAD;
	op->dst = (int)rv_rd(w);
	op->base = (int)rv_rs1(w);
	op->disp = rv_imm(w);
	op->size = (uint8_t)(1u << (rv_f3(w) & 3));
	op->sext = rv_f3(w) < 4;
}

static void describe_store(uint32_t w, struct operation *op)
{
	op->op = rv_rs2(w) ? OP_STORE : OP_STORE_IMM;
	op->src = (int)rv_rs2(w);
	op->base = (int)rv_rs1(w);
	op->disp = (rv_imm(w) & ~31) | (int32_t)rv_bits(w, 7, 5);
	op->size = (uint8_t)(1u << rv_f3(w));
}

static void describe_jump(const struct insn *in, uint32_t w, struct operation *op)
{
	if (rv_imm(w) || in->kind == INSN_RET)
		return;
	op->op = in->kind == INSN_JUMP_IND ? OP_JUMP_REG : OP_CALL_REG;
	op->src = (int)rv_rs1(w);
	op->size = 8;
}

/*
 * The low half of an address that a relocation names is an immediate of 0: neither mv nor li where
 * there are relocations.
 */
void rv_describe(struct decoder *d, const uint8_t *p, const struct insn *in, struct operation *op)
{
	uint32_t w = rv_word(p);

	(void)d;
	*op = other;
	if (in->flags & INSN_OPERAND_PC && in->len == 8) {
		op->op = OP_LEA;
		op->dst = (int)rv_rd(get_u32(p + 4));
		op->pc_rel = true;
		op->size = 8;
	}
	if (in->len == 8 || in->flags & INSN_VAGUE)
		return;
	switch (rv_op(w)) {
	case RV_AUIPC:
	case RV_LUI:
		op->op = OP_IMM;
		op->dst = (int)rv_rd(w);
		op->imm = (int32_t)(w & 0xfffff000);
		op->pc_rel = rv_op(w) == RV_AUIPC;
		op->size = 8;
		break;
	case RV_OP_IMM: describe_immediate(w, in->has_rel, op); break;
	case RV_OP_IMM_32: describe_word(w, op); break;
	case RV_OP: describe_sum(w, op); break;
	case RV_LOAD: describe_load(w, op); break;
	case RV_STORE: describe_store(w, op); break;
	case RV_JALR: describe_jump(in, w, op); break;
	default: break;
	}
	/* the zero register is none of those that are followed */
	if (op->op != OP_STORE && op->op != OP_STORE_IMM && op->op != OP_JUMP_REG &&
		op->op != OP_CALL_REG && op->dst <= 0)
		*op = other;
}

bool rv_zone(const uint8_t *p, const struct insn *in, struct zone *a)
{
	uint32_t w = rv_word(p);

	*a = (struct zone){.base = (int)rv_rs1(w),
		.index = -1,
		.size = (uint8_t)(1u << (rv_f3(w) & 3))};
	if (in->len == 8)
		return false;
	switch (rv_op(w)) {
	case RV_STORE:
	case RV_STORE_FP: a->at = (rv_imm(w) & ~31) | (int32_t)rv_bits(w, 7, 5); return true;
	case RV_LOAD:
	case RV_LOAD_FP: a->at = rv_imm(w); return true;
	case RV_AMO: return true;
	default: return false;
	}
}
