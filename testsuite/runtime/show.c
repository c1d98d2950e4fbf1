/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a profile on one line: its slots, runs and lost processes, then the sums. */
#include "runtime/abi.h"

#include <stdio.h>
#include <stdlib.h>

static void die(const char *what)
{
	fprintf(stderr, "show: %s\n", what);
	exit(1);
}

int main(int argc, char **argv)
{
	struct ldx_profile_header h;
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	if (!f || fread(&h, sizeof h, 1, f) != 1 || h.magic != LDX_PROFILE_MAGIC)
		die("no profile");
	uint64_t *sum = calloc(h.ncounters, 8), *one = calloc(h.ncounters, 8);
	for (uint64_t i = 0; i < h.nslots; i++) {
		struct ldx_slot_header s;
		long at = (long)(LDX_PAGE + i * h.slot_size);
		if (fseek(f, at, SEEK_SET) || fread(&s, sizeof s, 1, f) != 1 ||
			fseek(f, at + LDX_PAGE, SEEK_SET) ||
			fread(one, 8, h.ncounters, f) != h.ncounters)
			die("truncated");
		for (uint64_t c = 0; s.used && c < h.ncounters; c++)
			sum[c] += one[c];
	}
	if (argc > 2)
		printf("slots=%lu ", h.nslots);
	printf("runs=%lu lost=%lu", h.runs, h.lost);
	for (uint64_t c = 0; c < 5; c++)
		printf(" %lu", sum[c]);
	if (argc > 2)
		printf(" %s", h.program);
	putchar('\n');
	return 0;
}
