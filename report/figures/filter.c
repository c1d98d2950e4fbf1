/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter.c - which functions are shown
 */
#include "report/figures/filter.h"

#include "report/read/program.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Two colons do not end a kind: they belong to a C++ name. */
static struct filter_rule make_rule(const char *word)
{
	if (!*word)
		die("an empty pattern matches no function");
	static const char *const kinds[] = {[FILTER_FUNCTION] = "function",
		[FILTER_FILE] = "file",
		[FILTER_OBJECT] = "object"};
	size_t n = strcspn(word, ":");
	for (size_t i = FILTER_FUNCTION; word[n] && word[n + 1] != ':' && i <= FILTER_OBJECT; i++)
		if (strlen(kinds[i]) == n && !strncmp(kinds[i], word, n))
			return (struct filter_rule){.on = (enum filter_kind)i,
				.glob = word + n + 1};
	return (struct filter_rule){.on = FILTER_ANY, .glob = word};
}

struct filter filter_make(char *const *words, size_t n)
{
	struct filter f = {.rule = NEW_ARRAY(struct filter_rule, n), .n = n};
	for (size_t i = 0; i < n; i++)
		f.rule[i] = make_rule(words[i]);
	return f;
}

static bool is_like(const char *glob, const char *text)
{
	return !fnmatch(glob, text, 0);
}

static bool is_path_like(const char *glob, const char *path)
{
	const char *slash = strrchr(path, '/');
	return is_like(glob, path) || (slash && is_like(glob, slash + 1));
}

/* "f" for "f(int) const": cuts the last parentheses, unless a scope follows them. */
static char *without_parameters(const char *name)
{
	const char *close = strrchr(name, ')'), *open = close;
	if (!close || strstr(close, "::"))
		return new_string("%s", name);
	for (int depth = 0; open > name; open--) {
		depth += (*open == ')') - (*open == '(');
		if (!depth)
			break;
	}
	return new_string("%.*s", (int)(open - name), name);
}

static bool is_name_like(const char *glob, const char *name)
{
	const char *plain = demangled(name);
	if (is_like(glob, name) || (plain != name && is_like(glob, plain)))
		return true;
	char *bare = without_parameters(plain);
	bool like = is_like(glob, bare);
	free(bare);
	return like;
}

/* Matches an object or archive(member), also by the archive or the member alone. */
static bool is_input_like(const char *glob, const char *input)
{
	const char *open = strrchr(input, '('), *close = open ? strchr(open, ')') : NULL;
	bool whole = *input && is_path_like(glob, input);
	if (whole || !close || close[1])
		return whole;
	char *archive = new_string("%.*s", (int)(open - input), input);
	char *member = new_string("%.*s", (int)(close - open - 1), open + 1);
	bool like = is_path_like(glob, archive) || is_path_like(glob, member);
	free(archive);
	free(member);
	return like;
}

static bool rule_takes(const struct filter_rule *r, const char *object, const char *name,
	const char *file, const char *input)
{
	switch (r->on) {
	case FILTER_FUNCTION: return is_name_like(r->glob, name);
	case FILTER_FILE: return is_path_like(r->glob, file) || is_input_like(r->glob, input);
	case FILTER_OBJECT: return is_path_like(r->glob, object) || is_input_like(r->glob, input);
	default:
		return is_name_like(r->glob, name) || is_path_like(r->glob, file) ||
			is_path_like(r->glob, object) || is_input_like(r->glob, input);
	}
}

static bool takes(const struct filter *f, const char *object, const char *name, const char *file,
	const char *input)
{
	bool any = !f->n;
	for (size_t i = 0; i < f->n && !any; i++)
		any = rule_takes(&f->rule[i], object, name, file, input);
	return any;
}

bool filter_takes_names(const struct filter *f, const char *object, const char *name,
	const char *file)
{
	return takes(f, object, name, file, "");
}

bool filter_takes(const struct filter *f, const struct program *p, const struct map_func *func,
	const char *file)
{
	return takes(f, p->path, func->name, file ? file : func->file, func->input);
}
