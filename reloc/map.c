/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - the address map; see map.h
 */
#include "reloc/map.h"

/* The labels of map.h's picture, in their order. */
enum label { END, PAST, FALL, ENTRY, EDGE, BRANCH, AT };
static const uint8_t label_of[REF_USES] = {
	[REF_CALL] = ENTRY, [REF_BRANCH] = BRANCH, [REF_EDGE] = EDGE, [REF_TABLE] = BRANCH,
	[REF_ADDRESS] = ENTRY, [REF_READ] = AT, [REF_EXACT] = AT, [REF_RANGE_END] = END,
	[REF_SCOPE_END] = PAST, [REF_UNWIND_END] = FALL,
};

/* The number of edits at or before off: the map of off is that of the last of them. */
static size_t edits_upto(const struct addrmap *m, uint64_t off)
{
	size_t i;
	BISECT(i, 0, m->n, m->edit[i].old <= off);
	return i;
}

static uint64_t map_from(const struct addrmap *m, size_t upto, uint64_t off, enum ref_use use)
{
	if (!upto)
		return off;
	const struct edit *e = &m->edit[upto - 1];
	uint64_t at = e->new_end;
	enum label label = label_of[use];
	bool here = e->old == off, inside = e->edge && !e->func;
	if (here && label == END)
		return at;
	at += e->fall;
	if (here && label == PAST && !inside)
		return at;
	at += e->pad;
	if (here && (label == FALL || (label == ENTRY && !inside)))
		return at;
	at += e->func;
	if (here && label == EDGE)
		return at;
	at += e->edge;
	if (here && label != AT)
		return at;
	at += e->block;
	/* of bytes that are gone, all are where the first was */
	int64_t behind = here ? 0 : e->grow + (int64_t)(off - e->old);
	return behind > 0 ? at + (uint64_t)behind : at;
}

uint64_t map_addr(const struct addrmap *m, uint64_t off, enum ref_use use)
{
	return m ? map_from(m, edits_upto(m, off), off, use) : off;
}

const struct stack_move *map_stack_behind(const struct addrmap *m, uint64_t new)
{
	size_t i;
	BISECT(i, 0, m->nstack, m->stack[i].at <= new);
	return m->stack + i;
}

uint64_t map_addr_seq(const struct addrmap *m, size_t *cursor, uint64_t off, enum ref_use use)
{
	if (!m)
		return off;
	while (*cursor < m->n && m->edit[*cursor].old <= off)
		(*cursor)++;
	return map_from(m, *cursor, off, use);
}
