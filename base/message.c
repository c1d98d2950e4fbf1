/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.c - messages, and errors that end the process or an attempt(); see base.h
 */
#include "base/base.h"

#include "base/shown.h"

#include <setjmp.h>
#include <stdlib.h>

FILE *diag_stream;
const char *diag_name = "ldx";
int diag_status = 1;
void (*diag_before)(void);
/* The current attempt(), to which fatal() returns. */
static _Thread_local struct trap {
	jmp_buf *env;
	struct arena *arena; /* NULL: outside of attempt() */
	const char *message;
} trap;
static void (*cleanup[8])(void);
static int ncleanup;

void at_exit_cleanup(void (*fn)(void))
{
	if (ncleanup == (int)(sizeof cleanup / sizeof *cleanup))
		bug("too many cleanup functions");
	cleanup[ncleanup++] = fn;
}

static void message(const char *kind, const char *where, const char *fmt, va_list ap)
{
	FILE *f = diag_stream ? diag_stream : stderr;
	char *text;
	fflush(stdout);
	if (diag_before)
		diag_before();
	fprintf(f, "%s: %s: ", diag_name, kind);
	if (where)
		fprintf(f, "%s: ", shown(where));
	if (vasprintf(&text, fmt, ap) >= 0) {
		put_shown(f, text);
		free(text);
	}
	fputc('\n', f);
	fflush(f);
}

static void note_trapped(const char *where, const char *fmt, va_list ap)
{
	struct arena *a = trap.arena;
	char text[512];
	trap.arena = NULL;
	vsnprintf(text, sizeof text, fmt, ap);
	trap.message = where ? arena_printf(a, "%s: %s", where, text) : arena_printf(a, "%s", text);
}

const char *attempt(struct arena *a, void (*fn)(void *arg), void *arg)
{
	const struct trap outer = trap;
	jmp_buf env;
	trap = (struct trap){.env = &env, .arena = a};
	if (!setjmp(env))
		fn(arg);
	const char *message = trap.message;
	trap = outer;
	return message;
}

void vfatal(const char *where, const char *fmt, va_list ap)
{
	if (trap.arena) {
		note_trapped(where, fmt, ap);
		longjmp(*trap.env, 1);
	}
	message("error", where, fmt, ap);
	while (ncleanup)
		cleanup[--ncleanup]();
	exit(diag_status);
}

void fatal(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vfatal(NULL, fmt, ap);
}

void warn(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	message("warning", NULL, fmt, ap);
	va_end(ap);
}

void bug(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	message("internal error", NULL, fmt, ap);
	fprintf(diag_stream ? diag_stream : stderr, "%s %s: please report this\n", diag_name,
		LDX_VERSION);
	abort();
}
