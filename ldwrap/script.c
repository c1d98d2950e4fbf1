/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.c - input files in linker scripts, and in those that these include
 *
 * When the objects are combined, a pattern for file names in an input section description matches
 * nothing, and the linker reports no error.  The start-up files stay apart, so patterns for those
 * are harmless.
 *
 * An object that a script names as an input would be linked twice, alone and in the combined
 * object: the last link gets a copy of the script without it.
 */
#include "ldwrap/options.h"

#include "ldwrap/inputs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct scan {
	struct arena *arena;
	const char *p, *end;
	const char *start; /* of the last token */
	unsigned inputs;   /* 1 + parentheses open since INPUT and the like; 0: outside */
	bool asserts;	   /* since ASSERT: these words name no files */
};

/* Skips white space and comments, also those that a preprocessor leaves. */
static void skip(struct scan *s)
{
	for (;;) {
		while (s->p < s->end && isspace((unsigned char)*s->p))
			s->p++;
		if (s->p < s->end && *s->p == '#') {
			const char *eol = memchr(s->p, '\n', (size_t)(s->end - s->p));
			s->p = eol ? eol : s->end;
			continue;
		}
		if (s->end - s->p < 2 || s->p[0] != '/' || s->p[1] != '*')
			return;
		for (s->p += 2; s->end - s->p >= 2 && (s->p[0] != '*' || s->p[1] != '/');)
			s->p++;
		s->p += s->end - s->p >= 2 ? 2 : s->end - s->p;
	}
}

static bool is_word_char(char c)
{
	return !isspace((unsigned char)c) && !strchr("(){};,\"=&|<>!#", c);
}

/* The next word, a quoted one without its quotes, or one other character; NULL at the end. */
static char *cut_token(struct scan *s)
{
	skip(s);
	const char *start = s->start = s->p;
	if (start == s->end)
		return NULL;
	if (*start == '"') {
		const char *close = memchr(start + 1, '"', (size_t)(s->end - start - 1));
		s->p = close ? close + 1 : s->end;
		return arena_printf(s->arena, "%.*s", (int)(s->p - start - (close ? 2 : 1)),
			start + 1);
	}
	while (s->p < s->end && is_word_char(*s->p))
		s->p++;
	if (s->p == start)
		s->p++;
	return arena_printf(s->arena, "%.*s", (int)(s->p - start), start);
}

static char *next_token(struct scan *s)
{
	char *t = cut_token(s);
	if (!t)
		return NULL;
	if (!s->inputs) {
		s->asserts = !strcmp(t, "ASSERT");
		s->inputs = s->asserts || !strcmp(t, "INPUT") || !strcmp(t, "GROUP") ||
			!strcmp(t, "STARTUP");
	} else if (*s->start == '(') {
		s->inputs++;
	} else if (*s->start == ')') {
		s->inputs -= s->inputs > 2 ? 1 : s->inputs;
	}
	return t;
}

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end);
}

