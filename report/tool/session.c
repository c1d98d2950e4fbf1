/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c - a tool, run on the counts of a run; and the functions of ldx/report.h
 */
#include "report/tool/session.h"

#include "report/tool/load.h"
#include "report/tool/walk.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Rows that the tool has added to a table. */
struct added {
	const struct ldx_table *table;
	VEC(struct ldx_value) values;
	size_t n;
};

static struct session *now; /* the one that is run */
static VEC(struct added) added;
static FILE *text; /* what it prints */

/* The functions of ldx/report.h ------------------------------------------------- */

const char *ldx_option(const char *name)
{
	const struct ldx_option *o = now->report->options;
	for (size_t i = 0; o && o[i].name; i++)
		if (!strcmp(o[i].name, name))
			return now->option[i];
	return NULL;
}

static struct added *added_to(const struct ldx_table *t)
{
	for (size_t i = 0; i < added.n; i++)
		if (added.v[i].table == t)
			return &added.v[i];
	vec_push(&added, (struct added){.table = t});
	return &added.v[added.n - 1];
}

void ldx_add_row(const struct ldx_table *t, const struct ldx_value *values)
{
	struct added *to = added_to(t);
	size_t n = columns_of(t);
	for (size_t k = 0; k < n; k++) {
		struct ldx_value v = values[k];
		v.text = v.text ? new_string("%s", v.text) : NULL;
		vec_push(&to->values, v);
	}
	to->n++;
}

void ldx_print(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vfprintf(text, format, ap);
	va_end(ap);
}

void ldx_fail(const char *format, ...)
{
	va_list ap;
	char *why;
	va_start(ap, format);
	if (vasprintf(&why, format, ap) < 0)
		why = "";
	va_end(ap);
	die("tool %s: %s", now->report->name, why);
}

/* Of n words, copies that are so many words apart, as one. */
static const uint64_t *merge_copies(const char *name, const uint64_t *copy, size_t copies,
	size_t apart, size_t n)
{
	uint64_t *all = new_array(n, sizeof *all);
	if (copies > 1 && !now->report->merge)
		die("tool %s: its report has no function that merges copies of %s",
			now->report->name, name);
	if (copies)
		memcpy(all, copy, n * sizeof *all);
	for (size_t k = 1; k < copies; k++)
		now->report->merge(name, all, copy + k * apart, n);
	return all;
}

const uint64_t *ldx_variable(const ldx_object *o, const char *name, size_t *n)
{
	const struct static_map *m = &o->p->map;
	const struct map_variable *v = m->variable;
	for (*n = 0; v < m->variable + m->nvariables; v++)
		if (!strcmp(v->tool, now->name) && !strcmp(v->name, name) && v->at % 8 == 0 &&
			o->p->profile.count) {
			const struct profile *p = &o->p->profile;
			size_t copies, apart;
			const uint64_t *table = rules_entries(p->rules, v->at / 8, n);
			const uint64_t *copy = rules_copies(p->rules, v->at / 8, &copies, &apart);
			*n = table ? *n : v->size / 8;
			if (copy)
				return merge_copies(name, copy, copies, apart, *n);
			return table ? table : p->count + v->at / 8;
		}
	return NULL;
}

/* Of a tool that has no report itself ------------------------------------------------ */

static const struct ldx_column word_columns[] = {
	{.name = "variable", .kind = LDX_TEXT},
	{.name = "keys", .kind = LDX_TEXT},
	{.name = "word", .kind = LDX_NUMBER},
	{.name = "value", .kind = LDX_NUMBER},
	{.name = NULL},
};
static const struct ldx_table words = {
	.name = "words", .rows = LDX_ROWS_ADDED, .columns = word_columns, .sort = LDX_UNSORTED};

static void add_word(const char *variable, const char *keys, size_t k, uint64_t word)
{
	if (word)
		ldx_add_row(&words,
			(struct ldx_value[]){{.text = variable}, {.text = keys}, {.number = k},
				{.number = word}});
}

/* The sums of an entry of a table. */
static void add_entry(const char *variable, const uint64_t *entry, const struct ldx_rule *r)
{
	char *keys = new_string("%s", "");
	for (size_t k = 0; k < r->keys; k++) {
		char *more = new_string("%s%s%lu", keys, k ? " " : "", (unsigned long)entry[k]);
		free(keys);
		keys = more;
	}
	for (size_t k = 0; k < r->sums; k++)
		add_word(variable, keys, k, entry[r->keys + k]);
	free(keys);
}

