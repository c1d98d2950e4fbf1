/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - struct object into an ELF relocatable object
 *
 * Section indices in memory include dropped sections; they are renumbered here.  Sections
 * keep their order; new sections, and relocation sections of sections that had none, come
 * last.  Contents are written from where they are in memory.
 */
#include "reloc/object.h"

#include "base/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* A string table: what the input had, with new strings behind it. */
struct strings {
	const struct section *old;
	struct buf add;
};

/* A section of the output. */
struct item {
	uint32_t sec; /* its section or, for relocations, the section they apply to */
	bool rela;
	const void *data;
	uint64_t size;
	const struct buf *more; /* the last of these bytes, or NULL: they are all at data */
	Elf64_Shdr head;
};

struct writer {
	struct object *o;
	struct arena arena;    /* contents that are made here */
	VEC(struct item) item; /* [0] is the null section */
	uint32_t *index;       /* output index by section; 0: not written */
	uint32_t *rela_index;  /* output index of a section's relocations */
	uint32_t xindex;       /* the SHT_SYMTAB_SHNDX section, 0: none needed */
	struct strings *names, *symnames;
	struct strings table[2];
};

static uint32_t reloc_count(const struct section *s)
{
	return s->rewritten ? s->out_nrel : s->nrel;
}

static struct reloc *relocs_of(const struct section *s)
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
	vec_push(&w->item, (struct item){.sec = sec, .rela = rela});
	*(rela ? &w->rela_index[sec] : &w->index[sec]) = index;
}

static void list_items(struct writer *w)
{
	struct object *o = w->o;
	w->item.n = 0;
	memset(w->index, 0, o->sec.n * sizeof *w->index);
	memset(w->rela_index, 0, o->sec.n * sizeof *w->rela_index);
	vec_push(&w->item, (struct item){0});
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
		o->symtab = object_add_section(o,
			&(struct section){.name = ".symtab",
				.type = SHT_SYMTAB,
				.align = 8,
				.entsize = sizeof(Elf64_Sym)});
		uint32_t strtab = object_add_section(o,
			&(struct section){.name = ".strtab",
				.type = SHT_STRTAB,
				.align = 1,
				.size = 1,
				.data = (const uint8_t *)""});
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
			&(struct section){.name = ".symtab_shndx",
				.type = SHT_SYMTAB_SHNDX,
				.align = 4,
				.entsize = 4,
				.link = o->symtab});
	list_items(w);
}

/* Contents ------------------------------------------------------------- */

/* Relocations that only name a symbol, R_NONE, may name what is not written. */
static uint32_t reloc_symbol(const struct writer *w, const struct section *s, const struct reloc *r)
{
	uint32_t sec = w->o->sym.v[r->sym].sec;
	if (!sec || sec >= w->o->sec.n || w->index[sec])
		return r->sym;
	if (r->type != R_NONE)
		bug("(%s+0x%llx): relocation against %s in section %s, which is not written",
			s->name, (unsigned long long)r->off, w->o->sym.v[r->sym].name,
			w->o->sec.v[sec].name);
	return 0;
}

/* A struct reloc is an Elf64_Rela: see map_relocs() in read.c. */
static void make_rela(const struct writer *w, struct item *it)
{
	const struct section *s = &w->o->sec.v[it->sec];
	struct reloc *r = relocs_of(s);
	uint32_t n = reloc_count(s);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sym = reloc_symbol(w, s, &r[i]);
		if (sym != r[i].sym)
			r[i].sym = sym;
	}
	it->data = r;
	it->size = (uint64_t)n * sizeof *r;
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
 * A symbol whose section is not written: nothing refers to it, but indices must not
 * change.  It becomes an undefined local section symbol, which lld, bfd, gold and mold all
 * leave out of their output.  Its name may be a group's signature.
 */
static void make_lost_symbol(const struct writer *w, const struct symbol *s, Elf64_Sym *out)
{
	if (symbol_bind(s) != STB_LOCAL)
		fatal("symbol %s is defined in %s, which is not kept", s->name,
			w->o->sec.v[s->sec].name);
	*out = (Elf64_Sym){.st_name = out->st_name,
		.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION)};
}

