/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.c - the objects of ldx/program.h, made from a run; see walk.h
 */
#include "report/tool/walk.h"

#include "report/figures/disassembly.h"
#include "targets/class.h"

#include <ldx/report.h>
#include <stdlib.h>
#include <string.h>

static struct {
	const struct run *run;
	bool keep;
	ldx_object *object;
	struct call_finder *calls;
	struct strmap words; /* mnemonics, each once */
} walk;

void walk_open(const struct run *run, bool keep)
{
	walk.run = run;
	walk.keep = keep;
	walk.object = NEW_ARRAY(ldx_object, run->n);
	for (size_t i = 0; i < run->n; i++) {
		ldx_object *o = &walk.object[i];
		o->p = &run->v[i];
		o->func = NEW_ARRAY(ldx_func, o->p->map.nfuncs);
		for (size_t k = 0; k < o->p->map.nfuncs; k++)
			o->func[k] = (ldx_func){.object = o, .f = &o->p->map.func[k]};
	}
}

/* What a function consists of -------------------------------------------- */

static void take_insn(void *ctx, const struct insn_at *in)
{
	ldx_func *f = ctx;
	ldx_block *b = &f->block[in->b - f->object->p->map.block - f->f->block];
	ldx_insn *i = &b->insn[b->ninsns++];
	*i = (ldx_insn){.block = b,
		.bytes = in->bytes,
		.address = in->address,
		.offset = in->offset,
		.size = in->size,
		.decoded = in->insn,
		.is_last = in->is_last,
		.left_out = in->left_out};
	if (in->insn)
		i->insn = *in->insn;
}

static ldx_func *with_blocks(const ldx_func *func)
{
	ldx_func *f = (ldx_func *)func; /* tools only read it */
	if (f->block || !f->f->nblocks)
		return f;
	const struct map_block *b = &f->object->p->map.block[f->f->block];
	f->block = NEW_ARRAY(ldx_block, f->f->nblocks);
	for (size_t k = 0; k < f->f->nblocks; k++)
		f->block[k] = (ldx_block){.func = f, .b = &b[k]};
	return f;
}

static void decode(const ldx_func *func)
{
	ldx_func *f = with_blocks(func);
	size_t n = 0;
	if (f->insn)
		return;
	for (size_t k = 0; k < f->f->nblocks; k++)
		n += f->block[k].b->insns;
	f->insn = NEW_ARRAY(ldx_insn, n);
	n = 0;
	for (size_t k = 0; k < f->f->nblocks; k++) {
		f->block[k].insn = f->insn + n;
		n += f->block[k].b->insns;
	}
	each_insn(f->object->p, f->f, take_insn, f);
}

static ldx_func *with_edges(const ldx_func *func)
{
	ldx_func *f = with_blocks(func);
	if (f->edge || !f->f->nedges)
		return f;
	f->edge = NEW_ARRAY(ldx_edge, f->f->nedges);
	for (size_t k = 0; k < f->f->nedges; k++)
		f->edge[k] = (ldx_edge){f, &f->object->p->map.edge[f->f->edge + k]};
	return f;
}

void walk_forget(const ldx_func *func)
{
	ldx_func *f = (ldx_func *)func;
	if (walk.keep)
		return;
	free(f->insn);
	free(f->block);
	free(f->edge);
	free(f->loop);
	free(f->loop_of);
	f->loop = NULL;
	f->loop_of = NULL;
	f->insn = NULL;
	f->block = NULL;
	f->edge = NULL;
}

/* Walking ------------------------------------------------------------------ */

const ldx_object *ldx_next_object(const ldx_object *o)
{
	o = o ? o + 1 : walk.object;
	return o < walk.object + walk.run->n ? o : NULL;
}

const ldx_func *ldx_next_func(const ldx_object *o, const ldx_func *f)
{
	for (f = f ? f + 1 : o->func; f < o->func + o->p->map.nfuncs; f++)
		if (func_linked(o->p, f->f))
			return f;
	return NULL;
}

const ldx_block *ldx_next_block(const ldx_func *f, const ldx_block *b)
{
	b = b ? b + 1 : with_blocks(f)->block;
	return b && b < f->block + f->f->nblocks ? b : NULL;
}

const ldx_insn *ldx_next_insn(const ldx_block *b, const ldx_insn *i)
{
	decode(b->func);
	i = i ? i + 1 : b->insn;
	return i < b->insn + b->ninsns ? i : NULL;
}

const ldx_edge *ldx_next_edge(const ldx_func *f, const ldx_edge *e)
{
	e = e ? e + 1 : with_edges(f)->edge;
	return e && e < f->edge + f->f->nedges ? e : NULL;
}

/* Objects and functions ------------------------------------------------------ */

const char *ldx_object_name(const ldx_object *o)
{
	return o->p->path;
}

