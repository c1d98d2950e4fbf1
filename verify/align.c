/* SPDX-License-Identifier: Apache-2.0 */
/*
 * align.c - match each old instruction with its place in the new code
 *
 * Old and new code are walked together.  Claimed code must do what is claimed (claim.c); no-ops may
 * come and go; everything else must be the same instruction, apart from a distance in it and a
 * branch's length.  The old code is decoded; the new code is compared with it, and decoded where a
 * no-op may stand that the old code does not have.
 */
#include "verify/inserted.h"
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/tables.h"

#include <stdlib.h>

struct align {
	struct verify *v;
	struct vtext *t;
	uint32_t k;    /* old instruction */
	uint32_t last; /* behind the run's old instructions */
	uint64_t stop; /* behind the run's new bytes */
	uint64_t j;    /* new offset */
	uint64_t end;  /* new end of the last instruction that is no no-op */
	uint32_t run;  /* the first of the no-ops in front of k */
	struct claims claims;
	bool landed; /* the last inserted code was a landing instruction */
};

/* Decoding the old code ------------------------------------------------ */

static void mark_symbols(struct verify *v, uint64_t **hard)
{
	for (size_t i = 1; i < v->a->sym.n; i++) {
		const struct symbol *s = &v->a->sym.v[i];
		struct vtext *t = text_at(v, s->sec);
		unsigned type = symbol_type(s);
		if (!t || type == STT_SECTION || s->value > t->a->size)
			continue;
		uint64_t *h = hard[t - v->text.v];
		bit_set(h, s->value);
		bool func = type == STT_FUNC || type == STT_GNU_IFUNC;
		if (func || (type == STT_NOTYPE && symbol_bind(s) != STB_LOCAL))
			bit_set(t->named, s->value);
		if (!func) {
			bit_set(t->loose, s->value);
			continue;
		}
		bit_set(t->start, s->value);
		if (s->size && s->size <= t->a->size - s->value) {
			bit_set(h, s->value + s->size);
			bit_set(t->loose, s->value + s->size);
			bit_set(t->ends, s->value + s->size);
		}
	}
}

/* The first offset in (from, to) where an instruction must begin; to if there is none. */
static uint64_t next_hard(const uint64_t *h, uint64_t from, uint64_t to)
{
	while (++from < to && !bit_get(h, from))
		;
	return from < to ? from : to;
}

/* A no-op with a relocation must be kept, as any other instruction. */
static bool has_reloc(const struct verify *v, const struct section *s, const struct insn *in,
	uint64_t x)
{
	uint32_t i = in->kind == INSN_NOP ? section_first_reloc(s, x) : s->nrel;
	const struct insn *before = v->insn.n ? &v->insn.v[v->insn.n - 1] : NULL;
	bool falls = x && before &&
		(before->kind == INSN_OTHER || before->kind == INSN_BRANCH ||
			before->kind == INSN_NOP || before->kind == KIND_CHANGED);
	while (!falls && i < s->nrel && s->rel[i].off == x &&
		v->target->reloc_info(s->rel[i].type)->aligns)
		i++;
	return i < s->nrel && s->rel[i].off < x + in->len;
}

/* Two instructions that make an address without relocations are one. */
static void join_pair(const struct verify *v, const struct section *s, uint64_t x, struct insn *in)
{
	struct insn pair = *in;
	if (!v->target->join || !v->target->join(s->data + x, s->size - x, &pair))
		return;
	uint32_t i = section_first_reloc(s, x);
	if (i == s->nrel || s->rel[i].off >= x + pair.len)
		*in = pair;
}

