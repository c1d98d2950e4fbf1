/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfer.c - what instructions and calls make of the values of registers and of the frame's
 * words; see values.h
 */
#include "cfg/arithmetic.h"
#include "cfg/bounds.h"
#include "cfg/calls.h"
#include "cfg/libc.h"
#include "cfg/opaque.h"
#include "cfg/origins.h"
#include "cfg/refs.h"
#include "cfg/tables.h"

#include "reloc/fix.h"

#include "targets/access.h"

enum { SIGSET = 128, SIGACTION = 152 };

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
	for (const struct reloc *rel = insn_relocs(at->v->t, at->in, &n); n; n--, rel++)
		if (rel->off == at->in->off + op->imm_off) {
			struct ref r = cfg_reloc_ref(at->v->g, at->v->t, at->i, rel);
			return address(at->v->g, r.role == ROLE_BASE ? 0 : r.sec, r.off);
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
	for (const struct reloc *rel = insn_relocs(at->v->t, at->in, &n); n; n--, rel++) {
		struct ref r = cfg_reloc_ref(at->v->g, at->v->t, at->i, rel);
		if (loads ? r.role != ROLE_GOT : !at->v->g->target->reloc_info(rel->type)->low)
			continue;
		*v = address(at->v->g, r.sec, r.off);
		return true;
	}
	return false;
}

static bool holds_own(const struct state *s, int reg)
{
	return reg >= 0 && is_in_frame(s->reg[reg]);
}

/* Forget what a store to an address may change; own: one that is made from the frame's. */
static void forget_somewhere(const struct values *v, struct state *s, bool own)
{
	if (v->words != WORDS_ALL)
		return;
	if (own || s->escapes)
		s->nslot = 0;
	else
		slots_keep_own(s, INT64_MIN);
}

static void store(const struct step_at *at, struct state *s, const struct operation *op,
	struct value v)
{
	struct value base = op->base < 0 ? (struct value){.what = op->pc_rel ? DATA : ANYTHING}
					 : s->reg[op->base];
	named_whole(at, false, &base);
	s->escapes |= at->v->words == WORDS_ALL && is_in_frame(v);
	if (base.what == DATA || base.what == ARGUMENT)
		return;
	if (base.what != FRAME || op->index >= 0)
		forget_somewhere(at->v, s, is_in_frame(base) || holds_own(s, op->index));
	else if (op->size == 8)
		slot_set(at->v, s, base, op->disp, v);
	else
		slots_forget(at->v, s, base, op->disp, op->size);
}

/*
 * The word of the frame at base + disp.  Where calls push it, the return address is where the stack
 * pointer was at the function's start.
 */
static struct value frame_word(const struct step_at *at, const struct state *s, struct value base,
	int64_t disp)
{
	const struct values *v = at->v;
	bool asked = v->kinds & KIND(LINK) && v->g->target->link_reg < 0;
	if (base.what != FRAME)
		return (struct value){.what = ANYTHING};
	if (asked && base.base == ENTRY_FUNC && base.n + disp == 0)
		return (struct value){.what = LINK};
	return slot_value(s, base, disp);
}

static struct value loaded(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	struct value v;
	if (named_whole(at, true, &v))
		return v;
	bool word = op->base >= 0 && op->index < 0 && op->size == 8;
	return word ? frame_word(at, s, s->reg[op->base], op->disp)
		    : (struct value){.what = ANYTHING};
}

static struct value sum(const struct step_at *at, const struct state *s, const struct operation *op)
{
	struct value v;
	struct ref r;
	if (op->pc_rel && op->index < 0 && cfg_ref(at->v->g, at->v->t, at->i, &r))
		return address(at->v->g, r.sec, r.off);
	if (named_whole(at, false, &v))
		return v;
	if (op->base < 0 || op->index >= 0 || at->in->has_rel)
		return (struct value){.what = ANYTHING};
	v = s->reg[op->base];
	if (v.what == FRAME || v.what == ARGUMENT)
		v.n += op->disp;
	else if (v.what != NUMBER && v.what != NEAR && v.what != STACK)
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
		slots_forget(at->v, s, s->reg[m->base], m->disp, m->size * m->elements);
	else
		forget_somewhere(at->v, s,
			m->lanes >= 0 || holds_own(s, m->base) || holds_own(s, m->index));
}

