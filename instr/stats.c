/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.c - --ldx-stats and --ldx-explain; line-oriented, so that grep and awk can read it
 */
#include "program/program.h"
#include "instr/stats.h"
#include "instr/count/called.h"

#include "instr/tool/tool.h"

#include "base/shown.h"
#include "cfg/scaled.h"
#include "cfg/dump.h"

struct tally {
	uint64_t funcs, bytes;
};

/* The name of the function that p is held by, or of the place. */
static const char *lump_owner(const struct cfg *g, const struct code_section *t,
	const struct lump *p)
{
	uint32_t f = p->by != NO_FUNC ? p->by : cfg_func_at(g, t, p->why_off);
	return f != NO_FUNC ? func_name(g, &g->func.v[f]) : section_name(g->arena, t->sec);
}

static void print_opaque(const struct plan *p, FILE *f)
{
	const struct cfg *g = p->g;
	for (uint32_t i = 0; i < g->func.n; i++) {
		const struct func *fn = &g->func.v[i];
		const struct code_section *t = &g->text.v[fn->text];
		if (fn->is_code && fn->why != OPAQUE_NOT)
			fprintf(f, "ldx: stats: opaque: %s: %s: %s\n", shown(func_name(g, fn)),
				shown(place_name(g->arena, t->sec, fn->why_off)),
				opaque_text[fn->why]);
	}
}

/* By piece of section t: the functions that it holds and no earlier one. */
static struct tally *tally_lumps(const struct cfg *g, const struct code_section *t)
{
	struct tally *by = arena_array(g->arena, struct tally, t->lump.n);
	for (uint32_t i = t->func; i < t->func + t->nfunc; i++) {
		const struct func *fn = &g->func.v[i];
		if (!fn->is_code || !fn->lump)
			continue;
		by[fn->lump - 1].funcs++;
		by[fn->lump - 1].bytes += fn->end - fn->start;
	}
	return by;
}

/* What stays in one piece, and what needs that. */
static void print_held(const struct cfg *g, FILE *f)
{
	for (size_t k = 0; k < g->text.n; k++) {
		const struct code_section *t = &g->text.v[k];
		const struct tally *by = t->lump.n ? tally_lumps(g, t) : NULL;
		for (size_t i = 0; i < t->lump.n; i++)
			if (by[i].funcs)
				fprintf(f, "ldx: stats: held by %s: %s: %s: %llu (%llu bytes)\n",
					shown(lump_owner(g, t, &t->lump.v[i])),
					shown(place_name(g->arena, t->sec, t->lump.v[i].why_off)),
					opaque_text[t->lump.v[i].why],
					(unsigned long long)by[i].funcs,
					(unsigned long long)by[i].bytes);
	}
}

static void print_reason(const struct plan *p, const char *what, struct reason r, FILE *f)
{
	const struct cfg *g = p->g;
	if (!r.text)
		return;
	fprintf(f, "ldx: stats: %s: ", what);
	if (r.func != NO_FUNC)
		fprintf(f, "%s ", shown(func_name(g, &g->func.v[r.func])));
	fprintf(f, "%s\n", shown(r.text));
}

static void print_sites(const struct plan *p, FILE *f)
{
	static const char *const kind[COUNT_KINDS] = {[COUNT_DIRECT] = "that save nothing",
		[COUNT_FLAGS] = "that save the flags",
		[COUNT_SAVE] = "that save registers",
		[COUNT_HELD] = "held in a register over a loop",
		[COUNT_STEPPED] = "that an induction variable replaces"};
	static const char *const access[] = {[ACCESS_PLAIN] = "plain",
		[ACCESS_ATOMIC] = "atomic",
		[ACCESS_THREAD] = "by thread",
		[ACCESS_TURNED] = "plain until a second thread comes, then by thread or atomic"};
	fprintf(f, "ldx: stats: counters are %s%s%s%s%s\n", p->rows ? "by thread, " : "",
		access[p->addressing.access],
		p->reentered ? " where handlers of signals count, else plain" : "",
		p->addressing.fixed ? ", at addresses fixed by the link" : "",
		p->every ? ", one for each block" : "");
	print_reason(p, "one counter for each block", p->why_every, f);
	print_reason(p, "each function whose address is taken may be a handler", p->why_unknown, f);
	fprintf(f, "ldx: stats: functions whose entries are counted where they are called: %u\n",
		called_functions(p->called, p->g->func.n));
	for (int k = 0; k < COUNT_KINDS; k++)
		fprintf(f, "ldx: stats: counters %s: %llu\n", kind[k],
			(unsigned long long)p->kinds[k]);
	if (p->g->target->micro->base_bits)
		fprintf(f,
			"ldx: stats: counters that share a register with part of their address: %llu\n",
			(unsigned long long)p->based);
}

static void print_lost(const struct object *o, FILE *f)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		if (s->why)
			fprintf(f, "ldx: stats: note: %s (%llu bytes) is dropped: %s\n",
				shown(section_name(o->arena, s)), (unsigned long long)s->size,
				s->why);
		if (s->nsplit)
			fprintf(f,
				"ldx: stats: note: %s: %u units lose their .dwo files, which "
				"describe the code before ldx changed it\n",
				shown(section_name(o->arena, s)), s->nsplit);
	}
}

/* Labels without a type that no known code leads to: they may be code. */
static void print_unknown(const struct cfg *g, FILE *f)
{
	for (uint32_t i = 0; i < g->func.n; i++) {
		const struct func *fn = &g->func.v[i];
		if (!fn->is_code && fn->sym && symbol_type(&g->obj->sym.v[fn->sym]) == STT_NOTYPE)
			fprintf(f,
				"ldx: stats: not known to be code: %s: %s, %llu bytes, "
				"a label without a type\n",
				shown(func_name(g, fn)),
				shown(place_name(g->arena, g->text.v[fn->text].sec, fn->start)),
				(unsigned long long)(fn->end - fn->start));
	}
}

