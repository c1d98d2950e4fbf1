/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite.c - the passes over the object, in their order, and the invariant that each establishes
 */
#include "cfg/liveness.h"
#include "instr/rewrite.h"

#include "base/parallel.h"
#include "base/steps.h"
#include "cfg/dump.h"
#include "instr/data.h"
#include "instr/dump.h"
#include "instr/emit.h"
#include "instr/invariants.h"
#include "instr/layout.h"
#include "instr/named.h"
#include "instr/static_map.h"
#include "instr/turns.h"
#include "instr/tool/tool.h"
#include "instr/words.h"
#include "instr/stats.h"
#include "reloc/fix.h"
#include "reloc/meta/codec.h"
#include "runtime/abi.h"

#include <malloc.h>
#include <stdlib.h>

static void begin(const struct rewrite_options *opt, FILE *log)
{
	parallel_threads = opt->threads;
	/* freed memory of large arrays goes back to the system */
	mallopt(M_MMAP_THRESHOLD, 1 << 18);
	if (opt->time)
		steps_start(2, log);
}

static struct object *read_object(struct arena *a, const char *in,
	const struct rewrite_options *opt)
{
	object_origins(opt->origins);
	struct object *o = object_read(a, in);
	const struct target *target = target_for(o);
	if (!target)
		fatal("%s: ELF machine %u, %u bits, %s-endian, is not supported", in, o->machine,
			8 * o->word, o->big ? "big" : "little");
	const char *why = target->refuses ? target->refuses(o) : NULL;
	if (why)
		fatal("code for %s is not supported", why);
	fix_check(o, target->reloc_info);
	/* reads the input files, so now, while little memory is in use */
	o->input = opt->origins ? opt->origins->inputs(opt->origins->ctx, o) : NULL;
	mark_entered(o, opt->entered);
	check_expressions(o, opt->expressions);
	step_done("read");
	return o;
}

static struct cfg *analyse(struct arena *a, struct object *o, const struct rewrite_options *opt,
	const bool *far)
{
	const struct cfg_options how = {opt->outside, opt->shared, far, opt->stated};
	struct cfg *g = cfg_build(a, o, target_for(o), &how);
	check_analysis(g);
	dump_code(g, opt->dump);
	step_done("tables");
	return g;
}

static void find_liveness(struct cfg *g, const struct rewrite_options *opt)
{
	/* without inserted code no register is changed, and all branches reach */
	bool needed = measures(opt) || opt->poison || opt->stress || opt->edges;
	if (needed || opt->stated)
		cfg_liveness(g, opt->shared);
	g->has_liveness = needed; /* the verifier alone changes nothing */
	if (needed)
		dump_liveness(g, opt->dump);
	step_done("liveness");
}

static struct plan *make_plan(struct cfg *g, const struct rewrite_options *opt)
{
	struct plan *p = plan_make(g, opt);
	check_plan(p);
	dump_plan(p);
	plan_forget(p);
	step_done("plan");
	return p;
}

static struct layout *lay_out(const struct plan *p)
{
	struct layout *lay = layout_make(p);
	check_layout(p, lay);
	dump_layout(p, lay);
	step_done("layout");
	return lay;
}

/* The verifier wants claims sorted by section and offset. */
static void collect_claims(struct object *o, claim_vec *all)
{
	for (uint32_t i = 1; all && i < o->sec.n; i++) {
		claim_vec *own = &o->sec.v[i].claims;
		for (size_t k = 0; k < own->n; k++)
			vec_push(all, own->v[k]);
		vec_free(own);
	}
}

static struct words *emit(const struct plan *p, const struct layout *lay)
{
	struct words *words = words_make(p, lay);
	emit_code(p, lay, words);
	check_code(p, lay);
	collect_claims(p->g->obj, p->opt->claims);
	step_done("code");
	return words;
}

static void rewrite_metadata(struct object *o)
{
	lsda_rewrite(o);
	eh_frame_rewrite(o);
	step_done("unwind");
	debug_rewrite(o);
	step_done("debug");
}

static void rewrite_data(const struct plan *p, const struct layout *lay)
{
	data_rewrite(p->g, lay);
	for (size_t k = 0; p->inserted && k + 1 < p->g->part.n; k++)
		insertions_free(&p->inserted[k]);
	step_done("data");
}

