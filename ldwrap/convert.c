/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.c - changes of objects before LLD joins them, and behind that
 *
 * LLD does not know everything that GNU ld knows, and some options work on the symbols of each
 * input, which the joined object no longer tells apart.
 */
#include "ldwrap/sections.h"

#include "targets/platform.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The bytes of a file, to be changed in place until file_unmap(*b).  NULL: it cannot be changed. */
static uint8_t *map_to_change(const char *path, struct bytes *b)
{
	struct stat st;
	void *p = MAP_FAILED;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	*b = (struct bytes){0};
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st))
		p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return NULL;
	*b = (struct bytes){p, (size_t)st.st_size};
	return p;
}

/* Debug information compressed in GNU's old format ----------------------------- */

/* `ZLIB', the size as a big-endian number, and a zlib stream. */
enum { ZDEBUG_HEADER = 12 };

static bool is_zdebug(const struct sections *s, const Elf64_Shdr *sh)
{
	return !strncmp(header_name(s, sh), ".zdebug_", 8) && sh->sh_size >= ZDEBUG_HEADER &&
		inside(s->file, sh->sh_offset, sh->sh_size) &&
		!memcmp(s->file.p + sh->sh_offset, "ZLIB", 4);
}

void object_renew(struct buf *to, struct bytes b)
{
	struct sections s;
	Elf64_Shdr sh;
	size_t start = to->n;
	buf_put(to, b.p, b.n);
	for (uint64_t i = 1; sections_open(&s, b) && section_get(&s, i, &sh); i++) {
		const uint8_t *p = b.p + sh.sh_offset;
		if (!is_zdebug(&s, &sh))
			continue;
		Elf64_Chdr ch = {.ch_type = ELFCOMPRESS_ZLIB, .ch_addralign = sh.sh_addralign};
		for (int k = 4; k < ZDEBUG_HEADER; k++)
			ch.ch_size = ch.ch_size << 8 | p[k];
		while ((to->n - start) % s.form.word)
			buf_u8(to, 0);
		/* the name begins at its `z', also for other sections with this name */
		to->v[start + s.names + ++sh.sh_name] = '.';
		sh.sh_flags |= SHF_COMPRESSED;
		sh.sh_addralign = s.form.word;
		sh.sh_offset = to->n - start;
		elf_put_chdr(s.form, to, &ch);
		buf_put(to, p + ZDEBUG_HEADER, sh.sh_size - ZDEBUG_HEADER);
		sh.sh_size += ELF_SIZE(s.form, Chdr) - ZDEBUG_HEADER;
		elf_put_shdr(s.form, to->v + start + s.shoff + i * ELF_SIZE(s.form, Shdr), &sh);
	}
}

/* --exclude-libs -------------------------------------------------------------- */

struct hiding {
	struct elf_form form;
	uint8_t *p;
	const struct strmap *but; /* NULL: none is excepted */
};

/* Is the name, without its version, among those that stay? */
static bool is_excepted(const struct hiding *h, const char *name)
{
	char *stem = h->but ? strndup(name, strcspn(name, "@")) : NULL;
	bool found = stem && strmap_find(h->but, stem);
	free(stem);
	return found;
}

static void hide_symbol(void *ctx, const char *name, const Elf64_Sym *sym, size_t at)
{
	const struct hiding *h = ctx;
	if (sym->st_shndx != SHN_UNDEF && ELF64_ST_VISIBILITY(sym->st_other) != STV_INTERNAL &&
		!is_excepted(h, name))
		h->p[at + elf_sym_other(h->form)] = (uint8_t)((sym->st_other & ~3) | STV_HIDDEN);
}

void object_hide(uint8_t *p, size_t n)
{
	struct sections s;
	if (sections_open(&s, (struct bytes){p, n}))
		each_global(&s, hide_symbol, &(struct hiding){s.form, p, NULL});
}

bool object_hide_but(const char *path, const struct strmap *names)
{
	struct sections s;
	struct bytes file;
	uint8_t *p = map_to_change(path, &file);
	if (p && sections_open(&s, file))
		each_global(&s, hide_symbol, &(struct hiding){s.form, p, names});
	file_unmap(file);
	return p;
}

