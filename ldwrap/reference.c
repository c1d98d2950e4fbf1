/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.c - the user's link, as it would be without ldx
 *
 * The replaced linker makes it: it determines which objects are linked, prints the user's messages,
 * and makes the file with which the output is compared.  It takes a while: when it has loaded its
 * inputs, these are combined, while it makes the output.
 */
#include "ldwrap/ldwrap.h"

#include "base/steps.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Link-time optimizers ------------------------------------------------------- */

/* Has gcc's optimizer made objects? */
static bool has_optimized(struct link *l, const char *prefix)
{
	return !access(arena_printf(&l->arena, "%s" LTO_NAMES, prefix), F_OK);
}

/* Does the linker make objects, when it has loaded the inputs?  gold names none of these. */
static bool makes_objects(struct link *l)
{
	return l->traits & (TRAIT_GCC_LTO | TRAIT_BITCODE) || has_optimized(l, l->lto);
}

static void scan_objects(struct link *l)
{
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		struct bytes b;
		if (it->opt != OPT_FILE || is_crt_file(it->value) || !file_map(it->value, &b))
			continue;
		if (bytes_kind(b) == KIND_REL || bytes_kind(b) == KIND_BITCODE)
			add_traits(l, b);
		file_unmap(b);
	}
}

static void interpose_lto(struct link *l)
{
	const char *wrapper = in_dir(l, LTO_WRAPPER_NAME), *real = gcc_lto_wrapper(&l->cmd);
	l->capture_lto = real && l->linker.kind != LINKER_LLD;
	if (!l->capture_lto)
		return;
	setenv("LDX_LTO_WRAPPER", real, 1);
	setenv("LDX_LTO_PREFIX", l->lto, 1);
	if (access(wrapper, F_OK) && symlink(l->ldx.exe, wrapper))
		fatal("cannot make %s", wrapper);
}

static void forget_lto(struct link *l)
{
	l->capture_lto = false;
	unsetenv("LDX_LTO_WRAPPER");
	unsetenv("LDX_LTO_PREFIX");
}

/* Members that are found while the link continues ------------------------------ */

struct selection {
	const char *problem;
	const char *trace; /* in which they were found; NULL: not found yet */
};

/*
 * The object that is loaded last: when it has been traced, all members have been, in most cases.
 * NULL: the end of the command line is a library or a group, which may be searched for a while.
 */
static const char *last_object(const struct link *l)
{
	const char *last = NULL;
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		if (it->opt == OPT_FILE)
			last = file_kind(it->value) == KIND_REL ? it->value : NULL;
		else if (it->opt == OPT_library || it->opt == OPT_end_group)
			last = NULL;
	}
	return last;
}

/* A trace that is being written. */
struct loading {
	const char *last; /* the line that ends it */
	size_t read;	  /* where the first line begins that was not read */
};

static bool has_loaded(const struct buf *out, void *arg)
{
	struct loading *w = arg;
	size_t n = strlen(w->last);
	bool loaded = false;
	for (const uint8_t *eol; !loaded; w->read = (size_t)(eol - out->v) + 1) {
		const uint8_t *line = out->v + w->read;
		eol = memchr(line, '\n', out->n - w->read);
		if (!eol)
			break;
		loaded = (size_t)(eol - line) == n && !memcmp(line, w->last, n);
	}
	return loaded;
}

/* Combines what the linker has loaded, while it makes the output. */
static void select_loaded(struct link *l, struct child *link, const char *last, struct selection *s)
{
	struct loading w = {.last = last};
	if (!child_writes(link, has_loaded, &w))
		return;
	const struct buf *out = &link->r->out;
	s->trace = arena_printf(&l->arena, "%.*s", (int)out->n, (const char *)out->v);
	s->problem = members_find(l, s->trace);
	step_done("members");
	if (!s->problem && !makes_objects(l))
		s->problem = combine(l);
	libraries_scan(l, s->trace);
}

/* The user's link, made by l->linker.  The members are looked for meanwhile if s is not NULL. */
static void run_reference(struct link *l, struct child_result *r, struct selection *s)
{
	struct child link;
	strings argv = {0};
	const char *last = s ? last_object(l) : NULL;
	interpose_lto(l);
	emit_line(l, PASS_REFERENCE, l->ref, NULL, &argv);
	do {
		output_stand_in(&l->out, l->ref);
		linker_start(l, &link, &l->linker, &argv, last, r);
		if (s)
			*s = (struct selection){0};
		if (last)
			select_loaded(l, &link, last, s);
		child_wait(&link);
	} while (linker_lacks_llvm(l, &l->linker, r));
	forget_lto(l);
	if (!r->status)
		output_take(l, l->ref);
	vec_free(&argv);
	step_done_by_child("reference", r->peak);
}

/* A trace, and where that does not tell members apart, the reasons for which they were taken. */
static const char *select_by_trace(struct link *l, struct child_result *r)
{
	struct selection s = {0};
	run_reference(l, r, &s);
	if (r->status)
		return NULL;
	const char *trace = (char *)r->out.v;
	if (!s.trace || makes_objects(l) || members_named(l, trace + strlen(s.trace)))
		s.problem = members_find(l, trace);
	if (l->ambiguous) {
		l->want_reasons = true;
		run_reference(l, r, NULL);
		s.problem = r->status ? NULL : members_find(l, (char *)r->out.v);
	}
	return s.problem;
}

/* mold's trace has members that were not taken, so another linker finds the members. */
static const char *select_for_mold(struct link *l, struct child_result *r)
{
	struct linker mold = l->linker;
	struct child_result other;
	const char *ref = l->ref, *made = l->lto, *problem;
	run_reference(l, r, NULL);
	if (r->status)
		return NULL;
	l->ref = in_dir(l, "selection");
	if (!has_optimized(l, made) || !linker_find(l, LINKER_BFD, &l->linker)) {
		l->linker = (struct linker){.kind = LINKER_LLD};
	} else {
		/* what is made for GNU ld may lack functions that mold exports */
		l->made = made;
		l->lto = in_dir(l, "other");
	}
	problem = select_by_trace(l, &other);
	if (other.status)
		problem = step_failure(l, "finding out what is linked", &other);
	l->linker = mold;
	l->ref = ref;
	l->lto = made;
	return problem;
}

static const char *select_members(struct link *l, struct child_result *r)
{
	return l->linker.kind == LINKER_MOLD ? select_for_mold(l, r) : select_by_trace(l, r);
}

/* A link that fails is repeated with debug information, to which other sections may refer. */
int make_reference(struct link *l, const char **problem)
{
	struct child_result r;
	scan_objects(l);
	*problem = select_members(l, &r);
	if (r.status && l->linker.kind != LINKER_MOLD) {
		l->whole = true;
		*problem = select_members(l, &r);
	}
	if (r.status) {
		output_reject(&l->out, l->ref);
		return link_failed(l, &r);
	}
	l->trace = (char *)r.out.v;
	headers_read(l->ref, &l->headers);
	libraries_read(l);
	print_text(l, (char *)r.err.v, stderr);
	return 0;
}
