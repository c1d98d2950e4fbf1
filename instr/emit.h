/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.h - the code sections' new contents
 */
#ifndef LDX_INSTR_EMIT_H
#define LDX_INSTR_EMIT_H

struct layout;
struct plan;

/* Encode all code sections into out, with all relocations. */
void emit_code(const struct plan *p, const struct layout *lay);

#endif