/* What an instruction without a description may store to the frame is forgotten. */
static void forget_stored(const struct step_at *at, struct state *s)
{
	struct action act[ACTIONS];
	const uint8_t *p = insn_bytes(at->v->t, at->in);
	unsigned n = at->in->flags & INSN_VAGUE ? 0 : at->v->g->target->actions(p, at->in, act);
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
		? at->v->g->target->actions(insn_bytes(at->v->t, in), in, act)
		: 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < act[i].naccess; k++)
			if (act[i].access[k].implicit && act[i].access[k].base >= 0)
				set |= REG_BIT(act[i].access[k].base);
	return set & insn_effects(in)->clobbers & ~REG_BIT(at->v->g->target->stack_reg);
}

/* An instruction without a description: it may write memory and all registers it clobbers. */
static void other(const struct step_at *at, struct state *s, const struct operation *op)
{
	const struct insn *in = at->in;
	const struct effects *e = insn_effects(in);
	bool accesses = (in->flags & (INSN_MEM | INSN_VAGUE)) || in->kind == INSN_SYSCALL;
	if (accesses && op->op != OP_LOAD && at->v->words == WORDS_ALL)
		forget_stored(at, s);
	/* of a vector nothing is known */
	bool number = !in->has_rel && !(in->flags & (INSN_MEM | INSN_VAGUE)) &&
		!(e->reads & REGSET_VECTORS);
	struct value v = {.what = number ? NUMBER : ANYTHING};
	/* such as a conditional move */
	for (regset some = e->reads & REGSET_GENERAL; some; some &= some - 1)
		v.what = v.what != ANYTHING && is_constant_value(s->reg[lowest_reg(some)])
			? SOME
			: ANYTHING;
	regset along = at->v->kinds & KIND(NEAR) ? stepped(at) : 0;
	for (regset some = (e->clobbers | along) & REGSET_GENERAL; some; some &= some - 1) {
		int r = (int)lowest_reg(some);
		struct value old = s->reg[r];
		bool perhaps = is_constant_value(v) && is_constant_value(old);
		if ((along & REG_BIT(r)) && is_in_frame(old))
			state_set(at->v, s, r, (struct value){NEAR, .base = old.base, .n = old.n});
		else
			state_set(at->v, s, r,
				e->writes & REG_BIT(r)
					? v
					: (struct value){.what = perhaps ? SOME : ANYTHING});
	}
}

regset step_lost(const struct step_at *at, const struct operation *op)
{
	const struct target *t = at->v->g->target;
	const struct effects *e = insn_effects(at->in);
	bool compares = e->clobbers && !(e->clobbers & ~REGSET_FLAGS);
	bool follows = (op->op == OP_LEA && op->index < 0) || op->op == OP_CMP_IMM ||
		(op->op == OP_MOVE && op->size == 8);
	if (at->in->flags & INSN_VAGUE)
		return REGSET_GENERAL;
	if (follows || (compares && !(at->in->flags & INSN_MEM)))
		return 0;
	if (op->op != OP_PUSH && t->stack_use(insn_bytes(at->v->t, at->in), at->in) == STACK_FRAME)
		return 0;
	return e->reads & REGSET_GENERAL;
}

