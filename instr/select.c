/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.c - which functions are instrumented: --ldx-only and --ldx-skip
 */
#include "instr/select.h"

#include "base/demangle.h"
#include "reloc/object.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct selecting {
	const struct cfg *g;
	const char *const *pattern;
	const struct origins *origins;
	const char **input;   /* by section: the object or member it comes from; or NULL */
	struct strmap source; /* the inputs whose source file's name matches */
	bool *selected;	      /* by function */
};

static bool read_number(const char **p, uint64_t *n)
{
	char *end;
	if (!isdigit((unsigned char)**p))
		return false;
	*n = strtoull(*p, &end, 10);
	*p = end;
	return true;
}

bool select_range(const char *text, uint64_t *first, uint64_t *last)
{
	if (!read_number(&text, first))
		return false;
	*last = *first;
	if (*text == '-' && (text++, !read_number(&text, last)))
		return false;
	return !*text && *first && *first <= *last;
}

static bool matches_name(const char *const *pattern, const char *name)
{
	for (; name && *name && *pattern; pattern++)
		if (!fnmatch(*pattern, name, 0))
			return true;
	return false;
}

static bool matches_number(const char *const *pattern, uint32_t f)
{
	uint64_t first, last;
	for (; *pattern; pattern++)
		if (select_range(*pattern, &first, &last) && f + 1 >= first && f + 1 <= last)
			return true;
	return false;
}

static bool matches_symbol(const char *const *pattern, const char *name)
{
	if (matches_name(pattern, name))
		return true;
	char *plain = demangle(name);
	bool is = matches_name(pattern, plain);
	free(plain);
	return is;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool matches_path(const char *const *pattern, const char *path)
{
	return matches_name(pattern, path) || matches_name(pattern, base_name(path));
}

/* FILE, or ARCHIVE(MEMBER). */
static bool matches_input(struct arena *a, const char *const *pattern, const char *input)
{
	size_t n = strlen(input);
	const char *open = strrchr(input, '(');
	if (matches_path(pattern, input))
		return true;
	if (!open || input[n - 1] != ')')
		return false;
	return matches_path(pattern, arena_printf(a, "%.*s", (int)(open - input), input)) ||
		matches_path(pattern,
			arena_printf(a, "%.*s", (int)(n - 2 - (open - input)), open + 1));
}

static bool matches_func(const struct selecting *w, uint32_t f)
{
	const char *input = w->input[w->g->text.v[w->g->func.v[f].text].sec->index];
	return matches_number(w->pattern, f) ||
		(input &&
			(strmap_find(&w->source, input) ||
				matches_input(w->g->arena, w->pattern, input)));
}

static void select_symbols(const struct selecting *w)
{
	const struct object *o = w->g->obj;
	for (uint32_t i = 1; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		const struct code_section *t = s->sec < o->sec.n ? cfg_section(w->g, s->sec) : NULL;
		uint32_t f = t ? cfg_func_at(w->g, t, s->value) : NO_FUNC;
		if (f != NO_FUNC && w->g->func.v[f].start == s->value &&
			matches_symbol(w->pattern, s->name))
			w->selected[f] = true;
	}
}

static void find_inputs(struct selecting *w)
{
	const struct cfg *g = w->g;
	w->input = g->obj->input;
	if (w->input)
		return;
	w->input = arena_array(g->arena, const char *, g->obj->sec.n);
	for (size_t t = 0; w->origins && t < g->text.n; t++) {
		uint64_t off = 0;
		uint32_t sec = g->text.v[t].sec->index;
		w->input[sec] = w->origins->find(w->origins->ctx, sec, &off);
	}
}

/*
 * The source file of an input is named by the STT_FILE symbol directly in front of its local
 * symbols.  LLD wrote the combined object, and keeps the local symbols of an input together.
 */
static void find_sources(struct selecting *w)
{
	const struct object *o = w->g->obj;
	bool matches = false;
	for (uint32_t i = 1; i < o->nlocal; i++) {
		const struct symbol *s = &o->sym.v[i];
		const char *input = s->sec < o->sec.n ? w->input[s->sec] : NULL;
		if (symbol_type(s) == STT_FILE)
			matches = matches_path(w->pattern, s->name);
		else if (symbol_type(s) != STT_SECTION && symbol_type(s - 1) == STT_SECTION)
			matches = false;
		else if (matches && input &&
			(symbol_type(s) != STT_SECTION || symbol_type(s - 1) == STT_FILE))
			strmap_slot(&w->source, input);
	}
}

/* Whether each function matches one of the patterns. */
static bool *matching(const struct cfg *g, const char *const *pattern,
	const struct origins *origins)
{
	struct selecting w = {.g = g,
		.pattern = pattern,
		.origins = origins,
		.selected = arena_array(g->arena, bool, g->func.n)};
	find_inputs(&w);
	find_sources(&w);
	select_symbols(&w);
	for (uint32_t f = 0; f < g->func.n; f++)
		w.selected[f] = w.selected[f] || matches_func(&w, f);
	strmap_free(&w.source);
	return w.selected;
}

const bool *select_functions(const struct cfg *g, const struct func_patterns *s,
	const struct origins *origins)
{
	const bool *only = s->only ? matching(g, s->only, origins) : NULL;
	if (!s->skip)
		return only;
	bool *selected = matching(g, s->skip, origins);
	for (uint32_t f = 0; f < g->func.n; f++)
		selected[f] = !selected[f] && (!only || only[f]);
	return selected;
}
