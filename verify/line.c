/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - line tables (DWARF 5, section 6.2)
 *
 * Corresponding rows of the old and the new table must be equal, for the same instruction.
 */
#include "verify/debug.h"
#include "verify/image.h"
#include "verify/places.h"

/* A line table that is read from row to row. */
struct program {
	const struct image *m;
	const struct dwarf_reader *reader;
	struct dwarf_file *d;
	struct dwarf_lines t;
	size_t next;
	struct dwarf_row row;
	struct vbase at; /* sec 0: an address of no section */
};

static bool next_row(struct program *p)
{
	if (p->next == p->t.n)
		return false;
	p->row = p->reader->row(p->d, p->next++);
	if (!addresses_place(p->m->l, p->m->age, p->row.address, &p->at))
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
	uint64_t skip = a->t.head, n = a->t.body - a->t.start;
	return b->t.head == skip && b->t.body - b->t.start == n && a->t.nfile == b->t.nfile &&
		!memcmp(a->m->data + a->t.start + skip, b->m->data + b->t.start + skip, n - skip);
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
static bool check_row(struct verify *v, const struct dwarf_row *last, const struct vbase *from,
	struct program *a, struct program *b)
{
	v->nline++;
	/* lines of sections that are not loaded have no place, and do not matter */
	if (!skip_runs(v, last, from, a, b) || !same_registers(&a->row, &b->row))
		return false;
	if (!same_address(v, a->row.end, &a->at, &b->at)) {
		struct vbase at = image_place(a->m, a->t.start);
		vfail(v, &v->a->sec.v[a->at.sec ? a->at.sec : at.sec], a->at.off,
			"line %u is at 0x%llx now, which is another place", a->row.line,
			(unsigned long long)b->at.off);
	}
	return true;
}

static void fail_at(struct verify *v, const struct program *a, const char *what)
{
	struct vbase at = image_place(a->m, a->t.start);
	vfail(v, &v->a->sec.v[at.sec], at.off, "%s", what);
}

static void check_table(struct verify *v, struct program *a, struct program *b)
{
	struct dwarf_row last = {.end = true};
	struct vbase from = {0};
	a->next = b->next = 0;
	while (next_row(a)) {
		if (!next_row(b) || !check_row(v, &last, &from, a, b)) {
			fail_at(v, a, "the line table has another row now");
			return;
		}
		last = a->row;
		from = a->at;
	}
	if (next_row(b))
		fail_at(v, a, "the line table has more rows now");
}

static void check_tables(struct verify *v, struct program *a, struct program *b)
{
	while (a->t.end < a->m->s.size) {
		a->t.start = a->t.end;
		if (!a->reader->lines(a->d, a->t.end, &a->t) ||
			!b->reader->lines(b->d, b->t.end, &b->t) || !same_header(a, b)) {
			fail_at(v, a, "the line table has another header now");
			return;
		}
		struct vbase old = image_place(a->m, a->t.start), new = image_place(b->m, b->t.start);
		vec_push(&v->unit, (struct vunit){old.sec, old.off, new.off});
		check_table(v, a, b);
	}
	if (b->t.end < b->m->s.size)
		fail_at(v, a, "there are more line tables now");
}

void verify_lines(struct verify *v, const struct addresses *l)
{
	struct image m[AGES];
	struct program p[AGES];
	for (enum age i = OLD; i < AGES; i++) {
		image_make(&m[i], l, i, ".debug_line");
		p[i] = (struct program){.m = &m[i], .reader = v->opt.dwarf};
		p[i].d = v->opt.dwarf->open(&m[i].s, 1, v->a->word, v->a->big);
	}
	check_tables(v, &p[OLD], &p[NEW]);
	for (enum age i = OLD; i < AGES; i++) {
		v->opt.dwarf->close(p[i].d);
		image_free(&m[i]);
	}
}
