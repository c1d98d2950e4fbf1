/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - struct object into an ELF relocatable object
 *
 * Section indices in memory include dropped sections; they are renumbered here.  Sections
 * keep their order; new sections, and relocation sections of sections that had none, come
 * last.  Contents are written from where they are in memory, relocations in the form and order
 * that they were read in.
 */
#include "reloc/fix.h"

#include "base/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* A string table: the input's, followed by new strings. */
struct strings {
	const struct section *old;
	struct buf add;
};

/* A section of the output. */
struct item {
	uint32_t sec; /* its section or, for relocations, the section they apply to */
	bool rel;     /* these relocations: they are encoded when they are written */
	const void *data;
	uint64_t size;
	const struct buf *more; /* holds the last of these bytes; NULL: all are at data */
	Elf64_Shdr head;
};

/* Where in the output something is. */
struct place {
	uint64_t at;
	uint32_t item;
};

struct writer {
	struct object *o;
	struct arena arena;	       /* contents that are made here */
	VEC(struct item) item;	       /* [0] is the null section */
	uint32_t *index;	       /* output index by section; 0: not written */
	uint32_t *rel_index;	       /* output index of a section's relocations */
	uint32_t new_rel;	       /* SHT_* of relocations of sections that had none */
	uint32_t xindex;	       /* the SHT_SYMTAB_SHNDX section, 0: none needed */
	const struct new_label *label; /* local symbols to be added, behind the others */
	uint32_t nlabel;
	struct strings *names, *symnames;
	struct strings table[2];
	VEC(struct place) place; /* of the contents, ascending */
	uint64_t shoff;
};

static uint32_t reloc_count(const struct section *s)
{
	return s->rewritten ? s->out_nrel : s->as_read ? s->as_read->nrel : s->nrel;
}

static struct reloc *relocs_of(const struct section *s)
{
	return s->rewritten ? s->out_rel : s->as_read ? s->as_read->rel : s->rel;
}

static const uint32_t *order_of(const struct section *s)
{
	return s->rewritten ? s->out_order : s->as_read ? s->as_read->order : s->order;
}

static uint32_t rel_type(const struct writer *w, const struct section *s)
{
	return s->rela ? w->o->sec.v[s->rela].type : w->new_rel;
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
		const struct section *s = &o->sec.v[get_word(g->data + at, 4, o->big)];
		if (!section_is_rel(s) && !s->dropped)
			return true;
	}
	return false;
}

static bool is_written(const struct writer *w, const struct section *s)
{
	if (s->dropped)
		return false;
	switch (s->type) {
	case SHT_RELA:
	case SHT_REL: {
		const struct section *t = &w->o->sec.v[s->info];
		return !t->dropped && reloc_count(t);
	}
	case SHT_GROUP: return group_has_members(w->o, s);
	case SHT_SYMTAB_SHNDX: return s->index == w->xindex;
	default: return true;
	}
}

static void add_item(struct writer *w, uint32_t sec, bool rel)
{
	uint32_t index = (uint32_t)w->item.n;
	vec_push(&w->item, (struct item){.sec = sec, .rel = rel});
	*(rel ? &w->rel_index[sec] : &w->index[sec]) = index;
}