/* All words that are not 0, but keys, and what headers of ldx keep. */
static void add_words(void)
{
	for (const ldx_object *o = NULL; (o = ldx_next_object(o));) {
		const struct static_map *m = &o->p->map;
		for (size_t i = 0; i < m->nvariables; i++) {
			const struct map_variable *v = &m->variable[i];
			const uint64_t *w;
			size_t n;
			if (strcmp(v->tool, now->name) != 0 || !strncmp(v->name, "ldx_", 4) ||
				!(w = ldx_variable(o, v->name, &n)))
				continue;
			const struct ldx_rule *r = rules_table(o->p->profile.rules, v->at / 8);
			size_t each = r ? (size_t)(r->keys + r->sums) : 1;
			for (size_t k = 0; k < n; k += each)
				if (r)
					add_entry(v->name, w + k, r);
				else
					add_word(v->name, NULL, k, w[k]);
		}
	}
}

static const struct ldx_report *report_of_words(const char *name)
{
	static const struct ldx_table *const tables[] = {&words, NULL};
	struct ldx_report *r = new_array(1, sizeof *r);
	*r = (struct ldx_report){.version = LDX_REPORT_VERSION,
		.name = name,
		.summary = "the words of a tool's data that are not 0",
		.tables = tables,
		.run = add_words};
	return r;
}

/* Running it ----------------------------------------------------------------------- */

struct session *session_open(const char *name)
{
	struct session *s = new_array(1, sizeof *s);
	size_t n = 0;
	s->report = tool_load(name);
	s->name = tool_named(name);
	if (!s->report)
		s->report = report_of_words(s->name);
	const struct ldx_option *o = s->report->options;
	while (o && o[n].name)
		n++;
	s->option = NEW_ARRAY(const char *, n);
	for (size_t i = 0; i < n; i++)
		s->option[i] = o[i].value;
	return s;
}

static void set(struct session *s, const char *name, const char *value)
{
	const struct ldx_option *o = s->report->options;
	for (size_t i = 0; o && o[i].name; i++)
		if (!strcmp(o[i].name, name)) {
			s->option[i] = value;
			return;
		}
	die("tool %s: it has no option %s", s->report->name, name);
}

struct session *session_open_words(const char *word)
{
	char *name = new_string("%s", word), *last = NULL, *rest = strchr(name, ':');
	if (rest)
		*rest++ = '\0';
	struct session *s = session_open(name);
	for (char *o = rest ? strtok_r(rest, ":", &last) : NULL; o;
		o = strtok_r(NULL, ":", &last)) {
		char *value = strchr(o, '=');
		if (!value)
			die("tool %s: %s: an option has a value: %s=...", name, o, o);
		*value++ = '\0';
		set(s, o, value);
	}
	return s;
}

struct asked {
	struct session *s;
	const struct filter *filter;
	bool all;
	bool (*wants)(const struct ldx_table *t);
};

/* What is counted in the program, the tool's own data do not need. */
static void need_counts(const struct asked *a, const struct run *run)
{
	for (const struct ldx_table *const *t = a->s->report->tables; *t; t++)
		a->s->counts |= (*t)->rows != LDX_ROWS_ADDED && (!a->wants || a->wants(*t));
	if (a->s->counts)
		run_need_counts(run);
}

static void make_rows(void *ctx)
{
	const struct asked *a = ctx;
	if (a->s->report->run)
		a->s->report->run();
	for (const struct ldx_table *const *t = a->s->report->tables; *t; t++) {
		if (a->wants && !a->wants(*t))
			continue;
		const struct added *own = added_to(*t);
		vec_push(&a->s->rows,
			(*t)->rows == LDX_ROWS_ADDED ? rows_added(*t, own->values.v, own->n)
						     : rows_make(*t, a->filter, a->all));
	}
}

void session_run(struct session *s, const struct run *run, const struct filter *filter, bool all,
	bool (*wants)(const struct ldx_table *t))
{
	struct asked asked = {s, filter, all, wants};
	need_counts(&asked, run);
	now = s;
	added.n = 0;
	walk_open(run, s->report->run);
	text = open_memstream(&s->text, &s->size);
	if (!text)
		die("out of memory");
	tool_call(s->report, make_rows, &asked);
	if (fclose(text))
		die("out of memory");
}
