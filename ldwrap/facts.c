/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - facts from the headers and the dynamic section; see facts.h */
#include "ldwrap/facts.h"

#include "targets/platform.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * Not resolvers: linkers place those of IFUNCs in the order of sections, or of hashes of the
 * numbers of sections and symbols, both of which joining objects changes.
 */
bool fact_ordered(enum fact_kind kind)
{
	return kind == FACT_SEGMENT || kind == FACT_DYNAMIC || kind == FACT_DEFINITION ||
		kind == FACT_INIT || kind == FACT_NOTE;
}

/* The smallest page: no segment is aligned to less in memory. */
static const uint64_t page = 4096;

/* Headers --------------------------------------------------------------------- */

static void add_number(struct reading *r, const char *key, uint64_t x)
{
	fact_add(r, FACT_HEADER, key, arena_printf(r->a, "%#" PRIx64, x));
}

static void facts_of_header(struct reading *r)
{
	const struct image *im = &r->im;
	const Elf64_Ehdr *eh = &im->eh;
	uint64_t base = UINT64_MAX;
	add_number(r, "type", eh->e_type);
	add_number(r, "machine", eh->e_machine);
	add_number(r, "class", eh->e_ident[EI_CLASS]);
	add_number(r, "byte order", eh->e_ident[EI_DATA]);
	add_number(r, "OS ABI", eh->e_ident[EI_OSABI]);
	add_number(r, "ABI version", eh->e_ident[EI_ABIVERSION]);
	add_number(r, "flags", eh->e_flags);
	fact_add(r, FACT_HEADER, "entry point", eh->e_entry ? "there" : "none");
	fact_add(r, FACT_HEADER, "symbol table", r->table.n ? "there" : "none");
	for (size_t i = 0; i < im->ph.n; i++) {
		const Elf64_Phdr *p = &im->ph.v[i];
		if (p->p_type == PT_LOAD && p->p_vaddr < base)
			base = p->p_vaddr & -page;
	}
	add_number(r, "lowest address", base);
}

/* Segments -------------------------------------------------------------------- */

static const char *segment_name(struct arena *a, uint32_t type)
{
	static const struct {
		uint32_t type;
		const char *name;
	} names[] = {{PT_LOAD, "LOAD"}, {PT_DYNAMIC, "DYNAMIC"}, {PT_INTERP, "INTERP"},
		{PT_NOTE, "NOTE"}, {PT_PHDR, "PHDR"}, {PT_TLS, "TLS"},
		{PT_GNU_EH_FRAME, "GNU_EH_FRAME"}, {PT_GNU_STACK, "GNU_STACK"},
		{PT_GNU_RELRO, "GNU_RELRO"}, {PT_GNU_PROPERTY, "GNU_PROPERTY"}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].type == type)
			return names[i].name;
	return arena_printf(a, "of type 0x%x", type);
}

/* Most processors have their attributes, or what stands for them, in such a segment. */
enum { PT_ATTRIBUTES = PT_LOPROC + 3 };

/* What it is besides its place. */
static const char *segment_value(struct reading *r, const Elf64_Phdr *p)
{
	const char *flags = arena_printf(r->a, "%s%s%s", p->p_flags & PF_R ? "R" : "",
		p->p_flags & PF_W ? "W" : "", p->p_flags & PF_X ? "X" : "");
	if (p->p_flags & ~(uint32_t)(PF_R | PF_W | PF_X))
		flags = arena_printf(r->a, "%s+%#x", flags, p->p_flags);
	if (p->p_type == PT_INTERP || p->p_type == PT_ATTRIBUTES) {
		bool inside = image_inside(&r->im, p->p_offset, p->p_filesz);
		struct reader data = reader_make(inside ? r->im.file.p + p->p_offset : NULL,
			inside ? p->p_filesz : 0);
		return p->p_type == PT_INTERP
			? arena_printf(r->a, "%s %s", flags, read_str(&data))
			: arena_printf(r->a, "%s %s", flags, fact_hex(r->a, &data, p->p_filesz));
	}
	if (p->p_type == PT_TLS || p->p_type == PT_GNU_STACK)
		return arena_printf(r->a, "%s, size %#" PRIx64 ", alignment %#" PRIx64, flags,
			p->p_memsz, p->p_align);
	return flags;
}

