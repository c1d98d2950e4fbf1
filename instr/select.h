/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.h - which functions are instrumented: --ldx-only and --ldx-skip
 */
#ifndef LDX_INSTR_SELECT_H
#define LDX_INSTR_SELECT_H

#include "cfg/cfg.h"

/*
 * A pattern is a number N, a range N-M, or a glob (fnmatch(3)).  A number stands for that function
 * of the combined object, from 1.  A glob selects the functions with such a name, mangled or
 * demangled, or with an alias of such a name; those from an object of such a name or base name;
 * those from an archive, or from a member of one, of such a name; and those from a source file that
 * the object names so.  Lists end with NULL.
 */
struct func_patterns {
	const char *const *only; /* NULL: every function */
	const char *const *skip; /* of these, those that are not; or NULL */
};

/* By function; NULL: every function is selected.  Memory of g's arena. */
const bool *select_functions(const struct cfg *g, const struct func_patterns *s,
	const struct origins *origins);

/* Is the text N, or N-M with N <= M, of numbers from 1? */
bool select_range(const char *text, uint64_t *first, uint64_t *last);

#endif
