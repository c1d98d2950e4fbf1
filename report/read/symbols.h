/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols.h - local functions of the symbol table, to distinguish functions of one name
 */
#ifndef LDX_REPORT_SYMBOLS_H
#define LDX_REPORT_SYMBOLS_H

#include "report/read/program.h"

struct local_symbol {
	const char *name;
	const char *file; /* of the STT_FILE symbol before it; "": there is none */
	uint64_t address;
	unsigned number; /* among those of this name and file, by address, from 1 */
	bool alone;	 /* no other local function has the name */
};

/* The local functions, by address. */
struct local_symbols {
	struct local_symbol *v;
	size_t n;
};

/* die() if the symbol table is damaged or missing. */
struct local_symbols local_symbols(const struct program *p);

/* NULL: the function is global. */
const struct local_symbol *local_symbol(const struct local_symbols *s, const struct map_func *f);

#endif
