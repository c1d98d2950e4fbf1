/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - ldx: the linker that instruments
 *
 * The order of the steps; each has a file of its own, see ldwrap.h.
 */
#include "ldwrap/ldwrap.h"

static bool called_as(const char *argv0, const char *name)
{
	const char *slash = strrchr(argv0, '/');
	return !strcmp(slash ? slash + 1 : argv0, name);
}

/* The one that would have run without ldx. */
static struct linker real_linker(struct link *l)
{
	struct linker bfd;
	if (l->chosen || !linker_find(&l->arena, &l->place, LINKER_BFD, &bfd))
		return l->linker;
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		if (it->opt < OPT_FILE && item_class(it) != CLASS_ldx &&
			!strchr(option_table[it->written].known, 'b'))
			return l->linker;
	}
	return bfd;
}

static void bypass(struct link *l)
{
	bool quiet;
	const char *out = cmdline_value(&l->cmd, OPT_output);
	const char *reason = bypass_reason(l, &quiet);
	if (!reason)
		return;
	out = out ? out : "a.out";
	if (!quiet && l->set.strict)
		fatal("%s: not instrumented: %s", out, reason);
	if (!quiet)
		warn("%s: not instrumented: %s", out, reason);
	struct linker real = real_linker(l);
	linker_become(&real, &l->cmd);
}

int main(int argc, char **argv)
{
	static struct link l;
	if (argc < 1)
		return 1;
	if (called_as(argv[0], LTO_WRAPPER_NAME))
		return lto_wrapper_main(argv);
	signals_hold();
	place_find(&l.arena, &l.place);
	place_forget_interception(&l.place);
	cmdline_parse(&l.arena, &l.cmd, argc, argv);
	settings_read(&l.arena, &l.set, &l.cmd);
	linker_choose(&l, argv[0]);
	if (query_answer(&l))
		return 0;
	bypass(&l);
	int status = link_all(&l);
	output_remove();
	return status;
}
