/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - names of functions, shortened to a width
 *
 * A name has the form of C++, Rust and D: scopes, each with arguments in angle brackets, and
 * parameters.
 */
#include "report/common/names.h"

#include "report/common/util.h"

#include <stdlib.h>
#include <string.h>

size_t text_width(const char *s)
{
	size_t n = 0;
	while (*s)
		n += take_character(&s) != '\0';
	return n;
}

/* If s begins with an operator whose name contains brackets: its length; else 0. */
static size_t operator_length(const char *s)
{
	static const char word[] = "operator";
	static const char *const names[] = {"<=>", "<<=", ">>=", "->*", "<<", ">>",
		"<=", ">=", "->", "()", "<", ">"};
	if (strncmp(s, word, sizeof word - 1))
		return 0;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strncmp(s + sizeof word - 1, names[i], strlen(names[i])))
			return sizeof word - 1 + strlen(names[i]);
	return 0;
}

/* A token of a name, and the brackets that it opens or closes. */
struct piece {
	size_t length;
	int angle, round; /* +1, -1 */
};

static struct piece take_piece(const char *s)
{
	struct piece p = {.length = operator_length(s)};
	if (p.length)
		return p;
	p.length = !strncmp(s, "->", 2) || !strncmp(s, "=>", 2) ? 2 : 1;
	if (p.length == 1) {
		p.angle = (*s == '<') - (*s == '>');
		p.round = (*s == '(' || *s == '[' || *s == '{') -
			(*s == ')' || *s == ']' || *s == '}');
	}
	return p;
}

static int angle_depth(const char *s)
{
	int depth = 0, most = 0;
	for (struct piece p; *s; s += p.length) {
		p = take_piece(s);
		depth += p.angle;
		most = depth > most ? depth : most;
	}
	return most;
}

/* Replaces the text inside that many angle brackets by dots. */
static char *without_arguments(const char *s, int inside, const char *dots)
{
	int depth = 0;
	char *text = new_array(strlen(s) * (strlen(dots) + 1) + 1, 1), *out = text;
	for (struct piece p; *s; s += p.length) {
		p = take_piece(s);
		depth += p.angle < 0 ? -1 : 0;
		if (depth < inside)
			out = mempcpy(out, s, p.length);
		depth += p.angle > 0;
		if (p.angle > 0 && depth == inside)
			out = stpcpy(out, dots);
	}
	return text;
}

/* The parts of a name outside all brackets. */
struct parts {
	const char *scope[64]; /* the start of each scope, and last that of the name */
	size_t n;
	const char *params; /* the parenthesis of the parameters; NULL: none */
};

/* Text before a space is the return type, except in "operator new" and "f(int) const". */
static void add_part(struct parts *r, const char *s)
{
	const char *begin = r->scope[r->n - 1];
	if (*s == '(' && s > begin && !r->params)
		r->params = s;
	if (*s == ' ' && !r->params && strncmp(begin, "operator", 8)) {
		r->scope[0] = s + 1;
		r->n = 1;
	}
	if (*s == ':' && s[1] == ':') {
		r->params = NULL;
		r->n -= r->n == sizeof r->scope / sizeof r->scope[0];
		r->scope[r->n++] = s + 2;
	}
}

static struct parts find_parts(const char *s)
{
	struct parts r = {.scope = {s}, .n = 1};
	int depth = 0;
	for (struct piece p; *s; s += p.length) {
		p = take_piece(s);
		if (!depth)
			add_part(&r, s);
		depth += p.angle + p.round;
	}
	return r;
}

/* Drops the parameters, then the return type, then scopes from the left. */
static char *without_scopes(const char *s, size_t width, const char *dots)
{
	struct parts r = find_parts(s);
	const char *params = r.params ? new_string("(%s)", dots) : "";
	size_t n = r.params ? (size_t)(r.params - s) : strlen(s);
	char *name = new_string("%.*s", (int)n, s);
	char *text = new_string("%s%s", name, params);
	for (size_t i = 0; i < r.n && text_width(text) > width; i++)
		text = new_string("%s%s%s%s", i ? dots : "", i ? "::" : "", name + (r.scope[i] - s),
			params);
	return text;
}

static char *without_folders(const char *path, size_t width, const char *dots)
{
	char *text = new_string("%s", path);
	for (const char *s = path; (s = strchr(s + 1, '/')) && text_width(text) > width;)
		text = new_string("%s%s", dots, s);
	return text;
}

char *name_fitted(const char *name, size_t width, const char *dots)
{
	char *text = new_string("%s", name);
	if (*name == '/')
		return without_folders(name, width, dots);
	for (int depth = angle_depth(name); depth > 0 && text_width(text) > width; depth--)
		text = without_arguments(name, depth, dots);
	return text_width(text) > width ? without_scopes(text, width, dots) : text;
}

/* Does another part of the name follow? */
static bool has_more_parts(const char *s)
{
	int depth = 0;
	for (struct piece p; *s; s += p.length) {
		p = take_piece(s);
		depth += p.angle + p.round;
		if (!depth && !strncmp(s, "::", 2))
			return true;
	}
	return false;
}

static bool is_last_part(const char *part, const char *wanted)
{
	size_t n = strlen(wanted);
	return !strncmp(part, wanted, n) && (!part[n] || part[n] == '(' || part[n] == '<') &&
		!has_more_parts(part + n);
}

/* gfortran's symbols: name_, __module_MOD_name. */
static bool is_fortran(const char *name, const char *wanted)
{
	static const char mark[] = "_MOD_";
	const char *found = strncmp(name, "__", 2) ? NULL : strstr(name + 2, mark);
	const char *in = strstr(wanted, "::"), *last = in ? in + 2 : wanted;
	size_t n = strlen(wanted), module = in ? (size_t)(in - wanted) : 0;
	if (!found)
		return !strncmp(name, wanted, n) && !strcmp(name + n, "_");
	if (in && ((size_t)(found - name) != 2 + module || strncmp(name + 2, wanted, module)))
		return false;
	return !strcmp(found + sizeof mark - 1, last);
}

/* Rust writes <a::T>::f for a method of a type: a::T::f; <T as Trait>::f stays. */
static const char *without_angles(const char *name)
{
	int depth = 0;
	const char *s = name;
	if (*s != '<')
		return name;
	do {
		struct piece p = take_piece(s);
		depth += p.angle;
		s += p.length;
	} while (*s && depth);
	size_t n = (size_t)(s - name);
	if (strncmp(s, "::", 2) || memmem(name, n, " as ", 4))
		return name;
	return new_string("%.*s%s", (int)(n - 2), name + 1, s);
}

bool name_ends_in(const char *name, const char *wanted)
{
	int depth = 0;
	if (!*wanted)
		return false;
	name = without_angles(name);
	if (is_last_part(name, wanted) || is_fortran(name, wanted))
		return true;
	const char *s = name;
	for (struct piece p; *s; s += p.length) {
		p = take_piece(s);
		depth += p.angle + p.round;
		bool begins = !depth && (*s == ' ' || !strncmp(s, "::", 2));
		if (begins && is_last_part(s + (*s == ' ' ? 1 : 2), wanted))
			return true;
	}
	return false;
}
