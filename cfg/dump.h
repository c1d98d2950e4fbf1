/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump.h - --ldx-dump: the program after a pass, as text
 *
 * A line is the name of a dump, a place and one fact.  Places are names and offsets, and lines are
 * in the order of the object: a dump does not depend on the number of threads, and diff can compare
 * two dumps.
 */
#ifndef LDX_CFG_DUMP_H
#define LDX_CFG_DUMP_H

#include "cfg/cfg.h"

/* All dumps, separated by spaces. */
#define DUMPS "blocks tables refs liveness loops edges exits plan layout"

/*
 * A request is DUMP[,DUMP...][:FUNC...]; `+' may stand for `,', and `all' for all dumps.  NULL asks
 * for no dump.  A request without functions asks for all functions.
 */
bool dump_asked(const char *request, const char *dump);
/* Does the request include function f?  NO_FUNC: if it names no functions. */
bool dump_shows(const struct cfg *g, const char *request, uint32_t f);
/* A name in the request that is no dump, a new string in a; or NULL. */
const char *dump_unknown(struct arena *a, const char *request);

/* After cfg_build(): blocks, tables and refs.  They print to stdout, as all of these do. */
void dump_code(const struct cfg *g, const char *request);
/* After cfg_liveness(). */
void dump_liveness(const struct cfg *g, const char *request);

/* For the dumps of instr/: print `DUMP PLACE', a place, a set of registers. */
void dump_at(const struct cfg *g, const char *dump, uint32_t func, uint64_t off);
void dump_place(const struct cfg *g, uint32_t sec, uint64_t off);
void dump_block(const struct cfg *g, uint32_t b); /* NO_BLOCK: outside */
void dump_regs(const struct cfg *g, regset set);

/* How a block ends, by enum block_end. */
extern const char *const block_end_text[];

#endif
