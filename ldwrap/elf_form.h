/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_form.h - structures of ELF files of both classes and byte orders, as those of 64 bits
 *
 * gABI chapters 4 and 5.  Callers check that the bytes are there: elf_*_size() of them.
 */
#ifndef LDX_LDWRAP_ELF_FORM_H
#define LDX_LDWRAP_ELF_FORM_H

#include "base/base.h"

#include <elf.h>

struct elf_form {
	uint8_t word; /* bytes of an address: 4 or 8 */
	bool big;     /* most significant byte first */
};

/* False: it is no ELF file, or one of an unknown form. */
bool elf_form(const uint8_t *p, size_t n, struct elf_form *f);
bool elf_form_same(struct elf_form a, struct elf_form b);

#define ELF_SIZE(f, type) ((f).word == 8 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

uint16_t elf_half(struct elf_form f, const uint8_t *p);
uint32_t elf_word(struct elf_form f, const uint8_t *p);
void elf_ehdr(struct elf_form f, const uint8_t *p, Elf64_Ehdr *h);
void elf_phdr(struct elf_form f, const uint8_t *p, Elf64_Phdr *h);
void elf_shdr(struct elf_form f, const uint8_t *p, Elf64_Shdr *h);
void elf_sym(struct elf_form f, const uint8_t *p, Elf64_Sym *s);
void elf_dyn(struct elf_form f, const uint8_t *p, Elf64_Dyn *d);
/*
 * A relocation of an SHT_RELA, or with rela false of an SHT_REL.  bytes: see relinfo_is_bytes().
 * The result's r_info is as the gABI says for 64 bits; its type is the first one of several.
 */
void elf_rela(struct elf_form f, bool rela, bool bytes, const uint8_t *p, Elf64_Rela *rel);

/* The other way. */
void elf_put_word(struct elf_form f, uint8_t *p, uint32_t value);
void elf_put_shdr(struct elf_form f, uint8_t *p, const Elf64_Shdr *h);
void elf_put_sections(struct elf_form f, uint8_t *ehdr, uint64_t off,
	uint64_t n); /* e_shoff, e_shnum */
void elf_flip_flags(struct elf_form f, uint8_t *ehdr, uint32_t flags);
void elf_put_chdr(struct elf_form f, struct buf *to, const Elf64_Chdr *h);

/* Where the member of a symbol is. */
size_t elf_sym_other(struct elf_form f);

#endif
