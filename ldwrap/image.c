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

/* The name of version index in the definitions or requirements of the image; "" when none. */
static const char *version_defined(const struct image *im, unsigned index)
{
	uint64_t addr = image_value(im, DT_VERDEF);
	for (uint64_t n = image_value(im, DT_VERDEFNUM); n; n--) {
		Elf64_Verdef d;
		Elf64_Verdaux x;
		const uint8_t *p = image_at(im, addr, sizeof d);
		if (!p)
			break;
		memcpy(&d, p, sizeof d);
		const uint8_t *q = image_at(im, addr + d.vd_aux, sizeof x);
		if (d.vd_ndx == index && q) {
			memcpy(&x, q, sizeof x);
			return image_string(im, x.vda_name);
		}
		addr += d.vd_next;
	}
	return "";
}

static const char *version_needed(const struct image *im, unsigned index)
{
	uint64_t addr = image_value(im, DT_VERNEED);
	for (uint64_t n = image_value(im, DT_VERNEEDNUM); n; n--) {
		Elf64_Verneed d;
		const uint8_t *p = image_at(im, addr, sizeof d);
		if (!p)
			break;
		memcpy(&d, p, sizeof d);
		uint64_t aux = addr + d.vn_aux;
		for (unsigned k = 0; k < d.vn_cnt; k++) {
			Elf64_Vernaux x;
			const uint8_t *q = image_at(im, aux, sizeof x);
			if (!q)
				break;
			memcpy(&x, q, sizeof x);
			if (x.vna_other == index)
				return image_string(im, x.vna_name);
			aux += x.vna_next;
		}
		addr += d.vn_next;
	}
	return "";
}

const char *image_version(const struct image *im, uint64_t i, const Elf64_Sym *s, bool *hidden)
{
	uint16_t version = 0;
	uint64_t versym = image_value(im, DT_VERSYM);
	const uint8_t *v = versym ? image_at(im, versym + i * 2, 2) : NULL;
	if (v)
		memcpy(&version, v, 2);
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
	*im = (struct image){0};
}