static void list_items(struct writer *w)
{
	struct object *o = w->o;
	w->item.n = 0;
	memset(w->index, 0, o->sec.n * sizeof *w->index);
	memset(w->rel_index, 0, o->sec.n * sizeof *w->rel_index);
	vec_push(&w->item, (struct item){0});
	for (uint32_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		if (!is_written(w, s))
			continue;
		if (section_is_rel(s))
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
	for (uint32_t i = 0; i < w->nlabel; i++)
		if (w->index[w->label[i].sec] >= SHN_LORESERVE)
			return true;
	for (size_t i = 0; i < w->o->sym.n; i++) {
		uint32_t sec = w->o->sym.v[i].sec;
		if (sec < w->o->sec.n && w->index[sec] >= SHN_LORESERVE)
			return true;
	}
	return false;
}

/* Most objects without code or data have none. */
static bool needs_symtab(const struct object *o)
{
	bool needed = o->sym.n > 1;
	for (uint32_t i = 1; !needed && i < o->sec.n; i++)
		needed = !o->sec.v[i].dropped && reloc_count(&o->sec.v[i]);
	return needed;
}

static void add_symtab(struct object *o)
{
	o->symtab = object_add_section(o,
		&(struct section){.name = ".symtab",
			.type = SHT_SYMTAB,
			.align = o->word,
			.entsize = elf_symbol_size(o)});
	uint32_t strtab = object_add_section(o,
		&(struct section){.name = ".strtab",
			.type = SHT_STRTAB,
			.align = 1,
			.size = 1,
			.data = (const uint8_t *)""});
	o->sec.v[o->symtab].link = strtab;
}

/* The tables that this file makes, where the input had none. */
static void add_tables(struct writer *w)
{
	struct object *o = w->o;
	if (!o->symtab && needs_symtab(o))
		add_symtab(o);
	w->index = arena_array(&w->arena, uint32_t, o->sec.n + 1);
	w->rel_index = arena_array(&w->arena, uint32_t, o->sec.n + 1);
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

static void set_contents(const struct writer *w, uint32_t sec, const void *data, uint64_t size)
{
	w->item.v[w->index[sec]].data = data;
	w->item.v[w->index[sec]].size = size;
}

/* The index of symbol i in the file. */
static uint32_t symbol_index(const struct writer *w, uint32_t i)
{
	if (i >= LABEL_SYM)
		return w->o->nlocal + w->label[i - LABEL_SYM].rank;
	return i < w->o->nlocal ? i : i + w->nlabel;
}

/* Relocations that only name a symbol, R_NONE, may name what is not written. */
static uint32_t reloc_symbol(const struct writer *w, const struct section *s, const struct reloc *r)
{
	uint32_t sec = r->sym < LABEL_SYM ? w->o->sym.v[r->sym].sec : 0;
	if (!sec || sec >= w->o->sec.n || w->index[sec])
		return symbol_index(w, r->sym);
	if (r->type != R_NONE)
		bug("(%s+0x%llx): relocation against %s in section %s, which is not written",
			s->name, (unsigned long long)r->off, w->o->sym.v[r->sym].name,
			w->o->sec.v[sec].name);
	return 0;
}

/* Addends that have no place but the field, where it is known what the types mean. */
static void put_addends(const struct writer *w, const struct section *s, uint8_t *data)
{
	const struct object *o = w->o;
	const struct reloc *r = relocs_of(s);
	for (const struct reloc *end = r + reloc_count(s); o->reloc_info && r < end; r++)
		if (o->reloc_info(r->type)->size && !fix_put_addend(o, r, data + r->off))
			fatal_at(s, r->off, "the addend %lld does not fit into the field of %s",
				(long long)r->addend, o->reloc_info(r->type)->name);
}

/* The output index of section number sec of the input, which may hold relocations. */
static uint32_t item_of(const struct writer *w, uint32_t sec)
{
	const struct section *s = &w->o->sec.v[sec];
	return section_is_rel(s) ? w->rel_index[s->info] : w->index[sec];
}

static void add_member(const struct writer *w, uint32_t i, bool *listed)
{
	struct item *group = &w->item.v[w->index[w->o->sec.v[w->item.v[i].sec].group]];
	if (listed[i])
		return;
	put_word((uint8_t *)group->data + group->size, 4, w->o->big, i);
	group->size += 4;
	listed[i] = true;
}

/* Members in their order, then those relocations that the input's group did not have in it. */
static void make_groups(struct writer *w)
{
	const struct object *o = w->o;
	uint32_t *n = arena_array(&w->arena, uint32_t, w->item.n);
	bool *listed = arena_array(&w->arena, bool, w->item.n);
	for (size_t i = 1; i < w->item.n; i++)
		n[w->index[o->sec.v[w->item.v[i].sec].group]]++;
	for (size_t i = 1; i < w->item.n; i++) {
		const struct section *s = &o->sec.v[w->item.v[i].sec];
		if (s->type != SHT_GROUP || w->item.v[i].rel)
			continue;
		w->item.v[i].data = arena_alloc(&w->arena, (size_t)4 * (n[i] + 1));
		w->item.v[i].size = 4;
		memcpy((uint8_t *)w->item.v[i].data, s->data, 4);
		for (uint64_t at = 4; at < s->size; at += 4) {
			uint32_t m = item_of(w, (uint32_t)get_word(s->data + at, 4, o->big));
			if (m && w->index[o->sec.v[w->item.v[m].sec].group] == i)
				add_member(w, m, listed);
		}
	}
	for (uint32_t i = 1; i < w->item.n; i++)
		if (w->index[o->sec.v[w->item.v[i].sec].group])
			add_member(w, i, listed);
}

/*
 * A symbol whose section is not written: no reference is left, but indices must not change.  It
 * becomes an undefined local section symbol, which lld, bfd, gold and mold all omit from their
 * output.  Its name may be a group's signature.
 */
static struct symbol lost_symbol(const struct writer *w, const struct symbol *s)
{
	if (symbol_bind(s) != STB_LOCAL)
		fatal("symbol %s is defined in %s, which is not kept", s->name,
			w->o->sec.v[s->sec].name);
	return (struct symbol){.name = s->name, .info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION)};
}

static void put_symbol(const struct writer *w, uint8_t *p, const struct symbol *s, uint32_t name,
	uint32_t shndx)
{
	const struct object *o = w->o;
	uint8_t *value = p + (o->word == 8 ? 8 : 4), *info = p + (o->word == 8 ? 4 : 12);
	put_word(p, 4, o->big, name);
	put_word(value, o->word, o->big, s->value);
	put_word(value + o->word, o->word, o->big, s->size);
	info[0] = s->info;
	info[1] = s->other;
	put_word(info + 2, 2, o->big, shndx);
}

struct symtab {
	uint8_t *out, *xindex;
};

/* at: its index in the file; name: the offset of its name. */
static void add_symbol(const struct writer *w, const struct symtab *t, size_t at, uint32_t name,
	struct symbol s)
{
	const struct object *o = w->o;
	bool defined = s.sec && s.sec < o->sec.n;
	uint32_t index = defined ? w->index[s.sec] : s.sec & 0xffff;
	if (defined && !index)
		s = lost_symbol(w, &s);
	bool wide = defined && index >= SHN_LORESERVE;
	put_symbol(w, t->out + at * elf_symbol_size(o), &s, name, wide ? SHN_XINDEX : index);
	if (wide)
		put_word(t->xindex + 4 * at, 4, o->big, index);
}

static void make_symtab(struct writer *w)
{
	const struct object *o = w->o;
	size_t n = o->sym.n + w->nlabel, entry = elf_symbol_size(o);
	struct symtab t = {.out = arena_alloc(&w->arena, array_bytes(n, entry))};
	if (w->xindex)
		t.xindex = arena_alloc(&w->arena, array_bytes(n, 4));
	for (size_t i = 1; i < o->sym.n; i++)
		add_symbol(w, &t, symbol_index(w, (uint32_t)i),
			string_off(w->symnames, o->sym.v[i].name), o->sym.v[i]);
	uint32_t name = w->nlabel ? string_off(w->symnames, LABEL_NAME) : 0;
	for (uint32_t i = 0; i < w->nlabel; i++)
		add_symbol(w, &t, symbol_index(w, LABEL_SYM + i), name,
			(struct symbol){.value = w->label[i].off, .sec = w->label[i].sec});
	set_contents(w, o->symtab, t.out, n * entry);
	if (w->xindex)
		set_contents(w, w->xindex, t.xindex, n * 4);
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
		bool rela = rel_type(w, s) == SHT_RELA;
		if (it->rel) {
			it->size = (uint64_t)reloc_count(s) * elf_reloc_size(w->o, rela);
			continue;
		}
		it->data = s->rewritten ? s->out : s->as_read ? s->as_read->data : s->data;
		it->size = s->rewritten ? s->out_size : s->size;
		if (!rela && it->data)
			put_addends(w, s, (uint8_t *)it->data);
	}
}

