/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.c - from the reference link to the instrumented output
 */
#include "ldwrap/ldwrap.h"
#include "ldwrap/lld.h"

#include "base/shown.h"
#include "base/steps.h"
#include "reloc/object.h"
#include "runtime/abi.h"
#include "targets/stated.h"
#include "targets/platform.h"
#include "targets/target.h"
#include "verify/verify.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int link_failed(struct link *l, const struct child_result *r)
{
	const char *death = child_death(r), *said = (char *)r->err.v;
	const char *crash = death ? child_crash_text(r) : NULL;
	if (crash) {
		said = arena_printf(&l->arena, "%.*s", (int)(crash - said), said);
		death = arena_printf(&l->arena, "%s: %.*s", death, (int)strcspn(crash, "\n"),
			crash);
	}
	members_print_rest(l, (char *)r->out.v);
	print_text(l, said, stderr);
	if (death)
		fatal("%s: the linker failed: %s", l->out.path, death);
	return r->status;
}

/* The instrumented output --------------------------------------------------- */

/* A file is no longer needed, except by --ldx-keep. */
static void done_with(struct link *l, const char *file)
{
	if (!l->set.keep)
		output_discard(&l->out, file);
}

struct rewriting {
	const char *in, *out, *name;
	const struct settings *set;
	struct rewrite_options *opt;
};

static int do_rewrite(void *arg, int out, int err)
{
	const struct rewriting *w = arg;
	(void)err;
	/* buffered, because other links of a build may write to the log at the same time */
	w->opt->log = settings_log(w->set, _IOFBF);
	if (w->opt->stats)
		fprintf(w->opt->log, "ldx: stats: output: %s\n", shown(w->name));
	struct arena a = {0};
	claim_vec claims = {0};
	struct stated stated = {0};
	tool_call_vec calls = {0};
	redirect_vec redirects = {0};
	w->opt->claims = w->set->verify ? &claims : NULL;
	w->opt->stated = w->set->verify ? &stated : NULL;
	w->opt->calls = w->set->verify ? &calls : NULL;
	w->opt->redirects = &redirects;
	struct rewritten result = rewrite_object(&a, w->in, w->out, w->opt);
	if (w->set->verify) {
		struct verify_options facts = {.shared = w->opt->shared,
			.origins = w->opt->origins,
			.outside = w->opt->outside,
			.atomic = w->opt->counters == ACCESS_ATOMIC ||
				(w->opt->counters == ACCESS_TURNED && !result.turned),
			.turned = result.turned,
			.alone = w->opt->counters == ACCESS_PLAIN ||
				(w->opt->counters == ACCESS_THREAD && result.alone),
			.claims = &claims,
			.stated = &stated,
			.calls = &calls,
			.redirects = &redirects,
			.dwarf = lld_dwarf()};
		arena_free(&a);
		if (!verify_object(w->in, w->out, &facts, w->opt->log))
			fatal("%s: the rewritten object does not verify", w->in);
		step_done("verify");
	}
	return write(out, &result, sizeof result) != sizeof result;
}

const char *combine(struct link *l)
{
	static const struct linker lld = {.kind = LINKER_LLD};
	strings argv = {0};
	struct child_result r;
	if (l->combined)
		return NULL;
	l->combined = in_dir(l, "combined.o");
	emit_combine(l, l->combined, &argv);
	linker_run(l, &lld, &argv, &r);
	vec_free(&argv);
	step_done_by_child("combine", r.peak);
	if (r.status)
		return origins_in_text(l, step_failure(l, "joining the objects", &r));
	bool hides = l->traits & (TRAIT_GCC_LTO | TRAIT_BITCODE) &&
		cmdline_has(&l->cmd, OPT_exclude_libs);
	if ((l->traits & TRAIT_VERSIONS && !object_join_versions(l->combined)) ||
		(hides && !adapt_visibility(l, l->combined)))
		return "the combined object cannot be changed";
	return NULL;
}

/* The number of threads that --threads gives.  0: it is not given. */
static unsigned wanted_threads(const struct link *l)
{
	unsigned n = 0;
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		if (it->opt == OPT_threads)
			n = it->value ? (unsigned)strtoul(it->value, NULL, 10) : 0;
		else if (it->opt == OPT_no_threads)
			n = 1;
	}
	return n;
}

/* The symbols at which the kernel, the start files and the dynamic linker enter the objects. */
static void find_entered(struct link *l, strings *name)
{
	const char *entry = cmdline_value(&l->cmd, OPT_entry),
		   *init = cmdline_value(&l->cmd, OPT_init),
		   *fini = cmdline_value(&l->cmd, OPT_fini);
	vec_push(name, entry ? entry : l->platform->entry);
	vec_push(name, init ? init : "_init");
	vec_push(name, fini ? fini : "_fini");
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		struct bytes b;
		if (it->opt != OPT_FILE || !is_crt_file(it->value) || !file_map(it->value, &b))
			continue;
		object_references(b, &l->arena, name);
		file_unmap(b);
	}
	vec_push(name, NULL);
}