/* COMDAT groups ------------------------------------------------------------------- */

/* p is NULL, or where the bytes of b can be changed.  Returns whether there are any. */
static bool part_groups(struct bytes b, uint8_t *p)
{
	struct sections s;
	Elf64_Shdr sh;
	bool any = false;
	if (!sections_open(&s, b))
		return false;
	for (uint64_t i = 1; section_get(&s, i, &sh); i++) {
		if (sh.sh_type != SHT_GROUP || sh.sh_size < 4 ||
			!inside(b, sh.sh_offset, sh.sh_size))
			continue;
		any = true;
		if (p)
			elf_put_word(s.form, p + sh.sh_offset, 0);
	}
	return any;
}

bool object_has_groups(struct bytes b)
{
	return part_groups(b, NULL);
}

void object_part_groups(uint8_t *p, size_t n)
{
	part_groups((struct bytes){p, n}, p);
}

/* Large common symbols ---------------------------------------------------------- */

static bool is_among(const strings *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->v[i], name))
			return true;
	return false;
}

/* The section index of large common symbols in the file; 0: there are none. */
static uint16_t large_index(const struct sections *s)
{
	uint16_t machine = elf_half(s->form, s->file.p + offsetof(Elf64_Ehdr, e_machine));
	const struct platform *on = platform_find(machine, s->form.word, s->form.big);
	return on ? on->large_common : 0;
}

struct large {
	uint16_t index;
	struct arena *a;
	strings *found;
	uint8_t *p; /* the object's bytes, to be changed; NULL: only look */
	bool any;
};

static void find_large(void *ctx, const char *name, const Elf64_Sym *sym, size_t at)
{
	struct large *g = ctx;
	const uint16_t common = SHN_COMMON;
	if (!g->index || sym->st_shndx != g->index)
		return;
	g->any = true;
	if (!g->p)
		return;
	memcpy(g->p + at + offsetof(Elf64_Sym, st_shndx), &common, sizeof common);
	vec_push(g->found, arena_printf(g->a, "%s", name));
}

void object_small_commons(struct arena *a, uint8_t *p, size_t n, strings *found)
{
	struct sections s;
	if (sections_open(&s, (struct bytes){p, n}))
		each_global(&s, find_large, &(struct large){large_index(&s), a, found, p, false});
}

struct enlarging {
	uint8_t *p;
	const strings *names;
	uint16_t index;
};

static void enlarge(void *ctx, const char *name, const Elf64_Sym *sym, size_t at)
{
	const struct enlarging *e = ctx;
	if (sym->st_shndx == SHN_COMMON && is_among(e->names, name))
		memcpy(e->p + at + offsetof(Elf64_Sym, st_shndx), &e->index, sizeof e->index);
}

bool object_large_commons(const char *path, const strings *names)
{
	struct sections s;
	struct bytes file;
	uint8_t *p = map_to_change(path, &file);
	if (p && sections_open(&s, file))
		each_global(&s, enlarge, &(struct enlarging){p, names, large_index(&s)});
	file_unmap(file);
	return p;
}

bool object_has_large_commons(struct bytes b)
{
	struct sections s;
	struct large g = {0};
	if (sections_open(&s, b) && (g.index = large_index(&s)))
		each_global(&s, find_large, &g);
	return g.any;
}

/* Default versions ------------------------------------------------------------------- */

static const char default_version[] = "@@", parted[] = "@\1";

/* The symbols that an object defines, by name: their places in the file. */
struct versions {
	const struct sections *s;
	struct strmap defined;
	uint8_t *p; /* the object's bytes, to be changed; NULL: only look */
	bool all, any;
};

static void note_defined(void *ctx, const char *name, const Elf64_Sym *sym, size_t at)
{
	struct versions *v = ctx;
	if (sym->st_shndx != SHN_UNDEF && !strchr(name, '@'))
		*strmap_slot(&v->defined, name) = at;
}

