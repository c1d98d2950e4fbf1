/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump.c - what --ldx-dump prints of the analysis; see dump.h
 */
#include "cfg/blocks.h"
#include "cfg/dump.h"
#include "cfg/refs.h"

#include "base/shown.h"

const char *const block_end_text[] = {
	[END_FALL] = "falls through",
	[END_JUMP] = "jumps",
	[END_BRANCH] = "branches",
	[END_CALL] = "calls",
	[END_TABLE] = "jumps by table",
	[END_LEAVE] = "jumps to an address",
	[END_RET] = "returns",
	[END_TRAP] = "does not continue",
	[END_SYSCALL] = "system call",
};

static const char *const use_text[REF_USES] = {
	[REF_CALL] = "call",
	[REF_BRANCH] = "branch",
	[REF_EDGE] = "edge",
	[REF_LEAVE] = "leave",
	[REF_TABLE] = "table",
	[REF_ADDRESS] = "address",
	[REF_READ] = "read",
	[REF_EXACT] = "exact",
	[REF_RANGE_END] = "range end",
	[REF_SCOPE_END] = "scope end",
	[REF_UNWIND_END] = "unwind end",
};

/* Requests ------------------------------------------------------------- */

/* The next name of a request's list; its length is *n, 0 at the end. */
static const char *next_name(const char *p, const char *separators, size_t *n)
{
	p += strspn(p, separators);
	*n = strcspn(p, separators);
	return p;
}

bool dump_asked(const char *request, const char *dump)
{
	size_t end = request ? strcspn(request, ":") : 0, n;
	for (const char *p = request; p && p < request + end; p += n) {
		p = next_name(p, ",+", &n);
		if (p + n > request + end)
			n = (size_t)(request + end - p);
		if ((n == 3 && !strncmp(p, "all", n)) ||
			(n == strlen(dump) && !strncmp(p, dump, n)))
			return true;
	}
	return false;
}

bool dump_shows(const struct cfg *g, const char *request, uint32_t f)
{
	const char *p = strchr(request, ':'), *name;
	size_t n;
	if (!p || f == NO_FUNC)
		return !p;
	name = func_name(g, &g->func.v[f]);
	for (p = next_name(p, ":", &n); n; p = next_name(p + n, ":", &n))
		if ((strlen(name) == n && !strncmp(p, name, n)) ||
			(strlen(shown(name)) == n && !strncmp(p, shown(name), n)))
			return true;
	return false;
}

const char *dump_unknown(struct arena *a, const char *request)
{
	size_t n;
	const char *list = arena_printf(a, "%.*s", (int)strcspn(request, ":"), request);
	for (const char *p = next_name(list, ",+", &n); n; p = next_name(p + n, ",+", &n)) {
		const char *name = arena_printf(a, " %.*s ", (int)n, p);
		if (!strstr(" all " DUMPS " ", name))
			return arena_printf(a, "%.*s", (int)n, p);
	}
	return *list ? NULL : "";
}

/* Places --------------------------------------------------------------- */

static void print_func(const struct cfg *g, uint32_t f, uint64_t off)
{
	printf("%s+0x%llx", shown(func_name(g, &g->func.v[f])),
		(unsigned long long)(off - g->func.v[f].start));
}

void dump_at(const struct cfg *g, const char *dump, uint32_t func, uint64_t off)
{
	printf("%s ", dump);
	print_func(g, func, off);
}

void dump_place(const struct cfg *g, uint32_t sec, uint64_t off)
{
	const struct code_section *t = cfg_section(g, sec);
	uint32_t f = t ? cfg_func_at(g, t, off) : NO_FUNC;
	if (f != NO_FUNC)
		print_func(g, f, off);
	else
		printf("%s+0x%llx", shown(g->obj->sec.v[sec].name), (unsigned long long)off);
}

static uint64_t block_off(const struct cfg *g, uint32_t b)
{
	return g->insn.v[g->block.v[b].insn].off;
}

void dump_block(const struct cfg *g, uint32_t b)
{
	if (b == NO_BLOCK)
		printf("outside");
	else
		print_func(g, g->block.v[b].func, block_off(g, b));
}

