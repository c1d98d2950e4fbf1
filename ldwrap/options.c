/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the parser of the command line; see options.h
 *
 * The rules are those that all four linkers share: long names with one or two dashes
 * (a name that starts with o only with two, `-omagic' is `-o magic'), unique
 * prefixes of names behind two dashes, values behind `=' or in the next word,
 * single letters with a glued or separate value, and clusters of letters.
 */
#include "ldwrap/options.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

const struct option option_table[OPT_FILE] = {
#define OPTION(id, name, dashes, arg, class, known, lld, same)                                     \
	[OPT_##id] = {name, dashes, arg, class, lld, known, OPT_##same},
#include "options.inc"
#undef OPTION
};

/* Response files -------------------------------------------------------- */

enum { MAX_NESTING = 64 };

static char *read_text(struct arena *a, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	struct stat st;
	struct buf b = {0};
	char chunk[65536];
	ssize_t n = 0;
	if (!fstat(fd, &st) && (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode)))
		while ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))
			if (n > 0)
				buf_put(&b, chunk, (size_t)n);
	close(fd);
	buf_u8(&b, 0);
	char *text = arena_alloc(a, b.n);
	memcpy(text, b.v, b.n);
	vec_free(&b);
	return text;
}

/*
 * Cut the next word off *s: words are separated by white space; quotes of both
 * kinds and backslashes protect it.  NULL at the end.  Works in place.
 */
static char *next_word(char **s)
{
	char *p = *s, quote = 0;
	while (isspace((unsigned char)*p))
		p++;
	if (!*p)
		return NULL;
	char *word = p, *out = p;
	for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
		if (*p == '\\' && p[1])
			*out++ = *++p;
		else if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = quote ? 0 : *p;
		else
			*out++ = *p;
	}
	*s = *p ? p + 1 : p;
	*out = 0;
	return word;
}

static void expand(struct arena *a, struct cmdline *c, char *word, int depth)
{
	char *text = *word == '@' ? read_text(a, word + 1) : NULL;
	if (!text) {
		vec_push(&c->words, word);
		return;
	}
	if (depth > MAX_NESTING)
		fatal("%s: response files are nested too deeply", word);
	for (char *w; (w = next_word(&text));)
		expand(a, c, w, depth + 1);
}

/* Names ----------------------------------------------------------------- */

struct match {
	enum opt opt;	   /* OPT_UNKNOWN: none */
	const char *value; /* behind `=' or glued; NULL */
	bool next;	   /* the value is the next word */
};

static bool is_long(const struct option *o)
{
	return o->dashes && o->name[1];
}

/* A word of dashes (DASH_*) and name[0..n): exactly this long name, or OPT_UNKNOWN. */
static enum opt find_exact(const char *name, size_t n, int dashes)
{
	for (int i = 0; i < OPT_FILE; i++) {
		const struct option *o = &option_table[i];
		if (is_long(o) && (o->dashes & dashes) && !strncmp(o->name, name, n) && !o->name[n])
			return (enum opt)i;
	}
	return OPT_UNKNOWN;
}

/* The option that an abbreviation stands for, as in getopt_long(3): candidates may be synonyms. */
static enum opt find_prefix(const char *name, size_t n)
{
	enum opt found = OPT_UNKNOWN;
	for (int i = 0; i < OPT_FILE; i++) {
		const struct option *o = &option_table[i];
		if (!is_long(o) || !(o->dashes & DASH_TWO) || o->class == CLASS_ldx ||
			strncmp(o->name, name, n))
			continue;
		if (found != OPT_UNKNOWN && option_table[found].same != o->same)
			return OPT_UNKNOWN;
		found = (enum opt)i;
	}
	return found;
}

static enum opt find_glued(const char *name, size_t *n)
{
	for (int i = 0; i < OPT_FILE; i++) {
		const struct option *o = &option_table[i];
		*n = strlen(o->name);
		if (o->arg == ARG_join && !strncmp(o->name, name, *n) && name[*n])
			return (enum opt)i;
	}
	return OPT_UNKNOWN;
}

static enum opt find_letter(char letter)
{
	for (int i = 0; i < OPT_FILE; i++)
		if (option_table[i].name[0] == letter && !option_table[i].name[1])
			return (enum opt)i;
	return OPT_UNKNOWN;
}

static struct match match_long(const char *body, int dashes)
{
	struct match m = {.opt = OPT_UNKNOWN};
	size_t n = strcspn(body, "=");
	enum opt opt = n ? find_exact(body, n, dashes) : OPT_UNKNOWN;
	if (opt == OPT_UNKNOWN && n && dashes == DASH_TWO)
		opt = find_prefix(body, n);
	if (opt == OPT_UNKNOWN) {
		opt = find_glued(body, &n);
		m.value = opt == OPT_UNKNOWN ? NULL : body + n;
		m.opt = opt;
		return m;
	}
	int arg = option_table[opt].arg;
	if (body[n] == '=' ? arg == ARG_none : arg == ARG_eq)
		return m;
	m.opt = opt;
	m.value = body[n] == '=' ? body + n + 1 : NULL;
	m.next = !m.value && arg == ARG_req;
	return m;
}

