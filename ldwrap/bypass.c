/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bypass.c - links that are not for ldx
 */
#include "ldwrap/ldwrap.h"

#include "ldwrap/elf_form.h"
#include "targets/platform.h"

/* The platform that the output is for; NULL: ldx does not know it. */
static const struct platform *link_platform(const struct link *l)
{
	const char *emulation = cmdline_value(&l->cmd, OPT_m);
	if (emulation) {
		for (size_t i = 0; i < nplatforms; i++)
			if (!strcmp(emulation, platforms[i]->emulation))
				return platforms[i];
		return NULL;
	}
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		struct bytes b;
		struct elf_form f;
		if (l->cmd.items.v[i].opt != OPT_FILE || !file_map(l->cmd.items.v[i].value, &b))
			continue;
		uint16_t machine = elf_machine(b, &f);
		file_unmap(b);
		if (machine)
			return platform_find(machine, f.word, f.big);
	}
	return platforms[0];
}

void platform_choose(struct link *l)
{
	l->platform = link_platform(l);
}

/* Does LLVM write something else than a program?  -plugin-opt names LLD's options, too. */
static bool ends_with_lto(const char *option)
{
	static const char index[] = "thinlto-index-only";
	size_t n = sizeof index - 1;
	return !strcmp(option, "emit-asm") || !strcmp(option, "emit-llvm") ||
		(!strncmp(option, index, n) && (!option[n] || option[n] == '='));
}

/* Options that change the meaning of the inputs, or make an output that is no program. */
static const char *option_problem(struct link *l)
{
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		bool other = false;
		switch (it->opt) {
		case OPT_just_symbols: other = l->replaced == LINKER_LLD; break;
		case OPT_architecture:
		case OPT_mri_script:
		case OPT_chroot:
		case OPT_directory: other = true; break;
		case OPT_plugin_opt: other = ends_with_lto(it->value); break;
		case OPT_oformat: other = strncmp(it->value, "elf", 3) != 0; break;
		default: break;
		}
		if (other || item_class(it) == CLASS_byp)
			return arena_printf(&l->arena, "it is linked with %s", it->raw[0]);
	}
	return NULL;
}

static const char *bypass_reason(struct link *l, bool *quiet)
{
	const struct cmdline *c = &l->cmd;
	bool files = false;
	*quiet = true;
	if (l->set.off)
		return "--instrument=off";
	if (l->ldx.replaced)
		return "another ldx links it";
	if (cmdline_has(c, OPT_relocatable))
		return "it is linked with -r";
	for (size_t i = 0; i < c->items.n; i++) {
		if (c->items.v[i].opt == OPT_UNKNOWN)
			return "unknown option";
		files |= c->items.v[i].opt == OPT_FILE || c->items.v[i].opt == OPT_library ||
			c->items.v[i].opt == OPT_script;
	}
	if (!files)
		return "no input files";
	*quiet = false;
	if (!l->platform)
		return "ldx cannot instrument code for this machine";
	return option_problem(l);
}

void bypass(struct link *l)
{
	bool quiet;
	const char *out = cmdline_value(&l->cmd, OPT_output);
	const char *reason = bypass_reason(l, &quiet);
	if (!reason)
		return;
	out = out ? out : "a.out";
	if (!quiet)
		settings_warn(&l->set, out, reason);
	linker_become(l, &l->linker);
}