/* The largest alignment of the loaded segments with these flags, which is at least a page. */
static uint64_t load_align(const struct image *im, uint32_t flags)
{
	uint64_t align = page;
	for (size_t i = 0; i < im->ph.n; i++)
		if (im->ph.v[i].p_type == PT_LOAD && im->ph.v[i].p_flags == flags &&
			im->ph.v[i].p_align > align)
			align = im->ph.v[i].p_align;
	return align;
}

static void facts_of_segments(struct reading *r)
{
	const struct image *im = &r->im;
	unsigned loads = 0; /* bit n: one with flags n */
	for (size_t i = 0; i < im->ph.n; i++) {
		const Elf64_Phdr *p = &im->ph.v[i];
		unsigned bit = 1U << (p->p_flags & 7);
		if (p->p_type != PT_LOAD) {
			fact_add(r, FACT_SEGMENT, segment_name(r->a, p->p_type),
				segment_value(r, p));
		} else if (!(loads & bit)) {
			/* what is inserted may fill a segment, so that there is one more, or
			 * the gap between two */
			loads |= bit;
			fact_add(r, FACT_SEGMENT,
				arena_printf(r->a, "LOAD %s", segment_value(r, p)),
				arena_printf(r->a, "alignment %#" PRIx64,
					load_align(im, p->p_flags)));
		}
	}
}

/* The dynamic section ----------------------------------------------------------- */

/* What a tag's value is.  That of others is an address or a size. */
enum value { VALUE_NONE, VALUE_STRING, VALUE_NUMBER, VALUE_FUNCTION };

static const struct {
	int64_t tag;
	const char *name;
	enum value value;
} tags[] = {
	{DT_NEEDED, "NEEDED", VALUE_STRING},
	{DT_PLTGOT, "PLTGOT", 0},
	{DT_PLTRELSZ, "PLTRELSZ", 0},
	{DT_HASH, "HASH", 0},
	{DT_STRTAB, "STRTAB", 0},
	{DT_SYMTAB, "SYMTAB", 0},
	{DT_RELA, "RELA", 0},
	{DT_RELASZ, "RELASZ", 0},
	{DT_RELAENT, "RELAENT", VALUE_NUMBER},
	{DT_STRSZ, "STRSZ", 0},
	{DT_SYMENT, "SYMENT", VALUE_NUMBER},
	{DT_INIT, "INIT", VALUE_FUNCTION},
	{DT_FINI, "FINI", VALUE_FUNCTION},
	{DT_SONAME, "SONAME", VALUE_STRING},
	{DT_RPATH, "RPATH", VALUE_STRING},
	{DT_SYMBOLIC, "SYMBOLIC", 0},
	{DT_REL, "REL", 0},
	{DT_RELSZ, "RELSZ", 0},
	{DT_RELENT, "RELENT", VALUE_NUMBER},
	{DT_PLTREL, "PLTREL", VALUE_NUMBER},
	{DT_DEBUG, "DEBUG", 0},
	{DT_TEXTREL, "TEXTREL", 0},
	{DT_JMPREL, "JMPREL", 0},
	{DT_BIND_NOW, "BIND_NOW", 0},
	{DT_INIT_ARRAY, "INIT_ARRAY", 0},
	{DT_FINI_ARRAY, "FINI_ARRAY", 0},
	{DT_INIT_ARRAYSZ, "INIT_ARRAYSZ", 0},
	{DT_FINI_ARRAYSZ, "FINI_ARRAYSZ", 0},
	{DT_RUNPATH, "RUNPATH", VALUE_STRING},
	{DT_FLAGS, "FLAGS", VALUE_NUMBER},
	{DT_PREINIT_ARRAY, "PREINIT_ARRAY", 0},
	{DT_PREINIT_ARRAYSZ, "PREINIT_ARRAYSZ", 0},
	{DT_SYMTAB_SHNDX, "SYMTAB_SHNDX", 0},
	{DT_RELRSZ, "RELRSZ", 0},
	{DT_RELR, "RELR", 0},
	{DT_RELRENT, "RELRENT", VALUE_NUMBER},
	{DT_GNU_HASH, "GNU_HASH", 0},
	{DT_CONFIG, "CONFIG", VALUE_STRING},
	{DT_DEPAUDIT, "DEPAUDIT", VALUE_STRING},
	{DT_AUDIT, "AUDIT", VALUE_STRING},
	{DT_FEATURE_1, "FEATURE_1", VALUE_NUMBER},
	{DT_POSFLAG_1, "POSFLAG_1", VALUE_NUMBER},
	{DT_VERSYM, "VERSYM", 0},
	{DT_RELACOUNT, "RELACOUNT", 0},
	{DT_RELCOUNT, "RELCOUNT", 0},
	{DT_FLAGS_1, "FLAGS_1", VALUE_NUMBER},
	{DT_VERDEF, "VERDEF", 0},
	{DT_VERDEFNUM, "VERDEFNUM", VALUE_NUMBER},
	{DT_VERNEED, "VERNEED", 0},
	{DT_VERNEEDNUM, "VERNEEDNUM", VALUE_NUMBER},
	{DT_AUXILIARY, "AUXILIARY", VALUE_STRING},
	{DT_FILTER, "FILTER", VALUE_STRING},
};

