/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - command lines for the passes
 *
 * The class of an option says which passes get it.  LLD gets every option in the spelling that it
 * always accepts, other linkers get the user's own words.
 */
#include "ldwrap/ldwrap.h"

#include "targets/platform.h"

#include <stdlib.h>
#include <unistd.h>

static bool has_z(const struct cmdline *c, enum opt a, enum opt b)
{
	for (size_t i = 0; i < c->items.n; i++)
		if (c->items.v[i].opt == OPT_z &&
			(c->items.v[i].keyword == a || c->items.v[i].keyword == b))
			return true;
	return false;
}

static bool is_lto_wrapper(const struct item *it)
{
	static const char name[] = LTO_WRAPPER_NAME;
	size_t n = it->value ? strlen(it->value) : 0, k = sizeof name - 1;
	return it->opt == OPT_plugin_opt && n >= k && !strcmp(it->value + n - k, name);
}

const char *gcc_lto_wrapper(const struct cmdline *c)
{
	for (size_t i = c->items.n; i-- > 0;)
		if (is_lto_wrapper(&c->items.v[i]))
			return c->items.v[i].value;
	return NULL;
}

/* Is the option only for gcc's plugin? */
static bool is_gcc_plugin_option(const struct item *it)
{
	return it->opt == OPT_plugin_opt && it->value &&
		(!strncmp(it->value, "-fresolution=", 13) ||
			!strncmp(it->value, "-pass-through=", 14) || is_lto_wrapper(it));
}

static void put2(strings *argv, const char *a, const char *b)
{
	vec_push(argv, a);
	vec_push(argv, b);
}

static void put_lld(struct link *l, const struct item *it, strings *argv)
{
	struct arena *a = &l->arena;
	if (it->opt >= OPT_FILE) {
		vec_push(argv, it->raw[0]);
		return;
	}
	const char *name = option_table[it->opt].name;
	int lld = option_table[it->written].lld;
	if (it->opt == OPT_z && it->keyword != OPT_UNKNOWN)
		lld = option_table[it->keyword].lld;
	if (lld == LLD_drop || is_gcc_plugin_option(it) || (it->opt == OPT_threads && !it->value))
		return;
	if (it->opt == OPT_format && strcmp(it->value, "binary"))
		vec_push(argv, "--format=default");
	else if (it->opt == OPT_no_build_id)
		vec_push(argv, "--build-id=none");
	else if (!name[1] && it->value)
		put2(argv, arena_printf(a, "-%s", name), it->value);
	else if (!name[1])
		vec_push(argv, arena_printf(a, "-%s", name));
	else if (lld == LLD_sep)
		put2(argv, arena_printf(a, "--%s", name), it->value);
	else if (option_table[it->opt].arg == ARG_join)
		vec_push(argv, arena_printf(a, "--%s%s", name, it->value));
	else if (it->value && lld != LLD_bare)
		vec_push(argv, arena_printf(a, "--%s=%s", name, it->value));
	else
		vec_push(argv, arena_printf(a, "--%s", name));
}

/* LLVM's plugin for GNU ld and gold keeps the objects that it makes, if it is told a name for them.
 */
static bool is_llvm_plugin(const struct item *it)
{
	return it->opt == OPT_plugin && it->value && !strcmp(base_name(it->value), "LLVMgold.so");
}

/* LLD where it is not the replaced linker: it is to do as that one does. */
static bool stands_in(const struct link *l)
{
	return l->linker.kind == LINKER_LLD && l->replaced != LINKER_LLD;
}

/*
 * Is it an option of mold about something else than which objects are linked, which GNU ld, in its
 * place, does not know?
 */
static bool is_strange(const struct link *l, const struct item *it)
{
	if (l->linker.kind != LINKER_BFD || l->replaced != LINKER_MOLD || it->opt >= OPT_FILE)
		return false;
	int class = item_class(it);
	bool selects = class != CLASS_lay && class != CLASS_run && class != CLASS_diag &&
		class != CLASS_rep1 && class != CLASS_repF;
	return !selects && !strchr(option_table[it->written].known, 'b');
}

