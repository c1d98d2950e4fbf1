/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutate_elf.c - small changes to an ELF file that leave it one
 *
 * Bytes changed at random mostly make a file that is refused at the first look.
 * Here a field of a section header, symbol or relocation changes, or a section's
 * contents do, in the ways libFuzzer knows; a section that grows moves the others.
 */
#include "fuzz.h"

#include "testsuite/draw.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct image {
	uint8_t *p;
	size_t n, max;
	uint64_t shoff, nsec;
	uint64_t names, names_size; /* the sections' names, in the file */
	const char *const *focus;
};

static Elf64_Shdr header(const struct image *im, uint64_t i)
{
	Elf64_Shdr sh;
	memcpy(&sh, im->p + im->shoff + i * sizeof sh, sizeof sh);
	return sh;
}

static void set_header(struct image *im, uint64_t i, const Elf64_Shdr *sh)
{
	memcpy(im->p + im->shoff + i * sizeof *sh, sh, sizeof *sh);
}

static bool has_bytes(const struct image *im, const Elf64_Shdr *sh)
{
	return sh->sh_type != SHT_NULL && sh->sh_type != SHT_NOBITS && sh->sh_offset <= im->n &&
		sh->sh_size <= im->n - sh->sh_offset;
}

static bool open_image(struct image *im)
{
	Elf64_Ehdr eh;
	if (im->n < sizeof eh)
		return false;
	memcpy(&eh, im->p, sizeof eh);
	if (eh.e_shoff > im->n || eh.e_shnum < 2 || eh.e_shstrndx >= eh.e_shnum ||
		eh.e_shnum > (im->n - eh.e_shoff) / sizeof(Elf64_Shdr))
		return false;
	im->shoff = eh.e_shoff;
	im->nsec = eh.e_shnum;
	Elf64_Shdr names = header(im, eh.e_shstrndx);
	if (!has_bytes(im, &names))
		return false;
	im->names = names.sh_offset;
	im->names_size = names.sh_size;
	return true;
}

static bool in_focus(const struct image *im, const Elf64_Shdr *sh)
{
	for (const char *const *f = im->focus; *f; f++) {
		size_t n = strlen(*f);
		if (sh->sh_name < im->names_size && n <= im->names_size - sh->sh_name &&
			!memcmp(im->p + im->names + sh->sh_name, *f, n))
			return true;
	}
	return false;
}

/* A section with contents, in focus if some tries find one; 0: none. */
static uint64_t pick_section(const struct image *im, uint32_t type)
{
	uint64_t found = 0;
	for (int tries = 0; tries < 32; tries++) {
		uint64_t i = 1 + draw(im->nsec - 1);
		Elf64_Shdr sh = header(im, i);
		if (!has_bytes(im, &sh) || !sh.sh_size || (type && sh.sh_type != type))
			continue;
		found = i;
		if (in_focus(im, &sh))
			break;
	}
	return found;
}

/* One field of the record at at, whose fields have these sizes. */
static void change_field(struct image *im, uint64_t at, const char *sizes)
{
	size_t k = draw(strlen(sizes));
	for (size_t i = 0; i < k; i++)
		at += (uint64_t)(sizes[i] - '0');
	uint64_t other = draw(2) ? im->nsec : header(im, draw(im->nsec)).sh_size;
	other = draw(2) ? other : draw(other);
	draw_field(im->p + at, (unsigned)(sizes[k] - '0'), draw(6) ? NULL : &other);
}

/* A field of a record, or the whole of it made equal to another. */
static void change_record(struct image *im, uint32_t type, size_t size, const char *sizes)
{
	uint64_t i = pick_section(im, type);
	Elf64_Shdr sh = header(im, i);
	if (!i || sh.sh_size < size)
		return;
	uint64_t n = sh.sh_size / size, at = sh.sh_offset + draw(n) * size;
	if (draw(4))
		change_field(im, at, sizes);
	else
		memmove(im->p + at, im->p + sh.sh_offset + draw(n) * size, size);
}

/* Append to the new file at p; *n stays above max when it has become too large. */
static void put(const struct image *im, uint8_t *p, size_t *n, const void *data, size_t size)
{
	*n = (*n + 7) & ~(size_t)7;
	if (*n <= im->max && size <= im->max - *n) {
		memcpy(p + *n, data, size);
		*n += size;
	} else {
		*n = im->max + 1;
	}
}

/* The file anew, its sections packed, section sec with these contents. */
static void repack(struct image *im, uint64_t sec, const uint8_t *contents, size_t size)
{
	size_t table = im->nsec * sizeof(Elf64_Shdr), n = 0;
	uint8_t *p = calloc(1, im->max), *headers = malloc(table);
	memcpy(headers, im->p + im->shoff, table);
	put(im, p, &n, im->p, sizeof(Elf64_Ehdr));
	for (uint64_t i = 0; i < im->nsec; i++) {
		Elf64_Shdr sh = header(im, i);
		if (!has_bytes(im, &sh))
			continue;
		const uint8_t *from = i == sec ? contents : im->p + sh.sh_offset;
		sh.sh_size = i == sec ? size : sh.sh_size;
		put(im, p, &n, from, sh.sh_size);
		sh.sh_offset = n - sh.sh_size;
		memcpy(headers + i * sizeof sh, &sh, sizeof sh);
	}
	put(im, p, &n, headers, table);
	if (n <= im->max) {
		uint64_t shoff = n - table;
		memcpy(p + offsetof(Elf64_Ehdr, e_shoff), &shoff, sizeof shoff);
		memcpy(im->p, p, n);
		im->n = n;
		open_image(im);
	}
	free(p);
	free(headers);
}

static void change_contents(struct image *im)
{
	enum { MORE = 64 };
	uint64_t i = pick_section(im, 0);
	Elf64_Shdr sh = header(im, i);
	if (!i)
		return;
	uint8_t *copy = malloc(sh.sh_size + MORE);
	memcpy(copy, im->p + sh.sh_offset, sh.sh_size);
	size_t n = LLVMFuzzerMutate(copy, sh.sh_size, sh.sh_size + MORE * draw(2));
	if (n > sh.sh_size) {
		repack(im, i, copy, n);
	} else {
		memcpy(im->p + sh.sh_offset, copy, n);
		sh.sh_size = n;
		set_header(im, i, &sh);
	}
	free(copy);
}

static void change_once(struct image *im)
{
	switch (draw(16)) {
	case 0:
		change_field(im, im->shoff + (1 + draw(im->nsec - 1)) * sizeof(Elf64_Shdr),
			"4488884488");
		break;
	case 1: change_field(im, EI_OSABI, "111111111"); break;
	case 2: change_record(im, SHT_GROUP, 4, "4"); break;
	case 3:
	case 4:
	case 5: change_record(im, SHT_SYMTAB, sizeof(Elf64_Sym), "411288"); break;
	case 6:
	case 7:
	case 8:
	case 9: change_record(im, SHT_RELA, sizeof(Elf64_Rela), "8448"); break;
	default: change_contents(im); break;
	}
}

size_t mutate_elf(uint8_t *data, size_t n, size_t max, unsigned seed, const char *const *focus)
{
	struct image im = {.p = data, .n = n, .max = max, .focus = focus};
	draw_seed(seed);
	draw(1);
	if (!open_image(&im) || !draw(64))
		return LLVMFuzzerMutate(data, n, max);
	for (uint64_t k = 1 + draw(3); k; k--) {
		change_once(&im);
		if (!open_image(&im))
			break;
	}
	return im.n;
}
