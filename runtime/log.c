/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - LDX_PROFILE_LOG: where the profile went, or why there is none
 *
 * One line, one write(2): processes may write to the same file at once.
 */
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/text.h"

static char log_path[RT_PATH]; /* "": nothing is logged */
static const char *failure;
static long failure_error;

void __ldx_log_set(const char *name)
{
	struct text t = {log_path, 0, false};
	if (!name || !name[0])
		return;
	if (name[0] != '/' && !__ldx_same(name, "stderr")) {
		if (sys_getcwd(log_path, RT_PATH) <= 0 || log_path[0] != '/') {
			log_path[0] = '\0';
			return;
		}
		t.n = __ldx_length(log_path);
		put(&t, '/');
	}
	put_text(&t, name);
	if (t.full)
		log_path[0] = '\0';
}

bool __ldx_failed(const char *what, long result)
{
	failure = what;
	failure_error = result;
	return false;
}

/* A path may hold anything, and a line is one line. */
static void put_plain(struct text *t, const char *s)
{
	for (; *s; s++)
		put(t, (unsigned char)*s < ' ' ? '?' : *s);
}

static void write_line(const struct text *t)
{
	bool to_stderr = __ldx_same(log_path, "stderr");
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd = to_stderr ? 2 : (int)sys_open(log_path, flags, 0666);
	if (fd < 0)
		return;
	sys_write(fd, t->v, t->n);
	if (!to_stderr)
		sys_close(fd);
}

void __ldx_log(const char *what, const char *name)
{
	/* no record is being read now */
	struct text t = {__ldx_records.buf, 0, false};
	if (!log_path[0])
		return;
	put_text(&t, "ldx: ");
	put_plain(&t, __ldx_own[0] ? __ldx_own : "?");
	put(&t, '[');
	put_decimal(&t, (uint64_t)sys_getpid());
	put_text(&t, "]: ");
	put_text(&t, what);
	if (failure && !name) {
		put_text(&t, ": ");
		put_text(&t, failure);
	}
	if (failure_error < 0 && !name) {
		put_text(&t, ": error ");
		put_decimal(&t, (uint64_t)-failure_error);
	}
	if (name) {
		put(&t, ' ');
		put_plain(&t, name);
	}
	put(&t, '\n');
	t.v[t.n - 1] = '\n'; /* also where it did not fit */
	write_line(&t);
}
