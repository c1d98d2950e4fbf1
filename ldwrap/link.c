/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.c - the three links: reference, combined object, output
 */
#include "ldwrap/ldwrap.h"

#include "ldwrap/lld.h"
#include "runtime/abi.h"
#include "targets/target.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

static const char *in_dir(struct link *l, const char *name)
{
	return arena_printf(&l->arena, "%s/%s", l->out.dir, name);
}

/* Prints text with the temporary name of the output replaced by the user's. */
static void print_text(const struct link *l, const char *text, FILE *f)
{
	size_t n = l->ref ? strlen(l->ref) : 0;
	for (const char *p; n && (p = strstr(text, l->ref)); text = p + n) {
		fwrite(text, 1, (size_t)(p - text), f);
		fputs(l->out.path, f);
	}
	fputs(text, f);
	fflush(f);
}

static void step_time(struct link *l, const char *step)
{
	if (!l->set.rewrite.time)
		return;
	double now = now_seconds();
	fprintf(stderr, "ldx: time: %-10s %8.3f s\n", step, now - l->started);
	l->started = now;
}

/* Links that are not for ldx ---------------------------------------------- */

/* The machine a link is for; 0 when its inputs do not say. */
static uint16_t link_machine(const struct link *l, bool *plain)
{
	const char *emulation = cmdline_value(&l->cmd, OPT_m);
	if (emulation) {
		*plain = true;
		return !strcmp(emulation, "elf_x86_64") ? EM_X86_64 : EM_NONE;
	}
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		struct bytes b;
		if (l->cmd.items.v[i].opt != OPT_FILE || !file_map(l->cmd.items.v[i].value, &b))
			continue;
		uint16_t machine = elf_machine(b, plain);
		file_unmap(b);
		if (machine)
			return machine;
	}
	*plain = true;
	return EM_X86_64;
}

/* Options with which the inputs are not what they seem, or the output is no program. */
static const char *option_problem(struct link *l)
{
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		bool other = false;
		switch (it->opt) {
		case OPT_architecture:
		case OPT_just_symbols:
		case OPT_mri_script:
		case OPT_chroot:
		case OPT_directory: other = true; break;
		case OPT_oformat: other = strncmp(it->value, "elf", 3) != 0; break;
		default: break;
		}
		if (other || item_class(it) == CLASS_byp)
			return arena_printf(&l->arena, "it is linked with %s", it->raw[0]);
	}
	return NULL;
}

const char *bypass_reason(struct link *l, bool *quiet)
{
	const struct cmdline *c = &l->cmd;
	bool plain = true, files = false;
	*quiet = true;
	if (l->set.off)
		return "--instrument=off";
	if (cmdline_has(c, OPT_relocatable))
		return "it is linked with -r";
	for (size_t i = 0; i < c->items.n; i++) {
		if (c->items.v[i].opt == OPT_UNKNOWN)
			return "unknown option";
		files |= c->items.v[i].opt == OPT_FILE || c->items.v[i].opt == OPT_library;
	}
	if (!files)
		return "no input files";
	*quiet = false;
	uint16_t machine = link_machine(l, &plain);
	if (!plain || !target_find(machine))
		return "ldx cannot instrument code for this machine";
	return option_problem(l);
}

/* Choosing a linker ------------------------------------------------------- */

static bool switch_linker(struct link *l, enum linker_kind kind)
{
	struct linker other;
	if (!linker_find(&l->arena, &l->place, kind, &other))
		return false;
	l->linker = other;
	return true;
}

/* One that knows an option LLD does not. */
static void switch_for_option(struct link *l, const struct item *it)
{
	const char *known = option_table[it->written].known;
	if ((strchr(known, 'b') && switch_linker(l, LINKER_BFD)) ||
		(strchr(known, 'g') && switch_linker(l, LINKER_GOLD)) ||
		(strchr(known, 'm') && switch_linker(l, LINKER_MOLD)))
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
			l->traits |= object_traits(b);
		file_unmap(b);
	}
	l->exec_stack = l->traits & TRAIT_EXEC_STACK;
}

/* What only GNU ld does right: gcc's LTO, .ctors, and scripts, which are written for it. */
static bool needs_bfd(const struct link *l)
{
	return l->linker.kind == LINKER_LLD &&
		((l->traits & (TRAIT_GCC_LTO | TRAIT_CTORS)) || cmdline_has(&l->cmd, OPT_script));
}

