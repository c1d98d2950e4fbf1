/* SPDX-License-Identifier: Apache-2.0 */
/* facts_sections.c - facts about sections and notes; see facts.h */
#include "ldwrap/facts.h"

#include "targets/platform.h"

#include <inttypes.h>

/* Notes ------------------------------------------------------------------------- */

enum {
	NOTE_BUILD_ID = 3,
	NOTE_PROBE = 3,
	NOTE_PROPERTY = 5,
	NOTE_BUILD_ATTRIBUTE_OPEN = 0x100,
	NOTE_BUILD_ATTRIBUTE_FUNC
};

/* gABI, "Program Property": records, aligned to a word. */
static void facts_of_properties(struct reading *r, struct reader d)
{
	uint32_t align = r->im.form.word;
	while (!d.bad && d.p < d.end) {
		uint32_t type = read_u32(&d), size = read_u32(&d);
		if (d.bad)
			break;
		fact_add(r, FACT_NOTE, arena_printf(r->a, "property %#x", type),
			fact_hex(r->a, &d, size));
		read_skip(&d, -size & (align - 1));
	}
}

/* How code was compiled: the name says it, and the contents are the addresses of the code. */
static bool is_build_attribute(const char *owner, uint32_t type)
{
	return !strncmp(owner, "GA", 2) &&
		(type == NOTE_BUILD_ATTRIBUTE_OPEN || type == NOTE_BUILD_ATTRIBUTE_FUNC);
}

static void fact_of_note(struct reading *r, const char *owner, uint32_t type, struct reader d)
{
	uint64_t n = (uint64_t)(d.end - d.p);
	const char *value;
	if (!strcmp(owner, "GNU") && type == NOTE_PROPERTY) {
		facts_of_properties(r, d);
		return;
	}
	if (!strcmp(owner, "GNU") && type == NOTE_BUILD_ID) {
		value = arena_printf(r->a, "%" PRIu64 " bytes", n);
	} else if (is_build_attribute(owner, type)) {
		value = n ? "of an area" : "";
	} else {
		/* three addresses: of the probe, the base, the semaphore */
		if (!strcmp(owner, "stapsdt") && type == NOTE_PROBE)
			read_skip(&d, 3 * r->im.form.word);
		value = fact_hex(r->a, &d, n);
	}
	fact_add(r, FACT_NOTE, arena_printf(r->a, "%s %#x", owner, type), value);
}

static void facts_of_notes(struct reading *r, const Elf64_Shdr *sh)
{
	struct reader d = image_section(&r->im, sh);
	uint64_t align = sh->sh_addralign == 8 ? 8 : 4;
	while (d.p < d.end) {
		uint32_t name = read_u32(&d), size = read_u32(&d), type = read_u32(&d);
		struct reader owner = d;
		read_skip(&d, name);
		read_skip(&d, -reader_at(&d) & (align - 1));
		struct reader data = d;
		read_skip(&d, size);
		if (d.bad)
			break;
		owner.end = owner.p + name;
		data.end = d.p;
		fact_of_note(r, read_str(&owner), type, data);
		if (d.p < d.end)
			read_skip(&d, -reader_at(&d) & (align - 1));
	}
}

/* Sections ------------------------------------------------------------------------ */

static const char *section_flags(struct arena *a, uint64_t flags)
{
	static const struct {
		uint64_t flag;
		const char *letter;
	} letters[] = {{SHF_ALLOC, "A"}, {SHF_WRITE, "W"}, {SHF_EXECINSTR, "X"}, {SHF_TLS, "T"},
		{SHF_INFO_LINK, "I"}, {SHF_LINK_ORDER, "L"}, {SHF_GROUP, "G"}};
	const char *text = "";
	/* whether all parts could be merged, or one must be kept: only linkers read it, of objects
	 */
	flags &= ~(uint64_t)(SHF_MERGE | SHF_STRINGS | SHF_GNU_RETAIN);
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
		if (flags & letters[i].flag)
			text = arena_printf(a, "%s%s", text, letters[i].letter);
		flags &= ~letters[i].flag;
	}
	return flags ? arena_printf(a, "%s+%#" PRIx64, text, flags) : text;
}

/* Unwind tables have a type of their own in the x86-64 psABI, which not all compilers use. */
static uint32_t section_type(const Elf64_Shdr *sh, const char *name)
{
	return strcmp(name, ".eh_frame") ? sh->sh_type : SHT_PROGBITS;
}

/*
 * LLD before 15 links .rela.dyn to the section of IFUNC's addresses when one of the runtime's is
 * among them: only linkers read that.
 */
static uint64_t link_flags(const Elf64_Shdr *sh, const char *name)
{
	bool dynamic = !strcmp(name, ".rela.dyn") || !strcmp(name, ".rel.dyn");
	return dynamic ? sh->sh_flags & ~(uint64_t)SHF_INFO_LINK : sh->sh_flags;
}

void facts_of_sections(struct reading *r)
{
	const struct image *im = &r->im;
	uint32_t attributes = r->on ? r->on->attributes : 0;
	size_t has_attributes = 0;
	for (size_t i = 1; i < im->sh.n; i++) {
		const Elf64_Shdr *sh = &im->sh.v[i];
		const char *name = image_section_name(im, sh), *content = "";
		struct reader d = image_section(im, sh);
		if (!(sh->sh_flags & SHF_ALLOC) && fact_is_debug(name))
			continue;
		/* GNU ld's --unique leaves those of each object in the output */
		if (attributes && sh->sh_type == attributes && has_attributes++)
			continue;
		if (sh->sh_type == SHT_NOTE)
			facts_of_notes(r, sh);
		if (sh->sh_type == SHT_GNU_ATTRIBUTES)
			content = arena_printf(r->a, ", %s", fact_hex(r->a, &d, sh->sh_size));
		fact_add(r, FACT_SECTION, name,
			arena_printf(r->a, "type %#x, flags %s%s", section_type(sh, name),
				section_flags(r->a, link_flags(sh, name)), content));
	}
}