/* The registers of which an instruction only uses the value as an address. */
static regset only_addresses(const struct step_at *at, const struct operation *op)
{
	struct action act[ACTIONS];
	bool described = op->op == OP_STORE || op->op == OP_STORE_PAIR;
	regset set = 0, stored = described ? bit_of(op->src) : 0;
	unsigned n = op->op == OP_LEA
		? 0
		: at->v->g->target->actions(insn_bytes(at->v->t, at->in), at->in, act);
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
					: address & ~REG_BIT(at->v->g->target->stack_reg);
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
		if ((lost & REG_BIT(r)) && is_in_frame(s->reg[r]))
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

/*
 * By how much an instruction without a description, which pushes or pops a number, a word of memory
 * or flags, moves the stack pointer; 0: it is none.
 */
static int64_t moves_stack(const struct step_at *at)
{
	const struct target *t = at->v->g->target;
	regset clobbers = insn_effects(at->in)->clobbers, sp = REG_BIT(t->stack_reg);
	if (t->link_reg >= 0 || at->in->kind != INSN_OTHER || !(clobbers & sp))
		return 0;
	enum stack_use use = t->stack_use(insn_bytes(at->v->t, at->in), at->in);
	return use == STACK_TOP ? t->word : use == STACK_FRAME && clobbers == sp ? -t->word : 0;
}

/* An instruction without a description, which may push or pop. */
static void other_or_stack(const struct step_at *at, struct state *s, const struct operation *op)
{
	int reg = at->v->g->target->stack_reg;
	struct value sp = s->reg[reg];
	int64_t by = sp.what == FRAME ? moves_stack(at) : 0;
	other(at, s, op);
	sp.n += by;
	if (by)
		state_set(at->v, s, reg, sp);
}

static void push(const struct step_at *at, struct state *s, const struct operation *op)
{
	const struct target *t = at->v->g->target;
	struct value sp = s->reg[t->stack_reg], pushed = s->reg[op->src];
	if (sp.what != FRAME)
		return;
	sp.n -= t->word;
	state_set(at->v, s, t->stack_reg, sp);
	slot_set(at->v, s, sp, 0, pushed);
}

static void pop(const struct step_at *at, struct state *s, const struct operation *op)
{
	const struct target *t = at->v->g->target;
	struct value sp = s->reg[t->stack_reg];
	state_set(at->v, s, op->dst, frame_word(at, s, sp, 0));
	if (sp.what != FRAME || op->dst == t->stack_reg)
		return;
	sp.n += t->word;
	state_set(at->v, s, t->stack_reg, sp);
}

static struct value moved(const struct operation *op, struct value v)
{
	if (op->size < 8 && (op->size < 4 || v.what == FRAME || v.what == DATA || v.what == MADE))
		v.what = ANYTHING;
	if (op->size < 8 && v.what == COMPARED)
		v.reg = 4;
	return v;
}

static void execute(const struct step_at *at, struct state *s, const struct operation *op)
{
	const struct values *v = at->v;
	switch (op->op) {
	case OP_LEA: state_set(v, s, op->dst, sum(at, s, op)); break;
	case OP_LOAD:
		if (op->dst < 0)
			other_or_stack(at, s, op);
		else
			state_set(v, s, op->dst, loaded(at, s, op));
		break;
	case OP_MOVE: state_set(v, s, op->dst, moved(op, s->reg[op->src])); break;
	case OP_IMM: state_set(v, s, op->dst, immediate(at, op)); break;
	case OP_SEXT:
	case OP_ADD:
	case OP_ADD_LOAD:
	case OP_SUB:
	case OP_AND_IMM:
	case OP_SHIFT: state_set(v, s, op->dst, (struct value){.what = ANYTHING}); break;
	case OP_CMP_IMM: break;
	case OP_PUSH: push(at, s, op); break;
	case OP_POP: pop(at, s, op); break;
	case OP_STORE: store(at, s, op, s->reg[op->src]); break;
	case OP_STORE_PAIR: store_pair(at, s, *op); break;
	case OP_STORE_VECTOR: store(at, s, op, (struct value){.what = ANYTHING}); break;
	case OP_STORE_IMM: store(at, s, op, immediate(at, op)); break;
	default: other_or_stack(at, s, op); break;
	}
}

/* Does it change nothing, as it only reads or writes memory that nobody follows? */
static bool changes_nothing(const struct step_at *at, const struct state *s)
{
	const struct values *v = at->v;
	const struct effects *e = insn_effects(at->in);
	bool loads = at->in->flags & INSN_MEM && !v->words &&
		!(v->kinds & (KIND(LINK) | KINDS_MADE));
	return at->in->kind == INSN_NOP || (loads && !(e->clobbers & s->known));
}

/* Is the return address, in a register that it changes, signed or checked? */
static bool signs_link(const struct step_at *at, const struct operation *op, regset links)
{
	const struct effects *e = insn_effects(at->in);
	return op->op == OP_OTHER && !(at->in->flags & INSN_MEM) && e->reads & e->clobbers & links;
}

/* What is computed from the return address, which was in the registers links. */
static void compute_link(const struct step_at *at, struct state *s, const struct operation *op,
	regset links)
{
	const struct effects *e = insn_effects(at->in);
	bool follows = op->op == OP_MOVE || at->in->flags & INSN_MEM;
	regset made = e->clobbers & REGSET_GENERAL & ~REG_BIT(at->v->g->target->stack_reg);
	for (; !follows && e->reads & links && made; made &= made - 1)
		state_set(at->v, s, (int)lowest_reg(made), (struct value){LINK, .n = 1});
}

/* The high half of an address that the instruction makes. */
static void make_high(const struct step_at *at, struct state *s)
{
	const struct object *o = at->v->g->obj;
	const struct section *sec = at->v->t->sec;
	uint32_t n;
	for (const struct reloc *r = insn_relocs(at->v->t, at->in, &n); n; n--, r++) {
		const struct reloc_info *info = o->reloc_info(r->type);
		if (info->high)
			state_set(at->v, s, (int)reloc_half_reg(o, info, sec->data + r->off),
				(struct value){HIGH, .n = r - sec->rel});
	}
}

/* The origin of what the instruction makes: that of all else that it changes is unknown. */
static void make_origins(const struct step_at *at, struct state *s, const struct operation *op,
	struct value made)
{
	const struct target *t = at->v->g->target;
	const struct value other = {ORIGIN, .n = FROM_OTHER, .base = NO_TABLE};
	bool outside = at->in->kind == INSN_SYSCALL;
	for (regset some = insn_effects(at->in)->clobbers & REGSET_GENERAL & ~REG_BIT(t->stack_reg);
		some; some &= some - 1) {
		int r = (int)lowest_reg(some);
		if (s->reg[r].what == ANYTHING || s->reg[r].what == ORIGIN)
			state_set(at->v, s, r, op->dst == r || outside ? made : other);
	}
}

/* What the instruction makes of numbers and labels goes to the registers that it changes. */
static void make_labels(const struct step_at *at, struct state *s, const struct operation *op,
	struct value made)
{
	for (regset some = insn_effects(at->in)->clobbers & REGSET_GENERAL; some;
		some &= some - 1) {
		int r = (int)lowest_reg(some);
		bool gets = op->dst < 0 || op->dst == r;
		if (s->reg[r].what == ANYTHING || KIND(s->reg[r].what) & KINDS_OF_LABELS)
			state_set(at->v, s, r, gets ? made : (struct value){.what = ANYTHING});
	}
}

/* The bound of what the instruction makes, or (set not 0) that the client counts it. */
static void make_made(const struct step_at *at, struct state *s, const struct operation *op,
	struct value bound, int64_t set)
{
	for (regset some = insn_effects(at->in)->clobbers & REGSET_GENERAL; some;
		some &= some - 1) {
		int r = (int)lowest_reg(some);
		if (s->reg[r].what == ANYTHING && (op->op != OP_IMM || op->dst == r))
			state_set(at->v, s, r, bound);
	}
	if (set)
		state_set(at->v, s, op->dst, (struct value){MADE, .n = set});
}

void step_execute(const struct step_at *at, struct state *s)
{
	const struct values *v = at->v;
	int sp = v->g->target->stack_reg;
	struct operation op;
	if (changes_nothing(at, s))
		return;
	step_describe(at, &op);
	if (v->kinds & KIND(ORIGIN) && v->words == WORDS_NONE) {
		make_origins(at, s, &op, step_origin(at, s, &op));
		return;
	}
	regset links = v->kinds & KIND(LINK) ? state_holds(s, LINK) : 0;
	if (signs_link(at, &op, links))
		return;
	s->escapes = s->escapes || (v->words == WORDS_ALL && lets_escape(at, s, &op));
	struct value was = s->reg[sp], made = {.what = ANYTHING};
	int64_t set = 0;
	if (v->kinds & KINDS_OF_LABELS)
		made = step_result(at, s, &op);
	else if (v->kinds & KIND(ORIGIN))
		made = step_origin(at, s, &op);
	else if (v->kinds & KIND(MADE))
		made = step_bound(at, s, &op), set = v->makes(at, s, &op);
	struct value base = op.moves ? s->reg[op.base] : (struct value){.what = ANYTHING};
	execute(at, s, &op);
	if (op.moves)
		state_set(v, s, op.base,
			base.what == FRAME
				? (struct value){FRAME, .base = base.base, .n = base.n + op.moves}
				: (struct value){.what = ANYTHING});
	compute_link(at, s, &op, links);
	if (v->kinds & KINDS_OF_LABELS)
		make_labels(at, s, &op, made);
	else if (v->kinds & KIND(ORIGIN))
		make_origins(at, s, &op, made);
	else if (v->kinds & KIND(MADE))
		make_made(at, s, &op, made, set);
	if (KIND(base.what) & KINDS_OF_LABELS & v->kinds)
		state_set(v, s, op.base, value_plus(base, value_number(op.moves, op.moves)));
	if (v->kinds & KIND(HIGH))
		make_high(at, s);
	if (v->kinds & KIND(COMPARED))
		step_compare(at, s, &op);
	if (s->reg[sp].what == ANYTHING && was.what != ANYTHING && op.op != OP_LOAD &&
		insn_effects(at->in)->reads & REG_BIT(sp))
		state_set(v, s, sp, (struct value){.what = STACK});
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
	return own && (v.what == ARGUMENT || is_in_frame(v)) &&
		i != (unsigned)g->target->abi.result;
}

/* What a function of the C library, which does that, stores to the frame.  False: not known. */
static bool library_stores(const struct values *v, struct state *s, unsigned does)
{
	const struct target *t = v->g->target;
	struct value first = s->reg[t->abi.arg[0]], third = s->reg[t->abi.arg[2]];
	if (does & NAME_HANDLER_STRUCT && third.what == FRAME) {
		slots_forget(v, s, third, 0, SIGACTION);
		slot_set(v, s, third, 0, (struct value){.what = NUMBER});
	} else if (does & NAME_HANDLER_STRUCT) {
		if (third.what != NUMBER && third.what != DATA && third.what != ARGUMENT)
			s->nslot = 0;
	} else if (does & NAME_SIGSET && first.what == FRAME) {
		slots_forget(v, s, first, 0, SIGSET);
	} else {
		return does & NAME_HANDLER;
	}
	return true;
}

static void slots_over_call(const struct values *v, struct state *s)
{
	const struct target *t = v->g->target;
	for (int i = 0; i < REGS; i++)
		s->escapes |= (arguments(t) & REG_BIT(i)) && is_in_frame(s->reg[i]);
	if (s->escapes || s->reg[t->stack_reg].what != FRAME)
		s->nslot = 0; /* the callee may know addresses in the frame */
	else
		slots_keep_own(s, s->reg[t->stack_reg].n);
}

void step_over_call(const struct values *v, const struct block *bl, struct state *s)
{
	const struct target *t = v->g->target;
	bool all = v->words == WORDS_ALL;
	unsigned does = all ? libc_does(v->g, named_at_end(v->g, bl)) : 0;
	regset lost = t->abi.call_clobbers | (t->link_reg >= 0 ? REG_BIT(t->link_reg) : 0);
	if (all && !library_stores(v, s, does))
		slots_over_call(v, s);
	forget_compared(v, s);
	for (regset some = s->known & lost; some; some &= some - 1) {
		int r = (int)lowest_reg(some);
		if (s->reg[r].what == MADE ? !v->keeps(v, (uint32_t)(bl - v->g->block.v), r)
					   : !may_be_kept(v->g, bl, (unsigned)r, s->reg[r]))
			state_set(v, s, r, (struct value){.what = ANYTHING});
	}
	if (s->reg[t->abi.result].what != MADE)
		state_set(v, s, t->abi.result,
			(struct value){.what = does & NAME_HANDLER ? NUMBER : ANYTHING});
}
