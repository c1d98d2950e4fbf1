/* SPDX-License-Identifier: Apache-2.0 */
/*
 * body.c - routines that are pasted, made for one place; see targets/body.h
 */
#include "targets/x86_64/part.h"

#include "targets/body.h"

#define FARTHEST                                                                                   \
	((int64_t)1 << 30) /* from a variable: the linker adds it to an address of 31 bits */

/* Constants ------------------------------------------------------------------ */

struct folding {
	struct value v[16]; /* of registers */
	bool real[16];	    /* the register has it, too */
	struct parts to;
	/* By part, what holds in front of it. */
	regset live[PARTS + 1];
	regset changed[PARTS + 1], unreal[PARTS + 1]; /* on the way from a branch, or at that */
	bool is_label[PARTS + 1];
	bool fits;
};

static bool is_number(const struct value *v)
{
	return v->known == NUMBER;
}

static struct value number(int64_t n, unsigned size)
{
	return (struct value){.known = NUMBER, .n = size == 4 ? (int64_t)(uint32_t)n : n};
}

/* The sum; false: a part is not known, it is of two addresses, or too far. */
static bool add_values(const struct value *a, const struct value *b, struct value *sum)
{
	if (!a->known || !b->known || (!is_number(a) && !is_number(b)))
		return false;
	struct value address = is_number(a) ? *b : *a;
	if (__builtin_add_overflow(a->n, b->n, &address.n))
		return false;
	*sum = address;
	return is_number(sum) || (sum->n > -FARTHEST && sum->n < FARTHEST);
}

static bool scale_value(const struct value *v, unsigned scale, struct value *out)
{
	*out = *v;
	if (!scale)
		return true;
	return is_number(v) && !__builtin_mul_overflow(v->n, (int64_t)1 << scale, &out->n);
}

/* The address, if its registers are known. */
static bool address_value(const struct folding *w, const struct part *p, struct value *out)
{
	struct value index;
	*out = p->disp;
	if (p->base >= 0 && (!w->v[p->base].known || !add_values(out, &w->v[p->base], out)))
		return false;
	return p->index < 0 ||
		(w->v[p->index].known && scale_value(&w->v[p->index], p->scale, &index) &&
			add_values(out, &index, out));
}

/* The result of op, by its number in the opcode; false: not known. */
static bool alu_value(unsigned op, const struct value *a, const struct value *b, unsigned size,
	struct value *out)
{
	struct value minus = number(-(b->n), 8);
	if (op == 0 && size == 8 && add_values(a, b, out))
		return true;
	if (op == 5 && size == 8 && is_number(b) && b->n != INT64_MIN && add_values(a, &minus, out))
		return true;
	if (!is_number(a) || !is_number(b))
		return false;
	uint64_t x = (uint64_t)a->n, y = (uint64_t)b->n;
	switch (op) {
	case 0: *out = number((int64_t)(x + y), size); return true;
	case 1: *out = number((int64_t)(x | y), size); return true;
	case 4: *out = number((int64_t)(x & y), size); return true;
	case 5: *out = number((int64_t)(x - y), size); return true;
	case 6: *out = number((int64_t)(x ^ y), size); return true;
	default: return false;
	}
}

static bool shift_value(const struct part *p, const struct value *a, struct value *out)
{
	unsigned by = (p->op == 0xd1 ? 1 : (unsigned)p->imm.n) & (8u * p->size - 1);
	if (!is_number(a))
		return false;
	int64_t sign = p->size == 4 ? (int32_t)a->n : a->n;
	uint64_t n = p->size == 4 ? (uint32_t)a->n : (uint64_t)a->n;
	*out = number(p->reg == 4     ? (int64_t)(n << by)
			: p->reg == 5 ? (int64_t)(n >> by)
				      : sign >> by,
		p->size);
	return true;
}

/* A register that is extended; from: the bytes of it that count. */
static bool extended_value(const struct value *a, unsigned from, bool sign, unsigned size,
	struct value *out)
{
	if (!is_number(a))
		return false;
	uint64_t low = (uint64_t)a->n & (UINT64_MAX >> (64 - 8 * from));
	*out = number(sign ? sign_extend(low, 8 * from) : (int64_t)low, size);
	return true;
}

