/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - a file that is written whole or not at all
 */
#include "report/common/output.h"

#include "report/common/util.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *volatile unfinished;

void output_abandon(void)
{
	if (unfinished)
		unlink(unfinished);
}

static void on_signal(int sig)
{
	output_abandon();
	raise(sig); /* SA_RESETHAND: ends the process now */
}

static void watch_ends(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
	struct sigaction old,
		act = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_NODEFER};
	atexit(output_abandon);
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		if (!sigaction(ends[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(ends[i], &act, NULL);
}

/* Gives the file the mode of any new file; mkstemp(3) makes it more restrictive. */
static int make_temporary(struct output *o)
{
	static bool watched;
	o->temporary = new_string("%s.XXXXXX", o->target);
	int fd = mkstemp(o->temporary);
	if (fd < 0)
		return fd;
	mode_t mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	unfinished = o->temporary;
	if (!watched)
		watch_ends();
	watched = true;
	return fd;
}

struct output output_open(const char *path)
{
	struct output o = {.f = stdout, .path = "the output"};
	struct stat st;
	if (!path)
		return o;
	o.path = path;
	bool special = !stat(path, &st) && !S_ISREG(st.st_mode);
	if (!special) {
		/* follow a link, so that it still leads to the file */
		char *real = realpath(path, NULL);
		o.target = real ? real : new_string("%s", path);
	}
	int fd = special ? open(path, O_WRONLY | O_CLOEXEC) : make_temporary(&o);
	if (fd < 0)
		die("cannot write %s: %s", path, strerror(errno));
	o.f = fdopen(fd, "wb");
	if (!o.f)
		die("out of memory");
	return o;
}

void output_close(struct output *o)
{
	if (fflush(o->f) || ferror(o->f) || fclose(o->f) ||
		(o->target && rename(o->temporary, o->target)))
		die("cannot write %s: %s", o->path, strerror(errno));
	unfinished = NULL;
}
