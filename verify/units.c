/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units.c - what is common to all that is read of debug information
 */
#include "verify/debug.h"
#include "verify/landing.h"
#include "verify/places.h"
#include "verify/sites.h"

#include "reloc/fix.h"

bool side_place(const struct side *s, uint64_t off, struct vbase *p)
{
	uint32_t i = section_first_reloc(s->s, off);
	return i < s->s->nrel && s->s->rel[i].off == off && fix_names_label(s->o, &s->s->rel[i]) &&
		place_of(s->o, &s->s->rel[i], 0, &p->sec, &p->off);
}

/* Compilers end ranges one byte before a call's or tail call's end; its jump may have grown. */
static bool same_tail(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t x,
	uint64_t y)
{
	const struct insn *in = &v->insn.v[k];
	return x > in->off && new_end(t, k) - y == in->off + in->len - x;
}

bool same_spot(const struct verify *v, uint32_t a, uint64_t x, uint32_t b, uint64_t y, enum use use)
{
	if (same_place(v, a, x, b, y, use))
		return true;
	const struct vtext *t = text_at(v, a);
	if (!t || v->pair[a] != b)
		return false;
	if (x >= t->a->size)
		return x > t->a->size && x - t->a->size == y - t->b->size;
	uint32_t k = insn_at(v, t, x);
	/* no-ops in front of a run belong to the one before it */
	const struct vrun *before;
	if (is_padding(&v->insn.v[k]) && follows_run(t, behind_padding(v, t, k), &before))
		return before->end <= y && y <= before->stop;
	/* code inserted in front of no-ops need not be in the range of the code behind them */
	if (k > t->first && is_padding(&v->insn.v[k - 1]) && same_place(v, a, x, b, y, USE_READ))
		return true;
	return same_tail(v, t, k, x, y);
}

/* What is read -------------------------------------------------------------- */

const struct moved *moved_find(const moved_vec *all, uint64_t off)
{
	size_t i;
	BISECT(i, 0, all->n, all->v[i].old <= off);
	return i ? &all->v[i - 1] : NULL;
}

void debug_fail(const struct debug *d, enum section_kind k, uint64_t off, const char *what)
{
	struct vbase at = image_place(&d->m[OLD][k], off);
	vfail(d->v, &d->v->a->sec.v[at.sec], at.off, "%s", what);
}

bool old_code(const struct debug *d, uint64_t address, struct vbase *p)
{
	return addresses_place(&d->where, OLD, address, p) && text_at(d->v, p->sec);
}

bool same_other(const struct debug *d, uint64_t x, uint64_t y)
{
	struct vbase p, q;
	if (x == y)
		return true;
	/* a place in a section whose size changed, as an unwind table, may be any */
	if (!addresses_place(&d->where, OLD, x, &p) || !addresses_place(&d->where, NEW, y, &q))
		return false;
	return q.sec == d->v->pair[p.sec] &&
		d->v->a->sec.v[p.sec].size != d->v->b->sec.v[q.sec].size;
}

static bool same_address(const struct debug *d, uint64_t x, uint64_t y, bool *unproved)
{
	struct vbase p, q;
	if (!old_code(d, x, &p))
		return same_other(d, x, y);
	*unproved |= !addresses_place(&d->where, NEW, y, &q) ||
		!same_place(d->v, p.sec, p.off, q.sec, q.off, USE_ENTER);
	return true;
}

/* An address; offsets of entries in .debug_info. */
enum {
	OP_ADDR = 0x03,
	OP_CALL_REF = 0x9a,
	OP_IMPLICIT_POINTER = 0xa0,
	OP_GNU_IMPLICIT_POINTER = 0xf2,
	OP_GNU_VARIABLE_VALUE = 0xfd
};

static bool names_entry(uint8_t op)
{
	return op == OP_CALL_REF || op == OP_IMPLICIT_POINTER || op == OP_GNU_IMPLICIT_POINTER ||
		op == OP_GNU_VARIABLE_VALUE;
}

/* May there be an operator that the linker changes?  Operands may look like one. */
static bool may_refer(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] == OP_ADDR || names_entry(p[i]))
			return true;
	return false;
}

static bool same_op(struct debug *d, const struct dwarf_op *a, const struct dwarf_op *b,
	bool *unproved)
{
	if (a->code == OP_ADDR)
		return same_address(d, a->operand[0], b->operand[0], unproved);
	vec_push(&d->ref, (struct reference){d->entry, a->operand[0], b->operand[0]});
	return a->operand[1] == b->operand[1];
}

bool same_expr(struct debug *d, const uint8_t *p, size_t np, const uint8_t *q, size_t nq,
	bool *unproved)
{
	const struct dwarf_op *a, *b;
	size_t n, m, at = 0;
	*unproved = false;
	if (np != nq)
		return false;
	if (!np || (!may_refer(p, np) && !memcmp(p, q, np)))
		return true;
	if (!d->reader->ops(d->file[OLD], p, np, &a, &n) ||
		!d->reader->ops(d->file[NEW], q, nq, &b, &m))
		return !memcmp(p, q, np);
	for (size_t i = 0; i < n; at = a[i++].end) {
		if (i == m || a[i].code != b[i].code || a[i].end != b[i].end)
			return false;
		if (a[i].code == OP_ADDR || names_entry(a[i].code)
				? !same_op(d, &a[i], &b[i], unproved)
				: memcmp(p + at, q + at, a[i].end - at) != 0)
			return false;
	}
	return n == m;
}
