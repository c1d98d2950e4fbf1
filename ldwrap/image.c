/* SPDX-License-Identifier: Apache-2.0 */
/* image.c - a program or shared library as the dynamic linker reads it; see image.h */
#include "ldwrap/image.h"

#include <stddef.h>
#include <stdlib.h>

bool image_inside(const struct image *im, uint64_t off, uint64_t size)
{
	return off <= im->file.n && size <= im->file.n - off;
}

const uint8_t *image_at(const struct image *im, uint64_t addr, uint64_t size)
{
	for (size_t i = 0; i < im->ph.n; i++) {
		const Elf64_Phdr *p = &im->ph.v[i];
		if (p->p_type == PT_LOAD && addr >= p->p_vaddr && addr - p->p_vaddr < p->p_filesz &&
			size <= p->p_filesz - (addr - p->p_vaddr) &&
			image_inside(im, p->p_offset, p->p_filesz))
			return im->file.p + p->p_offset + (addr - p->p_vaddr);
	}
	return NULL;
}

static bool read_headers(struct image *im)
{
	if (!elf_form(im->file.p, im->file.n, &im->form))
		return false;
	elf_ehdr(im->form, im->file.p, &im->eh);
	size_t size = ELF_SIZE(im->form, Phdr);
	for (unsigned i = 0; i < im->eh.e_phnum; i++) {
		Elf64_Phdr p;
		uint64_t off = im->eh.e_phoff + (uint64_t)i * size;
		if (!image_inside(im, off, size))
			return false;
		elf_phdr(im->form, im->file.p + off, &p);
		vec_push(&im->ph, p);
	}
	return true;
}

const Elf64_Phdr *image_segment(const struct image *im, uint32_t type)
{
	for (size_t i = 0; i < im->ph.n; i++)
		if (im->ph.v[i].p_type == type)
			return &im->ph.v[i];
	return NULL;
}

uint64_t image_value(const struct image *im, int64_t tag)
{
	for (size_t i = 0; i < im->dyn.n; i++)
		if (im->dyn.v[i].d_tag == tag)
			return im->dyn.v[i].d_un.d_val;
	return 0;
}

void image_dynamic(struct image *im)
{
	const Elf64_Phdr *p = image_segment(im, PT_DYNAMIC);
	if (!p || !image_inside(im, p->p_offset, p->p_filesz))
		return;
	size_t size = ELF_SIZE(im->form, Dyn);
	for (uint64_t i = 0; i < p->p_filesz / size; i++) {
		Elf64_Dyn d;
		elf_dyn(im->form, im->file.p + p->p_offset + i * size, &d);
		if (d.d_tag == DT_NULL)
			break;
		vec_push(&im->dyn, d);
	}
	uint64_t n = image_value(im, DT_STRSZ);
	im->strtab = (const char *)image_at(im, image_value(im, DT_STRTAB), n);
	im->strsize = im->strtab && n && !im->strtab[n - 1] ? n : 0;
}

struct reader image_section(const struct image *im, const Elf64_Shdr *sh)
{
	bool there = sh->sh_type != SHT_NOBITS && image_inside(im, sh->sh_offset, sh->sh_size);
	struct reader r =
		reader_make(there ? im->file.p + sh->sh_offset : NULL, there ? sh->sh_size : 0);
	r.big = im->form.big;
	return r;
}

const char *image_strings(const struct image *im, uint64_t section, uint64_t *size)
{
	*size = 0;
	if (section >= im->sh.n)
		return NULL;
	struct reader r = image_section(im, &im->sh.v[section]);
	if (r.end != r.start && !r.end[-1])
		*size = (uint64_t)(r.end - r.start);
	return (const char *)r.start;
}

/* gABI, "ELF Header": numbers that do not fit into it are in the first section header. */
void image_sections(struct image *im)
{
	size_t size = ELF_SIZE(im->form, Shdr);
	uint64_t n = im->eh.e_shnum, names = im->eh.e_shstrndx;
	Elf64_Shdr first;
	if (!im->eh.e_shoff || !image_inside(im, im->eh.e_shoff, size))
		return;
	elf_shdr(im->form, im->file.p + im->eh.e_shoff, &first);
	n = n ? n : first.sh_size;
	for (uint64_t i = 0; i < n; i++) {
		Elf64_Shdr sh;
		uint64_t off = im->eh.e_shoff + i * size;
		if (!image_inside(im, off, size))
			break;
		elf_shdr(im->form, im->file.p + off, &sh);
		vec_push(&im->sh, sh);
	}
	im->shstr = image_strings(im, names == SHN_XINDEX ? first.sh_link : names, &im->shsize);
}

const char *image_section_name(const struct image *im, const Elf64_Shdr *sh)
{
	return sh->sh_name < im->shsize ? im->shstr + sh->sh_name : "";
}

