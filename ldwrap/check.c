/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - compare the output with the reference
 *
 * Both are read as the dynamic loader reads them.  All that another file or the loader can see must
 * be the same: needed libraries, dynamic symbols, versions, the kinds of segments, features.
 * Addresses and sizes may differ, and there may be more loaded segments.
 */
#include "ldwrap/image.h"

#include "targets/platform.h"

#include <inttypes.h>
#include <stdlib.h>

struct side {
	struct image im;
	strings symbols;   /* each dynamic symbol in words, sorted */
	uint32_t features; /* bits of the platform's property */
};

/* Symbols --------------------------------------------------------------- */

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void read_symbols(struct arena *a, struct side *side)
{
	const struct image *im = &side->im;
	uint64_t n = image_symbols(im);
	Elf64_Sym s;
	for (uint64_t i = 1; i < n && image_symbol(im, i, &s); i++) {
		bool hidden;
		const char *version = image_version(im, i, &s, &hidden);
		bool defined = s.st_shndx != SHN_UNDEF;
		if (!defined && is_control(image_string(im, s.st_name)))
			continue;
		vec_push(&side->symbols,
			arena_printf(a, "%s%s%s%s (type %d, binding %d, visibility %d%s)",
				image_string(im, s.st_name), *version ? "@" : "",
				hidden ? "(hidden)" : "", version, ELF64_ST_TYPE(s.st_info),
				ELF64_ST_BIND(s.st_info), ELF64_ST_VISIBILITY(s.st_other),
				defined ? "" : ", undefined"));
	}
	if (side->symbols.n)
		qsort(side->symbols.v, side->symbols.n, sizeof *side->symbols.v, compare_text);
}

/* Properties ------------------------------------------------------------ */

static const struct platform *image_platform(const struct image *im)
{
	return platform_find(im->eh.e_machine, im->form.word, im->form.big);
}

/* .note.gnu.property is one note whose descriptor is a list of records, aligned to a word. */
static void read_features(struct side *side)
{
	const struct image *im = &side->im;
	const Elf64_Phdr *p = image_segment(im, PT_GNU_PROPERTY);
	const struct platform *on = image_platform(im);
	if (!p || !on || !image_inside(im, p->p_offset, p->p_filesz))
		return;
	struct reader r = reader_make(im->file.p + p->p_offset, p->p_filesz);
	uint32_t align = im->form.word;
	r.big = im->form.big;
	read_skip(&r, 16);
	while (!r.bad && r.p < r.end) {
		uint32_t type = read_u32(&r), size = read_u32(&r);
		if (type == on->features && size == 4)
			side->features = elf_word(im->form, r.p);
		read_skip(&r, (size + align - 1) & -align);
	}
}

static bool side_read(struct arena *a, struct side *side, const char *path)
{
	*side = (struct side){0};
	if (!image_open(&side->im, path))
		return false;
	image_dynamic(&side->im);
	read_symbols(a, side);
	read_features(side);
	return true;
}

/* Comparing ------------------------------------------------------------- */

static const char *segments_differ(struct arena *a, const struct image *x, const struct image *y)
{
	for (size_t i = 0; i < x->ph.n; i++) {
		uint32_t type = x->ph.v[i].p_type;
		const Elf64_Phdr *p = image_segment(x, type), *q = image_segment(y, type);
		if (!q)
			return arena_printf(a, "a segment of type 0x%x is missing", type);
		if (type == PT_GNU_STACK && p->p_flags != q->p_flags)
			return "the stack's permissions differ";
		if (type == PT_INTERP && image_inside(x, p->p_offset, p->p_filesz) &&
			image_inside(y, q->p_offset, q->p_filesz) &&
			(p->p_filesz != q->p_filesz ||
				memcmp(x->file.p + p->p_offset, y->file.p + q->p_offset,
					p->p_filesz)))
			return "the interpreter differs";
		if (type == PT_TLS && p->p_align != q->p_align)
			return "the alignment of thread-local data differs";
	}
	/* the runtime has unwind tables even if the program has none */
	for (size_t i = 0; i < y->ph.n; i++)
		if (!image_segment(x, y->ph.v[i].p_type) && y->ph.v[i].p_type != PT_GNU_EH_FRAME)
			return arena_printf(a, "there is a new segment of type 0x%x",
				y->ph.v[i].p_type);
	return NULL;
}

/* Tags whose value is a string or flags, with their names in messages. */
static const struct {
	int64_t tag;
	bool string;
	const char *what;
} plain_tags[] = {
	{DT_NEEDED, true, "the needed libraries"},
	{DT_SONAME, true, "the soname"},
	{DT_RPATH, true, "the run path"},
	{DT_RUNPATH, true, "the run path"},
	{DT_AUXILIARY, true, "the filter"},
	{DT_FILTER, true, "the filter"},
	{DT_FLAGS, false, "DT_FLAGS"},
	{DT_FLAGS_1, false, "DT_FLAGS_1"},
};

