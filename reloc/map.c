/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - the address map; see map.h
 */
#include "reloc/map.h"

/* The runners of code that each use binds to.  Every use may bind to old bytes. */
static const uint8_t runners_of[REF_USES] = {
	[REF_CALL] = RUN_ENTER,
	[REF_ADDRESS] = RUN_ENTER,
	[REF_ORIGINAL] = RUN_FALL,
	[REF_BRANCH] = RUN_BRANCH,
	[REF_TABLE] = RUN_TABLE,
	[REF_EDGE] = RUN_REDIRECTED,
	[REF_LEAVE] = RUN_LEAVE,
	[REF_READ] = 0,
	[REF_EXACT] = 0,
	[REF_RANGE_BEGIN] = RUNS_ALL | RUN_PAST | RUN_LEAVE,
	[REF_RANGE_END] = RUNS_ALL | RUN_PAST | RUN_LEAVE,
	[REF_SCOPE_END] = RUN_PAST | RUN_ENTER,
	[REF_UNWIND_END] = RUN_ENTER | RUN_TABLE | RUN_REDIRECTED,
};

static bool is_end(enum ref_use use)
{
	return use == REF_RANGE_END || use == REF_SCOPE_END || use == REF_UNWIND_END;
}

/* The number of fragments at or before off: the map of off is that of the last of them. */
static size_t frags_upto(const struct addrmap *m, uint64_t off)
{
	size_t i;
	BISECT(i, 0, m->n, m->frag[i].old <= off);
	return i;
}

/* An old offset inside of fragment f. */
static uint64_t map_inside(const struct frag *f, uint64_t off)
{
	if (f->kind == FRAG_KEPT)
		return f->new + (off - f->old);
	uint64_t gone = f[1].old - off;
	return f->len > gone ? f->new + (f->len - gone) : f->new;
}

static uint64_t map_from(const struct addrmap *m, size_t upto, uint64_t off, enum ref_use use)
{
	if (!upto)
		return off;
	const struct frag *f = &m->frag[upto - 1], *first = f;
	if (f->old != off)
		return map_inside(f, off);
	for (; f > m->frag && f[-1].old == off; f--)
		if (f[-1].runs & runners_of[use])
			first = f - 1;
	if (f->kind == FRAG_CUT && is_end(use))
		return f[-1].new + f[-1].len;
	if (f->kind == FRAG_CUT && use == REF_RANGE_BEGIN)
		return map_from(m, upto, off, REF_ADDRESS);
	return first->new;
}

uint64_t map_addr(const struct addrmap *m, uint64_t off, enum ref_use use)
{
	return m ? map_from(m, frags_upto(m, off), off, use) : off;
}

uint64_t map_cut_behind(const struct addrmap *m, uint64_t off)
{
	size_t i;
	BISECT(i, 0, m->ncut, m->cut[i] <= off);
	return i < m->ncut ? m->cut[i] : UINT64_MAX;
}

bool map_changes(const struct addrmap *m)
{
	if (!m)
		return false;
	for (size_t i = 0; i < m->n; i++)
		if (m->frag[i].new != m->frag[i].old)
			return true;
	return m->new_size != m->old_size;
}

const struct stack_move *map_stack_behind(const struct addrmap *m, uint64_t new)
{
	size_t i;
	BISECT(i, 0, m->nstack, m->stack[i].at <= new);
	return m->stack + i;
}

static void advance(const struct addrmap *m, size_t *cursor, uint64_t off)
{
	while (*cursor < m->n && m->frag[*cursor].old <= off)
		(*cursor)++;
}

uint64_t map_addr_seq(const struct addrmap *m, size_t *cursor, uint64_t off, enum ref_use use)
{
	if (!m)
		return off;
	advance(m, cursor, off);
	return map_from(m, *cursor, off, use);
}

static uint64_t insn_from(const struct addrmap *m, size_t upto, uint64_t off, unsigned *len)
{
	const struct frag *f = upto ? &m->frag[upto - 1] : NULL;
	if (f && f->kind == FRAG_RESIZED && f->old == off)
		*len = f->len;
	return map_from(m, upto, off, REF_EXACT);
}

uint64_t map_insn(const struct addrmap *m, uint64_t off, unsigned *len)
{
	return insn_from(m, frags_upto(m, off), off, len);
}

uint64_t map_insn_seq(const struct addrmap *m, size_t *cursor, uint64_t off, unsigned *len)
{
	advance(m, cursor, off);
	return insn_from(m, *cursor, off, len);
}
