/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.c - references in code lead to the same places
 */
#include "verify/branches.h"
#include "verify/data.h"
#include "verify/halves.h"
#include "verify/landing.h"
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/sites.h"
#include "verify/tables.h"

struct walk {
	struct verify *v;
	struct vtext *t;
	uint32_t func; /* old start of the current function */
	bool loose;    /* outside of functions */
	uint32_t r, q; /* cursors into the old and the new relocations */
	uint32_t run;  /* the next run */
	uint64_t stop; /* of the current run */
};

/* References ------------------------------------------------------------ */

/* In a function that contains data, and outside of functions, a decoded branch may be data. */
static bool may_be_data(const struct walk *w)
{
	return w->loose || bit_get(w->t->raw, w->func);
}

static void enter_insn(struct walk *w, uint64_t x)
{
	const struct vtext *t = w->t;
	if (bit_get(t->start, x)) {
		w->func = (uint32_t)x;
		w->loose = false;
	} else if (bit_get(t->called, x)) {
		w->loose = false;
	} else if (bit_get(t->loose, x)) {
		w->loose = true;
	}
}

/*
 * Leaving: a branch out of its function leads to code behind it, which ends in a jump to where the
 * branch led.  The site of that jump, if the branch insn k now leads to y; NULL: it does not.
 */
static const struct vsite *leave_of(const struct verify *v, const struct vtext *t, uint32_t k,
	uint64_t y)
{
	uint32_t text = (uint32_t)(t - v->text.v), i = k - t->first + 1;
	const struct vsite *s = first_site(v, text, k + 1), *last = v->site.v + v->site.n;
	if (!is_conditional(&v->insn.v[k]) || y < t->lo[i] || y > t->hi[i] || !bit_get(t->bound, y))
		return NULL;
	for (; s < last && s->text == text && leaving_branch(v, t, s->insn) == k; s++) {
		if (s->at < y)
			continue;
		if (s->pattern->kind == PATTERN_LEAVE)
			return s;
		if (s->pattern->kind == PATTERN_SKIP)
			y = s->to;
	}
	return NULL;
}

/* Branch insn k leads to y and jump s behind it, or (NULL) elsewhere: does it run its counters? */
static bool counts_leaving(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y,
	const struct vsite *s)
{
	uint32_t text = (uint32_t)(t - v->text.v);
	const struct vsite *c = first_site(v, text, k + 1), *last = v->site.v + v->site.n;
	for (; is_conditional(&v->insn.v[k]) && c < last && c->text == text &&
		leaving_branch(v, t, c->insn) == k;
		c++) {
		const struct vcount *n = site_count(v, c);
		bool own = n && n->kind == COUNTS_LEAVE && n->text == text &&
			n->end == v->insn.v[k].off + v->insn.v[k].len;
		bool runs = s && c->at >= y && c->at < s->at;
		if (n && own != runs)
			return false;
	}
	return true;
}

/* The site of the jump behind branch in that leads on, if it leads there by y; or NULL. */
static const struct vsite *check_leaving(struct walk *w, const struct insn *in, bool here,
	uint64_t y)
{
	uint32_t k = (uint32_t)(in - w->v->insn.v);
	const struct vsite *s = here ? leave_of(w->v, w->t, k, y) : NULL;
	if (!counts_leaving(w->v, w->t, k, y, s))
		vfail(w->v, w->t->a, in->off, "this branch counts other edges than its own");
	return s;
}

/* Where control is that is led to y, behind all relays. */
static uint64_t behind_relays(const struct walk *w, uint64_t y)
{
	const struct vrelay *r = w->v->relay.v;
	size_t n = w->v->relay.n, most = n, i;
	uint32_t text = (uint32_t)(w->t - w->v->text.v);
	for (; most; most--) {
		BISECT(i, 0, n, r[i].text < text || (r[i].text == text && r[i].at < y));
		if (i == n || r[i].text != text || r[i].at != y)
			break;
		y = r[i].to;
	}
	return y;
}

static void check_place(struct walk *w, const struct insn *in, uint32_t sec, uint64_t x,
	uint32_t nsec, uint64_t y, bool unchanged)
{
	struct verify *v = w->v;
	bool data = (in->flags & INSN_OPERAND_PC) && (in->flags & INSN_MEM);
	bool jump = in->kind == INSN_JUMP || in->kind == INSN_BRANCH || in->kind == INSN_XBEGIN;
	/* entries count from the base of a scaled table, wherever that is: check_entries() */
	if (is_scaled_part(v, (uint32_t)(in - v->insn.v)))
		return;
	/* a jump to another function's start is a tail call */
	const struct vtext *to = text_at(v, sec);
	if (to && (to != w->t || x != w->func) && x < to->a->size && bit_get(to->start, x))
		jump = false;
	struct way way = way_of(data ? USE_READ : jump ? USE_BRANCH : USE_ENTER);
	way.by = (uint32_t)(in - v->insn.v);
	if (same_target(v, sec, x, nsec, y, &way))
		return;
	/* a target outside of the section without a relocation is none */
	if (unchanged && (may_be_data(w) || (sec == w->t->a->index && x > w->t->a->size))) {
		v->unproved++;
		return;
	}
	vfail(v, w->t->a, in->off, "refers to %s+0x%llx, now to %s+0x%llx, which is another place",
		v->a->sec.v[sec].name, (unsigned long long)x, v->b->sec.v[nsec].name,
		(unsigned long long)y);
}

