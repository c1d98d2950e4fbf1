/* SPDX-License-Identifier: Apache-2.0 */
/*
 * afdo.c - the profile that gcc -fauto-profile reads, in version 2, that of GCC 10 to 12
 *
 * All numbers have 32 bits, little-endian; a count is two of them.  These versions of GCC use only
 * lines, without discriminators, and only the callees of indirect calls, which are not counted.
 */
#include "report/figures/spots.h"
#include "report/figures/views.h"

#include <stdlib.h>
#include <string.h>

enum {
	AFDO_MAGIC = 0x67636461,
	AFDO_VERSION = 2,
	AFDO_NAMES = 0xaa000000,
	AFDO_FUNCTIONS = 0xac000000,
	AFDO_MODULES = 0xae000000,
};

struct afdo {
	const struct spots *s;
	const char **name; /* sorted, the first is empty */
	size_t nnames;
	FILE *out;
};

static void write_u32(const struct afdo *d, uint64_t n)
{
	for (int i = 0; i < 32; i += 8)
		fputc((int)(n >> i & 0xff), d->out);
}

static void put_count(const struct afdo *d, uint64_t n)
{
	write_u32(d, n);
	write_u32(d, n >> 32);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void find_names(struct afdo *d)
{
	size_t n = 1, kept = 1;
	for (size_t i = 0; i < d->s->n; i++)
		n += d->s->v[i].depth;
	d->name = NEW_ARRAY(const char *, n);
	d->name[0] = "";
	n = 1;
	for (size_t i = 0; i < d->s->n; i++)
		for (size_t j = 0; j < d->s->v[i].depth; j++)
			d->name[n++] = d->s->v[i].path[j].name;
	qsort(d->name, n, sizeof *d->name, compare_names);
	for (size_t i = 1; i < n; i++)
		if (strcmp(d->name[i], d->name[kept - 1]))
			d->name[kept++] = d->name[i];
	d->nnames = kept;
}

static void put_name_number(const struct afdo *d, const char *name)
{
	const char *const *found =
		bsearch(&name, d->name, d->nnames, sizeof *d->name, compare_names);
	write_u32(d, (uint64_t)(found - (const char *const *)d->name));
}

static void put_names(const struct afdo *d)
{
	write_u32(d, AFDO_NAMES);
	write_u32(d, 0);
	write_u32(d, d->nnames);
	for (size_t i = 0; i < d->nnames; i++) {
		write_u32(d, strlen(d->name[i]) + 1);
		fwrite(d->name[i], 1, strlen(d->name[i]) + 1, d->out);
	}
}

/* The numbers of a function's own places and of its inlined calls that were executed. */
static void put_sizes(const struct afdo *d, size_t i, size_t end, size_t depth)
{
	size_t places = 0, inlined = 0;
	for (; i < end && d->s->v[i].depth == depth; i++)
		places += !d->s->v[i].callee;
	for (size_t next; i < end; i = next) {
		next = spots_same(d->s, i, end, depth + 1);
		inlined += spots_total(d->s, i, next) != 0;
	}
	write_u32(d, places);
	write_u32(d, inlined);
}

static void put_inlined(const struct afdo *d, size_t i, size_t end, size_t depth)
{
	const struct spot *v = d->s->v;
	put_name_number(d, v[i].path[depth - 1].name);
	put_sizes(d, i, end, depth);
	for (; i < end && v[i].depth == depth; i++) {
		if (v[i].callee)
			continue;
		write_u32(d, v[i].at);
		write_u32(d, 0);
		put_count(d, v[i].count);
	}
	for (size_t next; i < end; i = next) {
		next = spots_same(d->s, i, end, depth + 1);
		if (!spots_total(d->s, i, next))
			continue;
		write_u32(d, v[i].path[depth].at);
		put_inlined(d, i, next, depth + 1);
	}
}

static size_t count_functions(const struct spots *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i = spots_same(s, i, s->n, 1))
		n++;
	return n;
}

static void put_functions(const struct afdo *d)
{
	const struct spots *s = d->s;
	write_u32(d, AFDO_FUNCTIONS);
	write_u32(d, 0);
	write_u32(d, count_functions(s));
	for (size_t i = 0, next; i < s->n; i = next) {
		next = spots_same(s, i, s->n, 1);
		put_count(d, spots_calls(s, i));
		put_inlined(d, i, next, 1);
	}
}

void view_afdo(const struct run *run, FILE *out)
{
	struct spots s = spots_find(run, DISCRIMINATORS_NONE);
	struct afdo d = {.s = &s, .out = out};
	find_names(&d);
	write_u32(&d, AFDO_MAGIC);
	write_u32(&d, AFDO_VERSION);
	write_u32(&d, 0);
	put_names(&d);
	put_functions(&d);
	write_u32(&d, AFDO_MODULES);
	write_u32(&d, 0);
	write_u32(&d, 0);
}
