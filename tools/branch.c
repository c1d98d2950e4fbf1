/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branch.c - how often conditional branches are predicted wrongly: code on both edges of each
 *
 * There the flags are dead mostly, and nobody asks whether the branch is taken.  Where an edge has
 * no place for code, the branch's condition is asked for in front of it.
 */
#define _GNU_SOURCE
#include <ldx/tool.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ldx_option options[] = {
	{"predictor", "NAME", "own",
		"own: a counter of two bits for each branch; shared: counters chosen by addresses "
		"and by the last seven branches"},
	{"plain", "FILE", "",
		"addresses are those of another link, of which nm has printed FILE: for shared"},
	{0},
};

static bool own;
static struct symbol {
	char name[64]; /* its end, if it is longer */
	unsigned long long at;
} * symbol;
static size_t nsymbols;
static uint64_t start; /* of the function, if each follows the one before it */

static void set_name(char to[64], const char *name)
{
	size_t n = strlen(name);
	strcpy(to, name + (n > 63 ? n - 63 : 0));
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

static void read_symbols(const char *file)
{
	FILE *f = fopen(file, "r");
	char line[4096], name[4096];
	struct symbol s;
	if (!f)
		ldx_fail("cannot open %s", file);
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "%llx %*c %4095s", &s.at, name) == 2) {
			set_name(s.name, name);
			symbol = realloc(symbol, (nsymbols + 1) * sizeof *symbol);
			symbol[nsymbols++] = s;
		}
	fclose(f);
	qsort(symbol, nsymbols, sizeof *symbol, compare);
}

static ldx_arg place_of(const ldx_insn *i)
{
	struct symbol key, *found;
	if (!symbol)
		return ldx_number(start + ldx_insn_offset(i));
	set_name(key.name, ldx_func_name(ldx_block_func(ldx_insn_block(i))));
	found = bsearch(&key, symbol, nsymbols, sizeof key, compare);
	return ldx_number((found ? found->at : 0) + ldx_insn_offset(i));
}

static bool ask(ldx_site site, const char *how, unsigned n, const ldx_arg *arg)
{
	char name[32];
	snprintf(name, sizeof name, "%s_%s", own ? "own" : "shared", how);
	return ldx_call(site, name, own ? n - 1 : n, arg);
}

/* Both edges of the block that the branch ends, or false. */
static bool find_edges(const ldx_block *b, ldx_site *taken, ldx_site *passed)
{
	const ldx_edge *edge[2] = {NULL, NULL};
	unsigned n = 0;
	for (const ldx_edge *e = NULL; (e = ldx_next_edge(ldx_block_func(b), e));)
		if (ldx_edge_from(e) == b && n++ < 2)
			edge[n - 1] = e;
	if (n != 2)
		return false;
	bool first = ldx_edge_kind(edge[0]) == LDX_EDGE_TAKEN ||
		ldx_edge_kind(edge[1]) == LDX_EDGE_FALLTHROUGH;
	bool second = ldx_edge_kind(edge[1]) == LDX_EDGE_TAKEN ||
		ldx_edge_kind(edge[0]) == LDX_EDGE_FALLTHROUGH;
	if (first == second) /* both leave the function */
		return false;
	*taken = ldx_at_edge(edge[second]);
	*passed = ldx_at_edge(edge[first]);
	return taken->place && passed->place;
}

static void predict(const ldx_insn *i)
{
	ldx_arg place = place_of(i), id = ldx_number(2 * ldx_block_id(ldx_insn_block(i)));
	ldx_arg arg[] = {id, place}, either[] = {id, ldx_branch_taken(i), place};
	ldx_site taken, passed;
	if (find_edges(ldx_insn_block(i), &taken, &passed)) {
		ask(taken, "taken", 2, arg);
		ask(passed, "passed", 2, arg);
	} else {
		ask(ldx_before(i), "either", 3, either);
	}
}

static void instrument(const ldx_object *o)
{
	const char *name = ldx_option("predictor"), *plain = ldx_option("plain");
	own = !strcmp(name, "own");
	if (!own && strcmp(name, "shared") != 0)
		ldx_fail("predictor=%s: own or shared is expected", name);
	if (*plain)
		read_symbols(plain);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
				if (ldx_insn_class(i) & LDX_CLASS_BRANCH)
					predict(i);
		start = (start + ldx_func_size(f) + 15) & ~(uint64_t)15;
	}
	ldx_set_size("branches", 2 * ldx_block_ids(o) * sizeof(uint64_t));
	free(symbol);
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "branch",
	"conditional branches that are predicted wrongly", options, instrument};
