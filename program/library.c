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
	static const char starter[] = "_ZNSt6thread15_M_start_thread"; /* with other arguments */
	const struct library_function *f = find_function(name);
	if (!strncmp(name, starter, sizeof starter - 1))
		return NAME_THREADS;
	return f ? f->does : 0;
}

bool name_is_cxx(const char *name)
{
	static const char *const start[] = {"_Z", "__cxa_", "__dynamic_cast", "__gxx_personality_",
		"_Unwind_"};
	for (size_t i = 0; i < sizeof start / sizeof *start; i++)
		if (!strncmp(name, start[i], strlen(start[i])))
			return true;
	return false;
}

bool name_is_harmless(const char *name)
{
	unsigned does = name_does(name);
	if (does & (NAME_THREADS | NAME_BEGINS | NAME_FORKS_BARE | NAME_SYSCALL))
		return false;
	return (does & (NAME_ALONE | NAME_HANDLES | NAME_FORKS)) || name_is_cxx(name);
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
