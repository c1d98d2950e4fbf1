/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - struct object into an ELF relocatable object
 *
 * Indices stay what they are in memory and are renumbered here, where dropped
 * sections disappear.  Sections keep their order; what has no place of its own
 * yet (new sections, relocation sections of sections that had none) comes last.
 * Layout is our own: libelf is told where everything goes and writes it.
 */
#include "reloc/object.h"

#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdlib.h>
#include <unistd.h>

/* A string table: what the input had, with new strings behind it. */
struct strings {
	const struct section *old;
	struct buf add;
};

/* A section of the output. */
struct item {
	uint32_t sec;		/* the section it is, or, for relocations, the one they apply to */
	bool rela;
	const void *data;
	uint64_t size;
	Elf64_Shdr head;
};

struct writer {
	struct object *o;
	struct arena arena;	/* contents that are made here */
	VEC(struct item) item;	/* [0] is the null section */
	uint32_t *index;	/* output index by section; 0: not written */
	uint32_t *rela_index;	/* output index of a section's relocations */
	uint32_t xindex;	/* the SHT_SYMTAB_SHNDX section, 0: none needed */
	struct strings *names, *symnames;
	struct strings table[2];
};

static uint32_t reloc_count(const struct section *s)
{
	return s->rewritten ? s->out_nrel : s->nrel;
}

static const struct reloc *relocs_of(const struct section *s)
{
	return s->rewritten ? s->out_rel : s->rel;
}

static uint32_t string_off(struct strings *t, const char *s)
{
	uintptr_t start = (uintptr_t)t->old->data, p = (uintptr_t)s;
	if (t->old->data && p >= start && p < start + t->old->size)
		return (uint32_t)(p - start);
	uint64_t size = t->old->size;
	if (!t->add.n && !size)
		buf_u8(&t->add, 0);
	if (!*s)
		return 0;
	uint64_t off = size + t->add.n;
	buf_str(&t->add, s);
	if (off > UINT32_MAX)
		fatal("string table larger than 4 GiB");
	return (uint32_t)off;
}

/* Which sections ------------------------------------------------------- */

static bool group_has_members(const struct object *o, const struct section *g)
{
	for (uint64_t at = 4; at < g->size; at += 4) {
		const struct section *s = &o->sec.v[get_u32(g->data + at)];
		if (s->type != SHT_RELA && !s->dropped)
			return true;
	}
	return false;
}

static bool is_written(const struct writer *w, const struct section *s)
{
	if (s->dropped)
		return false;
	switch (s->type) {
	case SHT_RELA: {
		const struct section *t = &w->o->sec.v[s->info];
		return !t->dropped && reloc_count(t);
	}
	case SHT_GROUP: return group_has_members(w->o, s);
	case SHT_SYMTAB_SHNDX: return s->index == w->xindex;
	default: return true;
	}
}

static void add_item(struct writer *w, uint32_t sec, bool rela)
{
	uint32_t index = (uint32_t)w->item.n;
	vec_push(&w->item, (struct item){ .sec = sec, .rela = rela });
	*(rela ? &w->rela_index[sec] : &w->index[sec]) = index;
}

static void list_items(struct writer *w)
{
	struct object *o = w->o;
	w->item.n = 0;
	memset(w->index, 0, o->sec.n * sizeof *w->index);
	memset(w->rela_index, 0, o->sec.n * sizeof *w->rela_index);
	vec_push(&w->item, (struct item){ 0 });
	for (uint32_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		if (!is_written(w, s))
			continue;
		if (s->type == SHT_RELA)
			add_item(w, s->info, true);
		else
			add_item(w, i, false);
	}
	for (uint32_t i = 1; i < o->sec.n; i++)
		if (!o->sec.v[i].dropped && !o->sec.v[i].rela && reloc_count(&o->sec.v[i]))
			add_item(w, i, true);
}

static uint32_t find_type(const struct object *o, uint32_t type)
{
	for (uint32_t i = 1; i < o->sec.n; i++)
		if (o->sec.v[i].type == type)
			return i;
	return 0;
}

