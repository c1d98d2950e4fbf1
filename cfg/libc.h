/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libc.h - which code is the C library's
 *
 * The code of functions of a shared C library, or of its replacement, is not in the object; a
 * static C library behaves like the shared one, whatever its code has for other callers.
 *
 * hazard: C name of another library.  A library may define log or index itself, and what it
 * defines need not return.
 */
#ifndef LDX_CFG_LIBC_H
#define LDX_CFG_LIBC_H

#include "cfg/cfg.h"
#include "program/library.h"

/*
 * Which sections are from a static C library?  Is a function from one?  Is s defined by
 * the C library, shared or static?
 */
void find_libc(struct cfg *g);

bool in_libc(const struct cfg *g, uint32_t func);
bool is_libcs(const struct cfg *g, const struct symbol *s);

/* Is s loaded, and not from a static C library?  Unwind tables refer to all code; they do not
 * count. */
bool may_refer(const struct cfg *g, const struct section *s);

/* The union of bits[symbol] over all symbols that sections of may_refer() refer to. */
unsigned referred_bits(const struct cfg *g, const uint8_t *bits);

/* What the standards say of s. */
enum callee callee_by_symbol(const struct cfg *g, const struct symbol *s);
unsigned libc_does(const struct cfg *g, const struct symbol *s); /* NAME_*; s may be NULL */

/*
 * Is it one of the compiler's functions for operations that the CPU does not have (gccint, "The GCC
 * low-level runtime library"), not for stacks in parts?
 */
bool is_helper(const struct cfg *g, const struct symbol *s);

#endif
