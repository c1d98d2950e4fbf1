/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - where a thread may start that code outside the object creates, and where code in it
 * may make a thread or a process
 *
 * A libc that is not in the object starts a thread at an address: one that code or data of the
 * program take, or that of an exported symbol.  If it may start in opaque code, the check is where
 * control can leave that code.  In a function with indirect jumps, a label whose address is taken
 * is assumed to be a target of these jumps, unless it is the function's start.
 *
 * hazard: unseen thread start.  The first function of a thread may be exported, looked up
 * by name, opaque, or a label without a type.
 */
#include "cfg/liveness.h"
#include "instr/count/threads.h"

#include "cfg/refs.h"
#include "instr/count/count.h"
#include "instr/count/spot.h"

#include "reloc/outside.h"
#include "program/library.h"

/* Blocks, as a set of bits. */
struct marks {
	const struct plan *p;
	uint64_t *block;
};

static void mark(const struct marks *m, uint32_t b)
{
	if (b != NO_BLOCK && !m->p->g->block.v[b].gap)
		m->block[b >> 6] |= (uint64_t)1 << (b & 63);
}

static void mark_at(const struct marks *m, uint32_t sec, uint64_t off)
{
	const struct code_section *t = cfg_section(m->p->g, sec);
	if (t && off < t->sec->size)
		mark(m, cfg_block_at(m->p->g, t, off));
}

/* Marks exported symbols, and those that a dynamic linker calls. */
static void mark_exported(const struct marks *m)
{
	const struct cfg *g = m->p->g;
	const struct object *o = g->obj;
	for (uint32_t i = o->nlocal; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		if (cfg_section(g, s->sec) &&
			(s->entered || outside_exports(m->p->opt->outside, s)))
			mark_at(m, s->sec, s->value);
	}
}

static bool jumps_to_labels(const struct cfg *g, const struct func *f)
{
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		if (g->block.v[b].end == END_TABLE || g->block.v[b].end == END_LEAVE)
			return true;
	return false;
}

/* Marks labels whose address is taken. */
static void mark_taken(const struct marks *m, const struct func *f)
{
	const struct cfg *g = m->p->g;
	const uint64_t *taken = g->text.v[f->text].taken;
	bool jumps = jumps_to_labels(g, f);
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		if ((b == f->block || !jumps) && set_has(taken, g->insn.v[g->block.v[b].insn].off))
			mark(m, b);
}

/* Marks where opaque code may lead, by its instructions and by its relocations. */
static void mark_behind(const struct marks *m, const struct func *f)
{
	const struct cfg *g = m->p->g;
	const struct code_section *t = &g->text.v[f->text];
	const struct section *s = t->sec;
	struct ref r;
	uint32_t i = cfg_insn_at(g, t, f->start);
	uint32_t at = i;
	for (; i < t->insn + t->ninsn && g->insn.v[i].off < f->end; i++)
		if (cfg_ref(g, t, i, &r))
			mark_at(m, r.sec, r.off);
	for (uint32_t k = section_first_reloc(s, f->start); k < s->nrel && s->rel[k].off < f->end;
		k++) {
		uint32_t in = cfg_reloc_insn(g, t, &s->rel[k], &at);
		r = cfg_reloc_ref(g, t, in, &s->rel[k]);
		mark_at(m, r.sec, r.off);
		/* outside decoded instructions, the addend may count from the field or its end */
		if (in == NO_INSN)
			mark_at(m, r.sec, r.off + 4);
	}
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		mark(m, g->block.v[b].fall);
}

uint64_t *thread_entries(const struct plan *p)
{
	const struct cfg *g = p->g;
	struct marks m = {p, arena_array(g->arena, uint64_t, g->block.n / 64 + 1)};
	mark_exported(&m);
	for (size_t i = 0; i < g->func.n; i++) {
		const struct func *f = &g->func.v[i];
		mark_taken(&m, f);
		if (!f->is_code || f->why != OPAQUE_NOT)
			mark_behind(&m, f);
	}
	return m.block;
}

/* A label that may not be the entry of a function: no register is known to be dead. */
static struct spot spot_at_label(const struct plan *p, uint32_t b)
{
	const struct block *bl = &p->g->block.v[b];
	const struct insn *in = &p->g->insn.v[bl->insn];
	uint32_t k = 0;
	while (k < bl->ninsn && (in[k].flags & (INSN_LANDING | INSN_GLUED)))
		k++;
	if (k == bl->ninsn)
		return (struct spot){.off = (uint32_t)insn_end(&in[k - 1]), .runs = RUNS_FALL};
	return (struct spot){.off = in[k].off, .runs = k ? RUNS_ALL : RUNS_ENTRY};
}

