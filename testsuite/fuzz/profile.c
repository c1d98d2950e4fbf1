/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - fuzz target: ldxprof's reading of profiles
 */
#include "fuzz.h"

#include "report/read/profile.h"

#define PROFILE "p.ldxprof"

static void read_twice(void *arg)
{
	struct profile_set p = {0};
	uint64_t build;
	(void)arg;
	profile_build(PROFILE, &build);
	profile_info(PROFILE, stdout);
	profile_add(&p, PROFILE, build);
	profile_add(&p, PROFILE, build);
	profile_write(&p, "/dev/null");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_file(PROFILE, data, n);
	fuzz_run(read_twice, NULL);
	return 0;
}
