/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op.c - instructions as operations on registers
 *
 * Only operations that compute code addresses, as in the jump tables of gcc and clang.  A 32-bit
 * result is zero-extended, so OP_ADD and the like describe 64-bit instructions only, unless
 * the low half determines the result (OP_IMM, OP_AND_IMM, OP_MOVE, OP_LOAD).
 */
#include "targets/x86_64/x86_64.h"

static int64_t read_signed(const uint8_t *p, unsigned size)
{
	switch (size) {
	case 1: return (int8_t)p[0];
	case 2: return (int16_t)(p[0] | p[1] << 8);
	case 4: return (int32_t)get_u32(p);
	case 8: return (int64_t)get_u64(p);
	default: return 0;
	}
}

static void memory(const struct x86_form *f, const uint8_t *p, struct operation *op)
{
	op->base = form_base(f);
	op->index = form_index(f);
	op->scale = f->has_sib ? 1 << (f->sib >> 6) : 1;
	op->pc_rel = form_is_rip(f);
	op->disp_size = f->disp_size;
	op->disp_off = f->disp_size ? f->disp_off : 0;
	op->disp = read_signed(p + f->disp_off, f->disp_size);
}

/* %fs: and %gs: add an unknown base, 32-bit addresses wrap around. */
static bool plain_memory(const struct x86_form *f)
{
	return form_is_mem(f) && !(f->prefixes & (X86_PSEG | X86_P67));
}

static void immediate(const struct x86_form *f, const uint8_t *p, struct operation *op)
{
	op->imm = read_signed(p + f->imm_off, f->imm_size);
	op->imm_size = f->imm_size;
	op->imm_off = f->imm_off;
}

static void load(const struct x86_form *f, const uint8_t *p, struct operation *op, unsigned size,
	bool sext)
{
	if (!plain_memory(f))
		return;
	memory(f, p, op);
	op->op = OP_LOAD;
	op->dst = form_reg(f);
	op->size = (uint8_t)size;
	op->sext = sext;
}

static void move(struct operation *op, enum op what, int dst, int src, unsigned size)
{
	op->op = what;
	op->dst = dst;
	op->src = src;
	op->size = (uint8_t)size;
}

/* 01 03 29 2b: add and sub of whole registers. */
static void describe_add(const struct x86_form *f, const uint8_t *p, struct operation *op)
{
	bool to_reg = f->op & 2, add = f->op < 0x28;

	if (form_opsize(f) != 8)
		return;
	if (form_is_mem(f)) {
		if (!add || !to_reg)
			return;
		load(f, p, op, 8, false);
		if (op->op == OP_LOAD)
			op->op = OP_ADD_LOAD;
		return;
	}
	move(op, add ? OP_ADD : OP_SUB, to_reg ? form_reg(f) : form_rm(f),
		to_reg ? form_rm(f) : form_reg(f), 8);
}

/* 09 0b 19 1b 21 23: or and and of whole registers, sbb of one with itself. */
static void describe_mask(const struct x86_form *f, struct operation *op)
{
	int to = f->op & 2 ? form_reg(f) : form_rm(f), from = f->op & 2 ? form_rm(f) : form_reg(f);

	if (form_is_mem(f) || form_opsize(f) != 8)
		return;
	if (f->op >= 0x21)
		move(op, OP_AND, to, from, 8);
	else if (f->op < 0x19)
		move(op, OP_OR, to, from, 8);
	else if (to == from)
		move(op, OP_MASK, to, -1, 8);
}

/* 84 85, a8 a9, and /0 of f6 f7: test of registers, or with a number. */
static void describe_test(const struct x86_form *f, const uint8_t *p, struct operation *op)
{
	unsigned size = f->op & 1 ? form_opsize(f) : 1;
	bool two = f->op < 0xa8, acc = f->op < 0xf6 && !two;
	int dst = acc ? RAX : form_rm(f), src = two ? form_reg(f) : -1;

	if ((!acc && form_is_mem(f)) || (!two && !acc && form_ext(f) != 0) ||
		(size == 1 && !f->rex && (dst >= 4 || src >= 4)))
		return;
	if (!two)
		immediate(f, p, op);
	move(op, OP_TEST, dst, src, size);
}

