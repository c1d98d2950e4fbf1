/* SPDX-License-Identifier: Apache-2.0 */
/* leads.h - what is to be looked at again when something else has changed */
#ifndef LDX_BASE_LEADS_H
#define LDX_BASE_LEADS_H

#include "base/base.h"

/* from depends on to. */
struct lead {
	uint32_t to, from;
};
typedef VEC(struct lead) lead_vec;
typedef VEC(uint32_t) lead_todo;

/* Before leads_to(). */
void leads_sort(lead_vec *leads);

/* Append to todo what depends on to; leads are sorted. */
void leads_to(const lead_vec *leads, uint32_t to, lead_todo *todo);

#endif
