/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - the counts of an earlier build, to place counters where they cost least
 */
#include "ldwrap/ldwrap.h"

#include "cfg/program.h"
#include "runtime/abi.h"

static bool is_profile(const char *path)
{
	uint64_t magic = 0;
	FILE *f = fopen(path, "rb");
	bool is = f && fread(&magic, sizeof magic, 1, f) &&
		(magic == LDX_PROFILE_MAGIC || magic == __builtin_bswap64(LDX_PROFILE_MAGIC));
	if (f)
		fclose(f);
	return is;
}

/* Without its end. */
static const char *last_line(char *text)
{
	size_t n = strlen(text);
	if (n && text[n - 1] == '\n')
		text[n - 1] = 0;
	const char *end = strrchr(text, '\n');
	return end ? end + 1 : text;
}

/* The counts of a profile, from ldxprof, which reads the map of the program. */
static char *counts_of(struct link *l, const char *profile)
{
	struct child_result r;
	const char *ldxprof = arena_printf(&l->arena, "%s/ldxprof", l->ldx.tools);
	child_exec(&r, ldxprof,
		(const char *const[]){"ldxprof", "export", "--format=counts", profile, NULL});
	if (r.status)
		fatal("--ldx-use-profile=%s: %s", profile, last_line((char *)r.err.v));
	return (char *)r.out.v;
}

void take_profile(struct link *l)
{
	const char *path = l->set.use_profile;
	if (path)
		vec_push(&l->read, path);
	if (path && is_profile(path))
		l->set.rewrite.prior = prior_parse(&l->arena, path, counts_of(l, path));
	else if (path)
		l->set.rewrite.prior = prior_read(&l->arena, path);
}