/* The values that options and scripts of the link give to symbols, and a NULL. */
static void find_expressions(struct link *l, strings *found)
{
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		if (it->opt == OPT_defsym && strchr(it->value, '='))
			vec_push(found, strchr(it->value, '=') + 1);
		else if (it->opt == OPT_wrap)
			vec_push(found, it->value); /* __real_NAME leads to it */
		else if (it->opt == OPT_script ||
			(it->opt == OPT_FILE && file_kind(it->value) == KIND_OTHER))
			script_expressions(&l->arena, &l->cmd, it->value, found);
	}
	vec_push(found, NULL);
}

/*
 * The rewritten object is called like the first of the user's: GNU ld makes a symbol of the name of
 * an object that has none for its source file.
 */
static const char *object_name(const struct link *l)
{
	const char *first = l->members.v[0];
	size_t n = strlen(l->out.dir);
	bool own = !strncmp(first, l->out.dir, n) && first[n] == '/';
	return own ? "ldx.o" : base_name(first);
}

static bool collects(const struct link *l)
{
	return cmdline_has(&l->cmd, OPT_gc_sections);
}

/*
 * Can the runtime change a library's code?  With --gc-sections, gold and mold drop the list of the
 * places, of which a part belongs to each section.
 */
static bool can_turn(const struct link *l)
{
	const struct platform *on = l->platform;
	return target_find(on->machine, on->word, on->big)->turn && !l->headers.code_writable &&
		(!collects(l) || l->linker.kind == LINKER_BFD || l->linker.kind == LINKER_LLD);
}

static void choose_options(struct link *l, struct rewrite_options *opt)
{
	opt->shared = l->shared;
	opt->collects = collects(l);
	opt->moves = l->shared || l->headers.moves;
	opt->high = opt->moves || l->headers.end > (uint64_t)1 << 30;
	/* the thread base is the program's: all threads share a library's counters */
	if (l->shared && opt->counters == ACCESS_THREAD)
		opt->counters = can_turn(l) ? ACCESS_TURNED : ACCESS_ATOMIC;
	opt->dynamic = l->headers.interp;
	opt->ends = l->shared || tells_end(l);
	/* mold 1.10 knows none of AArch64 */
	opt->rows = l->linker.kind != LINKER_MOLD;
	opt->threads = wanted_threads(l);
	opt->cells = choose_cells(l);
	if (measures(opt))
		opt->outside = l->outside;
}

/* What is not said in relocations is put into the object. */
static const char *finish(struct link *l)
{
	if (choose_cells(l) == CELLS_MAPPED && !object_bind(l->rewritten, l->platform->address4))
		return "the rewritten object cannot be changed";
	for (size_t i = 0; choose_cells(l) == CELLS_MAPPED && i < l->set.rewrite.ntools; i++)
		if (!access(l->set.rewrite.tool[i].linked, F_OK) &&
			!object_bind(l->set.rewrite.tool[i].linked, l->platform->address4))
			return "the routines of a tool cannot be changed";
	if (l->large.n && !object_large_commons(l->rewritten, &l->large))
		return "the rewritten object cannot be changed";
	return NULL;
}