/* Does control fall into f?  Then there may be data in the red zone. */
static bool falls_in(const struct cfg *g, const struct func *f)
{
	const struct block *before = f->falls_in && f->block ? &g->block.v[f->block - 1] : NULL;
	return before && before->fall == f->block && before->end != END_CALL;
}

bool is_checked(const struct plan *p, uint32_t b)
{
	return p->checked && (p->checked[b >> 6] >> (b & 63) & 1);
}

void plan_check(struct plan *p, uint32_t text, struct spot s)
{
	struct counter_addressing to = p->addressing;
	to.repeat = REPEAT_RARELY;
	code_thread_check(p->g->target, &p->in->code, &to, p->sym_forked, s.dead);
	insert(p->in,
		(struct insertion){.text = text,
			.off = s.off,
			.runs = s.runs,
			.maker = MAKER_THREADS,
			.changes = ~(regset)0});
}

void check_threads(struct plan *p, uint32_t fi)
{
	const struct cfg *g = p->g;
	const struct func *f = &g->func.v[fi];
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		if (f->why != OPAQUE_NOT || !is_checked(p, b))
			continue;
		bool entry = b == f->block && is_function_symbol(g, f) && !falls_in(g, f);
		struct spot s = entry ? spot_at_entry(p, f) : spot_at_label(p, b);
		if (b == f->block && f->replaced) /* routines count, too */
			s.off = (uint32_t)f->start, s.runs = RUNS_REPLACED;
		plan_check(p, f->text, s);
	}
}

/* Does insn i call a function of a libc outside that forks without pthread_atfork(3) handlers? */
static bool calls_fork(const struct cfg *g, const struct code_section *t, uint32_t i)
{
	uint32_t n;
	for (const struct reloc *r = insn_relocs(t, &g->insn.v[i], &n); n; n--, r++) {
		const struct symbol *sym = &g->obj->sym.v[r->sym];
		if (sym->sec == SEC_UNDEF && (name_does(sym->name) & NAME_FORKS_BARE))
			return true;
	}
	return false;
}

void plan_forks(struct plan *p, uint32_t from, uint32_t to, struct decoder *decoder)
{
	const struct cfg *g = p->g;
	for (uint32_t b = from; b < to; b++) {
		const struct block *bl = &g->block.v[b];
		const struct func *f = &g->func.v[bl->func];
		const struct code_section *t = &g->text.v[f->text];
		uint32_t last = bl->insn + bl->ninsn - 1;
		if (bl->gap || f->why != OPAQUE_NOT || bl->fall == NO_BLOCK)
			continue;
		bool may = bl->end == END_SYSCALL
			? syscall_may_fork(g->target, decoder, t->sec->data, &g->insn.v[bl->insn],
				  bl->ninsn)
			: bl->end == END_CALL && calls_fork(g, t, last);
		if (!may)
			continue;
		code_fork_check(g->target, &p->in->code, p->sym_forked,
			cfg_scratch(g, f, g->block.v[bl->fall].live_in));
		insert(p->in,
			(struct insertion){.text = f->text,
				.runs = is_named_return(g, bl->fall) ? RUNS_ALL : RUNS_FALL,
				.off = (uint32_t)insn_end(&g->insn.v[last]),
				.maker = MAKER_FORKS,
				.changes = ~(regset)0});
	}
}

/* opaque: in opaque functions only. */
static bool has_forks(const struct cfg *g, bool opaque)
{
	for (uint32_t b = 0; b < g->block.n; b++) {
		const struct block *bl = &g->block.v[b];
		const struct func *f = &g->func.v[bl->func];
		if (!bl->gap && bl->end == END_SYSCALL && f->is_code &&
			(f->why != OPAQUE_NOT || !opaque) &&
			syscall_may_fork(g->target, cfg_decoder(g, 0), g->text.v[f->text].sec->data,
				&g->insn.v[bl->insn], bl->ninsn))
			return true;
	}
	return false;
}

bool hides_forks(const struct cfg *g)
{
	return has_forks(g, true);
}

bool may_fork(const struct cfg *g)
{
	return has_forks(g, false);
}