static bool copied_value(const struct value *a, unsigned size, struct value *out)
{
	*out = is_number(a) ? number(a->n, size) : *a;
	return a->known && (is_number(a) || size == 8);
}

/* What the instruction, which accesses no memory, sets which register to; NO_REG: not known. */
static int computed(const struct folding *w, const struct part *p, struct value *out)
{
	static const struct value one = {.known = NUMBER, .n = 1};
	const struct value *v = w->v;
	bool big = p->size >= 4 && !p->byte_rm && !p->byte_reg;
	if (p->two ? (p->op & 0xf6) == 0xb6 && !p->memory : p->op == 0x63 && !p->memory) {
		unsigned from = p->op == 0x63 ? 4 : p->op & 1 ? 2 : 1;
		bool sign = p->op == 0x63 || p->op & 8;
		return p->size >= 4 && extended_value(&v[p->rm], from, sign, p->size, out) ? p->reg
											   : NO_REG;
	}
	if (p->two || !big)
		return NO_REG;
	if (p->op == 0x8d)
		return p->size == 8 && address_value(w, p, out) ? p->reg : NO_REG;
	if (p->memory)
		return NO_REG;
	if (p->low >= 0) {
		*out = is_number(&p->imm) ? number(p->imm.n, p->size) : p->imm;
		return is_number(out) || p->imm_size == 4 ? p->low : NO_REG;
	}
	switch (p->op) {
	case 0xc7:
		*out = is_number(&p->imm) ? number(p->imm.n, p->size) : p->imm;
		return is_number(out) || p->size == 8 ? p->rm : NO_REG;
	case 0x89: return copied_value(&v[p->reg], p->size, out) ? p->rm : NO_REG;
	case 0x8b: return copied_value(&v[p->rm], p->size, out) ? p->reg : NO_REG;
	case 0x81:
	case 0x83:
		return alu_value((unsigned)p->reg, &v[p->rm], &p->imm, p->size, out) ? p->rm
										     : NO_REG;
	case 0xc1:
	case 0xd1: return shift_value(p, &v[p->rm], out) ? p->rm : NO_REG;
	case 0xff: return alu_value(p->reg ? 5 : 0, &v[p->rm], &one, p->size, out) ? p->rm : NO_REG;
	default: break;
	}
	if (!is_alu(p->op) || p->op >> 3 == 7)
		return NO_REG;
	int to = p->op & 2 ? p->reg : p->rm, from = p->op & 2 ? p->rm : p->reg;
	unsigned op = p->op >> 3;
	if (to == from && (op == 5 || op == 6)) {
		*out = number(0, 8);
		return to;
	}
	return alu_value(op, &v[to], &v[from], p->size, out) ? to : NO_REG;
}

/* Registers of an address become part of the displacement, as far as that can be. */
static void fold_address(const struct folding *w, struct part *p)
{
	struct value sum, index;
	if (!p->memory || p->disp.known == RELATIVE)
		return;
	if (p->index >= 0 && scale_value(&w->v[p->index], p->scale, &index) && index.known &&
		index.known != RELATIVE && add_values(&p->disp, &index, &sum) &&
		(!is_number(&sum) || sum.n == (int32_t)sum.n)) {
		p->disp = sum;
		p->disp.type = 0;
		p->index = NO_REG;
		p->scale = 0;
	}
	const struct value *base = p->base >= 0 ? &w->v[p->base] : NULL;
	if (base && base->known && !(base->known == RELATIVE && p->index >= 0) &&
		add_values(&p->disp, base, &sum) && (!is_number(&sum) || sum.n == (int32_t)sum.n)) {
		p->disp = sum;
		p->disp.type = 0;
		p->base = NO_REG;
	}
	if (p->base < 0 && p->index >= 0 && !p->scale && p->disp.known != RELATIVE) {
		p->base = p->index; /* the shorter form */
		p->index = NO_REG;
	}
}

