/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - tables of code in one section: .sframe, .llvm_bb_addr_map
 *
 * SFrame specification, versions 1 and 2; LLVM Extensions, SHT_LLVM_BB_ADDR_MAP.
 */
#include "verify/debug.h"
#include "verify/landing.h"
#include "verify/places.h"
#include "verify/rows.h"

/* .sframe --------------------------------------------------------------- */

struct sframe_row {
	uint64_t x;
	unsigned kind; /* the info byte without the size of offsets */
	unsigned n;
	int64_t off[15]; /* the CFA's is the first */
};
enum { ROW_ON_STACK = 0x01, ROW_SIZE = 0x60 };

struct sframe {
	struct side s;
	uint64_t start, fdes, nfde, fde_size, rows, end;
	uint64_t said, total; /* number of rows: by the header, and found */
	/* the current function */
	struct vbase code;
	uint64_t size, nrow;  /* nrow: still to be read */
	unsigned width, kind; /* code of the size of a row's start; kind of FDE */
	struct sframe_row row;
	bool more;
};

static bool open_sframe(struct sframe *f)
{
	struct reader *r = &f->s.r;
	uint64_t at = f->start = reader_at(r);
	f->total = 0;
	read_u16(r);
	f->fde_size = read_u8(r) == 1 ? 17 : 20;
	read_skip(r, 4);
	uint64_t head = at + 28 + read_u8(r);
	f->nfde = read_u32(r);
	f->said = read_u32(r);
	uint64_t len = read_u32(r);
	f->fdes = head + read_u32(r);
	f->rows = head + read_u32(r);
	f->end = f->rows + len;
	return !r->bad && f->end <= f->s.s->size && f->end > at && f->rows >= f->fdes &&
		f->nfde * f->fde_size <= f->rows - f->fdes;
}

static uint64_t read_width(struct reader *r, unsigned width)
{
	return width == 0 ? read_u8(r) : width == 1 ? read_u16(r) : read_u32(r);
}

/* Function i; its rows are next. */
static bool open_function(struct sframe *f, uint64_t i)
{
	uint64_t at = f->fdes + i * f->fde_size;
	const uint8_t *d = f->s.s->data + at;
	bool big = f->s.o->big;
	uint64_t first = f->rows + get_word(d + 8, 4, big);
	f->size = get_word(d + 4, 4, big);
	f->nrow = get_word(d + 12, 4, big);
	f->width = d[16] & 15;
	f->kind = d[16] >> 4;
	f->total += f->nrow;
	if (first > f->end || f->width > 2)
		return false;
	f->s.r.p = f->s.r.start + first;
	if (!side_place(&f->s, at, &f->code))
		f->code = (struct vbase){0};
	return true;
}

/* The next row; sets f->more. */
static bool next_row(struct sframe *f)
{
	struct reader *r = &f->s.r;
	struct sframe_row *row = &f->row;
	f->more = f->nrow > 0;
	if (!f->more)
		return true;
	f->nrow--;
	row->x = read_width(r, f->width);
	unsigned info = read_u8(r), size = info >> 5 & 3;
	row->kind = info & ~(unsigned)ROW_SIZE;
	row->n = info >> 1 & 15;
	for (unsigned i = 0; i < row->n; i++) {
		uint64_t x = read_width(r, size);
		row->off[i] = size == 0 ? (int8_t)x : size == 1 ? (int16_t)x : (int32_t)x;
	}
	return !r->bad && size <= 2;
}

static bool same_row(const struct sframe_row *a, const struct sframe_row *b, uint32_t down)
{
	if (a->kind != b->kind)
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (a->off[i] + (i ? 0 : down) != b->off[i])
			return false;
	return true;
}

/* A row begins at the end of the old instruction before it, or at the function's start. */
static bool same_row_place(const struct verify *v, const struct sframe *a, const struct sframe *b,
	uint64_t y)
{
	const struct vbase *p = &a->code, *q = &b->code;
	uint64_t x = a->row.x;
	if (!x || !text_at(v, p->sec))
		return x == y;
	return same_place(v, p->sec, p->off + x, q->sec, q->off + y, USE_END);
}

/* Check b's rows in inserted code in front of a's next row; now: the row around that code. */
static bool check_site(struct verify *v, const struct vsite *s, const struct sframe *a,
	struct sframe *b, const struct sframe_row *now)
{
	const struct pattern *p = s->pattern;
	for (uint32_t i = 0; i < p->nstack && (now->kind & ROW_ON_STACK) && now->n; i++) {
		const struct stack_move *m = &p->stack[i];
		uint64_t at = s->at + m->at - b->code.off;
		uint32_t down = m->down;
		v->nmoved++;
		/* no row for an empty range */
		if (!down && (at == b->size || (a->more && same_row_place(v, a, b, at))))
			continue;
		if (!b->more || b->row.x != at || !same_row(now, &b->row, down) || !next_row(b))
			return false;
	}
	return true;
}

static bool same_rows(struct verify *v, struct sframe *a, struct sframe *b)
{
	const struct vbase *x = &a->code, *y = &b->code;
	struct vmoving m = moving_sites(v, x->sec, x->off, y->off, y->off + b->size);
	struct sframe_row now = {0};
	if (!next_row(a) || !next_row(b))
		return false;
	for (;;) {
		for (; moving_left(&m) && (!b->more || y->off + b->row.x > m.site->at);
			moving_next(&m))
			if (!check_site(v, m.site, a, b, &now))
				return false;
		if (!a->more || !b->more)
			return a->more == b->more;
		if (!same_row_place(v, a, b, b->row.x) || !same_row(&a->row, &b->row, 0))
			return false;
		v->nrow++;
		now = a->row;
		if (!next_row(a) || !next_row(b))
			return false;
	}
}

