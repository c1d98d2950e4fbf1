/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exclusive.c - nothing comes between a load-exclusive and its store-exclusive
 *
 * hazard: exclusive pair.  Memory that is accessed between a load-exclusive (load-linked,
 * load-reserved) and its store may make the store fail each time.  Instructions from which a store
 * may be reached without another load are glued to what is in front of them.  A block that begins
 * between the two is counted behind the store, so it must have an instruction there.
 */
#include "cfg/opaque.h"

#include <stdlib.h>

/* By block of a function: does a store follow its start, without a load in front of the store? */
typedef VEC(bool) follows_vec;

static enum exclusive exclusive_of(const struct cfg *g, const struct code_section *c, uint32_t i)
{
	return g->target->exclusive(insn_bytes(c, &g->insn.v[i]), g->insn.v[i].len);
}

static bool has_store(const struct cfg *g, const struct code_section *c, const struct func *f)
{
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++)
			if (exclusive_of(g, c, i) == EXCLUSIVE_STORE)
				return true;
	}
	return false;
}

static bool at_start_of(const follows_vec *follows, const struct func *f, uint32_t b)
{
	return func_has_block(f, b) && follows->v[b - f->block];
}

static bool at_end(const struct cfg *g, const follows_vec *follows, const struct func *f,
	uint32_t b)
{
	const struct block *bl = &g->block.v[b];
	return at_start_of(follows, f, bl->fall) ||
		(bl->end != END_CALL && at_start_of(follows, f, bl->target));
}

/* Goes back through block b.  With glue, marks instructions.  Returns what holds at the start. */
static bool go_back(struct cfg *g, const struct code_section *c, uint32_t b, bool now, bool glue)
{
	const struct block *bl = &g->block.v[b];
	for (uint32_t i = bl->insn + bl->ninsn; i-- > bl->insn;) {
		enum exclusive x = exclusive_of(g, c, i);
		now = x == EXCLUSIVE_STORE || (now && x != EXCLUSIVE_LOAD);
		if (glue && now)
			g->insn.v[i].flags |= INSN_GLUED;
	}
	return now;
}

static void find_follows(struct cfg *g, const struct code_section *c, const struct func *f,
	follows_vec *follows)
{
	vec_reserve(follows, f->nblock);
	memset(follows->v, 0, f->nblock * sizeof *follows->v);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = f->block + f->nblock; b-- > f->block;) {
			bool now = go_back(g, c, b, at_end(g, follows, f, b), false);
			changed |= now && !follows->v[b - f->block];
			follows->v[b - f->block] |= now;
		}
	}
}

/* Does control leave the block by its last instruction, glued or a load, to an unknown place? */
static bool leaves(const struct cfg *g, const struct code_section *c, const struct block *bl)
{
	bool load = false;
	uint32_t last = bl->insn + bl->ninsn - 1;
	for (uint32_t i = bl->insn; i <= last; i++) {
		enum exclusive x = exclusive_of(g, c, i);
		load = x == EXCLUSIVE_LOAD || (load && x != EXCLUSIVE_STORE);
	}
	if (bl->end == END_LEAVE || bl->end == END_TABLE)
		return load;
	return (bl->end == END_CALL || bl->end == END_SYSCALL) &&
		(g->insn.v[last].flags & INSN_GLUED);
}

void glue_exclusives(struct cfg *g, const struct code_section *c, opaque_parts *v)
{
	follows_vec follows = {0};
	for (uint32_t fi = c->func; fi < c->func + c->nfunc && g->target->exclusive; fi++) {
		const struct func *f = &g->func.v[fi];
		if (!has_store(g, c, f))
			continue;
		find_follows(g, c, f, &follows);
		for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
			const struct block *bl = &g->block.v[b];
			bool start = go_back(g, c, b, at_end(g, &follows, f, b), true);
			uint8_t last = g->insn.v[bl->insn + bl->ninsn - 1].flags;
			if ((start && (last & INSN_GLUED)) || leaves(g, c, bl))
				list_opaque_func(v, fi, OPAQUE_KEEP, g->insn.v[bl->insn].off);
		}
	}
	vec_free(&follows);
}