static void make_contents(struct writer *w)
{
	parallel((w->item.n + PART - 1) / PART, make_part, w);
	make_groups(w);
	if (w->o->symtab)
		make_symtab(w);
}

/* Headers -------------------------------------------------------------- */

static const char *item_name(struct writer *w, const struct item *it)
{
	const struct section *s = &w->o->sec.v[it->sec];
	if (!it->rel)
		return s->name;
	return s->rela ? w->o->sec.v[s->rela].name
		       : arena_printf(&w->arena, "%s%s", w->new_rel == SHT_RELA ? ".rela" : ".rel",
				 s->name);
}

static Elf64_Shdr rel_header(const struct writer *w, const struct item *it)
{
	const struct section *s = &w->o->sec.v[it->sec];
	uint64_t flags = s->rela ? w->o->sec.v[s->rela].flags & ~(uint64_t)SHF_GROUP
				 : SHF_INFO_LINK;
	return (Elf64_Shdr){
		.sh_type = rel_type(w, s),
		.sh_flags = flags | (w->index[s->group] ? SHF_GROUP : 0),
		.sh_link = w->index[w->o->symtab],
		.sh_info = w->index[it->sec],
		.sh_addralign = s->rela ? w->o->sec.v[s->rela].align : w->o->word,
		.sh_entsize = elf_reloc_size(w->o, rel_type(w, s) == SHT_RELA),
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
		h.sh_info = w->o->nlocal + w->nlabel;
	else if (s->type == SHT_GROUP)
		h.sh_info = symbol_index(w, s->info);
	else if (s->flags & SHF_INFO_LINK)
		h.sh_info = w->index[s->info];
	return h;
}

static void make_headers(struct writer *w)
{
	for (size_t i = 1; i < w->item.n; i++) {
		struct item *it = &w->item.v[i];
		it->head = it->rel ? rel_header(w, it) : section_header(w, it);
		it->head.sh_name = string_off(w->names, item_name(w, it));
	}
}

/* String tables are made last, when all names are known. */
static void make_strings(struct writer *w, uint32_t sec, const struct strings *t)
{
	struct item *it = &w->item.v[w->index[sec]];
	if (!t->add.n)
		return;
	it->data = t->old->data;
	it->size = t->old->size + t->add.n;
	it->more = &t->add;
}

static bool has_bytes(const struct item *it)
{
	return it->head.sh_type != SHT_NOBITS && it->size;
}

static int place_cmp(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Is every section one of the file's, and as large as it was? */
static bool is_as_read(const struct writer *w)
{
	const struct object *o = w->o;
	bool same = w->item.n == o->nread;
	for (uint32_t i = 1; same && i < w->item.n; i++) {
		const struct item *it = &w->item.v[i];
		uint32_t was = it->rel ? o->sec.v[it->sec].rela : it->sec;
		same = was == i && it->size == o->sec.v[i].size;
	}
	return same;
}

/* Where everything was.  False: sections, or the headers, overlapped there. */
static bool lay_out_as_read(struct writer *w)
{
	uint64_t end = elf_file_size(w->o);
	for (uint32_t i = 1; i < w->item.n; i++) {
		w->item.v[i].head.sh_offset = w->o->sec.v[i].at;
		if (has_bytes(&w->item.v[i]))
			vec_push(&w->place, (struct place){w->o->sec.v[i].at, i});
	}
	sort(w->place.v, w->place.n, sizeof *w->place.v, place_cmp);
	for (const struct place *p = w->place.v; p < w->place.v + w->place.n; p++) {
		if (p->at < end)
			return false;
		end = p->at + w->item.v[p->item].size;
	}
	w->shoff = w->o->shoff;
	return w->shoff >= end;
}

static void lay_out_anew(struct writer *w)
{
	uint64_t off = elf_file_size(w->o), word = w->o->word;
	w->place.n = 0;
	for (uint32_t i = 1; i < w->item.n; i++) {
		struct item *it = &w->item.v[i];
		/* This file is not loaded: alignment beyond a page would waste space. */
		uint64_t align = it->head.sh_addralign < 4096 ? it->head.sh_addralign : 4096;
		off = (off + align - 1) & ~(align - 1);
		it->head.sh_offset = off;
		if (!has_bytes(it))
			continue;
		vec_push(&w->place, (struct place){off, i});
		off += it->size;
	}
	w->shoff = (off + word - 1) & ~(word - 1);
}

static void lay_out(struct writer *w)
{
	for (size_t i = 1; i < w->item.n; i++)
		w->item.v[i].head.sh_size = w->item.v[i].size;
	if (!is_as_read(w) || !lay_out_as_read(w))
		lay_out_anew(w);
	if (w->o->word == 4 && w->shoff > UINT32_MAX)
		fatal("%s: more than 4 GiB", w->o->path);
}

/* The file ------------------------------------------------------------- */

/* Buffered output: there may be very many small sections. */
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

/* n bytes of buf, to be filled now. */
static uint8_t *out_room(struct out *f, size_t n)
{
	if (n > sizeof f->buf - f->n)
		out_flush(f);
	f->at += n;
	f->n += n;
	return f->buf + f->n - n;
}

static void put_reloc(const struct object *o, uint8_t *p, const struct reloc *r, uint32_t sym,
	bool rela)
{
	unsigned w = o->word;
	put_word(p, w, o->big, r->off);
	if (o->type_bytes) {
		put_word(p + 8, 4, o->big, sym);
		put_word(p + 12, 4, true, r->type);
	} else {
		put_word(p + w, w, o->big, (uint64_t)sym << (w == 8 ? 32 : 8) | r->type);
	}
	if (rela)
		put_word(p + 2 * w, w, o->big, (uint64_t)r->addend);
}

static void write_relocs(const struct writer *w, struct out *f, const struct section *s)
{
	bool rela = rel_type(w, s) == SHT_RELA;
	size_t size = elf_reloc_size(w->o, rela);
	const uint32_t *order = order_of(s);
	for (uint32_t i = 0; i < reloc_count(s); i++) {
		const struct reloc *r = &relocs_of(s)[order ? order[i] : i];
		put_reloc(w->o, out_room(f, size), r, reloc_symbol(w, s, r), rela);
	}
}

/* The fields of a header one after the other; those of an address's size have size 0. */
struct header_field {
	uint8_t size;
	uint64_t value;
};

static void write_header(const struct writer *w, struct out *f, const struct header_field *v,
	size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned size = v[i].size ? v[i].size : w->o->word;
		put_word(out_room(f, size), size, w->o->big, v[i].value);
	}
}

#define SHF_GNU_MBIND (1u << 24)

/*
 * A join has the ABI of its first object, but flags of the GNU ABI, which GNU ld reads only in
 * objects of that ABI, have come from any of them.
 *
 * hazard: retained section dropped.  --gc-sections drops what the user has marked as used.
 */
static uint8_t osabi(const struct object *o)
{
	for (size_t i = 0; i < o->sec.n && o->osabi == ELFOSABI_NONE; i++)
		if (o->sec.v[i].flags & (SHF_GNU_RETAIN | SHF_GNU_MBIND))
			return ELFOSABI_GNU;
	return o->osabi;
}

static void write_file_header(const struct writer *w, struct out *f)
{
	const struct object *o = w->o;
	uint32_t names = w->index[o->shstrtab];
	uint8_t id[EI_NIDENT] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
		o->word == 8 ? ELFCLASS64 : ELFCLASS32, o->big ? ELFDATA2MSB : ELFDATA2LSB,
		EV_CURRENT, osabi(o), o->abiversion};
	struct header_field v[] = {{2, ET_REL}, {2, o->machine}, {4, EV_CURRENT}, {0, 0}, {0, 0},
		{0, w->shoff}, {4, o->eflags}, {2, elf_file_size(o)}, {2, 0}, {2, 0},
		{2, elf_header_size(o)}, {2, w->item.n < SHN_LORESERVE ? w->item.n : 0},
		{2, names < SHN_LORESERVE ? names : SHN_XINDEX}};
	out_put(f, id, sizeof id);
	write_header(w, f, v, sizeof v / sizeof *v);
}