/* An address computation. */
static void add_constant(const struct x86_form *f, const uint8_t *p, struct operation *op, int reg,
	bool negative)
{
	immediate(f, p, op);
	op->op = OP_LEA;
	op->dst = op->base = reg;
	op->size = 8;
	op->disp = negative ? -op->imm : op->imm;
	op->disp_off = negative ? 0 : f->imm_off;
	op->disp_size = negative ? 0 : f->imm_size;
	op->imm = op->imm_off = op->imm_size = 0;
}

/* A comparison of the low 8 or 16 bits is described as one of the register. */
static void describe_group1(const struct x86_form *f, const uint8_t *p, struct operation *op)
{
	unsigned size = f->op == 0x80 ? 1 : form_opsize(f);

	if (form_is_mem(f) || (size == 1 && !f->rex && form_rm(f) >= 4))
		return;
	op->size = (uint8_t)size;
	if (form_ext(f) == 7) {
		immediate(f, p, op);
		op->dst = form_rm(f);
		op->op = OP_CMP_IMM;
	} else if (form_ext(f) == 4 && size >= 4) {
		immediate(f, p, op);
		op->dst = form_rm(f);
		op->op = OP_AND_IMM;
	} else if (size == 8 && (form_ext(f) == 0 || form_ext(f) == 5)) {
		add_constant(f, p, op, form_rm(f), form_ext(f) == 5);
	}
}

static void describe_mov(const struct x86_form *f, const uint8_t *p, struct operation *op)
{
	unsigned size = form_opsize(f);

	if (size < 4)
		return;
	if (f->op == 0x8b && form_is_mem(f)) {
		load(f, p, op, size, false);
	} else if (!form_is_mem(f)) {
		bool to_reg = f->op == 0x8b;

		move(op, OP_MOVE, to_reg ? form_reg(f) : form_rm(f),
			to_reg ? form_rm(f) : form_reg(f), size);
	} else if (plain_memory(f)) {
		memory(f, p, op);
		op->op = OP_STORE;
		op->src = form_reg(f);
		op->size = (uint8_t)size;
	}
}

static void describe_ff(const struct x86_form *f, const uint8_t *p, struct operation *op)
{
	unsigned ext = form_ext(f);

	if (ext < 2 && !form_is_mem(f) && form_opsize(f) == 8) {
		/* inc and dec */
		op->op = OP_LEA;
		op->dst = op->base = form_rm(f);
		op->disp = ext ? -1 : 1;
		return;
	}
	if (ext != 2 && ext != 4 && ext != 6)
		return;
	if (!form_is_mem(f)) {
		op->op = ext == 2 ? OP_CALL_REG : ext == 4 ? OP_JUMP_REG : OP_PUSH;
		op->src = form_rm(f);
		op->size = 8;
	} else if (plain_memory(f) && ext != 6) {
		memory(f, p, op);
		op->op = ext == 2 ? OP_CALL_MEM : OP_JUMP_MEM;
		op->size = 8;
	}
}