/* Does jump s, behind branch in with relocation r or none, lead where that led? */
static void check_leave(struct walk *w, const struct insn *in, const struct reloc *r,
	const struct vsite *s)
{
	enum { FAR = 1 << 30 };
	struct verify *v = w->v;
	const struct target *t = v->target;
	const struct section *b = w->t->b;
	uint32_t i = section_first_reloc(b, s->at), sec, nsec = b->index, type = 0;
	const struct reloc *q = i < b->nrel && b->rel[i].off < s->end ? &b->rel[i] : NULL;
	struct insn jump = {0};
	unsigned field;
	uint64_t x, y = s->to;
	t->decode(v->decoder, b->data + s->at, s->end - s->at, &jump);
	field = t->form->field(&jump, jump.len);
	if (r)
		type = t->made.jump ? t->made.jump : r->type;
	else if (q && t->form->far_reloc)
		type = t->form->far_reloc(&jump, jump.len, FAR, &field);
	int64_t adj = insn_field_origin(t, in, in->len);
	int64_t nadj = r ? insn_field_origin(t, &jump, jump.len) : 0;
	bool good = q ? q->type == type && q->off == s->at + field : !r;
	bool known = insn_target(v, w->t, in, r, &sec, &x);
	if (r && q && q->sym != r->sym && !is_new_label(v, q))
		good = false;
	else if (good && q && !place_of(v->b, q, nadj, &nsec, &y))
		good = r && !known && q->addend + nadj == r->addend + adj;
	else if (good && known)
		check_place(w, in, sec, x, nsec, y, false);
	if (!good)
		vfail(v, w->t->a, in->off, "the code of this branch leads to another place");
}

static void check_field_reloc(struct walk *w, const struct insn *in, unsigned len,
	const struct reloc *r, const struct reloc *q)
{
	struct verify *v = w->v;
	enum reloc_role role = v->target->reloc_info(r->type)->role;
	int64_t adj = insn_field_origin(v->target, in, in->len);
	int64_t nadj = insn_field_origin(v->target, in, len);
	uint32_t sec, nsec;
	uint64_t x, y = 0;
	bool here = is_new_label(v, q) && place_of(v->b, q, nadj, &nsec, &y) &&
		nsec == w->t->b->index;
	const struct vsite *s = check_leaving(w, in, here, here ? y : 0);
	if (s) {
		check_leave(w, in, r, s);
		return;
	}
	if (role != ROLE_PCREL && role != ROLE_PLT) {
		verify_data_reloc(v, w->t->a, r, q);
		return;
	}
	if (place_of(v->a, r, adj, &sec, &x) && place_of(v->b, q, nadj, &nsec, &y))
		check_place(w, in, sec, x, nsec, y, false);
	else if ((uint64_t)r->addend - (uint64_t)q->addend != (uint64_t)(nadj - adj))
		vfail(v, w->t->a, r->off, "refers to another place behind symbol %s",
			v->a->sym.v[r->sym].name);
}

/* The next new relocation of the run that does not belong to inserted code. */
static const struct reloc *next_new(struct walk *w)
{
	const struct section *b = w->t->b;
	while (w->q < b->nrel && (w->t->used[w->q] || is_none(w->v, &b->rel[w->q])))
		w->q++;
	return w->q < b->nrel && b->rel[w->q].off < w->stop ? &b->rel[w->q++] : NULL;
}

static void leave_run(struct walk *w)
{
	const struct vtext *t = w->t;
	if (!t->broken && next_new(w))
		vfail(w->v, t->a, t->a->size,
			"the relocation at 0x%llx of the new code is in "
			"no old code",
			(unsigned long long)t->b->rel[w->q - 1].off);
}

static void enter_run(struct walk *w)
{
	const struct vrun *r = &w->t->run[w->run++];
	leave_run(w);
	w->q = section_first_reloc(w->t->b, r->start);
	w->stop = r->stop;
}

