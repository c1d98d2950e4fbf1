/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong-called WAY IN OUT: rewrite as rewrite-object does in mode edges, but be wrong about which
 * calls enter a function.  lost: the block of another function's call stands for one; twice: one
 * stands for two; hidden: other code than these calls enters it.
 */
#include "instr/count/called.h"
#include "instr/count/threads.h"
#include "runtime/abi.h"
#include "testsuite/verify/claims.h"

#include <stdlib.h>
#include <string.h>

static const char *way;
const struct called *__real_called_find(const struct plan *p);
const struct called *__wrap_called_find(const struct plan *p);
uint64_t *__real_thread_entries(const struct plan *p);
uint64_t *__wrap_thread_entries(const struct plan *p);

uint64_t *__wrap_thread_entries(const struct plan *p)
{
	uint64_t *set = __real_thread_entries(p);
	if (!strcmp(way, "hidden"))
		memset(set, 0, (p->g->block.n / 64 + 1) * sizeof *set);
	return set;
}

/* The first function with so many sites. */
static uint32_t with_sites(const struct plan *p, const struct called *c, uint32_t least)
{
	for (uint32_t f = 0; f < p->g->func.n; f++)
		if (called_sites(c, f) >= least)
			return c->first[f];
	fatal("no function has %u sites", least);
}

const struct called *__wrap_called_find(const struct plan *p)
{
	const struct called *c = __real_called_find(p);
	if (!strcmp(way, "lost")) {
		uint32_t last = c->first[p->g->func.n] - 1;
		c->site[with_sites(p, c, 1)] = c->site[last];
	} else if (!strcmp(way, "twice")) {
		uint32_t i = with_sites(p, c, 2);
		c->site[i + 1] = c->site[i];
	}
	return c;
}

int main(int argc, char **argv)
{
	struct rewrite_options opt = {.mode = LDX_MODE_EDGES};
	struct arena a = {0};
	claim_vec claims = {0};
	struct stated stated = {0};
	if (argc != 4)
		return 2;
	way = argv[1];
	opt.claims = &claims;
	opt.stated = &stated;
	rewrite_object(&a, argv[2], argv[3], &opt);
	claims_write(argv[3], &claims);
	facts_write(argv[3], &stated);
	return 0;
}