static void write_section_header(const struct writer *w, struct out *f, const Elf64_Shdr *h)
{
	struct header_field v[] = {{4, h->sh_name}, {4, h->sh_type}, {0, h->sh_flags}, {0, 0},
		{0, h->sh_offset}, {0, h->sh_size}, {4, h->sh_link}, {4, h->sh_info},
		{0, h->sh_addralign}, {0, h->sh_entsize}};
	write_header(w, f, v, sizeof v / sizeof *v);
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

static void write_contents(const struct writer *w, struct out *f, const struct item *it)
{
	if (it->rel) {
		write_relocs(w, f, &w->o->sec.v[it->sec]);
		return;
	}
	out_put(f, it->data, it->size - (it->more ? it->more->n : 0));
	if (it->more)
		out_put(f, it->more->v, it->more->n);
}

static void write_file(struct writer *w, const char *path)
{
	struct out *f = arena_new(&w->arena, struct out);
	f->path = path;
	f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (f->fd < 0)
		fatal("cannot write %s: %s", path, strerror(errno));
	write_file_header(w, f);
	for (size_t i = 0; i < w->place.n; i++) {
		out_pad(f, w->place.v[i].at);
		write_contents(w, f, &w->item.v[w->place.v[i].item]);
	}
	out_pad(f, w->shoff);
	w->item.v[0].head = null_header(w);
	for (size_t i = 0; i < w->item.n; i++)
		write_section_header(w, f, &w->item.v[i].head);
	out_flush(f);
	if (close(f->fd))
		fatal("cannot write %s: %s", path, strerror(errno));
}

/* What relocations of sections without any are to be: what the others with fields are. */
static uint32_t kind_of_relocs(const struct object *o)
{
	bool rel = false;
	for (uint32_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		if (s->rela && o->sec.v[s->rela].type == SHT_RELA)
			return SHT_RELA;
		for (uint32_t k = 0; !rel && k < s->nrel; k++)
			rel = s->rel[k].type != R_NONE;
	}
	return rel ? SHT_REL : SHT_RELA;
}

void object_write(struct object *o, const char *path)
{
	struct writer w = {.o = o, .new_rel = kind_of_relocs(o)};
	w.label = object_labels(o, &w.nlabel);
	add_tables(&w);
	w.table[0].old = &o->sec.v[o->shstrtab];
	w.table[1].old = &o->sec.v[o->sec.v[o->symtab].link];
	w.names = &w.table[0];
	w.symnames = w.table[1].old == w.table[0].old ? w.names : &w.table[1];
	make_contents(&w);
	make_headers(&w);
	make_strings(&w, o->shstrtab, w.names);
	make_strings(&w, o->sec.v[o->symtab].link, w.symnames);
	lay_out(&w);
	write_file(&w, path);
	vec_free(&w.place);
	free(w.table[0].add.v);
	free(w.table[1].add.v);
	vec_free(&w.item);
	arena_free(&w.arena);
}
