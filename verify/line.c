/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - line tables (DWARF 5, section 6.2)
 *
 * Corresponding rows of the old and the new table must be equal, for the same instruction.
 */
#include "verify/debug.h"
#include "verify/places.h"

/* A line table that is read from row to row. */
struct program {
	const struct debug *d;
	enum age age;
	struct dwarf_lines t;
	size_t next;
	struct dwarf_row row;
	struct vbase at; /* sec 0: an address of no section */
};

static bool open_table(struct program *p)
{
	return p->d->reader->lines(p->d->file[p->age], p->t.end, &p->t);
}

static bool next_row(struct program *p)
{
	if (p->next == p->t.n)
		return false;
	p->row = p->d->reader->row(p->d->file[p->age], p->next++);
	if (!addresses_place(&p->d->where, p->age, p->row.address, &p->at))
		p->at = (struct vbase){0, p->row.address};
	return true;
}

static bool same_registers(const struct dwarf_row *a, const struct dwarf_row *b)
{
	return a->file == b->file && a->line == b->line && a->column == b->column &&
		a->isa == b->isa && a->discriminator == b->discriminator && a->op == b->op &&
		a->stmt == b->stmt && a->block == b->block && a->end == b->end &&
		a->prologue_end == b->prologue_end && a->epilogue == b->epilogue;
}

/* All but the unit's length. */
static bool same_header(const struct program *a, const struct program *b)
{
	const uint8_t *p = a->d->m[OLD][LINE].data, *q = b->d->m[NEW][LINE].data;
	uint64_t skip = a->t.head, n = a->t.body - a->t.start;
	return b->t.head == skip && b->t.body - b->t.start == n && a->t.nfile == b->t.nfile &&
		!memcmp(p + a->t.start + skip, q + b->t.start + skip, n - skip);
}

static bool same_address(const struct verify *v, bool end, const struct vbase *a,
	const struct vbase *b)
{
	if (!a->sec || !b->sec)
		return a->sec == b->sec && a->off == b->off;
	return same_spot(v, a->sec, a->off, b->sec, b->off, end ? USE_END : USE_ROW);
}

/* Is p at the row of the same line as r, at the place of old offset cut? */
static bool continues(const struct verify *v, const struct dwarf_row *r, const struct vbase *cut,
	const struct program *p)
{
	struct dwarf_row want = *r;
	want.discriminator = 0;
	want.block = want.prologue_end = want.epilogue = false;
	return same_registers(&want, &p->row) && same_address(v, false, cut, &p->at);
}

/*
 * From the row in front of a's there are runs, which may be elsewhere now: the new sequence ends
 * before each, and begins anew.  b is at the row for a's then.  False: it is not so.
 */
static bool skip_runs(const struct verify *v, const struct dwarf_row *last,
	const struct vbase *from, const struct program *a, struct program *b)
{
	const struct vtext *t = last->end || from->sec != a->at.sec ? NULL : text_at(v, from->sec);
	struct vbase cut = *from;
	while (t && run_behind(v, t, cut.off, &cut.off) && cut.off <= a->at.off) {
		/* an empty row at the sequence's end stays there */
		if (cut.off == a->at.off && (a->row.end || !b->row.end))
			return a->row.end || same_address(v, true, &cut, &b->at);
		if (!b->row.end || !same_address(v, true, &cut, &b->at) || !next_row(b))
			return false;
		if (cut.off < a->at.off && (!continues(v, last, &cut, b) || !next_row(b)))
			return false;
	}
	return true;
}

/* False: the row is another one. */
static bool check_row(struct debug *d, const struct dwarf_row *last, const struct vbase *from,
	struct program *a, struct program *b)
{
	struct verify *v = d->v;
	v->nline++;
	/* lines of sections that are not loaded have no place, and do not matter */
	if (!skip_runs(v, last, from, a, b) || !same_registers(&a->row, &b->row))
		return false;
	if (!same_address(v, a->row.end, &a->at, &b->at))
		debug_fail(d, LINE, a->t.start,
			arena_printf(&v->arena, "line %u is at 0x%llx now, not at 0x%llx any more",
				a->row.line, (unsigned long long)b->at.off,
				(unsigned long long)a->at.off));
	return true;
}

static void check_table(struct debug *d, struct program *a, struct program *b)
{
	struct dwarf_row last = {.end = true};
	struct vbase from = {0};
	a->next = b->next = 0;
	while (next_row(a)) {
		if (!next_row(b) || !check_row(d, &last, &from, a, b)) {
			debug_fail(d, LINE, a->t.start, "the line table has another row now");
			return;
		}
		last = a->row;
		from = a->at;
	}
	if (next_row(b))
		debug_fail(d, LINE, a->t.start, "the line table has more rows now");
}

void verify_lines(struct debug *d)
{
	struct program a = {.d = d, .age = OLD}, b = {.d = d, .age = NEW};
	while (a.t.end < d->m[OLD][LINE].s.size) {
		uint64_t at = a.t.end;
		if (!open_table(&a) || !open_table(&b) || !same_header(&a, &b)) {
			debug_fail(d, LINE, at, "the line table has another header now");
			return;
		}
		vec_push(&d->line, (struct moved){a.t.start, b.t.start});
		check_table(d, &a, &b);
	}
	if (b.t.end < d->m[NEW][LINE].s.size)
		debug_fail(d, LINE, 0, "there are more line tables now");
}
