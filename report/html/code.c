/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.c - the functions of a page: their blocks, instructions, edges and calls; see page.h
 */
#include "report/figures/disassembly.h"
#include "report/html/page.h"
#include "report/figures/insns.h"
#include "report/common/progress.h"

#include <inttypes.h>
#include <stdio_ext.h>
#include <stdlib.h>

/* A place in the source, of some instructions. */
struct spot {
	struct source_frame frame;
	bool inlined;
	uint64_t insns; /* executed */
};

struct writer {
	struct page *g;
	struct disassembly *d;
	struct source *source;
	/* the current function */
	uint32_t number;
	FILE *text; /* its instructions, a line each */
	char *buffer;
	size_t size;
	VEC(struct spot) spot;
	VEC(uint32_t) at; /* by instruction: index in spot, or PAGE_NONE */
	VEC(uint64_t) address;
	VEC(uint32_t) rows; /* by block: number of listed instructions */
	const struct map_block *block;
	bool gone; /* the last listed instruction is not in the program */
};

/* Opcodes --------------------------------------------------------------- */

static bool jumps(enum insn_kind kind)
{
	return kind == INSN_JUMP || kind == INSN_BRANCH || kind == INSN_JUMP_IND ||
		kind == INSN_XBEGIN;
}

static bool calls(enum insn_kind kind)
{
	return kind == INSN_CALL || kind == INSN_CALL_IND || kind == INSN_RET;
}

static struct opcode *find_opcode(struct page *g, const char *name, enum insn_kind kind)
{
	const uint64_t *number = strmap_find(&g->opcode_of, name);
	if (number)
		return g->opcode.v[*number];
	struct opcode *o = new_array(1, sizeof *o);
	o->name = new_string("%s", name);
	o->jumps = jumps(kind);
	o->calls = calls(kind);
	*strmap_slot(&g->opcode_of, o->name) = g->opcode.n;
	vec_push(&g->opcode, o);
	return o;
}

static void count_opcode(struct page *g, const struct insn_at *in, const char *name)
{
	struct opcode *o = find_opcode(g, name, (enum insn_kind)in->insn->kind);
	o->code++;
	if (in->known)
		o->count = add_sat(o->count, in->count);
}

/* Instructions ---------------------------------------------------------- */

static bool is_same_spot(const struct source_frame *a, const struct source_frame *b)
{
	return a->func == b->func && a->file == b->file && a->line == b->line &&
		a->place == b->place;
}

/* Searches only nearby spots, so a place with instructions far apart may be listed twice. */
static uint32_t find_spot(struct writer *w, const struct source_frame *f, bool inlined)
{
	enum { NEAR = 64 };
	for (size_t i = w->spot.n; i-- > 0 && i + NEAR >= w->spot.n;)
		if (is_same_spot(&w->spot.v[i].frame, f))
			return (uint32_t)i;
	vec_push(&w->spot, (struct spot){*f, inlined, 0});
	return (uint32_t)w->spot.n - 1;
}

static uint32_t spot_of(struct writer *w, const struct insn_at *in)
{
	const struct source_frame *v;
	size_t n = in->insn || in->left_out ? source_frames(w->source, in->address, &v) : 0;
	if (!n)
		return PAGE_NONE;
	uint32_t i = find_spot(w, v, n > 1);
	if (in->known)
		w->spot.v[i].insns = add_sat(w->spot.v[i].insns, in->count);
	return i;
}

static void add_insn(void *ctx, const struct insn_at *in)
{
	struct writer *w = ctx;
	size_t block = (size_t)(in->b - w->g->func.v[w->number].p->map.block) - in->f->block;
	uint32_t spot = spot_of(w, in);
	bool goes_on = !in->insn && w->gone && w->block == in->b;
	w->gone = !in->insn;
	w->block = in->b;
	if (goes_on)
		return;
	const char *name = put_insn(w->text, w->d, in);
	if (name)
		count_opcode(w->g, in, name);
	fputc('\n', w->text);
	vec_push(&w->at, spot);
	vec_push(&w->address, in->address);
	w->rows.v[block]++;
}

static void take_insns(struct writer *w, const struct page_func *f)
{
	w->spot.n = w->at.n = w->address.n = w->rows.n = 0;
	w->block = NULL;
	for (size_t i = 0; i < f->f->nblocks; i++)
		vec_push(&w->rows, 0);
	w->text = open_memstream(&w->buffer, &w->size);
	if (!w->text)
		die("out of memory");
	__fsetlocking(w->text, FSETLOCKING_BYCALLER);
	each_insn(f->p, f->f, add_insn, w);
	if (fclose(w->text))
		die("out of memory");
}