static struct match match_letter(const char *body)
{
	struct match m = {.opt = find_letter(body[0])};
	if (m.opt == OPT_UNKNOWN)
		return m;
	if (option_table[m.opt].arg == ARG_req) {
		m.value = body[1] ? body + 1 : NULL;
		m.next = !body[1];
	} else if (body[1]) {
		m.opt = OPT_UNKNOWN;
	}
	return m;
}

/* Items ----------------------------------------------------------------- */

static void add_item(struct cmdline *c, enum opt opt, const char *value, const char *raw0,
	const char *raw1)
{
	struct item it = {.opt = opt,
		.written = opt,
		.keyword = OPT_UNKNOWN,
		.value = value,
		.raw = {raw0, raw1}};
	if (opt < OPT_FILE)
		it.opt = option_table[opt].same;
	if (opt == OPT_z && value)
		for (int i = 0; i < OPT_FILE; i++) {
			const char *name = option_table[i].name;
			size_t n = strcspn(value, "=");
			if (!strncmp(name, "z:", 2) && !strncmp(name + 2, value, n) && !name[2 + n])
				it.keyword = (enum opt)i;
		}
	vec_push(&c->items, it);
}

/* -nN: letters without values.  False: it is no such cluster. */
static bool add_cluster(struct arena *a, struct cmdline *c, const char *body)
{
	for (const char *p = body; *p; p++) {
		enum opt opt = find_letter(*p);
		if (opt == OPT_UNKNOWN || option_table[opt].arg != ARG_none)
			return false;
	}
	for (const char *p = body; *p; p++)
		add_item(c, find_letter(*p), NULL, arena_printf(a, "-%c", *p), NULL);
	return true;
}

static void parse_words(struct arena *a, struct cmdline *c)
{
	for (size_t i = 0; i < c->words.n; i++) {
		const char *w = c->words.v[i];
		if (w[0] != '-' || !w[1]) {
			add_item(c, OPT_FILE, w, w, NULL);
			continue;
		}
		bool two = w[1] == '-' && w[2];
		struct match m = match_long(w + (two ? 2 : 1), two ? DASH_TWO : DASH_ONE);
		if (m.opt == OPT_UNKNOWN && !two)
			m = match_letter(w + 1);
		if (m.opt == OPT_UNKNOWN && !two && add_cluster(a, c, w + 1))
			continue;
		const char *next = NULL;
		if (m.next && i + 1 == c->words.n)
			m.opt = OPT_UNKNOWN;
		else if (m.next)
			m.value = next = c->words.v[++i];
		add_item(c, m.opt, m.value, w, next);
	}
}

bool item_is_misspelt(const struct item *it)
{
	return it->opt == OPT_UNKNOWN &&
		(!strncmp(it->raw[0], "--ldx-", 6) || !strcmp(it->raw[0], "--instrument"));
}

void cmdline_parse(struct arena *a, struct cmdline *c, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		expand(a, c, argv[i], 0);
	parse_words(a, c);
}

void cmdline_parse_own(struct arena *a, struct cmdline *c, const char *text, const char *where)
{
	char *copy = arena_printf(a, "%s", text);
	for (char *w; (w = next_word(&copy));)
		vec_push(&c->words, w);
	parse_words(a, c);
	for (size_t i = 0; i < c->items.n; i++) {
		const struct item *it = &c->items.v[i];
		if (item_class(it) != CLASS_ldx && !item_is_misspelt(it))
			fatal("%s: %s is not an option of ldx", where, it->raw[0]);
	}
}

const char *cmdline_folder(struct arena *a, const struct cmdline *c, const char *folder)
{
	static const char variable[] = "$SYSROOT";
	const char *sysroot = cmdline_value(c, OPT_sysroot);
	size_t skip = *folder == '='				  ? 1
		: !strncmp(folder, variable, sizeof variable - 1) ? sizeof variable - 1
								  : 0;
	return skip ? arena_printf(a, "%s%s", sysroot ? sysroot : "", folder + skip) : folder;
}

const char *cmdline_find(struct arena *a, const struct cmdline *c, const char *const *names)
{
	for (size_t i = 0; i < c->items.n; i++) {
		const struct item *it = &c->items.v[i];
		if (it->opt != OPT_library_path || !it->value)
			continue;
		const char *folder = cmdline_folder(a, c, it->value);
		for (const char *const *name = names; *name; name++) {
			const char *path = arena_printf(a, "%s/%s", folder, *name);
			if (!access(path, F_OK))
				return path;
		}
	}
	return NULL;
}

void scripts_find(struct arena *a, struct cmdline *c)
{
	for (size_t i = 0; i < c->items.n; i++) {
		struct item *it = &c->items.v[i];
		if ((it->opt == OPT_script || it->opt == OPT_default_script) &&
			access(it->value, F_OK)) {
			const char *found = cmdline_find(a, c, (const char *[]){it->value, NULL});
			it->value = found ? found : it->value;
		}
	}
}

const char *cmdline_value(const struct cmdline *c, enum opt opt)
{
	for (size_t i = c->items.n; i-- > 0;)
		if (c->items.v[i].opt == opt && c->items.v[i].value)
			return c->items.v[i].value;
	return NULL;
}

bool cmdline_has(const struct cmdline *c, enum opt opt)
{
	for (size_t i = 0; i < c->items.n; i++)
		if (c->items.v[i].opt == opt)
			return true;
	return false;
}
