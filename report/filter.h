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
	enum { FILTER_ANY, FILTER_FUNCTION, FILTER_FILE, FILTER_OBJECT } on;
	const char *glob;
};

/* Without rules it takes everything, else what one of them takes. */
struct filter {
	struct filter_rule *rule;
	size_t n;
};

/* From words [function:|file:|object:]GLOB. */
struct filter filter_make(char *const *words, size_t n);

/*
 * A name matches as it is in the program, demangled, and demangled without parameters; a file or
 * object by its path and by its last part, and as the linker's input that the function is from:
 * an object, archive(member), archive or member.  file: the source file where more is known than
 * the map says; NULL: that of the map.
 */
bool filter_takes(const struct filter *f, const struct program *p, const struct map_func *func,
	const char *file);
bool filter_takes_names(const struct filter *f, const char *object, const char *name,
	const char *file);

#endif
