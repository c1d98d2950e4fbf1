/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite.c - the passes over the object, in their order
 */
#include "instr/rewrite.h"

#include "base/parallel.h"
#include "base/steps.h"
#include "cfg/refs.h"
#include "instr/layout.h"
#include "instr/static_map.h"
#include "instr/stats.h"
#include "reloc/fix.h"
#include "reloc/meta/codec.h"
#include "runtime/abi.h"

#include <ctype.h>
#include <malloc.h>
#include <stdlib.h>

/* A section nobody rewrote keeps its bytes; its relocations follow what they name. */
static void fix_part(void *ctx, size_t part, struct arena *arena)
{
	const struct cfg *g = ctx;
	struct object *o = g->obj;
	for (uint32_t i = o->part.v[part]; i < o->part.v[part + 1]; i++) {
		struct section *s = &o->sec.v[i];
		if (s->nrel && !s->dropped && !section_is_code(s) && !s->out_rel)
			fix_data_section(arena, o, s, cfg_data_ref, g);
	}
}

/* Hand-written entry points often have no type, and nothing in the object calls them. */
static void mark_entered(struct object *o, const char *const *name)
{
	for (; name && *name; name++)
		for (uint32_t i = o->nlocal; i < o->sym.n; i++)
			if (!strcmp(o->sym.v[i].name, *name))
				o->sym.v[i].entered = true;
}

/* From *p on, the next word or other character of an expression; its length, 0 at the end. */
static size_t next_word(const char **p)
{
	size_t n = 0;
	*p += strspn(*p, " \t\n");
	while (isalnum((unsigned char)(*p)[n]) || (**p && strchr("_.$@", (*p)[n]) && (*p)[n]))
		n++;
	return n ? n : **p != 0;
}

/* Does it add a number to something? */
static bool has_distance(const char *expression)
{
	bool number = false, sum = false;
	const char *p = expression;
	for (size_t n; (n = next_word(&p)); p += n) {
		number |= isdigit((unsigned char)*p) && strtoull(p, NULL, 0);
		sum |= *p == '+' || *p == '-';
	}
	return number && sum;
}

/*
 * The last link computes `--defsym=mid=f+8' anew: what is 8 bytes behind f now is something else.
 * Sums and differences of symbols alone stay right.
 */
static void check_expressions(const struct object *o, const char *const *e)
{
	struct strmap names = { 0 };
	struct arena a = { 0 };
	for (; e && *e; e++) {
		const char *p = has_distance(*e) ? *e : "";
		for (size_t n; (n = next_word(&p)); p += n)
			*strmap_slot(&names, arena_printf(&a, "%.*s", (int)n, p)) = 1;
	}
	for (uint32_t i = o->nlocal; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		if (s->sec < o->sec.n && section_is_code(&o->sec.v[s->sec]) &&
			strmap_find(&names, s->name))
			fatal("a symbol is set to a place that is counted in bytes from %s",
				s->name);
	}
	free(names.v);
	arena_free(&a);
}

struct rewritten rewrite_object(struct arena *a, const char *in, const char *out,
	const struct rewrite_options *opt)
{
	FILE *log = opt->log ? opt->log : stderr;
	parallel_threads = opt->threads;
	/* what is large goes back to the system when it is freed */
	mallopt(M_MMAP_THRESHOLD, 1 << 18);
	if (opt->time)
		steps_start(2, log);

	struct object *o = object_read(a, in);
	const struct target *target = target_find(o->machine);
	if (!target)
		fatal("%s: ELF machine %u is not supported", in, o->machine);
	fix_check(o, target->reloc_info);
	mark_entered(o, opt->entered);
	check_expressions(o, opt->expressions);
	step_done("read");

	struct cfg *g = cfg_build(a, o, target, opt->outside);
	step_done("tables");
	/* no-ops change nothing that could be alive */
	if (opt->mode != LDX_MODE_NONE || opt->poison)
		cfg_liveness(g, opt->shared);
	step_done("liveness");

	struct plan *p = plan_make(g, opt);
	step_done("plan");
	struct layout *lay = layout_make(p);
	step_done("layout");

	emit_code(p, lay);
	step_done("code");
	lsda_rewrite(o);
	eh_frame_rewrite(o);
	step_done("unwind");
	debug_rewrite(o);
	step_done("debug");
	parallel_into(o->arena, o->part.n - 1, fix_part, g);
	step_done("data");
	if (opt->stats)
		stats_print(p, log);
	if (opt->explain && !explain_print(p, opt->explain, stdout))
		warn("--ldx-explain: no function %s", opt->explain);
	if (opt->mode != LDX_MODE_NONE || opt->map)
		static_map_write(p);
	fix_symbols(o);
	step_done("map");

	object_write(o, out);
	step_done("write");
	return (struct rewritten){ .alone = p->alone };
}
