/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames.c - see frames.h
 *
 * Registers and the words of a function's frame hold a code address, a number, an argument, an
 * address in the frame, or anything.  Where control may come from elsewhere, nothing is known.
 */
#include "cfg/libc.h"
#include "cfg/blocks.h"
#include "cfg/calls.h"
#include "program/frames.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"

#include "targets/access.h"

#include <stdlib.h>

enum { LARGEST = 4096, SIGSET = 128, SIGACTION = 152 };

static bool same(struct value a, struct value b)
{
	return a.what == b.what && a.reg == b.reg && a.n == b.n;
}

static bool in_frame(struct value v)
{
	return v.what == FRAME || v.what == NEAR;
}

static bool constant(struct value v)
{
	return v.what == NUMBER || v.what == CODE || v.what == SOME;
}

static struct value join(struct value a, struct value b)
{
	if (same(a, b))
		return a;
	if (in_frame(a) && in_frame(b))
		return (struct value){.what = NEAR, .n = a.n < b.n ? a.n : b.n};
	return (struct value){.what = constant(a) && constant(b) ? SOME : ANYTHING};
}

/* Forget all slots that overlap n bytes of the frame. */
static void forget(struct state *s, int64_t off, int64_t n)
{
	for (unsigned i = 0; i < s->nslot;)
		if (s->slot[i].off < off + n && off < s->slot[i].off + s->word)
			s->slot[i] = s->slot[--s->nslot];
		else
			i++;
}

/* The callee's frame is below the stack pointer; what is above the function's own is its caller's.
 */
static void keep_own(struct state *s, int64_t sp)
{
	for (unsigned i = 0; i < s->nslot;)
		if (s->slot[i].off < sp || s->slot[i].off >= 0)
			s->slot[i] = s->slot[--s->nslot];
		else
			i++;
}

static bool holds_own(const struct state *s, int reg)
{
	return reg >= 0 && in_frame(s->reg[reg]);
}

/* Forget what a store to an address may change; own: one that is made from the frame's. */
static void forget_somewhere(struct state *s, bool own)
{
	if (own || s->escapes)
		s->nslot = 0;
	else
		keep_own(s, INT64_MIN);
}

struct value slot_value(const struct state *s, int64_t off)
{
	for (unsigned i = 0; i < s->nslot; i++)
		if (s->slot[i].off == off)
			return s->slot[i].value;
	return (struct value){.what = ANYTHING};
}

static void set_slot(struct state *s, int64_t off, struct value v)
{
	forget(s, off, s->word);
	if (s->nslot < SLOTS) {
		s->slot[s->nslot].off = off;
		s->slot[s->nslot++].value = v;
	}
}

/* live: registers whose values matter. */
static bool join_state(struct state *to, const struct state *from, regset live)
{
	bool changed = from->escapes && !to->escapes;
	if (!to->reached) {
		*to = *from;
		return true;
	}
	to->escapes |= from->escapes;
	for (unsigned i = 0; i < REGS; i++) {
		struct value v = join(to->reg[i], from->reg[i]);
		to->escapes |= (live & REG_BIT(i)) &&
			in_frame(to->reg[i]) != in_frame(from->reg[i]);
		changed |= !same(v, to->reg[i]);
		to->reg[i] = v;
	}
	for (unsigned i = 0; i < to->nslot;) {
		struct value v = join(to->slot[i].value, slot_value(from, to->slot[i].off));
		changed |= !same(v, to->slot[i].value);
		to->slot[i].value = v;
		if (v.what == ANYTHING)
			to->slot[i] = to->slot[--to->nslot];
		else
			i++;
	}
	return changed;
}

/* Instructions ----------------------------------------------------------- */

static struct value address(const struct cfg *g, uint32_t sec, uint64_t off)
{
	const struct code_section *t = sec ? cfg_section(g, sec) : NULL;
	uint32_t f = t ? cfg_func_at(g, t, off) : NO_FUNC;
	if (!sec)
		return (struct value){.what = ANYTHING};
	if (!t)
		return (struct value){.what = DATA};
	return f != NO_FUNC && g->func.v[f].start == off ? (struct value){CODE, .n = f}
							 : (struct value){.what = ANYTHING};
}