/* GNU ld writes the name of the output in place of a % in that of the map. */
static const char *expand_map(struct link *l, const char *name)
{
	const char *output = cmdline_value(&l->cmd, OPT_output);
	const char *percent = l->linker.kind == LINKER_BFD ? strchr(name, '%') : NULL;
	return percent ? arena_printf(&l->arena, "%.*s%s%s", (int)(percent - name), name,
				 output ? output : "a.out", percent[1] ? percent + 1 : ".map")
		       : name;
}

const char *map_file(struct link *l)
{
	const char *name = cmdline_value(&l->cmd, OPT_Map);
	return name && strcmp(name, "-") ? expand_map(l, name) : NULL;
}

/* Whoever replaces LLD gets its own verdict on options, also on those of other linkers only. */
static void put_item(struct link *l, const struct item *it, strings *argv)
{
	if (stands_in(l))
		put_lld(l, it, argv);
	else if (is_strange(l, it))
		return;
	else if (it->opt == OPT_Map)
		vec_push(argv, arena_printf(&l->arena, "-Map=%s", expand_map(l, it->value)));
	else if (l->capture_lto && is_lto_wrapper(it))
		vec_push(argv,
			arena_printf(&l->arena, "-plugin-opt=%s/" LTO_WRAPPER_NAME, l->out.dir));
	else
		for (int k = 0; k < 2 && it->raw[k]; k++)
			vec_push(argv, it->raw[k]);
}

/*
 * Defaults of GNU ld that LLD needs options for.
 *
 * hazard: lost bss of -N.  With -N and -z separate-code LLD writes no .bss: the two are not
 * combined.
 */
static void put_gnu_defaults(struct link *l, strings *argv)
{
	const struct cmdline *c = &l->cmd;
	bool fixed = !cmdline_has(c, OPT_shared) && !cmdline_has(c, OPT_pie);
	if (!cmdline_has(c, OPT_undefined_version) && !cmdline_has(c, OPT_no_undefined_version))
		vec_push(argv, "--undefined-version");
	if (!cmdline_has(c, OPT_no_fortran_common))
		vec_push(argv, "--fortran-common");
	if (!has_z(c, OPT_z_start_stop_gc, OPT_z_nostart_stop_gc))
		put2(argv, "-z", "nostart-stop-gc");
	/* the user's choice comes later and wins; with -N LLD would lose .bss */
	if (!cmdline_has(c, OPT_omagic))
		put2(argv, "-z", "separate-code");
	if (fixed && !cmdline_has(c, OPT_image_base) && !cmdline_has(c, OPT_script))
		vec_push(argv, "--image-base=0x400000");
}

/* LLD's standard error is a pipe, so it cannot tell that ours is a terminal. */
static void put_colour(struct link *l, strings *argv)
{
	const char *term = getenv("TERM");
	if (isatty(2) && term && strcmp(term, "dumb") && !getenv("NO_COLOR") &&
		!cmdline_has(&l->cmd, OPT_color_diagnostics) &&
		!cmdline_has(&l->cmd, OPT_no_color_diagnostics))
		vec_push(argv, "--color-diagnostics=always");
}

/*
 * The reference needs no debug information: nothing of it is compared.  mold removes more than
 * that, and GNU ld warns that --retain-symbols-file overrides the option.
 */
