/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stated.c - facts about the old code; equal sets of registers are kept once
 */
#include "targets/stated.h"

#include <stdlib.h>

static size_t hash(const struct fact *fact)
{
	const regset set[] = {fact->use, fact->pass, fact->ret};
	uint64_t h = 0;
	for (unsigned k = 0; k < sizeof set / sizeof *set; k++)
		h = ((h ^ (uint64_t)set[k]) * 0x9e3779b97f4a7c15u ^ (uint64_t)(set[k] >> 64)) *
			0x9e3779b97f4a7c15u;
	return h >> 32;
}

static uint32_t *find_slot(const struct stated *all, const struct fact *fact)
{
	size_t i = hash(fact) & (all->slots - 1);
	while (all->slot[i] && memcmp(&all->fact.v[all->slot[i] - 1], fact, sizeof *fact) != 0)
		i = (i + 1) & (all->slots - 1);
	return &all->slot[i];
}

static void make_room(struct stated *all)
{
	enum { FIRST = 1024 };
	if (all->fact.n * 2 < all->slots)
		return;
	free(all->slot);
	all->slots = all->slots ? all->slots * 2 : FIRST;
	all->slot = calloc(all->slots, sizeof *all->slot);
	if (!all->slot)
		fatal("out of memory");
	for (uint32_t k = 0; k < all->fact.n; k++)
		*find_slot(all, &all->fact.v[k]) = k + 1;
}

void stated_add(struct stated *all, uint32_t sec, uint32_t off, const struct fact *fact)
{
	make_room(all);
	uint32_t *slot = find_slot(all, fact);
	if (!*slot) {
		vec_push(&all->fact, *fact);
		*slot = (uint32_t)all->fact.n;
	}
	vec_push(&all->at, (struct fact_at){sec, off, *slot - 1});
}

void stated_clear(struct stated *all)
{
	all->at.n = all->fact.n = 0;
	if (all->slots)
		memset(all->slot, 0, all->slots * sizeof *all->slot);
}

void stated_free(struct stated *all)
{
	vec_free(&all->at);
	vec_free(&all->fact);
	vec_free(&all->held);
	vec_free(&all->half);
	vec_free(&all->sum);
	vec_free(&all->sums);
	vec_free(&all->table);
	vec_free(&all->words);
	vec_free(&all->jump);
	vec_free(&all->endless);
	vec_free(&all->changes);
	free(all->slot);
	*all = (struct stated){0};
}