/* An immediate operand, whose field may be relocated. */
static struct value immediate(const struct step_at *at, const struct operation *op)
{
	uint32_t n;
	for (const struct reloc *rel = insn_relocs(at->t, at->in, &n); n; n--, rel++)
		if (rel->off == at->in->off + op->imm_off) {
			struct ref r = cfg_reloc_ref(at->g, at->t, at->i, rel);
			return address(at->g, r.role == ROLE_BASE ? 0 : r.sec, r.off);
		}
	return (struct value){.what = NUMBER};
}

/*
 * The address whose low bits the instruction adds to a register, or whose GOT entry it loads; *v is
 * unchanged if there is no such relocation.
 */
static bool named_whole(const struct step_at *at, bool loads, struct value *v)
{
	uint32_t n;
	for (const struct reloc *rel = insn_relocs(at->t, at->in, &n); n; n--, rel++) {
		struct ref r = cfg_reloc_ref(at->g, at->t, at->i, rel);
		if (loads ? r.role != ROLE_GOT : !at->g->target->reloc_info(rel->type)->low)
			continue;
		*v = address(at->g, r.sec, r.off);
		return true;
	}
	return false;
}

static void store(const struct step_at *at, struct state *s, const struct operation *op,
	struct value v)
{
	struct value base = op->base < 0 ? (struct value){.what = op->pc_rel ? DATA : ANYTHING}
					 : s->reg[op->base];
	named_whole(at, false, &base);
	s->escapes |= in_frame(v);
	if (base.what == DATA || base.what == ARGUMENT)
		return;
	if (base.what != FRAME || op->index >= 0)
		forget_somewhere(s, in_frame(base) || holds_own(s, op->index));
	else if (op->size == 8)
		set_slot(s, base.n + op->disp, v);
	else
		forget(s, base.n + op->disp, op->size);
}

static struct value loaded(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	struct value v;
	if (named_whole(at, true, &v))
		return v;
	bool frame = op->base >= 0 && op->index < 0 && op->size == 8 &&
		s->reg[op->base].what == FRAME;
	return frame ? slot_value(s, s->reg[op->base].n + op->disp)
		     : (struct value){.what = ANYTHING};
}

static struct value sum(const struct step_at *at, const struct state *s, const struct operation *op)
{
	struct value v;
	struct ref r;
	if (op->pc_rel && op->index < 0 && at->i != NO_INSN && cfg_ref(at->g, at->t, at->i, &r))
		return address(at->g, r.sec, r.off);
	if (named_whole(at, false, &v))
		return v;
	if (op->base < 0 || op->index >= 0 || at->in->has_rel)
		return (struct value){.what = ANYTHING};
	v = s->reg[op->base];
	if (v.what == FRAME || v.what == ARGUMENT)
		v.n += op->disp;
	else if (v.what != NUMBER && v.what != NEAR)
		v.what = ANYTHING;
	return v;
}

static void forget_access(const struct step_at *at, struct state *s, const struct access *m,
	bool once)
{
	bool there = m->base >= 0 && s->reg[m->base].what == FRAME && m->index < 0 &&
		m->lanes < 0 && m->size && m->span == SPAN_FROM && m->segment == SEGMENT_NONE &&
		!at->in->has_rel;
	if (there && once)
		forget(s, s->reg[m->base].n + m->disp, m->size * m->elements);
	else
		forget_somewhere(s,
			m->lanes >= 0 || holds_own(s, m->base) || holds_own(s, m->index));
}

