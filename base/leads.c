/* SPDX-License-Identifier: Apache-2.0 */
/* leads.c - lists of dependences; see leads.h */
#include "base/leads.h"

static int lead_cmp(const void *a, const void *b)
{
	const struct lead *x = a, *y = b;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

void leads_sort(lead_vec *leads)
{
	if (leads->n)
		sort(leads->v, leads->n, sizeof *leads->v, lead_cmp);
}

void leads_to(const lead_vec *leads, uint32_t to, lead_todo *todo)
{
	size_t i;
	BISECT(i, 0, leads->n, leads->v[i].to < to);
	for (; i < leads->n && leads->v[i].to == to; i++)
		vec_push(todo, leads->v[i].from);
}
