/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prior.c - counts of blocks from an earlier profile
 *
 * A line is FUNCTION+0xOFFSET COUNT, for each block in the order of the code, as
 * `ldxprof export --format=counts' writes them; the path of a shared object and a colon precede
 * the names of its functions.  Names are escaped as base/shown.h says.  The counts of a function
 * are used if the file has its name with the same offsets of all blocks, and all such functions in
 * the file have the same counts.
 */
#include "instr/count/prior.h"
#include "cfg/opaque.h"

#include "base/shown.h"

#include <stdlib.h>

struct prior_func {
	const char *name;
	size_t first, n; /* blocks */
	uint64_t next;	 /* 1 + the number of the next function with the same name; 0: none */
};
struct prior_counts {
	VEC(struct prior_func) func;
	VEC(uint64_t) off;
	VEC(uint64_t) count;
	struct strmap by_name; /* 1 + the number of the last function with that name */
};

/* Splits NAME+0xOFFSET COUNT. */
static bool split_line(char *line, uint64_t *off, uint64_t *count)
{
	char *space = strrchr(line, ' '), *end;
	if (!space || space[1] < '0' || space[1] > '9')
		return false;
	*space = 0;
	*count = strtoull(space + 1, &end, 10);
	char *plus = strrchr(line, '+');
	if (*end || !plus || strncmp(plus, "+0x", 3))
		return false;
	*plus = 0;
	*off = strtoull(plus + 3, &end, 16);
	return !*end && end > plus + 3;
}

static void put_block(struct prior_counts *v, const char *name, uint64_t off, uint64_t count)
{
	struct prior_func *last = v->func.n ? &v->func.v[v->func.n - 1] : NULL;
	if (!last || strcmp(last->name, name) || off <= v->off.v[v->off.n - 1]) {
		uint64_t *slot = strmap_slot(&v->by_name, name);
		vec_push(&v->func, (struct prior_func){name, v->off.n, 0, *slot});
		*slot = v->func.n;
		last = &v->func.v[v->func.n - 1];
	}
	last->n++;
	vec_push(&v->off, off);
	vec_push(&v->count, count);
}

struct prior_counts *prior_parse(struct arena *a, const char *path, char *line)
{
	struct prior_counts *v = arena_new(a, struct prior_counts);
	for (unsigned n = 1; *line; n++) {
		char *eol = strchr(line, '\n'), *next = eol ? eol + 1 : strchr(line, 0);
		uint64_t off, count;
		if (eol)
			*eol = 0;
		if (!split_line(line, &off, &count))
			fatal("%s:%u: not a count as `ldxprof export --format=counts' writes it",
				path, n);
		char *colon = strrchr(line, ':'), *name = colon ? colon + 1 : line;
		unshow(name);
		put_block(v, name, off, count);
		line = next;
	}
	return v;
}

static bool same_blocks(const struct cfg *g, const struct func *f, const uint64_t *off, size_t n)
{
	size_t i = 0;
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		if (!bl->gap && (i == n || g->insn.v[bl->insn].off - f->start != off[i++]))
			return false;
	}
	return i == n;
}

const uint64_t *prior_counts(const struct prior_counts *v, const struct cfg *g,
	const struct func *f)
{
	const uint64_t *slot = f->sym ? strmap_find(&v->by_name, g->obj->sym.v[f->sym].name) : NULL;
	const uint64_t *found = NULL;
	for (uint64_t i = slot ? *slot : 0; i; i = v->func.v[i - 1].next) {
		const struct prior_func *c = &v->func.v[i - 1];
		const uint64_t *counts = v->count.v + c->first;
		if (!same_blocks(g, f, v->off.v + c->first, c->n))
			continue;
		if (found && memcmp(found, counts, c->n * sizeof *counts))
			return NULL;
		found = counts;
	}
	return found;
}
