/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.h - which functions are instrumented: --ldx-only and --ldx-skip
 */
#ifndef LDX_INSTR_SELECT_H
#define LDX_INSTR_SELECT_H

#include "cfg/cfg.h"

/*
 * A pattern is a number N, a range N-M, or a glob (fnmatch(3)).  A number stands for that function
 * of the combined object, from 1.  A glob selects a function if it matches the function's name or
 * an alias, mangled or demangled; the path or base name of its object file or archive; its archive
 * member; or its source file, as the object's file symbol names it.  Lists end with NULL.
 */
struct func_patterns {
	const char *const *only; /* NULL: every function */
	const char *const *skip; /* functions to exclude from these; or NULL */
};

/* By function: is it selected?  NULL: every function is.  In g's arena. */
const bool *select_functions(const struct cfg *g, const struct func_patterns *s,
	const struct origins *origins);

/* Is the text N, or N-M with N <= M, of numbers from 1? */
bool select_range(const char *text, uint64_t *first, uint64_t *last);

#endif