/* ROLE_BASE is the distance of the GOT from a label in front of the field, at field - addend. */
static void check_base(struct walk *w, const struct reloc *r, const struct reloc *q)
{
	uint64_t x = r->off - (uint64_t)r->addend, y = q->off - (uint64_t)q->addend;
	uint32_t a = w->t->a->index, b = w->t->b->index;
	bool boundary = is_boundary(w->v, a, x);
	if (boundary ? !same_place(w->v, a, x, b, y, USE_ENTER) : r->addend != q->addend)
		vfail(w->v, w->t->a, r->off,
			"is relative to 0x%llx, now to 0x%llx, which is another place",
			(unsigned long long)x, (unsigned long long)y);
}

/* Does control go where relocation r of instruction in leads? */
static bool is_followed(const struct verify *v, const struct insn *in, const struct reloc *r)
{
	const struct reloc_info *info = v->target->reloc_info(r->type);
	bool field = in->pc_size && r->off == in->off + in->pc_off;
	switch (in->kind) {
	case INSN_CALL:
	case INSN_JUMP:
	case INSN_BRANCH: return field || info->calls;
	case INSN_CALL_IND:
	case INSN_JUMP_IND:
		return info->calls ||
			(info->role == ROLE_GOT && in->flags & INSN_MEM && !v->target->insn_size);
	default: return info->calls;
	}
}

static void check_reloc(struct walk *w, const struct insn *in, uint64_t y, unsigned len,
	const struct reloc *r)
{
	struct verify *v = w->v;
	const struct reloc *q = next_new(w);
	bool field = in->kind != KIND_RAW && in->pc_size && r->off == in->off + in->pc_off;
	bool wide = field && len != in->len;
	uint64_t want = y + (wide ? v->target->form->field(in, len) : r->off - in->off);
	bool table = q && v->tables && q->sym == v->tables;
	if (q)
		q = without_redirect(v, w->t->a, r, q, is_followed(v, in, r));
	uint32_t type = wide && v->target->form->reloc ? v->target->form->reloc(in, len) : r->type;
	if (!q || q->off != want || (q->sym != r->sym && !table && !is_new_label(v, q)) ||
		q->type != type) {
		vfail(v, w->t->a, r->off, "the relocation is not at 0x%llx in the new code",
			(unsigned long long)want);
		w->t->broken = true;
		return;
	}
	v->nreloc++;
	note_half(v, w->t, r, q);
	if (table)
		return; /* verify_scaled() */
	if (field)
		check_field_reloc(w, in, len, r, q);
	else if (v->target->reloc_info(r->type)->role == ROLE_BASE)
		check_base(w, r, q);
	else if (in->kind != KIND_RAW && q->sym == r->sym && q->addend != r->addend &&
		is_pc_relative(v, r))
		return;		 /* verify_sums() */
	else if (!is_half(v, r)) /* else verify_halves() */
		verify_data_reloc(v, w->t->a, r, q);
}

/*
 * A relocation without a field, by which the last link may change an instruction; not no-ops that
 * align: check_aligning().
 */
static bool is_hint(const struct verify *v, const struct reloc *r)
{
	const struct reloc_info *info = v->target->reloc_info(r->type);
	return info->callee || (info->relax && !info->aligns);
}

static bool same_hint(struct verify *v, const struct section *a, const struct reloc *r,
	const struct reloc *q)
{
	uint32_t sec, nsec;
	uint64_t x, y;
	if (r->type != q->type)
		return false;
	q = without_redirect(v, a, r, q, v->target->reloc_info(r->type)->callee);
	if (r->sym != q->sym)
		return false;
	if (place_of(v->a, r, 0, &sec, &x) && place_of(v->b, q, 0, &nsec, &y))
		return same_place(v, sec, x, nsec, y, USE_ENTER);
	return r->addend == q->addend;
}

/* Hint r of an instruction, which is at y now. */
static void check_hint(struct walk *w, const struct insn *in, uint64_t y, const struct reloc *r)
{
	const struct section *b = w->t->b;
	uint64_t want = y + (r->off - in->off);
	for (uint32_t i = section_first_reloc(b, want); i < b->nrel && b->rel[i].off == want; i++)
		if (!w->t->used[i] && same_hint(w->v, w->t->a, r, &b->rel[i])) {
			w->t->used[i] = 1;
			return;
		}
	vfail(w->v, w->t->a, r->off, "what lets the last link change this is not at 0x%llx",
		(unsigned long long)want);
}

static void check_new_hints(const struct walk *w)
{
	const struct section *b = w->t->b;
	for (uint32_t i = 0; i < b->nrel && !w->t->broken; i++)
		if (is_hint(w->v, &b->rel[i]) && !w->t->used[i])
			vfail(w->v, b, b->rel[i].off,
				"lets the last link change what it could not before");
}