void dump_regs(const struct cfg *g, regset set)
{
	const char *const *name = g->target->reg_name;
	regset named = 0;
	for (unsigned i = 0; i < REGSET_BITS; i++)
		named |= name[i] ? REG_BIT(i) : 0;
	set &= named;
	if (!set || set == named)
		printf(" %s", set ? "all" : "none");
	for (unsigned i = 0; i < REGSET_BITS && set != named; i++)
		if (set & REG_BIT(i))
			printf(" %s", name[i]);
}

/* Blocks --------------------------------------------------------------- */

static void edge_to(const struct cfg *g, uint32_t from, uint32_t to, const char *how)
{
	dump_at(g, "blocks", g->block.v[from].func, block_off(g, from));
	printf(" -> ");
	dump_block(g, to);
	printf(": %s\n", how);
}

struct by_table {
	const struct cfg *g;
	uint32_t from;
};

static void edge_by_table(void *ctx, uint32_t to)
{
	const struct by_table *c = ctx;
	edge_to(c->g, c->from, to, "by table");
}

static void block_facts(const struct cfg *g, uint32_t b)
{
	const struct block *bl = &g->block.v[b];
	dump_at(g, "blocks", bl->func, block_off(g, b));
	printf(": %u instruction%s, %s%s%s\n", bl->ninsn, bl->ninsn == 1 ? "" : "s",
		bl->gap ? "padding" : block_end_text[bl->end], bl->entry ? ", entry" : "",
		bl->astray ? ", leads nobody knows where" : "");
	if (bl->target != NO_BLOCK)
		edge_to(g, b, bl->target, bl->end == END_CALL ? "call" : "taken");
	if (bl->end == END_TABLE)
		cfg_table_targets(g, b, edge_by_table, &(struct by_table){g, b});
	if (bl->fall != NO_BLOCK)
		edge_to(g, b, bl->fall, "fall");
}

static void func_blocks(const struct cfg *g, uint32_t i)
{
	const struct func *f = &g->func.v[i];
	dump_at(g, "blocks", i, f->start);
	printf(": function of %llu bytes in %s%s\n", (unsigned long long)(f->end - f->start),
		shown(g->text.v[f->text].sec->name), f->is_code ? "" : ", not known to be code");
	if (f->why != OPAQUE_NOT) {
		dump_at(g, "blocks", i, f->start);
		printf(": opaque: %s, at ", opaque_text[f->why]);
		dump_place(g, g->text.v[f->text].sec->index, f->why_off);
		putchar('\n');
	}
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		block_facts(g, b);
}

/* Tables --------------------------------------------------------------- */

static void table_at(const struct cfg *g, const struct table *t)
{
	printf("tables ");
	dump_place(g, t->sec, t->base);
}

static void table_facts(const struct cfg *g, const struct table *t)
{
	const struct section *s = &g->obj->sec.v[t->sec];
	table_at(g, t);
	printf(": %u entries, %s, %s\n", t->n / t->step, t->relative ? "relative" : "absolute",
		t->proved ? "proved" : "not proved");
	for (uint32_t k = t->rel; k < t->rel + t->n; k += t->step) {
		uint64_t off, base = t->relative && t->step == 1 ? t->base : s->rel[k].off;
		const struct section *to = reloc_target(g->obj, &s->rel[k], &off);
		off += (uint64_t)s->rel[k].addend - (s->rel[k].off - base);
		table_at(g, t);
		printf(": entry at 0x%llx -> ", (unsigned long long)(s->rel[k].off - t->base));
		dump_place(g, to ? to->index : SEC_UNDEF, off);
		putchar('\n');
	}
}

/* Tables in the order of the first instructions that refer to them. */
static void dump_tables(const struct cfg *g, const char *request)
{
	uint8_t *done = arena_array(g->arena, uint8_t, g->table.n + 1);
	for (size_t i = 0; i < g->table_ref.n; i++) {
		const struct table_ref *r = &g->table_ref.v[i];
		const struct code_section *t = &g->text.v[r->text];
		if (!dump_shows(g, request, cfg_func_at(g, t, r->off)))
			continue;
		if (!done[r->table])
			table_facts(g, &g->table.v[r->table]);
		done[r->table] = 1;
		table_at(g, &g->table.v[r->table]);
		printf(": read at ");
		dump_place(g, t->sec->index, r->off);
		putchar('\n');
	}
}

