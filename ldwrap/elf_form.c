/* SPDX-License-Identifier: Apache-2.0 */
/* elf_form.c - structures of ELF files of both classes and byte orders; see elf_form.h */
#include "ldwrap/elf_form.h"

#include <stddef.h>

bool elf_form(const uint8_t *p, size_t n, struct elf_form *f)
{
	if (n < sizeof(Elf32_Ehdr) || memcmp(p, ELFMAG, SELFMAG))
		return false;
	*f = (struct elf_form){.word = p[EI_CLASS] == ELFCLASS64 ? 8 : 4,
		.big = p[EI_DATA] == ELFDATA2MSB};
	return (p[EI_CLASS] == ELFCLASS32 || p[EI_CLASS] == ELFCLASS64) &&
		(f->big || p[EI_DATA] == ELFDATA2LSB) && n >= ELF_SIZE(*f, Ehdr);
}

bool elf_form_same(struct elf_form a, struct elf_form b)
{
	return a.word == b.word && a.big == b.big;
}

uint16_t elf_half(struct elf_form f, const uint8_t *p)
{
	return (uint16_t)get_word(p, 2, f.big);
}

uint32_t elf_word(struct elf_form f, const uint8_t *p)
{
	return (uint32_t)get_word(p, 4, f.big);
}

static struct reader reader_of(struct elf_form f, const uint8_t *p)
{
	struct reader r = reader_make(p, sizeof(Elf64_Ehdr));
	r.big = f.big;
	return r;
}

static uint64_t read_address(struct elf_form f, struct reader *r)
{
	return f.word == 8 ? read_u64(r) : read_u32(r);
}

static bool is_own(struct elf_form f)
{
	return f.word == 8 && !f.big;
}

void elf_ehdr(struct elf_form f, const uint8_t *p, Elf64_Ehdr *h)
{
	struct reader r = reader_of(f, p);
	memcpy(h->e_ident, p, EI_NIDENT);
	read_skip(&r, EI_NIDENT);
	h->e_type = read_u16(&r);
	h->e_machine = read_u16(&r);
	h->e_version = read_u32(&r);
	h->e_entry = read_address(f, &r);
	h->e_phoff = read_address(f, &r);
	h->e_shoff = read_address(f, &r);
	h->e_flags = read_u32(&r);
	h->e_ehsize = read_u16(&r);
	h->e_phentsize = read_u16(&r);
	h->e_phnum = read_u16(&r);
	h->e_shentsize = read_u16(&r);
	h->e_shnum = read_u16(&r);
	h->e_shstrndx = read_u16(&r);
}

void elf_phdr(struct elf_form f, const uint8_t *p, Elf64_Phdr *h)
{
	struct reader r = reader_of(f, p);
	h->p_type = read_u32(&r);
	if (f.word == 8)
		h->p_flags = read_u32(&r);
	h->p_offset = read_address(f, &r);
	h->p_vaddr = read_address(f, &r);
	h->p_paddr = read_address(f, &r);
	h->p_filesz = read_address(f, &r);
	h->p_memsz = read_address(f, &r);
	if (f.word == 4)
		h->p_flags = read_u32(&r);
	h->p_align = read_address(f, &r);
}

void elf_shdr(struct elf_form f, const uint8_t *p, Elf64_Shdr *h)
{
	if (is_own(f)) {
		memcpy(h, p, sizeof *h);
		return;
	}
	struct reader r = reader_of(f, p);
	h->sh_name = read_u32(&r);
	h->sh_type = read_u32(&r);
	h->sh_flags = read_address(f, &r);
	h->sh_addr = read_address(f, &r);
	h->sh_offset = read_address(f, &r);
	h->sh_size = read_address(f, &r);
	h->sh_link = read_u32(&r);
	h->sh_info = read_u32(&r);
	h->sh_addralign = read_address(f, &r);
	h->sh_entsize = read_address(f, &r);
}

void elf_sym(struct elf_form f, const uint8_t *p, Elf64_Sym *s)
{
	if (is_own(f)) {
		memcpy(s, p, sizeof *s);
		return;
	}
	struct reader r = reader_of(f, p);
	s->st_name = read_u32(&r);
	if (f.word == 4) {
		s->st_value = read_u32(&r);
		s->st_size = read_u32(&r);
	}
	s->st_info = read_u8(&r);
	s->st_other = read_u8(&r);
	s->st_shndx = read_u16(&r);
	if (f.word == 8) {
		s->st_value = read_u64(&r);
		s->st_size = read_u64(&r);
	}
}

