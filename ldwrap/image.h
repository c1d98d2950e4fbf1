/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.h - a program or shared library as the dynamic linker reads it
 *
 * By its program headers and dynamic section.  Parts that a damaged file lacks read as empty.
 */
#ifndef LDX_LDWRAP_IMAGE_H
#define LDX_LDWRAP_IMAGE_H

#include "ldwrap/elf_form.h"
#include "ldwrap/ldwrap.h"

struct image {
	struct bytes file;
	struct elf_form form;
	Elf64_Ehdr eh;
	VEC(Elf64_Phdr) ph;
	VEC(Elf64_Dyn) dyn;
	const char *strtab; /* strsize readable bytes, the last of them 0 */
	uint64_t strsize;
	VEC(Elf64_Shdr) sh;
	const char *shstr; /* names of sections, as strtab */
	uint64_t shsize;
};

/* Maps the file and reads its headers.  False: it is no ELF file. */
bool image_open(struct image *im, const char *path);
void image_close(struct image *im);
void image_dynamic(struct image *im);  /* reads the dynamic section too */
void image_sections(struct image *im); /* reads the section headers too */

bool image_inside(const struct image *im, uint64_t off, uint64_t size);
/* The bytes at an address of the image, at least size of them; NULL if there are none. */
const uint8_t *image_at(const struct image *im, uint64_t addr, uint64_t size);
const Elf64_Phdr *image_segment(const struct image *im, uint32_t type); /* the first, or NULL */

/* Of image_sections().  The bytes of a section that has some in the file; or no bytes. */
struct reader image_section(const struct image *im, const Elf64_Shdr *sh);
const char *image_section_name(const struct image *im, const Elf64_Shdr *sh);
/* The strings of a table of strings; *size is 0 unless the last byte is 0. */
const char *image_strings(const struct image *im, uint64_t section, uint64_t *size);
/* The section that has an address at run time, or NULL. */
const Elf64_Shdr *image_section_at(const struct image *im, uint64_t addr);

/* The i-th element of the dynamic section with the tag; NULL behind the last. */
const Elf64_Dyn *image_tag(const struct image *im, int64_t tag, size_t i);
uint64_t image_value(const struct image *im, int64_t tag); /* of the first; or 0 */
const char *image_string(const struct image *im, uint64_t off);

/* The number of dynamic symbols according to the section headers, and the i-th of them. */
uint64_t image_symbols(const struct image *im);
bool image_symbol(const struct image *im, uint64_t i, Elf64_Sym *s);
/* The i-th one's version, or "".  *hidden: only who names the version means it. */
const char *image_version(const struct image *im, uint64_t i, const Elf64_Sym *s, bool *hidden);

#endif
