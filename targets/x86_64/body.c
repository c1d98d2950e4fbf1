/* SPDX-License-Identifier: Apache-2.0 */
/*
 * body.c - routines that are pasted, made for one place; see targets/body.h
 *
 * Each instruction is split into its operands, and encoded again by the rules of the Intel SDM,
 * volume 2, chapter 2.  Only straight code of simple instructions on general registers is: all
 * other routines are pasted as they are.
 */
#include "targets/x86_64/part.h"

#include "targets/body.h"

#define FARTHEST                                                                                   \
	((int64_t)1 << 30) /* from a variable: the linker adds it to an address of 31 bits */

/* Reading -------------------------------------------------------------------- */

static bool is_alu(uint8_t op)
{
	return op < 0x40 && (op & 7) < 4;
}

/* Is it one of the simple instructions?  Sets which operands have one byte. */
static bool is_simple(const struct x86_form *f, struct part *p)
{
	unsigned ext = f->has_modrm ? form_ext(f) : 0;
	if (p->two) {
		p->extends = (f->op & 0xf0) == 0x90;
		p->byte_rm = p->extends || f->op == 0xb6 || f->op == 0xbe;
		return p->extends || (f->op & 0xf0) == 0x40 || (f->op & 0xf6) == 0xb6 ||
			f->op == 0xaf || f->op == 0xb1 || f->op == 0xc1;
	}
	bool byte = !(f->op & 1) && f->op != 0x8d;
	if (is_alu(f->op) || (f->op >= 0x84 && f->op <= 0x8b)) {
		p->byte_reg = p->byte_rm = byte;
		return true;
	}
	switch (f->op) {
	case 0x63:
	case 0x8d: return true;
	case 0x80:
	case 0x81:
	case 0x83: break;
	case 0xc0:
	case 0xc1:
	case 0xd0:
	case 0xd1:
		if (ext != 4 && ext != 5 && ext != 7)
			return false;
		break;
	case 0xc6:
	case 0xc7:
		if (ext)
			return false;
		break;
	case 0xf6:
	case 0xf7:
		if (ext && ext != 2 && ext != 3)
			return false;
		break;
	case 0xfe:
	case 0xff:
		if (ext > 1)
			return false;
		break;
	default: return f->op >= 0xb8 && f->op <= 0xbf;
	}
	p->extends = true;
	p->byte_rm = byte;
	return true;
}

/* op $n,%eax is op $n,rm in a form of its own. */
static void generalise(struct x86_form *f)
{
	bool test = f->op == 0xa8 || f->op == 0xa9;
	if (f->enc != X86_LEGACY || f->map != X86_1B ||
		!(test || (f->op < 0x40 && (f->op & 6) == 4)))
		return;
	f->has_modrm = true;
	f->modrm = (uint8_t)(0xc0 | (test ? 0 : f->op & 0x38));
	f->op = (uint8_t)((test ? 0xf6 : 0x80) | (f->op & 1));
}

static bool read_prefixes(const uint8_t *p, const struct x86_form *f, struct part *to)
{
	for (unsigned i = 0; i < f->op_off && p[i] != 0x0f; i++) {
		if ((p[i] & 0xf0) == 0x40)
			continue;
		bool known = p[i] == 0x66 || p[i] == 0x64 || p[i] == 0x65 || p[i] == 0xf0;
		if (!known || to->nprefix == sizeof to->prefix)
			return false;
		to->prefix[to->nprefix++] = p[i];
	}
	return true;
}

static int64_t read_field(const uint8_t *p, unsigned off, unsigned size)
{
	switch (size) {
	case 1: return (int8_t)p[off];
	case 2: return (int16_t)(p[off] | p[off + 1] << 8);
	case 4: return (int32_t)get_u32(p + off);
	case 8: return (int64_t)get_u64(p + off);
	default: return 0;
	}
}

/* The relocation of a field; end: how far the instruction's end is behind it. */
static struct value field_value(const struct tool_body *b, uint32_t off, unsigned end, int64_t n)
{
	struct value v = {.known = NUMBER, .n = n};
	for (unsigned i = 0; i < b->nrel; i++) {
		const struct body_reloc *r = &b->rel[i];
		if (r->off != off)
			continue;
		bool fixed = r->type == R_X86_64_32S || r->type == R_X86_64_32;
		v = (struct value){.known = fixed ? ABSOLUTE : RELATIVE,
			.sym = r->sym,
			.type = r->type,
			.n = r->addend + (fixed ? 0 : end)};
	}
	return v;
}

