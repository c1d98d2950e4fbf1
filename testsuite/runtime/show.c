/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what a profile has of one object on one line: its runs and lost processes,
 * then the sums.  `show FILE [BUILD]': by default what the profile is of.  With a
 * third argument also its slots, and the paths of the program and the object.
 */
#include "runtime/abi.h"

#include <stdio.h>
#include <stdlib.h>

static void die(const char *what)
{
	fprintf(stderr, "show: %s\n", what);
	exit(1);
}

static void read_at(FILE *f, uint64_t at, void *p, size_t n)
{
	if (fseek(f, (long)at, SEEK_SET) || fread(p, 1, n, f) != n)
		die("truncated");
}

int main(int argc, char **argv)
{
	struct ldx_profile_header h;
	struct ldx_slot_header s, own = {.runs = 0};
	uint64_t slots = 0, sum[5] = {0}, one[5];
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	if (!f || fread(&h, sizeof h, 1, f) != 1 || h.magic != LDX_PROFILE_MAGIC)
		die("no profile");
	uint64_t build = argc > 2 ? strtoull(argv[2], NULL, 0) : h.build, runs = 0, lost = 0;
	for (uint64_t at = LDX_PAGE; at < h.end; at += s.size) {
		read_at(f, at, &s, sizeof s);
		if (s.build != build)
			continue;
		own = s;
		slots++;
		runs += s.runs;
		lost += s.lost;
		uint64_t row = (s.ncounters * 8 + LDX_PAGE - 1) / LDX_PAGE * LDX_PAGE;
		for (uint64_t r = LDX_PAGE; s.used && r < s.size; r += row) {
			read_at(f, at + r, one, sizeof one);
			for (int c = 0; c < 5; c++)
				sum[c] += one[c];
		}
	}
	if (argc > 3)
		printf("slots=%lu ", slots);
	printf("runs=%lu lost=%lu", runs, lost);
	for (int c = 0; c < 5; c++)
		printf(" %lu", sum[c]);
	if (argc > 3)
		printf(" %s %s", h.program, own.object);
	putchar('\n');
	return 0;
}