static bool same_function(struct verify *v, struct sframe *a, struct sframe *b)
{
	const struct vbase *x = &a->code, *y = &b->code;
	if (!x->sec != !y->sec || a->kind != b->kind)
		return false;
	if (text_at(v, x->sec) &&
		(!same_place(v, x->sec, x->off, y->sec, y->off, USE_ROW) ||
			!same_place(v, x->sec, x->off + a->size, y->sec, y->off + b->size,
				USE_PAST)))
		return false;
	return same_rows(v, a, b);
}

/* Are the headers equal but for the number and place of rows? */
static bool same_header(const struct sframe *a, const struct sframe *b)
{
	const uint8_t *p = a->s.s->data + a->start, *q = b->s.s->data + b->start;
	return !memcmp(p, q, 8) && a->nfde == b->nfde && a->fdes - a->start == b->fdes - b->start &&
		!memcmp(p + 28, q + 28, p[7]);
}

void verify_sframe(struct verify *v, const struct section *sa, const struct section *sb)
{
	struct sframe a = {.s = side_make(v->a, sa)}, b = {.s = side_make(v->b, sb)};
	while (a.s.r.p < a.s.r.end) {
		bool good = open_sframe(&a) && open_sframe(&b) && same_header(&a, &b);
		for (uint64_t i = 0; good && i < a.nfde; i++)
			good = open_function(&a, i) && open_function(&b, i) &&
				same_function(v, &a, &b);
		good = good && (b.said == b.total || a.said != a.total);
		if (!good) {
			vfail(v, sa, reader_at(&a.s.r),
				"the stack-trace table has another entry now");
			return;
		}
		a.s.r.p = a.s.r.start + a.end;
		b.s.r.p = b.s.r.start + b.end;
	}
}

/* .llvm_bb_addr_map ----------------------------------------------------- */

struct bb_range {
	struct side s;
	struct vbase code;
	uint64_t n, pos;
	/* the current block */
	uint64_t id, start, what;
};

static bool open_range(struct bb_range *b)
{
	struct reader *r = &b->s.r;
	bool known = side_place(&b->s, reader_at(r), &b->code);
	read_word(r, b->s.o->word);
	b->n = read_uleb(r);
	b->pos = 0;
	return known && !r->bad;
}

static bool next_block(struct bb_range *b)
{
	struct reader *r = &b->s.r;
	b->id = read_uleb(r);
	b->start = b->pos + read_uleb(r);
	b->pos = b->start + read_uleb(r);
	b->what = read_uleb(r);
	return !r->bad;
}

static bool same_blocks(struct verify *v, struct bb_range *a, struct bb_range *b)
{
	const struct vbase *x = &a->code, *y = &b->code;
	if (!open_range(a) || !open_range(b) || a->n != b->n ||
		!same_place(v, x->sec, x->off, y->sec, y->off, USE_ROW))
		return false;
	for (uint64_t i = 0; i < a->n; i++) {
		if (!next_block(a) || !next_block(b) || a->id != b->id || a->what != b->what)
			return false;
		v->nrange++;
		if (a->start == a->pos ? b->start != b->pos
				       : !same_place(v, x->sec, x->off + a->start, y->sec,
						 y->off + b->start, USE_ROW) ||
					!same_place(v, x->sec, x->off + a->pos, y->sec,
						y->off + b->pos, USE_END))
			return false;
	}
	return true;
}

/* Are the function's optional data (PGO analysis) equal? */
static bool same_rest(struct bb_range *a, struct bb_range *b, unsigned features, uint64_t nblocks)
{
	struct reader *r = &a->s.r, *q = &b->s.r;
	const uint8_t *p = r->p;
	if (features & 1)
		read_uleb(r);
	for (uint64_t i = 0; i < nblocks && !r->bad; i++) {
		if (features & 2)
			read_uleb(r);
		for (uint64_t n = features & 4 ? 2 * read_uleb(r) : 0; n && !r->bad; n--)
			read_uleb(r);
	}
	size_t len = (size_t)(r->p - p);
	const uint8_t *other = q->p;
	read_skip(q, len);
	return !r->bad && !q->bad && !memcmp(p, other, len);
}

void verify_bb_addr_map(struct verify *v, const struct section *sa, const struct section *sb)
{
	struct bb_range a = {.s = side_make(v->a, sa)}, b = {.s = side_make(v->b, sb)};
	struct reader *r = &a.s.r, *q = &b.s.r;
	while (r->p < r->end) {
		uint64_t at = reader_at(r), nblocks = 0;
		unsigned version = read_u8(r), features = read_u8(r);
		bool good = read_u8(q) == version && read_u8(q) == features;
		uint64_t n = features & 8 ? read_uleb(r) : 1;
		good = good && (!(features & 8) || read_uleb(q) == n);
		for (; good && n; n--) {
			good = same_blocks(v, &a, &b);
			nblocks += a.n;
		}
		if (!good || !same_rest(&a, &b, features, nblocks)) {
			vfail(v, sa, at, "the map of blocks has another entry now");
			return;
		}
	}
}