void stats_print(const struct plan *p, FILE *f)
{
	const struct cfg *g = p->g;
	struct tally by[OPAQUE_REASONS] = {0}, all = {0}, data = {0};
	uint64_t blocks = 0, tables = 0, insns = 0, selected = 0;
	for (uint32_t i = 0; i < g->func.n; i++) {
		const struct func *fn = &g->func.v[i];
		struct tally *t = fn->is_code ? &by[fn->why] : &data;
		t->funcs++;
		t->bytes += fn->end - fn->start;
		all.funcs += fn->is_code;
		selected += fn->is_code && p->selected && p->selected[i];
		all.bytes += fn->is_code ? fn->end - fn->start : 0;
	}
	for (size_t t = 0; t < g->text.n; t++)
		insns += g->text.v[t].ninsn;
	for (size_t b = 0; b < g->block.n; b++)
		blocks += !g->block.v[b].gap;
	for (size_t t = 0; t < g->table.n; t++)
		tables += g->table.v[t].proved;
	for (size_t t = 0; t < g->scaled.n; t++)
		tables += g->scaled.v[t].proved;
	fprintf(f, "ldx: stats: sections with code: %zu\n", g->text.n);
	fprintf(f, "ldx: stats: instructions: %llu\n", (unsigned long long)insns);
	fprintf(f, "ldx: stats: functions: %llu (%llu bytes)\n", (unsigned long long)all.funcs,
		(unsigned long long)all.bytes);
	if (p->selected)
		fprintf(f, "ldx: stats: functions selected: %llu\n", (unsigned long long)selected);
	fprintf(f, "ldx: stats: blocks: %llu\n", (unsigned long long)blocks);
	fprintf(f, "ldx: stats: jump tables: %llu\n", (unsigned long long)tables);
	fprintf(f, "ldx: stats: counters: %u\n", p->ncounters);
	print_sites(p, f);
	for (int r = 0; r < OPAQUE_REASONS; r++)
		if (by[r].funcs)
			fprintf(f, "ldx: stats: %s%s: %llu (%llu bytes, %.2f %%)\n",
				r ? "opaque, " : "", opaque_text[r],
				(unsigned long long)by[r].funcs, (unsigned long long)by[r].bytes,
				all.bytes ? 100.0 * (double)by[r].bytes / (double)all.bytes : 0.0);
	fprintf(f, "ldx: stats: regions not known to be code: %llu (%llu bytes)\n",
		(unsigned long long)data.funcs, (unsigned long long)data.bytes);
	tools_print(p->tools, f);
	print_lost(g->obj, f);
	print_opaque(p, f);
	print_held(g, f);
	print_unknown(g, f);
}

/* Explain -------------------------------------------------------------- */

static unsigned long long block_off(const struct cfg *g, uint32_t b)
{
	return g->insn.v[g->block.v[b].insn].off;
}

static void print_target(void *ctx, uint32_t b)
{
	struct {
		const struct cfg *g;
		FILE *f;
	} *c = ctx;
	fprintf(c->f, " 0x%llx", block_off(c->g, b));
}

static void explain_block(const struct plan *p, uint32_t b, FILE *f)
{
	const struct cfg *g = p->g;
	const struct block *bl = &g->block.v[b];
	struct {
		const struct cfg *g;
		FILE *f;
	} ctx = {g, f};
	fprintf(f, "  block 0x%llx: %u instructions, %s", block_off(g, b), bl->ninsn,
		bl->gap ? "padding" : block_end_text[bl->end]);
	if (bl->target != NO_BLOCK)
		fprintf(f, " to %s 0x%llx",
			shown(func_name(g, &g->func.v[g->block.v[bl->target].func])),
			block_off(g, bl->target));
	if (bl->end == END_TABLE) {
		fprintf(f, ":");
		cfg_table_targets(g, b, print_target, &ctx);
	}
	if (bl->fall != NO_BLOCK)
		fprintf(f, ", continues at 0x%llx", block_off(g, bl->fall));
	if (p->block_counter[b])
		fprintf(f, ", counter %u", p->block_counter[b] - 1);
	fputc('\n', f);
}

bool explain_print(const struct plan *p, const char *name, FILE *f)
{
	const struct cfg *g = p->g;
	bool found = false;
	for (uint32_t i = 0; i < g->func.n; i++) {
		const struct func *fn = &g->func.v[i];
		const struct section *s = g->text.v[fn->text].sec;
		const char *own = func_name(g, fn);
		if (strcmp(own, name) && strcmp(shown(own), name))
			continue;
		found = true;
		fprintf(f, "%s: %s, to 0x%llx, function number %u\n", shown(own),
			shown(place_name(g->arena, s, fn->start)), (unsigned long long)fn->end, i);
		if (!fn->is_code)
			fprintf(f,
				"  not known to be code: nothing calls it, and it has no type\n");
		if (fn->why != OPAQUE_NOT)
			fprintf(f, "  opaque: %s, at 0x%llx\n", opaque_text[fn->why],
				(unsigned long long)fn->why_off);
		if (fn->lump)
			fprintf(f, "  held by: %s\n",
				shown(lump_owner(g, &g->text.v[fn->text],
					&g->text.v[fn->text].lump.v[fn->lump - 1])));
		if (p->func_counter[i])
			fprintf(f, "  entries: counter %u\n", p->func_counter[i] - 1);
		if (called_sites(p->called, i))
			fprintf(f, "  entries: counters of the blocks that call it\n");
		for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++)
			explain_block(p, b, f);
	}
	return found;
}
