/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - the counts of an earlier build, to place counters where they cost least
 */
#include "instr/count/prior.h"
#include "ldwrap/ldwrap.h"

#include "runtime/abi.h"

#include <errno.h>
#include <sys/stat.h>

static bool is_profile(struct bytes b)
{
	uint64_t magic;
	if (b.n < sizeof magic)
		return false;
	memcpy(&magic, b.p, sizeof magic);
	return magic == LDX_PROFILE_MAGIC || magic == __builtin_bswap64(LDX_PROFILE_MAGIC);
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
	struct stat st;
	struct bytes b;
	if (!path)
		return;
	vec_push(&l->read, path);
	if (!file_map(path, &b) && (stat(path, &st) || st.st_size))
		fatal("cannot read %s: %s", path, strerror(errno));
	char *text = is_profile(b)
		? counts_of(l, path)
		: arena_printf(&l->arena, "%.*s", (int)b.n, b.n ? (const char *)b.p : "");
	file_unmap(b);
	l->set.rewrite.prior = prior_parse(&l->arena, path, text);
}