static void tell(const struct plan *p, FILE *log)
{
	if (p->opt->stats)
		stats_print(p, log);
	if (p->opt->explain && !explain_print(p, p->opt->explain, stdout))
		warn("--ldx-explain: no function %s", p->opt->explain);
}

static void add_sections(const struct plan *p, struct words *words)
{
	words_write(words, p->g->obj);
	if (measures(p->opt) || p->opt->map)
		static_map_write(p);
	fix_symbols(p->g->obj);
	if (p->tools)
		tools_define(p->tools);
	if (measures(p->opt) && p->addressing.access == ACCESS_TURNED)
		turns_write(p); /* the last that knows sections by their addresses */
	step_done("map");
}

static void finish_tools(const struct plan *p)
{
	if (!p->tools)
		return;
	if (p->opt->calls)
		tools_calls(p->tools, p->opt->calls, p->opt->redirects);
	tools_free(p->tools);
}

bool is_control(const char *name)
{
	static const char *const names[] = {LDX_CONTROLS};
	size_t k = 0;
	while (names[k] && strcmp(names[k], name) != 0)
		k++;
	return names[k];
}

static bool has_controls(const struct object *o)
{
	for (uint32_t i = 1; i < o->sym.n; i++)
		if (o->sym.v[i].sec == SEC_UNDEF && is_control(o->sym.v[i].name))
			return true;
	return false;
}

/* Are there functions that cannot be laid out with counters? */
static bool find_far(const struct plan *p, const struct layout *lay, bool **far)
{
	if (!*far)
		*far = calloc(p->g->func.n + 1, sizeof **far);
	if (!*far)
		fatal("out of memory");
	bool found = layout_too_far(p, lay, *far);
	if (found)
		object_origins(NULL);
	return found;
}

/*
 * The comment behind each pass is the invariant that it establishes.  Analysis, plan, layout and
 * code are checked there (invariants.h); verify/ proves the object that is written.  False: no
 * layout; functions were added to *far, by function, which are to be opaque.
 */
static bool rewrite_once(struct arena *a, const char *in, const char *out,
	const struct rewrite_options *opt, bool **far, struct rewritten *result)
{
	FILE *log = opt->log ? opt->log : stderr;
	begin(opt, log);

	struct object *o = read_object(a, in, opt);
	/* every index, offset and type of a relocation is sound */
	struct cfg *g = analyse(a, o, opt, *far);
	/* no byte is changed; blocks do not overlap; a function that is not understood is opaque */
	find_liveness(g, opt);
	/* a register or flag that is in no live set can be overwritten */
	struct plan *p = make_plan(g, opt);
	/* code is queued in front of instructions, sorted; nothing has a new address */
	struct layout *lay = lay_out(p);
	/* every old offset of code has its new ones: section.map is final */
	if (find_far(p, lay, far)) {
		tools_free(p->tools);
		return false;
	}
	struct words *words = emit(p, lay);
	/* code is written, once, with the sizes of the layout; no other pass writes code */
	rewrite_metadata(o);
	/* tables for unwinders and debuggers are right, or are dropped */
	rewrite_data(p, lay);
	/* every field that refers to code has its new offset */
	tell(p, log);
	add_sections(p, words);
	finish_tools(p);
	/* symbols and their sizes follow their code; new tables and the map are sections of their
	 * own */
	object_write(o, out);
	/* the file has all sections that are not dropped */
	object_origins(NULL);
	step_done("write");
	*result = (struct rewritten){.single_thread = p->single_thread,
		.alone = p->alone,
		.turned = p->addressing.access == ACCESS_TURNED,
		.words = p->words,
		.rows = p->rows,
		.controls = has_controls(o),
		.events = tools_event_symbol(p->tools)};
	return true;
}

struct rewritten rewrite_object(struct arena *a, const char *in, const char *out,
	const struct rewrite_options *opt)
{
	struct rewritten result;
	bool *far = NULL;
	while (!rewrite_once(a, in, out, opt, &far, &result))
		arena_free(a);
	free(far);
	return result;
}
