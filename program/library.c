/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - see library.h */
#include "program/library.h"

#include <stdlib.h>
#include <string.h>

static const struct library_function function[] = {
#include "program/library.inc"
};

static int function_cmp(const void *key, const void *elem)
{
	return strcmp(key, ((const struct library_function *)elem)->name);
}

static const struct library_function *find_function(const char *name)
{
	/* Most names of a C++ program are mangled ones, of which operator delete is listed. */
	if (!*name || (!strncmp(name, "_Z", 2) && name[2] != 'd'))
		return NULL;
	return bsearch(name, function, sizeof function / sizeof *function, sizeof *function,
		function_cmp);
}

enum callee callee_by_name(const char *name)
{
	const struct library_function *f = find_function(name);
	return f ? f->ends : CALLEE_ANY;
}

const struct accessor *callee_accesses(const char *name)
{
	const struct library_function *f = find_function(name);
	return f && f->memory.at ? &f->memory : NULL;
}

unsigned name_does(const char *name)
{
	const struct library_function *f = find_function(name);
	return f ? f->does : 0;
}

unsigned name_kinds(const char *name)
{
	if (!strncmp(name, "_ZSt", 4) && strstr(name, "__throw_"))
		return NAME_UNWINDS; /* std::__throw_out_of_range() and the like */
	return name_does(name) & NAME_KINDS;
}

bool kinds_break_off(unsigned kinds)
{
	return (kinds & NAME_CANCELS) || ((kinds & NAME_HANDLES) && (kinds & NAME_UNWINDS));
}
