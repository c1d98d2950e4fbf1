/* SPDX-License-Identifier: Apache-2.0 */
/* library.h - what functions of the C library do, and what handlers of signals reach */
#ifndef LDX_CFG_LIBRARY_H
#define LDX_CFG_LIBRARY_H

#include "cfg/program.h"

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

/* What the standards say of a function with this name; the same if s is that function */
enum callee callee_by_name(const char *name);

enum callee callee_by_symbol(const struct cfg *g, const struct symbol *s);

/*
 * Is it one of the compiler's functions for operations that the CPU does not have (gccint, "The GCC
 * low-level runtime library"), not for stacks in parts?
 */
bool is_helper(const struct cfg *g, const struct symbol *s);

/*
 * A function of the C library that accesses memory at arguments at, bits 0 to 2, of so many bytes
 * as the product of arguments count; 0: it finds out how many.  NULL: another function.
 */
struct accessor {
	const char *name;
	uint8_t at, count;
};

const struct accessor *callee_accesses(const char *name);
bool name_is_harmless(const char *name); /* it makes no thread and no process */

/*
 * Marks the functions that the program installs as signal handlers.  kind, by
 * symbol: NAME_*.  The reason: why it may install others too.
 */
struct reason cfg_handlers(const struct cfg *g, const uint8_t *kind, uint8_t *handler);

/* Is the second argument of the C library's function of this name a handler, or a struct with one?
 */
bool handler_in_address(const char *name);

bool handler_in_struct(const char *name);

/*
 * May one of these handlers, by function, change the context that it returns to?  By its
 * third argument; or because a function reached from it, but in the C library, finds it on the
 * stack.
 */
struct reason uses_context(const struct cfg *g, const uint8_t *handler);

struct reason finds_context(const struct cfg *g, const uint8_t *handler, const uint8_t *reached);

/* May function s of a library call functions of the program?  libc: it is the C library's. */
bool calls_back(const struct cfg *g, const struct symbol *s, bool libc);

/* May the program install handlers by a system call instruction? */
bool cfg_syscalls_install(const struct cfg *g);

/*
 * The kinds, NAME_*, of the functions that the program may look up by dlsym(3): of those whose
 * names are in functions that call it.  kind: by symbol.
 */
unsigned looked_up_kinds(const struct cfg *g, const uint8_t *kind);

/* Does the program only call the functions of which kind, by symbol, has a bit of which? */
bool names_only_called(const struct cfg *g, const uint8_t *kind, unsigned which);

/* The constant number that the call of syscall(2) at the end of block bl passes; false: unknown. */
bool call_number(const struct cfg *g, const struct block *bl, int64_t *nr);

/* Is name in the sorted array list? */
bool name_listed(const char *name, const char *const *list, size_t n);

#define IS_ONE_OF(name, list) name_listed(name, list, sizeof list / sizeof *list)

#endif
