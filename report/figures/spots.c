/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spots.c - how often each place of the source was executed, for profiles that compilers read
 */
#include "report/figures/spots.h"

#include "base/base.h"
#include "report/figures/calls.h"
#include "report/figures/insns.h"
#include "report/figures/source.h"

#include <stdlib.h>
#include <string.h>

struct finding {
	const struct program *p;
	struct source *source;
	enum discriminators meaning;
	const char *name;		     /* of the function, without compilers' suffixes */
	struct step path[256];		     /* of the current place; deeper ones are left out */
	const struct call *call, *calls_end; /* of the functions that follow */
	VEC(struct spot) found;
	VEC(struct entries) func;
};

/* The length of a name of n bytes without its last suffix, such as .constprop.0. */
static size_t cut_suffix(const char *name, size_t n)
{
	static const char *const suffixes[] = {".cold", ".part", ".constprop", ".isra", ".lto_priv",
		".llvm", ".localalias"};
	size_t end = n;
	while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
		end--;
	end = end < n && end && name[end - 1] == '.' ? end - 1 : n;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t length = strlen(suffixes[i]);
		if (end > length && !strncmp(name + end - length, suffixes[i], length))
			return end - length;
	}
	return n;
}

/* The name without the suffixes that compilers add for copies and parts of a function. */
static const char *source_name(const char *name)
{
	size_t n = strlen(name), less;
	while ((less = cut_suffix(name, n)) < n)
		n = less;
	return name[n] ? new_string("%.*s", (int)n, name) : name;
}

/*
 * A part of LLVM's discriminators: 1 bit for 0, 7 bits for numbers below 32, or 14 bits.  They have
 * three parts: the block of the line, the number of its copies, and the number of this copy.
 */
static uint32_t first_part(uint32_t d)
{
	uint32_t low = d >> 1 & 31, high = d & 64 ? d >> 7 & 127 : 0;
	return d & 1 ? 0 : high << 5 | low;
}

static uint32_t other_parts(uint32_t d)
{
	return d >> (d & 1 ? 1 : d & 64 ? 14 : 7);
}

/* Sets *at to the place of a frame in its function; false: it has none. */
static bool place_of(const struct finding *d, const struct source_frame *f, uint32_t *at)
{
	if (!f->func || !f->func->name || !f->func->line || !f->line)
		return false;
	*at = (f->line - f->func->line) << 16;
	if (d->meaning == DISCRIMINATORS_LLVM)
		*at |= first_part(f->discriminator) & 0xffff;
	return true;
}

/* The number of copies among which the count of the place is divided. */
static uint64_t factor_of(const struct finding *d, const struct source_frame *f)
{
	uint32_t copies =
		d->meaning == DISCRIMINATORS_LLVM ? first_part(other_parts(f->discriminator)) : 0;
	return copies ? copies : 1;
}

static int compare_steps(const struct step *x, const struct step *y, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int names = strcmp(x[i].name, y[i].name);
		if (x[i].at != y[i].at)
			return x[i].at < y[i].at ? -1 : 1;
		if (names)
			return names;
	}
	return 0;
}

