/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - ldxprof calls: callers and callees
 */
#include "report/figures/calls.h"
#include "report/common/json.h"
#include "report/common/output.h"
#include "report/common/table.h"
#include "report/verbs/verbs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* All calls of one function by another. */
struct pair {
	const struct program *p, *to_in;
	const struct map_func *from, *to;
	const char *name; /* of the callee; NULL: it is not known */
	enum call_kind kind;
	uint64_t count;
	bool known; /* the count of each is known */
	bool tail;  /* each is a jump */
	bool measured;
	double insns; /* executed in the callee and below; < 0: not known */
};

struct pairs {
	struct pair *v;
	size_t n;
	bool marks;
	bool exact; /* insns are */
};

static int compare_pointers(const void *a, const void *b)
{
	return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static int compare_names(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_ends(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int d = compare_pointers(x->from, y->from);
	d = d ? d : compare_pointers(x->to, y->to);
	return d ? d : compare_names(x->name, y->name);
}

/* The most frequent first. */
static int compare_counts(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int d = (x->count < y->count) - (x->count > y->count);
	d = d ? d : compare_names(x->from->name, y->from->name);
	d = d ? d : compare_names(x->name, y->name);
	return d ? d : compare_ends(a, b);
}

static void join_pairs(struct pairs *p)
{
	size_t n = 0;
	qsort(p->v, p->n, sizeof *p->v, compare_ends);
	for (size_t i = 0; i < p->n; i++) {
		struct pair *last = n ? &p->v[n - 1] : NULL;
		if (!last || compare_ends(last, &p->v[i])) {
			p->v[n++] = p->v[i];
			continue;
		}
		last->count = p->marks ? last->count | p->v[i].count
				       : add_sat(last->count, p->v[i].count);
		last->known &= p->v[i].known;
		last->tail &= p->v[i].tail;
		last->measured &= p->v[i].measured;
		last->insns = last->insns < 0 || p->v[i].insns < 0 ? -1
								   : last->insns + p->v[i].insns;
	}
	p->n = n;
}

static struct pairs find_pairs(const struct run *run, bool all)
{
	struct calls c = calls_find(run, all);
	struct inclusive in = calls_inclusive(run, &c);
	struct pairs p = {NEW_ARRAY(struct pair, c.n), 0, map_has_marks(&run->v[0].map), in.exact};
	for (size_t i = 0; i < c.n; i++) {
		const struct call *k = &c.v[i];
		if (k->count || ((all || !k->known) && func_linked(k->p, k->from)))
			p.v[p.n++] = (struct pair){k->p, k->to_in, k->from, k->to, k->name, k->kind,
				k->count, k->known, k->tail, k->measured, in.of_call[i]};
	}
	join_pairs(&p);
	qsort(p.v, p.n, sizeof *p.v, compare_counts);
	return p;
}

static const char *plain(const struct view_options *opt, const char *name)
{
	return !name ? "(by address)" : opt->mangled ? name : demangled(name);
}

static const char *const kind_names[] = {
	[CALL_DIRECT] = "direct", [CALL_NAMED] = "name", [CALL_INDIRECT] = "address"};

static bool is_caller(const struct pair *k, const struct filter *f)
{
	return filter_takes(f, k->p, k->from, NULL);
}

static bool is_callee(const struct pair *k, const struct filter *f)
{
	struct map_func by_name = {.name = k->name, .file = "", .input = ""};
	return k->name && filter_takes(f, k->to ? k->to_in : k->p, k->to ? k->to : &by_name, NULL);
}

/* The pairs whose caller or callee, as asked for, matches the filter. */
static struct pairs take(const struct pairs *p, const struct filter *f, bool caller, bool callee)
{
	struct pairs taken = {NEW_ARRAY(struct pair, p->n), 0, p->marks, p->exact};
	for (size_t i = 0; i < p->n; i++)
		if ((caller && is_caller(&p->v[i], f)) || (callee && is_callee(&p->v[i], f)))
			taken.v[taken.n++] = p->v[i];
	return taken;
}

static bool has_estimate(const struct pair *k, bool marks)
{
	return !marks && (k->to || k->measured) && k->known && k->insns >= 0;
}

/* Was the call executed, as far as that is known? */
static const char *executed(const struct pair *k, const char *yes, const char *no,
	const char *unknown)
{
	return k->count ? yes : k->known ? no : unknown;
}

static void text_pairs(const struct pairs *p, const struct view_options *opt, FILE *out)
{
	const struct table_column columns[] = {{"calls", COLUMN_NUMBER},
		{p->exact ? "instructions" : "~instructions", COLUMN_NUMBER},
		{"caller", COLUMN_NAME}, {"callee", COLUMN_NAME}};
	size_t n = view_rows(opt, p->n);
	struct table *t = table_new(columns, sizeof columns / sizeof *columns, opt->width);
	for (size_t i = 0; i < n; i++) {
		const struct pair *k = &p->v[i];
		if (p->marks)
			table_cell(t, "%s", executed(k, "yes", "no", "-"));
		else
			table_count(t, k->known, k->count);
		if (has_estimate(k, p->marks))
			table_cell(t, "%.0f", k->insns);
		else
			table_cell(t, "-");
		table_name(t, shown(plain(opt, k->from->name)), "");
		table_name(t, shown(plain(opt, k->name)), k->tail ? " [jump]" : "");
	}
	table_put(t, out);
	if (n < p->n)
		fprintf(out, "\n%zu more: --top=0 shows all\n", p->n - n);
}

static void tsv_pairs(const struct pairs *p, const struct view_options *opt, FILE *out)
{
	fputs("calls\tinclusive_estimate\tcaller\tcallee\tkind\tjump\tcaller_object\tcallee_object\n",
		out);
	for (size_t i = 0; i < view_rows(opt, p->n); i++) {
		const struct pair *k = &p->v[i];
		if (p->marks)
			fputs(executed(k, "yes", "no", ""), out);
		else if (k->known)
			fprintf(out, "%" PRIu64, k->count);
		fputc('\t', out);
		if (has_estimate(k, p->marks))
			fprintf(out, "%.0f", k->insns);
		fprintf(out, "\t%s\t", shown(plain(opt, k->from->name)));
		fprintf(out, "%s\t%s\t", k->name ? shown(plain(opt, k->name)) : "",
			kind_names[k->kind]);
		fprintf(out, "%s\t%s\t", k->tail ? "yes" : "no", shown(k->p->path));
		fprintf(out, "%s\n", k->to_in ? shown(k->to_in->path) : "");
	}
}

static void json_pair(const struct pair *k, bool marks, const struct view_options *opt,
	struct json *j)
{
	json_line(j, 1);
	json_object(j, NULL);
	json_print(j, "executed", "%s", executed(k, "true", "false", "null"));
	json_known(j, "calls", k->known && !marks, k->count);
	if (has_estimate(k, marks))
		json_print(j, "inclusive_estimate", "%.0f", k->insns);
	else
		json_null(j, "inclusive_estimate");
	json_text(j, "caller", plain(opt, k->from->name));
	json_text(j, "callee", k->name ? plain(opt, k->name) : NULL);
	json_text(j, "kind", kind_names[k->kind]);
	json_bool(j, "jump", k->tail);
	json_text(j, "caller_object", k->p->path);
	json_text(j, "callee_object", k->to_in ? k->to_in->path : NULL);
	json_end(j);
}

static void json_pairs(const struct pairs *p, const struct view_options *opt, FILE *out)
{
	struct json j = json_to(out);
	json_array(&j, NULL);
	for (size_t i = 0; i < view_rows(opt, p->n); i++)
		json_pair(&p->v[i], p->marks, opt, &j);
	json_line(&j, 0);
	json_end(&j);
	fputc('\n', out);
}

struct calls_options {
	const char *of;
	bool all;
};
static const struct option_row options[] = {
	{"of", .value = "GLOB", .help = "show the callers and callees of these functions",
		OPTION_TEXT(struct calls_options, of)},
	{"all", .help = "include calls that were not executed",
		OPTION_FLAG(struct calls_options, all)},
	{NULL},
};

/* of: whose callers and callees; NULL: all calls */
static void put_text(const struct pairs *p, const struct view_options *opt, const char *of,
	const struct filter *f, FILE *out)
{
	struct pairs callers = take(p, f, false, true), callees = take(p, f, true, false);
	if (!of) {
		text_pairs(p, opt, out);
		return;
	}
	if (!callers.n && !callees.n)
		die("calls: no function %s calls or is called", of);
	fputs("callers:\n\n", out);
	text_pairs(&callers, opt, out);
	fputs("\ncallees:\n\n", out);
	text_pairs(&callees, opt, out);
}

static int run_calls(const struct arguments *a)
{
	const struct calls_options *o = a->own;
	struct run r;
	struct view_options view = a->view;
	char *words[] = {new_string("function:%s", o->of ? o->of : "*")};
	struct filter f = filter_make(words, 1);
	arguments_run(&r, a, &verb_calls);
	if (o->all)
		run_flows(&r);
	view.format = (enum format)a->format;
	if (r.v[0].map.mode == LDX_MODE_FUNCTIONS)
		die("%s: calls are not counted in mode %s", r.v[0].path,
			mode_name(r.v[0].map.mode));
	struct pairs p = find_pairs(&r, o->all);
	struct output out = output_open(a->output);
	if (a->format == FORMAT_TEXT) {
		put_text(&p, &view, o->of, &f, out.f);
	} else {
		p = o->of ? take(&p, &f, true, true) : p;
		(a->format == FORMAT_TSV ? tsv_pairs : json_pairs)(&p, &view, out.f);
	}
	output_close(&out);
	return 0;
}

static const char *const formats[] = {"text", "json", "tsv", NULL};

const struct verb verb_calls = {
	.name = "calls",
	.summary = "show which function calls which, and how often",
	.synopsis = "[options] PROG [FILE...]",
	.about =
		"Counts of calls are exact.  An indirect call, such as of a function pointer or a virtual\n"
		"function, is shown without a callee.  The instructions of a callee and of the functions\n"
		"that it called are an estimate (~): each of its calls is assumed to cost the same.\n"
		"In a program linked with --ldx-tool=calls callees of indirect calls and instructions are exact.",
	.shared = SHARE_OUTPUT | SHARE_RUN | SHARE_TOP | SHARE_NAMES,
	.formats = formats,
	.options = options,
	.own_size = sizeof(struct calls_options),
	.sums = true,
	.run = run_calls,
};
