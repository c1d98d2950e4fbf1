/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recode.c - rewriting a section from its old bytes; see recode.h
 */
#include "reloc/meta/recode.h"

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
		struct reloc new = *r;
		new.off = base + (r->off - from);
		new.addend = fix_addend(rc->o, in, r, use_at(rc, r->off));
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

void recode_reloc(struct recode *rc, const struct reloc *r, int64_t addend)
{
	struct reloc new = *r;
	new.off = rc->out.n;
	new.addend = addend;
	vec_push(&rc->rel, new);
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

void recode_finish(struct recode *rc, struct section *s)
{
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
