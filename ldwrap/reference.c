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

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What gcc's link-time optimizer makes -------------------------------------- */

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

static void find_loaded(struct link *l, const struct child *link, const struct buf *why,
	struct selection *s)
{
	const struct buf *out = &link->r->out;
	s->trace = arena_printf(&l->arena, "%.*s", (int)out->n, (const char *)out->v);
	s->problem = members_find(l, s->trace, why);
	step_done("members");
}

/* Does the linker take objects after that? */
static bool takes_more(struct link *l, const struct child_result *r, const struct selection *s)
{
	return members_named(l, (char *)r->out.v + strlen(s->trace));
}

/* LLD ---------------------------------------------------------------------------- */

/* The FIFO to which LLD writes why it took members, when it has taken all; -1: none. */
static int open_why(struct link *l)
{
	if (l->linker.path || cmdline_has(&l->cmd, OPT_why_extract) || mkfifo(l->why, 0600))
		return -1;
	return open(l->why, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* Combines what LLD says that it has taken, while it makes the output. */
static void select_told(struct link *l, struct child *link, int why, struct selection *s)
{
	struct buf text = {0};
	if (child_tells(link, why, &text))
		find_loaded(l, link, &text, s);
	if (s->trace && !s->problem)
		s->problem = combine(l);
	close(why);
	unlink(l->why);
	vec_free(&text);
}

static void link_by_lld(struct link *l, struct child_result *r, struct selection *s)
{
	struct child link;
	strings argv = {0};
	int why = open_why(l);
	emit_line(l, PASS_REFERENCE, l->ref, NULL, &argv);
	if (why < 0) {
		linker_run(l, &l->linker, &argv, r);
	} else {
		linker_start(l, &link, &l->linker, &argv, false, r);
		select_told(l, &link, why, s);
		child_wait(&link);
	}
	output_take(l, l->ref);
	vec_free(&argv);
}

static const char *select_by_lld(struct link *l, struct child_result *r)
{
	struct selection s = {0};
	link_by_lld(l, r, &s);
	if (r->status)
		return NULL;
	if (!s.trace)
		return members_find(l, (char *)r->out.v, NULL);
	return takes_more(l, r, &s) ? "the linker takes objects when it has said which it takes"
				    : s.problem;
}

/* GNU ld and gold ---------------------------------------------------------------- */

/*
 * The object that is loaded last: when it has been traced, all members have been.  NULL: the end of
 * the command line is a library or a group, which may be searched for a while.
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
	find_loaded(l, link, NULL, s);
	/* what LTO makes is loaded later */
	if (!s->problem && !(l->traits & (TRAIT_GCC_LTO | TRAIT_BITCODE)))
		s->problem = combine(l);
	libraries_scan(l, s->trace);
}

/* The members are looked for during the link if s is not NULL. */
static void run_reference(struct link *l, struct child_result *r, struct selection *s)
{
	struct child link;
	strings argv = {0};
	const char *last = s ? last_object(l) : NULL;
	interpose_lto(l);
	emit_line(l, PASS_REFERENCE, l->ref, NULL, &argv);
	linker_start(l, &link, &l->linker, &argv, last, r);
	if (last)
		select_loaded(l, &link, last, s);
	child_wait(&link);
	forget_lto(l);
	output_take(l, l->ref);
	vec_free(&argv);
	step_done_by_child("reference", r->peak);
}

/* A trace, and where that does not tell members apart, the map. */
static const char *select_by_trace(struct link *l, struct child_result *r)
{
	struct selection s = {0};
	run_reference(l, r, &s);
	if (r->status)
		return NULL;
	if (!s.trace || takes_more(l, r, &s))
		s.problem = members_find(l, (char *)r->out.v, NULL);
	if (l->ambiguous) {
		l->want_reasons = true;
		run_reference(l, r, NULL);
		s.problem = r->status ? NULL : members_find(l, (char *)r->out.v, NULL);
	}
	return s.problem;
}

/* mold's trace has members that were not taken, so another linker finds the members. */
static const char *select_for_mold(struct link *l, struct child_result *r)
{
	struct linker mold = l->linker;
	struct child_result other;
	const char *ref = l->ref, *problem;
	run_reference(l, r, NULL);
	if (r->status)
		return NULL;
	l->ref = in_dir(l, "selection");
	l->linker = (struct linker){.kind = LINKER_LLD};
	if (l->traits & TRAIT_GCC_LTO && linker_find(l, LINKER_BFD, &l->linker))
		problem = select_by_trace(l, &other);
	else
		problem = select_by_lld(l, &other);
	if (other.status)
		problem = step_failure(l, "finding out what is linked", &other);
	l->linker = mold;
	l->ref = ref;
	return problem;
}

static const char *select_members(struct link *l, struct child_result *r)
{
	switch (l->linker.kind) {
	case LINKER_LLD: return select_by_lld(l, r);
	case LINKER_MOLD: return select_for_mold(l, r);
	default: return select_by_trace(l, r);
	}
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
	if (r.status)
		return link_failed(l, &r);
	l->trace = (char *)r.out.v;
	headers_read(l->ref, &l->headers);
	libraries_read(l);
	members_print_rest(l, l->trace);
	print_text(l, (char *)r.err.v, stderr);
	return 0;
}
