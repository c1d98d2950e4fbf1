/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - ldx: the linker that instruments
 *
 * The order of the steps; each has a file of its own, see ldwrap.h.  While the reference is still
 * being made, its members are combined: see reference.c.
 */
#include "ldwrap/ldwrap.h"

#include "base/steps.h"

#include <stdlib.h>

static const enum output_habit habits[] = {[LINKER_LLD] = OUTPUT_REPLACED,
	[LINKER_BFD] = OUTPUT_FILLED,
	[LINKER_GOLD] = OUTPUT_FILLED_READ,
	[LINKER_MOLD] = OUTPUT_OVERWRITTEN};

static int link_all(struct link *l)
{
	const char *output = cmdline_value(&l->cmd, OPT_output), *problem = NULL;
	if (!output_open(&l->arena, &l->out, output ? output : "a.out", habits[l->replaced]))
		return link_plain(l);
	/* what has no soname is called as its file in version definitions */
	const char *name = base_name(l->out.path);
	const char *result = in_dir(l, arena_printf(&l->arena, "output/%s", name));
	tools_open(l);
	if (l->set.rewrite.time)
		steps_start(0, settings_log(&l->set, _IOLBF));
	l->shared = cmdline_has(&l->cmd, OPT_shared);
	l->ref = in_dir(l, arena_printf(&l->arena, "reference/%s", name));
	l->why = in_dir(l, "why");
	l->lto = in_dir(l, "lto");

	int status = make_reference(l, &problem);
	if (status)
		return status;
	/* else LLD would write the reproducer again for each of our links */
	unsetenv("LLD_REPRODUCE");
	/* where there is no code, nothing is to be counted */
	bool plain = l->headers.elf && !l->headers.code;
	if (!l->headers.elf)
		problem = "its format is not ELF";
	if (plain)
		problem = NULL;
	else if (!problem)
		problem = instrument(l, result);
	keep_files(l);
	if ((plain || problem) && (status = fall_back(l, problem, result)))
		return status;
	depfile_complete(l);
	signals_check();
	output_install(&l->out, result);
	return 0;
}

int main(int argc, char **argv)
{
	static struct link l;
	if (argc < 1)
		return 1;
	if (!strcmp(base_name(argv[0]), LTO_WRAPPER_NAME))
		return lto_wrapper_main(argv);
	l.argv = argv;
	signals_hold();
	installation_find(&l.arena, &l.ldx);
	forget_interception(&l.ldx);
	cmdline_parse(&l.arena, &l.cmd, argc, argv);
	scripts_find(&l.arena, &l.cmd);
	settings_read(&l.arena, &l.set, &l.cmd);
	platform_choose(&l);
	linker_wanted(&l, argv[0]);
	l.replaced = l.linker.kind;
	if (query_answer(&l))
		return 0;
	bypass(&l);
	take_profile(&l);
	int status = link_all(&l);
	output_remove();
	return status;
}
