/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - the output file, and the directory for temporary files
 */
#ifndef LDX_LDWRAP_OUTPUT_H
#define LDX_LDWRAP_OUTPUT_H

#include "base/base.h"

struct output {
	const char *path; /* as the user gave it */
	const char *dir;  /* our directory for temporary files; NULL: none */
	bool in_place;	  /* written into, not replaced: a special file */
};

/*
 * Makes the directory: beside the output, so that a file can be renamed to it, or in TMPDIR.
 * False: the output cannot be made; the linker will say why.  A second process removes the
 * directory when ldx ends in any way.
 */
bool output_open(struct arena *a, struct output *o, const char *path);

/* Makes file, in o->dir, the output. */
void output_install(const struct output *o, const char *file);

/* The file is no longer needed: if it is in o->dir, it is removed while ldx continues. */
void output_discard(const struct output *o, const char *file);

/* Copies a file, if it is there, for --ldx-keep. */
void output_keep(const char *from, const char *to);

/* Removes the directory, unless this is a forked child.  May be called at any time. */
void output_remove(void);

#endif