const char *ldx_object_cpu(const ldx_object *o)
{
	return o->p->target ? o->p->target->name : "";
}

const char *ldx_func_name(const ldx_func *f)
{
	return f->f->name;
}

const char *ldx_func_demangled(const ldx_func *func)
{
	ldx_func *f = (ldx_func *)func;
	if (!f->demangled)
		f->demangled = demangled(f->f->name);
	return f->demangled;
}

const char *ldx_func_input(const ldx_func *f)
{
	return f->f->input;
}

const char *ldx_func_opaque(const ldx_func *f)
{
	return f->f->flags & LDX_FUNC_OPAQUE ? f->f->reason : NULL;
}

uint64_t ldx_func_size(const ldx_func *f)
{
	return f->f->size;
}

/* Blocks and edges ----------------------------------------------------------- */

uint32_t ldx_block_id(const ldx_block *b)
{
	return (uint32_t)(b->b - b->func->object->p->map.block);
}

const ldx_block *ldx_find_block(const ldx_object *o, uint32_t id)
{
	for (size_t k = 0; k < o->p->map.nfuncs; k++) {
		const struct map_func *f = o->func[k].f;
		if (id >= f->block && id - f->block < f->nblocks && func_linked(o->p, f))
			return &with_blocks(&o->func[k])->block[id - f->block];
	}
	return NULL;
}

const ldx_func *ldx_block_func(const ldx_block *b)
{
	return b->func;
}

/* Do any of the block's edges lead to a known block? */
static bool leads_inside(const ldx_block *b)
{
	const struct map_func *f = b->func->f;
	const struct map_edge *e = b->func->object->p->map.edge + f->edge;
	uint64_t number = (uint64_t)(b - b->func->block) + 1;
	for (size_t k = 0; k < f->nedges; k++)
		if (e[k].from == number && e[k].to)
			return true;
	return false;
}

static bool is_transfer(enum insn_kind kind)
{
	return kind != INSN_OTHER && kind != INSN_NOP;
}

/*
 * The instruction that ends it; NULL: control goes on to the next block.  Where a linker has made
 * one instruction of two (RISC-V), what is behind it is not of the block.
 */
static const ldx_insn *last_insn(const ldx_block *b)
{
	decode(b->func);
	for (size_t k = b->ninsns; k-- > 0;)
		if (b->insn[k].is_last || (b->insn[k].decoded && is_transfer(b->insn[k].insn.kind)))
			return &b->insn[k];
	return NULL;
}

enum ldx_end ldx_block_end(const ldx_block *b)
{
	if (b->b->flags &
		LDX_BLOCK_CALL) /* of a weak symbol that is undefined, a linker makes no-ops */
		return LDX_END_CALL;
	const ldx_insn *last = last_insn(b);
	switch (last ? last->insn.kind : INSN_OTHER) {
	case INSN_JUMP: return LDX_END_JUMP;
	case INSN_BRANCH:
	case INSN_XBEGIN: return LDX_END_BRANCH;
	case INSN_CALL:
	case INSN_CALL_IND: return LDX_END_CALL;
	case INSN_JUMP_IND: return leads_inside(b) ? LDX_END_TABLE : LDX_END_INDIRECT;
	case INSN_RET: return LDX_END_RETURN;
	case INSN_SYSCALL: return LDX_END_SYSCALL;
	case INSN_TRAP: return LDX_END_TRAP;
	default: return LDX_END_FALL;
	}
}

uint64_t ldx_block_count(const ldx_block *b)
{
	const struct program *p = b->func->object->p;
	uint64_t n;
	return !map_has_marks(&p->map) && block_count(p, b->b, &n) ? n : LDX_UNKNOWN;
}

static const ldx_block *end_of(const ldx_edge *e, uint64_t number)
{
	return number ? &e->func->block[number - 1] : NULL;
}

const ldx_block *ldx_edge_from(const ldx_edge *e)
{
	return end_of(e, e->e->from);
}

const ldx_block *ldx_edge_to(const ldx_edge *e)
{
	return end_of(e, e->e->to);
}

enum ldx_edge_kind ldx_edge_kind(const ldx_edge *e)
{
	const ldx_block *from = ldx_edge_from(e);
	if (!from || !e->e->to)
		return from ? LDX_EDGE_OUT : LDX_EDGE_IN;
	if (e->e->flags & LDX_EDGE_FALL)
		return LDX_EDGE_FALLTHROUGH;
	return ldx_block_end(from) == LDX_END_TABLE ? LDX_EDGE_TABLE : LDX_EDGE_TAKEN;
}

uint64_t ldx_edge_count(const ldx_edge *e)
{
	const struct program *p = e->func->object->p;
	uint64_t n;
	return !map_has_marks(&p->map) && edge_count(p, e->e, &n) ? n : LDX_UNKNOWN;
}

