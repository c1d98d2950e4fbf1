/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle.h - names of C++, Rust and D as their languages write them
 */
#ifndef LDX_BASE_DEMANGLE_H
#define LDX_BASE_DEMANGLE_H

/*
 * New memory, or NULL: it is not mangled.  Hashes that Rust adds to names are left out.  Read by
 * libiberty, as binutils and gdb do.
 */
char *demangle(const char *name);

#endif