/* What an instruction without a description may store to the frame is forgotten. */
static void forget_stored(const struct step_at *at, struct state *s)
{
	struct action act[ACTIONS];
	const uint8_t *p = insn_bytes(at->t, at->in);
	unsigned n = at->in->flags & INSN_VAGUE ? 0 : at->g->target->actions(p, at->in, act);
	if (!n)
		s->nslot = 0;
	for (unsigned i = 0; i < n; i++) {
		bool once = act[i].rounds == ROUNDS_ONE;
		if (act[i].leads == LEADS_AWAY)
			s->nslot = 0;
		for (unsigned k = 0; k < act[i].naccess; k++)
			if (act[i].access[k].writes)
				forget_access(at, s, &act[i].access[k], once);
	}
}

/* The registers that a string instruction moves along memory. */
static regset stepped(const struct step_at *at)
{
	struct action act[ACTIONS];
	const struct insn *in = at->in;
	regset set = 0;
	unsigned n = in->kind == INSN_OTHER && (in->flags & INSN_MEM)
		? at->g->target->actions(insn_bytes(at->t, in), in, act)
		: 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < act[i].naccess; k++)
			if (act[i].access[k].implicit && act[i].access[k].base >= 0)
				set |= REG_BIT(act[i].access[k].base);
	return set & insn_effects(in)->clobbers & ~REG_BIT(at->g->target->stack_reg);
}

/* An instruction without a description: it may write memory and all registers it clobbers. */
static void other(const struct step_at *at, struct state *s, const struct operation *op)
{
	const struct insn *in = at->in;
	const struct effects *e = insn_effects(in);
	bool accesses = (in->flags & (INSN_MEM | INSN_VAGUE)) || in->kind == INSN_SYSCALL;
	if (accesses && op->op != OP_LOAD)
		forget_stored(at, s);
	bool number = !in->has_rel && !(in->flags & (INSN_MEM | INSN_VAGUE));
	struct value v = {.what = number ? NUMBER : ANYTHING};
	/* such as a conditional move */
	for (unsigned i = 0; i < REGS; i++)
		if (e->reads & REG_BIT(i))
			v.what = v.what != ANYTHING && constant(s->reg[i]) ? SOME : ANYTHING;
	regset along = stepped(at);
	for (unsigned i = 0; i < REGS; i++)
		if ((along & REG_BIT(i)) && in_frame(s->reg[i]))
			s->reg[i].what = NEAR;
		else if (e->clobbers & REG_BIT(i))
			s->reg[i] = e->writes & REG_BIT(i) ? v
				: v.what == NUMBER && constant(s->reg[i])
				? (struct value){.what = SOME}
				: (struct value){.what = ANYTHING};
}

regset step_lost(const struct step_at *at, const struct operation *op)
{
	const struct target *t = at->g->target;
	const struct effects *e = insn_effects(at->in);
	bool compares = e->clobbers && !(e->clobbers & ~REGSET_FLAGS);
	bool follows = (op->op == OP_LEA && op->index < 0) || op->op == OP_CMP_IMM ||
		(op->op == OP_MOVE && op->size == 8);
	if (at->in->flags & INSN_VAGUE)
		return ~REGSET_FLAGS;
	if (follows || (compares && !(at->in->flags & INSN_MEM)))
		return 0;
	if (op->op != OP_PUSH && t->stack_use(insn_bytes(at->t, at->in), at->in) == STACK_FRAME)
		return 0;
	return e->reads & ~REGSET_FLAGS;
}

static regset bit_of(int reg)
{
	return reg < 0 ? 0 : REG_BIT(reg);
}

/* The registers of which an instruction only uses the value as an address. */
static regset only_addresses(const struct step_at *at, const struct operation *op)
{
	struct action act[ACTIONS];
	bool described = op->op == OP_STORE || op->op == OP_STORE_PAIR;
	regset set = 0, stored = described ? bit_of(op->src) : 0;
	unsigned n = op->op == OP_LEA
		? 0
		: at->g->target->actions(insn_bytes(at->t, at->in), at->in, act);
	if (op->op == OP_STORE_PAIR)
		stored |= bit_of(op->index);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < act[i].naccess; k++) {
			const struct access *m = &act[i].access[k];
			regset address = bit_of(m->base) | bit_of(m->index);
			set |= address;
			if (m->writes && m->value_kind <= VALUE_HIGH && !described)
				stored |= m->value_kind != VALUE_OTHER ? bit_of(m->value)
					: m->implicit
					? 0
					: address & ~REG_BIT(at->g->target->stack_reg);
		}
	return set & ~stored;
}