static bool is_flag_tag(const struct platform *on, int64_t tag)
{
	for (size_t i = 0; on && on->flag_tags[i]; i++)
		if (on->flag_tags[i] == tag)
			return true;
	return false;
}

static void fact_of_tag(struct reading *r, const Elf64_Dyn *d)
{
	const size_t n = sizeof tags / sizeof *tags;
	size_t i = 0;
	while (i < n && tags[i].tag != d->d_tag)
		i++;
	const char *key = i < n ? tags[i].name
				: arena_printf(r->a, "of tag %#" PRIx64, (uint64_t)d->d_tag);
	enum value value = i < n	       ? tags[i].value
		: is_flag_tag(r->on, d->d_tag) ? VALUE_NUMBER
					       : VALUE_NONE;
	if (value == VALUE_FUNCTION)
		fact_add_function(r, FACT_DYNAMIC, key, d->d_un.d_val);
	else
		fact_add(r, FACT_DYNAMIC, key,
			value == VALUE_STRING ? image_string(&r->im, d->d_un.d_val)
				: value == VALUE_NONE
				? ""
				: arena_printf(r->a, "%#" PRIx64, d->d_un.d_val));
}

static void facts_of_dynamic(struct reading *r)
{
	for (size_t i = 0; i < r->im.dyn.n; i++)
		fact_of_tag(r, &r->im.dyn.v[i]);
}

/* All ------------------------------------------------------------------------------ */

static void find_symbols(struct reading *r, uint32_t type, struct symbols *found)
{
	const struct image *im = &r->im;
	for (size_t i = 0; i < im->sh.n; i++) {
		if (im->sh.v[i].sh_type != type)
			continue;
		struct reader data = image_section(im, &im->sh.v[i]);
		found->p = data.start;
		found->n = (uint64_t)(data.end - data.start) / ELF_SIZE(im->form, Sym);
		found->names = image_strings(im, im->sh.v[i].sh_link, &found->size);
	}
}

bool facts_read(struct arena *a, struct reading *r, const char *path)
{
	*r = (struct reading){.a = a};
	if (!image_open(&r->im, path))
		return false;
	r->on = platform_find(r->im.eh.e_machine, r->im.form.word, r->im.form.big);
	image_dynamic(&r->im);
	image_sections(&r->im);
	find_symbols(r, SHT_DYNSYM, &r->dynamic);
	find_symbols(r, SHT_SYMTAB, &r->table);
	facts_of_header(r);
	facts_of_segments(r);
	facts_of_dynamic(r);
	facts_of_versions(r);
	facts_of_sections(r);
	facts_of_relocations(r);
	facts_of_symbols(r);
	return true;
}

void facts_free(struct reading *r)
{
	vec_free(&r->facts);
	vec_free(&r->unnamed);
	image_close(&r->im);
}
