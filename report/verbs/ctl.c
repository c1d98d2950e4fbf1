/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl.c - ldxprof ctl: dump, reset, stop and start what is counted
 */
#include "report/read/control.h"
#include "report/read/profile.h"
#include "report/verbs/verbs.h"

#include <string.h>

static const struct action {
	const char *name;
	void (*run)(const char *path);
} actions[] = {{"dump", NULL}, {"reset", control_reset}, {"stop", control_stop},
	{"start", control_start}};

static const struct action *find_action(const char *name)
{
	struct near_word near = {.word = name};
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		if (!strcmp(actions[i].name, name))
			return &actions[i];
		near_try(&near, actions[i].name);
	}
	die("ctl: %s is none of dump, reset, stop and start%s", name, near_text(&near, ""));
}

static void dump(char *const *files, size_t n, const char *output)
{
	struct profile_set p = {0};
	uint64_t build;
	if (!output)
		die("ctl dump: -o OUT is missing");
	profile_build(files[0], &build);
	for (size_t i = 0; i < n; i++)
		profile_add(&p, files[i], build);
	profile_write(&p, output);
}

static int run_ctl(const struct arguments *a)
{
	size_t n;
	arguments_need(a, &verb_ctl, 2, 2, "which process, program or profile, and which command?");
	const struct action *action = find_action(a->v[1]);
	char **files = control_files(a->v[0], &n);
	if (!action->run)
		dump(files, n, a->output);
	else if (a->output)
		die("-o goes with ctl dump only");
	for (size_t i = 0; action->run && i < n; i++)
		action->run(files[i]);
	return 0;
}

const struct verb verb_ctl = {
	.name = "ctl",
	.summary = "dump, reset, stop and start what is counted, also while programs run",
	.synopsis = "TARGET dump -o OUT\nTARGET reset|stop|start",
	.about =
		"TARGET is the number of a process, a program, or a profile; the command acts on the\n"
		"counts of all processes in that profile.  dump writes the present counts to OUT, reset\n"
		"sets them to 0; between stop and start nothing is counted.",
	.shared = SHARE_OUTPUT,
	.run = run_ctl,
};
