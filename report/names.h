/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - names of functions, shortened to a width
 */
#ifndef LDX_REPORT_NAMES_H
#define LDX_REPORT_NAMES_H

#include <stddef.h>

/* Columns that text takes on a terminal. */
size_t text_width(const char *s);

/*
 * name in at most width columns, if that is possible without cutting its last part.  dots replace
 * first the arguments of templates, the innermost first, then the parameters, the return type and
 * the scopes.  New memory.
 */
char *name_fitted(const char *name, size_t width, const char *dots);

#endif
