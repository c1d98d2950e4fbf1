/* SPDX-License-Identifier: Apache-2.0 */
/* fact.c - a fact about a linked file */
#include "ldwrap/facts.h"

void fact_add(struct reading *r, enum fact_kind kind, const char *key, const char *value)
{
	vec_push(&r->facts, (struct fact){kind, key, value});
}

void fact_add_function(struct reading *r, enum fact_kind kind, const char *key, uint64_t addr)
{
	vec_push(&r->unnamed, (struct unnamed){.addr = addr, .fact = r->facts.n});
	fact_add(r, kind, key, "");
}

const char *fact_hex(struct arena *a, struct reader *r, uint64_t n)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t left = (uint64_t)(r->end - r->p);
	n = n < left ? n : left;
	char *text = arena_alloc(a, 2 * n + 1);
	for (uint64_t i = 0; i < n; i++) {
		uint8_t x = read_u8(r);
		text[2 * i] = digits[x >> 4];
		text[2 * i + 1] = digits[x & 15];
	}
	return text;
}

bool fact_is_debug(const char *name)
{
	static const char *const beginnings[] = {".debug", ".zdebug", ".stab", ".line",
		".gdb_index", ".gnu.debuglto", ".comment", ".symtab", ".strtab", ".shstrtab"};
	/* --emit-relocs */
	if (!strncmp(name, ".rel", 4))
		name += name[4] == 'a' ? 5 : 4;
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return !*name;
}
