/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.c - the cost of each step of a link; see steps.h
 */
#include "base/steps.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static struct {
	bool on;
	unsigned indent;
	FILE *out;
	double wall, cpu; /* when the step began */
} steps;

static double wall_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double used_by(int who)
{
	struct rusage u;
	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		(double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static double cpu_seconds(void)
{
	return used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN);
}

void steps_start(unsigned indent, FILE *out)
{
	steps.on = true;
	steps.indent = indent;
	steps.out = out;
	steps.wall = wall_seconds();
	steps.cpu = cpu_seconds();
}

void step_done_by_child(const char *what, long peak)
{
	if (!steps.on)
		return;
	double wall = wall_seconds(), cpu = cpu_seconds();
	fprintf(steps.out, "ldx: time: %*s%-*s %8.3f s %8.3f s cpu %6ld MB\n", (int)steps.indent,
		"", (int)(12 - steps.indent), what, wall - steps.wall, cpu - steps.cpu,
		peak / 1024);
	steps.wall = wall;
	steps.cpu = cpu;
}

void step_done(const char *what)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	step_done_by_child(what, u.ru_maxrss);
}
