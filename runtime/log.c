/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - LDX_PROFILE_LOG: at its start a program logs its profile's name, or why it has none
 */
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/text.h"

static const char *failure;
static long failure_error;

bool __ldx_failed(const char *what, long result)
{
	failure = what;
	failure_error = result;
	return false;
}

/* A path may hold any character, but each record must be one line. */
static void put_plain(struct text *t, const char *s)
{
	for (; *s; s++)
		put(t, (unsigned char)*s < ' ' ? '?' : *s);
}

/* One write(2) for each line, as others may write to the same file.  No records are open now. */
void __ldx_log(const char *log, const char *name)
{
	struct text t = {__ldx_records.buf, 0, false};
	if (!log || !*log)
		return;
	put_text(&t, "ldx: ");
	put_plain(&t, __ldx_own);
	put_text(&t, name ? ": profile: " : ": no profile: ");
	put_plain(&t, name ? name : failure);
	if (!name && failure_error) {
		put_text(&t, ": error ");
		put_decimal(&t, (unsigned long)-failure_error);
	}
	t.v[t.n++] = '\n';
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd = __ldx_same(log, "stderr") ? 2 : (int)sys_open(log, flags, 0666);
	sys_write(fd, t.v, t.n);
	if (fd != 2)
		sys_close(fd);
}
