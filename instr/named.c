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

/*
 * The last link evaluates `--defsym=mid=f+8' after code was inserted: 8 bytes behind f there is
 * another instruction then.  Sums and differences of symbols alone stay right.
 */
void check_expressions(const struct object *o, const char *const *e)
{
	struct strmap names = {0};
	struct arena a = {0};
	for (; e && *e; e++) {
		const char *p = has_distance(*e) ? *e : "";
		for (size_t n; (n = next_word(&p)); p += n)
			*strmap_slot(&names, arena_printf(&a, "%.*s", (int)n, p)) = 1;
	}
	for (uint32_t i = o->nlocal; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		if (s->sec < o->sec.n && section_is_code(&o->sec.v[s->sec]) &&
			strmap_find(&names, s->name))
			fatal("an expression adds a number to %s, a symbol in code", s->name);
	}
	free(names.v);
	arena_free(&a);
}
