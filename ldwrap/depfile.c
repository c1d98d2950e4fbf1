/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depfile.c - the file of --dependency-file, with what only ldx has read
 *
 * The linker writes it: a rule of a makefile for the output, and an empty one for each input.  It
 * names a temporary output of ours, and knows nothing of the profile and of shared libraries that
 * others need.
 *
 * Response files are not listed, as by linkers: drivers and build systems make them for one command
 * and remove them, and a file that is gone would have make and ninja link again each time.
 */
#include "ldwrap/ldwrap.h"

#include <stdlib.h>

/* As make reads it, and LLD quotes it; other linkers do not. */
static const char *quoted(struct arena *a, const char *name)
{
	char *text = arena_alloc(a, 2 * strlen(name) + 1), *to = text;
	for (const char *p = name; *p; p++) {
		if (*p == '$')
			*to++ = '$';
		else if (*p == '#')
			*to++ = '\\';
		for (const char *q = p; *p == ' ' && q > name && q[-1] == '\\'; q--)
			*to++ = '\\';
		if (*p == ' ')
			*to++ = '\\';
		*to++ = *p;
	}
	*to = '\0';
	return text;
}

static bool is_listed(const char *rules, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = rules; n && (p = strstr(p, name)); p++)
		if (p > rules && p[-1] == ' ' && (p[n] == ' ' || p[n] == '\n' || !p[n]))
			return true;
	return false;
}

/* The files that it does not list, each once. */
static void find_unlisted(struct link *l, const char *rules, strings *found)
{
	for (size_t i = 0; i < l->read.n; i++) {
		const char *name = quoted(&l->arena, l->read.v[i]);
		bool listed = is_listed(rules, name);
		for (size_t k = 0; k < found->n && !listed; k++)
			listed = !strcmp(found->v[k], name);
		if (!listed)
			vec_push(found, name);
	}
}

static void put_rules(FILE *f, const struct link *l, const char *rules, const strings *more)
{
	size_t n = strlen(l->out.dir);
	bool ours = !strncmp(rules, l->out.dir, n) && rules[n] == '/';
	const char *from = ours ? rules + n + strcspn(rules + n, ":") : rules;
	const char *end = strstr(from, "\n\n");
	end = end ? end : from + strcspn(from, "\n");
	fprintf(f, "%s%.*s", ours ? l->out.path : "", (int)(end - from), from);
	for (size_t i = 0; i < more->n; i++)
		fprintf(f, " \\\n %s", more->v[i]);
	fputs(end, f);
	for (size_t i = 0; i < more->n; i++)
		fprintf(f, "\n%s:\n", more->v[i]);
}

void depfile_complete(struct link *l)
{
	const char *path = cmdline_value(&l->cmd, OPT_dependency_file);
	strings more = {0};
	struct bytes b;
	if (!path || !file_map(path, &b))
		return;
	char *rules = arena_printf(&l->arena, "%.*s", (int)b.n, (const char *)b.p);
	file_unmap(b);
	find_unlisted(l, rules, &more);
	FILE *f = fopen(path, "w");
	if (f)
		put_rules(f, l, rules, &more);
	if (!f || fclose(f))
		fatal("cannot write %s", path);
	vec_free(&more);
}