static bool needs_xindex(const struct writer *w)
{
	for (size_t i = 0; i < w->o->sym.n; i++) {
		uint32_t sec = w->o->sym.v[i].sec;
		if (sec < w->o->sec.n && w->index[sec] >= SHN_LORESERVE)
			return true;
	}
	return false;
}

/* The tables that this file makes, where the input had none. */
static void add_tables(struct writer *w)
{
	struct object *o = w->o;
	if (!o->symtab) {
		o->symtab = object_add_section(o, &(struct section){ .name = ".symtab",
			.type = SHT_SYMTAB, .align = 8, .entsize = sizeof(Elf64_Sym) });
		uint32_t strtab = object_add_section(o, &(struct section){ .name = ".strtab",
			.type = SHT_STRTAB, .align = 1, .size = 1, .data = (const uint8_t *)"" });
		o->sec.v[o->symtab].link = strtab;
	}
	w->index = arena_array(&w->arena, uint32_t, o->sec.n + 1);
	w->rela_index = arena_array(&w->arena, uint32_t, o->sec.n + 1);
	list_items(w);
	if (!needs_xindex(w))
		return;
	w->xindex = find_type(o, SHT_SYMTAB_SHNDX);
	if (!w->xindex)
		w->xindex = object_add_section(o,
			&(struct section){ .name = ".symtab_shndx", .type = SHT_SYMTAB_SHNDX,
				.align = 4, .entsize = 4, .link = o->symtab });
	list_items(w);
}

/* Contents ------------------------------------------------------------- */

/* Relocations that only name a symbol, of type 0, may name what is not written. */
static uint32_t reloc_symbol(const struct writer *w, const struct section *s,
	const struct reloc *r)
{
	uint32_t sec = w->o->sym.v[r->sym].sec;
	if (!sec || sec >= w->o->sec.n || w->index[sec])
		return r->sym;
	if (r->type)
		bug("(%s+0x%llx): relocation against %s in section %s, which is not written",
			s->name, (unsigned long long)r->off, w->o->sym.v[r->sym].name,
			w->o->sec.v[sec].name);
	return 0;
}

static void make_rela(struct writer *w, struct item *it)
{
	const struct section *s = &w->o->sec.v[it->sec];
	const struct reloc *r = relocs_of(s);
	uint32_t n = reloc_count(s);
	Elf64_Rela *out = arena_array(&w->arena, Elf64_Rela, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sym = reloc_symbol(w, s, &r[i]);
		out[i] = (Elf64_Rela){ r[i].off, ELF64_R_INFO((uint64_t)sym, r[i].type),
			r[i].addend };
	}
	it->data = out;
	it->size = (uint64_t)n * sizeof *out;
}

/* Members in section order, whether or not the input's group had their relocations in it. */
static void make_groups(struct writer *w)
{
	const struct object *o = w->o;
	uint32_t *n = arena_array(&w->arena, uint32_t, w->item.n);
	for (size_t i = 1; i < w->item.n; i++)
		n[w->index[o->sec.v[w->item.v[i].sec].group]]++;
	for (size_t i = 1; i < w->item.n; i++) {
		const struct section *s = &o->sec.v[w->item.v[i].sec];
		if (s->type != SHT_GROUP || w->item.v[i].rela)
			continue;
		uint8_t *data = arena_alloc(&w->arena, (size_t)4 * (n[i] + 1));
		put_u32(data, get_u32(s->data));
		w->item.v[i].data = data;
		w->item.v[i].size = 4;
	}
	for (size_t i = 1; i < w->item.n; i++) {
		uint32_t g = w->index[o->sec.v[w->item.v[i].sec].group];
		if (!g)
			continue;
		struct item *group = &w->item.v[g];
		put_u32((uint8_t *)group->data + group->size, (uint32_t)i);
		group->size += 4;
	}
}

/*
 * A symbol whose section is not written: nothing refers to it any more, but its
 * index must stay taken.  Undefined local section symbols are what lld, bfd, gold
 * and mold all leave out of their output.  The name may be a group's signature.
 */
static void make_lost_symbol(const struct writer *w, const struct symbol *s, Elf64_Sym *out)
{
	if (symbol_bind(s) != STB_LOCAL)
		fatal("symbol %s is defined in %s, which is not kept", s->name,
			w->o->sec.v[s->sec].name);
	*out = (Elf64_Sym){ .st_name = out->st_name,
		.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION) };
}

