/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landing.h - where a reference to a place of the old code may lead in the new code (landing.c)
 */
#ifndef LDX_VERIFY_LANDING_H
#define LDX_VERIFY_LANDING_H

#include "verify/state.h"

/* How a reference uses a place in code. */
enum use {
	USE_ENTER,  /* a call, or its address is taken */
	USE_BRANCH, /* a branch within the function, a table's entry, or a landing pad */
	USE_ROW,    /* start of what debug information describes */
	USE_READ,   /* the very instruction: its bytes may be read */
	USE_END,    /* end of a range */
	USE_PAST,   /* end of a scope, which may include code inserted behind it for falling through
		     */
};

/* A reference, by what leads from it to its place. */
struct way {
	enum use use;
	uint32_t by;   /* a branch, jump or call; NO_INSN: anything else */
	bool entry;    /* it may be an entry of a jump table, */
	uint32_t jump; /* of which this is the only jump, or NO_INSN */
	bool nowhere;  /* no control comes by it */
};
static inline struct way way_of(enum use use)
{
	return (struct way){.use = use, .by = NO_INSN, .jump = NO_INSN};
}

static inline struct way entry_of(uint32_t jump, enum use use)
{
	return (struct way){.use = use, .by = NO_INSN, .entry = true, .jump = jump};
}

/* Does y in new section b stand for x in old section a?  Any two sections. */
bool same_target(const struct verify *v, uint32_t a, uint64_t x, uint32_t b, uint64_t y,
	const struct way *w);
/* The same, where nothing but the use matters. */
bool same_place(const struct verify *v, uint32_t a, uint64_t x, uint32_t b, uint64_t y,
	enum use use);

/* The same for what begins there, and only describes it. */
bool same_start(const struct verify *v, uint32_t a, uint64_t x, uint32_t b, uint64_t y);

/* Does control that enters at y, in front of insn k, run the counters that the map has for it? */
bool runs_well(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y,
	const struct way *w);

/* Does the site's code lead only where certain branches led? */
bool leads_elsewhere(const struct vsite *s);

/* Control falls to old offset x: does it rightly run (runs) or not run counter c? */
bool falls_right(const struct vcount *c, uint32_t x, bool runs);

/* Is code that counts c run only by branches that are redirected to it? */
bool is_redirected(const struct vcount *c);

#endif
