/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - ldx's own options
 */
#ifndef LDX_LDWRAP_SETTINGS_H
#define LDX_LDWRAP_SETTINGS_H

#include "instr/rewrite.h"
#include "ldwrap/options.h"

struct settings {
	bool off;		 /* --instrument=off */
	bool strict;		 /* an output that cannot be instrumented is an error */
	bool quiet;		 /* do not warn of it */
	bool keep;		 /* leave the intermediate objects in keep_dir */
	const char *keep_dir;	 /* NULL: beside the output */
	const char *linker;	 /* --ldx-linker; NULL: as called */
	const char *print;	 /* --ldx-print; NULL */
	const char *log;	 /* --ldx-log; NULL: standard error */
	const char *use_profile; /* --ldx-use-profile; NULL */
	struct rewrite_options rewrite;
	strings only, skip; /* --ldx-only, --ldx-skip: of rewrite.patterns */
	strings tools;	    /* --ldx-tool, LDX_TOOL: each NAME:OPTION=VALUE... */
	bool verify;	    /* --ldx-verify */
};

/* From LDX_INSTRUMENT, LDX_OPTIONS and c; the later wins.  Errors are fatal(). */
void settings_read(struct arena *a, struct settings *s, const struct cmdline *c);

/* The options as they are written, --NAME, --NAME= or each --NAME=VALUE, for completion by shells.
 */
void settings_print_options(void);

/*
 * Says why output is not instrumented: as an error, or as a warning, in the log or not at all. Mode
 * none asks for nothing that would be missing.
 */
void settings_warn(const struct settings *s, const char *output, const char *why);

/* Where --ldx-stats, --ldx-time and --ldx-verify print, with a buffer as for setvbuf(). */
FILE *settings_log(const struct settings *s, int buffering);

#endif