/* A word that processes made from now on share; NULL: there is no memory. */
static volatile uint32_t *share_word(void)
{
	void *p = mmap(NULL, sizeof(uint32_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		-1, 0);
	return p == MAP_FAILED ? NULL : p;
}

const char *rewrite(struct link *l)
{
	struct child_result r;
	struct rewrite_options opt = l->set.rewrite;
	const char *out = in_dir(l, arena_printf(&l->arena, "object/%s", object_name(l)));
	struct rewriting w = {l->combined, out, l->out.path, &l->set, &opt};
	struct origins origins;
	strings entered = {0}, expressions = {0};
	find_entered(l, &entered);
	opt.entered = entered.v;
	find_expressions(l, &expressions);
	opt.expressions = expressions.v;
	choose_options(l, &opt);
	origins_of(l, &origins);
	origins.losses = opt.stats;
	opt.origins = &origins;
	opt.asks = share_word();
	child_run(&r, do_rewrite, &w);
	vec_free(&entered);
	vec_free(&expressions);
	step_done_by_child("rewrite", r.peak);
	if (r.status == TOOL_FAILED) {
		const char *text = first_reason((char *)r.err.v);
		fatal("%s: %.*s", l->out.path, (int)strcspn(text, "\n"), text);
	}
	size_t asks = opt.asks ? *opt.asks : 0; /* a tool that is wrong may have written there */
	if (asks)
		fatal("%s: tool %s ended the process that it runs in", l->out.path,
			opt.tool[(asks > opt.ntools ? opt.ntools : asks) - 1].name);
	if (r.status)
		return step_failure(l, "rewriting", &r);
	l->said = (char *)r.err.v;
	l->rewritten = out;
	struct rewritten result;
	memcpy(&result, r.out.v, sizeof result);
	l->single_thread = result.single_thread;
	l->turned = result.turned;
	l->words = result.words;
	l->rows = result.rows;
	l->controls = result.controls;
	l->events = result.events;
	return finish(l);
}

static const char *make_object(struct link *l)
{
	const char *problem = NULL;
	if (!l->rewritten)
		problem = combine(l);
	if (!l->rewritten && !problem)
		problem = rewrite(l);
	if (!problem && l->shared && l->linker.kind == LINKER_BFD &&
		!adapt_references(l, l->rewritten))
		problem = "the rewritten object cannot be changed";
	done_with(l, l->combined);
	for (size_t i = 0; i < l->members.n; i++)
		output_discard(&l->out, l->members.v[i]);
	if (!problem)
		print_text(l, l->said, stderr);
	return problem;
}

static const char *link_and_check(struct link *l, const char *output)
{
	const char *problem = final_link(l, l->rewritten, output);
	if (problem)
		return problem;
	bool adds = measures(&l->set.rewrite) || l->set.rewrite.poison;
	problem = check_same(&l->arena, l->ref, output, adds, l->words);
	step_done("check");
	return problem ? arena_printf(&l->arena, "the output would not be the same: %s", problem)
		       : NULL;
}

/* Why a script of the link cannot be used for the combined object, or NULL. */
static const char *find_script_problem(struct link *l)
{
	const char *problem = NULL;
	bool binary = false;
	for (size_t i = 0; i < l->cmd.items.n && !problem; i++) {
		const struct item *it = &l->cmd.items.v[i];
		if (it->opt == OPT_format)
			binary = !strcmp(it->value, "binary");
		if (it->opt == OPT_script || it->opt == OPT_default_script ||
			(it->opt == OPT_FILE && !binary && file_kind(it->value) == KIND_OTHER))
			problem = script_problem(&l->arena, &l->cmd, it->value);
	}
	return problem;
}

/*
 * Cuts the table of cross references, the last that the linker prints, off its text.  LLD writes no
 * empty line in front of it.  NULL: there is none.
 */
static char *cut_table(struct link *l, char *text)
{
	char *empty = *text == '\n' ? text : strstr(text, "\n\n"), *table = empty;
	if (!cmdline_has(&l->cmd, OPT_cref) || !empty)
		return NULL;
	if (l->linker.kind == LINKER_LLD)
		while (table > text && table[-1] != '\n')
			table--;
	else
		table += table > text;
	char *copy = arena_printf(&l->arena, "%s", table);
	*table = '\0';
	return copy;
}

/* What the user's link prints on its standard output; the table is in the map if there is one. */
static void print_reports(struct link *l)
{
	char *trace = arena_printf(&l->arena, "%s", l->trace), *table = cut_table(l, trace);
	const char *map = map_file(l);
	FILE *f = table && map ? fopen(map, "a") : NULL;
	members_print_rest(l, trace);
	print_text(l, l->reported, stdout);
	if (table)
		print_text(l, table, f ? f : stdout);
	if (f)
		fclose(f);
}

const char *instrument(struct link *l, const char *output)
{
	const char *problem = find_script_problem(l);
	if (problem)
		return problem;
	if ((problem = make_object(l)))
		return problem;
	problem = link_and_check(l, output);
	if (problem && cmdline_has(&l->cmd, OPT_as_needed)) {
		l->settled = true;
		problem = link_and_check(l, output);
	}
	done_with(l, l->rewritten);
	if (problem)
		return problem;
	print_reports(l);
	done_with(l, l->ref);
	return NULL;
}

/* The plain link --------------------------------------------------------------- */

int link_plain(struct link *l)
{
	strings argv = {0};
	struct child_result r;
	emit_line(l, PASS_PLAIN, l->out.path, NULL, &argv);
	linker_run(l, &l->linker, &argv, &r);
	return link_failed(l, &r);
}

/* Its warnings are those of the reference, which are printed; what it prints besides is not yet. */
int fall_back(struct link *l, const char *problem, const char *output)
{
	strings argv = {0};
	struct child_result r;
	if (problem)
		settings_warn(&l->set, l->out.path, problem);
	/* the disk may be nearly full */
	const char *const gone[] = {l->ref, l->combined, l->rewritten};
	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
		if (gone[i])
			unlink(gone[i]);
	l->ref = output;
	emit_line(l, PASS_PLAIN, output, NULL, &argv);
	linker_run(l, &l->linker, &argv, &r);
	vec_free(&argv);
	if (r.status)
		return link_failed(l, &r);
	output_take(l, output);
	print_text(l, (char *)r.out.v, stdout);
	return 0;
}

static void keep(struct link *l, const char *dir, const char *name, const char *file)
{
	if (file)
		output_keep(file, arena_printf(&l->arena, "%s/%s", dir, name));
}

void keep_files(struct link *l)
{
	const char *dir = l->set.keep_dir;
	if (!l->set.keep)
		return;
	if (!dir)
		dir = arena_printf(&l->arena, "%s.ldx", l->out.path);
	if (mkdir(dir, 0777) && errno != EEXIST)
		fatal("cannot make the directory %s: %s", dir, strerror(errno));
	keep(l, dir, "reference", l->ref);
	keep(l, dir, "combined.o", l->combined);
	keep(l, dir, "rewritten.o", l->rewritten);
}