static void choose_linker(struct link *l)
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

/* Why a step failed: the first line of what it said, without `ldx: error: '. */
static const char *failure(struct link *l, const char *step, const struct child_result *r)
{
	const char *text = (char *)r->err.v, *death = child_death(r), *colon;
	if (death)
		return arena_printf(&l->arena, "%s failed: %s", step, death);
	while (*text && (colon = strstr(text, "error: ")) != text && colon) {
		const char *eol = strchr(text, '\n');
		if (!eol || colon < eol) {
			text = colon + 7;
			break;
		}
		text = eol + 1;
	}
	return arena_printf(&l->arena, "%s failed: %.*s", step, (int)strcspn(text, "\n"), text);
}

/* The reference ----------------------------------------------------------- */

/* The real lto-wrapper, from the word that names it to the plugin. */
static void interpose_lto(struct link *l)
{
	const char *wrapper = in_dir(l, LTO_WRAPPER_NAME);
	l->capture_lto = (l->traits & TRAIT_GCC_LTO) && l->linker.kind != LINKER_LLD;
	if (!l->capture_lto)
		return;
	for (size_t i = 0; i < l->cmd.items.n; i++)
		if (is_lto_wrapper(&l->cmd.items.v[i]))
			setenv("LDX_LTO_WRAPPER", l->cmd.items.v[i].value, 1);
	setenv("LDX_LTO_PREFIX", l->lto, 1);
	if (access(wrapper, F_OK) && symlink(l->place.exe, wrapper))
		fatal("cannot make %s", wrapper);
}

static void forget_lto(struct link *l)
{
	l->capture_lto = false;
	unsetenv("LDX_LTO_WRAPPER");
	unsetenv("LDX_LTO_PREFIX");
}

/* LLD names its output in the dependency file: that is not the user's name for it. */
static void fix_depfile(struct link *l)
{
	const char *path = cmdline_value(&l->cmd, OPT_dependency_file);
	struct bytes b;
	size_t n = strlen(l->ref);
	if (!path || !file_map(path, &b))
		return;
	char *text = arena_printf(&l->arena, "%.*s", (int)b.n, (const char *)b.p);
	file_unmap(b);
	FILE *f = strncmp(text, l->ref, n) ? NULL : fopen(path, "w");
	if (!f)
		return;
	fprintf(f, "%s%s", l->out.path, text + n);
	if (fclose(f))
		fatal("cannot write %s", path);
}

static int link_failed(struct link *l, const struct child_result *r)
{
	members_print_rest(l, (char *)r->out.v);
	print_text(l, (char *)r->err.v, stderr);
	const char *death = child_death(r);
	if (death)
		fatal("%s: the linker failed: %s", l->out.path, death);
	return r->status;
}

/* Runs the user's link once; what it says is in *r. */
static void run_reference(struct link *l, const char *output, struct child_result *r)
{
	strings argv = { 0 };
	emit_line(l, PASS_REFERENCE, output, NULL, &argv);
	linker_run(&l->linker, &argv, r);
	vec_free(&argv);
}

static bool has_gcc_plugin(const struct link *l)
{
	for (size_t i = 0; i < l->cmd.items.n; i++)
		if (is_lto_wrapper(&l->cmd.items.v[i]))
			return true;
	return false;
}

/*
 * Runs the user's link and finds its members.  What these turn out to be may ask
 * for another linker or an option more: then it runs again.
 */
static void select_members(struct link *l, const char *output, struct child_result *r,
	const char **problem)
{
	for (;;) {
		interpose_lto(l);
		run_reference(l, output, r);
		forget_lto(l);
		if (r->status && l->linker.kind == LINKER_LLD && !child_death(r) &&
			has_gcc_plugin(l) && archives_have_lto(&l->arena, &l->cmd) &&
			switch_linker(l, LINKER_BFD)) {
			l->traits |= TRAIT_GCC_LTO;
			continue;
		}
		if (r->status)
			return;
		*problem = members_find(l, (char *)r->out.v);
		if (needs_bfd(l) && switch_linker(l, LINKER_BFD))
			continue;
		if (!(l->traits & TRAIT_EXEC_STACK) || l->exec_stack ||
			l->linker.kind != LINKER_LLD)
			return;
		l->exec_stack = true;
	}
}