static void describe_1b(const struct x86_form *f, const uint8_t *p, struct operation *op)
{
	unsigned size = form_opsize(f);
	int low = (f->op & 7) | (f->rex & REX_B ? 8 : 0);

	switch (f->op) {
	case 0x01:
	case 0x03:
	case 0x29:
	case 0x2b: describe_add(f, p, op); break;
	case 0x09:
	case 0x0b:
	case 0x19:
	case 0x1b:
	case 0x21:
	case 0x23: describe_mask(f, op); break;
	case 0x05:
	case 0x2d: /* add and sub of a constant to %rax */
		if (size == 8)
			add_constant(f, p, op, RAX, f->op == 0x2d);
		break;
	case 0x31:
	case 0x33: /* xor of a register with itself */
		if (form_is_mem(f) || size < 4 || form_reg(f) != form_rm(f))
			break;
		op->op = OP_IMM;
		op->dst = form_rm(f);
		op->size = 8;
		break;
	case 0x63: /* movslq */
		if (size != 8)
			break;
		if (form_is_mem(f))
			load(f, p, op, 4, true);
		else
			move(op, OP_SEXT, form_reg(f), form_rm(f), 4);
		break;
	case 0x74:
	case 0x75: /* je, jne */
		op->op = OP_BRANCH_ZERO;
		op->imm = f->op == 0x74;
		break;
	case 0x80:
	case 0x81:
	case 0x83: describe_group1(f, p, op); break;
	case 0x84:
	case 0x85:
	case 0xa8:
	case 0xa9:
	case 0xf6:
	case 0xf7: describe_test(f, p, op); break;
	case 0x89:
	case 0x8b: describe_mov(f, p, op); break;
	case 0x8d:
		if (size != 8 || f->prefixes & X86_P67)
			break;
		memory(f, p, op);
		op->op = OP_LEA;
		op->dst = form_reg(f);
		break;
	case 0x98: /* cltq */
		if (size == 8)
			move(op, OP_SEXT, RAX, RAX, 4);
		break;
	case 0xc1: /* shl */
		if (form_is_mem(f) || form_ext(f) != 4 || size < 4)
			break;
		immediate(f, p, op);
		op->op = OP_SHIFT;
		op->dst = form_rm(f);
		op->size = (uint8_t)size;
		break;
	case 0xc7:
		if (form_ext(f) != 0 || size < 4 || (form_is_mem(f) && !plain_memory(f)))
			break;
		immediate(f, p, op);
		if (form_is_mem(f))
			memory(f, p, op);
		else
			op->dst = form_rm(f);
		op->op = form_is_mem(f) ? OP_STORE_IMM : OP_IMM;
		op->size = (uint8_t)size;
		break;
	case 0xff: describe_ff(f, p, op); break;
	default:
		if (f->op >= 0x50 && f->op <= 0x57 && size != 2) {
			op->op = OP_PUSH;
			op->src = low;
			op->size = 8;
		} else if (f->op >= 0x58 && f->op <= 0x5f && size != 2) {
			op->op = OP_POP;
			op->dst = low;
			op->size = 8;
		} else if (f->op >= 0xb8 && f->op <= 0xbf && size >= 4) {
			immediate(f, p, op);
			op->op = OP_IMM;
			op->dst = low;
			op->size = (uint8_t)size;
			/* a 32-bit immediate is zero-extended here */
			if (size == 4)
				op->imm = (uint32_t)op->imm;
		}
	}
}

/* movups, movaps, movdqu, movdqa and movq, to memory. */
static void describe_vector(const struct x86_form *f, const uint8_t *p, struct operation *op)
{
	bool whole = f->op == 0x29 || (f->op == 0x11 && !(f->prefixes & (X86_PF2 | X86_PF3))) ||
		(f->op == 0x7f && f->prefixes & (X86_P66 | X86_PF3));
	if ((!whole && (f->op != 0xd6 || !(f->prefixes & X86_P66))) || !plain_memory(f))
		return;
	memory(f, p, op);
	op->op = OP_STORE_VECTOR;
	op->size = whole ? 16 : 8;
}

/* movzx and movsx. */
static void describe_extend(const struct x86_form *f, const uint8_t *p, struct operation *op)
{
	unsigned size = f->op & 1 ? 2 : 1;
	bool sext = f->op & 8;

	/* A sign extension to 32 bits does not extend to the whole register. */
	if (form_opsize(f) < 4 || (sext && form_opsize(f) != 8))
		return;
	if (form_is_mem(f))
		load(f, p, op, size, sext);
	else if (size == 1 && !f->rex && form_rm(f) >= 4)
		return;
	else
		move(op, sext ? OP_SEXT : OP_MOVE, form_reg(f), form_rm(f), size);
}

