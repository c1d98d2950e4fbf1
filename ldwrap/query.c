/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query.c - options that ask the linker a question, as configure scripts do
 *
 * autoconf, libtool, kbuild, CMake and meson read the first line of the answer to -v or --version:
 * it is the real linker's, with ldx added in its parentheses.
 */
#include "ldwrap/ldwrap.h"

#include "ldwrap/lld.h"
#include "targets/platform.h"

#include <stdlib.h>

static const char own_help[] =
	"usage: ldx [OPTION]... FILE...   as ld: the output counts what it executes\n"
	"       ldx-run COMMAND           ldx in place of every linker that COMMAND starts\n"
	"\n"
	"What is counted\n"
	"  --instrument=MODE       blocks (default): executions of every basic block;\n"
	"                          edges: of every edge between them too; cover: only whether;\n"
	"                          functions: calls; none: nothing; off: the replaced linker links\n"
	"  --ldx-only=GLOB         only functions, objects, archives, members and source files\n"
	"                          that match; N-M: the N-th to M-th function\n"
	"  --ldx-skip=GLOB         nothing that matches\n"
	"  --ldx-tool=NAME[:OPTION=VALUE]...  insert what a tool asks for, see ldxtool(1)\n"
	"How it is counted\n"
	"  --ldx-counters=KIND     where there are threads: thread (default), atomic or plain\n"
	"  --ldx-cells=WHERE       where counters are: near, low or mapped (default)\n"
	"  --ldx-placement=KIND    what has a counter of its own: auto (default), fewest or every\n"
	"  --ldx-profile=PATTERN   name of the profile if LDX_PROFILE_FILE is not set\n"
	"  --ldx-use-profile=FILE  place counters where they cost least in an earlier profile\n"
	"The link\n"
	"  --ldx-linker=LINKER     the replaced linker: bfd, gold, lld, mold or a path\n"
	"  --ldx-strict            what cannot be instrumented is an error\n"
	"  --ldx-verify            check the rewritten object against the original\n"
	"  --ldx-keep[=DIR]        keep the intermediate files (in OUTPUT.ldx)\n"
	"  --ldx-map               write the map of blocks even if nothing is counted\n"
	"What ldx says\n"
	"  --ldx-quiet             no warning of what is not instrumented\n"
	"  --ldx-stats             what was understood and counted\n"
	"  --ldx-explain=FUNC      the blocks of a function, or why it is not understood\n"
	"  --ldx-time              time and memory of each step\n"
	"  --ldx-dump=DUMPS[:FUNC...]\n"
	"                          the program after passes: all, blocks, tables, refs,\n"
	"                          liveness, loops, edges, exits, plan, layout\n"
	"  --ldx-log=FILE          append stats, time, verify and warnings to FILE\n"
	"  --ldx-print=WHAT        print bindir (for gcc -B), libdir, options or version\n"
	"For tests of ldx\n"
	"  --ldx-stress=HOW        SEED: no-ops at random; poison[:SEED]: overwrite dead registers;\n"
	"                          order[:SEED]: another order of functions; edges[:SEED]:\n"
	"                          no-ops on edges; exits, after, tables: more counters there\n"
	"\n"
	"LDX_OPTIONS may have options of ldx too, LDX_INSTRUMENT the mode, LDX_LINKER the linker.\n"
	"`man ldx' explains them, `ldxprof help' what shows the counts.\n";

/* Puts "; ldx-VERSION" before the first closing parenthesis. */
static void print_banner(const char *line)
{
	size_t n = strcspn(line, "\n"), at = strcspn(line, ")\n");
	printf("%.*s; ldx-" LDX_VERSION "%.*s\n", (int)at, line, (int)(n - at), line + at);
}

/* Asked by --version, -v or -V, linkers say more or less. */
static void print_version(struct link *l, const char *question)
{
	if (!l->linker.path) {
		printf("%s (compatible with GNU linkers; ldx-" LDX_VERSION ")\n", lld_version());
		return;
	}
	struct child_result r;
	strings argv = {0};
	vec_push(&argv, l->linker.path);
	vec_push(&argv, question);
	linker_run(l, &l->linker, &argv, &r);
	char *text = (char *)r.out.v, *rest = strchr(text, '\n');
	print_banner(text);
	if (rest)
		fputs(rest + 1, stdout);
}

static void print_help(struct link *l)
{
	struct child_result r;
	strings argv = {0};
	vec_push(&argv, l->linker.path ? l->linker.path : LLD_NAME);
	vec_push(&argv, "--help");
	linker_run(l, &l->linker, &argv, &r);
	fputs(own_help, stdout);
	printf("\nOptions of %s, which ldx replaces:\n\n%s", argv.v[0], (char *)r.out.v);
}

static void print_own(const struct link *l, const char *what)
{
	if (!strcmp(what, "bindir"))
		puts(l->ldx.bindir);
	else if (!strcmp(what, "libdir"))
		puts(l->ldx.libdir);
	else if (!strcmp(what, "version"))
		puts(LDX_VERSION);
	else if (!strcmp(what, "options"))
		settings_print_options();
	else
		fatal("--ldx-print=%s: bindir, libdir, options or version is expected", what);
}

static bool has_inputs(const struct cmdline *c)
{
	return cmdline_has(c, OPT_FILE) || cmdline_has(c, OPT_library);
}

/* Texts of GNU ld's, its script, its targets, which other linkers may not have. */
static _Noreturn void ask_linker(struct link *l)
{
	struct linker bfd;
	linker_become(l, !l->linker.path && linker_find(l, LINKER_BFD, &bfd) ? &bfd : &l->linker);
}

static void print_emulations(void)
{
	puts("  Supported emulations:");
	for (size_t i = 0; i < nplatforms; i++)
		printf("   %s\n", platforms[i]->emulation);
}

bool query_answer(struct link *l)
{
	const struct cmdline *c = &l->cmd;
	if (l->set.print) {
		print_own(l, l->set.print);
		return true;
	}
	if (cmdline_has(c, OPT_help)) {
		print_help(l);
		return true;
	}
	if (cmdline_has(c, OPT_version)) {
		print_version(l, "--version");
		return true;
	}
	if (cmdline_has(c, OPT_target_help) || cmdline_has(c, OPT_print_output_format) ||
		cmdline_has(c, OPT_print_sysroot))
		ask_linker(l);
	bool v = cmdline_has(c, OPT_v), V = cmdline_has(c, OPT_V);
	if (v || V)
		print_version(l, V ? "-V" : "-v");
	if (V && !l->linker.path)
		print_emulations();
	if (!v && !V && cmdline_has(c, OPT_verbose) && !has_inputs(c))
		ask_linker(l);
	fflush(stdout);
	return (v || V) && !has_inputs(c);
}
