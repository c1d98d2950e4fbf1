/* SPDX-License-Identifier: Apache-2.0 */
/*
 * part.c - code of a routine, split into instructions and their operands, and encoded again
 *
 * By the rules of the Intel SDM, volume 2, chapter 2.  Only simple instructions on general
 * registers are split, and branches forward: all other routines are pasted as they are.
 */
#include "targets/x86_64/part.h"

#include "targets/body.h"

const struct part x86_no_operands = {
	.reg = NO_REG, .rm = NO_REG, .base = NO_REG, .index = NO_REG, .low = NO_REG};

/* Reading -------------------------------------------------------------------- */

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
	*p = x86_no_operands;
	p->two = f->map == X86_0F;
	p->op = f->op;
	p->size = (uint8_t)form_opsize(f);
	p->wide = f->rex & REX_W;
	p->modrm = f->has_modrm;
	p->imm_size = f->imm_size;
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

enum { NOWHERE = 255 };

static bool is_branch(const struct x86_form *f)
{
	return f->enc == X86_LEGACY &&
		((f->map == X86_1B && (f->op & 0xf0) == 0x70) ||
			(f->map == X86_0F && (f->op & 0xf0) == 0x80));
}

/* part_at: by offset, NOWHERE where no instruction begins. */
static bool read_branch(const struct tool_body *b, uint32_t at, const struct x86_form *f,
	struct part *p)
{
	struct value distance = field_value(b, at + f->imm_off, 0,
		read_field(b->byte + at, f->imm_off, f->imm_size));
	int64_t to = (int64_t)at + f->len + distance.n;
	*p = (struct part){.op = 0x70 | (f->op & 15),
		.size = 8,
		.reg = NO_REG,
		.rm = NO_REG,
		.base = NO_REG,
		.index = NO_REG,
		.low = NO_REG,
		.imm_size = 1,
		.jumps = true,
		.to = (uint8_t)to};
	return distance.known == NUMBER && to >= (int64_t)at + f->len && to <= b->n;
}

/* One instruction at `at'; returns its length, 0: it is not simple. */
static unsigned read_one(const struct tool_body *b, uint32_t at, struct parts *to)
{
	uint8_t bytes[16] = {0};
	struct x86_form f;
	struct insn in;
	struct effects e;
	regset named;
	memcpy(bytes, b->byte + at, b->n - at < 16u ? b->n - at : 16u);
	if (!x86_parse(bytes, b->n - at, &f))
		return 0;
	unsigned len = f.len;
	x86_effects(&f, &in, &e, &named);
	if (in.kind == INSN_NOP)
		return len;
	if (to->n == PARTS)
		return 0;
	struct part *p = &to->v[to->n++];
	if (is_branch(&f))
		return read_branch(b, at, &f, p) ? len : 0;
	generalise(&f);
	return read_part(b, at, &f, p) ? len : 0;
}

bool x86_read_parts(const struct tool_body *b, struct parts *to)
{
	uint8_t part_at[UINT8_MAX + 1]; /* by offset */
	unsigned branches = 0, len;
	memset(part_at, NOWHERE, sizeof part_at);
	to->n = 0;
	for (uint32_t at = 0; at < b->n; at += len) {
		part_at[at] = (uint8_t)to->n;
		len = read_one(b, at, to);
		if (!len)
			return false;
	}
	part_at[b->n] = (uint8_t)to->n;
	for (struct part *p = to->v; p < to->v + to->n; p++) {
		branches += p->jumps;
		p->to = p->jumps ? part_at[p->to] : 0;
		if (p->to == NOWHERE)
			return false;
	}
	return branches <= BODY_BRANCHES;
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

/* end: by part, where it ends. */
static bool write_branches(const struct parts *from, const uint8_t *end, struct tool_body *b)
{
	bool fits = true;
	for (unsigned i = 0; i < from->n; i++) {
		int distance = from->v[i].jumps ? end[from->v[i].to - 1] - end[i] : 0;
		fits &= distance >= 0 && distance <= INT8_MAX;
		if (from->v[i].jumps)
			b->byte[end[i] - 1] = (uint8_t)distance;
	}
	return fits;
}

bool x86_write_parts(const struct parts *from, struct tool_body *b)
{
	bool fits = true;
	uint8_t end[PARTS];
	*b = (struct tool_body){0};
	for (unsigned i = 0; i < from->n; i++) {
		put_part(b, &fits, &from->v[i]);
		end[i] = b->n;
	}
	return fits && write_branches(from, end, b);
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

void x86_find_live(const struct parts *parts, regset live[PARTS + 1])
{
	for (unsigned i = parts->n; i-- > 0;) {
		const struct part *p = &parts->v[i];
		struct effects e;
		regset named, behind = live[i + 1] | (p->jumps ? live[p->to] | REGSET_FLAGS : 0);
		x86_part_effects(p, &e, &named);
		live[i] = (behind & ~e.writes) | e.reads;
	}
}

void x86_lead_branches(struct parts *parts, const uint8_t *to)
{
	for (unsigned i = 0; i < parts->n; i++)
		if (parts->v[i].jumps)
			parts->v[i].to = to[parts->v[i].to];
}
