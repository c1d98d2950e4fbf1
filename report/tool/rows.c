/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - the rows of a tool's tables; see rows.h
 *
 * All code is walked in its order.  Rows of most kinds are then found one after the other; lines
 * and keys come again and are looked up.
 */
#include "report/tool/rows.h"

#include "report/common/progress.h"
#include "report/tool/walk.h"

#include <stdlib.h>
#include <string.h>

struct maker {
	const struct ldx_table *t;
	size_t ncolumns;
	const struct filter *filter;
	bool all;
	VEC(struct row) row;
	struct strmap by_key; /* of lines, too: 1 + index in row */
	/* the last line that was asked for */
	const char *last_file;
	uint32_t last_line;
	size_t last;
};

size_t columns_of(const struct ldx_table *t)
{
	size_t n = 0;
	while (t->columns[n].name)
		n++;
	return n;
}

static bool is_sum(enum ldx_column_kind kind)
{
	return kind <= LDX_SUM;
}

static bool is_computed(enum ldx_column_kind kind)
{
	return kind == LDX_SHARE || kind == LDX_RATIO || kind == LDX_BAR;
}

static void fail(const struct ldx_table *t, const char *what, const char *column)
{
	die("table %s: %s%s%s", t->name, what, column ? " " : "", column ? column : "");
}

/* The declaration is a stranger's. */
static void check(const struct ldx_table *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct ldx_column *c = &t->columns[i];
		if ((c->kind == LDX_SUM || c->kind == LDX_FACT) && !c->value)
			fail(t, "no value() for column", c->name);
		if (c->kind == LDX_NAME && !c->text)
			fail(t, "no text() for column", c->name);
		if (is_computed(c->kind) && (c->a >= n || is_computed(t->columns[c->a].kind)))
			fail(t, "no such column a for column", c->name);
		if (c->kind == LDX_RATIO && (c->b >= n || is_computed(t->columns[c->b].kind)))
			fail(t, "no such column b for column", c->name);
		if (c->kind > LDX_LABEL)
			fail(t, "an unknown kind of column", c->name);
	}
	if (t->rows > LDX_ROWS_KEYS)
		fail(t, "an unknown kind of rows", NULL);
	if (t->rows == LDX_ROWS_KEYS && (!t->key || !t->key_name))
		fail(t, "no key", NULL);
	if (t->sort != LDX_UNSORTED && t->sort >= n)
		fail(t, "it is sorted by a column that it has not", NULL);
}

/* Finding rows ----------------------------------------------------------------- */

static struct row *new_row(struct maker *m, struct row r)
{
	r.v = NEW_ARRAY(struct value, m->ncolumns);
	vec_push(&m->row, r);
	return &m->row.v[m->row.n - 1];
}

/* The row found by a key, which is kept. */
static struct row *find_row(struct maker *m, const char *key, struct row r)
{
	uint64_t *known = strmap_find(&m->by_key, key);
	if (!known) {
		new_row(m, r);
		known = strmap_slot(&m->by_key, new_string("%s", key));
		*known = m->row.n;
	}
	m->last = *known - 1;
	return &m->row.v[m->last];
}

static struct row *row_of_line(struct maker *m, const ldx_insn *i)
{
	const struct source_frame *f = walk_frame(i);
	const ldx_object *o = i->block->func->object;
	if (!f || !f->file || !f->line ||
		!filter_takes(m->filter, o->p, i->block->func->f, f->file))
		return NULL;
	if (m->row.n && f->file == m->last_file && f->line == m->last_line &&
		m->row.v[m->last].object == o)
		return &m->row.v[m->last];
	m->last_file = f->file;
	m->last_line = f->line;
	char *key = new_string("%u:%s:%s", (unsigned)f->line, f->file, o->p->path);
	struct row *r =
		find_row(m, key, (struct row){.object = o, .file = f->file, .line = f->line});
	free(key);
	return r;
}

static struct row *row_of_key(struct maker *m, const ldx_insn *i)
{
	const char *key = m->t->key(i);
	if (!key)
		return NULL;
	struct row *r = find_row(m, key, (struct row){.address = 0});
	r->name = r->name ? r->name : new_string("%s", key);
	return r;
}

static struct row *row_of_call(struct maker *m, const ldx_insn *i, const struct call *c)
{
	if (!c)
		return NULL;
	const struct source_frame *f = walk_frame(i);
	return new_row(m,
		(struct row){.object = i->block->func->object,
			.func = i->block->func,
			.block = i->block->b,
			.address = i->address,
			.offset = i->offset,
			.file = f ? f->file : NULL,
			.line = f ? f->line : 0,
			.name = c->name ? demangled(c->name) : NULL});
}

