/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.c - the user's link, as it would be without ldx
 *
 * The replaced linker makes it: it determines which objects are linked, prints the user's messages,
 * and makes the file with which the output is compared.  It takes a while: meanwhile LLD predicts
 * the members, and combines them.  The prediction is used if the reference has taken the same
 * members in the same order.
 */
#include "ldwrap/ldwrap.h"

#include "base/steps.h"
#include "reloc/outside.h"

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

/* LLD, whose members are known early ------------------------------------------- */

/* What is known of the members while the link continues. */
struct selection {
	const char *problem;
	size_t traced; /* length of the trace in which they were found; 0: not found yet */
};

/* The FIFO to which LLD writes why it took members, when it has taken all; -1: none. */
static int open_why(struct link *l)
{
	if (l->linker.path || cmdline_has(&l->cmd, OPT_why_extract) || mkfifo(l->why, 0600))
		return -1;
	return open(l->why, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* Waits until LLD says what it has taken, and finds that.  False: it has ended, or failed. */
static bool select_early(struct link *l, struct child *link, int why, struct selection *s)
{
	struct buf text = {0};
	bool told = child_tells(link, why, &text);
	if (told) {
		const struct buf *trace = &link->r->out;
		s->traced = trace->n;
		s->problem = members_find(l,
			arena_printf(&l->arena, "%.*s", (int)trace->n, (const char *)trace->v),
			&text);
		step_done("members");
	}
	close(why);
	unlink(l->why);
	vec_free(&text);
	return told && !s->problem;
}

/* The user's link by LLD; the members are combined while it writes the output. */
static void link_by_lld(struct link *l, struct child_result *r, struct selection *s)
{
	struct child link;
	strings argv = {0};
	int why = open_why(l);
	emit_line(l, PASS_REFERENCE, l->ref, NULL, &argv);
	if (why < 0) {
		linker_run(l, &l->linker, &argv, r);
	} else {
		linker_start(l, &link, &l->linker, &argv, r);
		if (select_early(l, &link, why, s))
			s->problem = combine(l);
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
	if (!s.traced)
		return members_find(l, (char *)r->out.v, NULL);
	return members_named(l, (char *)r->out.v + s.traced)
		? "the linker takes objects when it has said which it takes"
		: s.problem;
}

/* A prediction ------------------------------------------------------------------ */

/*
 * LLD takes the members that this link takes, in most cases, and says so before it lays anything
 * out.  It compiles intermediate code otherwise, or cannot read it, has other ideas of scripts, and
 * takes the members of large archives in another order.
 */
static bool is_predictable(const struct link *l)
{
	for (size_t i = 0; i < l->cmd.items.n; i++)
		if (l->cmd.items.v[i].written == OPT_static)
			return false;
	return is_binutils(&l->linker) && !(l->traits & (TRAIT_GCC_LTO | TRAIT_BITCODE)) &&
		!cmdline_has(&l->cmd, OPT_script);
}

/* What rewriting asks of the output, by that of LLD. */
static void predict_output(struct link *p, const struct child_result *r)
{
	p->trace = (char *)r->out.v;
	headers_read(p->ref, &p->headers);
	libraries_read(p);
	/* what is logged is of use only if the prediction is */
	p->set.log = in_dir(p, "predicted-log");
	if (rewrite(p))
		p->rewritten = NULL;
}

/* In p the members that LLD takes, combined, and rewritten; p->taken is empty: no prediction. */
static void predict(const struct link *l, struct link *p)
{
	struct child link;
	struct child_result r;
	struct selection s = {0};
	strings argv = {0};
	*p = *l;
	p->arena = (struct arena){0};
	p->members = p->copied = p->taken = p->wrapped = p->large = p->read = (strings){0};
	p->ref = in_dir(p, "predicted");
	p->why = in_dir(p, "predicted-why");
	p->lto = in_dir(p, "predicted-lto");
	p->linker = (struct linker){.kind = LINKER_LLD};
	p->prefix = "predicted-";
	int why = open_why(p);
	if (why < 0)
		return;
	emit_line(p, PASS_PREDICTION, p->ref, NULL, &argv);
	linker_start(p, &link, &p->linker, &argv, &r);
	bool combined = select_early(p, &link, why, &s) && !(p->traits & TRAIT_BITCODE) &&
		!combine(p);
	if (combined)
		child_wait(&link);
	else
		child_stop(&link);
	vec_free(&argv);
	if (!combined)
		p->taken.n = 0;
	else if (!r.status)
		predict_output(p, &r);
}

static bool same_members(const strings *a, const strings *b)
{
	for (size_t i = 0; a->n == b->n && i < a->n; i++)
		if (strcmp(a->v[i], b->v[i]) != 0)
			return false;
	return a->n == b->n;
}

/* Would rewriting be the same for both outputs? */
static bool same_output(const struct link *l, const struct link *p)
{
	const struct headers *a = &l->headers, *b = &p->headers;
	const uint64_t low = (uint64_t)1 << 30;
	return a->interp == b->interp && a->glibc == b->glibc && a->libc_only == b->libc_only &&
		a->moves == b->moves && !a->end == !b->end && (a->end < low) == (b->end < low) &&
		(a->end > low) == (b->end > low) && outside_same(l->outside, p->outside);
}

static void adopt_log(struct link *l, const struct link *p)
{
	struct bytes b;
	if (p->set.log == l->set.log || !file_map(p->set.log, &b))
		return;
	FILE *f = settings_log(&l->set, _IOFBF);
	fwrite(b.p, 1, b.n, f);
	fflush(f);
	file_unmap(b);
}

/* Use what was predicted, as far as it is so. */
static void adopt(struct link *l, const struct link *p)
{
	if (!same_members(&l->taken, &p->taken))
		return;
	for (size_t i = 0; i < l->members.n; i++)
		output_discard(&l->out, l->members.v[i]);
	l->prefix = p->prefix;
	l->members = p->members;
	l->copied = p->copied;
	l->combined = p->combined;
	l->large = p->large;
	if (!p->rewritten || !same_output(l, p))
		return;
	l->rewritten = p->rewritten;
	l->said = p->said;
	l->single_thread = p->single_thread;
	l->controls = p->controls;
	adopt_log(l, p);
}

/* The reference --------------------------------------------------------------- */

/* Runs the user's link; predicted, if not NULL, is filled meanwhile. */
static void run_reference(struct link *l, struct child_result *r, struct link *predicted)
{
	struct child link;
	strings argv = {0};
	interpose_lto(l);
	emit_line(l, PASS_REFERENCE, l->ref, NULL, &argv);
	linker_start(l, &link, &l->linker, &argv, r);
	if (predicted)
		predict(l, predicted);
	child_wait(&link);
	forget_lto(l);
	output_take(l, l->ref);
	vec_free(&argv);
	step_done_by_child("reference", r->peak);
}

/* GNU ld or gold: a trace, and where that does not tell members apart, the map. */
static const char *select_by_trace(struct link *l, struct child_result *r, struct link *predicted)
{
	run_reference(l, r, is_predictable(l) ? predicted : NULL);
	if (r->status)
		return NULL;
	const char *problem = members_find(l, (char *)r->out.v, NULL);
	if (l->ambiguous) {
		l->want_reasons = true;
		run_reference(l, r, NULL);
		problem = r->status ? NULL : members_find(l, (char *)r->out.v, NULL);
	}
	return problem;
}

/* mold's trace has members that were not taken, so another linker finds the members. */
static const char *select_for_mold(struct link *l, struct child_result *r)
{
	struct link predicted = {0};
	struct linker mold = l->linker;
	struct child_result other;
	const char *ref = l->ref, *problem;
	run_reference(l, r, NULL);
	if (r->status)
		return NULL;
	l->ref = in_dir(l, "selection");
	l->linker = (struct linker){.kind = LINKER_LLD};
	if (l->traits & TRAIT_GCC_LTO && linker_find(l, LINKER_BFD, &l->linker))
		problem = select_by_trace(l, &other, &predicted);
	else
		problem = select_by_lld(l, &other);
	if (other.status)
		problem = step_failure(l, "finding out what is linked", &other);
	l->linker = mold;
	l->ref = ref;
	return problem;
}

static const char *select_members(struct link *l, struct child_result *r, struct link *predicted)
{
	switch (l->linker.kind) {
	case LINKER_LLD: return select_by_lld(l, r);
	case LINKER_MOLD: return select_for_mold(l, r);
	default: return select_by_trace(l, r, predicted);
	}
}

/* A link that fails is repeated with debug information, to which other sections may refer. */
int make_reference(struct link *l, const char **problem)
{
	struct child_result r;
	struct link predicted = {0};
	scan_objects(l);
	*problem = select_members(l, &r, &predicted);
	if (r.status && l->linker.kind != LINKER_MOLD) {
		l->whole = true;
		*problem = select_members(l, &r, &predicted);
	}
	if (r.status)
		return link_failed(l, &r);
	l->trace = (char *)r.out.v;
	headers_read(l->ref, &l->headers);
	libraries_read(l);
	if (predicted.taken.n && !*problem)
		adopt(l, &predicted);
	members_print_rest(l, l->trace);
	print_text(l, (char *)r.err.v, stderr);
	return 0;
}
