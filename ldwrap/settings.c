/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - ldx's own options, from the command line and the environment
 */
#include "ldwrap/ldwrap.h"

#include "base/shown.h"
#include "cfg/dump.h"
#include "runtime/abi.h"
#include "targets/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const counter_names[] = {
	[ACCESS_PLAIN] = "plain", [ACCESS_ATOMIC] = "atomic", [ACCESS_THREAD] = "thread", NULL};
static const char *const cell_names[] = {
	[CELLS_NEAR] = "near", [CELLS_LOW] = "low", [CELLS_MAPPED] = "mapped", NULL};
static const char *const placement_names[] = {
	[PLACE_AUTO] = "auto", [PLACE_FEWEST] = "fewest", [PLACE_EVERY] = "every", NULL};

enum { MODE_OFF = LDX_MODE_COVER + 1 };
static const char *const mode_names[] = {[LDX_MODE_NONE] = "none",
	[LDX_MODE_FUNCTIONS] = "functions",
	[LDX_MODE_BLOCKS] = "blocks",
	[LDX_MODE_EDGES] = "edges",
	[LDX_MODE_COVER] = "cover",
	[MODE_OFF] = "off",
	NULL};

static void set_mode(struct settings *s, const char *name, const char *mode)
{
	int i = 0;
	while (mode_names[i] && strcmp(mode, mode_names[i]))
		i++;
	if (!mode_names[i])
		fatal("%s=%s: the modes are off, none, functions, cover, blocks and edges", name,
			mode);
	s->off = i == MODE_OFF;
	if (!s->off)
		s->rewrite.mode = i;
}

/* The index of value in names, which end with NULL. */
static int choice(const char *option, const char *value, const char *const *names)
{
	struct buf all = {0};
	for (int i = 0; names[i]; i++) {
		if (!strcmp(value, names[i])) {
			free(all.v);
			return i;
		}
		buf_put(&all, i ? ", " : "", i ? 2 : 0);
		buf_put(&all, names[i], strlen(names[i]));
	}
	buf_u8(&all, 0);
	fatal("--%s=%s: one of %s is expected", option, value, (char *)all.v);
}

/* A number, decimal or 0x..., that ends at *end. */
static uint64_t number(const char *option, const char *text, const char **end)
{
	char *e;
	uint64_t n = strtoull(text, &e, 0);
	if (e == text || *text == '-')
		fatal("--%s=%s: a number is expected", option, text);
	*end = e;
	return n;
}

/* SEED, WORD or, for words with a seed, WORD:SEED. */
static void set_stress(struct settings *s, const char *value)
{
	struct rewrite_options *r = &s->rewrite;
	const struct {
		const char *word;
		bool *on;
		uint64_t *seed;
	} kind[] = {{"poison", &r->poison, &r->poison_seed}, {"order", &r->order, &r->order_seed},
		{"edges", &r->edges, &r->edges_seed}, {"exits", &r->exits, NULL},
		{"after", &r->after, NULL}, {"tables", &r->tables, NULL},
		{"", &r->stress, &r->stress_seed}};
	size_t k = 0, n = strcspn(value, ":");
	while (*kind[k].word && (strlen(kind[k].word) != n || memcmp(kind[k].word, value, n) != 0))
		k++;
	const char *seed = !*kind[k].word ? value : value[n] ? value + n + 1 : "1", *end;
	*kind[k].on = true;
	if (kind[k].seed)
		*kind[k].seed = number("ldx-stress", seed, &end);
	else
		end = value + n;
	if (*end)
		fatal("--ldx-stress=%s: a number, or poison, order or edges, alone or with :NUMBER, or "
		      "exits, after or tables is expected",
			value);
}

static void add_pattern(strings *patterns, const char *option, const char *value)
{
	uint64_t first, last;
	if (!*value ||
		(!value[strspn(value, "0123456789-")] && !select_range(value, &first, &last)))
		fatal("--%s=%s: a name, which may have * and ?, or N or N-M, counted from 1, is expected",
			option, value);
	vec_push(patterns, value);
}

/* The patterns for struct rewrite_options; NULL: there are none. */
static const char *const *patterns_end(strings *patterns)
{
	if (!patterns->n)
		return NULL;
	vec_push(patterns, NULL);
	return patterns->v;
}

static void set_dump(struct arena *a, struct settings *s, const char *value)
{
	const char *bad = dump_unknown(a, value);
	if (bad)
		fatal("--ldx-dump=%s: there is no dump \"%s\": all " DUMPS, value, bad);
	s->rewrite.dump = value;
}

