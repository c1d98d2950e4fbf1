/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - an ELF relocatable object into struct object
 *
 * libelf finds the headers (also past 65,279 sections, gABI "Extended section
 * header") and knows the file's class and byte order; all their fields are checked here, because
 * a relocatable link copies most of its input unchecked.  Contents stay in the mapped file.
 */
#include "reloc/object.h"

#include "base/parallel.h"
#include "targets/relinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHT_CREL_LLVM = 0x40000014 };

static void map_file(struct object *o)
{
	int fd = open(o->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st))
		fatal("cannot open %s: %s", o->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		fatal("%s: not a regular file", o->path);
	if (st.st_size < (off_t)sizeof(Elf32_Ehdr))
		fatal("%s: not a relocatable object: only %lld bytes", o->path,
			(long long)st.st_size);
	o->file_size = (size_t)st.st_size;
	o->file = mmap(NULL, o->file_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (o->file == MAP_FAILED)
		fatal("cannot map %s: %s", o->path, strerror(errno));
	close(fd);
}

static void read_header(struct object *o, Elf *elf)
{
	const uint8_t *id = o->file;
	if (memcmp(id, ELFMAG, SELFMAG))
		fatal("%s: not an ELF file", o->path);
	GElf_Ehdr eh;
	if (!elf || !gelf_getehdr(elf, &eh))
		fatal("%s: %s", o->path, elf_errmsg(-1));
	if (eh.e_type != ET_REL)
		fatal("%s: not a relocatable object (e_type %u)", o->path, eh.e_type);
	if (eh.e_version != EV_CURRENT)
		fatal("%s: unknown ELF version %u", o->path, eh.e_version);
	o->word = id[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	if (eh.e_shentsize != elf_header_size(o))
		fatal("%s: section headers of %u bytes", o->path, eh.e_shentsize);
	if (eh.e_shoff % o->word)
		fatal("%s: section headers at the odd offset 0x%llx", o->path,
			(unsigned long long)eh.e_shoff);
	o->big = id[EI_DATA] == ELFDATA2MSB;
	o->machine = eh.e_machine;
	o->type_bytes = o->word == 8 && relinfo_is_bytes(o->machine);
	o->osabi = id[EI_OSABI];
	o->abiversion = id[EI_ABIVERSION];
	o->eflags = eh.e_flags;
	o->shoff = eh.e_shoff;
}

/* Names are set later: earlier messages show section numbers. */
static void read_section(struct object *o, const GElf_Shdr *sh, uint32_t i)
{
	struct section s = {
		.name = "",
		.index = i,
		.type = sh->sh_type,
		.flags = sh->sh_flags,
		.align = sh->sh_addralign ? sh->sh_addralign : 1,
		.entsize = sh->sh_entsize,
		.at = sh->sh_offset,
		.size = sh->sh_size,
		.link = sh->sh_link,
		.info = sh->sh_info,
	};
	if (s.type == SHT_NULL)
		s = (struct section){.name = "", .index = i, .align = 1};
	if (s.align & (s.align - 1))
		fatal("%s: section %u: alignment 0x%llx is not a power of two", o->path, i,
			(unsigned long long)s.align);
	if (s.type != SHT_NULL && s.type != SHT_NOBITS) {
		if (sh->sh_offset > o->file_size || s.size > o->file_size - sh->sh_offset)
			fatal("%s: section %u: offset 0x%llx and size 0x%llx are not in the file",
				o->path, i, (unsigned long long)sh->sh_offset,
				(unsigned long long)s.size);
		if (s.size)
			s.data = (const uint8_t *)o->file + sh->sh_offset;
	}
	vec_push(&o->sec, s);
}

static const char *string_at(const struct object *o, uint32_t table, uint32_t off)
{
	const struct section *s = &o->sec.v[table];
	return off < s->size ? (const char *)s->data + off : NULL;
}

/* A string table that string_at() may be used on: NULs at both ends (gABI, "String Table"). */
static bool is_strings(const struct object *o, uint64_t index)
{
	if (!index || index >= o->sec.n)
		return false;
	const struct section *s = &o->sec.v[index];
	return s->type == SHT_STRTAB && s->size && !s->data[0] && !s->data[s->size - 1];
}

static void read_sections(struct object *o, Elf *elf)
{
	size_t n, names;
	VEC(uint32_t) name = {0};
	if (elf_getshdrnum(elf, &n) || n < 2)
		fatal("%s: no sections", o->path);
	if (n >= SEC_PROC)
		fatal("%s: too many sections", o->path);
	if (elf_getshdrstrndx(elf, &names))
		fatal("%s: no section names: %s", o->path, elf_errmsg(-1));
	vec_reserve(&o->sec, n + 8);
	for (size_t i = 0; i < n; i++) {
		GElf_Shdr sh;
		if (!gelf_getshdr(elf_getscn(elf, i), &sh))
			fatal("%s: section %zu: %s", o->path, i, elf_errmsg(-1));
		read_section(o, &sh, (uint32_t)i);
		vec_push(&name, sh.sh_name);
	}
	o->sec.v[0] = (struct section){.name = "", .align = 1};
	if (!is_strings(o, names))
		fatal("%s: section %zu does not hold the section names", o->path, names);
	o->shstrtab = (uint32_t)names;
	for (size_t i = 1; i < n; i++) {
		o->sec.v[i].name = string_at(o, o->shstrtab, name.v[i]);
		if (!o->sec.v[i].name)
			fatal("%s: section %zu: its name is not in the string table", o->path, i);
	}
	vec_free(&name);
	o->nread = (uint32_t)n;
}

/* Links ---------------------------------------------------------------- */

static bool links_to_symtab(const struct section *s)
{
	return section_is_rel(s) || s->type == SHT_GROUP || s->type == SHT_SYMTAB_SHNDX;
}

/* gABI figure 4-12: what sh_link and sh_info are. */
static void check_links(const struct object *o, const struct section *s)
{
	if (s->link >= o->sec.n)
		fatal_at(s, 0, "sh_link %u is no section", s->link);
	if (links_to_symtab(s) && (s->link != o->symtab || !o->symtab))
		fatal_at(s, 0, "sh_link %u is not the symbol table", s->link);
	if (s->type == SHT_CREL_LLVM)
		fatal_at(s, 0, "compact relocations are not supported");
	if ((s->flags & SHF_COMPRESSED) && ((s->flags & SHF_ALLOC) || s->type == SHT_NOBITS))
		fatal_at(s, 0, "compressed, though it is loaded or has no contents");
	if ((s->flags & SHF_LINK_ORDER) && s->link && !section_has_contents(&o->sec.v[s->link]))
		fatal_at(s, 0, "sh_link %u is nothing to be ordered by", s->link);
	if (!section_is_rel(s) && !(s->flags & SHF_INFO_LINK))
		return;
	if (s->type == SHT_SYMTAB || s->type == SHT_GROUP)
		fatal_at(s, 0, "SHF_INFO_LINK, though sh_info is not a section");
	if (s->info >= o->sec.n || (section_is_rel(s) && !s->info))
		fatal_at(s, 0, "sh_info %u is no section", s->info);
}

static void find_symtab(struct object *o)
{
	for (uint32_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		if (s->type != SHT_SYMTAB)
			continue;
		if (o->symtab)
			fatal_at(s, 0, "a second symbol table");
		o->symtab = i;
		if (!is_strings(o, s->link))
			fatal_at(s, 0, "sh_link %u is not a string table", s->link);
		if (s->entsize != elf_symbol_size(o) || s->size % s->entsize || !s->size)
			fatal_at(s, 0, "size 0x%llx or entry size 0x%llx is wrong",
				(unsigned long long)s->size, (unsigned long long)s->entsize);
		if (!s->info || s->info > s->size / s->entsize)
			fatal_at(s, 0, "sh_info %u is not the number of local symbols", s->info);
	}
}

/* Symbols -------------------------------------------------------------- */

static const struct section *find_xindex(const struct object *o)
{
	const struct section *found = NULL;
	for (uint32_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		if (s->type != SHT_SYMTAB_SHNDX)
			continue;
		if (found)
			fatal_at(s, 0, "a second table of extended section indices");
		if (s->size / 4 < o->sec.v[o->symtab].size / elf_symbol_size(o))
			fatal_at(s, 0, "shorter than the symbol table");
		found = s;
	}
	return found;
}

static uint32_t symbol_section(const struct object *o, const struct section *xindex, uint32_t sec,
	uint64_t at)
{
	const struct section *tab = &o->sec.v[o->symtab];
	if (sec == SHN_ABS || sec == SHN_COMMON || (sec >= SHN_LOPROC && sec <= SHN_HIPROC))
		return 0xffff0000 | sec;
	if (sec == SHN_XINDEX) {
		if (!xindex)
			fatal_at(tab, at, "symbol without its extended section index");
		sec = (uint32_t)get_word(xindex->data + at / tab->entsize * 4, 4, o->big);
	} else if (sec >= SHN_LORESERVE) {
		fatal_at(tab, at, "symbol with the unknown section index 0x%x", sec);
	}
	if (sec >= o->sec.n)
		fatal_at(tab, at, "symbol in section %u, which does not exist", sec);
	return sec;
}

/*
 * An assembler may place a symbol anywhere (`x = . + 100').  That is harmless in data; in code, and
 * in sections whose contents the linker merges, such a symbol would have no defined new value.
 */
static bool value_matters(const struct section *s)
{
	return section_is_code(s) || (s->flags & SHF_MERGE);
}

static void read_symbol(struct object *o, const struct section *xindex, uint64_t at)
{
	const struct section *tab = &o->sec.v[o->symtab];
	const uint8_t *p = tab->data + at, *value = p + (o->word == 8 ? 8 : 4);
	const uint8_t *info = p + (o->word == 8 ? 4 : 12);
	struct symbol s = {
		.name = string_at(o, tab->link, (uint32_t)get_word(p, 4, o->big)),
		.value = get_word(value, o->word, o->big),
		.size = get_word(value + o->word, o->word, o->big),
		.sec = symbol_section(o, xindex, (uint32_t)get_word(info + 2, 2, o->big), at),
		.info = info[0],
		.other = info[1],
	};
	if (!s.name)
		fatal_at(tab, at, "the symbol's name is not in the string table");
	if ((symbol_bind(&s) == STB_LOCAL) != (o->sym.n < o->nlocal))
		fatal_at(tab, at, "symbol %s: %s symbol among the %s ones", s.name,
			o->sym.n < o->nlocal ? "global" : "local",
			o->sym.n < o->nlocal ? "local" : "global");
	if (s.sec && s.sec < o->sec.n) {
		const struct section *sec = &o->sec.v[s.sec];
		if (section_is_rel(sec) || sec->type == SHT_SYMTAB_SHNDX)
			fatal_at(tab, at, "symbol %s is defined in %s", s.name, sec->name);
		if (s.value > sec->size && value_matters(sec))
			fatal_at(sec, s.value, "symbol %s lies behind the end of its section",
				s.name);
		if (symbol_type(&s) == STT_SECTION && s.value)
			fatal_at(tab, at, "the symbol of section %s has a value", sec->name);
	}
	vec_push(&o->sym, s);
}

static void read_symbols(struct object *o)
{
	if (!o->symtab) {
		vec_push(&o->sym, (struct symbol){.name = ""});
		o->nlocal = 1;
		return;
	}
	const struct section *tab = &o->sec.v[o->symtab], *xindex = find_xindex(o);
	o->nlocal = tab->info;
	vec_reserve(&o->sym, tab->size / tab->entsize + 8);
	for (uint64_t at = 0; at < tab->size; at += tab->entsize)
		read_symbol(o, xindex, at);
	o->sym.v[0] = (struct symbol){.name = ""};
}

/* Relocations ---------------------------------------------------------- */

/* Offsets of relocations of a compressed section refer to its expanded contents. */
static uint64_t expanded_size(const struct object *o, const struct section *s)
{
	if (!(s->flags & SHF_COMPRESSED))
		return s->size;
	if (s->size < (o->word == 8 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr)))
		fatal_at(s, 0, "compressed section without a header");
	return get_word(s->data + o->word, o->word, o->big); /* ch_size */
}

static void check_reloc(const struct object *o, const struct section *t, const struct reloc *r,
	uint64_t limit)
{
	if (r->off > limit || (r->off == limit && r->type != R_NONE))
		fatal_at(t, r->off, "relocation outside of the section (0x%llx bytes)",
			(unsigned long long)limit);
	if (r->sym >= o->sym.n)
		fatal_at(t, r->off, "relocation against symbol %u, which does not exist", r->sym);
	uint32_t sec = o->sym.v[r->sym].sec;
	if (r->type != R_NONE && sec && sec < o->sec.n && !section_has_contents(&o->sec.v[sec]))
		fatal_at(t, r->off, "relocation against %s, which is nothing to refer to",
			o->sec.v[sec].name);
}

static struct reloc read_reloc(const struct object *o, const uint8_t *p, bool rela)
{
	unsigned w = o->word;
	uint64_t info = get_word(p + w, w, o->big);
	uint64_t type;
	struct reloc r = {.off = get_word(p, w, o->big)};
	if (o->type_bytes) {
		r.sym = (uint32_t)get_word(p + 8, 4, o->big);
		type = get_word(p + 12, 4, true);
	} else {
		r.sym = (uint32_t)(w == 8 ? info >> 32 : info >> 8);
		type = w == 8 ? (uint32_t)info : info & 0xff;
	}
	r.type = type < R_UNKNOWN ? (uint32_t)type : R_UNKNOWN;
	if (rela)
		r.addend = sign_extend(get_word(p + 2 * w, w, o->big), 8 * w);
	return r;
}

/* What is in them is read later, by several threads. */
static void count_relocs(struct object *o, const struct section *from)
{
	size_t size = elf_reloc_size(o, from->type == SHT_RELA);
	struct section *t = &o->sec.v[from->info];
	if (t->rela)
		fatal_at(from, 0, "a second relocation section for %s", t->name);
	t->rela = from->index;
	if (from->entsize != size || from->size % size || from->size / size > UINT32_MAX)
		fatal_at(from, 0, "size 0x%llx or entry size 0x%llx is wrong",
			(unsigned long long)from->size, (unsigned long long)from->entsize);
	if (!from->size)
		return;
	if (!section_has_contents(t) || t->type == SHT_NOBITS)
		fatal_at(from, 0, "relocations for %s, which has no contents to relocate", t->name);
	t->nrel = (uint32_t)(from->size / size);
}

static void read_relocs(struct object *o, struct section *t, struct arena *a)
{
	const struct section *from = &o->sec.v[t->rela];
	uint64_t limit = expanded_size(o, t);
	t->rel = arena_array(a, struct reloc, t->nrel);
	for (uint32_t i = 0; i < t->nrel; i++) {
		t->rel[i] = read_reloc(o, from->data + i * from->entsize, from->type == SHT_RELA);
		check_reloc(o, t, &t->rel[i], limit);
	}
	t->order = relocs_sort(a, t->rel, t->nrel);
}

static void read_part(void *ctx, size_t part, struct arena *a)
{
	struct object *o = ctx;
	for (uint32_t k = o->part.v[part]; k < o->part.v[part + 1]; k++)
		if (o->sec.v[k].nrel)
			read_relocs(o, &o->sec.v[k], a);
}

static void drop_pages(const struct object *o, uint64_t from, uint64_t to)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	from = (from + page - 1) & ~(page - 1);
	to &= ~(page - 1);
	if (from < to)
		madvise((uint8_t *)o->file + from, to - from, MADV_DONTNEED);
}

/*
 * Nobody reads the file's relocations again: they need not stay in memory.  Linkers place most of
 * their sections side by side.
 */
static void drop_relocs(const struct object *o)
{
	uint64_t from = 0, to = 0;
	for (uint32_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		if (!section_is_rel(s) || !s->size)
			continue;
		if (s->at < to || s->at - to > o->word) {
			drop_pages(o, from, to);
			from = s->at;
		}
		to = s->at + s->size;
	}
	drop_pages(o, from, to);
}

enum { PART = 1 << 14 }; /* relocations that a thread does at once */

static void cut_parts(struct object *o)
{
	uint64_t n = PART;
	for (uint32_t i = 1; i < o->sec.n; i++) {
		if (n >= PART) {
			vec_push(&o->part, i);
			n = 0;
		}
		n += o->sec.v[i].nrel;
	}
	vec_push(&o->part, (uint32_t)o->sec.n);
}

/* Groups --------------------------------------------------------------- */

static void read_group(struct object *o, const struct section *g)
{
	if (g->size < 4 || g->size % 4)
		fatal_at(g, 0, "section group of %llu bytes", (unsigned long long)g->size);
	if (!g->info || g->info >= o->sym.n)
		fatal_at(g, 0, "section group with signature symbol %u, which does not exist",
			g->info);
	for (uint64_t at = 4; at < g->size; at += 4) {
		uint32_t m = (uint32_t)get_word(g->data + at, 4, o->big);
		if (!m || m >= o->sec.n)
			fatal_at(g, at, "section %u in a group does not exist", m);
		struct section *s = &o->sec.v[m];
		if (s->type == SHT_GROUP || m == o->symtab || m == o->shstrtab)
			fatal_at(g, at, "section %s cannot be in a group", s->name);
		if (s->group)
			fatal_at(g, at, "section %s is in two groups", s->name);
		s->group = g->index;
	}
}

/*
 * LLD's join keeps common symbols as such, and a section with room for them too, which the last
 * link would give them a second time.
 */
static void drop_room_for_commons(struct object *o)
{
	for (uint32_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (s->type != SHT_NOBITS || strcmp(s->name, "COMMON") != 0)
			continue;
		s->dropped = true;
		for (uint32_t k = 1; k < o->sym.n && s->dropped; k++)
			s->dropped = o->sym.v[k].sec != i;
	}
}

struct object *object_read(struct arena *a, const char *path)
{
	struct object *o = arena_new(a, struct object);
	o->arena = a;
	o->path = path;
	o->label = arena_new(a, struct code_labels);
	o->labels = labels_new(a);
	object_is_read(o);
	map_file(o);
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory(o->file, o->file_size);
	read_header(o, elf);
	read_sections(o, elf);
	elf_end(elf);

	find_symtab(o);
	for (uint32_t i = 1; i < o->sec.n; i++)
		check_links(o, &o->sec.v[i]);
	read_symbols(o);
	for (uint32_t i = 1; i < o->sec.n; i++)
		if (section_is_rel(&o->sec.v[i]))
			count_relocs(o, &o->sec.v[i]);
	cut_parts(o);
	parallel_into(o->arena, o->part.n - 1, read_part, o);
	drop_relocs(o);
	for (uint32_t i = 1; i < o->sec.n; i++)
		if (o->sec.v[i].type == SHT_GROUP)
			read_group(o, &o->sec.v[i]);
	drop_room_for_commons(o);
	return o;
}