/* Does a number fit into a field of an instruction whose operands have that size? */
static bool is_immediate(const struct value *v, unsigned size)
{
	return is_number(v) && (size <= 4 || v->n == (int32_t)v->n);
}

/* A register that is read becomes a number in the instruction: op $n,rm. */
static void fold_operand(const struct folding *w, struct part *p)
{
	bool byte = p->byte_rm;
	unsigned size = byte ? 1 : p->size;
	if (p->two || p->extends || !p->modrm || size == 2)
		return;
	bool back = is_alu(p->op) && p->op & 2; /* op rm,%reg */
	int from = back ? p->rm : p->reg;
	bool is = is_alu(p->op) || p->op == 0x88 || p->op == 0x89 || p->op == 0x84 || p->op == 0x85;
	if (!is || (back && p->memory) || !is_immediate(&w->v[from], size))
		return;
	int64_t n = size == 1 ? (int8_t)w->v[from].n : (int32_t)w->v[from].n;
	bool brief = is_alu(p->op) && !byte && n == (int8_t)n;
	if (back)
		p->rm = p->reg;
	p->reg = is_alu(p->op) ? p->op >> 3 : 0;
	p->op = (uint8_t)((is_alu(p->op)		  ? brief ? 0x82 : 0x80
					  : p->op >= 0x88 ? 0xc6
							  : 0xf6) |
		!byte);
	p->extends = true;
	p->byte_reg = false;
	p->imm = number(n, 8);
	p->imm_size = byte || brief ? 1 : 4;
}

static void append(struct folding *w, const struct part *p)
{
	w->fits &= w->to.n < PARTS;
	if (w->fits)
		w->to.v[w->to.n++] = *p;
}

/* The register gets what is known of it. */
static void make_real(struct folding *w, int reg)
{
	const struct value *v = &w->v[reg];
	struct part p = x86_no_operands;
	p.wide = true;
	p.size = 8;
	p.imm = *v;
	p.imm_size = 4;
	if (v->known == RELATIVE) {
		p.op = 0x8d;
		p.modrm = p.memory = true;
		p.reg = (int8_t)reg;
		p.disp = *v;
		p.imm_size = 0;
		p.imm = (struct value){0};
	} else if (v->known == NUMBER && (uint64_t)v->n <= UINT32_MAX) {
		p.op = 0xb8;
		p.wide = false;
		p.low = (int8_t)reg;
	} else if (v->known == NUMBER && v->n != (int32_t)v->n) {
		p.op = 0xb8;
		p.low = (int8_t)reg;
		p.imm_size = 8;
	} else {
		p.op = 0xc7;
		p.modrm = p.extends = true;
		p.reg = 0;
		p.rm = (int8_t)reg;
		p.imm.type = 0;
	}
	append(w, &p);
	w->real[reg] = true;
}

static void fold_part(struct folding *w, struct part p, regset live_flags)
{
	struct effects e;
	struct value v;
	regset named;
	x86_part_effects(&p, &e, &named);
	int to = computed(w, &p, &v);
	if (to >= 0 && to != RSP && !(e.clobbers & live_flags)) {
		w->v[to] = v;
		w->real[to] = false;
		return;
	}
	fold_address(w, &p);
	fold_operand(w, &p);
	x86_part_effects(&p, &e, &named);
	for (int r = 0; r < 16; r++)
		if (w->v[r].known && !w->real[r] &&
			(e.reads | (e.clobbers & ~e.writes)) & REG_BIT(r))
			make_real(w, r);
	append(w, &p);
	for (int r = 0; r < 16; r++)
		if (e.clobbers & REG_BIT(r))
			w->v[r].known = UNKNOWN;
}

static regset written_by(const struct part *p)
{
	struct effects e;
	regset named;
	x86_part_effects(p, &e, &named);
	return e.clobbers;
}

/*
 * By part: which registers are changed between a branch and it, where that leads to it?  In between
 * others may lead to, from places where registers hold what they do not hold here.
 */
static void find_changed(const struct parts *parts, struct folding *w)
{
	for (unsigned to = 1; to <= parts->n; to++)
		for (unsigned i = 0; i < to; i++) {
			if (!parts->v[i].jumps || parts->v[i].to != to)
				continue;
			w->is_label[to] = true;
			for (unsigned k = i + 1; k < to; k++)
				w->changed[to] |= written_by(&parts->v[k]) | w->changed[k];
		}
}