static bool tag_same(const struct image *x, const struct image *y, int64_t tag, bool string)
{
	for (size_t i = 0;; i++) {
		const Elf64_Dyn *p = image_tag(x, tag, i), *q = image_tag(y, tag, i);
		if (!p || !q)
			return !p && !q;
		if (string ? strcmp(image_string(x, p->d_un.d_val),
				     image_string(y, q->d_un.d_val)) != 0
			   : p->d_un.d_val != q->d_un.d_val)
			return false;
	}
}

static const char *tags_differ(struct arena *a, const struct image *x, const struct image *y)
{
	for (size_t t = 0; t < sizeof plain_tags / sizeof *plain_tags; t++)
		if (!tag_same(x, y, plain_tags[t].tag, plain_tags[t].string))
			return arena_printf(a, "%s differ", plain_tags[t].what);
	if (!image_tag(x, DT_TEXTREL, 0) != !image_tag(y, DT_TEXTREL, 0))
		return "relocations of code appear or disappear";
	return NULL;
}

static const char *symbols_differ(struct arena *a, const struct side *x, const struct side *y)
{
	for (size_t i = 0; i < x->symbols.n || i < y->symbols.n; i++) {
		const char *p = i < x->symbols.n ? x->symbols.v[i] : NULL;
		const char *q = i < y->symbols.n ? y->symbols.v[i] : NULL;
		if (p && q && !strcmp(p, q))
			continue;
		if (!q || (p && strcmp(p, q) < 0))
			return arena_printf(a, "the dynamic symbol %s is missing", p);
		return arena_printf(a, "there is a new dynamic symbol %s", q);
	}
	return NULL;
}

const char *check_same(struct arena *a, const char *reference, const char *output)
{
	struct side s, t;
	const char *d;
	if (!side_read(a, &s, reference) || !side_read(a, &t, output))
		return "an output file cannot be read";
	const struct image *x = &s.im, *y = &t.im;
	if (x->eh.e_type != y->eh.e_type || x->eh.e_machine != y->eh.e_machine ||
		!elf_form_same(x->form, y->form))
		d = "the kind of file differs";
	else if (!(d = segments_differ(a, x, y)) && !(d = tags_differ(a, x, y)) &&
		!(d = symbols_differ(a, &s, &t)) && s.features != t.features)
		d = "the processor features in .note.gnu.property differ";
	image_close(&s.im);
	image_close(&t.im);
	return d;
}

/* Is its dynamic linker glibc's, in whatever directory? */
static bool has_glibc(const struct image *im, const struct platform *on)
{
	const Elf64_Phdr *p = image_segment(im, PT_INTERP);
	if (!p || !p->p_filesz || !image_inside(im, p->p_offset, p->p_filesz))
		return false;
	const char *path = (const char *)im->file.p + p->p_offset;
	return !path[p->p_filesz - 1] && !strcmp(base_name(path), on->glibc_loader);
}

/* Does it need only parts of glibc, by their names: LSB Core, 9.2 and 9.4? */
static bool needs_libc_only(const struct image *im, const struct platform *on)
{
	for (size_t i = 0; i < im->dyn.n; i++) {
		const char *name = image_string(im, im->dyn.v[i].d_un.d_val);
		if (im->dyn.v[i].d_tag == DT_NEEDED && strcmp(name, "libc.so.6") &&
			strcmp(name, "libm.so.6") && strcmp(name, on->glibc_loader))
			return false;
	}
	return true;
}

/*
 * hazard: PIE that looks fixed.  GNU ld marks a PIE whose image base is not 0 as ET_EXEC.
 */
void headers_read(const char *path, struct headers *h)
{
	struct image im;
	*h = (struct headers){0};
	if (image_open(&im, path)) {
		const struct platform *on = image_platform(&im);
		const Elf64_Phdr *stack = image_segment(&im, PT_GNU_STACK);
		h->entry = im.eh.e_entry;
		h->interp = image_segment(&im, PT_INTERP);
		h->glibc = on && has_glibc(&im, on);
		image_dynamic(&im);
		h->libc_only = on && needs_libc_only(&im, on);
		/* GNU ld marks a PIE with an image base as ET_EXEC */
		h->moves = im.eh.e_type != ET_EXEC || image_value(&im, DT_FLAGS_1) & DF_1_PIE;
		for (size_t i = 0; i < im.ph.n; i++)
			if (im.ph.v[i].p_type == PT_LOAD)
				h->end = im.ph.v[i].p_vaddr + im.ph.v[i].p_memsz;
		if (stack)
			h->stack = stack->p_flags & PF_X ? "execstack" : "noexecstack";
		image_close(&im);
	}
}
