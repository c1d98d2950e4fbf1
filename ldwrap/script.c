/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.c - whether a linker script tells input files apart
 *
 * Once the objects are joined, a pattern for file names in an input section
 * description matches nothing, and the linker does not complain.  The start-up
 * files stay apart, so patterns for those are harmless.
 */
#include "ldwrap/ldwrap.h"

#include <ctype.h>

struct scan {
	struct arena *arena;
	const char *p, *end;
};

/* Past white space and comments. */
static void skip(struct scan *s)
{
	for (;;) {
		while (s->p < s->end && isspace((unsigned char)*s->p))
			s->p++;
		if (s->end - s->p < 2 || s->p[0] != '/' || s->p[1] != '*')
			return;
		for (s->p += 2; s->end - s->p >= 2 && (s->p[0] != '*' || s->p[1] != '/');)
			s->p++;
		s->p += s->end - s->p >= 2 ? 2 : s->end - s->p;
	}
}

static bool is_word_char(char c)
{
	return !isspace((unsigned char)c) && !strchr("(){};,\"=&|<>!", c);
}

/* The next word, a quoted one without its quotes, or one other character; NULL at the end. */
static char *next_token(struct scan *s)
{
	skip(s);
	const char *start = s->p;
	if (start == s->end)
		return NULL;
	if (*start == '"') {
		const char *close = memchr(start + 1, '"', (size_t)(s->end - start - 1));
		s->p = close ? close + 1 : s->end;
		return arena_printf(
			s->arena, "%.*s", (int)(s->p - start - (close ? 2 : 1)), start + 1);
	}
	while (s->p < s->end && is_word_char(*s->p))
		s->p++;
	if (s->p == start)
		s->p++;
	return arena_printf(s->arena, "%.*s", (int)(s->p - start), start);
}

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end);
}

/* Of a keyword or function: KEEP, SORT_BY_NAME, ALIGN... */
static bool is_keyword(const char *s)
{
	for (; *s; s++)
		if (!isupper((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

/* True for a word that names or matches input files other than the start-up files. */
static bool names_files(const char *word, bool before_paren)
{
	if (strstr(word, "crtbegin") || strstr(word, "crtend"))
		return false;
	if (ends_in(word, ".o") || ends_in(word, ".a") || strstr(word, ".a:") ||
		strstr(word, ".o:"))
		return true;
	/* PATTERN(.section): every file matches `*'. */
	return before_paren && strcmp(word, "*") && is_word_char(*word) && !is_keyword(word) &&
	       strpbrk(word, "*?[/:");
}

const char *script_problem(struct arena *a, const char *path)
{
	struct bytes b;
	if (!file_map(path, &b))
		return NULL;
	struct scan s = {a, (const char *)b.p, (const char *)b.p + b.n};
	const char *found = NULL, *word = NULL;
	for (char *t; !found && (t = next_token(&s)); word = t) {
		if (!strcmp(t, "INCLUDE"))
			found = arena_printf(a, "the linker script %s includes others", path);
		else if (names_files(t, false) || (*t == '(' && word && names_files(word, true)))
			found = arena_printf(
				a, "the linker script %s tells input files apart by name", path);
	}
	file_unmap(b);
	return found;
}
