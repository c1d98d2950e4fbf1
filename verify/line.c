/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - line tables (DWARF 5, section 6.2)
 *
 * Old and new line program are run together, by the standard's state machine: corresponding rows
 * must be equal, for the same instruction.
 */
#include "verify/debug.h"
#include "verify/places.h"

struct row {
	uint64_t off; /* in section sec; sec 0: an address of no section */
	uint32_t sec;
	uint64_t file, line, column, isa, discriminator;
	uint64_t other; /* a hash of unknown opcodes and their operands */
	bool stmt, block, end, prologue_end, epilogue;
};

struct program {
	struct side s;
	uint64_t start, end, body; /* of the unit, and of its program */
	unsigned version;
	uint8_t min_insn, opcode_base, line_range;
	int8_t line_base;
	bool stmt;
	uint8_t operands[256];
	struct row row;
};

static void begin_row(struct program *p)
{
	p->row = (struct row){.file = 1, .line = 1, .stmt = p->stmt};
}

/* Read the header up to the program; false: the unit cannot be read. */
static bool open_unit(struct program *p)
{
	struct reader *r = &p->s.r;
	bool wide;
	p->start = reader_at(r);
	if (!read_unit_length(r, &p->end, &wide))
		return false;
	p->version = read_u16(r);
	if (p->version >= 5)
		read_skip(r, 2);
	uint64_t rest = wide ? read_u64(r) : read_u32(r);
	p->body = reader_at(r) + rest;
	p->min_insn = read_u8(r);
	if (p->version >= 4)
		read_skip(r, 1);
	p->stmt = read_u8(r);
	p->line_base = (int8_t)read_u8(r);
	p->line_range = read_u8(r);
	p->opcode_base = read_u8(r);
	for (unsigned i = 1; i < p->opcode_base; i++)
		p->operands[i] = read_u8(r);
	begin_row(p);
	if (r->bad || !p->line_range || rest > p->end || p->body > p->end)
		return false;
	r->p = r->start + p->body;
	return true;
}

static void advance(struct program *p, uint64_t units)
{
	p->row.off += units * p->min_insn;
}

static void hash_other(struct program *p, uint64_t from)
{
	for (uint64_t i = from; i < reader_at(&p->s.r); i++)
		p->row.other = (p->row.other + p->s.r.start[i] + 1) * 0x100000001b3;
}

/* An extended instruction; true: it makes a row. */
static bool extended(struct program *p, uint64_t at)
{
	struct reader *r = &p->s.r;
	uint64_t len = read_uleb(r), body = reader_at(r);
	unsigned op = len ? read_u8(r) : 0;
	struct vbase place;
	if (op == 1) {
		p->row.end = true;
		return true;
	}
	if (op == 2 && len == p->s.o->word + 1u) {
		bool known = side_place(&p->s, body + 1, &place);
		uint64_t x = read_word(r, p->s.o->word);
		p->row.sec = known ? place.sec : 0;
		p->row.off = known ? place.off : x;
	} else if (op == 4) {
		p->row.discriminator = read_uleb(r);
	}
	if (!r->bad && len <= p->end - body)
		r->p = r->start + body + len;
	else
		r->bad = true;
	if (op != 2 && op != 4)
		hash_other(p, at);
	return false;
}

static bool standard(struct program *p, unsigned op, uint64_t at)
{
	struct reader *r = &p->s.r;
	struct row *w = &p->row;
	switch (op) {
	case 1: return true;
	case 2: advance(p, read_uleb(r)); break;
	case 3: w->line += (uint64_t)read_sleb(r); break;
	case 4: w->file = read_uleb(r); break;
	case 5: w->column = read_uleb(r); break;
	case 6: w->stmt = !w->stmt; break;
	case 7: w->block = true; break;
	case 8: advance(p, (255u - p->opcode_base) / p->line_range); break;
	case 9: w->off += read_u16(r); break;
	case 10: w->prologue_end = true; break;
	case 11: w->epilogue = true; break;
	case 12: w->isa = read_uleb(r); break;
	default:
		for (unsigned i = p->operands[op]; i--;)
			read_uleb(r);
		hash_other(p, at);
	}
	return false;
}

/* Run to the next row; false: the unit's end. */
static bool next_row(struct program *p)
{
	struct reader *r = &p->s.r;
	struct row *w = &p->row;
	if (w->end)
		begin_row(p);
	w->discriminator = 0;
	w->block = w->prologue_end = w->epilogue = false;
	while (!r->bad && reader_at(r) < p->end) {
		uint64_t at = reader_at(r);
		unsigned op = read_u8(r);
		if (op >= p->opcode_base) {
			op -= p->opcode_base;
			advance(p, op / p->line_range);
			w->line += (uint64_t)(int64_t)(p->line_base + (int)(op % p->line_range));
			return true;
		}
		if (op ? standard(p, op, at) : extended(p, at))
			return !r->bad;
	}
	return false;
}

