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
	"\n"
	"`ldx-run COMMAND' runs ldx in place of every linker that COMMAND starts.\n"
	"Options of ldx (also in LDX_OPTIONS; the mode also in LDX_INSTRUMENT):\n"
	"  --instrument=MODE       off: call the real linker; none: rewrite, but count nothing;\n"
	"                          functions: count function entries; blocks: count every\n"
	"                          basic block (default); edges: also every edge between them;\n"
	"                          cover: record only whether each block was executed\n"
	"  --ldx-linker=LINKER     Link with bfd, gold, lld, mold or the linker at a path "
	"(LDX_LINKER)\n"
	"  --ldx-strict            Fail if the output cannot be instrumented\n"
	"  --ldx-counters=KIND     thread (default), atomic or plain: how threads count\n"
	"  --ldx-cells=WHERE       near, low or mapped (default): where counters are, and how\n"
	"                          code addresses them\n"
	"  --ldx-placement=KIND    auto (default), fewest or every: which blocks have counters of\n"
	"                          their own\n"
	"  --ldx-profile=PATTERN   Name of the profile if LDX_PROFILE_FILE is not set\n"
	"  --ldx-use-profile=FILE  Place counters by the profile of an earlier build, or by the\n"
	"                          output of `ldxprof export --format=counts' for it\n"
	"  --ldx-stats             Print what was understood and counted\n"
	"  --ldx-time              Print time and memory of each step\n"
	"  --ldx-explain=FUNC      Print the blocks of a function, or why it is opaque\n"
	"  --ldx-dump=DUMPS[:FUNC...]\n"
	"                          Print the program after passes: all, blocks, tables, refs,\n"
	"                          liveness, loops, plan, layout\n"
	"  --ldx-map               Write the map of blocks even if nothing is counted\n"
	"  --ldx-log=FILE          Append the output of stats, time and verify to FILE\n"
	"  --ldx-verify            Check the rewritten object against the original\n"
	"  --ldx-keep[=DIR]        Keep the intermediate files in DIR (default: OUTPUT.ldx)\n"
	"  --ldx-only=GLOB         Instrument only functions, objects, archives, members and\n"
	"                          source files that match; N-M: the N-th to M-th function\n"
	"  --ldx-skip=GLOB         Do not instrument what matches\n"
	"  --ldx-stress=SEED       Insert no-ops at random\n"
	"  --ldx-stress=poison[:SEED]\n"
	"                          Overwrite dead registers and flags at random\n"
	"  --ldx-stress=order[:SEED]\n"
	"                          Lay out functions in another order\n"
	"  --ldx-stress=PLACE      Add counters in places of one kind: exits (of functions),\n"
	"                          after (calls) or tables (on edges of jump tables)\n"
	"  --ldx-print=WHAT        Print bindir (for -B), libdir, options or version, and exit\n";

/* Puts "; ldx-VERSION" before the first closing parenthesis. */
static void print_banner(const char *line)
{
	size_t n = strcspn(line, "\n"), at = strcspn(line, ")\n");
	printf("%.*s; ldx-" LDX_VERSION "%.*s\n", (int)at, line, (int)(n - at), line + at);
}

static void print_version(struct link *l)
{
	if (!l->linker.path) {
		printf("%s (compatible with GNU linkers; ldx-" LDX_VERSION ")\n", lld_version());
		return;
	}
	struct child_result r;
	strings argv = {0};
	vec_push(&argv, l->linker.path);
	vec_push(&argv, "--version");
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
	fputs((char *)r.out.v, stdout);
	fputs(own_help, stdout);
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

/* Texts of GNU ld alone: its script, its targets. */
static void ask_bfd(struct link *l)
{
	struct linker bfd;
	if (linker_find(l, LINKER_BFD, &bfd))
		linker_become(l, &bfd);
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
	const char *sysroot = cmdline_value(c, OPT_sysroot);
	if (l->set.print) {
		print_own(l, l->set.print);
		return true;
	}
	if (cmdline_has(c, OPT_help)) {
		print_help(l);
		return true;
	}
	if (cmdline_has(c, OPT_version)) {
		print_version(l);
		return true;
	}
	if (cmdline_has(c, OPT_target_help) || cmdline_has(c, OPT_print_output_format))
		ask_bfd(l);
	if (cmdline_has(c, OPT_print_sysroot)) {
		puts(sysroot ? sysroot : "");
		return true;
	}
	bool v = cmdline_has(c, OPT_v), V = cmdline_has(c, OPT_V);
	if (v || V)
		print_version(l);
	if (V)
		print_emulations();
	if (!v && !V && cmdline_has(c, OPT_verbose) && !has_inputs(c))
		ask_bfd(l);
	fflush(stdout);
	return (v || V) && !has_inputs(c);
}
