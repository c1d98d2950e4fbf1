/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named.h - symbols that the command line of the link names
 */
#ifndef LDX_INSTR_NAMED_H
#define LDX_INSTR_NAMED_H

struct object;
struct symbol;

/* Mark the symbols with these names, up to NULL, as entry points; name may be NULL. */
void mark_entered(struct object *o, const char *const *name);

/*
 * fatal() if one of these expressions, up to NULL, adds a number to a symbol in code: the last link
 * evaluates it after the code has moved.  e may be NULL.
 */
void check_expressions(const struct object *o, const char *const *e);

/* Call visit for the global symbols in code that these expressions name. */
void each_expressed(const struct object *o, const char *const *e,
	void (*visit)(void *ctx, const struct symbol *s), void *ctx);

#endif
