/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - the output file, and the directory for temporary files
 */
#ifndef LDX_LDWRAP_OUTPUT_H
#define LDX_LDWRAP_OUTPUT_H

#include "base/base.h"

/* What the replaced linker does with a regular file that has the output's name. */
enum output_habit {
	OUTPUT_REPLACED,    /* LLD: makes another file, also of a symbolic link */
	OUTPUT_FILLED,	    /* GNU ld: writes into it, through a link too, if it is empty */
	OUTPUT_FILLED_READ, /* gold: so too; who may not read it may not execute it */
	OUTPUT_OVERWRITTEN, /* mold: writes into it, through a link too */
};

struct output {
	const char *path; /* as the user gave it */
	const char *dir;  /* our directory for temporary files; NULL: none */
	enum output_habit habit;
	bool in_place; /* written into, not replaced */
	bool stood_in; /* for the old output there is a file that the linker may remove */
};

/*
 * Makes the directory: beside the output, so that a file can be renamed to it, or in TMPDIR.
 * False: the output cannot be made; the linker will say why.  A second process removes the
 * directory when ldx ends in any way.
 */
bool output_open(struct arena *a, struct output *o, const char *path, enum output_habit habit);

/* Makes a file that stands for the old output, if there is one, where a linker makes file. */
void output_stand_in(struct output *o, const char *file);

/* The link failed: the old output is removed if the linker has removed what stands for it. */
void output_reject(const struct output *o, const char *file);

/* Makes file, in o->dir, the output. */
void output_install(const struct output *o, const char *file);

/* The file is no longer needed: if it is in o->dir, it is removed while ldx continues. */
void output_discard(const struct output *o, const char *file);

/* Copies a file, if it is there, for --ldx-keep. */
void output_keep(const char *from, const char *to);

/* Removes the directory, unless this is a forked child.  May be called at any time. */
void output_remove(void);

#endif
