/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inputs.c - fuzz target: what the driver reads itself: archives, objects, scripts, programs
 */
#include "fuzz.h"

#include "ldwrap/ldwrap.h"
#include "ldwrap/lld.h"

#include <stdlib.h>

/* The real one needs LLD. */
char *lld_demangle(const char *name)
{
	return strdup(name);
}

static void look_at(struct bytes b)
{
	struct elf_form form;
	bytes_kind(b);
	elf_machine(b, &form);
	object_traits(b);
	object_defines(b, "main");
	struct buf copy = {0};
	object_renew(&copy, b);
	object_hide(copy.v, copy.n);
	object_part_groups(copy.v, copy.n);
	vec_free(&copy);
}

static void read_input(void *arg)
{
	struct arena a = {0};
	struct bytes b;
	struct headers headers;
	(void)arg;
	if (!file_map(FUZZ_INPUT, &b))
		return;
	look_at(b);
	script_problem(&a, &(struct cmdline){0}, FUZZ_INPUT);
	headers_read(FUZZ_INPUT, &headers);
	const char *why = check_same(&a, FUZZ_INPUT, FUZZ_INPUT, false, false);
	if (why && strcmp(why, "an output file cannot be read"))
		fuzz_finding(why);
	section_rename(FUZZ_INPUT, ".text", ".tixt");
	struct archive *ar = archive_open(&a, FUZZ_INPUT);
	for (size_t i = 0; ar && i < ar->members.n; i++)
		look_at(ar->members.v[i].data);
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_file(FUZZ_INPUT, data, n);
	fuzz_run(read_input, NULL);
	return 0;
}
