/* SPDX-License-Identifier: Apache-2.0 */
/* sections.c - the section headers and symbols of an object; see sections.h */
#include "ldwrap/sections.h"

bool inside(struct bytes b, uint64_t off, uint64_t size)
{
	return off <= b.n && size <= b.n - off;
}

bool section_get(const struct sections *s, uint64_t i, Elf64_Shdr *sh)
{
	if (i >= s->n)
		return false;
	elf_shdr(s->form, s->file.p + s->shoff + i * ELF_SIZE(s->form, Shdr), sh);
	return true;
}

const char *header_name(const struct sections *s, const Elf64_Shdr *sh)
{
	if (sh->sh_name >= s->names_size)
		return "";
	const char *name = (const char *)s->file.p + s->names + sh->sh_name;
	return memchr(name, 0, s->names_size - sh->sh_name) ? name : "";
}

bool sections_open(struct sections *s, struct bytes b)
{
	Elf64_Ehdr eh;
	Elf64_Shdr first;
	*s = (struct sections){.file = b};
	if (!elf_form(b.p, b.n, &s->form))
		return false;
	size_t size = ELF_SIZE(s->form, Shdr);
	elf_ehdr(s->form, b.p, &eh);
	if (!eh.e_shoff || eh.e_shentsize != size || !inside(b, eh.e_shoff, size))
		return false;
	elf_shdr(s->form, b.p + eh.e_shoff, &first);
	s->shoff = eh.e_shoff;
	s->n = eh.e_shnum ? eh.e_shnum : first.sh_size;
	uint64_t names = eh.e_shstrndx == SHN_XINDEX ? first.sh_link : eh.e_shstrndx;
	if (s->n > (b.n - s->shoff) / size || !section_get(s, names, &first) ||
		!inside(b, first.sh_offset, first.sh_size))
		return false;
	s->names = first.sh_offset;
	s->names_size = first.sh_size;
	return true;
}

bool find_section(const struct sections *s, const char *name, uint64_t *index, Elf64_Shdr *sh)
{
	for (*index = 1; section_get(s, *index, sh); ++*index)
		if (!strcmp(header_name(s, sh), name))
			return true;
	return false;
}

bool find_symtab(const struct sections *s, Elf64_Shdr *symtab)
{
	for (uint64_t i = 1; section_get(s, i, symtab); i++)
		if (symtab->sh_type == SHT_SYMTAB)
			return inside(s->file, symtab->sh_offset, symtab->sh_size);
	return false;
}

void each_global(const struct sections *s,
	void (*fn)(void *ctx, const char *name, const Elf64_Sym *sym, size_t at), void *ctx)
{
	Elf64_Shdr symtab, strtab;
	size_t size = ELF_SIZE(s->form, Sym);
	if (!find_symtab(s, &symtab) || !section_get(s, symtab.sh_link, &strtab) ||
		!inside(s->file, strtab.sh_offset, strtab.sh_size))
		return;
	const char *names = (const char *)s->file.p + strtab.sh_offset;
	for (uint64_t i = 1; i < symtab.sh_size / size; i++) {
		Elf64_Sym sym;
		size_t at = symtab.sh_offset + i * size;
		elf_sym(s->form, s->file.p + at, &sym);
		if (ELF64_ST_BIND(sym.st_info) == STB_LOCAL)
			continue;
		bool good = sym.st_name < strtab.sh_size &&
			memchr(names + sym.st_name, 0, strtab.sh_size - sym.st_name);
		fn(ctx, good ? names + sym.st_name : "", &sym, at);
	}
}