static void make_symtab(struct writer *w)
{
	const struct object *o = w->o;
	struct item *it = &w->item.v[w->index[o->symtab]];
	Elf64_Sym *out = arena_array(&w->arena, Elf64_Sym, o->sym.n);
	uint8_t *xindex = w->xindex ? arena_alloc(&w->arena, array_bytes(o->sym.n, 4)) : NULL;
	for (size_t i = 1; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		out[i] = (Elf64_Sym){ .st_name = string_off(w->symnames, s->name),
			.st_info = s->info, .st_other = s->other, .st_value = s->value,
			.st_size = s->size };
		uint32_t index = s->sec < o->sec.n ? w->index[s->sec] : s->sec & 0xffff;
		if (s->sec && !index)
			make_lost_symbol(w, s, &out[i]);
		bool wide = s->sec < o->sec.n && index >= SHN_LORESERVE;
		out[i].st_shndx = (uint16_t)(wide ? SHN_XINDEX : index);
		if (wide)
			put_u32(xindex + 4 * i, index);
	}
	it->data = out;
	it->size = o->sym.n * sizeof *out;
	if (w->xindex) {
		it = &w->item.v[w->index[w->xindex]];
		it->data = xindex;
		it->size = o->sym.n * 4;
	}
}

static void make_contents(struct writer *w)
{
	for (size_t i = 1; i < w->item.n; i++) {
		struct item *it = &w->item.v[i];
		const struct section *s = &w->o->sec.v[it->sec];
		if (it->rela) {
			make_rela(w, it);
		} else {
			it->data = s->rewritten ? s->out : s->data;
			it->size = s->rewritten ? s->out_size : s->size;
		}
	}
	make_groups(w);
	make_symtab(w);
}

/* Headers -------------------------------------------------------------- */

static const char *item_name(struct writer *w, const struct item *it)
{
	const struct section *s = &w->o->sec.v[it->sec];
	if (!it->rela)
		return s->name;
	return s->rela ? w->o->sec.v[s->rela].name : arena_printf(&w->arena, ".rela%s", s->name);
}

static Elf64_Shdr rela_header(const struct writer *w, const struct item *it)
{
	const struct section *s = &w->o->sec.v[it->sec];
	uint64_t flags = s->rela ? w->o->sec.v[s->rela].flags & ~(uint64_t)SHF_GROUP : 0;
	return (Elf64_Shdr){
		.sh_type = SHT_RELA,
		.sh_flags = flags | SHF_INFO_LINK | (w->index[s->group] ? SHF_GROUP : 0),
		.sh_link = w->index[w->o->symtab],
		.sh_info = w->index[it->sec],
		.sh_addralign = 8,
		.sh_entsize = sizeof(Elf64_Rela),
	};
}

static Elf64_Shdr section_header(const struct writer *w, const struct item *it)
{
	const struct section *s = &w->o->sec.v[it->sec];
	Elf64_Shdr h = {
		.sh_type = s->type,
		.sh_flags = s->flags,
		.sh_link = w->index[s->link],
		.sh_info = s->info,
		.sh_addralign = s->align,
		.sh_entsize = s->type == SHT_STRTAB ? 0 : s->entsize,
	};
	if (s->group && !w->index[s->group])
		bug("%s is written without its group", s->name);
	if ((s->flags & SHF_LINK_ORDER) && s->link && !h.sh_link)
		bug("%s is written without the section it is linked to", s->name);
	if (s->type == SHT_SYMTAB)
		h.sh_info = w->o->nlocal;
	else if (s->flags & SHF_INFO_LINK)
		h.sh_info = w->index[s->info];
	return h;
}

static void make_headers(struct writer *w)
{
	for (size_t i = 1; i < w->item.n; i++) {
		struct item *it = &w->item.v[i];
		it->head = it->rela ? rela_header(w, it) : section_header(w, it);
		it->head.sh_name = string_off(w->names, item_name(w, it));
	}
}