/* Does the instruction make, or store, an address in the frame where states do not follow it? */
static bool lets_escape(const struct step_at *at, const struct state *s, const struct operation *op)
{
	regset kept = ~insn_effects(at->in)->clobbers | stepped(at), lost = step_lost(at, op);
	if (op->moves)
		kept |= REG_BIT(op->base);
	if (op->op == OP_PUSH || op->op == OP_POP)
		lost &= op->op == OP_PUSH ? bit_of(op->src) : 0;
	else if (lost)
		lost &= ~(only_addresses(at, op) & kept);
	for (unsigned r = 0; r < REGS; r++)
		if ((lost & REG_BIT(r)) && in_frame(s->reg[r]))
			return true;
	return false;
}

static struct value value_of(const struct state *s, int reg)
{
	return reg < 0 ? (struct value){.what = NUMBER} : s->reg[reg];
}

static void store_pair(const struct step_at *at, struct state *s, struct operation op)
{
	store(at, s, &op, value_of(s, op.src));
	op.disp += op.size;
	store(at, s, &op, value_of(s, op.index));
}

void step_describe(const struct step_at *at, struct operation *op)
{
	at->g->target->describe(cfg_decoder(at->g, 0), insn_bytes(at->t, at->in), at->in, op);
}

/* Does it push a number or a word of memory, on a CPU whose calls push? */
static bool pushes_word(const struct step_at *at)
{
	const struct target *t = at->g->target;
	return !t->links && at->in->kind == INSN_OTHER &&
		insn_effects(at->in)->clobbers == REG_BIT(t->stack_reg) &&
		t->stack_use(insn_bytes(at->t, at->in), at->in) == STACK_FRAME;
}

void step_execute(const struct step_at *at, struct state *s)
{
	const struct cfg *g = at->g;
	unsigned sp = g->target->stack_reg;
	struct operation op;
	struct value v;
	if (at->in->kind == INSN_NOP)
		return;
	step_describe(at, &op);
	s->escapes = s->escapes || lets_escape(at, s, &op);
	struct value base = op.moves ? s->reg[op.base] : (struct value){.what = ANYTHING};
	if (op.op == OP_LOAD && op.dst < 0)
		op.op = OP_OTHER;
	switch (op.op) {
	case OP_LEA: s->reg[op.dst] = sum(at, s, &op); break;
	case OP_LOAD: s->reg[op.dst] = loaded(at, s, &op); break;
	case OP_MOVE:
		v = s->reg[op.src];
		if (op.size < 8 && (op.size < 4 || v.what == FRAME || v.what == DATA))
			v.what = ANYTHING;
		s->reg[op.dst] = v;
		break;
	case OP_IMM: s->reg[op.dst] = immediate(at, &op); break;
	case OP_SEXT:
	case OP_ADD:
	case OP_ADD_LOAD:
	case OP_SUB:
	case OP_AND_IMM:
	case OP_SHIFT: s->reg[op.dst].what = ANYTHING; break;
	case OP_CMP_IMM: break;
	case OP_PUSH:
		v = s->reg[op.src];
		if (s->reg[sp].what == FRAME)
			set_slot(s, s->reg[sp].n -= 8, v);
		break;
	case OP_POP:
		v = s->reg[sp];
		s->reg[op.dst].what = ANYTHING;
		if (v.what == FRAME)
			s->reg[op.dst] = slot_value(s, v.n);
		if (v.what == FRAME && op.dst != (int)sp)
			s->reg[sp].n += 8;
		break;
	case OP_STORE: store(at, s, &op, s->reg[op.src]); break;
	case OP_STORE_PAIR: store_pair(at, s, op); break;
	case OP_STORE_VECTOR: store(at, s, &op, (struct value){.what = ANYTHING}); break;
	case OP_STORE_IMM: store(at, s, &op, immediate(at, &op)); break;
	default:
		v = s->reg[sp];
		other(at, s, &op);
		if (pushes_word(at) && v.what == FRAME)
			s->reg[sp] = (struct value){.what = FRAME, .n = v.n - g->target->word};
		break;
	}
	if (op.moves)
		s->reg[op.base] = base.what == FRAME ? (struct value){FRAME, .n = base.n + op.moves}
						     : (struct value){.what = ANYTHING};
}