/* mold's trace has members that were not taken: another linker must tell. */
static void select_for_mold(struct link *l, const char **problem)
{
	struct linker mold = l->linker;
	struct child_result r;
	l->linker = (struct linker){ .kind = LINKER_LLD };
	if (needs_bfd(l))
		switch_linker(l, LINKER_BFD);
	select_members(l, in_dir(l, "selection"), &r, problem);
	if (r.status)
		*problem = failure(l, "finding out what is linked", &r);
	l->linker = mold;
}

/*
 * The reference output.  Returns the status of the link; *problem says why the
 * reference is all there will be, or is NULL.
 */
static int make_reference(struct link *l, const char **problem)
{
	struct child_result r;
	if (l->linker.kind == LINKER_MOLD)
		run_reference(l, l->ref, &r);
	else
		select_members(l, l->ref, &r, problem);
	if (r.status)
		return link_failed(l, &r);
	members_print_rest(l, (char *)r.out.v);
	print_text(l, (char *)r.err.v, stderr);
	fix_depfile(l);
	if (l->linker.kind == LINKER_MOLD)
		select_for_mold(l, problem);
	step_time(l, "reference");
	return 0;
}

/* The instrumented output --------------------------------------------------- */

struct rewriting {
	const char *in, *out;
	const struct rewrite_options *opt;
};

static int do_rewrite(void *arg, int out, int err)
{
	const struct rewriting *w = arg;
	(void)out;
	(void)err;
	rewrite_object(w->in, w->out, w->opt);
	return 0;
}

static const char *combine(struct link *l, const char *output)
{
	static const struct linker lld = { .kind = LINKER_LLD };
	strings argv = { 0 };
	struct child_result r;
	emit_combine(l, output, &argv);
	linker_run(&lld, &argv, &r);
	vec_free(&argv);
	step_time(l, "combine");
	return r.status ? failure(l, "joining the objects", &r) : NULL;
}

static const char *rewrite(struct link *l, const char *in, const char *out)
{
	struct child_result r;
	struct rewriting w = { in, out, &l->set.rewrite };
	child_run(&r, do_rewrite, &w);
	step_time(l, "rewrite");
	if (r.status)
		return failure(l, "rewriting", &r);
	print_text(l, (char *)r.err.v, stderr);
	return NULL;
}

/*
 * The runtime object, and the way into it.  A program is entered at the runtime,
 * which goes on to __ldx_entry; a library has it among its constructors.
 */
static const char *add_runtime(struct link *l, strings *words)
{
	uint64_t entry;
	const char *user = cmdline_value(&l->cmd, OPT_entry), *why = NULL;
	user = user ? user : "_start";
	if (l->set.rewrite.mode == LDX_MODE_NONE)
		return NULL;
	const char *object = arena_printf(&l->arena, "%s/%s", l->place.libdir,
		l->shared ? "ldxrt-so.o" : "ldxrt-exe.o");
	if (access(object, R_OK))
		fatal("the runtime %s is missing", object);
	vec_push(words, object);
	if (l->shared)
		return NULL;
	if (!check_entry(l->ref, &entry) || !entry)
		why = "it has no entry point";
	else if (*user >= '0' && *user <= '9')
		why = "its entry point is a number";
	l->new_entry = true;
	vec_push(words, "--entry=__ldx_start");
	vec_push(words, arena_printf(&l->arena, "--defsym=__ldx_entry=%s", user));
	/* Or mold collects what only that names. */
	vec_push(words, arena_printf(&l->arena, "--undefined=%s", user));
	return why;
}

/*
 * With --gc-sections, GNU ld drops sections that are not loaded but refer to
 * others, and gold takes such references to what it dropped for an error, unless
 * it is debug information: the map of blocks goes through them under that name.
 */
static const char map_name[] = ".ldx.map", map_disguise[] = ".debug_m";

static bool needs_disguise(const struct link *l)
{
	return (l->linker.kind == LINKER_BFD || l->linker.kind == LINKER_GOLD) &&
		cmdline_has(&l->cmd, OPT_gc_sections);
}

