/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.c - the user's link, as it would be without ldx
 *
 * It determines which objects are linked, prints the user's messages, and makes the output with
 * which the instrumented one is compared, and which replaces it if that fails.
 */
#include "ldwrap/ldwrap.h"

#include "base/steps.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Choosing a linker ------------------------------------------------------- */

static bool switch_linker(struct link *l, enum linker_kind kind)
{
	struct linker other;
	if (!linker_find(l, kind, &other))
		return false;
	l->linker = other;
	return true;
}

/* Switch to a linker that knows an option that LLD does not. */
static void switch_for_option(struct link *l, const struct item *it)
{
	static const struct {
		char letter;
		enum linker_kind kind;
	} others[] = {{'b', LINKER_BFD}, {'g', LINKER_GOLD}, {'m', LINKER_MOLD}};
	const char *known = option_table[it->written].known;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strchr(known, others[i].letter) && switch_linker(l, others[i].kind))
			return;
}

static void scan_objects(struct link *l)
{
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		struct bytes b;
		if (it->opt != OPT_FILE || is_crt_file(it->value) || !file_map(it->value, &b))
			continue;
		if (bytes_kind(b) == KIND_REL)
			add_traits(l, b);
		file_unmap(b);
	}
	l->exec_stack = l->traits & TRAIT_EXEC_STACK;
}

/* Only GNU ld supports gcc's LTO and .ctors, and scripts are written for it. */
static bool needs_bfd(const struct link *l)
{
	return l->linker.kind == LINKER_LLD &&
		((l->traits & (TRAIT_GCC_LTO | TRAIT_CTORS)) || cmdline_has(&l->cmd, OPT_script));
}

void linker_able(struct link *l)
{
	scan_objects(l);
	for (size_t i = 0; i < l->cmd.items.n && l->linker.kind == LINKER_LLD; i++) {
		const struct item *it = &l->cmd.items.v[i];
		if (it->opt < OPT_FILE && option_table[it->written].lld == LLD_other)
			switch_for_option(l, it);
	}
	if (needs_bfd(l))
		switch_linker(l, LINKER_BFD);
}

/* The reference ----------------------------------------------------------- */

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

/* Must the link be repeated, by another linker or with another option? */
static bool asks_for_more(const struct link *l)
{
	return needs_bfd(l) || l->ambiguous || ((l->traits & TRAIT_EXEC_STACK) && !l->exec_stack);
}

/* What is known of the members while the link continues. */
struct selection {
	const char *problem;
	size_t traced; /* length of the trace in which they were found; 0: not found yet */
};

static void select_from(struct link *l, struct selection *s, const struct buf *trace,
	const struct buf *why)
{
	s->traced = trace->n;
	s->problem = members_find(l,
		arena_printf(&l->arena, "%.*s", (int)trace->n, (const char *)trace->v), why);
	step_done("members");
}