const Elf64_Shdr *image_section_at(const struct image *im, uint64_t addr)
{
	for (size_t i = 0; i < im->sh.n; i++) {
		const Elf64_Shdr *sh = &im->sh.v[i];
		bool reserved = sh->sh_flags & SHF_TLS && sh->sh_type == SHT_NOBITS;
		if (sh->sh_flags & SHF_ALLOC && !reserved && addr >= sh->sh_addr &&
			addr - sh->sh_addr < sh->sh_size)
			return sh;
	}
	return NULL;
}

const char *image_string(const struct image *im, uint64_t off)
{
	return off < im->strsize ? im->strtab + off : "";
}

const Elf64_Dyn *image_tag(const struct image *im, int64_t tag, size_t i)
{
	for (size_t k = 0; k < im->dyn.n; k++)
		if (im->dyn.v[k].d_tag == tag && !i--)
			return &im->dyn.v[k];
	return NULL;
}

/* Only the section headers give the number of dynamic symbols. */
uint64_t image_symbols(const struct image *im)
{
	size_t size = ELF_SIZE(im->form, Shdr);
	for (unsigned i = 0; i < im->eh.e_shnum; i++) {
		Elf64_Shdr sh;
		uint64_t off = im->eh.e_shoff + (uint64_t)i * size;
		if (!image_inside(im, off, size))
			break;
		elf_shdr(im->form, im->file.p + off, &sh);
		if (sh.sh_type == SHT_DYNSYM)
			return sh.sh_size / ELF_SIZE(im->form, Sym);
	}
	return 0;
}

bool image_symbol(const struct image *im, uint64_t i, Elf64_Sym *s)
{
	size_t size = ELF_SIZE(im->form, Sym);
	const uint8_t *p = image_at(im, image_value(im, DT_SYMTAB) + i * size, size);
	if (p)
		elf_sym(im->form, p, s);
	return p;
}

/* The members of Elf*_Verdef, Verdaux, Verneed and Vernaux are the same in both classes. */
static uint32_t member(const struct image *im, const uint8_t *p, size_t off, size_t size)
{
	return size == 2 ? elf_half(im->form, p + off) : elf_word(im->form, p + off);
}
#define MEMBER(im, p, type, name)                                                                  \
	member(im, p, offsetof(Elf64_##type, name), sizeof((Elf64_##type){0}.name))

/* The name of version index in the definitions or requirements of the image; "" when none. */
static const char *version_defined(const struct image *im, unsigned index)
{
	uint64_t addr = image_value(im, DT_VERDEF);
	for (uint64_t n = image_value(im, DT_VERDEFNUM); n; n--) {
		const uint8_t *p = image_at(im, addr, sizeof(Elf64_Verdef));
		if (!p)
			break;
		uint64_t aux = addr + MEMBER(im, p, Verdef, vd_aux);
		const uint8_t *q = image_at(im, aux, sizeof(Elf64_Verdaux));
		if (MEMBER(im, p, Verdef, vd_ndx) == index && q)
			return image_string(im, MEMBER(im, q, Verdaux, vda_name));
		uint32_t next = MEMBER(im, p, Verdef, vd_next);
		if (!next)
			break;
		addr += next;
	}
	return "";
}

static const char *version_needed(const struct image *im, unsigned index)
{
	uint64_t addr = image_value(im, DT_VERNEED);
	for (uint64_t n = image_value(im, DT_VERNEEDNUM); n; n--) {
		const uint8_t *p = image_at(im, addr, sizeof(Elf64_Verneed));
		if (!p)
			break;
		uint64_t aux = addr + MEMBER(im, p, Verneed, vn_aux);
		for (unsigned k = MEMBER(im, p, Verneed, vn_cnt); k; k--) {
			const uint8_t *q = image_at(im, aux, sizeof(Elf64_Vernaux));
			if (!q)
				break;
			if (MEMBER(im, q, Vernaux, vna_other) == index)
				return image_string(im, MEMBER(im, q, Vernaux, vna_name));
			aux += MEMBER(im, q, Vernaux, vna_next);
		}
		uint32_t next = MEMBER(im, p, Verneed, vn_next);
		if (!next)
			break;
		addr += next;
	}
	return "";
}

const char *image_version(const struct image *im, uint64_t i, const Elf64_Sym *s, bool *hidden)
{
	uint64_t versym = image_value(im, DT_VERSYM);
	const uint8_t *v = versym ? image_at(im, versym + i * 2, 2) : NULL;
	uint16_t version = v ? elf_half(im->form, v) : 0;
	*hidden = version & 0x8000;
	unsigned index = version & 0x7fff;
	if (index <= 1)
		return "";
	return s->st_shndx == SHN_UNDEF ? version_needed(im, index) : version_defined(im, index);
}

bool image_open(struct image *im, const char *path)
{
	*im = (struct image){0};
	if (!file_map(path, &im->file))
		return false;
	if (read_headers(im))
		return true;
	image_close(im);
	return false;
}

void image_close(struct image *im)
{
	file_unmap(im->file);
	vec_free(&im->ph);
	vec_free(&im->dyn);
	vec_free(&im->sh);
	*im = (struct image){0};
}
