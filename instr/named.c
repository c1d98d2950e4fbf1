/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named.c - symbols that the command line of the link names; see named.h
 */
#include "instr/named.h"

#include "reloc/object.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Hand-written entry points often have no type, and nothing in the object calls them. */
void mark_entered(struct object *o, const char *const *name)
{
	for (; name && *name; name++)
		for (uint32_t i = o->nlocal; i < o->sym.n; i++)
			if (!strcmp(o->sym.v[i].name, *name))
				o->sym.v[i].entered = true;
}

/* Find the next word or other character of an expression; its length, 0 at the end. */
static size_t next_word(const char **p)
{
	size_t n = 0;
	*p += strspn(*p, " \t\n");
	while (isalnum((unsigned char)(*p)[n]) || (**p && strchr("_.$@", (*p)[n]) && (*p)[n]))
		n++;
	return n ? n : **p != 0;
}

/* Does it add a number to something? */
static bool has_distance(const char *expression)
{
	bool number = false, sum = false;
	const char *p = expression;
	for (size_t n; (n = next_word(&p)); p += n) {
		number |= isdigit((unsigned char)*p) && strtoull(p, NULL, 0);
		sum |= *p == '+' || *p == '-';
	}
	return number && sum;
}

/* Add the words of an expression to a set. */
static void add_words(struct arena *a, struct strmap *names, const char *p)
{
	for (size_t n; (n = next_word(&p)); p += n)
		*strmap_slot(names, arena_printf(a, "%.*s", (int)n, p)) = 1;
}

static bool is_code(const struct object *o, const struct symbol *s)
{
	return s->sec < o->sec.n && section_is_code(&o->sec.v[s->sec]);
}

void each_expressed(const struct object *o, const char *const *e,
	void (*visit)(void *ctx, const struct symbol *s), void *ctx)
{
	struct strmap names = {0};
	struct arena a = {0};
	for (; e && *e; e++)
		add_words(&a, &names, *e);
	for (uint32_t i = o->nlocal; i < o->sym.n && names.n; i++)
		if (is_code(o, &o->sym.v[i]) && strmap_find(&names, o->sym.v[i].name))
			visit(ctx, &o->sym.v[i]);
	free(names.v);
	arena_free(&a);
}

/*
 * The last link evaluates `--defsym=mid=f+8' after code was inserted: 8 bytes behind f there is
 * another instruction then.  Sums and differences of symbols alone stay right.
 */
void check_expressions(const struct object *o, const char *const *e)
{
	struct strmap names = {0};
	struct arena a = {0};
	for (; e && *e; e++)
		add_words(&a, &names, has_distance(*e) ? *e : "");
	for (uint32_t i = o->nlocal; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		if (is_code(o, s) && strmap_find(&names, s->name))
			fatal("an expression adds a number to %s, a symbol in code", s->name);
	}
	free(names.v);
	arena_free(&a);
}
