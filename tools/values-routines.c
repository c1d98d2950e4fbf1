/* SPDX-License-Identifier: Apache-2.0 */
/* values-routines.c - counts each value at each site: a table of which values.c sets the size */
#include <ldx/analysis.h>

LDX_THREAD_TABLE(2, 1) struct {
	uint64_t site, value, count;
} seen[2];
enum { IS_ZERO = 1, IS_INT = 2 }; /* of a site: as in the other parts */

/* No key is 0. */
LDX_ROUTINE void see(unsigned long site, unsigned long value, unsigned long base,
	unsigned long entries)
{
	value = site & IS_INT ? (uint32_t)value : value - base + 1;
	site |= value ? 0 : IS_ZERO;
	ldx_add(seen, [ldx_find(seen, entries, site, value ? value : 1)].count, 1);
}