static bool read_part(const struct tool_body *b, uint32_t at, const struct x86_form *f,
	struct part *p)
{
	const uint8_t *bytes = b->byte + at;
	*p = (struct part){.two = f->map == X86_0F,
		.op = f->op,
		.size = (uint8_t)form_opsize(f),
		.wide = f->rex & REX_W,
		.modrm = f->has_modrm,
		.reg = NO_REG,
		.rm = NO_REG,
		.base = NO_REG,
		.index = NO_REG,
		.low = NO_REG,
		.imm_size = f->imm_size};
	if (f->enc != X86_LEGACY || f->map > X86_0F || f->prefixes & X86_P67 || !is_simple(f, p) ||
		!read_prefixes(bytes, f, p))
		return false;
	if (!p->modrm && !p->two)
		p->low = (int8_t)((f->op & 7) | (f->rex & REX_B ? 8 : 0)), p->op &= 0xf8;
	if (f->has_modrm) {
		p->reg = (int8_t)(p->extends ? (int)form_ext(f) : form_reg(f));
		p->memory = form_is_mem(f);
	}
	if (f->has_modrm && !p->memory)
		p->rm = (int8_t)form_rm(f);
	if (p->memory) {
		p->base = (int8_t)form_base(f);
		p->index = (int8_t)form_index(f);
		p->scale = f->has_sib ? f->sib >> 6 : 0;
		p->disp = field_value(b, at + f->disp_off, f->len - f->disp_off,
			read_field(bytes, f->disp_off, f->disp_size));
		if (form_is_rip(f) != (p->disp.known == RELATIVE))
			return false;
	}
	if (p->imm_size)
		p->imm = field_value(b, at + f->imm_off, 0,
			read_field(bytes, f->imm_off, f->imm_size));
	/* without REX these are the second bytes of registers */
	bool high = (p->byte_reg && p->reg >= 4 && p->reg < 8) ||
		(p->byte_rm && p->rm >= 4 && p->rm < 8);
	bool rex = f->op_off && (bytes[f->op_off - 1 - p->two] & 0xf0) == 0x40;
	return !(high && !rex) && p->imm.known != RELATIVE;
}

bool x86_read_parts(const struct tool_body *b, struct parts *to)
{
	to->n = 0;
	for (uint32_t at = 0; at < b->n;) {
		uint8_t bytes[16] = {0};
		struct x86_form f;
		struct insn in;
		struct effects e;
		regset named;
		memcpy(bytes, b->byte + at, b->n - at < 16u ? b->n - at : 16u);
		if (!x86_parse(bytes, b->n - at, &f))
			return false;
		x86_effects(&f, &in, &e, &named);
		if (in.kind != INSN_NOP) {
			unsigned len = f.len;
			generalise(&f);
			if (to->n == PARTS || !read_part(b, at, &f, &to->v[to->n++]))
				return false;
			at += len;
			continue;
		}
		at += f.len;
	}
	return true;
}

/* Writing -------------------------------------------------------------------- */

static void put(struct tool_body *b, bool *fits, uint8_t byte)
{
	*fits &= b->n < BODY_BYTES;
	if (*fits)
		b->byte[b->n++] = byte;
}

/* end: how far the instruction's end is behind the field. */
static void put_value(struct tool_body *b, bool *fits, const struct value *v, unsigned size,
	unsigned end)
{
	if (v->known > NUMBER) {
		uint32_t type = v->known == RELATIVE ? R_X86_64_PC32 : R_X86_64_32S;
		*fits &= b->nrel < BODY_RELOCS;
		if (*fits)
			b->rel[b->nrel++] = (struct body_reloc){.off = b->n,
				.type = v->type ? v->type : type,
				.sym = v->sym,
				.addend = v->n - (v->known == RELATIVE ? end : 0)};
	}
	for (unsigned i = 0; i < size; i++)
		put(b, fits, v->known > NUMBER ? 0 : (uint8_t)((uint64_t)v->n >> 8 * i));
}

/* Bytes of the displacement, and ModRM.mod. */
static unsigned disp_size(const struct part *p, uint8_t *mod)
{
	bool zero = p->disp.known == NUMBER && !p->disp.n;
	*mod = 0;
	if (p->base < 0)
		return 4;
	if (zero && (p->base & 7) != RBP)
		return 0;
	*mod = p->disp.known == NUMBER && p->disp.n == (int8_t)p->disp.n ? 1 : 2;
	return *mod == 1 ? 1 : 4;
}

