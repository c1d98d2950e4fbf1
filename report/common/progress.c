/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.c - a bar on the terminal for operations that take longer than two seconds
 */
#include "report/common/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *current; /* the operation */
static double began, last;
static bool drawn;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress_clear(void)
{
	if (drawn)
		fputs("\r\033[K", stderr);
	drawn = false;
}

static void draw(const char *what, size_t done, size_t total)
{
	static const char full[] = "########################################";
	int width = sizeof full - 1, n = total ? (int)((double)done / (double)total * width) : 0;
	if (total)
		fprintf(stderr, "\r%s [%-*.*s] %3d%%", what, width, n, full,
			(int)(100.0 * (double)done / (double)total));
	else
		fprintf(stderr, "\r%s: %zu", what, done);
	drawn = true;
}

void progress(const char *what, size_t done, size_t total)
{
	enum { QUIET = 2 };
	double t;
	if (total && done >= total) {
		progress_clear();
		current = NULL;
		return;
	}
	t = now();
	if (what != current) {
		current = what;
		began = t;
	}
	if (t - began < (double)QUIET || t - last < 0.1 || !isatty(2))
		return;
	last = t;
	draw(what, done, total);
}
