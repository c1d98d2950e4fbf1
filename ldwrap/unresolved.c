/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unresolved.c - symbols that shared libraries refer to and nothing defines
 *
 * A reference with a version is met by a definition with that version, one without a version by a
 * definition of the name that is not hidden.  Weak references may remain.
 */
#include "ldwrap/image.h"

/* The value of a name, or of NAME@VERSION. */
enum { WANTED = 1, WITH_VERSION = 2 };

struct references {
	struct arena *a;
	struct strmap names;
	size_t wanted;
};

static void want(struct references *r, const char *name, uint64_t bit)
{
	uint64_t *slot = strmap_find(&r->names, name);
	slot = slot ? slot : strmap_slot(&r->names, arena_printf(r->a, "%s", name));
	r->wanted += bit == WANTED && !(*slot & bit);
	*slot |= bit;
}

static void meet(struct references *r, const char *name)
{
	uint64_t *slot = strmap_find(&r->names, name);
	r->wanted -= slot && *slot & WANTED;
	if (slot)
		*slot &= ~(uint64_t)WANTED;
}

static void add_reference(struct references *r, const char *name, const char *version)
{
	want(r, name, *version ? WITH_VERSION : WANTED);
	if (*version)
		want(r, arena_printf(r->a, "%s@%s", name, version), WANTED);
}

static void add_definition(struct references *r, const char *name, const char *version, bool hidden)
{
	if (!hidden)
		meet(r, name);
	if (*version)
		meet(r, arena_printf(r->a, "%s@%s", name, version));
}

static void add_symbol(struct references *r, const struct image *im, uint64_t i, const Elf64_Sym *s)
{
	const char *name = image_string(im, s->st_name);
	bool hidden;
	if (s->st_shndx == SHN_UNDEF)
		add_reference(r, name, image_version(im, i, s, &hidden));
	else if (strmap_find(&r->names, name)) {
		const char *version = image_version(im, i, s, &hidden);
		add_definition(r, name, version, hidden);
	}
}

/* The references of an image, or its definitions. */
static void read_image(struct references *r, const char *path, bool defined)
{
	struct image im;
	Elf64_Sym s;
	if (!image_open(&im, path))
		return;
	image_dynamic(&im);
	uint64_t n = image_symbols(&im);
	for (uint64_t i = 1; i < n && image_symbol(&im, i, &s); i++) {
		unsigned binding = ELF64_ST_BIND(s.st_info);
		bool is_defined = s.st_shndx != SHN_UNDEF;
		if (is_defined == defined && binding != STB_LOCAL &&
			(is_defined || binding != STB_WEAK))
			add_symbol(r, &im, i, &s);
	}
	image_close(&im);
}

bool lacks_symbols(struct arena *a, const strings *paths)
{
	struct references r = {.a = a};
	/* The first one is the output, whose references the linker has met. */
	for (size_t i = 1; i < paths->n; i++)
		read_image(&r, paths->v[i], false);
	for (size_t i = 0; i < paths->n && r.wanted; i++)
		read_image(&r, paths->v[i], true);
	strmap_free(&r.names);
	return r.wanted;
}