static void decode_text(struct verify *v, struct vtext *t, const uint64_t *hard)
{
	const struct section *s = t->a;
	uint64_t func = 0;
	uint32_t r = 0;
	t->first = (uint32_t)v->insn.n;
	for (uint64_t x = 0; x < s->size;) {
		struct insn in = {0};
		bool ok = v->target->decode(v->decoder, s->data + x, s->size - x, &in);
		if (ok)
			join_pair(v, s, x, &in);
		if (bit_get(t->start, x))
			func = x;
		uint64_t stop = ok ? next_hard(hard, x, x + in.len) : x;
		if (ok && stop == x + in.len) {
			in.off = (uint32_t)x;
			while (r < s->nrel && s->rel[r].off < x)
				r++;
			in.has_rel = r < s->nrel && s->rel[r].off < x + in.len;
			if (has_reloc(v, s, &in, x))
				in.kind = KIND_CHANGED;
			vec_push(&v->insn, in);
			x += in.len;
			continue;
		}
		/* Raw bytes up to the next offset where an instruction must begin. */
		bit_set(t->raw, func);
		stop = ok ? stop : x + 1;
		for (; x < stop; x++)
			vec_push(&v->insn,
				(struct insn){.off = (uint32_t)x, .len = 1, .kind = KIND_RAW});
	}
	t->n = (uint32_t)v->insn.n - t->first;
}

/* Aligning ------------------------------------------------------------- */

enum { CODE = 24, FAR = 1 << 30 }; /* bytes of the longest instruction; a long way */

bool is_far_form(const struct target *t, const struct insn *in, const uint8_t *p, const uint8_t *q)
{
	uint8_t code[CODE];
	unsigned field;
	return t->form->far_reloc && t->form->far_reloc(in, in->len, FAR, &field) &&
		t->form->encode(in, p, in->len, FAR, code) && t->form->same_but_field(in, code, q);
}

/*
 * The instruction in at byte at of section s, without the addends in its fields, which
 * verify_code() checks; copied to out if there may be any.
 */
static const uint8_t *without_addends(const struct align *al, const struct insn *in,
	const struct section *s, uint64_t at, uint8_t *out)
{
	const struct object *o = al->v->a;
	const struct section *a = al->t->a;
	if (o->sec.v[a->rela].type != SHT_REL)
		return s->data + at;
	memset(out, 0, CODE);
	memcpy(out, s->data + at, s->size - at < CODE ? s->size - at : CODE);
	for (uint32_t i = section_first_reloc(a, in->off);
		i < a->nrel && a->rel[i].off < (uint64_t)in->off + in->len; i++) {
		const struct reloc_info *info = o->reloc_info(a->rel[i].type);
		uint8_t *field = out + (a->rel[i].off - in->off);
		if (info->bits)
			put_word(field, info->size, o->big,
				get_word(field, info->size, o->big) &
					~(UINT64_MAX >> (64 - info->bits)));
	}
	return out;
}

/* Likewise, bytes q of an instruction of length len without the addend that it may have there only.
 */
static const uint8_t *without_far(const struct align *al, const struct insn *in, unsigned len,
	const uint8_t *q, uint8_t *out)
{
	const struct object *o = al->v->b;
	const struct target *t = al->v->target;
	unsigned field = 0;
	uint32_t type = t->form->far_reloc ? t->form->far_reloc(in, len, FAR, &field) : 0;
	const struct reloc_info *info = o->reloc_info(type);
	if (!type || o->sec.v[al->t->b->rela].type != SHT_REL || len > CODE)
		return q;
	memcpy(out, q, len);
	put_word(out + field, info->size, o->big,
		get_word(out + field, info->size, o->big) & ~(UINT64_MAX >> (64 - info->bits)));
	return out;
}

/* Is the branch with bytes q at y in, with bytes p, encoded to length len? */
static bool is_long_form(const struct align *al, const struct insn *in, uint64_t y,
	const uint8_t *p, const uint8_t *q, unsigned len)
{
	const struct target *t = al->v->target;
	uint8_t code[CODE], far[CODE];
	if (len > al->t->b->size - y)
		return false;
	q = without_far(al, in, len, q, far);
	if (!t->form->encode(in, p, len, t->form->distance(in, q, len), code) ||
		memcmp(code, q, len) != 0)
		return false;
	/* The short form may begin with the same bytes: if all old bytes are there, it is that. */
	uint64_t room = al->t->a->size - in->off;
	return !t->form->same_but_field(in, p, q) || room < len ||
		memcmp(p + in->len, q + in->len, len - in->len) != 0;
}

