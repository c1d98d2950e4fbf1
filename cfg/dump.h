/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump.h - --ldx-dump: the program after a pass, as text
 *
 * A line is the name of a dump, a place and one fact.  Places are names and offsets, functions
 * and sections stand in the object's order: a dump is the same whatever the number of threads,
 * and two dumps can be compared by diff.
 */
#ifndef LDX_CFG_DUMP_H
#define LDX_CFG_DUMP_H

#include "cfg/cfg.h"

/* What there is to dump, separated by spaces. */
#define DUMPS "blocks tables refs liveness loops plan layout"

/*
 * A request is DUMP[,DUMP...][:FUNC...]; `+' is as good as `,', and `all' names all of them.
 * NULL asks for nothing.  Without functions it asks for all of them.
 */
bool dump_asked(const char *request, const char *dump);
/* Is function f among those asked for?  NO_FUNC is when none is named. */
bool dump_shows(const struct cfg *g, const char *request, uint32_t f);
/* What the request names and is no dump, a new string in a; or NULL. */
const char *dump_unknown(struct arena *a, const char *request);

/* After cfg_build(): blocks, tables and refs.  They print to stdout, as all of these do. */
void dump_code(const struct cfg *g, const char *request);
/* After cfg_liveness(). */
void dump_liveness(const struct cfg *g, const char *request);

/* For the dumps of instr/: `DUMP PLACE', names of places, and of the members of a set. */
void dump_at(const struct cfg *g, const char *dump, uint32_t func, uint64_t off);
void dump_place(const struct cfg *g, uint32_t sec, uint64_t off);
void dump_block(const struct cfg *g, uint32_t b); /* NO_BLOCK: outside */
void dump_regs(const struct cfg *g, regset set);

/* How a block ends, by enum block_end. */
extern const char *const block_end_text[];

#endif
