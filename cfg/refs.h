/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refs.h - what fields of instructions and data refer to, and how
 *
 * No other file looks at bytes of code, relocations' roles or names of sections to learn it.
 */
#ifndef LDX_CFG_REFS_H
#define LDX_CFG_REFS_H

#include "cfg/cfg.h"
#include "reloc/fix.h"

/* The label that a field names. */
struct ref {
	uint32_t sec;			/* 0: not in this object, or no label */
	uint64_t off;
	const struct reloc *rel;	/* on the field; NULL: the assembler has resolved it */
};

/* Sets r to what the pc-relative field of insn i of section c names.  False: it has none. */
bool cfg_ref(const struct cfg *g, const struct text *c, uint32_t i, struct ref *r);
/* How that field, of function from, uses offset off of section t. */
enum ref_use cfg_ref_use(const struct cfg *g, uint32_t from, const struct insn *in,
	const struct text *t, uint64_t off);

/* The symbol that the last instruction of a block calls, jumps to or reads through; or NULL. */
const struct symbol *named_at_end(const struct cfg *g, const struct block *bl);

/* The relocations of an instruction of section c; *n: how many. */
const struct reloc *insn_relocs(const struct text *c, const struct insn *in, uint32_t *n);

/*
 * True when r, in insn i, is the GOT's address relative to a label: the label is
 * the field's place - addend (x86-64 psABI, large code model: R_X86_64_GOTPC64).
 */
bool cfg_base_label(const struct cfg *g, uint32_t i, const struct reloc *r);

/* How relocation rel of section s, which holds no code, names its label.  For fix_data_section(). */
struct data_ref cfg_data_ref(const void *g, const struct section *s, uint32_t rel);

/* A section that names places which must keep their very instructions. */
bool is_patchable(const struct section *s);
/* A section that names instructions, and leads nobody to them. */
bool is_trap_map(const struct section *s);

#endif