/* The row of a function, a block or an instruction, whichever is not the last row's. */
static struct row *row_of_code(struct maker *m, const ldx_func *f, const ldx_insn *i)
{
	enum ldx_rows by = m->t->rows;
	const struct map_block *b = i && by >= LDX_ROWS_BLOCKS ? i->block->b : NULL;
	struct row *last = m->row.n ? &m->row.v[m->row.n - 1] : NULL;
	if (last && last->func == f && last->block == b && by != LDX_ROWS_INSNS)
		return last;
	struct row r = {.object = f->object, .func = f, .block = b, .address = f->f->address};
	if (b) {
		const struct source_frame *v = walk_frame(i);
		r.address = i->address;
		r.offset = i->offset;
		r.file = v ? v->file : NULL;
		r.line = v ? v->line : 0;
	}
	if (by == LDX_ROWS_INSNS)
		r.name = ldx_insn_text(i);
	return new_row(m, r);
}

/* The row of the instruction; or (NULL) of a function without known instructions. */
static struct row *row_of(struct maker *m, const ldx_func *f, const ldx_insn *i,
	const struct call *c)
{
	struct row *last = m->row.n ? &m->row.v[m->row.n - 1] : NULL;
	switch (m->t->rows) {
	case LDX_ROW_TOTAL: return last ? last : new_row(m, (struct row){0});
	case LDX_ROWS_OBJECTS:
		return last && last->object == f->object
			? last
			: new_row(m, (struct row){.object = f->object});
	case LDX_ROWS_FUNCTIONS: return row_of_code(m, f, i);
	case LDX_ROWS_LINES: return i ? row_of_line(m, i) : NULL;
	case LDX_ROWS_CALLS: return i ? row_of_call(m, i, c) : NULL;
	case LDX_ROWS_KEYS: return i ? row_of_key(m, i) : NULL;
	default: return i ? row_of_code(m, f, i) : NULL;
	}
}

/* Values ------------------------------------------------------------------------- */

static void add(struct value *v, bool known, uint64_t n)
{
	v->known |= known;
	v->number = add_sat(v->number, known ? n : 0);
}

static void add_fact(struct value *v, const struct ldx_column *c, const ldx_insn *i)
{
	if (v->known)
		return;
	if (c->kind == LDX_NAME) {
		v->text = c->text(i);
		v->known = v->text;
	} else {
		v->number = c->value(i);
		v->known = v->number != LDX_UNKNOWN;
	}
}

/* An instruction in its function: the first one of it, the first one of its block. */
struct visit {
	const ldx_insn *i;
	bool first, heads;
	bool known, calls_known;
	uint64_t count, calls;
};

static void add_insn(const struct maker *m, struct row *r, const struct visit *x)
{
	for (size_t k = 0; k < m->ncolumns; k++) {
		const struct ldx_column *c = &m->t->columns[k];
		struct value *v = &r->v[k];
		bool is = !c->classes || ldx_insn_class(x->i) & c->classes;
		switch (c->kind) {
		case LDX_EXECUTED: add(v, x->known, is ? x->count : 0); break;
		case LDX_BLOCKS: add(v, x->known, x->heads && is ? x->count : 0); break;
		case LDX_ENTRIES:
			if (x->first)
				add(v, x->calls_known, x->calls);
			break;
		case LDX_CODE: add(v, true, is); break;
		case LDX_SUM:
			add(v, x->known,
				x->known && x->count && is ? mul_sat(x->count, c->value(x->i)) : 0);
			break;
		case LDX_FACT:
		case LDX_NAME: add_fact(v, c, x->i); break;
		default: break;
		}
	}
}

/* Of a function without known blocks only entries are known. */
static void add_opaque(struct maker *m, const ldx_func *f, const struct visit *x)
{
	struct row *r = row_of(m, f, NULL, NULL);
	for (size_t k = 0; r && k < m->ncolumns; k++)
		if (m->t->columns[k].kind == LDX_ENTRIES)
			add(&r->v[k], x->calls_known, x->calls);
}

static void add_func(struct maker *m, const ldx_func *f)
{
	struct visit x = {.first = true};
	x.calls_known = func_calls(f->object->p, f->f, &x.calls);
	if (!f->f->nblocks)
		add_opaque(m, f, &x);
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		x.known = block_count(f->object->p, b->b, &x.count);
		if (x.known && !x.count && !m->all && !(b == f->block && x.calls))
			continue;
		struct visit at = x;
		for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));) {
			struct call c;
			bool call = m->t->rows == LDX_ROWS_CALLS && walk_call(i, &c);
			struct row *r;
			at.i = i;
			at.first = x.first && i == f->insn;
			at.heads = i == b->insn;
			at.known = call ? c.known : x.known;
			at.count = call ? c.count : x.count;
			r = row_of(m, f, i, call ? &c : NULL);
			if (r)
				add_insn(m, r, &at);
		}
	}
	walk_forget(f);
}

/* Do values depend on code that was not executed? */
static bool needs_all(const struct maker *m)
{
	for (size_t k = 0; k < m->ncolumns; k++)
		if (m->t->columns[k].kind == LDX_CODE)
			return true;
	return false;
}

