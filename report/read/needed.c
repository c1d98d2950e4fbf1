/* SPDX-License-Identifier: Apache-2.0 */
/*
 * needed.c - shared objects that a program needs
 */
#include "report/read/needed.h"

#include "base/base.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* The bytes at address that are in the file. */
static struct reader loaded(const struct program *p, uint64_t address)
{
	for (size_t i = 0; i < p->nsegments; i++) {
		const struct segment *s = &p->segment[i];
		uint64_t at = address - s->address;
		if (address < s->address || at >= s->size)
			continue;
		struct reader r = reader_make(s->data + at, s->size - at);
		r.big = p->big;
		return r;
	}
	return (struct reader){0};
}

/* The next entry of the dynamic section; false: that was the last. */
static bool next_entry(const struct program *p, struct reader *c, Elf64_Dyn *d)
{
	bool wide = p->word == 8;
	d->d_tag = wide ? (int64_t)read_u64(c) : (int32_t)read_u32(c);
	d->d_un.d_val = wide ? read_u64(c) : read_u32(c);
	return !c->bad && d->d_tag != DT_NULL;
}

/* NULL: the offset is outside the strings. */
static const char *string_at(struct reader strings, uint64_t offset)
{
	if (offset >= (uint64_t)(strings.end - strings.p))
		return NULL;
	const char *s = (const char *)strings.p + offset;
	return memchr(s, 0, (size_t)((const char *)strings.end - s)) ? s : NULL;
}

/* Call fn with the string of each entry with this tag until it returns true; true: it did. */
static bool any_string(const struct program *p, int64_t tag,
	bool (*fn)(void *ctx, const char *text), void *ctx)
{
	struct reader strings = {0};
	Elf64_Dyn d;
	for (struct reader c = loaded(p, p->dynamic); p->dynamic && next_entry(p, &c, &d);)
		if (d.d_tag == DT_STRTAB)
			strings = loaded(p, d.d_un.d_ptr);
	for (struct reader c = loaded(p, p->dynamic); strings.p && next_entry(p, &c, &d);) {
		const char *text = d.d_tag == tag ? string_at(strings, d.d_un.d_val) : NULL;
		if (text && fn(ctx, text))
			return true;
	}
	return false;
}

static bool is_equal(void *name, const char *text)
{
	return !strcmp(name, text);
}

static bool is_counted(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->n; i++) {
		const struct program *p = &run->v[i];
		if (!strcmp(last_part(p->path), name) ||
			any_string(p, DT_SONAME, is_equal, (void *)name))
			return true;
	}
	return false;
}

struct search {
	const struct run *run;
	struct needed found;
};

static bool add_uncounted(void *ctx, const char *name)
{
	struct search *s = ctx;
	struct needed *n = &s->found;
	bool known = is_counted(s->run, name);
	for (size_t i = 0; i < n->n && !known; i++)
		known = !strcmp(n->v[i], name);
	if (known)
		return false;
	n->v = realloc(n->v, (n->n + 1) * sizeof *n->v);
	if (!n->v)
		die("out of memory");
	n->v[n->n++] = name;
	return false;
}

struct needed needed_uncounted(const struct run *run)
{
	struct search s = {.run = run};
	for (size_t i = 0; i < run->n; i++)
		any_string(&run->v[i], DT_NEEDED, add_uncounted, &s);
	return s.found;
}
