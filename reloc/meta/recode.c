/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recode.c - rewriting a section from its old bytes; see recode.h
 */
#include "reloc/meta/recode.h"

#include "reloc/diff.h"
#include "reloc/fix.h"

void recode_open(struct recode *rc, struct section *in)
{
	/* That section has been laid out already. */
	if (section_is_code(in))
		fatal_at(in, 0, "a table that is code");
	rc->in = in;
	rc->out.big = rc->o->big;
	rc->next = 0;
	rc->label.v = NULL;
	rc->label.n = rc->label.cap = 0;
}

/* Move the cursor to the first relocation at or after off. */
static void seek(struct recode *rc, uint64_t off)
{
	const struct section *in = rc->in;
	if (rc->next && in->rel[rc->next - 1].off >= off)
		rc->next = section_first_reloc(in, off);
	for (int steps = 0; rc->next < in->nrel && in->rel[rc->next].off < off; steps++) {
		if (steps == 8) {
			rc->next = section_first_reloc(in, off);
			return;
		}
		rc->next++;
	}
}

void recode_label(struct recode *rc, uint64_t off)
{
	if (rc->label.n) {
		const struct frag *last = &rc->label.v[rc->label.n - 1];
		/* Only what is copied out of order comes before the last label. */
		if (off <= last->old || rc->out.n - last->new == off - last->old)
			return;
	}
	vec_push(&rc->label,
		(struct frag){.old = off, .new = rc->out.n, .kind = FRAG_KEPT, .runs = RUNS_OLD});
}

/* The field_refs are few, and looked up in order. */
static enum ref_use use_at(struct recode *rc, uint64_t off)
{
	while (rc->nref && rc->ref->off < off) {
		rc->ref++;
		rc->nref--;
	}
	return rc->nref && rc->ref->off == off ? rc->ref->use : REF_ADDRESS;
}

/* Bytes outside of the piece may be rewritten or dropped. */
static void check_field(const struct recode *rc, const struct reloc *r, uint64_t to)
{
	const struct reloc_info *info = rc->o->reloc_info(r->type);
	if (info->size > to - r->off)
		fatal_at(rc->in, r->off, "the field of %s goes beyond what it is in", info->name);
}

void recode_copy(struct recode *rc, uint64_t from, uint64_t to)
{
	const struct section *in = rc->in;
	if (from >= to)
		return;
	uint64_t base = rc->out.n;
	seek(rc, from);
	for (; rc->next < in->nrel && in->rel[rc->next].off < to; rc->next++) {
		const struct reloc *r = &in->rel[rc->next];
		if (r->type == R_NONE && !r->sym)
			continue;
		check_field(rc, r, to);
		struct reloc new = fix_reloc(rc->o, in, r, use_at(rc, r->off));
		new.off = base + (r->off - from);
		vec_push(&rc->rel, new);
	}
	buf_put(&rc->out, in->data + from, to - from);
}

const struct reloc *recode_find(struct recode *rc, uint64_t off)
{
	seek(rc, off);
	if (rc->next == rc->in->nrel)
		return NULL;
	const struct reloc *r = &rc->in->rel[rc->next];
	return r->off == off && r->type != R_NONE ? r : NULL;
}

void recode_reloc(struct recode *rc, struct reloc r)
{
	r.off = rc->out.n;
	vec_push(&rc->rel, r);
}

/* Add the relocations of a distance.  The number to be written in its place. */
static uint64_t put_terms(struct recode *rc, const struct section *code, uint64_t from, uint64_t to,
	unsigned bits, uint64_t at)
{
	struct reloc r[2];
	bool zero;
	if (!diff_relocs(rc->o, code, from, to, bits, at, r, &zero))
		return to - from;
	vec_push(&rc->rel, r[0]);
	vec_push(&rc->rel, r[1]);
	return zero ? 0 : to - from;
}

void recode_distance(struct recode *rc, const struct section *code, uint64_t from, uint64_t to,
	unsigned bits, uint8_t high)
{
	uint64_t x = put_terms(rc, code, from, to, bits, rc->out.n);
	uint8_t field[8];
	if (!bits) {
		buf_uleb(&rc->out, x);
	} else if (bits < 8) {
		buf_u8(&rc->out, (uint8_t)(high | x));
	} else {
		put_word(field, bits / 8, rc->o->big, x);
		buf_put(&rc->out, field, bits / 8);
	}
}

void recode_patch_distance(struct recode *rc, const struct section *code, uint64_t from,
	uint64_t to, unsigned bits, uint64_t at)
{
	uint64_t x = put_terms(rc, code, from, to, bits, at);
	if (bits)
		put_word(rc->out.v + at, bits / 8, rc->o->big, x);
}

void recode_close(struct recode *rc)
{
	struct addrmap *m = arena_new(rc->o->arena, struct addrmap);
	recode_label(rc, rc->in->size);
	m->frag = rc->label.v;
	m->n = rc->label.n;
	m->old_size = rc->in->size;
	m->new_size = rc->out.n;
	rc->in->map = m;
	rc->in = NULL;
}

static int reloc_cmp(const void *a, const void *b)
{
	const struct reloc *x = a, *y = b;
	return x->off < y->off ? -1 : x->off > y->off;
}

/* Mostly they are in order. */
static void sort_relocs(struct recode *rc)
{
	size_t i = 1;
	while (i < rc->rel.n && rc->rel.v[i - 1].off <= rc->rel.v[i].off)
		i++;
	if (i < rc->rel.n)
		sort(rc->rel.v, rc->rel.n, sizeof *rc->rel.v, reloc_cmp);
}

void recode_finish(struct recode *rc, struct section *s)
{
	sort_relocs(rc);
	s->rewritten = true;
	s->out = rc->out.v;
	s->out_size = rc->out.n;
	/* Never NULL: that would mean that the relocations are still to be moved. */
	vec_reserve(&rc->rel, 1);
	s->out_rel = rc->rel.v;
	s->out_nrel = (uint32_t)rc->rel.n;
}

bool code_changes(const struct object *o)
{
	for (size_t i = 1; i < o->sec.n; i++)
		if (section_is_code(&o->sec.v[i]) && map_changes(o->sec.v[i].map))
			return true;
	return false;
}
