/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.h - relocations of data, and symbols of functions that routines replace (data.c)
 */
#ifndef LDX_VERIFY_DATA_H
#define LDX_VERIFY_DATA_H

#include "verify/state.h"

/*
 * Relocation q, the successor of r, with the symbol that it had before a routine took the place of
 * that.  calls: control follows r.  Fails if it should have another symbol.
 */
const struct reloc *without_redirect(struct verify *v, const struct section *a,
	const struct reloc *r, const struct reloc *q, bool calls);

void verify_data_reloc(struct verify *v, const struct section *s, const struct reloc *r,
	const struct reloc *q);

/* An unloaded section may refer to code as a start, as an end, or as the very instruction. */
bool same_unloaded_place(struct verify *v, uint32_t sec, uint64_t x, uint32_t nsec, uint64_t y);

bool is_unwind(const struct section *s);

#endif
