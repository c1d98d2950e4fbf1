/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eh_frame.c - the unwind table after layout: one .eh_frame of all
 *
 * Every final linker reads a single section without a zero word completely, and makes its search
 * table; the crt files have the terminator, or the user's last object.  FDEs of discarded code and
 * duplicate CIEs are dropped.  So are FDEs of no bytes (empty functions): of two that start at one
 * address LLD's search table has only one, and not the longer one.  Call-frame programs are
 * rewritten (cfa.c) only here and in .debug_frame (debug_frame.c).
 */
#include "reloc/fix.h"
#include "reloc/meta/cfa.h"
#include "reloc/meta/codec.h"
#include "reloc/meta/eh.h"

#include <stdlib.h>

struct out_cie {
	uint64_t off, size; /* in the output, behind its length and id */
	uint32_t rel, nrel; /* its relocations there */
	uint64_t hash;
};

struct eh_out {
	struct recode rc;
	VEC(struct out_cie) cie;
	VEC(uint32_t) at; /* hash table: the number of a CIE, + 1; 0: free.  At most half full */
	bool ends;	  /* the last section ends in a terminator */
};

/*
 * Pad the record from start with DW_CFA_nop, and set its length.  It is at least as long as in the
 * input, so that the text behind an unchanged section does not move, and aligned as its
 * size in the input shows.
 */
static void end_record(struct eh_out *e, uint64_t start, uint64_t size)
{
	struct buf *b = &e->rc.out;
	unsigned align = size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : 1;
	while (b->n - start < size || (b->n - start) % align)
		buf_u8(b, 0);
	if (b->n - start - 4 >= 0xfffffff0)
		fatal_at(e->rc.in, 0, "record of more than 4 GB");
	put_word(b->v + start, 4, b->big, b->n - start - 4);
}

static uint64_t hash_cie(const struct eh_out *e, const struct out_cie *c)
{
	uint64_t h = c->size;
	for (uint64_t i = 0; i < c->size; i++)
		h = (h ^ e->rc.out.v[c->off + i]) * 0x100000001b3;
	for (uint32_t i = 0; i < c->nrel; i++) {
		const struct reloc *r = &e->rc.rel.v[c->rel + i];
		h = (h ^ r->sym ^ (uint64_t)r->addend << 32) * 0x100000001b3;
	}
	return h ^ h >> 32;
}

static bool same_cie(const struct eh_out *e, const struct out_cie *a, const struct out_cie *b)
{
	const uint8_t *v = e->rc.out.v;
	if (a->hash != b->hash || a->size != b->size || a->nrel != b->nrel ||
		memcmp(v + a->off, v + b->off, a->size) != 0)
		return false;
	for (uint32_t i = 0; i < a->nrel; i++) {
		const struct reloc *r = &e->rc.rel.v[a->rel + i];
		const struct reloc *q = &e->rc.rel.v[b->rel + i];
		if (r->off - a->off != q->off - b->off || r->type != q->type || r->sym != q->sym ||
			r->addend != q->addend)
			return false;
	}
	return true;
}

static void double_table(struct eh_out *e)
{
	size_t n = e->at.n ? 2 * e->at.n : 64;
	vec_reserve(&e->at, n);
	memset(e->at.v, 0, n * sizeof *e->at.v);
	e->at.n = n;
	for (size_t i = 0; i < e->cie.n; i++) {
		size_t k = e->cie.v[i].hash % n;
		while (e->at.v[k])
			k = (k + 1) % n;
		e->at.v[k] = (uint32_t)i + 1;
	}
}

/* The slot of a CIE equal to c, or the free one for c. */
static uint32_t *cie_slot(struct eh_out *e, const struct out_cie *c)
{
	if (e->at.n < 2 * (e->cie.n + 1))
		double_table(e);
	size_t k = c->hash % e->at.n;
	while (e->at.v[k] && !same_cie(e, &e->cie.v[e->at.v[k] - 1], c))
		k = (k + 1) % e->at.n;
	return &e->at.v[k];
}