static bool defined_elsewhere(const struct versions *v, const char *name, const Elf64_Sym *sym)
{
	Elf64_Sym other;
	const uint64_t *at = strmap_find(&v->defined, name);
	if (!at)
		return false;
	elf_sym(v->s->form, v->s->file.p + *at, &other);
	return other.st_shndx != sym->st_shndx || other.st_value != sym->st_value;
}

static void part(void *ctx, const char *name, const Elf64_Sym *sym, size_t at)
{
	struct versions *v = ctx;
	const char *version = strstr(name, default_version);
	(void)at;
	if (!version || sym->st_shndx == SHN_UNDEF)
		return;
	char *stem = strndup(name, (size_t)(version - name));
	if (stem && (v->all || defined_elsewhere(v, stem, sym))) {
		v->any = true;
		if (v->p)
			memcpy(v->p + ((const uint8_t *)version - v->s->file.p), parted,
				strlen(parted));
	}
	free(stem);
}

static struct bytes symbol_names(const struct sections *s)
{
	Elf64_Shdr symtab, strtab;
	if (!find_symtab(s, &symtab) || !section_get(s, symtab.sh_link, &strtab) ||
		!inside(s->file, strtab.sh_offset, strtab.sh_size))
		return (struct bytes){0};
	return (struct bytes){s->file.p + strtab.sh_offset, strtab.sh_size};
}

/* p is NULL, or where the bytes of b can be changed. */
static bool part_versions(struct bytes b, uint8_t *p, bool all)
{
	struct sections s;
	struct versions v = {.s = &s, .p = p, .all = all};
	struct bytes names = sections_open(&s, b) ? symbol_names(&s) : (struct bytes){0};
	if (!names.n || !memmem(names.p, names.n, default_version, strlen(default_version)))
		return false;
	each_global(&s, note_defined, &v);
	each_global(&s, part, &v);
	strmap_free(&v.defined);
	return v.any;
}

bool object_has_versions(struct bytes b, bool all)
{
	return part_versions(b, NULL, all);
}

void object_part_versions(uint8_t *p, size_t n, bool all)
{
	part_versions((struct bytes){p, n}, p, all);
}

bool object_join_versions(const char *path)
{
	struct sections s;
	struct bytes file;
	uint8_t *p = map_to_change(path, &file);
	struct bytes names = p && sections_open(&s, file) ? symbol_names(&s) : (struct bytes){0};
	for (const uint8_t *at = names.p; names.n; at += strlen(parted)) {
		at = memmem(at, names.n - (size_t)(at - names.p), parted, strlen(parted));
		if (!at)
			break;
		memcpy(p + (at - file.p), default_version, strlen(default_version));
	}
	file_unmap(file);
	return p;
}

/* Addresses that are known ----------------------------------------------------------- */

/* GNU ld allows no absolute address of four bytes in a position-independent program. */
struct binding {
	const struct sections *s;
	uint8_t *p;
	uint32_t type; /* R_*: of a field that holds an address of 4 bytes */
};

/* Where the symbol is absolute: its value. */
static bool find_value(const struct binding *b, const Elf64_Shdr *symtab, uint64_t number,
	uint64_t *value)
{
	Elf64_Sym sym;
	size_t size = ELF_SIZE(b->s->form, Sym);
	if (number >= symtab->sh_size / size)
		return false;
	elf_sym(b->s->form, b->s->file.p + symtab->sh_offset + number * size, &sym);
	*value = sym.st_value;
	return sym.st_shndx == SHN_ABS && ELF64_ST_VISIBILITY(sym.st_other) == STV_HIDDEN &&
		ELF64_ST_BIND(sym.st_info) != STB_LOCAL;
}

static void bind_section(const struct binding *b, const Elf64_Shdr *rela, const Elf64_Shdr *symtab)
{
	Elf64_Shdr to;
	uint64_t value;
	for (uint64_t i = 0; i < rela->sh_size / sizeof(Elf64_Rela); i++) {
		Elf64_Rela r;
		uint8_t *at = b->p + rela->sh_offset + i * sizeof r;
		memcpy(&r, at, sizeof r);
		if (ELF64_R_TYPE(r.r_info) != b->type ||
			!find_value(b, symtab, ELF64_R_SYM(r.r_info), &value) ||
			!section_get(b->s, rela->sh_info, &to) ||
			!inside(b->s->file, to.sh_offset, to.sh_size) || r.r_offset > to.sh_size ||
			to.sh_size - r.r_offset < 4)
			continue;
		elf_put_word(b->s->form, b->p + to.sh_offset + r.r_offset,
			(uint32_t)(value + (uint64_t)r.r_addend));
		r = (Elf64_Rela){.r_offset = r.r_offset}; /* R_*_NONE */
		memcpy(at, &r, sizeof r);
	}
}