void elf_dyn(struct elf_form f, const uint8_t *p, Elf64_Dyn *d)
{
	struct reader r = reader_of(f, p);
	uint64_t tag = read_address(f, &r);
	d->d_tag = f.word == 8 ? (int64_t)tag : (int32_t)tag;
	d->d_un.d_val = read_address(f, &r);
}

void elf_rela(struct elf_form f, bool rela, bool bytes, const uint8_t *p, Elf64_Rela *rel)
{
	struct reader r = reader_of(f, p);
	*rel = (Elf64_Rela){.r_offset = read_address(f, &r)};
	if (f.word == 4) {
		uint32_t info = read_u32(&r);
		rel->r_info = ELF64_R_INFO((uint64_t)ELF32_R_SYM(info), ELF32_R_TYPE(info));
	} else if (bytes) {
		uint64_t sym = read_u32(&r);
		read_skip(&r, 3);
		rel->r_info = ELF64_R_INFO(sym, read_u8(&r));
	} else {
		rel->r_info = read_u64(&r);
	}
	if (rela)
		rel->r_addend = f.word == 8 ? (int64_t)read_u64(&r) : (int32_t)read_u32(&r);
}

static uint8_t *put(struct elf_form f, uint8_t *p, unsigned size, uint64_t x)
{
	put_word(p, size, f.big, x);
	return p + size;
}

void elf_put_word(struct elf_form f, uint8_t *p, uint32_t value)
{
	put(f, p, 4, value);
}

void elf_put_shdr(struct elf_form f, uint8_t *p, const Elf64_Shdr *h)
{
	p = put(f, p, 4, h->sh_name);
	p = put(f, p, 4, h->sh_type);
	p = put(f, p, f.word, h->sh_flags);
	p = put(f, p, f.word, h->sh_addr);
	p = put(f, p, f.word, h->sh_offset);
	p = put(f, p, f.word, h->sh_size);
	p = put(f, p, 4, h->sh_link);
	p = put(f, p, 4, h->sh_info);
	p = put(f, p, f.word, h->sh_addralign);
	put(f, p, f.word, h->sh_entsize);
}

/* gABI, chapter 4: from SHN_LORESERVE on, the number is in the first header. */
void elf_put_sections(struct elf_form f, uint8_t *ehdr, uint64_t off, uint64_t n)
{
	bool wide = f.word == 8, many = n >= SHN_LORESERVE;
	put(f, ehdr + (wide ? offsetof(Elf64_Ehdr, e_shoff) : offsetof(Elf32_Ehdr, e_shoff)),
		f.word, off);
	put(f, ehdr + (wide ? offsetof(Elf64_Ehdr, e_shnum) : offsetof(Elf32_Ehdr, e_shnum)), 2,
		many ? 0 : n);
	if (many)
		put(f,
			ehdr + off +
				(wide ? offsetof(Elf64_Shdr, sh_size)
				      : offsetof(Elf32_Shdr, sh_size)),
			f.word, n);
}

void elf_put_chdr(struct elf_form f, struct buf *to, const Elf64_Chdr *h)
{
	uint8_t bytes[sizeof *h], *p = put(f, bytes, 4, h->ch_type);
	if (f.word == 8)
		p = put(f, p, 4, h->ch_reserved);
	p = put(f, p, f.word, h->ch_size);
	p = put(f, p, f.word, h->ch_addralign);
	buf_put(to, bytes, (size_t)(p - bytes));
}

void elf_flip_flags(struct elf_form f, uint8_t *ehdr, uint32_t flags)
{
	uint8_t *p = ehdr +
		(f.word == 8 ? offsetof(Elf64_Ehdr, e_flags) : offsetof(Elf32_Ehdr, e_flags));
	elf_put_word(f, p, elf_word(f, p) ^ flags);
}

size_t elf_sym_other(struct elf_form f)
{
	return f.word == 8 ? offsetof(Elf64_Sym, st_other) : offsetof(Elf32_Sym, st_other);
}