static void put_memory(struct tool_body *b, bool *fits, const struct part *p)
{
	uint8_t mod, reg = (uint8_t)((p->reg & 7) << 3);
	unsigned size = disp_size(p, &mod);
	bool near = p->disp.known == RELATIVE;
	bool sib = !near && (p->base < 0 || p->index >= 0 || (p->base & 7) == RSP);
	uint8_t rm = near ? RBP : sib ? RSP : (uint8_t)(p->base & 7);
	put(b, fits, (uint8_t)(mod << 6 | reg | rm));
	if (sib)
		put(b, fits,
			(uint8_t)(p->scale << 6 | (p->index < 0 ? RSP : p->index & 7) << 3 |
				(p->base < 0 ? RBP : p->base & 7)));
	put_value(b, fits, &p->disp, size, size + p->imm_size);
}

static void put_part(struct tool_body *b, bool *fits, const struct part *p)
{
	bool low_byte = (p->byte_reg && p->reg >= 4) || (p->byte_rm && p->rm >= 4);
	uint8_t rex = (uint8_t)((p->wide ? REX_W : 0) | (!p->extends && p->reg >= 8 ? REX_R : 0) |
		(p->index >= 8 ? REX_X : 0) |
		(p->rm >= 8 || p->base >= 8 || p->low >= 8 ? REX_B : 0));
	for (unsigned i = 0; i < p->nprefix; i++)
		put(b, fits, p->prefix[i]);
	if (rex || low_byte)
		put(b, fits, 0x40 | rex);
	if (p->two)
		put(b, fits, 0x0f);
	put(b, fits, (uint8_t)(p->op | (p->low >= 0 ? p->low & 7 : 0)));
	if (p->memory)
		put_memory(b, fits, p);
	else if (p->modrm)
		put(b, fits, (uint8_t)(0xc0 | (p->reg & 7) << 3 | (p->rm & 7)));
	put_value(b, fits, &p->imm, p->imm_size, p->imm_size);
}

bool x86_write_parts(const struct parts *from, struct tool_body *b)
{
	bool fits = true;
	*b = (struct tool_body){0};
	for (unsigned i = 0; i < from->n; i++)
		put_part(b, &fits, &from->v[i]);
	return fits;
}

void x86_part_effects(const struct part *p, struct effects *e, regset *named)
{
	struct tool_body b = {0};
	struct x86_form f;
	struct insn in;
	bool fits = true;
	put_part(&b, &fits, p);
	if (!x86_parse(b.byte, b.n, &f))
		bug("an instruction of a routine is encoded wrongly");
	x86_effects(&f, &in, e, named);
}

/* Constants ------------------------------------------------------------------ */

struct folding {
	struct value v[16]; /* of registers */
	bool real[16];	    /* the register has it, too */
	struct parts to;
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
	struct part p = {.wide = true,
		.size = 8,
		.reg = NO_REG,
		.rm = NO_REG,
		.base = NO_REG,
		.index = NO_REG,
		.low = NO_REG,
		.imm = *v,
		.imm_size = 4};
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

static void find_live_flags(const struct parts *parts, regset live[PARTS])
{
	regset now = 0;
	for (unsigned i = parts->n; i-- > 0;) {
		struct effects e;
		regset named;
		live[i] = now;
		x86_part_effects(&parts->v[i], &e, &named);
		now = (now & ~e.writes) | (e.reads & REGSET_FLAGS);
	}
}

bool x86_fold_body(const struct tool_body *b, const struct call_arg *arg, unsigned nargs,
	const uint8_t *reg, int result, struct tool_body *out)
{
	struct parts from;
	struct folding w = {.fits = true};
	regset live[PARTS];
	if (!x86_read_parts(b, &from))
		return false;
	find_live_flags(&from, live);
	for (unsigned k = 0; k < nargs; k++)
		if (arg[k].gives == GIVES_NUMBER)
			w.v[reg[k]] = number(arg[k].number, 8);
	for (unsigned i = 0; i < from.n; i++)
		fold_part(&w, from.v[i], live[i]);
	if (result >= 0 && w.v[result].known && !w.real[result])
		make_real(&w, result);
	return w.fits && x86_write_parts(&w.to, out);
}

/* Registers ------------------------------------------------------------------ */

bool x86_body_uses(const struct tool_body *b, struct body_uses *to)
{
	struct parts parts;
	regset written = 0;
	*to = (struct body_uses){0};
	if (!x86_read_parts(b, &parts))
		return false;
	for (unsigned i = 0; i < parts.n; i++) {
		struct effects e;
		regset named;
		x86_part_effects(&parts.v[i], &e, &named);
		to->reads |= e.reads & ~written;
		to->changes |= e.clobbers;
		to->pinned |= (e.reads | e.clobbers) & X86_GPRS & ~named;
		written |= e.writes;
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