/* Length of the branch at y, with bytes q, if that is a longer form, else 0. */
static unsigned long_form(const struct align *al, const struct insn *in, uint64_t y,
	const uint8_t *p, const uint8_t *q)
{
	const struct target *t = al->v->target;
	regset changes;
	if (!insn_stretches(t, in))
		return 0;
	unsigned far = insn_far_len(t, in, &changes);
	if (far && is_long_form(al, in, y, p, q, far))
		return far;
	unsigned longest = t->form->len(in, INT64_MAX / 2, in->len), len;
	if (is_long_form(al, in, y, p, q, longest))
		return longest;
	for (int64_t dist = 16; (len = t->form->len(in, dist, in->len)) < longest; dist *= 2)
		if (len > in->len && is_long_form(al, in, y, p, q, len))
			return len;
	return 0;
}

/* Compare up to 16 raw bytes together, since a single one might be part of a no-op. */
static bool same_raw(const struct align *al, uint64_t y)
{
	const struct vtext *t = al->t;
	const struct insn *in = &al->v->insn.v[al->k];
	uint32_t n = 0, left = t->first + t->n - al->k;
	while (n < 16 && n < left && in[n].kind == KIND_RAW)
		n++;
	return t->b->size - y >= n && !memcmp(t->a->data + in->off, t->b->data + y, n);
}

/*
 * Raw bytes and relocated no-ops may look like padding.  If the no-ops in front of one are
 * unchanged, it is behind all of them.
 */
static void take_kept_nops(struct align *al, const struct insn *in)
{
	const struct section *a = al->t->a, *b = al->t->b;
	uint32_t from = al->v->insn.v[al->run].off, n = in->off - from;
	if ((in->kind != KIND_RAW && in->kind != KIND_CHANGED) || !n ||
		b->size - al->j < n + in->len ||
		memcmp(a->data + from, b->data + al->j, n + in->len) != 0)
		return;
	for (uint32_t i = al->run; i < al->k; i++)
		bit_set(al->t->bound, al->j + al->v->insn.v[i].off - from);
	al->j += n;
}

/* Length of the new instruction at y if it is in, but for its distance; else 0. */
/* May the last link delete bytes of instruction in, now at y, as before? */
static bool same_relaxation(const struct align *al, const struct insn *in, uint64_t y)
{
	const struct section *a = al->t->a, *b = al->t->b;
	uint64_t end = (uint64_t)in->off + in->len;
	uint32_t i = section_first_reloc(a, in->off), k = section_first_reloc(b, y);
	for (; i < a->nrel && a->rel[i].off < end; i++) {
		const struct reloc *r = &a->rel[i];
		const struct reloc_info *info = al->v->target->reloc_info(r->type);
		uint64_t at = y + (r->off - in->off);
		if (!info->relax)
			continue;
		while (k < b->nrel && b->rel[k].off <= at &&
			(b->rel[k].off < at || b->rel[k].type != r->type))
			k++;
		if (k == b->nrel || b->rel[k].off != at || b->rel[k].addend != r->addend)
			return false;
		k++;
	}
	return true;
}