/* Is it a keyword or function: KEEP, SORT_BY_NAME, ALIGN...? */
static bool is_keyword(const char *s)
{
	for (; *s; s++)
		if (!isupper((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

/* Does the word name or match input files other than the start-up files? */
static bool names_files(const char *word, bool before_paren)
{
	if (strstr(word, "crtbegin") || strstr(word, "crtend"))
		return false;
	if (ends_in(word, ".o") || ends_in(word, ".a") || strstr(word, ".a:") ||
		strstr(word, ".o:"))
		return true;
	/* PATTERN(.section); `*' matches every file and is harmless */
	return before_paren && strcmp(word, "*") && is_word_char(*word) && !is_keyword(word) &&
		strpbrk(word, "*?[/:");
}

/* SORT(PATTERN)(.section), in tokens before the second parenthesis. */
enum { SORTING = 4 };

static bool sorts_files(const char *const last[SORTING])
{
	return !strncmp(last[0], "SORT", 4) && *last[1] == '(' && *last[3] == ')';
}

static bool is_empty(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode) && !st.st_size;
}

/* Included scripts are sought in the current folder and in those of -L. */
static const char *find_script(struct arena *a, const struct cmdline *c, const char *name)
{
	const char *found = access(name, F_OK) ? cmdline_find(a, c, (const char *[]){name, NULL})
					       : name;
	return found ? found : name;
}

enum { NESTED = 10 }; /* most that include one another */

/* Appends a script and what it includes.  Returns the name of a file that cannot be read, or NULL.
 */
static const char *put_script(struct arena *a, const struct cmdline *c, const char *path,
	unsigned depth, struct buf *to)
{
	struct bytes b;
	if (!file_map(path, &b))
		return is_empty(path) ? NULL : path;
	struct scan s = {.arena = a, .p = (const char *)b.p, .end = (const char *)b.p + b.n};
	const char *from = s.p, *bad = NULL;
	for (char *t; !bad && (t = cut_token(&s));) {
		if (strcmp(t, "INCLUDE") != 0)
			continue;
		buf_put(to, from, (size_t)(s.start - from));
		const char *name = cut_token(&s);
		from = s.p;
		bad = !name || depth == NESTED
			? path
			: put_script(a, c, find_script(a, c, name), depth + 1, to);
	}
	buf_put(to, from, (size_t)(s.end - from));
	buf_u8(to, '\n');
	file_unmap(b);
	return bad;
}

/* The text of a script and what it includes.  *bad: a file that cannot be read, or NULL. */
static char *script_text(struct arena *a, const struct cmdline *c, const char *path,
	const char **bad)
{
	struct buf b = {0};
	*bad = put_script(a, c, path, 0, &b);
	char *text = arena_printf(a, "%.*s", (int)b.n, (const char *)b.v);
	vec_free(&b);
	return text;
}

const char *script_problem(struct arena *a, const struct cmdline *c, const char *path)
{
	const char *bad, *text = script_text(a, c, path, &bad);
	if (bad)
		return arena_printf(a, "cannot read the linker script %s", bad);
	struct scan s = {.arena = a, .p = text, .end = text + strlen(text)};
	const char *found = NULL, *last[SORTING] = {"", "", "", ""};
	for (char *t; !found && (t = next_token(&s));) {
		bool paren = *t == '(';
		if (!s.inputs &&
			(names_files(t, false) ||
				(paren &&
					(names_files(last[SORTING - 1], true) ||
						sorts_files(last)))))
			found = arena_printf(a,
				"the linker script %s tells input files apart by name", path);
		memmove(last, last + 1, (SORTING - 1) * sizeof *last);
		last[SORTING - 1] = t;
	}
	return found;
}

void script_expressions(struct arena *a, const struct cmdline *c, const char *path, strings *found)
{
	const char *bad, *text = script_text(a, c, path, &bad);
	while ((text = strchr(text, '='))) {
		size_t n = strcspn(++text, ";");
		vec_push(found, arena_printf(a, "%.*s", (int)n, text));
		text += n;
	}
}

static bool is_object(const char *word)
{
	return !is_crt_file(word) && (ends_in(word, ".o") || file_kind(word) == KIND_REL);
}

/* Drops objects from the list of INPUT and the like at from; the whole list if no word is left. */
static bool drop_objects(struct scan *s, char *from)
{
	bool changed = false, left = false;
	for (char *t; s->inputs && (t = next_token(s));) {
		if (is_object(t)) {
			memset(from + (s->start - from), ' ', (size_t)(s->p - s->start));
			changed = true;
		} else if (is_word_char(*t) && strcmp(t, "AS_NEEDED")) {
			left = true;
		}
	}
	if (changed && !left)
		memset(from, ' ', (size_t)(s->p - from));
	return changed;
}

const char *script_without_objects(struct arena *a, const struct cmdline *c, const char *path,
	const char *copy)
{
	const char *bad;
	char *text = script_text(a, c, path, &bad);
	struct scan s = {.arena = a, .p = text, .end = text + strlen(text)};
	bool changed = false;
	while (next_token(&s))
		if (s.inputs && !s.asserts)
			changed |= drop_objects(&s, text + (s.start - text));
	if (!changed)
		return path;
	if (!file_write(copy, (struct bytes){(const uint8_t *)text, strlen(text)}))
		fatal("cannot write %s", copy);
	return copy;
}
