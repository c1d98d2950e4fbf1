/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refs.h - the table of references: what fields of instructions and data refer to, and how
 *
 * symbolise() makes it, once, when a section has been decoded.  After that no pass decodes where an
 * instruction leads: it asks for a struct ref, which has the role of the relocation.
 *
 * A link has tens of millions of references, so the table has no rows of its own:
 *
 *	owner		form			label			use
 *	an instruction	insn.pc_off, .pc_size	.ref, resolved: offset	insn_use()
 *						else by relocation .ref
 *	the same	relocation's type	by the relocation	REF_ADDRESS
 *	a word of data	relocation's type	by the relocation	cfg_data_ref()
 *	a table entry	relocation's type	and struct table.base	cfg_data_ref()
 *
 * Forms of several fields, such as both halves of an address, would need a list beside it, as
 * tables do: sorted by owner, and searched when a relocation has such a form.
 */
#ifndef LDX_CFG_REFS_H
#define LDX_CFG_REFS_H

#include "cfg/cfg.h"
#include "reloc/fix.h"

/* The offset of a label that is outside its section. */
enum { REF_NOWHERE = UINT32_MAX };

/* Enters the references of section c, whose instructions have been decoded. */
void symbolise(const struct cfg *g, const struct code_section *c);
/* Enters whether branch i of section c, which leads to r, stays in its function from. */
void symbolise_jump(const struct cfg *g, const struct code_section *c, uint32_t i, uint32_t from,
	const struct ref *r);

/* How an instruction uses the label that its pc-relative field refers to. */
enum ref_use insn_use(const struct insn *in);
/* Sets r to the reference of the pc-relative field of insn i of section c.  False: none. */
bool cfg_ref(const struct cfg *g, const struct code_section *c, uint32_t i, struct ref *r);
/*
 * The reference of relocation rel, in insn i or (NO_INSN) in none of section c.  For a GOT entry it
 * is the symbol there.  For role BASE outside the pc-relative field it is the label from which the
 * GOT's distance counts, field - addend (x86-64 psABI: R_X86_64_GOTPC64).
 */
struct ref cfg_field_ref(const struct cfg *g, const struct code_section *c, uint32_t i,
	const struct reloc *rel);
/*
 * The same; a relocation that names the instruction with the other part of an address (ROLE_PART)
 * has the label, role and use of the relocation there.
 */
struct ref cfg_reloc_ref(const struct cfg *g, const struct code_section *c, uint32_t i,
	const struct reloc *rel);
/*
 * Are relocation number rel of section s and the next one the terms of a difference from a place in
 * s?  Then that is *base.
 */
bool cfg_is_difference(const struct cfg *g, const struct section *s, uint32_t rel, uint64_t *base);

/* The same outside instructions; a word of table t (NULL: none) counts from its base. */
struct ref cfg_word_ref(const struct cfg *g, const struct reloc *rel, const struct table *t);
/* The insn of section c that contains rel, or NO_INSN; searches from *i on, and advances it. */
uint32_t cfg_reloc_insn(const struct cfg *g, const struct code_section *c, const struct reloc *rel,
	uint32_t *i);

/* The symbol that a relocation says indirect call or jump i of section c leads to; or NULL. */
const struct symbol *cfg_callee_symbol(const struct cfg *g, const struct code_section *c,
	uint32_t i);

/* The symbol that the last instruction of a block calls, jumps to or reads through; or NULL. */
const struct symbol *named_at_end(const struct cfg *g, const struct block *bl);

/* The parts of instruction in of section t, see insn_parts(), each with its own relocations. */
unsigned cfg_parts(const struct cfg *g, struct decoder *d, const struct code_section *t,
	const struct insn *in, struct insn part[INSN_PARTS]);

/*
 * Does a relocation in insn in of section c name the whole of an address, of which the
 * instruction adds the low bits to a register?
 */
bool cfg_names_whole(const struct cfg *g, const struct code_section *c, const struct insn *in);

/*
 * Does r, in insn i of section c, count from what a register of the operand holds, if that is a
 * label of c: is the operand in data?
 */
bool may_be_based(const struct cfg *g, const struct code_section *c, uint32_t i,
	const struct ref *r);
/* The label that reference r of section c counts from, by g->based.  False: it is not there. */
bool based_label(const struct cfg *g, const struct code_section *c, const struct ref *r,
	uint64_t *label);

/* Is r for the symbol whose value is the GOT's distance from r's place?  The linker defines it. */
bool cfg_names_got(const struct cfg *g, const struct reloc *r);

/* The relocations of an instruction of section c; *n: how many. */
const struct reloc *insn_relocs(const struct code_section *c, const struct insn *in, uint32_t *n);

/*
 * The reference of relocation rel of section s, which holds no code; after all tables are known.
 * For fix_data_section().
 */
struct ref cfg_data_ref(const void *g, const struct section *s, uint32_t rel);

/* Does the section list instructions that must not move apart from their label? */
bool is_patchable(const struct section *s);
/* Does the section list instructions without being a way for control to reach them? */
bool lists_instructions(const struct section *s);

#endif
