/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info.c - ldxprof info: what is in a profile
 */
#include "report/common/output.h"
#include "report/read/profile.h"
#include "report/verbs/verbs.h"

static int run_info(const struct arguments *a)
{
	arguments_need(a, &verb_info, 1, 1, "which profile?");
	struct output out = output_open(a->output);
	profile_info(a->v[0], out.f);
	output_close(&out);
	return 0;
}

const struct verb verb_info = {
	.name = "info",
	.summary = "show which program a profile is of, and how many processes counted in it",
	.synopsis = "[options] FILE",
	.shared = SHARE_OUTPUT,
	.run = run_info,
};