static void put_trace(struct link *l, strings *argv)
{
	if (l->linker.kind != LINKER_MOLD && !l->whole &&
		!cmdline_has(&l->cmd, OPT_retain_symbols_file))
		vec_push(argv, "--strip-debug");
	bool lld = l->linker.kind == LINKER_LLD;
	if (l->want_reasons && !(lld && cmdline_has(&l->cmd, OPT_why_extract)))
		vec_push(argv,
			arena_printf(&l->arena, "%s=%s", lld ? "--why-extract" : "-Map", l->why));
	switch (l->linker.kind) {
	case LINKER_BFD: put2(argv, "-t", "-t"); break;
	case LINKER_GOLD: vec_push(argv, "-t"); break;
	case LINKER_MOLD: break;
	case LINKER_LLD:
		vec_push(argv, "--trace");
		put_colour(l, argv);
		if (!cmdline_has(&l->cmd, OPT_lto_obj_path))
			vec_push(argv, arena_printf(&l->arena, "--lto-obj-path=%s", l->lto));
		break;
	}
}

/* Words about archives and groups have no meaning once the members are in one object. */
static bool is_archive_word(enum opt opt)
{
	return opt == OPT_whole_archive || opt == OPT_no_whole_archive || opt == OPT_start_lib ||
		opt == OPT_end_lib || opt == OPT_start_group || opt == OPT_end_group;
}

static bool in_pass(const struct link *l, enum pass pass, const struct item *it)
{
	bool strips = it->opt == OPT_strip_all || it->opt == OPT_strip_debug;
	if (it->opt == OPT_output || (strips && pass == PASS_FINAL && l->strips_later))
		return false;
	/* LLD does not keep what it takes from its cache */
	if (it->opt == OPT_thinlto_cache_dir && pass == PASS_REFERENCE)
		return false;
	switch (item_class(it)) {
	case CLASS_query:
	case CLASS_ldx: return false;
	case CLASS_repF: return pass == PASS_PLAIN || pass == PASS_FINAL;
	case CLASS_rep1:
	case CLASS_diag: return pass != PASS_FINAL;
	case CLASS_lto: return pass != PASS_FINAL;
	case CLASS_state: return pass != PASS_FINAL || !is_archive_word(it->opt);
	case CLASS_sel: return pass != PASS_FINAL || it->opt != OPT_entry || !l->new_entry;
	default: return true;
	}
}

/* True for an input whose code is in the combined object. */
static bool is_replaced(const struct item *it, bool binary)
{
	if (it->opt != OPT_FILE || binary || is_crt_file(it->value))
		return false;
	switch (file_kind(it->value)) {
	case KIND_REL:
	case KIND_ARCHIVE:
	case KIND_BITCODE: return true;
	default: return false;
	}
}

/* Whether -l finds archives only, in front of an item. */
static bool is_static(const struct cmdline *c, const struct item *at)
{
	while (at-- > c->items.v)
		if (at->opt == OPT_Bstatic || at->opt == OPT_Bdynamic)
			return at->opt == OPT_Bstatic;
	return false;
}

/* What -l finds in the folders of -L; NULL: nothing. */
static const char *find_library(struct link *l, const struct item *library)
{
	const char *name = library->value, *names[3] = {0};
	if (*name == ':') {
		names[0] = name + 1;
	} else {
		size_t n = 0;
		if (!is_static(&l->cmd, library))
			names[n++] = arena_printf(&l->arena, "lib%s.so", name);
		names[n] = arena_printf(&l->arena, "lib%s.a", name);
	}
	return cmdline_find(&l->arena, &l->cmd, names);
}

/* If the item is a linker script: a copy for the last link, without objects. */
static struct item final_item(struct link *l, const struct item *it, bool binary)
{
	struct item out = *it;
	const char *file = it->opt == OPT_library ? find_library(l, it) : it->value;
	bool named = (it->opt == OPT_library || it->opt == OPT_FILE) && !binary && file &&
		file_kind(file) == KIND_OTHER;
	if (!named && it->opt != OPT_script)
		return out;
	const char *copy =
		in_dir(l, arena_printf(&l->arena, "script-%zu", (size_t)(it - l->cmd.items.v)));
	const char *path = script_without_objects(&l->arena, &l->cmd, file, copy);
	if (path == copy) {
		out.opt = named ? OPT_FILE : out.opt;
		out.value = path;
		out.raw[0] = named ? path : "-T";
		out.raw[1] = named ? NULL : path;
	}
	return out;
}

