/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - ldxprof: show what the runs of an instrumented program counted
 */
#include "base/base.h"
#include "report/common/progress.h"
#include "report/common/util.h"
#include "report/verbs/verbs.h"

#include <locale.h>
#include <string.h>

#define VERB_ADDRESS(name) &verb_##name,
static const struct verb *const verbs[] = {VERBS(VERB_ADDRESS)};
enum { NVERBS = sizeof verbs / sizeof verbs[0] };

static const struct verb *find_verb(const char *name)
{
	struct near_word near = {.word = name};
	for (size_t i = 0; i < NVERBS; i++) {
		if (!strcmp(verbs[i]->name, name))
			return verbs[i];
		near_try(&near, verbs[i]->name);
	}
	die("no command %s%s; see ldxprof --help", name, near_text(&near, ""));
}

static const char help_summary[] = "what a verb does, and its options";

static void put_usage(FILE *out)
{
	fputs("usage: ldxprof VERB [options] [arguments]\n"
	      "       ldxprof help VERB\n"
	      "       ldxprof --version\n"
	      "\n"
	      "ldxprof shows what programs linked by ldx executed.\n"
	      "\n"
	      "verbs:\n",
		out);
	for (size_t i = 0; i < NVERBS; i++)
		fprintf(out, "  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
	fprintf(out, "  %-10s %s\n", "help", help_summary);
}

static int help(const char *name)
{
	if (name)
		verb_help(find_verb(name), stdout);
	else
		put_usage(stdout);
	return 0;
}

static void complete_verb(const char *begun, const char *name, const char *summary)
{
	if (!strncmp(name, begun, strlen(begun)))
		printf("%s\t%s\n", name, summary);
}

/* Prints completions of the last word, for the shells' files in man/completion/. */
static int complete(int n, char **word)
{
	bool verb = n == 1 || (n == 2 && !strcmp(word[0], "help"));
	for (size_t i = 0; i < NVERBS; i++) {
		if (verb)
			complete_verb(word[n - 1], verbs[i]->name, verbs[i]->summary);
		else if (n > 1 && !strcmp(verbs[i]->name, word[0]))
			verb_complete(verbs[i], word[n - 1], stdout);
	}
	if (n == 1)
		complete_verb(word[0], "help", help_summary);
	return 0;
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

int main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "");
	diag_name = "ldxprof";
	diag_before = progress_clear;
	if (argc < 2) {
		put_usage(stderr);
		return 1;
	}
	const char *word = argv[1];
	if (is_one_of(word, "-h", "--help") || !strcmp(word, "help"))
		return help(argv[2]);
	if (!strcmp(word, "complete"))
		return complete(argc - 2, argv + 2);
	if (is_one_of(word, "-V", "--version"))
		return puts("ldxprof " LDX_VERSION) < 0;
	if (*word == '-')
		die("%s: an option stands behind its verb; see ldxprof --help", word);
	return verb_run(find_verb(word), argc - 1, argv + 1);
}
