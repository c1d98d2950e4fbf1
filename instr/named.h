/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named.h - symbols that the command line of the link names
 */
#ifndef LDX_INSTR_NAMED_H
#define LDX_INSTR_NAMED_H

struct object;

/* Mark the symbols with these names, up to NULL, as entry points; name may be NULL. */
void mark_entered(struct object *o, const char *const *name);

/*
 * fatal() if one of these expressions, up to NULL, adds a number to a symbol in code: the last link
 * evaluates it after the code has moved.  e may be NULL.
 */
void check_expressions(const struct object *o, const char *const *e);

#endif