static void execute_insn(const struct cfg *g, const struct code_section *t, uint32_t i,
	struct state *s)
{
	step_execute(&(struct step_at){g, t, &g->insn.v[i], i}, s);
}

/* What is in the delay slot of instruction i is executed, or perhaps not. */
static void execute_slot(const struct cfg *g, const struct code_section *t, uint32_t i,
	struct state *s)
{
	const struct state skipped = *s;
	struct insn slot;
	if (!decode_slot(g, cfg_decoder(g, 0), t, &g->insn.v[i], &slot))
		return;
	step_execute(&(struct step_at){g, t, &slot, NO_INSN}, s);
	if (insn_is_likely(&g->insn.v[i]))
		join_state(s, &skipped, ~(regset)0);
}

struct value step_taken(const struct step_at *at)
{
	const struct state none = {0};
	struct operation op;
	step_describe(at, &op);
	return op.op == OP_LEA	   ? sum(at, &none, &op)
		: op.op == OP_LOAD ? loaded(at, &none, &op)
		: op.op == OP_IMM  ? immediate(at, &op)
				   : none.reg[0];
}

/* Calls ------------------------------------------------------------------- */

/*
 * May register i hold the same value behind the call at the end of block bl?
 *
 * hazard: register kept over a call.  gcc's -fipa-ra keeps arguments in registers that a function
 * of the same file preserves; where it does not, nothing reads them.
 */
static bool may_be_kept(const struct cfg *g, const struct block *bl, unsigned i, struct value v)
{
	bool own = bl->target != NO_BLOCK && !in_libc(g, g->block.v[bl->target].func);
	return own && (v.what == ARGUMENT || in_frame(v)) && i != (unsigned)g->target->result;
}

/* The state behind the call at the end of a block. */
static void call(const struct cfg *g, const struct block *bl, struct state *s)
{
	const struct target *t = g->target;
	unsigned does = libc_does(g, named_at_end(g, bl));
	struct value first = s->reg[t->arg[0]], third = s->reg[t->arg[2]],
		     result = {.what = ANYTHING};
	if (does & NAME_HANDLER) {
		result.what = NUMBER;
	} else if (does & NAME_HANDLER_STRUCT) {
		if (third.what == FRAME) {
			forget(s, third.n, SIGACTION);
			set_slot(s, third.n, (struct value){.what = NUMBER});
		} else if (third.what != NUMBER && third.what != DATA && third.what != ARGUMENT) {
			s->nslot = 0;
		}
	} else if ((does & NAME_SIGSET) && first.what == FRAME) {
		forget(s, first.n, SIGSET);
	} else {
		for (unsigned i = 0; i < REGS; i++)
			s->escapes |= (arguments(t) & REG_BIT(i)) && in_frame(s->reg[i]);
		if (s->escapes || s->reg[t->stack_reg].what != FRAME)
			s->nslot = 0; /* the callee may know addresses in the frame */
		else
			keep_own(s, s->reg[t->stack_reg].n);
	}
	for (unsigned i = 0; i < REGS; i++)
		if (t->call_clobbers & REG_BIT(i) && !may_be_kept(g, bl, i, s->reg[i]))
			s->reg[i] = (struct value){.what = ANYTHING};
	s->reg[t->result] = result;
}