/* The FIFO to which LLD writes why it took members, when it has taken all; -1: none. */
static int open_why(struct link *l)
{
	bool tells = l->linker.kind == LINKER_LLD && !l->linker.path &&
		!cmdline_has(&l->cmd, OPT_why_extract);
	if (!tells || mkfifo(l->why, 0600))
		return -1;
	return open(l->why, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/*
 * The user's link by LLD.  LLD has taken all members before the layout; they are combined while it
 * writes the output.
 */
static void link_and_combine(struct link *l, strings *argv, int why, struct child_result *r,
	struct selection *s)
{
	struct child link;
	struct buf text = {0};
	linker_start(&link, argv, r);
	if (child_tells(&link, why, &text)) {
		select_from(l, s, &r->out, &text);
		if (!s->problem && !asks_for_more(l))
			s->problem = combine(l);
	}
	child_wait(&link);
	close(why);
	unlink(l->why);
	vec_free(&text);
}

/* Runs the user's link once; its messages are in *r.  s may be NULL. */
static void run_reference(struct link *l, const char *output, struct child_result *r,
	struct selection *s)
{
	strings argv = {0};
	int why = s ? open_why(l) : -1;
	l->combined = NULL;
	emit_line(l, PASS_REFERENCE, output, NULL, &argv);
	if (why >= 0)
		link_and_combine(l, &argv, why, r, s);
	else
		linker_run(l, &l->linker, &argv, r);
	vec_free(&argv);
}

static bool switch_to_usual(struct link *l)
{
	struct linker usual = linker_usual(l);
	bool other = l->linker.kind == LINKER_LLD && usual.kind != LINKER_LLD;
	if (other)
		l->linker = usual;
	return other;
}

/*
 * Runs the user's link and finds its members.  If these need another linker or another option, it
 * runs again.  It also runs again if LLD fails: GNU ld makes links that LLD refuses, and a link
 * that neither makes must fail with GNU ld's messages, unless GNU ld crashes.  early: members may
 * be combined during the link.
 */
static void select_members(struct link *l, const char *output, bool early, struct child_result *r,
	const char **problem)
{
	struct child_result refused = {0};
	for (;;) {
		struct selection s = {0};
		interpose_lto(l);
		run_reference(l, output, r, early ? &s : NULL);
		forget_lto(l);
		if (r->status && switch_to_usual(l)) {
			refused = *r;
			continue;
		}
		if (r->status) {
			if (child_death(r) && refused.status && !child_death(&refused))
				*r = refused;
			return;
		}
		if (!s.traced)
			s.problem = members_find(l, (char *)r->out.v, NULL);
		else if (members_named(l, (char *)r->out.v + s.traced))
			s.problem = "the linker takes objects when it has said which it takes";
		*problem = s.problem;
		if (needs_bfd(l) && switch_linker(l, LINKER_BFD))
			continue;
		if (l->ambiguous && !l->want_reasons && l->linker.kind != LINKER_LLD) {
			l->want_reasons = true;
			continue;
		}
		if (!(l->traits & TRAIT_EXEC_STACK) || l->exec_stack ||
			l->linker.kind != LINKER_LLD)
			return;
		l->exec_stack = true;
	}
}

/* mold's trace has members that were not taken, so another linker finds the members. */
static void select_for_mold(struct link *l, const char **problem)
{
	struct linker mold = l->linker;
	struct child_result r;
	l->linker = (struct linker){.kind = LINKER_LLD};
	if (needs_bfd(l))
		switch_linker(l, LINKER_BFD);
	select_members(l, in_dir(l, "selection"), false, &r, problem);
	if (r.status)
		*problem = step_failure(l, "finding out what is linked", &r);
	l->linker = mold;
}

/* Does GNU ld report symbols that shared libraries refer to and nothing defines? */
static bool reports_shared(const struct link *l)
{
	bool reports = !l->shared;
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		if (it->opt == OPT_unresolved_symbols)
			reports = !strcmp(it->value, "report-all") ||
				!strcmp(it->value, "ignore-in-object-files");
		else if (it->opt == OPT_allow_shlib_undefined)
			reports = false;
		else if (it->opt == OPT_no_allow_shlib_undefined)
			reports = true;
	}
	return reports;
}

/*
 * Of a library that needs others which the link does not name, LLD knows nothing.  GNU ld looks
 * for them: it exports what they refer to, and says what is not there.
 */
int make_reference(struct link *l, const char **problem)
{
	struct child_result r;
	bool resolved;
	do {
		if (l->linker.kind == LINKER_MOLD)
			run_reference(l, l->ref, &r, NULL);
		else
			select_members(l, l->ref, true, &r, problem);
		if (r.status)
			return link_failed(l, &r);
		l->trace = (char *)r.out.v;
		step_done_by_child("reference", r.peak);
		resolved = libraries_read(l) || !reports_shared(l);
	} while (!resolved && switch_to_usual(l));
	members_print_rest(l, l->trace);
	print_text(l, (char *)r.err.v, stderr);
	if (l->linker.kind == LINKER_MOLD)
		select_for_mold(l, problem);
	return 0;
}