/* Instructions --------------------------------------------------------------- */

/* As insns.h tells it. */
static struct insn_at insn_at(const ldx_insn *i)
{
	const ldx_func *f = i->block->func;
	struct insn_at in = {.p = f->object->p,
		.f = f->f,
		.b = i->block->b,
		.address = i->address,
		.from = i->address,
		.offset = i->offset,
		.number = (uint64_t)(i - i->block->insn),
		.bytes = i->bytes,
		.insn = i->decoded ? &i->insn : NULL,
		.size = i->size,
		.is_last = i->is_last,
		.left_out = i->left_out};
	in.known = block_count(in.p, in.b, &in.count);
	return in;
}

const ldx_block *ldx_insn_block(const ldx_insn *i)
{
	return i->block;
}

unsigned ldx_insn_size(const ldx_insn *i)
{
	return i->size;
}

unsigned ldx_insn_class(const ldx_insn *i)
{
	if (!i->decoded)
		return i->left_out ? LDX_CLASS_NOP : LDX_CLASS_UNKNOWN;
	return insn_class(i->block->func->object->p->target, i->bytes, &i->insn);
}

unsigned ldx_insn_accesses(const ldx_insn *i)
{
	const struct target *t = i->block->func->object->p->target;
	return i->decoded ? insn_accesses(t, i->bytes, &i->insn) : 0;
}

unsigned ldx_access_kind(const ldx_insn *i, unsigned n)
{
	const struct target *t = i->block->func->object->p->target;
	return i->decoded ? insn_access_kind(t, i->bytes, &i->insn, n) : 0;
}

unsigned ldx_access_size(const ldx_insn *i, unsigned n)
{
	const struct target *t = i->block->func->object->p->target;
	return i->decoded ? insn_access_size(t, i->bytes, &i->insn, n) : 0;
}

static struct disassembly *disassembly_of(const ldx_insn *i)
{
	ldx_object *o = (ldx_object *)i->block->func->object;
	if (!o->disassembly)
		o->disassembly = disassembly_make(o->p, false);
	return o->disassembly;
}

/* The same string for equal words. */
static const char *once(const char *word)
{
	uint64_t *known = strmap_find(&walk.words, word);
	if (known)
		return (const char *)(uintptr_t)*known;
	char *s = new_string("%s", word);
	*strmap_slot(&walk.words, s) = (uintptr_t)s;
	return s;
}

const char *ldx_insn_mnemonic(const ldx_insn *i)
{
	struct insn_at in = insn_at(i);
	const char *word = insn_mnemonic(disassembly_of(i), &in);
	return word ? once(word) : i->left_out ? "nop" : "?";
}

const char *ldx_insn_text(const ldx_insn *i)
{
	struct insn_at in = insn_at(i);
	char *text = NULL;
	size_t n;
	if (i->left_out)
		return "nop";
	FILE *f = open_memstream(&text, &n);
	if (f)
		put_insn(f, disassembly_of(i), &in);
	if (!f || fclose(f))
		die("out of memory");
	return text;
}

static struct source *source_of(const ldx_func *f)
{
	ldx_object *o = (ldx_object *)f->object;
	if (!o->source)
		o->source = source_open(o->p);
	return o->source;
}

const struct source_frame *walk_frame(const ldx_insn *i)
{
	const struct source_frame *v;
	bool known = i->decoded || i->left_out;
	return known && source_frames(source_of(i->block->func), i->address, &v) ? v : NULL;
}

const struct source_func *walk_declaration(const ldx_func *f)
{
	const struct source_frame *v;
	size_t n = source_frames(source_of(f), f->f->address, &v);
	return n ? v[n - 1].func : NULL;
}

bool ldx_insn_line(const ldx_insn *i, const char **file, unsigned *line)
{
	const struct source_frame *v = walk_frame(i);
	if (!v || !v->file || !v->line)
		return false;
	*file = v->file;
	*line = v->line;
	return true;
}

const char *ldx_insn_place(const ldx_insn *i)
{
	const char *file;
	unsigned line;
	return ldx_insn_line(i, &file, &line) ? new_string("%s:%u", file, line) : NULL;
}

bool walk_call(const ldx_insn *i, struct call *c)
{
	struct insn_at in = insn_at(i);
	if (!walk.calls)
		walk.calls = call_finder_new(walk.run);
	return call_at(walk.calls, &in, c);
}

const ldx_func *ldx_insn_callee(const ldx_insn *i)
{
	const ldx_object *o = i->block->func->object;
	struct call c;
	bool here = walk_call(i, &c) && c.to && c.to_in == o->p;
	return here ? &o->func[c.to - o->p->map.func] : NULL;
}

const char *ldx_insn_callee_name(const ldx_insn *i)
{
	struct call c;
	return walk_call(i, &c) ? c.name : NULL;
}