static void make_symtab(struct writer *w)
{
	const struct object *o = w->o;
	struct item *it = &w->item.v[w->index[o->symtab]];
	Elf64_Sym *out = arena_array(&w->arena, Elf64_Sym, o->sym.n);
	uint8_t *xindex = w->xindex ? arena_alloc(&w->arena, array_bytes(o->sym.n, 4)) : NULL;
	for (size_t i = 1; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		out[i] = (Elf64_Sym){.st_name = string_off(w->symnames, s->name),
			.st_info = s->info,
			.st_other = s->other,
			.st_value = s->value,
			.st_size = s->size};
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

enum { PART = 1 << 10 }; /* items that a thread does at once */

static void make_part(void *ctx, size_t part, unsigned worker)
{
	const struct writer *w = ctx;
	size_t end = (part + 1) * PART < w->item.n ? (part + 1) * PART : w->item.n;
	(void)worker;
	for (size_t i = part ? part * PART : 1; i < end; i++) {
		struct item *it = &w->item.v[i];
		const struct section *s = &w->o->sec.v[it->sec];
		if (it->rela) {
			make_rela(w, it);
		} else {
			it->data = s->rewritten ? s->out : s->data;
			it->size = s->rewritten ? s->out_size : s->size;
		}
	}
}

static void make_contents(struct writer *w)
{
	parallel((w->item.n + PART - 1) / PART, make_part, w);
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

/* The last of all contents, when every name is known. */
static void make_strings(struct writer *w, uint32_t sec, const struct strings *t)
{
	struct item *it = &w->item.v[w->index[sec]];
	if (!t->add.n)
		return;
	it->data = t->old->data;
	it->size = t->old->size + t->add.n;
	it->more = &t->add;
}

static uint64_t lay_out(struct writer *w)
{
	uint64_t off = sizeof(Elf64_Ehdr);
	for (size_t i = 1; i < w->item.n; i++) {
		struct item *it = &w->item.v[i];
		/* This file is not loaded: alignment beyond a page would waste space. */
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

/* Small contents are gathered: there may be very many sections. */
struct out {
	const char *path;
	int fd;
	uint64_t at; /* in the file, behind buf */
	size_t n;
	uint8_t buf[1 << 18];
};

static void out_write(struct out *f, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t k = write(f->fd, p, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			fatal("cannot write %s: %s", f->path, strerror(k ? errno : ENOSPC));
		p += k;
		n -= (size_t)k;
	}
}

static void out_flush(struct out *f)
{
	out_write(f, f->buf, f->n);
	f->n = 0;
}

static void out_put(struct out *f, const void *p, size_t n)
{
	f->at += n;
	if (n > sizeof f->buf - f->n)
		out_flush(f);
	if (n > sizeof f->buf / 4) {
		out_flush(f);
		out_write(f, p, n);
	} else if (n) {
		memcpy(f->buf + f->n, p, n);
		f->n += n;
	}
}

static void out_pad(struct out *f, uint64_t to)
{
	static const uint8_t zeros[4096];
	while (f->at < to)
		out_put(f, zeros, to - f->at < sizeof zeros ? to - f->at : sizeof zeros);
}

static Elf64_Ehdr file_header(const struct writer *w, uint64_t shoff)
{
	uint32_t names = w->index[w->o->shstrtab];
	return (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
			w->o->osabi},
		.e_type = ET_REL,
		.e_machine = w->o->machine,
		.e_version = EV_CURRENT,
		.e_flags = w->o->eflags,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shoff = shoff,
		.e_shnum = (uint16_t)(w->item.n < SHN_LORESERVE ? w->item.n : 0),
		.e_shstrndx = (uint16_t)(names < SHN_LORESERVE ? names : SHN_XINDEX),
	};
}

/* gABI, "Extended section header": numbers that are too large for the file's header. */
static Elf64_Shdr null_header(const struct writer *w)
{
	uint32_t names = w->index[w->o->shstrtab];
	return (Elf64_Shdr){
		.sh_size = w->item.n < SHN_LORESERVE ? 0 : w->item.n,
		.sh_link = names < SHN_LORESERVE ? 0 : names,
	};
}

static void write_file(struct writer *w, const char *path, uint64_t shoff)
{
	struct out *f = arena_new(&w->arena, struct out);
	Elf64_Ehdr head = file_header(w, shoff);
	f->path = path;
	f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (f->fd < 0)
		fatal("cannot write %s: %s", path, strerror(errno));
	out_put(f, &head, sizeof head);
	for (size_t i = 1; i < w->item.n; i++) {
		const struct item *it = &w->item.v[i];
		if (it->head.sh_type == SHT_NOBITS)
			continue;
		out_pad(f, it->head.sh_offset);
		out_put(f, it->data, it->size - (it->more ? it->more->n : 0));
		if (it->more)
			out_put(f, it->more->v, it->more->n);
	}
	out_pad(f, shoff);
	w->item.v[0].head = null_header(w);
	for (size_t i = 0; i < w->item.n; i++)
		out_put(f, &w->item.v[i].head, sizeof w->item.v[i].head);
	out_flush(f);
	if (close(f->fd))
		fatal("cannot write %s: %s", path, strerror(errno));
}

void object_write(struct object *o, const char *path)
{
	struct writer w = {.o = o};
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
