/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named.h - what the command line of the link says of symbols of the object
 */
#ifndef LDX_INSTR_NAMED_H
#define LDX_INSTR_NAMED_H

struct object;

/* The program is entered at the symbols with these names, up to NULL; name may be NULL. */
void mark_entered(struct object *o, const char *const *name);

/*
 * fatal() if one of these expressions, up to NULL, counts bytes from a symbol in code: the last
 * link computes it anew.  e may be NULL.
 */
void check_expressions(const struct object *o, const char *const *e);

#endif
