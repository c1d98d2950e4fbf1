/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h - profiles written by runs of an instrumented program
 *
 * A profile may be read while processes count in it.  See runtime/abi.h and
 * ldxprof(5) for the format.
 */
#ifndef LDX_REPORT_PROFILE_H
#define LDX_REPORT_PROFILE_H

#include "report/read/rules.h"
#include "runtime/abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The counts of one object: the program, or a shared object that it ran with. */
struct profile {
	uint64_t build, ncounters;
	bool marks;			   /* the cells hold marks: see runtime/abi.h */
	uint64_t runs, lost, lost_threads; /* processes; forked ones without counts; threads */
	uint64_t unfinished;		   /* processes that ended without leaving main */
	char object[1024];		   /* its path */
	uint64_t *count;     /* by cell: the sum over all slots; of marks, the union */
	struct rules *rules; /* of the cells behind the counters: data of tools */
};

/* A file, or the sum of several of one build. */
struct profile_set {
	uint64_t build, files;
	char program[1024]; /* of the first file */
	char command[2048];
	bool plain;	   /* read the sums of the slots, ignoring base slots (control.h) */
	struct profile *v; /* one for each object, in the order of their first slots */
	size_t n;
};

/*
 * Add the profile in file path to *p, which is zeroed before the first one.  From a profile of
 * another build only the counts of a shared object of this build are added, which it must have.
 * die() if it is damaged.  False: there is no such file.
 */
bool profile_add(struct profile_set *p, const char *path, uint64_t build);

/* The counts of the object with this build, or NULL. */
const struct profile *profile_find(const struct profile_set *p, uint64_t build);

/* The same as if the file were added so many times. */
bool profile_add_times(struct profile_set *p, const char *path, uint64_t build, uint64_t times);

/* A summary of a profile, without its counts. */
struct profile_brief {
	char program[1024];
	uint64_t build;
	uint64_t runs;	  /* processes of the program that have counted */
	uint64_t running; /* of these, processes that are running */
	bool damaged;	  /* it begins like a profile, but cannot be read */
};
bool profile_brief(const char *path, struct profile_brief *b); /* false: it is no profile */

/* The state of a file in the search for the profile of a build. */
struct profile_look {
	enum {
		PROFILE_NONE, /* it does not exist */
		PROFILE_UNREADABLE,
		PROFILE_EMPTY,
		PROFILE_ALIEN, /* it is no profile */
		PROFILE_OTHER, /* of another build */
		PROFILE_OWN,
	} state;
	const char *why; /* PROFILE_UNREADABLE: the reason */
	uint64_t build;	 /* PROFILE_OTHER: its build */
};
struct profile_look profile_look(const char *path, uint64_t build);

/* The build of the profile in path; false: no such file, or it is no profile. */
bool profile_build(const char *path, uint64_t *build);

/* The path of the program whose profile is in path; NULL: no such file, or it is no profile. */
const char *profile_program(const char *path);

/*
 * The header, checked against the size of the file.  The slot at *at (from LDX_PAGE on), checked,
 * and *at advanced behind it; NULL: that was the last one.  A slot that is being made has no build.
 * The size of a row of n counters, in bytes.
 */
struct input;
void profile_header(const struct input *in, struct ldx_profile_header *h);
const uint8_t *profile_next_slot(const struct input *in, const struct ldx_profile_header *h,
	uint64_t *at, struct ldx_slot_header *s);
uint64_t profile_row(uint64_t n);

/* The rows that the cells of an object need, and all cells of such a row. */
uint64_t profile_rows(const struct profile *p);
void profile_put_row(const struct profile *p, uint64_t row, uint64_t *to);

/*
 * No counts; and the sums of slots become the base with which the profile has the counts of value,
 * NULL: none.
 */
void profile_clear(struct profile *p);
void profile_to_base(struct profile *p, const struct profile *value);

/* Write p to a new file at path, which replaces any old one. */
void profile_write(const struct profile_set *p, const char *path);

/* Are the file's numbers in the other byte order than this machine's? */
bool profile_swapped(const struct input *in);

/* ldxprof info */
void profile_info(const char *path, FILE *out);

#endif
