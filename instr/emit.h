/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.h - the new contents of code sections
 */
#ifndef LDX_INSTR_EMIT_H
#define LDX_INSTR_EMIT_H

struct layout;
struct plan;
struct words;

/* Encode all code sections into out, with all relocations. */
void emit_code(const struct plan *p, const struct layout *lay, const struct words *words);

#endif
