/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sections.h - the section headers and symbols of an object, as far as they are sound
 */
#ifndef LDX_LDWRAP_SECTIONS_H
#define LDX_LDWRAP_SECTIONS_H

#include "ldwrap/inputs.h"

/* A walk over the section headers of an object. */
struct sections {
	struct bytes file;
	struct elf_form form;
	uint64_t shoff, n, names, names_size;
};

/* False: it has no sound section headers. */
bool sections_open(struct sections *s, struct bytes b);

/* The i-th header; false: there is none. */
bool section_get(const struct sections *s, uint64_t i, Elf64_Shdr *sh);

/* Its name; "" if that is damaged. */
const char *header_name(const struct sections *s, const Elf64_Shdr *sh);

/* The first section of that name: its header and number.  False: there is none. */
bool find_section(const struct sections *s, const char *name, uint64_t *index, Elf64_Shdr *sh);

/* Are the bytes [off, off + size) in the file? */
bool inside(struct bytes b, uint64_t off, uint64_t size);

/* The header of the symbol table; false: there is none that is in the file. */
bool find_symtab(const struct sections *s, Elf64_Shdr *symtab);

/* Calls fn for each global symbol, whose entry is at at; name is "" if it is damaged. */
void each_global(const struct sections *s,
	void (*fn)(void *ctx, const char *name, const Elf64_Sym *sym, size_t at), void *ctx);

#endif