static void add_lines(struct writer *w)
{
	bool marks = map_has_marks(&w->g->func.v[w->number].p->map);
	for (const struct spot *s = w->spot.v; !marks && s < w->spot.v + w->spot.n; s++)
		if (s->frame.file && s->frame.line && s->insns)
			vec_push(&w->g->line,
				(struct page_line){page_file(w->g, s->frame.file), s->frame.line,
					w->number, s->insns});
}

/* The item of a function ------------------------------------------- */

/* A list element; -1 for PAGE_NONE. */
static void put_index(FILE *out, size_t i, uint32_t n)
{
	if (i)
		fputc_unlocked(',', out);
	if (n == PAGE_NONE)
		fputs("-1", out);
	else
		pack_number(out, true, n);
}

/* File, line, and for inlined code the number of the copy and the function. */
static void put_spots(struct writer *w, FILE *out)
{
	fputs("\"spots\":[", out);
	for (size_t i = 0; i < w->spot.n; i++) {
		const struct spot *s = &w->spot.v[i];
		uint32_t file = page_file(w->g, s->frame.file);
		fputs(i ? ",[" : "[", out);
		put_index(out, 0, file);
		put_index(out, 1, s->frame.line);
		put_index(out, 2, (uint32_t)s->frame.place);
		if (s->inlined) {
			fputc(',', out);
			put_json(out, s->frame.func ? demangled(s->frame.func->name) : "");
		}
		fputc(']', out);
	}
	fputs("],", out);
}

/* The place in the source of each instruction, and its distance from the one before it. */
static void put_insns(struct writer *w, FILE *out)
{
	uint64_t last = 0;
	fputs("\"at\":[", out);
	for (size_t i = 0; i < w->at.n; i++)
		put_index(out, i, w->at.v[i]);
	fputs("],\"steps\":[", out);
	for (size_t i = 0; i < w->address.n; last = w->address.v[i], i++) {
		bool back = w->address.v[i] < last;
		fputs(i ? back ? ",-" : "," : "", out);
		pack_number(out, true, back ? last - w->address.v[i] : w->address.v[i] - last);
	}
	fputs("],\"code\":", out);
	put_json(out, w->buffer);
	fputc(',', out);
}

/* Offset, address, count, instructions, number of listed ones, flags. */
static void put_blocks(const struct writer *w, const struct page_func *f, FILE *out)
{
	fputs("\"blocks\":[", out);
	for (size_t i = 0; i < f->f->nblocks; i++) {
		const struct map_block *b = &f->p->map.block[f->f->block + i];
		uint64_t count = 0;
		bool known = block_count(f->p, b, &count);
		fputs(i ? ",[" : "[", out);
		pack_number(out, true, b->offset);
		fputc(',', out);
		pack_number(out, map_is_placed(b), b->address);
		fputc(',', out);
		pack_number(out, known, count);
		put_index(out, 1, (uint32_t)b->insns);
		put_index(out, 2, w->rows.v[i]);
		fprintf(out, ",%d]",
			(b->flags & LDX_BLOCK_ENTRY ? 1 : 0) | (b->flags & LDX_BLOCK_CALL ? 2 : 0));
	}
	fputs("],", out);
}

/* From, to, count, whether it falls through; blocks from 1, 0 is outside. */
static void put_edges(const struct page_func *f, FILE *out)
{
	fputs("\"edges\":[", out);
	for (size_t i = 0; !map_has_marks(&f->p->map) && i < f->f->nedges; i++) {
		const struct map_edge *e = &f->p->map.edge[f->f->edge + i];
		uint64_t count = 0;
		bool known = edge_count(f->p, e, &count);
		fputs(i ? ",[" : "[", out);
		put_index(out, 0, (uint32_t)e->from);
		put_index(out, 1, (uint32_t)e->to);
		fputc(',', out);
		pack_number(out, known, count);
		fprintf(out, ",%d]", e->flags & LDX_EDGE_FALL ? 1 : 0);
	}
	fputs("],", out);
}

static uint32_t func_at(const struct page *g, const struct program *p, const struct map_func *f)
{
	return g->func_of[p - g->run->v][f - p->map.func];
}

