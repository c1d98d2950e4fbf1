/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - the tool that asks: its options, and what ends it */
#include "instr/tool/session.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct tools *asking;

/* The value of NAME=VALUE in a list that is separated by colons, with its length; or NULL. */
static const char *find_option(const char *list, const char *name, size_t *n)
{
	size_t len = strlen(name);
	const char *found = NULL;
	for (const char *p = list; *p; p += strspn(p, ":")) {
		size_t size = strcspn(p, ":");
		if (size > len && !strncmp(p, name, len) && p[len] == '=') {
			found = p + len + 1; /* the last one wins */
			*n = size - len - 1;
		}
		p += size;
	}
	return found;
}

const char *ldx_option(const char *name)
{
	const struct tool *tool = &asking->tool[asking->now];
	const struct ldx_option *o = tool->part->options;
	size_t n = 0;
	while (o && o->name && strcmp(o->name, name) != 0)
		o++;
	if (!o || !o->name)
		return NULL;
	const char *value = find_option(tool->use->options, name, &n);
	return value ? arena_printf(asking->g->arena, "%.*s", (int)n, value) : o->value;
}

uint64_t ldx_option_number(const char *name)
{
	const char *text = ldx_option(name);
	if (!text)
		tool_error("it has no option %s", name);
	char *end;
	errno = 0;
	uint64_t n = strtoull(text, &end, 0);
	static const char units[] = "kMG";
	const char *unit = *end ? strchr(units, *end) : NULL;
	if (!isdigit((unsigned char)*text) || (*end && (!unit || end[1])))
		tool_error("%s=%s: a number is expected", name, text);
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	if (errno == ERANGE || n << shift >> shift != n)
		tool_error("%s=%s: the number is too large", name, text);
	return n << shift;
}

void note_refusal(const char *why)
{
	struct tool *tool = &asking->tool[asking->now];
	const struct func *at = asking->at;
	if (asking->tries)
		return;
	for (size_t i = 0; i < tool->refusal.n; i++)
		if (!strcmp(tool->refusal.v[i].why, why)) {
			tool->refusal.v[i].n++;
			return;
		}
	vec_push(&tool->refusal, (struct refusal){why, at ? func_name(asking->g, at) : NULL, 1});
}

_Noreturn void end_by_tool(const char *what)
{
	fprintf(diag_stream ? diag_stream : stderr, "ldx: error: tool %s%s\n",
		asking->tool[asking->now].use->name, what);
	fflush(stdout);
	fflush(stderr); /* it may have a buffer: what the tool has printed */
	_exit(TOOL_FAILED);
}

void tool_error(const char *fmt, ...)
{
	char text[512] = ": ";
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text + 2, sizeof text - 2, fmt, ap);
	va_end(ap);
	end_by_tool(text);
}

void ldx_fail(const char *format, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	tool_error("%s", text);
}
