/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug.c - debug information after layout
 *
 * Its sections hold code distances without relocations and refer to one
 * another, so they are right as a set or dropped as a set.
 */
#include "reloc/codec.h"
#include "reloc/recode.h"

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/*
 * Formats with unrelocated code distances.  Not here: .debug_gdb_scripts, which
 * names files; .stack_sizes and .llvm.call-graph-profile, whose addresses are
 * relocated; .llvm_addrsig, which names symbols by index, and none changes.
 */
static bool is_stale(const struct section *s)
{
	if (starts_with(s->name, ".debug_"))
		return strcmp(s->name, ".debug_gdb_scripts") != 0;
	return starts_with(s->name, ".zdebug_") || starts_with(s->name, ".stab") ||
	       !strcmp(s->name, ".sframe") || starts_with(s->name, ".llvm_bb_addr_map") ||
	       !strcmp(s->name, ".gdb_index") || !strcmp(s->name, ".pseudo_probe");
}

uint64_t debug_rewrite(struct object *o)
{
	uint64_t bytes = 0;
	if (!code_changes(o))
		return 0;
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (s->dropped || !is_stale(s))
			continue;
		s->dropped = true;
		bytes += s->size;
	}
	return bytes;
}