/* Registers of which something is known that they do not hold. */
static regset unreal(const struct folding *w)
{
	regset regs = 0;
	for (unsigned r = 0; r < 16; r++)
		regs |= w->v[r].known && !w->real[r] ? REG_BIT(r) : 0;
	return regs;
}

/* What is not the same on all ways to part `to' must be in its register there. */
static void make_changed(struct folding *w, unsigned to)
{
	regset regs = unreal(w) & w->changed[to] & w->live[to];
	for (; regs; regs &= regs - 1)
		make_real(w, (int)lowest_reg(regs));
}

static void fold_branch(struct folding *w, struct part p)
{
	make_changed(w, p.to);
	w->unreal[p.to] |= unreal(w);
	append(w, &p);
}

/* Control comes to part i from branches, too. */
static void join_at(struct folding *w, unsigned i)
{
	make_changed(w, i);
	for (unsigned r = 0; r < 16; r++) {
		if (w->changed[i] & REG_BIT(r))
			w->v[r].known = UNKNOWN;
		w->real[r] &= !(w->unreal[i] & REG_BIT(r));
	}
}

bool x86_fold_body(const struct tool_body *b, const struct call_arg *arg, unsigned nargs,
	const uint8_t *reg, int result, struct tool_body *out)
{
	struct parts from;
	struct folding w = {.fits = true};
	uint8_t to[PARTS + 1];
	if (!x86_read_parts(b, &from))
		return false;
	w.live[from.n] = result < 0 ? 0 : REG_BIT(result);
	x86_find_live(&from, w.live);
	find_changed(&from, &w);
	for (unsigned k = 0; k < nargs; k++)
		if (arg[k].gives == GIVES_NUMBER)
			w.v[reg[k]] = number(arg[k].number, 8);
	for (unsigned i = 0; i <= from.n; i++) {
		if (w.is_label[i])
			join_at(&w, i);
		to[i] = (uint8_t)w.to.n;
		if (i < from.n && from.v[i].jumps)
			fold_branch(&w, from.v[i]);
		else if (i < from.n)
			fold_part(&w, from.v[i], w.live[i + 1] & REGSET_FLAGS);
	}
	x86_lead_branches(&w.to, to);
	if (result >= 0 && w.v[result].known && !w.real[result])
		make_real(&w, result);
	return w.fits && x86_write_parts(&w.to, out);
}

/* Registers ------------------------------------------------------------------ */

bool x86_body_uses(const struct tool_body *b, struct body_uses *to)
{
	struct parts parts;
	regset live[PARTS + 1];
	*to = (struct body_uses){0};
	if (!x86_read_parts(b, &parts))
		return false;
	live[parts.n] = 0;
	x86_find_live(&parts, live);
	to->reads = live[0];
	for (unsigned i = 0; i < parts.n; i++) {
		struct effects e;
		regset named;
		x86_part_effects(&parts.v[i], &e, &named);
		to->changes |= e.clobbers;
		to->pinned |= (e.reads | e.clobbers) & X86_GPRS & ~named;
	}
	return true;
}

static void rename_reg(int8_t *reg, const uint8_t *to)
{
	if (*reg >= 0)
		*reg = (int8_t)to[*reg];
}

void x86_rename_part(struct part *p, const uint8_t *to)
{
	if (!p->extends)
		rename_reg(&p->reg, to);
	rename_reg(&p->rm, to);
	rename_reg(&p->base, to);
	rename_reg(&p->index, to);
	rename_reg(&p->low, to);
}

bool x86_rename_body(const struct tool_body *b, const uint8_t *to, struct tool_body *out)
{
	struct parts parts;
	if (!x86_read_parts(b, &parts))
		return false;
	for (unsigned i = 0; i < parts.n; i++) {
		struct part *p = &parts.v[i];
		x86_rename_part(p, to);
		if (p->index == RSP)
			return false;
	}
	return x86_write_parts(&parts, out);
}
