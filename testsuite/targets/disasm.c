/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disasm.c - read what objdump and llvm-objdump print
 */
#include "disasm.h"

#include <ctype.h>
#include <stdlib.h>

/* Data in the code, and prefixes of something that is no instruction. */
static bool is_data(const char *text)
{
	static const char *const marks[] = {"(bad)", "<unknown>", "%?", ".byte", "lock out",
		"lock lock", "lock fi", "lock rex.WX fi"};
	const char *last = strrchr(text, strchr(text, ',') ? ',' : ' ');

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		if (strstr(text, marks[i]))
			return true;
	/* only what changes memory can be locked */
	if (strstr(text, "lock ") && last[1] == '%' && !strchr(last, ':'))
		return true;
	return !strchr(text, ' ') &&
		(!*text || !strncmp(text, "rex", 3) || !strcmp(text, "ds") || !strcmp(text, "cs") ||
			!strcmp(text, "lock"));
}

/* A plain address is the operand of a direct branch. */
static void parse_target(struct disasm_line *l)
{
	const char *s = l->text;
	char *end;

	while (!strncmp(s, "bnd ", 4) || !strncmp(s, "data16 ", 7) || !strncmp(s, "rex.W ", 6) ||
		!strncmp(s, "notrack ", 8))
		s = strchr(s, ' ') + 1;
	if (*s != 'j' && strncmp(s, "call", 4) && strncmp(s, "loop", 4) && strncmp(s, "xbegin", 6))
		return;
	s += strcspn(s, " \t");
	s += strspn(s, " \t");
	if (!isxdigit((unsigned char)*s))
		return;
	l->target = strtoull(s, &end, 16);
	l->has_target = isspace((unsigned char)*end) || !*end;
}

/* " addr:\tbytes \ttext" */
static bool parse_line(char *s, struct disasm_line *l)
{
	char *end, *text;

	memset(l, 0, sizeof *l);
	l->addr = strtoull(s, &end, 16);
	if (end == s || *end != ':')
		return false;
	s = end + 1;
	s += strspn(s, " \t");
	text = strchr(s, '\t');
	while (l->len < sizeof l->bytes && isxdigit((unsigned char)s[0]) &&
		isxdigit((unsigned char)s[1]) && isspace((unsigned char)s[2])) {
		l->bytes[l->len++] = (uint8_t)strtoul(s, NULL, 16);
		s += 3;
		if (s[-1] != ' ')
			break;
	}
	if (!l->len || !text)
		return false;
	text += strspn(text, " \t");
	text[strcspn(text, "\n")] = 0;
	snprintf(l->text, sizeof l->text, "%s", text);
	l->data = is_data(l->text);
	parse_target(l);
	return true;
}

bool disasm_next(FILE *f, struct disasm_line *l, bool *gap)
{
	static char *line;
	static size_t cap;

	*gap = false;
	while (getline(&line, &cap, f) > 0) {
		if (parse_line(line, l))
			return true;
		*gap = true;
	}
	return false;
}
