/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - names of functions, shortened to a width
 */
#ifndef LDX_REPORT_NAMES_H
#define LDX_REPORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Columns that text takes on a terminal. */
size_t text_width(const char *s);

/*
 * name in at most width columns, if that is possible without cutting its last part.  dots replace
 * first the arguments of templates, the innermost first, then the parameters, the return type and
 * the scopes; or the folders of a path.  New memory.
 */
char *name_fitted(const char *name, size_t width, const char *dots);

/*
 * Is the wanted name the last part of a demangled one, or its last parts with :: between them,
 * without parameters, and with or without the arguments of the last template?  Symbols of Fortran
 * are those of a procedure, or of one of a module.
 */
bool name_ends_in(const char *name, const char *wanted);

#endif