/* Write the CIE unless there is an equal one; returns its offset in the output. */
static uint64_t put_cie(struct eh_out *e, const struct eh_cie *in)
{
	struct recode *rc = &e->rc;
	struct out_cie c = {.rel = (uint32_t)rc->rel.n};
	uint64_t start = rc->out.n;
	recode_label(rc, in->off);
	buf_u64(&rc->out, 0); /* length and id */
	c.off = rc->out.n;
	recode_copy(rc, in->body, in->end);
	end_record(e, start, in->end - in->off);
	c.size = rc->out.n - c.off;
	c.nrel = (uint32_t)rc->rel.n - c.rel;
	c.hash = hash_cie(e, &c);
	uint32_t *slot = cie_slot(e, &c);
	if (*slot) {
		rc->out.n = start;
		rc->rel.n = c.rel;
		return e->cie.v[*slot - 1].off - 8;
	}
	vec_push(&e->cie, c);
	*slot = (uint32_t)e->cie.n;
	return start;
}

static void put_pc(struct eh_out *e, const struct eh_fde *f, uint64_t new_start, uint64_t new_end)
{
	struct recode *rc = &e->rc;
	struct reloc r = *f->rel;
	r.addend += f->early;
	r = fix_reloc(rc->o, rc->in, &r, REF_ADDRESS);
	r.addend -= f->early;
	recode_reloc(rc, r);
	buf_put(&rc->out, rc->in->data + f->pc, f->pc_size);

	uint64_t range = new_end > new_start ? new_end - new_start : 0;
	if (range >> (f->pc_size * 8 - 1) > (f->pc_size == 8))
		fatal_at(rc->in, f->pc, "function is too long for its FDE after layout");
	recode_distance(rc, f->code, new_start, new_start + range, f->pc_size * 8, 0);
}

/*
 * hazard: FDE inside a function.  A function may have several FDEs (clone has one for each
 * half), and one of no bytes may share its start with the next: of two at one start LLD's
 * search table keeps only one.
 */
static void put_fde(struct eh_out *e, const struct eh_fde *f, uint64_t cie)
{
	struct recode *rc = &e->rc;
	uint64_t start = rc->out.n;
	recode_label(rc, f->off);
	buf_u32(&rc->out, 0);
	if (rc->out.n - cie > UINT32_MAX)
		fatal_at(rc->in, f->off, "section of more than 4 GB");
	buf_u32(&rc->out, (uint32_t)(rc->out.n - cie));
	if (!f->code) {
		recode_copy(rc, f->pc, f->end);
	} else {
		struct cfa c = {
			.place = rc->in,
			.big = rc->o->big,
			.code = f->code,
			.start = f->start,
			.new_start = eh_new_start(f),
			.new_end = map_addr(f->code->map, f->start + f->range, REF_UNWIND_END),
			.code_align = f->cie->code_align,
			.data_align = f->cie->data_align,
			.first = f->cie->cfa,
			.first_end = f->cie->end,
			.enc = f->cie->fde_enc,
		};
		put_pc(e, f, c.new_start, c.new_end);
		recode_copy(rc, f->aug, f->cfa);
		cfa_recode(rc, &c, f->cfa, f->end);
	}
	end_record(e, start, f->end - f->off);
}

static void put_section(struct eh_out *e, struct section *s)
{
	struct eh_walk w;
	const struct eh_fde *f;
	eh_open(&w, e->rc.o, s);
	recode_open(&e->rc, s);
	while ((f = eh_next(&w))) {
		if (!f->rel || !f->range || (f->code && f->code->dropped))
			continue;
		struct eh_cie *c = &w.cie.v[f->cie - w.cie.v];
		if (c->new_off == UINT64_MAX)
			c->new_off = put_cie(e, c);
		put_fde(e, f, c->new_off);
	}
	recode_close(&e->rc);
	e->ends = w.ends;
	eh_close(&w);
}

/* Only references from .eh_frame itself survive the merge. */
static void check_references(const struct object *o)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		if (s->dropped)
			continue;
		for (uint32_t k = 0; k < s->nrel; k++) {
			uint64_t off;
			struct section *to = reloc_target(o, &s->rel[k], &off);
			if (to && to->dropped && !strcmp(to->name, ".eh_frame"))
				fatal_at(s, s->rel[k].off, "refers to .eh_frame");
		}
	}
}

void eh_frame_rewrite(struct object *o)
{
	struct eh_out e = {.rc.o = o};
	struct section *first = NULL;
	bool merged = false;
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (!is_eh_frame(s))
			continue;
		put_section(&e, s);
		if (!first || (first->group && !s->group)) {
			if (first)
				first->dropped = merged = true;
			first = s;
		} else {
			s->dropped = merged = true;
		}
	}
	if (!first)
		return;
	if (e.ends)
		buf_u32(&e.rc.out, 0);
	recode_finish(&e.rc, first);
	vec_free(&e.cie);
	vec_free(&e.at);
	if (merged)
		check_references(o);
}