static unsigned same_insn(const struct align *al, const struct insn *in, uint64_t y)
{
	uint64_t room = al->t->b->size - y;
	if (al->t->a->relaxes && !same_relaxation(al, in, y))
		return 0;
	if (in->kind == KIND_RAW)
		return same_raw(al, y);
	uint8_t old[CODE], new[CODE];
	const uint8_t *p = without_addends(al, in, al->t->a, in->off, old);
	const uint8_t *q = without_addends(al, in, al->t->b, y, new);
	if (!in->pc_size && room >= in->len &&
		(!memcmp(p, q, in->len) || reads_words(al->v, al->t, al->k, q)))
		return in->len;
	if (!in->pc_size)
		return al->v->target->words && reads_own(al->v, al->t, al->k, y)
			? al->v->target->words->own_len
			: 0;
	unsigned len = long_form(al, in, y, p, q);
	if (len || room < in->len)
		return len;
	return al->v->target->form->same_but_field(in, p, q) || is_far_form(al->v->target, in, p, q)
		? in->len
		: 0;
}

/* Set lo and hi of the no-ops [run, k) and, if last, of k: all are between end and j. */
static void place(struct align *al, bool last)
{
	struct vtext *t = al->t;
	for (uint32_t i = al->run; i < al->k + last; i++) {
		t->lo[i - t->first] = (uint32_t)al->end;
		t->hi[i - t->first] = (uint32_t)al->j;
	}
	al->run = al->k + last;
}

/* Take the code that is claimed to begin at j; false: none, or it is not what is claimed. */
static bool take_inserted(struct align *al)
{
	struct vtext *t = al->t;
	struct vsite site;
	bool landing;
	uint32_t insn = al->k < t->first + t->n ? al->k : NO_INSN;
	if (al->claims.next == al->claims.end || al->claims.next->at != al->j ||
		!take_claim(&al->claims, insn, &site, &landing))
		return false;
	/* nothing may enter behind an inserted landing instruction */
	if (!al->landed && site.end > site.at)
		bit_set(t->bound, site.at);
	al->landed = landing;
	if (!landing)
		vec_push(&al->v->site, site);
	al->j = site.end;
	return true;
}

static bool take_new_nop(struct align *al)
{
	struct insn in = {0};
	const struct section *b = al->t->b;
	if (al->j >= b->size ||
		!al->v->target->decode(al->v->decoder, b->data + al->j, b->size - al->j, &in) ||
		!is_padding(&in))
		return false;
	bit_set(al->t->bound, al->j);
	al->j += in.len;
	return true;
}

static void align_failed(struct align *al)
{
	struct vtext *t = al->t;
	bool behind = al->k == t->first + t->n;
	vfail(al->v, t->a, behind ? t->a->size : al->v->insn.v[al->k].off,
		"the new code at 0x%llx is neither this instruction nor inserted code",
		(unsigned long long)al->j);
	t->broken = true;
}

/* Take one piece of inserted code in front of in, or (NULL) at the section's end. */
static bool takes_more(struct align *al, const struct insn *in)
{
	if (al->j >= al->stop || (!in && al->last != al->t->first + al->t->n))
		return false;
	return take_inserted(al);
}

/* A claim begins at or before j, and was not taken. */
static bool is_claimed(const struct align *al)
{
	const struct claims *c = &al->claims;
	return c->next < c->end && c->next->at < al->stop && c->next->at <= al->j;
}

static bool align_run(struct align *al)
{
	for (;;) {
		const struct insn *in = al->k < al->last ? &al->v->insn.v[al->k] : NULL;
		unsigned len = 0;
		if (takes_more(al, in))
			continue;
		if (is_claimed(al))
			return false;
		if (!in && al->j == al->stop)
			return true;
		if (in && !is_padding(in)) {
			take_kept_nops(al, in);
			len = same_insn(al, in, al->j);
		}
		if (len) {
			bit_set(al->t->bound, al->j);
			place(al, true);
			al->k++;
			al->j += len;
			al->end = al->j;
		} else if (in && is_padding(in)) {
			/* place() sets its lo and hi with those of the next instruction */
			al->k++;
		} else if (al->j >= al->stop || !take_new_nop(al)) {
			return false;
		}
	}
}