/* Last of all contents: by now every name is known. */
static void make_strings(struct writer *w, uint32_t sec, const struct strings *t)
{
	struct item *it = &w->item.v[w->index[sec]];
	if (!t->add.n)
		return;
	it->size = t->old->size + t->add.n;
	uint8_t *data = arena_alloc(&w->arena, it->size);
	if (t->old->size)
		memcpy(data, t->old->data, t->old->size);
	memcpy(data + t->old->size, t->add.v, t->add.n);
	it->data = data;
}

static uint64_t lay_out(struct writer *w)
{
	uint64_t off = sizeof(Elf64_Ehdr);
	for (size_t i = 1; i < w->item.n; i++) {
		struct item *it = &w->item.v[i];
		/* Nothing is loaded from here: in the file, more than a page would be waste. */
		uint64_t align = it->head.sh_addralign < 4096 ? it->head.sh_addralign : 4096;
		off = (off + align - 1) & ~(align - 1);
		it->head.sh_offset = off;
		it->head.sh_size = it->size;
		if (it->head.sh_type != SHT_NOBITS)
			off += it->size;
	}
	return (off + 7) & ~(uint64_t)7;
}

/* The file ------------------------------------------------------------- */

static void put_header(const struct writer *w, Elf *elf, uint64_t shoff)
{
	const struct object *o = w->o;
	uint32_t names = w->index[o->shstrtab];
	Elf64_Ehdr *eh = elf64_newehdr(elf);
	if (!eh)
		fatal("cannot make an object: %s", elf_errmsg(-1));
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_ident[EI_OSABI] = o->osabi;
	eh->e_type = ET_REL;
	eh->e_machine = o->machine;
	eh->e_version = EV_CURRENT;
	eh->e_flags = o->eflags;
	eh->e_ehsize = sizeof *eh;
	eh->e_shentsize = sizeof(Elf64_Shdr);
	eh->e_shoff = shoff;
	eh->e_shstrndx = (uint16_t)(names < SHN_LORESERVE ? names : SHN_XINDEX);
	if (names >= SHN_LORESERVE) {
		Elf_Scn *null = elf_getscn(elf, 0);
		Elf64_Shdr *sh = null ? elf64_getshdr(null) : NULL;
		if (!sh)
			fatal("cannot make an object: %s", elf_errmsg(-1));
		sh->sh_link = names;
	}
}

static void put_section(Elf *elf, const struct item *it)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf64_Shdr *sh = scn ? elf64_getshdr(scn) : NULL;
	Elf_Data *d = sh ? elf_newdata(scn) : NULL;
	if (!d)
		fatal("cannot make a section: %s", elf_errmsg(-1));
	*sh = it->head;
	d->d_buf = (void *)it->data;
	d->d_size = it->size;
	d->d_type = ELF_T_BYTE;
	d->d_align = 1;
	d->d_version = EV_CURRENT;
}

static void write_file(const struct writer *w, const char *path, uint64_t shoff)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		fatal("cannot write %s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!elf)
		fatal("cannot write %s: %s", path, elf_errmsg(-1));
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	put_header(w, elf, shoff);
	for (size_t i = 1; i < w->item.n; i++)
		put_section(elf, &w->item.v[i]);
	errno = 0;
	if (elf_update(elf, ELF_C_WRITE) < 0) {
		int e = errno;
		fatal("cannot write %s: %s", path, e ? strerror(e) : elf_errmsg(-1));
	}
	elf_end(elf);
	if (close(fd))
		fatal("cannot write %s: %s", path, strerror(errno));
}

void object_write(struct object *o, const char *path)
{
	struct writer w = { .o = o };
	add_tables(&w);
	w.table[0].old = &o->sec.v[o->shstrtab];
	w.table[1].old = &o->sec.v[o->sec.v[o->symtab].link];
	w.names = &w.table[0];
	w.symnames = w.table[1].old == w.table[0].old ? w.names : &w.table[1];
	make_contents(&w);
	make_headers(&w);
	make_strings(&w, o->shstrtab, w.names);
	make_strings(&w, o->sec.v[o->symtab].link, w.symnames);
	write_file(&w, path, lay_out(&w));
	free(w.table[0].add.v);
	free(w.table[1].add.v);
	vec_free(&w.item);
	arena_free(&w.arena);
}
