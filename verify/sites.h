/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sites.h - inserted code and what it counts; where control falls through (sites.c)
 */
#ifndef LDX_VERIFY_SITES_H
#define LDX_VERIFY_SITES_H

#include "verify/state.h"

/* What the map says a counter counts; COUNTS_NOTHING if it is not in the map. */
const struct vcount *counted(const struct verify *v, int64_t counter);

/* What must run the code of a site, if that counts or calls a routine; else NULL. */
const struct vcount *site_count(const struct verify *v, const struct vsite *s);

/* The first instruction from k on that is no no-op. */
uint32_t behind_padding(const struct verify *v, const struct vtext *t, uint32_t k);

/* The first of the no-ops in front of k, or k. */
uint32_t before_padding(const struct verify *v, const struct vtext *t, uint32_t k);

/* May control fall through to insn k, perhaps over no-ops? */
bool falls_in(const struct verify *v, const struct vtext *t, uint32_t k);

/* The first site of insn k or of a later one. */
const struct vsite *first_site(const struct verify *v, uint32_t text, uint32_t k);

/* Does the code lead to a routine in place of a function? */
static inline bool leads_to_routine(const struct pattern *p)
{
	return p->call && p->call->does == DOES_LEAD;
}

#endif