/* The other function; address, count, 0 direct 1 by name 2 indirect, is a jump; instructions. */
static void put_call(const struct page *g, const struct call *c, bool callee, FILE *out)
{
	fputc('[', out);
	if (!callee)
		fprintf(out, "%" PRIu32, func_at(g, c->p, c->from));
	else if (c->to)
		fprintf(out, "%" PRIu32, func_at(g, c->to_in, c->to));
	else if (c->name)
		put_json(out, demangled(c->name));
	else
		fputs("null", out);
	fprintf(out, ",%" PRIu64 ",", c->address);
	pack_number(out, c->known, c->count);
	double insns = g->inclusive.of_call[c - g->calls.v];
	fprintf(out, ",%d,%d,%.0f]", (int)c->kind, c->tail, insns > 0 ? insns : 0);
}

/* The first call whose caller has this number or a greater one. */
static size_t first_call(const struct page *g, uint32_t number)
{
	size_t i;
	const struct call *c = g->calls.v;
	BISECT(i, 0, g->calls.n, func_at(g, c[i].p, c[i].from) < number);
	return i;
}

static void put_callees(const struct page *g, uint32_t number, FILE *out)
{
	const char *comma = "";
	fputs("\"callees\":[", out);
	for (size_t i = first_call(g, number);
		i < g->calls.n && func_at(g, g->calls.v[i].p, g->calls.v[i].from) == number;
		i++, comma = ",") {
		fputs(comma, out);
		put_call(g, &g->calls.v[i], true, out);
	}
	fputs("],", out);
}

static uint32_t callee(const struct page *g, const struct call *c)
{
	return c->to ? func_at(g, c->to_in, c->to) : PAGE_NONE;
}

static void put_callers(const struct page *g, uint32_t number, FILE *out)
{
	size_t i;
	const char *comma = "";
	fputs("\"callers\":[", out);
	BISECT(i, 0, g->calls.n, callee(g, &g->calls.v[g->by_callee[i]]) < number);
	for (; i < g->calls.n && callee(g, &g->calls.v[g->by_callee[i]]) == number;
		i++, comma = ",") {
		fputs(comma, out);
		put_call(g, &g->calls.v[g->by_callee[i]], false, out);
	}
	fputs("],", out);
}

static void put_names(const struct page_func *f, FILE *out)
{
	fputs("\"symbol\":", out);
	put_json(out, f->f->name);
	fputs(",\"section\":", out);
	put_json(out, f->f->section);
	fputs(",\"origin\":", out);
	put_json(out, func_origin(f->f));
	fputs(",\"opaque\":", out);
	put_json(out, f->f->flags & LDX_FUNC_OPAQUE ? f->f->reason : "");
	fputs(",\"address\":", out);
	pack_number(out, true, f->f->address);
	fputc('}', out);
}

/* Of a function that was not executed, in the page of a large program, there are only names and
 * callers. */
static void put_left_out(struct writer *w, const struct page_func *f)
{
	FILE *out = pack_item(&w->g->pack);
	fputs("{\"left\":1,\"blocks\":[],\"at\":[],\"steps\":[],\"code\":\"\",\"spots\":[],\"edges\":[],"
	      "\"callees\":[],",
		out);
	put_callers(w->g, w->number, out);
	put_names(f, out);
}

static void put_func(struct writer *w, const struct page_func *f)
{
	if (w->g->executed_only && !f->sum.run) {
		put_left_out(w, f);
		return;
	}
	take_insns(w, f);
	FILE *out = pack_item(&w->g->pack);
	fputc('{', out);
	put_blocks(w, f, out);
	put_insns(w, out);
	put_spots(w, out);
	put_edges(f, out);
	put_callees(w->g, w->number, out);
	put_callers(w->g, w->number, out);
	put_names(f, out);
	add_lines(w);
	free(w->buffer);
}

void page_put_code(struct page *g)
{
	struct writer w = {.g = g};
	const struct program *p = NULL;
	g->code_from = g->pack.chunks;
	for (; w.number < g->func.n; w.number++) {
		const struct page_func *f = &g->func.v[w.number];
		progress("writing functions", w.number, g->func.n);
		if (f->p != p) {
			p = f->p;
			w.d = disassembly_make(p, true);
			w.source = g->source[p - g->run->v];
		}
		put_func(&w, f);
	}
	progress_clear();
	pack_flush(&g->pack);
}
