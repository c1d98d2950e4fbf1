/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.h - work in a process of its own
 */
#ifndef LDX_LDWRAP_CHILD_H
#define LDX_LDWRAP_CHILD_H

#include "base/base.h"

#include <sys/types.h>

struct child_result {
	int status;	     /* exit status; 128 + the signal if one killed it */
	long peak;	     /* kB of memory it used at most */
	struct buf out, err; /* what it wrote to the two descriptors; NUL-terminated */
};

/* A running process. */
struct child {
	pid_t pid;
	int fd[2];     /* pipes from its descriptors out and err */
	int kept[2];   /* or, if not -1, files that it writes to; fd[0] tells its end */
	bool ended[2]; /* it has closed them */
	bool stopped;  /* a signal has ended ldx: it was sent SIGTERM */
	struct child_result *r;
};

/*
 * Calls fn(arg, out, err) in a forked child, whose exit status is the result.  In the child fatal()
 * and warn() write to err.  child_wait() fills *r.  A signal that ends ldx while it waits ends the
 * child first.
 */
void child_start(struct child *c, struct child_result *r, int (*fn)(void *arg, int out, int err),
	void *arg);
void child_wait(struct child *c);

/*
 * Waits until enough(what it has written to descriptor 1, arg), which is asked when that has grown.
 * False: the child has ended.  A program must write there at once: see
 * child_start_exec().
 */
bool child_writes(struct child *c, bool (*enough)(const struct buf *out, void *arg), void *arg);

/* child_start() and child_wait(). */
void child_run(struct child_result *r, int (*fn)(void *arg, int out, int err), void *arg);

/*
 * Starts argv with descriptors 1 and 2 caught in files in memory, so that it goes on while ldx does
 * something else.  lines: descriptor 1 is a terminal, if one can be had, because C libraries write
 * lines to a terminal as soon as they are complete; the program is held up when a few thousand
 * bytes are not read.
 */
void child_start_exec(struct child *c, struct child_result *r, const char *path,
	const char *const *argv, bool lines);

/* Runs argv with descriptors 1 and 2 caught. */
void child_exec(struct child_result *r, const char *path, const char *const *argv);

/* The line where GNU ld or LLD begins to say that it has a bug, or NULL. */
const char *child_crash_text(const struct child_result *r);

/* If a signal killed it or it has crashed: what that means, in words; else NULL. */
const char *child_death(const struct child_result *r);

/*
 * Block the signals that end a program, except in child_run(), so that no temporary file is left.
 * signals_check() acts on a pending one.
 */
void signals_hold(void);
void signals_check(void);
void signals_release(void);

#endif
