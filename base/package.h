/* SPDX-License-Identifier: Apache-2.0 */
/*
 * package.h - where the files of tools are, and the parts of those that ldxtool makes
 *
 * A tool is NAME.ldxtool, a package, or NAME.so, which has only a part for ldxprof.
 */
#ifndef LDX_BASE_PACKAGE_H
#define LDX_BASE_PACKAGE_H

#include "base/base.h"

#define PACKAGE_SUFFIX ".ldxtool"

/* The name of a tool: that of its file, without folder and ending. */
const char *tool_name(struct arena *a, const char *path);

/* Folder k of those that have tools: LDX_TOOLPATH's, then own.  NULL: there are no more. */
const char *tool_folder(struct arena *a, size_t k, const char *own);

/* The file of a tool in one of these; a name with a slash is that of the file.  NULL: none. */
const char *tool_find(struct arena *a, const char *name, const char *own);

/* The names of the tools' files in a folder, sorted; NULL behind the last one. */
const char *const *tool_files(struct arena *a, const char *folder);

/* A part of a package; name and data are in the package. */
struct part {
	const char *name;
	size_t nname;
	const uint8_t *data;
	size_t size;
};

bool is_package(const void *data, size_t n);

/* The next part; *at is 0 at first.  False: there are no more. */
bool package_next(const void *data, size_t n, size_t *at, struct part *out);

/* The part of that name.  False: there is none. */
bool package_part(const void *data, size_t n, const char *name, struct part *out);

#endif
