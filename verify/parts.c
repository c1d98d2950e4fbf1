/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - functions of the old code, and the parts that they are divided into */
#include "verify/branches.h"
#include "verify/flow.h"
#include "verify/places.h"

bool starts_function(const struct verify *v, const struct vtext *t, uint32_t k)
{
	return k < t->first + t->n && bit_get(t->start, v->insn.v[k].off);
}

uint32_t function_of(const struct verify *v, const struct vtext *t, uint32_t k)
{
	uint64_t x = v->insn.v[k].off, i = x >> 6;
	uint64_t word = t->start[i] & (~(uint64_t)0 >> (63 - (x & 63)));
	for (;;) {
		while (!word && i)
			word = t->start[--i];
		if (!word)
			return t->first;
		unsigned bit = 63 - (unsigned)__builtin_clzll(word);
		uint32_t start = insn_at(v, t, i << 6 | bit);
		if (v->insn.v[start].off == (i << 6 | bit))
			return start;
		word ^= (uint64_t)1 << bit;
	}
}

static uint32_t past_padding(const struct verify *v, const struct vtext *t, uint32_t k)
{
	while (k < t->first + t->n && v->insn.v[k].kind == INSN_NOP && !starts_function(v, t, k))
		k++;
	return k;
}

static bool is_next_function(const struct verify *v, const struct vtext *t, uint32_t k)
{
	return k == t->first + t->n || starts_function(v, t, k);
}

bool ends_function(const struct verify *v, const struct vtext *t, uint32_t k)
{
	k = past_padding(v, t, k + 1);
	return is_next_function(v, t, k) ||
		(v->insn.v[k].kind == KIND_RAW && bit_get(t->loose, v->insn.v[k].off));
}

bool falls_out(const struct flow *w, uint32_t part)
{
	const struct verify *v = w->v;
	const struct part *p = &w->part.v[part];
	uint32_t k = p[1].first;
	while (k > p->first && is_padding(&v->insn.v[k - 1]))
		k--;
	if (k == p->first)
		return true;
	switch (v->insn.v[k - 1].kind) {
	case INSN_JUMP:
	case INSN_JUMP_IND:
	case INSN_RET:
	case INSN_TRAP: return false;
	case INSN_CALL:
	case INSN_CALL_IND: return !ends_function(v, &v->text.v[p->text], k - 1);
	default: return true;
	}
}

uint32_t part_of(const struct flow *w, uint32_t k)
{
	size_t i;
	BISECT(i, 0, w->part.n, w->part.v[i].first <= k);
	return (uint32_t)i - 1;
}

static void cut_text(struct flow *w, uint32_t text)
{
	const struct verify *v = w->v;
	const struct vtext *t = &v->text.v[text];
	uint32_t func = (uint32_t)w->part.n;
	for (uint32_t k = t->first; k < t->first + t->n; k++) {
		uint32_t x = v->insn.v[k].off;
		bool start = k == t->first || starts_function(v, t, k);
		/* a symbol that is no function's may be that of data */
		bool data = !starts_function(v, t, k) && bit_get(t->loose, x) &&
			!bit_get(t->named, x);
		bool called = bit_get(t->called, x);
		called |= bit_get(t->named, x) && !start;
		bool past = bit_get(t->ends, x) && !is_next_function(v, t, past_padding(v, t, k));
		if (start)
			func = (uint32_t)w->part.n;
		if (start || called || past)
			vec_push(&w->part,
				(struct part){.first = k,
					.text = text,
					.func = func,
					.idle = (!start || data) && !called});
		bool jump = v->insn.v[k].kind == INSN_JUMP_IND && !callee_of(v, t, &v->insn.v[k]);
		w->part.v[w->part.n - 1].jumps |= jump;
		w->part.v[func].func_jumps |= jump;
	}
}

void cut_parts(struct flow *w)
{
	const struct verify *v = w->v;
	for (uint32_t i = 0; i < v->text.n; i++)
		cut_text(w, i);
	vec_push(&w->part, (struct part){.first = (uint32_t)v->insn.n});
	for (size_t i = w->part.n - 1, end = i; i-- > 0;) {
		w->part.v[i].func_end = (uint32_t)end;
		end = w->part.v[i].func == i ? i : end;
	}
}

bool is_named(const struct verify *v, const struct vtext *t, uint32_t k)
{
	return bit_get(t->named, v->insn.v[k].off) || bit_get(t->called, v->insn.v[k].off);
}
