/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug.c - debug information: its sections, and which file checks them
 */
#include "verify/debug.h"
#include "verify/passes.h"
#include "verify/places.h"

#include <stdlib.h>

static const char *const names[KINDS] = {[INFO] = ".debug_info",
	[ABBREV] = ".debug_abbrev",
	[ADDR] = ".debug_addr",
	[STR_OFFSETS] = ".debug_str_offsets",
	[RANGES] = ".debug_ranges",
	[RNGLISTS] = ".debug_rnglists",
	[LOC] = ".debug_loc",
	[LOCLISTS] = ".debug_loclists",
	[LINE] = ".debug_line",
	[ARANGES] = ".debug_aranges"};

typedef void verify_fn(struct verify *v, const struct section *a, const struct section *b);
static const struct format {
	const char *name;
	verify_fn *verify;
} formats[] = {{".sframe", verify_sframe}, {".llvm_bb_addr_map", verify_bb_addr_map}};
enum { NFORMATS = sizeof formats / sizeof *formats };

static const struct format *format_of(const struct section *s)
{
	for (int i = 0; i < NFORMATS; i++)
		if (!strcmp(s->name, formats[i].name))
			return &formats[i];
	return NULL;
}

/* A section of DWARF, which is read together with others. */
static bool is_dwarf(const struct section *s)
{
	bool found = !strcmp(s->name, ".debug_frame");
	for (int k = 0; k < KINDS; k++)
		found |= k != ABBREV && k != STR_OFFSETS && !strcmp(s->name, names[k]);
	return found;
}

bool is_debug_format(const struct section *s)
{
	/* A loaded section of such a name is data, except .sframe, which is always loaded. */
	if ((s->flags & SHF_ALLOC) && strcmp(s->name, ".sframe") != 0)
		return false;
	return format_of(s) || is_dwarf(s);
}

static bool same_section(const struct section *a, const struct section *b)
{
	return same_bytes(a, b) && same_relocs(a, 0, a->size, b, 0);
}

static bool code_moved(const struct verify *v)
{
	for (size_t i = 0; i < v->text.n; i++)
		if (!same_section(v->text.v[i].a, v->text.v[i].b))
			return true;
	return false;
}

/* If neither code nor debug information changed, there is nothing to check, valid or not. */
static bool nothing_changed(struct verify *v)
{
	uint64_t same = 0;
	for (uint32_t i = 1; i < v->a->sec.n; i++) {
		const struct section *a = &v->a->sec.v[i], *b = &v->b->sec.v[v->pair[i]];
		if (!v->pair[i] || !is_debug_format(a))
			continue;
		if (!same_section(a, b))
			return false;
		same++;
	}
	if (code_moved(v))
		return false;
	v->ndata += same;
	return true;
}

static void open_files(struct debug *d, enum section_kind first, enum section_kind last)
{
	struct dwarf_section s[KINDS];
	for (enum age i = OLD; i < AGES; i++) {
		for (enum section_kind k = first; k <= last; k++) {
			image_make(&d->m[i][k], &d->where, i, names[k]);
			s[k] = d->m[i][k].s;
		}
		d->file[i] =
			d->reader->open(s + first, last - first + 1u, d->v->a->word, d->v->a->big);
	}
}

static void close_files(struct debug *d, enum section_kind first, enum section_kind last)
{
	for (enum age i = OLD; i < AGES; i++) {
		d->reader->close(d->file[i]);
		for (enum section_kind k = first; k <= last; k++)
			image_free(&d->m[i][k]);
	}
}

static void verify_dwarf(struct verify *v)
{
	struct debug d = {.v = v, .reader = v->opt.dwarf};
	addresses_make(&d.where, v);
	/* before .debug_info, which refers to them */
	open_files(&d, LINE, LINE);
	verify_lines(&d);
	close_files(&d, LINE, LINE);
	open_files(&d, INFO, LOCLISTS);
	verify_tables(&d, DWARF_RANGES);
	verify_tables(&d, DWARF_LOCATIONS);
	verify_info(&d);
	close_files(&d, INFO, LOCLISTS);
	open_files(&d, ARANGES, ARANGES);
	verify_aranges(&d);
	close_files(&d, ARANGES, ARANGES);
	addresses_free(&d.where);
	vec_free(&d.line);
	vec_free(&d.unit);
}

static void skip_dwarf(struct verify *v)
{
	for (uint32_t i = 1; i < v->a->sec.n; i++)
		v->nskipped += v->pair[i] && !(v->a->sec.v[i].flags & SHF_ALLOC) &&
			is_dwarf(&v->a->sec.v[i]);
}

void verify_debug(struct verify *v)
{
	if (nothing_changed(v))
		return;
	if (v->opt.dwarf)
		verify_dwarf(v);
	else
		skip_dwarf(v);
	for (uint32_t i = 1; i < v->a->sec.n; i++) {
		const struct section *a = &v->a->sec.v[i];
		const struct format *f = v->pair[i] && is_debug_format(a) ? format_of(a) : NULL;
		if (f)
			f->verify(v, a, &v->b->sec.v[v->pair[i]]);
	}
	verify_debug_frame(v);
}
