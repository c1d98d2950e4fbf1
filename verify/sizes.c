/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sizes.c - code whose length is a number
 *
 * A program that copies code has its length as a number, in an instruction of its section or in
 * data.  If the program can make memory executable, and such a number equals the distance from an
 * address-taken place to an untyped label, what is between the two must be unchanged.
 */
#include "verify/flow.h"
#include "verify/places.h"

#include <stdlib.h>

enum {
	LEAST = 8,   /* bytes; smaller numbers are too common */
	STARTS = 16, /* starts considered for each end, the nearest */
	ENDS = 64,   /* ends considered in each section, the first */
};

struct name {
	uint32_t text;
	uint64_t x;
	bool end;
};
typedef VEC(struct name) name_vec;

struct extent {
	uint64_t size;
	uint32_t text;
	uint64_t x;
	bool found; /* a number equals size */
};
typedef VEC(struct extent) extent_vec;

static bool makes_executable(const struct verify *v)
{
	static const char *const names[] = {"memfd_create", "mmap", "mmap64", "mprotect",
		"pkey_mprotect", "shm_open"};
	for (size_t i = 1; i < v->a->sym.n; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (!strcmp(v->a->sym.v[i].name, names[k]))
				return true;
	return false;
}

static bool is_end(const struct symbol *s)
{
	return symbol_type(s) == STT_NOTYPE && s->name[0] && strncmp(s->name, ".L", 2) != 0;
}

static int name_cmp(const void *a, const void *b)
{
	const struct name *p = a, *q = b;
	if (p->text != q->text)
		return p->text < q->text ? -1 : 1;
	return p->x < q->x ? -1 : p->x > q->x;
}

/* Symbols of the changed sections that have untyped labels. */
static void find_names(struct verify *v, name_vec *names)
{
	uint64_t *has = arena_array(&v->arena, uint64_t, v->text.n / 64 + 1);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 1; i < v->a->sym.n; i++) {
			const struct symbol *s = &v->a->sym.v[i];
			const struct vtext *t = text_at(v, s->sec);
			uint32_t text = t ? (uint32_t)(t - v->text.v) : 0;
			unsigned type = symbol_type(s);
			if (!t || s->value > t->a->size)
				continue;
			if (!pass && is_end(s) && !is_rigid(v, text))
				bit_set(has, text);
			if (pass && bit_get(has, text) &&
				(is_end(s) || type == STT_FUNC || type == STT_GNU_IFUNC ||
					type == STT_OBJECT))
				vec_push(names, (struct name){text, s->value, is_end(s)});
		}
	if (names->n)
		sort(names->v, names->n, sizeof *names->v, name_cmp);
}

/* Does an instruction of the section refer to the label?  Then it is no end. */
static bool is_led_to(const struct verify *v, const struct vtext *t, uint64_t label)
{
	for (uint32_t k = t->first; k < t->first + t->n; k++) {
		const struct insn *in = &v->insn.v[k];
		uint32_t sec;
		uint64_t x;
		if (in->kind != KIND_RAW && in->pc_size &&
			insn_target(v, t, in, insn_reloc(t, in, in->pc_off), &sec, &x) &&
			sec == t->a->index && x == label)
			return true;
	}
	return false;
}

static void extents_before(const struct flow *w, const name_vec *names, size_t end, extent_vec *all)
{
	const struct verify *v = w->v;
	const struct name *e = &names->v[end];
	const struct vtext *t = &v->text.v[e->text];
	size_t first = all->n, k = end;
	for (uint32_t n = 0; k-- > 0 && names->v[k].text == e->text && n < STARTS;) {
		uint64_t x = names->v[k].x;
		uint32_t insn = insn_at(v, t, x);
		if (insn == t->first + t->n || v->insn.v[insn].off != x || !bit_get(w->taken, insn))
			continue;
		n++;
		if (e->x - x >= LEAST)
			vec_push(all, (struct extent){e->x - x, e->text, x, false});
	}
	if (all->n > first && is_led_to(v, t, e->x))
		all->n = first;
}

static int extent_cmp(const void *a, const void *b)
{
	const struct extent *p = a, *q = b;
	if (p->size != q->size)
		return p->size < q->size ? -1 : 1;
	if (p->text != q->text)
		return p->text < q->text ? -1 : 1;
	return p->x < q->x ? -1 : p->x > q->x;
}

static void find_extents(const struct flow *w, extent_vec *all)
{
	name_vec names = {0};
	uint32_t ends = 0;
	find_names(w->v, &names);
	for (size_t i = 0; i < names.n; i++) {
		if (i == 0 || names.v[i].text != names.v[i - 1].text)
			ends = 0;
		if (names.v[i].end && ends++ < ENDS)
			extents_before(w, &names, i, all);
	}
	if (all->n)
		sort(all->v, all->n, sizeof *all->v, extent_cmp);
	vec_free(&names);
}

/* Mark the extents of this size; the number is in code section text or (UINT32_MAX) in data. */
static void find_number(extent_vec *all, uint64_t number, uint32_t text)
{
	size_t i;
	BISECT(i, 0, all->n, all->v[i].size < number);
	for (; i < all->n && all->v[i].size == number; i++)
		all->v[i].found |= text == UINT32_MAX || all->v[i].text == text;
}

static void numbers_in_insn(struct verify *v, extent_vec *all, uint32_t text, const struct insn *in)
{
	const struct vtext *t = &v->text.v[text];
	struct insn part[INSN_PARTS];
	struct operation op;
	for (unsigned k = vparts(v, t, in, part); k-- > 0;) {
		v->target->describe(v->decoder, t->a->data + part[k].off, &part[k], &op);
		if (op.op == OP_IMM)
			find_number(all, (uint64_t)op.imm, text);
	}
}

static void numbers_in_code(struct verify *v, extent_vec *all, uint32_t text)
{
	const struct vtext *t = &v->text.v[text];
	for (uint32_t k = t->first; k < t->first + t->n; k++)
		if (v->insn.v[k].kind != KIND_RAW)
			numbers_in_insn(v, all, text, &v->insn.v[k]);
}

static void numbers_in_data(const struct verify *v, extent_vec *all)
{
	for (uint32_t i = 1; i < v->a->sec.n; i++) {
		const struct section *s = &v->a->sec.v[i];
		bool big = v->a->big;
		if (!s->data || text_at(v, i) || leads_nowhere(s))
			continue;
		for (uint64_t x = 0; x + 4 <= s->size; x += 4) {
			find_number(all, (uint32_t)get_word(s->data + x, 4, big), UINT32_MAX);
			if (x % 8 == 0 && x + 8 <= s->size)
				find_number(all, get_word(s->data + x, 8, big), UINT32_MAX);
		}
	}
}

void verify_sizes(const struct flow *w)
{
	struct verify *v = w->v;
	extent_vec all = {0};
	uint64_t *done = arena_array(&v->arena, uint64_t, v->text.n / 64 + 1);
	if (makes_executable(v))
		find_extents(w, &all);
	for (size_t i = 0; i < all.n; i++) {
		if (!bit_get(done, all.v[i].text))
			numbers_in_code(v, &all, all.v[i].text);
		bit_set(done, all.v[i].text);
	}
	if (all.n)
		numbers_in_data(v, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct extent *e = &all.v[i];
		const struct vtext *t = &v->text.v[e->text];
		if (e->found && !is_unmoved(v, t, e->x, e->x + e->size))
			vfail(v, t->a, e->x,
				"the length of this code, "
				"%llu, is a number in the program, and the code has changed",
				(unsigned long long)e->size);
	}
	vec_free(&all);
}
