/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.c - see access.h
 */
#include "targets/access.h"

const struct access access_none = {.elements = 1,
	.base = -1,
	.index = -1,
	.scale = 1,
	.index_size = 8,
	.lanes = -1,
	.mask = -1,
	.value = -1};

const struct action action_none = {
	.count = -1, .reg = -1, .link = -1, .condition = {.a = -1, .b = -1}};

struct comparison action_compares(const struct action *a, unsigned word)
{
	const struct condition *c = &a->condition;
	bool flags = c->set | c->clear | c->differ;
	if (c->relation < RELATION_EQ || c->relation > RELATION_GEU || flags)
		return a->compares;
	return (struct comparison){.size = c->size ? c->size : (uint8_t)word,
		.value = {c->a, c->b},
		.with = c->b < 0 ? c->with : 0};
}

struct access *action_add(struct action *a, struct access access)
{
	if (a->naccess == ACCESSES)
		bug("more accesses than an instruction has");
	a->access[a->naccess] = access;
	return &a->access[a->naccess++];
}
