/* SPDX-License-Identifier: Apache-2.0 */
/*
 * final.c - the last link: the rewritten object and the runtime in place of the user's objects
 */
#include "ldwrap/ldwrap.h"
#include "ldwrap/sections.h"

#include "base/steps.h"
#include "runtime/abi.h"
#include "targets/platform.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static const char *cannot_write(struct link *l, const char *file)
{
	return arena_printf(&l->arena, "cannot write %s: %s", file, strerror(errno));
}

/* entry: what it calls __ldx_entry has this name; or NULL.  Returns why it cannot. */
static const char *put_runtime(struct link *l, const char *name, const char *entry, strings *words)
{
	const char *object = arena_printf(&l->arena, "%s/ldxrt-%s%s.o", l->ldx.libdir, name,
		l->platform->runtime);
	if (access(object, R_OK))
		fatal("the runtime %s is missing", object);
	const char *own = in_dir(l, arena_printf(&l->arena, "ldxrt-%s.o", name));
	bool good = !entry || object_refer(object, "__ldx_entry", entry, own);
	if (!good || !(object = adapt_object(l, entry ? own : object, own)))
		return cannot_write(l, own);
	vec_push(words, object);
	return NULL;
}

static const char *put_routines(struct link *l, const struct tool_use *tool, strings *words)
{
	const char *object = tool->linked;
	if (access(object, R_OK))
		return NULL; /* it has none */
	if (!(object = adapt_object(l, object, object)))
		return cannot_write(l, tool->linked);
	vec_push(words, object);
	return NULL;
}

/* Most runtime objects of a program. */
enum { RUNTIMES = 5 };

/* What they are called, the one with the entry point first; the last is NULL. */
static void find_runtimes(struct link *l, const char *name[RUNTIMES + 1])
{
	*name++ = arena_printf(&l->arena, "%s%s",
		l->turned				 ? "turned"
			: l->shared			 ? "so"
			: l->rows			 ? "rows"
			: l->single_thread && !l->events ? "lone"
							 : "exe",
		l->controls ? "-control" : "");
	if (l->events)
		*name++ = "events";
	if (!l->shared && tells_end(l))
		*name++ = "ends";
	if (!l->shared && has_start_files(l) && !l->headers.interp && !l->single_thread)
		*name++ = "begins";
	if (!l->shared && l->headers.interp && choose_cells(l) == CELLS_MAPPED)
		*name++ = "early";
	*name = NULL;
}

struct entry_look {
	const char *name;
	bool hidden, defined;
};

static void look_at_entry(void *ctx, const char *name, const Elf64_Sym *sym, size_t at)
{
	struct entry_look *e = ctx;
	(void)at;
	if (strcmp(name, e->name))
		return;
	e->defined = sym->st_shndx != SHN_UNDEF;
	e->hidden = ELF64_ST_VISIBILITY(sym->st_other) != STV_DEFAULT;
}

static struct entry_look look_for_entry(const char *path, const char *entry)
{
	struct entry_look e = {.name = entry};
	struct sections s;
	struct bytes file;
	if (!file_map(path, &file))
		return e;
	if (sections_open(&s, file))
		each_global(&s, look_at_entry, &e);
	file_unmap(file);
	return e;
}

/*
 * Is it hidden in the reference, that of a PIE?  GNU ld makes it local if another object refers to
 * it.
 */
static bool is_hidden(const struct link *l, const char *entry)
{
	return l->linker.kind == LINKER_BFD && l->headers.moves &&
		look_for_entry(l->ref, entry).hidden;
}

/* Is it a library that the kernel starts, as a dynamic linker?  mold gives each an entry point. */
static bool is_loader(const struct link *l, const char *object, const char *entry)
{
	return l->shared && l->headers.entry && !l->headers.interp &&
		look_for_entry(object, entry).defined;
}

/* Has it an interpreter that may enter it in a way of its own, as klibc's, which calls main? */
static bool is_interpreted(const struct link *l)
{
	return !l->shared && l->headers.interp && !l->headers.dynamic;
}

/*
 * Adds the runtime object and its entry: a program's entry point is in the runtime, which jumps to
 * the program's own, that it calls __ldx_entry; a library has a constructor.
 */
