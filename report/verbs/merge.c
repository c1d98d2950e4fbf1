/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - ldxprof merge: one profile of several
 */
#include "report/profile.h"
#include "report/verbs/verbs.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static int run_merge(const struct arguments *a)
{
	struct profile_set p = {.build = 0};
	uint64_t build = 0;
	arguments_need(a, &verb_merge, 1, INT_MAX, "which profiles?");
	if (!a->output)
		die("merge: say -o OUT");
	profile_build(a->v[0], &build);
	for (int i = 0; i < a->n; i++)
		if (!profile_add(&p, a->v[i], build))
			die("cannot open %s: %s", a->v[i], strerror(ENOENT));
	profile_write(&p, a->output);
	return 0;
}

const struct verb verb_merge = {
	.name = "merge",
	.summary = "add profiles of one build into one",
	.synopsis = "-o OUT FILE...",
	.shared = SHARE_OUTPUT,
	.run = run_merge,
};