static bool same_registers(const struct row *a, const struct row *b)
{
	return a->file == b->file && a->line == b->line && a->column == b->column &&
		a->isa == b->isa && a->discriminator == b->discriminator && a->other == b->other &&
		a->stmt == b->stmt && a->block == b->block && a->end == b->end &&
		a->prologue_end == b->prologue_end && a->epilogue == b->epilogue;
}

/* All but the unit's length. */
static bool same_header(const struct program *a, const struct program *b)
{
	uint64_t n = a->body - a->start,
		 skip = get_u32(a->s.r.start + a->start) == UINT32_MAX ? 12 : 4;
	return b->body - b->start == n &&
		!memcmp(a->s.r.start + a->start + skip, b->s.r.start + b->start + skip, n - skip) &&
		same_relocs(a->s.s, a->start, a->body, b->s.s, b->start);
}

static bool same_address(const struct verify *v, const struct row *a, const struct row *b)
{
	if (!a->sec || !b->sec)
		return a->sec == b->sec && a->off == b->off;
	return same_spot(v, a->sec, a->off, b->sec, b->off, a->end ? USE_END : USE_ROW);
}

/* The row of the same line as r, at the place of b. */
static bool continues(const struct verify *v, const struct row *r, uint64_t cut,
	const struct row *b)
{
	struct row want = {.off = cut,
		.sec = r->sec,
		.file = r->file,
		.line = r->line,
		.column = r->column,
		.isa = r->isa,
		.other = r->other,
		.stmt = r->stmt};
	return same_registers(&want, b) && same_address(v, &want, b);
}

/*
 * From row last to row a's there are runs, which may be elsewhere now: the new sequence ends before
 * each, and begins anew.  p is at the row for a's then.  False: it is not so.
 */
static bool skip_runs(const struct verify *v, const struct row *last, const struct row *a,
	struct program *p)
{
	const struct vtext *t = last->end || last->sec != a->sec ? NULL : text_at(v, a->sec);
	uint64_t cut, x = last->off;
	while (t && run_behind(v, t, x, &cut) && cut <= a->off) {
		const struct row *b = &p->row;
		/* an empty row at the sequence's end stays there */
		if (cut == a->off && (a->end || !b->end))
			return a->end || same_spot(v, a->sec, cut, b->sec, b->off, USE_END);
		if (!b->end || !same_spot(v, a->sec, cut, b->sec, b->off, USE_END) || !next_row(p))
			return false;
		if (cut < a->off && (!continues(v, last, cut, b) || !next_row(p)))
			return false;
		x = cut;
	}
	return true;
}

/* False: the row is another one, or in another place. */
static bool check_row(struct verify *v, const struct row *last, struct program *a,
	struct program *b)
{
	v->nline++;
	/* lines of sections that are not loaded do not matter */
	if (a->row.sec && !(v->a->sec.v[a->row.sec].flags & SHF_ALLOC))
		return same_registers(&a->row, &b->row);
	if (!skip_runs(v, last, &a->row, b) || !same_registers(&a->row, &b->row))
		return false;
	if (!same_address(v, &a->row, &b->row))
		vfail(v, a->row.sec ? &v->a->sec.v[a->row.sec] : a->s.s, a->row.off,
			"line %llu is at 0x%llx now, which is another place",
			(unsigned long long)a->row.line, (unsigned long long)b->row.off);
	return true;
}

static void check_unit(struct verify *v, struct program *a, struct program *b)
{
	struct row last = {.end = true};
	for (;; last = a->row) {
		bool more = next_row(a), nmore = next_row(b);
		if (more != nmore || a->s.r.bad || b->s.r.bad ||
			(more && !check_row(v, &last, a, b))) {
			vfail(v, a->s.s, reader_at(&a->s.r), "the line table has another row now");
			return;
		}
		if (!more)
			return;
	}
}

void verify_lines(struct verify *v, const struct section *sa, const struct section *sb)
{
	struct program a = {.s = side_make(v->a, sa)}, b = {.s = side_make(v->b, sb)};
	while (a.s.r.p < a.s.r.end) {
		if (!open_unit(&a) || !open_unit(&b) || !same_header(&a, &b)) {
			vfail(v, sa, a.start, "the line table has another header now");
			return;
		}
		vec_push(&v->unit, (struct vunit){sa->index, a.start, b.start});
		check_unit(v, &a, &b);
		a.s.r.p = a.s.r.start + a.end;
		b.s.r.p = b.s.r.start + b.end;
	}
	if (b.s.r.p < b.s.r.end)
		vfail(v, sa, sa->size, "there are more line tables now");
}
