/* SPDX-License-Identifier: Apache-2.0 */
/* ldxtool.c - ldxtool: makes the packages of tools, and says what they are; see toolbox.h */
#include "ldwrap/toolbox.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static _Noreturn void usage(FILE *f, int status)
{
	fputs("usage: ldxtool new NAME\n"
	      "       write the sources of a tool that works: NAME.c, NAME-routines.c, NAME-report.c\n"
	      "   or: ldxtool build NAME [-o PACKAGE] [--cpu=CPU,...]\n"
	      "       compile them, as NAME.ldxtool\n"
	      "   or: ldxtool list\n"
	      "       the tools that are found by their names alone\n"
	      "   or: ldxtool info TOOL\n"
	      "       what a tool is and which options it has\n",
		f);
	exit(status);
}

static void build_words(int argc, char **argv)
{
	const char *name = NULL, *output = NULL, *cpus = NULL;
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "-o") && i + 1 < argc)
			output = argv[++i];
		else if (!strncmp(argv[i], "--cpu=", 6))
			cpus = argv[i] + 6;
		else if (*argv[i] == '-' || name)
			usage(stderr, 1);
		else
			name = argv[i];
	}
	if (!name)
		usage(stderr, 1);
	tool_build(name, output, cpus);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	bool one = argc == 3 && *argv[2] != '-';
	diag_name = "ldxtool";
	if (!strcmp(verb, "--help"))
		usage(stdout, 0);
	if (!strcmp(verb, "build"))
		build_words(argc - 2, argv + 2);
	else if (!strcmp(verb, "new") && one)
		tool_new(argv[2]);
	else if (!strcmp(verb, "list") && argc == 2)
		tools_list();
	else if (!strcmp(verb, "info") && one)
		tool_info(argv[2]);
	else
		usage(stderr, 1);
	return 0;
}
