/* SPDX-License-Identifier: Apache-2.0 */
/* handlers.h - which functions are handlers of signals, and what they reach */
#ifndef LDX_PROGRAM_HANDLERS_H
#define LDX_PROGRAM_HANDLERS_H

#include "program/program.h"

/*
 * Marks the functions that the program installs as signal handlers.  kind, by
 * symbol: NAME_*.  The reason: why it may install others too.
 */
struct reason cfg_handlers(const struct cfg *g, const uint8_t *kind, uint8_t *handler);

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

/* Does it make system calls by syscall(2) that are known and make no process, thread or handler? */
bool syscalls_are_quiet(const struct cfg *g, const uint8_t *kind);

/* Does the program only call the functions of which kind, by symbol, has a bit of which? */
bool names_only_called(const struct cfg *g, const uint8_t *kind, unsigned which);

/* The constant number that the call of syscall(2) at the end of block bl passes; false: unknown. */
bool call_number(const struct cfg *g, const struct block *bl, int64_t *nr);

#endif