static void walk_all(struct maker *m)
{
	for (const ldx_object *o = NULL; (o = ldx_next_object(o));) {
		size_t nfuncs = o->p->map.nfuncs;
		for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
			progress("reading instructions", (size_t)(f - o->func), nfuncs);
			if ((m->all || func_sum(o->p, f->f).run) &&
				(m->t->rows == LDX_ROWS_LINES ||
					filter_takes(m->filter, o->p, f->f, NULL)))
				add_func(m, f);
		}
	}
	progress_clear();
}

/* Computed columns ----------------------------------------------------------------- */

static uint64_t greatest(const struct rows *r, unsigned column)
{
	uint64_t most = 0;
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].v[column].number > most)
			most = r->v[i].v[column].number;
	return most;
}

static void divide(struct value *v, const struct value *a, uint64_t b)
{
	v->known = a->known && b;
	v->real = v->known ? (double)a->number / (double)b : 0;
}

static void compute(struct rows *r)
{
	for (size_t k = 0; k < r->ncolumns; k++) {
		const struct ldx_column *c = &r->table->columns[k];
		uint64_t by = c->kind == LDX_SHARE ? r->total[c->a].number
			: c->kind == LDX_BAR	   ? greatest(r, c->a)
						   : 0;
		for (size_t i = 0; i <= r->n && is_computed(c->kind); i++) {
			struct value *v = i < r->n ? r->v[i].v : r->total;
			divide(&v[k], &v[c->a], c->kind == LDX_RATIO ? v[c->b].number : by);
		}
	}
}

static void add_totals(struct rows *r)
{
	r->total = NEW_ARRAY(struct value, r->ncolumns);
	for (size_t k = 0; k < r->ncolumns; k++) {
		enum ldx_column_kind kind = r->table->columns[k].kind;
		for (size_t i = 0; i < r->n && (is_sum(kind) || kind == LDX_NUMBER); i++)
			add(&r->total[k], r->v[i].v[k].known, r->v[i].v[k].number);
	}
}

/* Order ------------------------------------------------------------------------------ */

static const struct rows *sorting;

static int compare_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_numbers(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

static const char *name_of(const struct row *r)
{
	return r->func ? r->func->f->name : NULL;
}

static double sort_key(const struct value *v)
{
	return v->known ? v->real : -1;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	unsigned k = sorting->table->sort;
	int d = compare_numbers(y->v[k].known ? y->v[k].number : 0,
		x->v[k].known ? x->v[k].number : 0);
	double p = sort_key(&x->v[k]), q = sort_key(&y->v[k]);
	d = d ? d : (p < q) - (p > q);
	d = d ? d : compare_text(x->file, y->file);
	d = d ? d : compare_numbers(x->line, y->line);
	d = d ? d : compare_text(name_of(x), name_of(y));
	d = d ? d : compare_text(x->name, y->name);
	return d ? d : compare_numbers(x->address, y->address);
}

static void finish(struct rows *r)
{
	add_totals(r);
	compute(r);
	sorting = r;
	if (r->n && r->table->sort != LDX_UNSORTED)
		qsort(r->v, r->n, sizeof *r->v, compare_rows);
}

/* Does it have a count that is not 0, or not known? */
static bool is_counted(const struct rows *r, const struct row *w)
{
	bool sums = false;
	for (size_t k = 0; k < r->ncolumns; k++) {
		enum ldx_column_kind kind = r->table->columns[k].kind;
		if (!is_sum(kind) || kind == LDX_CODE)
			continue;
		if (w->v[k].number)
			return true;
		sums = true;
	}
	return !sums;
}

struct rows rows_make(const struct ldx_table *t, const struct filter *filter, bool all)
{
	struct maker m = {.t = t, .ncolumns = columns_of(t), .filter = filter, .all = all};
	check(t, m.ncolumns);
	m.all |= needs_all(&m);
	walk_all(&m);
	struct rows r = {.table = t, .ncolumns = m.ncolumns, .v = m.row.v};
	for (size_t i = 0; i < m.row.n; i++)
		if (all || t->rows == LDX_ROW_TOTAL || is_counted(&r, &m.row.v[i]))
			r.v[r.n++] = m.row.v[i];
	finish(&r);
	return r;
}

struct rows rows_added(const struct ldx_table *t, const struct ldx_value *values, size_t n)
{
	struct rows r = {.table = t, .ncolumns = columns_of(t), .n = n};
	check(t, r.ncolumns);
	r.v = NEW_ARRAY(struct row, n);
	for (size_t i = 0; i < n; i++) {
		r.v[i].v = NEW_ARRAY(struct value, r.ncolumns);
		for (size_t k = 0; k < r.ncolumns; k++) {
			const struct ldx_value *from = &values[i * r.ncolumns + k];
			bool text = t->columns[k].kind == LDX_TEXT;
			r.v[i].v[k] = (struct value){.number = from->number,
				.text = from->text,
				.known = text ? from->text != NULL : from->number != LDX_UNKNOWN};
		}
	}
	finish(&r);
	return r;
}
