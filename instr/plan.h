/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - what is inserted where
 *
 * A site is a place and what goes there.  Planning decides; targets encode;
 * layout.h makes room.  Code for one offset keeps the order in which it was planned.
 */
#ifndef LDX_INSTR_PLAN_H
#define LDX_INSTR_PLAN_H

#include "cfg/cfg.h"
#include "instr/rewrite.h"

/* Which part of reloc/map.h's picture a site's code belongs to. */
enum part { PART_FALL, PART_FUNC, PART_BLOCK };

enum site_kind {
	SITE_COUNT,	/* arg: the counter's number */
	SITE_ENTRY,	/* the same in front of an opaque function: a landing first if it has one */
	SITE_NOPS,	/* arg: how many bytes */
	SITE_FORK,	/* is this a new process or thread? then tell the runtime */
	SITE_THREAD,	/* does this thread count in its own cells? else tell the runtime */
};

struct site {
	uint32_t text;		/* index of the code section in the cfg */
	uint32_t off;
	uint8_t part, kind;
	uint8_t how;		/* SITE_COUNT: enum count_kind */
	uint32_t arg;
	regset dead;		/* may be changed there */
};

struct plan {
	const struct cfg *g;
	const struct rewrite_options *opt;
	VEC(struct site) site;		/* sorted by text, off, part */
	enum counter_access access;	/* how they are incremented, for all of them */
	uint32_t ncounters;		/* cells; by thread, the first is no counter */
	uint32_t *block_counter;	/* by block: number + 1; 0: not counted */
	uint32_t *func_counter;		/* by function: the same for its entries */
	uint32_t sym_counters;		/* symbols of the object */
	uint32_t sym_forked;
};

struct plan *plan_make(const struct cfg *g, const struct rewrite_options *opt);

/* The code of a site. */
void site_code(const struct plan *p, const struct site *s, struct snippet *out);

#endif