static int compare_numbers(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

/* By function; places inlined in it come behind its own. */
static int compare_place(const struct spot *x, const struct spot *y)
{
	int paths = compare_steps(x->path, y->path, x->depth < y->depth ? x->depth : y->depth);
	if (paths)
		return paths;
	return x->depth != y->depth ? compare_numbers(x->depth, y->depth)
				    : compare_numbers(x->at, y->at);
}

static int compare_spot(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	int places = compare_place(x, y);
	if (places || !x->callee || !y->callee)
		return places ? places : !!x->callee - !!y->callee;
	return strcmp(x->callee, y->callee);
}

/* Sorts spots, and joins equal ones: by the sum or the greatest of their counts. */
static size_t join(struct spot *v, size_t n, bool sum)
{
	size_t kept = 0;
	qsort(v, n, sizeof *v, compare_spot);
	for (size_t i = 0; i < n; i++) {
		struct spot *last = kept ? &v[kept - 1] : NULL;
		if (!last || compare_spot(last, &v[i]))
			v[kept++] = v[i];
		else if (sum || last->callee)
			last->count = add_sat(last->count, v[i].count);
		else if (v[i].count > last->count)
			last->count = v[i].count;
	}
	return kept;
}

/* A copy of the path, or the last spot's path if it is the same. */
static const struct step *keep_path(struct finding *d, size_t n)
{
	const struct spot *last = d->found.n ? &d->found.v[d->found.n - 1] : NULL;
	if (last && last->depth == n && !compare_steps(last->path, d->path, n))
		return last->path;
	struct step *path = NEW_ARRAY(struct step, n);
	memcpy(path, d->path, n * sizeof *path);
	return path;
}

/* Sets d->path from the frames, the innermost first; false: a place among them is not known. */
static bool find_path(struct finding *d, const struct source_frame *v, size_t n)
{
	if (n > sizeof d->path / sizeof *d->path)
		return false;
	d->path[0] = (struct step){.name = d->name};
	for (size_t i = 1; i < n; i++) {
		const struct source_frame *inner = &v[n - 1 - i];
		if (!inner->func || !inner->func->name || !place_of(d, &v[n - i], &d->path[i].at))
			return false;
		d->path[i].name = inner->func->name;
	}
	return true;
}

static void add(struct finding *d, uint64_t address, const char *callee, uint64_t count)
{
	const struct source_frame *v;
	struct spot s = {.depth = source_frames(d->source, address, &v), .callee = callee};
	if (!s.depth || !place_of(d, &v[0], &s.at) || !find_path(d, v, s.depth))
		return;
	s.path = keep_path(d, s.depth);
	s.count = callee ? count : mul_sat(count, factor_of(d, &v[0]));
	vec_push(&d->found, s);
}

static void add_insn(void *ctx, const struct insn_at *in)
{
	if (in->known && in->insn)
		add(ctx, in->address, NULL, in->count);
}

/* Is it a part of a function?  Entering it is no call. */
static bool is_part(const char *name)
{
	return strstr(name, ".cold") || strstr(name, ".part.");
}

static void add_calls(struct finding *d, const struct map_func *f)
{
	while (d->call < d->calls_end && d->call->from < f)
		d->call++;
	for (; d->call < d->calls_end && d->call->from == f; d->call++)
		if (d->call->name && d->call->known && d->call->count && !is_part(d->call->name))
			add(d, d->call->address, source_name(d->call->name), d->call->count);
}

static void add_func(struct finding *d, const struct map_func *f, const char *name)
{
	uint64_t calls;
	size_t before = d->found.n;
	bool entered = func_calls(d->p, f, &calls) && !is_part(f->name);
	d->name = name;
	vec_push(&d->func, (struct entries){name, entered ? calls : 0});
	each_insn(d->p, f, add_insn, d);
	add_calls(d, f);
	if (d->found.n > before)
		d->found.n = before + join(d->found.v + before, d->found.n - before, false);
}

/* A function of the map, and its name without compilers' suffixes. */
struct named {
	const struct map_func *f;
	const char *name;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int names = strcmp(x->name, y->name);
	if (!names)
		names = strcmp(x->f->name, y->f->name);
	return names ? names : (x->f > y->f) - (x->f < y->f);
}

/* Functions with the same symbol name, or from different files, are different ones. */
static bool is_ambiguous(const struct named *v, size_t n)
{
	const char *file = "";
	for (size_t i = 0; i < n; i++) {
		const char *own = v[i].f->file;
		if ((i && !strcmp(v[i].f->name, v[i - 1].f->name)) ||
			(own[0] && file[0] && strcmp(own, file)))
			return true;
		file = own[0] ? own : file;
	}
	return false;
}

/* The names of functions without suffixes, by number; NULL: several functions share it. */
static const char **find_names(const struct program *p)
{
	struct named *v = NEW_ARRAY(struct named, p->map.nfuncs);
	const char **name = NEW_ARRAY(const char *, p->map.nfuncs);
	size_t n = 0, ambiguous = 0;
	for (const struct map_func *f = p->map.func; f < p->map.func + p->map.nfuncs; f++)
		if (func_linked(p, f) && f->name[0])
			v[n++] = (struct named){f, source_name(f->name)};
	qsort(v, n, sizeof *v, compare_named);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !strcmp(v[end].name, v[i].name);)
			end++;
		if (is_ambiguous(v + i, end - i))
			ambiguous++;
		else
			for (size_t j = i; j < end; j++)
				name[v[j].f - p->map.func] = v[i].name;
	}
	if (ambiguous)
		warn("%zu names are left out: several functions share each", ambiguous);
	return name;
}

static int compare_entries(const void *a, const void *b)
{
	return strcmp(((const struct entries *)a)->name, ((const struct entries *)b)->name);
}

static size_t join_entries(struct entries *v, size_t n)
{
	size_t kept = 0;
	qsort(v, n, sizeof *v, compare_entries);
	for (size_t i = 0; i < n; i++)
		if (kept && !compare_entries(&v[kept - 1], &v[i]))
			v[kept - 1].calls = add_sat(v[kept - 1].calls, v[i].calls);
		else
			v[kept++] = v[i];
	return kept;
}

static void find_spots(struct finding *d)
{
	const struct program *p = d->p;
	const char **name = find_names(p);
	for (size_t i = 0; i < p->map.nfuncs; i++)
		if (name[i] && func_sum(p, &p->map.func[i]).covered)
			add_func(d, &p->map.func[i], name[i]);
}

struct spots spots_find(const struct run *run, enum discriminators meaning)
{
	const struct program *p = &run->v[0];
	struct calls calls = calls_find(run, false);
	struct finding d = {.p = p, .source = source_open(p), .meaning = meaning, .call = calls.v};
	for (d.calls_end = calls.v; d.calls_end < calls.v + calls.n && d.calls_end->p == p;)
		d.calls_end++;
	run_need_counts(run);
	if (!source_has_lines(d.source))
		die("%s: it has no debug information: compile with -g", p->path);
	find_spots(&d);
	return (struct spots){.v = d.found.v,
		.n = d.found.n ? join(d.found.v, d.found.n, true) : 0,
		.func = d.func.v,
		.nfuncs = d.func.n ? join_entries(d.func.v, d.func.n) : 0};
}

size_t spots_same(const struct spots *s, size_t i, size_t end, size_t steps)
{
	size_t n = i + 1;
	while (n < end && s->v[n].depth >= steps &&
		!compare_steps(s->v[n].path, s->v[i].path, steps))
		n++;
	return n;
}

uint64_t spots_total(const struct spots *s, size_t from, size_t end)
{
	uint64_t total = 0;
	for (size_t i = from; i < end; i++)
		if (!s->v[i].callee)
			total = add_sat(total, s->v[i].count);
	return total;
}

uint64_t spots_calls(const struct spots *s, size_t i)
{
	struct entries key = {.name = s->v[i].path[0].name};
	const struct entries *found =
		bsearch(&key, s->func, s->nfuncs, sizeof *s->func, compare_entries);
	return found->calls;
}
