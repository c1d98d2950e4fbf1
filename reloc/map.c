/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - the address map; see map.h
 */
#include "reloc/map.h"

/* The number of edits at or before off: the map of off is that of the last of them. */
static size_t edits_upto(const struct addrmap *m, uint64_t off)
{
	size_t i;
	BISECT(i, 0, m->n, m->edit[i].old <= off);
	return i;
}

static uint64_t map_from(const struct addrmap *m, size_t upto, uint64_t off, enum map_bind bind)
{
	if (!upto)
		return off;
	const struct edit *e = &m->edit[upto - 1];
	uint64_t at = e->new_end;
	bool here = e->old == off, inside = e->edge && !e->func;
	if (here && bind == MAP_END)
		return at;
	at += e->fall;
	if (here && bind == MAP_PAST && !inside)
		return at;
	at += e->pad;
	if (here && (bind == MAP_FALL || (bind == MAP_ENTRY && !inside)))
		return at;
	at += e->func;
	if (here && bind == MAP_EDGE)
		return at;
	at += e->edge;
	if (here && bind != MAP_AT)
		return at;
	at += e->block;
	/* of bytes that are gone, all are where the first was */
	int64_t behind = here ? 0 : e->grow + (int64_t)(off - e->old);
	return behind > 0 ? at + (uint64_t)behind : at;
}

uint64_t map_addr(const struct addrmap *m, uint64_t off, enum map_bind bind)
{
	return m ? map_from(m, edits_upto(m, off), off, bind) : off;
}

const struct stack_move *map_stack_behind(const struct addrmap *m, uint64_t new)
{
	size_t i;
	BISECT(i, 0, m->nstack, m->stack[i].at <= new);
	return m->stack + i;
}

uint64_t map_addr_seq(const struct addrmap *m, size_t *cursor, uint64_t off, enum map_bind bind)
{
	if (!m)
		return off;
	while (*cursor < m->n && m->edit[*cursor].old <= off)
		(*cursor)++;
	return map_from(m, *cursor, off, bind);
}
