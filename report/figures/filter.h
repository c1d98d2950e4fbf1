/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter.h - which functions are shown: globs on their names, files and objects
 */
#ifndef LDX_REPORT_FILTER_H
#define LDX_REPORT_FILTER_H

#include <stdbool.h>
#include <stddef.h>

struct map_func;
struct program;

struct filter_rule {
	enum filter_kind { FILTER_ANY, FILTER_FUNCTION, FILTER_FILE, FILTER_OBJECT } on;
	const char *glob;
};

/* Without rules it takes everything, else whatever matches one of them. */
struct filter {
	struct filter_rule *rule;
	size_t n;
};

/* Makes a filter from words [function:|file:|object:]GLOB. */
struct filter filter_make(char *const *words, size_t n);

/*
 * A name matches as it is in the program, demangled, and demangled without parameters; a file or
 * object by its path and base name, and by the linker's input that the function comes from: object,
 * archive(member), archive or member.  file: the source file, if more is known than the map says;
 * NULL: the file in the map.
 */
bool filter_takes(const struct filter *f, const struct program *p, const struct map_func *func,
	const char *file);
bool filter_takes_names(const struct filter *f, const char *object, const char *name,
	const char *file);

#endif