/* References ----------------------------------------------------------- */

/* A label, or the symbol of a relocation that refers to nothing in the object. */
static void print_ref(const struct cfg *g, const struct ref *r)
{
	printf(": %s of ", use_text[r->use]);
	if (r->sec)
		dump_place(g, r->sec, r->off);
	else
		printf("%s", r->rel ? shown(g->obj->sym.v[r->rel->sym].name) : "nothing");
	printf(", %s\n", r->rel ? g->target->reloc_info(r->rel->type)->name : "resolved");
}

static void insn_refs(const struct cfg *g, uint32_t f, uint32_t i)
{
	const struct code_section *c = &g->text.v[g->func.v[f].text];
	const struct insn *in = &g->insn.v[i];
	struct ref own = {0}, ref;
	uint32_t n;
	const struct reloc *r = insn_relocs(c, in, &n);
	if (cfg_ref(g, c, i, &own)) {
		dump_at(g, "refs", f, in->off);
		print_ref(g, &own);
	}
	for (; n; n--, r++) {
		if (r == own.rel || g->target->reloc_info(r->type)->role == ROLE_NONE)
			continue;
		ref = cfg_reloc_ref(g, c, i, r);
		dump_at(g, "refs", f, in->off);
		print_ref(g, &ref);
	}
}

static void func_refs(const struct cfg *g, uint32_t i)
{
	const struct func *f = &g->func.v[i];
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		for (uint32_t k = 0; k < g->block.v[b].ninsn; k++)
			insn_refs(g, i, g->block.v[b].insn + k);
}

/* References from data to code. */
static void data_refs(const struct cfg *g, const char *request, const struct section *s)
{
	for (uint32_t k = 0; k < s->nrel; k++) {
		struct ref r = cfg_data_ref(g, s, k);
		const struct code_section *t = r.sec ? cfg_section(g, r.sec) : NULL;
		if (!t || !dump_shows(g, request, cfg_func_at(g, t, r.off)))
			continue;
		printf("refs ");
		dump_place(g, s->index, s->rel[k].off);
		print_ref(g, &r);
	}
}

static void dump_refs(const struct cfg *g, const char *request)
{
	for (uint32_t f = 0; f < g->func.n; f++)
		if (dump_shows(g, request, f))
			func_refs(g, f);
	for (uint32_t i = 1; i < g->obj->sec.n; i++) {
		const struct section *s = &g->obj->sec.v[i];
		if ((s->flags & SHF_ALLOC) && !section_is_code(s) && !is_metadata(s))
			data_refs(g, request, s);
	}
}

void dump_code(const struct cfg *g, const char *request)
{
	if (dump_asked(request, "blocks"))
		for (uint32_t f = 0; f < g->func.n; f++)
			if (dump_shows(g, request, f))
				func_blocks(g, f);
	if (dump_asked(request, "tables"))
		dump_tables(g, request);
	if (dump_asked(request, "refs"))
		dump_refs(g, request);
}

/* Liveness ------------------------------------------------------------- */

static void live_fact(const struct cfg *g, uint32_t func, uint64_t off, const char *what,
	regset set)
{
	dump_at(g, "liveness", func, off);
	printf(": %s:", what);
	dump_regs(g, set);
	putchar('\n');
}

static void func_liveness(const struct cfg *g, uint32_t i)
{
	const struct func *f = &g->func.v[i];
	live_fact(g, i, f->start, "written", f->written);
	live_fact(g, i, f->start, "live at returns", f->ret_live);
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		if (g->block.v[b].gap)
			continue;
		live_fact(g, i, block_off(g, b), "live in", g->block.v[b].live_in);
		live_fact(g, i, block_off(g, b), "live out", g->block.v[b].live_out);
	}
}

void dump_liveness(const struct cfg *g, const char *request)
{
	if (dump_asked(request, "liveness"))
		for (uint32_t f = 0; f < g->func.n; f++)
			if (dump_shows(g, request, f))
				func_liveness(g, f);
}