/* Does a new relocation name the label of an instruction that had none?  Then it is the right one.
 */
static bool check_far(struct walk *w, const struct insn *in, uint64_t y, unsigned len)
{
	enum { FAR = 1 << 30 };
	struct verify *v = w->v;
	const struct target *t = v->target;
	unsigned field = 0;
	uint32_t type = t->form->far_reloc ? t->form->far_reloc(in, len, FAR, &field) : 0, sec,
		 nsec, q = w->q;
	uint64_t x, to;
	const struct reloc *r = type ? next_new(w) : NULL;
	if (!r || r->type != type || r->off != y + field ||
		(len == in->len &&
			!is_far_form(t, in, w->t->a->data + in->off, w->t->b->data + y)) ||
		!place_of(v->b, r, 0, &nsec, &to)) {
		w->q = q;
		return false;
	}
	check_leaving(w, in, false, 0);
	insn_target(v, w->t, in, NULL, &sec, &x);
	check_place(w, in, sec, x, nsec, to, false);
	return true;
}

static void check_distance(struct walk *w, const struct insn *in, uint64_t y, unsigned len)
{
	struct verify *v = w->v;
	const uint8_t *p = w->t->b->data + y;
	uint32_t sec;
	uint64_t x;
	uint64_t to = y + (uint64_t)v->target->form->distance(in, p, len);
	if (in->kind == INSN_JUMP || in->kind == INSN_BRANCH || in->kind == INSN_CALL)
		to = behind_relays(w, to);
	const struct vsite *s = check_leaving(w, in, true, to);
	if (s) {
		check_leave(w, in, NULL, s);
		return;
	}
	insn_target(v, w->t, in, NULL, &sec, &x);
	bool unchanged = len == in->len && !memcmp(p, w->t->a->data + in->off, len);
	check_place(w, in, sec, x, w->t->b->index, to, unchanged);
}

static void check_insn(struct walk *w, uint32_t k)
{
	struct verify *v = w->v;
	const struct vtext *t = w->t;
	const struct section *a = t->a;
	const struct insn *in = &v->insn.v[k];
	uint64_t y = t->hi[k - t->first], end = (uint64_t)in->off + in->len;
	unsigned len = in->len;
	bool has = false, padding = is_padding(in);
	if (!padding)
		len = (unsigned)(new_end(t, k) - y);
	bool bare = !padding && in->kind != KIND_RAW && in->pc_size &&
		!insn_reloc(t, in, in->pc_off);
	/* in front of those of its delay slot, or behind */
	enter_insn(w, in->off);
	bool far = bare && len == in->len && check_far(w, in, y, len);
	while (w->r < a->nrel && a->rel[w->r].off < end && !t->broken) {
		const struct reloc *r = &a->rel[w->r++];
		if (is_hint(v, r))
			check_hint(w, in, y, r);
		if (is_none(v, r))
			continue;
		if (padding)
			vfail(v, a, r->off, "a relocation in a no-op");
		else
			check_reloc(w, in, y, len, r);
		has |= r->off == in->off + in->pc_off;
	}
	if (own_changes(v, t, k) && !t->broken) {
		const struct reloc *first = next_new(w), *second = next_new(w);
		if (!has_own_relocs(v, t, k, first, second))
			vfail(v, a, in->off, "makes no address of a new table");
	}
	if (in->kind == KIND_RAW || !in->pc_size)
		return;
	if (in->flags & INSN_OPERAND_PC)
		v->noperand++;
	else
		v->nbranch++;
	if (bare && len != in->len && !t->broken)
		far = check_far(w, in, y, len);
	if (!has && !t->broken && !padding && !far)
		check_distance(w, in, y, len);
}

static int relay_cmp(const void *a, const void *b)
{
	const struct vrelay *x = a, *y = b;
	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void find_relays(struct verify *v)
{
	for (const struct vsite *s = v->site.v; s < v->site.v + v->site.n; s++)
		if (s->pattern->kind == PATTERN_RELAY)
			vec_push(&v->relay, (struct vrelay){s->text, s->at, s->to});
	if (v->relay.n)
		sort(v->relay.v, v->relay.n, sizeof *v->relay.v, relay_cmp);
}

void verify_code(struct verify *v)
{
	find_relays(v);
	for (size_t i = 0; i < v->text.n; i++) {
		struct vtext *t = &v->text.v[i];
		struct walk w = {.v = v, .t = t};
		for (uint32_t k = t->first; k < t->first + t->n && !t->broken; k++) {
			if (w.run < t->nrun && t->run[w.run].first == k)
				enter_run(&w);
			check_insn(&w, k);
		}
		leave_run(&w);
		check_new_hints(&w);
		v->ninsn += t->n;
	}
}