bool object_bind(const char *path, uint32_t type)
{
	struct sections s;
	struct bytes file;
	Elf64_Shdr sh, symtab;
	uint8_t *p = map_to_change(path, &file);
	bool good = p && sections_open(&s, file) && find_symtab(&s, &symtab);
	for (uint64_t i = 1; good && section_get(&s, i, &sh); i++)
		if (sh.sh_type == SHT_RELA && inside(file, sh.sh_offset, sh.sh_size))
			bind_section(&(struct binding){&s, p, type}, &sh, &symtab);
	file_unmap(file);
	return good;
}

/* Other names for what is undefined -------------------------------------------------- */

struct renaming {
	const strings *names;
	const char *as;	    /* NULL: __wrap_NAME */
	struct buf *strtab; /* the new names, or NULL: only look */
	struct buf *object;
	const struct sections *s;
	size_t old_size;
	bool any;
};

static void rename_symbol(void *ctx, const char *name, const Elf64_Sym *sym, size_t at)
{
	struct renaming *w = ctx;
	if (sym->st_shndx != SHN_UNDEF || !is_among(w->names, name))
		return;
	w->any = true;
	if (!w->strtab)
		return;
	Elf64_Word new_name = (Elf64_Word)(w->old_size + w->strtab->n);
	if (!w->as)
		buf_put(w->strtab, "__wrap_", 7);
	const char *as = w->as ? w->as : name;
	buf_put(w->strtab, as, strlen(as) + 1);
	elf_put_word(w->s->form, w->object->v + at, new_name);
	if (w->as)
		w->object->v[at + elf_sym_other(w->s->form)] = STV_DEFAULT;
}

bool object_refers_to(struct bytes b, const strings *names)
{
	struct sections s;
	struct renaming w = {.names = names};
	if (names->n && sections_open(&s, b))
		each_global(&s, rename_symbol, &w);
	return w.any;
}

/* The table of the symbols' names is written again behind the object, with the new ones. */
static void rename_all(struct buf *b, const strings *names, const char *as)
{
	struct sections s;
	Elf64_Shdr symtab, strtab;
	struct buf copy = {0}, added = {0};
	buf_put(&copy, b->v, b->n);
	struct renaming w = {.names = names, .as = as, .strtab = &added, .object = b, .s = &s};
	if (sections_open(&s, (struct bytes){copy.v, copy.n}) && find_symtab(&s, &symtab) &&
		section_get(&s, symtab.sh_link, &strtab) &&
		inside(s.file, strtab.sh_offset, strtab.sh_size)) {
		w.old_size = strtab.sh_size;
		each_global(&s, rename_symbol, &w);
		size_t at = b->n;
		buf_put(b, copy.v + strtab.sh_offset, strtab.sh_size);
		buf_put(b, added.v, added.n);
		strtab.sh_offset = at;
		strtab.sh_size += added.n;
		elf_put_shdr(s.form, b->v + s.shoff + symtab.sh_link * ELF_SIZE(s.form, Shdr),
			&strtab);
	}
	vec_free(&copy);
	vec_free(&added);
}

void object_wrap(struct buf *b, const strings *names)
{
	rename_all(b, names, NULL);
}

bool object_refer(const char *path, const char *name, const char *as, const char *to)
{
	strings names = {0};
	struct bytes file;
	struct buf b = {0};
	if (!file_map(path, &file))
		return false;
	vec_push(&names, name);
	buf_put(&b, file.p, file.n);
	rename_all(&b, &names, as);
	bool good = file_write(to, (struct bytes){b.v, b.n});
	file_unmap(file);
	vec_free(&names);
	vec_free(&b);
	return good;
}