static int site_cmp(const void *a, const void *b)
{
	const struct vsite *x = a, *y = b;
	if (x->insn != y->insn)
		return x->insn < y->insn ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* The next relocation of s from i on for no-ops that align; s->nrel: none. */
static uint32_t next_aligning(const struct verify *v, const struct section *s, uint32_t i)
{
	while (i < s->nrel && !v->target->reloc_info(s->rel[i].type)->aligns)
		i++;
	return i;
}

/* The last link deletes some of these no-ops: all of them are in front of the same instruction. */
static void check_aligning(struct verify *v, const struct vtext *t)
{
	const struct section *a = t->a, *b = t->b;
	uint32_t i = next_aligning(v, a, 0), k = next_aligning(v, b, 0);
	for (; i < a->nrel && k < b->nrel && !t->broken; i = next_aligning(v, a, i + 1)) {
		const struct reloc *r = &a->rel[i], *q = &b->rel[k];
		uint64_t n = (uint64_t)r->addend;
		uint32_t at = insn_at(v, t, r->off) - t->first;
		if (q->addend != r->addend || n > a->size - r->off || n > b->size - q->off ||
			memcmp(a->data + r->off, b->data + q->off, n) != 0 ||
			(is_padding(&v->insn.v[t->first + at]) &&
				(q->off < t->lo[at] || q->off + n > t->hi[at])))
			break;
		k = next_aligning(v, b, k + 1);
	}
	if (!t->broken && (i < a->nrel || k < b->nrel))
		vfail(v, a, i < a->nrel ? a->rel[i].off : a->size,
			"other no-ops are for the alignment of what is behind them now");
}

static void align_text(struct verify *v, struct vtext *t)
{
	struct align al = {.v = v, .t = t, .claims = claims_of(v, (uint32_t)(t - v->text.v))};
	uint32_t behind = t->first + t->n;
	size_t site = v->site.n;
	for (uint32_t i = 0; i < t->nrun; i++) {
		struct vrun *r = t->order[i];
		al.k = al.run = r->first;
		al.last = r + 1 < t->run + t->nrun ? r[1].first : behind;
		al.j = al.end = r->start;
		al.stop = r->stop;
		if (!align_run(&al)) {
			align_failed(&al);
			return;
		}
		r->end = (uint32_t)al.end;
		place(&al, al.last == behind);
	}
	if (al.claims.next < al.claims.end)
		align_failed(&al);
	check_aligning(v, t);
	if (t->nrun > 1)
		sort(v->site.v + site, v->site.n - site, sizeof *v->site.v, site_cmp);
}

void verify_align(struct verify *v)
{
	uint64_t **hard = arena_array(&v->arena, uint64_t *, v->text.n + 1);
	for (size_t i = 0; i < v->text.n; i++) {
		struct vtext *t = &v->text.v[i];
		size_t words = t->a->size / 64 + 1;
		hard[i] = arena_array(&v->arena, uint64_t, words);
		t->start = arena_array(&v->arena, uint64_t, words);
		t->named = arena_array(&v->arena, uint64_t, words);
		t->ends = arena_array(&v->arena, uint64_t, words);
		t->called = arena_array(&v->arena, uint64_t, words);
		t->loose = arena_array(&v->arena, uint64_t, words);
		t->raw = arena_array(&v->arena, uint64_t, words);
		t->bound = arena_array(&v->arena, uint64_t, t->b->size / 64 + 1);
		t->used = arena_array(&v->arena, uint8_t, t->b->nrel + 1);
	}
	mark_symbols(v, hard);
	for (size_t i = 0; i < v->text.n; i++)
		decode_text(v, &v->text.v[i], hard[i]);
	read_tables(v);
	read_scaled(v);
	verify_runs(v);
	for (size_t i = 0; i < v->text.n; i++) {
		struct vtext *t = &v->text.v[i];
		t->lo = arena_array(&v->arena, uint32_t, t->n + 1);
		t->hi = arena_array(&v->arena, uint32_t, t->n + 1);
		bit_set(t->bound, t->b->size);
		align_text(v, t);
	}
}