static const char *final_link(struct link *l, const char *object, const char *output)
{
	strings argv = { 0 }, words = { 0 };
	struct child_result r;
	const char *problem = add_runtime(l, &words);
	if (problem)
		return problem;
	vec_push(&words, object);
	if (l->linker.kind == LINKER_LLD) {
		vec_push(&words, "-z");
		vec_push(&words, "dead-reloc-in-nonalloc=.ldx.map=0");
	}
	const char *name = needs_disguise(l) ? map_disguise : map_name;
	bool map = section_rename(object, map_name, name);
	emit_line(l, PASS_FINAL, output, &words, &argv);
	linker_run(&l->linker, &argv, &r);
	vec_free(&argv);
	step_time(l, "final");
	if (r.status)
		return failure(l, "the final link", &r);
	if (map && !section_rename(output, name, map_name))
		return "the linker drops the map of blocks";
	print_text(l, (char *)r.out.v, stdout);
	return NULL;
}

/* Returns why there is no instrumented output, or NULL. */
static const char *instrument(struct link *l, const char *output)
{
	const char *problem, *combined = in_dir(l, "combined.o"), *object = in_dir(l, "rewritten.o");
	const char *script = NULL;
	for (size_t i = 0; i < l->cmd.items.n && !script; i++)
		if (l->cmd.items.v[i].opt == OPT_script)
			script = script_problem(&l->arena, l->cmd.items.v[i].value);
	if (script)
		return script;
	if ((problem = combine(l, combined)) || (problem = rewrite(l, combined, object)) ||
		(problem = final_link(l, object, output)))
		return problem;
	problem = check_same(&l->arena, l->ref, output);
	step_time(l, "check");
	return problem ? arena_printf(&l->arena, "the output would not be the same: %s", problem)
		       : NULL;
}

/* The plain link --------------------------------------------------------------- */

/* Reports that describe the output were not asked of the reference link. */
static void reports_of_reference(struct link *l)
{
	strings argv = { 0 };
	struct child_result r;
	bool wanted = false;
	for (size_t i = 0; i < l->cmd.items.n; i++)
		wanted |= item_class(&l->cmd.items.v[i]) == CLASS_repF;
	if (!wanted)
		return;
	emit_line(l, PASS_PLAIN, l->ref, NULL, &argv);
	linker_run(&l->linker, &argv, &r);
	print_text(l, (char *)r.out.v, stdout);
	if (r.status)
		exit(link_failed(l, &r));
}

static void report_problem(struct link *l, const char *problem)
{
	if (l->set.strict)
		fatal("%s: not instrumented: %s", l->out.path, problem);
	warn("%s: not instrumented: %s", l->out.path, problem);
}

/* Where the output cannot be made, the linker is to say so. */
static int link_plain(struct link *l)
{
	strings argv = { 0 };
	struct child_result r;
	l->linker = (struct linker){ .kind = LINKER_LLD };
	emit_line(l, PASS_PLAIN, l->out.path, NULL, &argv);
	linker_run(&l->linker, &argv, &r);
	return link_failed(l, &r);
}

static void keep_files(struct link *l)
{
	static const char *const names[] = { "reference", "combined.o", "rewritten.o" };
	const char *dir = l->set.keep_dir;
	if (!dir)
		dir = arena_printf(&l->arena, "%s.ldx", l->out.path);
	if (l->set.keep)
		output_keep(&l->arena, &l->out, dir, names, sizeof names / sizeof *names);
}

int link_all(struct link *l)
{
	const char *output = cmdline_value(&l->cmd, OPT_output), *problem = NULL;
	if (!output_open(&l->arena, &l->out, output ? output : "a.out"))
		return link_plain(l);
	l->started = now_seconds();
	l->shared = cmdline_has(&l->cmd, OPT_shared);
	l->ref = in_dir(l, "reference");
	l->why = in_dir(l, "why");
	l->lto = in_dir(l, "lto");
	const char *result = in_dir(l, "output");

	choose_linker(l);
	int status = make_reference(l, &problem);
	if (status)
		return status;
	if (!problem)
		problem = instrument(l, result);
	if (problem) {
		keep_files(l);
		report_problem(l, problem);
		reports_of_reference(l);
		result = l->ref;
	} else {
		keep_files(l);
	}
	signals_check();
	output_install(&l->out, result);
	return 0;
}