/* Whether a library is needed does not depend on the order of the last link. */
static void put_settled(struct link *l, const struct item *it, strings *argv)
{
	enum need need = library_need(l, it);
	if (need == NEED_YES)
		put2(argv, "--push-state", "--no-as-needed");
	if (need != NEED_NO)
		put_item(l, it, argv);
	if (need == NEED_YES)
		vec_push(argv, "--pop-state");
}

static void put_all(strings *argv, const strings *words)
{
	for (size_t i = 0; words && i < words->n; i++)
		vec_push(argv, words->v[i]);
}

/* Puts the combined object in place of the first object; at the end if a script named them all. */
static void put_items(struct link *l, enum pass pass, const strings *replacement, strings *argv)
{
	bool binary = false;
	size_t last_crt = l->cmd.items.n;
	for (size_t i = 0; i < l->cmd.items.n; i++)
		if (l->cmd.items.v[i].opt == OPT_library || l->cmd.items.v[i].opt == OPT_FILE)
			if (last_crt == l->cmd.items.n && !is_crt_file(l->cmd.items.v[i].value))
				last_crt = i;
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		if (it->opt == OPT_format)
			binary = !strcmp(it->value, "binary");
		if (pass == PASS_FINAL && i == last_crt)
			put_all(argv, replacement);
		if (!in_pass(l, pass, it) || (pass == PASS_FINAL && is_replaced(it, binary)))
			continue;
		struct item final = pass == PASS_FINAL ? final_item(l, it, binary) : *it;
		if (pass == PASS_FINAL && l->settled)
			put_settled(l, &final, argv);
		else
			put_item(l, &final, argv);
		if (pass == PASS_REFERENCE && l->linker.kind != LINKER_LLD && is_llvm_plugin(it))
			vec_push(argv, arena_printf(&l->arena, "-plugin-opt=obj-path=%s", l->lto));
	}
	if (pass == PASS_FINAL && last_crt == l->cmd.items.n)
		put_all(argv, replacement);
}

void emit_line(struct link *l, enum pass pass, const char *output, const strings *replacement,
	strings *argv)
{
	argv->n = 0;
	vec_push(argv, l->linker.path ? l->linker.path : LLD_NAME);
	if (stands_in(l))
		put_gnu_defaults(l, argv);
	if (pass == PASS_REFERENCE)
		put_trace(l, argv);
	put_items(l, pass, replacement, argv);
	const char *audit = pass == PASS_FINAL && l->settled ? depaudit(l) : NULL;
	if (audit)
		put2(argv, "--depaudit", audit);
	if (stands_in(l) && !cmdline_has(&l->cmd, OPT_nostdlib))
		for (const char *const *dir = l->platform->search; *dir; dir++)
			put2(argv, "-L", *dir); /* LLD has no such list of its own */
	put2(argv, "-o", output_matters(l) ? l->out.path : output);
}

bool may_define_again(const struct link *l)
{
	return has_z(&l->cmd, OPT_z_muldefs, OPT_z_muldefs) ||
		cmdline_has(&l->cmd, OPT_allow_multiple_definition);
}

void emit_combine(struct link *l, const char *output, strings *argv)
{
	argv->n = 0;
	vec_push(argv, LLD_NAME);
	vec_push(argv, "-r");
	vec_push(argv, "--unique");
	vec_push(argv, "--whole-archive");
	vec_push(argv, "-w");
	const char *emulation = cmdline_value(&l->cmd, OPT_m);
	if (emulation)
		put2(argv, "-m", emulation);
	if (may_define_again(l))
		put2(argv, "-z", "muldefs");
	const char *threads = cmdline_value(&l->cmd, OPT_threads);
	if (threads)
		vec_push(argv, arena_printf(&l->arena, "--threads=%s", threads));
	put2(argv, "-o", output);
	put_all(argv, &l->members);
}