static const char *add_runtime(struct link *l, const char *object, strings *words)
{
	const char *user = cmdline_value(&l->cmd, OPT_entry), *why = NULL;
	const char *names[RUNTIMES + 1];
	user = user ? user : l->platform->entry;
	if (!measures(&l->set.rewrite))
		return NULL;
	if (is_loader(l, object, user) || is_interpreted(l))
		return "no dynamic linker prepares it";
	bool by_name = !l->shared && !is_hidden(l, user);
	find_runtimes(l, names);
	for (const char **name = names; *name && !why; name++)
		why = put_runtime(l, *name, by_name && name == names ? user : NULL, words);
	for (size_t i = 0; i < l->set.rewrite.ntools && !why; i++)
		why = put_routines(l, &l->set.rewrite.tool[i], words);
	if (l->shared || why)
		return why;
	if (!l->headers.entry)
		why = "it has no entry point";
	else if (*user >= '0' && *user <= '9')
		why = "its entry point is a number";
	l->new_entry = true;
	vec_push(words, "--entry=__ldx_start");
	if (!by_name) {
		vec_push(words, arena_printf(&l->arena, "--defsym=__ldx_entry=%s", user));
		vec_push(words, arena_printf(&l->arena, "--undefined=%s", user));
	}
	return why;
}

/*
 * With --gc-sections, GNU ld drops sections that are not loaded but refer to others, and gold
 * reports references from them to dropped sections as errors; both except debug information.  So
 * the map of blocks is named like a debug section during the link.
 */
static const char map_name[] = ".ldx.map", map_disguise[] = ".debug_m";

static bool needs_disguise(const struct link *l)
{
	return is_binutils(&l->linker) && cmdline_has(&l->cmd, OPT_gc_sections);
}

/* The option by which debug information, and so a disguised map, would be removed; or NULL. */
static const char *strip_option(const struct link *l)
{
	if (!needs_disguise(l))
		return NULL;
	return cmdline_has(&l->cmd, OPT_strip_all)	? "--strip-all"
		: cmdline_has(&l->cmd, OPT_strip_debug) ? "--strip-debug"
							: NULL;
}

/* By the tool that belongs to the linker: TRIPLET-strip stands beside TRIPLET-ld. */
static const char *strip_output(struct link *l, const char *option, const char *output)
{
	const char *base = base_name(l->linker.path), *dash = strrchr(base, '-');
	const char *strip = arena_printf(&l->arena, "%.*sstrip",
		(int)((dash ? dash + 1 : base) - l->linker.path), l->linker.path);
	struct child_result r;
	child_exec(&r, strip, (const char *const[]){strip, option, output, NULL});
	return r.status ? step_failure(l, "strip", &r) : NULL;
}

/* Does neither a start file nor the object define the entry point? */
static bool lacks_entry(const struct link *l, const char *object)
{
	const char *entry = cmdline_value(&l->cmd, OPT_entry);
	struct bytes b;
	if (has_crt_file(l) || !l->new_entry || !file_map(object, &b))
		return false;
	bool defined = object_defines(b, entry ? entry : l->platform->entry);
	file_unmap(b);
	return !defined;
}

const char *final_link(struct link *l, const char *object, const char *output)
{
	strings argv = {0}, words = {0};
	struct child_result r;
	const char *problem = add_runtime(l, object, &words), *strip = strip_option(l);
	if (problem)
		return problem;
	l->strips_later = strip;
	if (!adapt_object(l, object, object))
		return cannot_write(l, object);
	vec_push(&words, object);
	if (l->linker.kind == LINKER_LLD) {
		vec_push(&words, "-z");
		vec_push(&words, "dead-reloc-in-nonalloc=.ldx.map=0");
	}
	const char *name = needs_disguise(l) ? map_disguise : map_name;
	/* for GNU ld and gold, an object without a note asks for an executable stack */
	if (l->headers.stack && is_binutils(&l->linker)) {
		vec_push(&words, "-z");
		vec_push(&words, l->headers.stack);
	}
	bool map = section_rename(object, map_name, name) || section_rename(object, name, name);
	emit_line(l, PASS_FINAL, output, &words, &argv);
	linker_run(l, &l->linker, &argv, &r);
	vec_free(&argv);
	step_done_by_child("final", r.peak);
	if (r.status)
		return lacks_entry(l, object) ? "it has no entry point"
					      : step_failure(l, "the final link", &r);
	output_take(l, output);
	if (map && !section_rename(output, name, map_name))
		return "the linker drops the map of blocks";
	adapt_symbols(l, output);
	if (strip && (problem = strip_output(l, strip, output)))
		return problem;
	l->reported = (char *)r.out.v;
	return NULL;
}