void x86_describe(struct decoder *d, const uint8_t *p, const struct insn *in, struct operation *op)
{
	struct x86_form f;

	(void)d;
	*op = (struct operation){.op = OP_OTHER,
		.dst = -1,
		.src = -1,
		.base = -1,
		.index = -1,
		.scale = 1};
	if (!x86_parse(p, in->len, &f) || f.enc != X86_LEGACY)
		return;
	if (f.map == X86_1B)
		describe_1b(&f, p, op);
	else if (f.map == X86_0F && (f.op & 0xf6) == 0xb6)
		describe_extend(&f, p, op);
	else if (f.map == X86_0F && (f.op & 0xf0) == 0x40 && !form_is_mem(&f) &&
		form_opsize(&f) == 8)
		move(op, OP_SELECT, form_reg(&f), form_rm(&f), 8);
	else if (f.map == X86_0F && (f.op & 0xfe) == 0x84)
		op->op = OP_BRANCH_ZERO, op->imm = f.op == 0x84;
	else if (f.map == X86_0F)
		describe_vector(&f, p, op);
	/* A description that was refused half-way is cleared. */
	if (op->op == OP_OTHER)
		*op = (struct operation){.op = OP_OTHER,
			.dst = -1,
			.src = -1,
			.base = -1,
			.index = -1,
			.scale = 1};
}

/* The bytes that an instruction with a memory operand accesses at most. */
static uint8_t most_accessed(const struct x86_form *f)
{
	bool state = f->enc == X86_LEGACY && f->map == X86_0F && f->op == 0xae; /* fxrstor... */

	if (f->enc == X86_EVEX || state)
		return 64;
	if (f->enc != X86_LEGACY)
		return 32;
	if (f->map == X86_1B)
		return f->op & 1 ? (uint8_t)form_opsize(f) : 8;
	return f->map == X86_0F && (f->op & 0xf6) == 0xb6 ? 2 : 16;
}

/* String instructions: of one byte or of more, at %rsi, %rdi, or both. */
static bool access_string(const struct x86_form *f, struct zone *a)
{
	bool from = (f->op >= 0xa4 && f->op <= 0xa7) || f->op == 0xac || f->op == 0xad;
	bool to = f->op >= 0xa4 && f->op <= 0xaf && !(f->op >= 0xac && f->op <= 0xad);

	if (f->enc != X86_LEGACY || f->map != X86_1B || f->op == 0xa8 || f->op == 0xa9 ||
		!(from || to))
		return false;
	*a = (struct zone){.base = from ? RSI : RDI, .index = to ? RDI : -1, .far = true};
	return true;
}

bool x86_zone(const uint8_t *p, const struct insn *in, struct zone *a)
{
	struct x86_form f;
	struct operation op = {0};

	if (!x86_parse(p, in->len, &f))
		return false;
	if (!form_is_mem(&f))
		return access_string(&f, a);
	if (!plain_memory(&f))
		return false;
	memory(&f, p, &op);
	/* EVEX scales distances of one byte */
	bool scaled = f.enc == X86_EVEX && op.disp_size == 1;
	*a = (struct zone){.base = op.base,
		.index = op.scale > 1 ? -1 : op.index, /* no address, but a number */
		.far = scaled || op.scale > 1,
		.at = scaled ? 0 : op.disp,
		.size = most_accessed(&f),
		.disp_off = op.disp_off};
	return op.base >= 0 || op.index >= 0 || (op.disp_off && !op.pc_rel);
}

/* jmp *slot(%rip) or call *slot(%rip), in a linkage stub also behind endbr64. */
uint64_t x86_leads_through(struct decoder *d, const uint8_t *p, size_t n, uint64_t at)
{
	struct insn in;
	struct operation op;

	if (!x86_decode(d, p, n, &in))
		return 0;
	if (in.flags & INSN_LANDING) {
		p += in.len, n -= in.len, at += in.len;
		if (!n || !x86_decode(d, p, n, &in))
			return 0;
	}
	if (in.kind != INSN_JUMP_IND && in.kind != INSN_CALL_IND)
		return 0;
	x86_describe(d, p, &in, &op);
	if ((op.op != OP_JUMP_MEM && op.op != OP_CALL_MEM) || !op.pc_rel || op.index >= 0)
		return 0;
	return at + in.len + (uint64_t)op.disp;
}