/* The profile is read by links; checking it here lets ldx-run report a missing one at once. */
static void set_use_profile(struct settings *s, const char *path)
{
	struct stat st;
	if (access(path, R_OK) || stat(path, &st))
		fatal("cannot open %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		fatal("cannot open %s: not a regular file", path);
	s->use_profile = path;
}

/* Makefiles give flags of the link twice. */
static void add_tool(struct settings *s, const char *option, const char *value)
{
	if (!*value || *value == ':')
		fatal("%s=%s: the name of a tool is expected", option, value);
	for (size_t i = 0; i < s->tools.n; i++)
		if (!strcmp(s->tools.v[i], value))
			return;
	vec_push(&s->tools, value);
	s->rewrite.ntools = s->tools.n;
}

static void set_option(struct arena *a, struct settings *s, const struct item *it)
{
	switch (it->opt) {
	case OPT_instrument: set_mode(s, "--instrument", it->value); break;
	case OPT_ldx_stats: s->rewrite.stats = true; break;
	case OPT_ldx_time: s->rewrite.time = true; break;
	case OPT_ldx_dump: set_dump(a, s, it->value); break;
	case OPT_ldx_explain: s->rewrite.explain = it->value; break;
	case OPT_ldx_log: s->log = it->value; break;
	case OPT_ldx_strict: s->strict = true; break;
	case OPT_ldx_quiet: s->quiet = true; break;
	case OPT_ldx_linker: s->linker = it->value; break;
	case OPT_ldx_keep:
		s->keep = true;
		s->keep_dir = it->value;
		break;
	case OPT_ldx_counters:
		s->rewrite.counters = choice("ldx-counters", it->value, counter_names);
		break;
	case OPT_ldx_cells: s->rewrite.cells = choice("ldx-cells", it->value, cell_names); break;
	case OPT_ldx_placement:
		s->rewrite.placement = choice("ldx-placement", it->value, placement_names);
		break;
	case OPT_ldx_profile: s->rewrite.profile = it->value; break;
	case OPT_ldx_use_profile: set_use_profile(s, it->value); break;
	case OPT_ldx_verify: s->verify = true; break;
	case OPT_ldx_map: s->rewrite.map = true; break;
	case OPT_ldx_stress: set_stress(s, it->value); break;
	case OPT_ldx_only: add_pattern(&s->only, "ldx-only", it->value); break;
	case OPT_ldx_skip: add_pattern(&s->skip, "ldx-skip", it->value); break;
	case OPT_ldx_tool: add_tool(s, "--ldx-tool", it->value); break;
	case OPT_ldx_print: s->print = it->value; break;
	default: break;
	}
}

static const char *const *choices_of(int option)
{
	switch (option) {
	case OPT_instrument: return mode_names;
	case OPT_ldx_counters: return counter_names;
	case OPT_ldx_cells: return cell_names;
	case OPT_ldx_placement: return placement_names;
	default: return NULL;
	}
}

void settings_print_options(void)
{
	for (int i = 0; i < OPT_FILE; i++) {
		const struct option *o = &option_table[i];
		const char *const *choice = choices_of(i);
		if (o->class != CLASS_ldx)
			continue;
		if (!choice)
			printf("--%s%s\n", o->name, o->arg == ARG_none ? "" : "=");
		for (; choice && *choice; choice++)
			printf("--%s=%s\n", o->name, *choice);
	}
}

/* Says what is wrong with a word that is meant for ldx. */
static _Noreturn void reject(const char *word)
{
	size_t n = strcspn(word + 2, "=");
	for (int i = 0; i < OPT_FILE; i++) {
		const struct option *o = &option_table[i];
		if (o->class != CLASS_ldx || strncmp(o->name, word + 2, n) || o->name[n])
			continue;
		if (o->arg == ARG_none)
			fatal("%s: --%s takes no value", word, o->name);
		fatal("--%s: no value; it is written --%s=VALUE, in one word", o->name, o->name);
	}
	fatal("%s: no such option", word);
}

static void read_items(struct arena *a, struct settings *s, const struct cmdline *c)
{
	for (size_t i = 0; i < c->items.n; i++) {
		const struct item *it = &c->items.v[i];
		if (item_is_misspelt(it))
			reject(it->raw[0]);
		if (item_class(it) == CLASS_ldx)
			set_option(a, s, it);
	}
}

FILE *settings_log(const struct settings *s, int buffering)
{
	FILE *f = s->log ? fopen(s->log, "ae") : stderr;
	if (!f)
		fatal("cannot open %s: %s", s->log, strerror(errno));
	setvbuf(f, NULL, buffering, 1 << 16);
	return f;
}

void settings_warn(const struct settings *s, const char *output, const char *why)
{
	if (s->strict)
		fatal("%s: not instrumented: %s", output, why);
	if (s->log) {
		FILE *f = settings_log(s, _IOFBF);
		fprintf(f, "ldx: warning: %s: not instrumented: ", shown(output));
		put_shown(f, why);
		fputc('\n', f);
		fclose(f);
	}
	if (!s->quiet && (measures(&s->rewrite) || s->rewrite.map))
		warn("%s: not instrumented: %s", output, why);
}

void settings_read(struct arena *a, struct settings *s, const struct cmdline *c)
{
	const char *mode = getenv("LDX_INSTRUMENT"), *options = getenv("LDX_OPTIONS");
	const char *linker = getenv("LDX_LINKER");
	*s = (struct settings){.rewrite = {.mode = LDX_MODE_BLOCKS,
				       .counters = ACCESS_THREAD,
				       .cells = CELLS_MAPPED}};
	if (linker && *linker)
		s->linker = linker;
	if (mode && *mode)
		set_mode(s, "LDX_INSTRUMENT", mode);
	if (options && *options) {
		struct cmdline own = {0};
		cmdline_parse_own(a, &own, options, "LDX_OPTIONS");
		read_items(a, s, &own);
	}
	const char *tools = getenv("LDX_TOOL");
	char *rest = arena_printf(a, "%s", tools ? tools : ""), *last = NULL;
	for (char *tool = strtok_r(rest, " ", &last); tool; tool = strtok_r(NULL, " ", &last))
		add_tool(s, "LDX_TOOL", tool);
	read_items(a, s, c);
	s->rewrite.patterns =
		(struct func_patterns){patterns_end(&s->only), patterns_end(&s->skip)};
	/* before linking: check that the log can be written */
	if (s->log && !s->print)
		fclose(settings_log(s, _IOLBF));
}