/* Functions --------------------------------------------------------------- */

static void pass_on(const struct cfg *g, const struct func *f, struct state *states,
	block_vec *work, uint32_t b, const struct state *s)
{
	if (!func_has_block(f, b))
		return;
	if (join_state(&states[b - f->block], s,
		    g->has_liveness ? g->block.v[b].live_in : ~(regset)0))
		vec_push(work, b);
}

struct table_walk {
	const struct cfg *g;
	const struct func *f;
	struct state *states;
	block_vec *work;
	const struct state *s;
};

static void pass_by_table(void *ctx, uint32_t b)
{
	const struct table_walk *w = ctx;
	pass_on(w->g, w->f, w->states, w->work, b, w->s);
}

bool ends_in_transfer(const struct block *bl)
{
	return bl->end == END_CALL || bl->end == END_JUMP || bl->end == END_BRANCH ||
		bl->end == END_TABLE;
}

void frame_run(const struct cfg *g, uint32_t b, struct state *s)
{
	const struct block *bl = &g->block.v[b];
	const struct code_section *t = &g->text.v[g->func.v[bl->func].text];
	bool calls = ends_in_transfer(bl);
	for (uint32_t i = 0; i + calls < bl->ninsn; i++)
		execute_insn(g, t, bl->insn + i, s);
	if (calls)
		execute_slot(g, t, bl->insn + bl->ninsn - 1, s);
}

/* May control come to block b in another way than by the edges of its function? */
static bool may_be_entered(const struct cfg *g, const struct func *f, uint32_t b)
{
	const struct block *bl = &g->block.v[b];
	return bl->entered || set_has(g->text.v[f->text].taken, g->insn.v[bl->insn].off);
}

/* May control fall into f from a block that does not end in a call which never returns? */
static bool falls_in(const struct cfg *g, const struct func *f)
{
	const struct block *before = f->falls_in && f->block ? &g->block.v[f->block - 1] : NULL;
	return f->falls_in && !(before && before->end == END_CALL && never_returns(g, before));
}

static void spread(const struct cfg *g, const struct func *f, struct state *states, block_vec *work)
{
	while (work->n) {
		uint32_t b = work->v[--work->n];
		const struct block *bl = &g->block.v[b];
		struct state s = states[b - f->block];
		struct table_walk walk = {g, f, states, work, &s};
		frame_run(g, b, &s);
		if (bl->end == END_CALL)
			call(g, bl, &s);
		pass_on(g, f, states, work, bl->fall, &s);
		if (bl->end != END_CALL)
			pass_on(g, f, states, work, bl->target, &s);
		if (bl->end == END_TABLE)
			cfg_table_targets(g, b, pass_by_table, &walk);
	}
}

struct state *frame_states(const struct cfg *g, uint32_t fi, bool whole)
{
	const struct func *f = &g->func.v[fi];
	block_vec work = {0};
	if (f->why != OPAQUE_NOT || !f->nblock || f->nblock > LARGEST)
		return NULL;
	struct state *states = calloc(f->nblock, sizeof *states);
	struct state s = {.reached = true, .word = g->target->word}, unknown = s;
	unknown.escapes = true;
	for (unsigned i = 0; i < REGS; i++)
		s.reg[i] = (struct value){ARGUMENT, .reg = (uint8_t)i};
	s.reg[g->target->stack_reg] = (struct value){.what = FRAME};
	if (!states)
		return NULL;
	pass_on(g, f, states, &work, f->block, falls_in(g, f) ? &unknown : &s);
	if (whole)
		spread(g, f, states, &work);
	for (uint32_t b = f->block + 1; b < f->block + f->nblock; b++)
		if (may_be_entered(g, f, b) && !(whole && states[b - f->block].reached))
			pass_on(g, f, states, &work, b, &unknown);
	spread(g, f, states, &work);
	vec_free(&work);
	return states;
}
