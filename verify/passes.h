/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passes.h - the passes of the verifier, by file
 */
#ifndef LDX_VERIFY_PASSES_H
#define LDX_VERIFY_PASSES_H

#include "verify/state.h"

/* Find the runs of all decoded texts. */
void verify_runs(struct verify *v);

/* Decode and align all code. */
void verify_align(struct verify *v);

/* Read what is stated of jump tables of words. */
void read_tables(struct verify *v);

/* Find the jump tables of scaled distances in the old code; then check their new forms. */
void read_scaled(struct verify *v);
void verify_scaled(struct verify *v);

/* Compute v->held; check its instructions, and the edges by which control falls through. */
void verify_held(struct verify *v);

/* Does each increment that relies on a base register find its base there?  After all others. */
void verify_bases(struct verify *v);

/* Find direct branches and calls; check liveness where code was inserted. */
void verify_branches(struct verify *v);
void verify_live(struct verify *v);

/* The first of two loads that together fill a register overwrites it. */
void join_loads(struct verify *v);

/* Read the static map; check that each counter has one place, and what falling through runs. */
void verify_map(struct verify *v);

/* Check .ldx.info and the symbols of the counters. */
void verify_cells(struct verify *v);

/* Check .ldx.turns. */
void verify_turns(struct verify *v);

/* Find the addresses of low halves of the old code; then (verify_halves()) check the new ones. */
void pair_halves(struct verify *v);
void verify_halves(struct verify *v);
void verify_code(struct verify *v);
void verify_unwind(struct verify *v);
void verify_debug(struct verify *v);

/*
 * Is q instruction in, with bytes p, in the form of its length whose label a relocation names
 * because it is far away?
 */
bool is_far_form(const struct target *t, const struct insn *in, const uint8_t *p, const uint8_t *q);

#endif
