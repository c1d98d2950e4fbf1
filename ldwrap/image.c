/* SPDX-License-Identifier: Apache-2.0 */
/* image.c - a program or shared library as the dynamic linker reads it; see image.h */
#include "ldwrap/image.h"

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
	bool plain;
	if (!elf_machine(im->file, &plain) || !plain || im->file.n < sizeof im->eh)
		return false;
	memcpy(&im->eh, im->file.p, sizeof im->eh);
	for (unsigned i = 0; i < im->eh.e_phnum; i++) {
		Elf64_Phdr p;
		uint64_t off = im->eh.e_phoff + (uint64_t)i * sizeof p;
		if (!image_inside(im, off, sizeof p))
			return false;
		memcpy(&p, im->file.p + off, sizeof p);
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
	for (uint64_t i = 0; i < p->p_filesz / sizeof(Elf64_Dyn); i++) {
		Elf64_Dyn d;
		memcpy(&d, im->file.p + p->p_offset + i * sizeof d, sizeof d);
		if (d.d_tag == DT_NULL)
			break;
		vec_push(&im->dyn, d);
	}
	uint64_t size = image_value(im, DT_STRSZ);
	im->strtab = (const char *)image_at(im, image_value(im, DT_STRTAB), size);
	im->strsize = im->strtab && size && !im->strtab[size - 1] ? size : 0;
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
	for (unsigned i = 0; i < im->eh.e_shnum; i++) {
		Elf64_Shdr sh;
		uint64_t off = im->eh.e_shoff + (uint64_t)i * sizeof sh;
		if (!image_inside(im, off, sizeof sh))
			break;
		memcpy(&sh, im->file.p + off, sizeof sh);
		if (sh.sh_type == SHT_DYNSYM)
			return sh.sh_size / sizeof(Elf64_Sym);
	}
	return 0;
}

bool image_symbol(const struct image *im, uint64_t i, Elf64_Sym *s)
{
	const uint8_t *p = image_at(im, image_value(im, DT_SYMTAB) + i * sizeof *s, sizeof *s);
	if (p)
		memcpy(s, p, sizeof *s);
	return p;
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
	*im = (struct image){0};
}
