/* SPDX-License-Identifier: Apache-2.0 */
/*
 * installs.c - which functions does a program install as signal handlers?
 *
 * The handler passed to signal(3), or stored in the structure for sigaction(2), is most often an
 * address made in the same function, or an argument that its callers make.  Each function with such
 * a call is interpreted abstractly: registers and the words of its frame hold a code address, a
 * number, an argument, an address in the frame, or anything.  An old handler that is installed
 * again is known already.
 */
#include "cfg/cfg_priv.h"

#include <stdlib.h>

enum what {
	ANYTHING,
	NUMBER,	  /* or an old handler: no address of another function */
	FRAME,	  /* the stack pointer at the function's start plus n bytes */
	DATA,	  /* an address outside the frame */
	ARGUMENT, /* the value of register n at the function's start */
	CODE,	  /* the address of function n */
	SOME,	  /* a number, or the address of any function that this function takes */
};
struct value {
	uint8_t what;
	int64_t n;
};
enum { REGS = 32, SLOTS = 24, DEPTH = 3, LARGEST = 4096, SIGSET = 128, SIGACTION = 152 };
struct state {
	struct value reg[REGS];
	struct {
		int64_t off;
		struct value value;
	} slot[SLOTS];
	unsigned nslot, word; /* bytes of a slot */
	bool reached;
};

struct installs {
	const struct cfg *g;
	uint8_t *handler; /* by function: set */
	bool unknown;
};

static bool same(struct value a, struct value b)
{
	return a.what == b.what && a.n == b.n;
}

static bool constant(struct value v)
{
	return v.what == NUMBER || v.what == CODE || v.what == SOME;
}

static struct value join(struct value a, struct value b)
{
	if (same(a, b))
		return a;
	return (struct value){constant(a) && constant(b) ? SOME : ANYTHING, 0};
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

static struct value slot_value(const struct state *s, int64_t off)
{
	for (unsigned i = 0; i < s->nslot; i++)
		if (s->slot[i].off == off)
			return s->slot[i].value;
	return (struct value){ANYTHING, 0};
}

static void set_slot(struct state *s, int64_t off, struct value v)
{
	forget(s, off, s->word);
	if (s->nslot < SLOTS) {
		s->slot[s->nslot].off = off;
		s->slot[s->nslot++].value = v;
	}
}

static bool join_state(struct state *to, const struct state *from)
{
	bool changed = false;
	if (!to->reached) {
		*to = *from;
		return true;
	}
	for (unsigned i = 0; i < REGS; i++) {
		struct value v = join(to->reg[i], from->reg[i]);
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
		return (struct value){ANYTHING, 0};
	if (!t)
		return (struct value){DATA, 0};
	return f != NO_FUNC && g->func.v[f].start == off ? (struct value){CODE, f}
							 : (struct value){ANYTHING, 0};
}

/* An instruction: number i, or (NO_INSN) the second half of one. */
struct step_at {
	const struct cfg *g;
	const struct code_section *t;
	const struct insn *in;
	uint32_t i;
};

/* An immediate operand, whose field may be relocated. */
static struct value immediate(const struct step_at *at, const struct operation *op)
{
	uint32_t n;
	for (const struct reloc *rel = insn_relocs(at->t, at->in, &n); n; n--, rel++)
		if (rel->off == at->in->off + op->imm_off) {
			struct ref r = cfg_reloc_ref(at->g, at->t, at->i, rel);
			return address(at->g, r.role == ROLE_BASE ? 0 : r.sec, r.off);
		}
	return (struct value){NUMBER, 0};
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
	struct value base = op->base < 0 ? (struct value){op->pc_rel ? DATA : ANYTHING, 0}
					 : s->reg[op->base];
	named_whole(at, false, &base);
	if (base.what == DATA || base.what == ARGUMENT)
		return;
	if (base.what != FRAME || op->index >= 0)
		s->nslot = 0;
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
	return frame ? slot_value(s, s->reg[op->base].n + op->disp) : (struct value){ANYTHING, 0};
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
		return (struct value){ANYTHING, 0};
	v = s->reg[op->base];
	if (v.what == FRAME)
		v.n += op->disp;
	else if (v.what != NUMBER)
		v.what = ANYTHING;
	return v;
}

/* Does the instruction only load, or store to a known place of the frame?  Forgets what is there.
 */
static bool keeps_slots(const struct step_at *at, struct state *s, const struct operation *op)
{
	const struct target *t = at->g->target;
	struct value sp = s->reg[t->stack_reg];
	int64_t off;
	unsigned size;
	bool stores;
	if (op->op == OP_LOAD)
		return true;
	if (!t->frame_access || sp.what != FRAME ||
		!t->frame_access(insn_bytes(at->t, at->in), at->in, &off, &size, &stores))
		return false;
	if (stores)
		forget(s, sp.n + off, size);
	return true;
}

/* An instruction without a description: it may write memory and all registers it clobbers. */
static void other(const struct step_at *at, struct state *s, const struct operation *op)
{
	const struct insn *in = at->in;
	const struct effects *e = insn_effects(in);
	bool keeps = keeps_slots(at, s, op);
	bool number = !in->has_rel && !(in->flags & (INSN_MEM | INSN_VAGUE));
	struct value v = {number ? NUMBER : ANYTHING, 0};
	/* such as a conditional move */
	for (unsigned i = 0; i < REGS; i++)
		if (e->reads & REG_BIT(i))
			v.what = v.what != ANYTHING && constant(s->reg[i]) ? SOME : ANYTHING;
	for (unsigned i = 0; i < REGS; i++)
		if (e->clobbers & REG_BIT(i))
			s->reg[i] = e->writes & REG_BIT(i) ? v
				: v.what == NUMBER && constant(s->reg[i])
				? (struct value){SOME, 0}
				: (struct value){ANYTHING, 0};
	if (!keeps && ((in->flags & (INSN_MEM | INSN_VAGUE)) || in->kind == INSN_SYSCALL))
		s->nslot = 0;
}

static struct value value_of(const struct state *s, int reg)
{
	return reg < 0 ? (struct value){NUMBER, 0} : s->reg[reg];
}

static void store_pair(const struct step_at *at, struct state *s, struct operation op)
{
	store(at, s, &op, value_of(s, op.src));
	op.disp += op.size;
	store(at, s, &op, value_of(s, op.index));
}

static void execute(const struct step_at *at, struct state *s)
{
	const struct cfg *g = at->g;
	unsigned sp = g->target->stack_reg;
	struct operation op;
	struct value v;
	if (at->in->kind == INSN_NOP)
		return;
	g->target->describe(cfg_decoder(g, 0), insn_bytes(at->t, at->in), at->in, &op);
	struct value base = op.moves ? s->reg[op.base] : (struct value){ANYTHING, 0};
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
	case OP_STORE: store(at, s, &op, s->reg[op.src]); break;
	case OP_STORE_PAIR: store_pair(at, s, op); break;
	case OP_STORE_VECTOR: store(at, s, &op, (struct value){ANYTHING, 0}); break;
	case OP_STORE_IMM: store(at, s, &op, immediate(at, &op)); break;
	default: other(at, s, &op); break;
	}
	if (op.moves)
		s->reg[op.base] = base.what == FRAME ? (struct value){FRAME, base.n + op.moves}
						     : (struct value){ANYTHING, 0};
}

static void execute_insn(const struct cfg *g, const struct code_section *t, uint32_t i,
	struct state *s)
{
	execute(&(struct step_at){g, t, &g->insn.v[i], i}, s);
}

/* Decode what is in the delay slot of instruction in; false: it has none. */
static bool decode_slot(const struct cfg *g, const struct code_section *t, const struct insn *in,
	struct insn *slot)
{
	unsigned half = g->target->insn_size;
	uint32_t nrel;
	*slot = (struct insn){0};
	if (!half || in->len != 2 * half ||
		!g->target->decode(cfg_decoder(g, 0), insn_bytes(t, in) + half, half, slot) ||
		slot->kind != INSN_OTHER)
		return false;
	slot->off = in->off + half;
	slot->has_rel = in->has_rel;
	slot->resolved = true;
	insn_relocs(t, slot, &nrel);
	slot->has_rel = nrel;
	return true;
}

/* What is in the delay slot of instruction i is executed, or perhaps not. */
static void execute_slot(const struct cfg *g, const struct code_section *t, uint32_t i,
	struct state *s)
{
	const struct state skipped = *s;
	struct insn slot;
	if (!decode_slot(g, t, &g->insn.v[i], &slot))
		return;
	execute(&(struct step_at){g, t, &slot, NO_INSN}, s);
	if (insn_is_likely(&g->insn.v[i]))
		join_state(s, &skipped);
}

/* Calls ------------------------------------------------------------------- */

static bool takes_struct(const char *name)
{
	return !strcmp(name, "sigaction") || !strcmp(name, "__sigaction");
}

static bool takes_address(const char *name)
{
	static const char *const names[] = {
		"__sysv_signal",
		"bsd_signal",
		"signal",
		"sigset",
		"ssignal",
		"sysv_signal",
	};
	return IS_ONE_OF(name, names);
}

static bool writes_sigset(const char *name)
{
	static const char *const names[] = {"sigaddset", "sigdelset", "sigemptyset", "sigfillset"};
	return IS_ONE_OF(name, names);
}

/* The state behind the call at the end of a block. */
static void call(struct installs *w, const struct block *bl, struct state *s)
{
	const struct target *t = w->g->target;
	const struct symbol *sym = named_at_end(w->g, bl);
	bool libc = sym && is_libcs(w->g, sym);
	struct value first = s->reg[t->arg[0]], third = s->reg[t->arg[2]], result = {ANYTHING, 0};
	if (libc && takes_address(sym->name)) {
		result.what = NUMBER;
	} else if (libc && takes_struct(sym->name)) {
		if (third.what == FRAME) {
			forget(s, third.n, SIGACTION);
			set_slot(s, third.n, (struct value){NUMBER, 0});
		} else if (third.what != NUMBER && third.what != DATA && third.what != ARGUMENT) {
			s->nslot = 0;
		}
	} else if (libc && writes_sigset(sym->name) && first.what == FRAME) {
		forget(s, first.n, SIGSET);
	} else {
		s->nslot = 0; /* the callee may know addresses in the frame */
	}
	/* setjmp may return again when the frame has changed */
	w->unknown |= sym && strstr(sym->name, "setjmp");
	for (unsigned i = 0; i < REGS; i++)
		if (t->call_clobbers & REG_BIT(i))
			s->reg[i] = (struct value){ANYTHING, 0};
	s->reg[t->result] = result;
}

/* Functions --------------------------------------------------------------- */

static void pass_on(const struct func *f, struct state *states, block_vec *work, uint32_t b,
	const struct state *s)
{
	if (!func_has_block(f, b))
		return;
	if (join_state(&states[b - f->block], s))
		vec_push(work, b);
}

struct table_walk {
	const struct func *f;
	struct state *states;
	block_vec *work;
	const struct state *s;
};

static void pass_by_table(void *ctx, uint32_t b)
{
	const struct table_walk *w = ctx;
	pass_on(w->f, w->states, w->work, b, w->s);
}

static void run_block(struct installs *w, uint32_t b, struct state *s, bool whole)
{
	const struct cfg *g = w->g;
	const struct block *bl = &g->block.v[b];
	const struct code_section *t = &g->text.v[g->func.v[bl->func].text];
	bool calls = bl->end == END_CALL || bl->end == END_JUMP || bl->end == END_BRANCH ||
		bl->end == END_TABLE;
	for (uint32_t i = 0; i + calls < bl->ninsn; i++)
		execute_insn(g, t, bl->insn + i, s);
	if (calls)
		execute_slot(g, t, bl->insn + bl->ninsn - 1, s);
	if (whole && bl->end == END_CALL)
		call(w, bl, s);
}

/* May control come to block b in another way than by the edges of its function? */
static bool may_be_entered(const struct cfg *g, const struct func *f, uint32_t b)
{
	const struct block *bl = &g->block.v[b];
	return bl->entered || set_has(g->text.v[f->text].taken, g->insn.v[bl->insn].off);
}

/* The states at the starts of the blocks of fi; NULL: it is opaque. */
static struct state *run_function(struct installs *w, uint32_t fi)
{
	const struct cfg *g = w->g;
	const struct func *f = &g->func.v[fi];
	block_vec work = {0};
	if (f->why != OPAQUE_NOT || !f->nblock || f->nblock > LARGEST)
		return NULL;
	struct state *states = calloc(f->nblock, sizeof *states);
	struct state s = {.reached = true, .word = g->target->word}, unknown = s;
	for (unsigned i = 0; states && i < REGS; i++)
		s.reg[i] = (struct value){ARGUMENT, i};
	s.reg[g->target->stack_reg] = (struct value){FRAME, 0};
	if (states)
		pass_on(f, states, &work, f->block, &s);
	for (uint32_t b = f->block; states && b < f->block + f->nblock; b++)
		if (b == f->block ? f->falls_in : may_be_entered(g, f, b))
			pass_on(f, states, &work, b, &unknown);
	while (states && work.n) {
		uint32_t b = work.v[--work.n];
		const struct block *bl = &g->block.v[b];
		s = states[b - f->block];
		run_block(w, b, &s, true);
		struct table_walk walk = {f, states, &work, &s};
		pass_on(f, states, &work, bl->fall, &s);
		if (bl->end != END_CALL)
			pass_on(f, states, &work, bl->target, &s);
		if (bl->end == END_TABLE)
			cfg_table_targets(g, b, pass_by_table, &walk);
	}
	vec_free(&work);
	return states;
}

/* The state before the last instruction of block b, which may leave the function. */
static bool state_before(struct installs *w, uint32_t b, struct state *s)
{
	uint32_t fi = w->g->block.v[b].func;
	struct state *states = run_function(w, fi);
	bool known = states && states[b - w->g->func.v[fi].block].reached;
	if (known) {
		*s = states[b - w->g->func.v[fi].block];
		run_block(w, b, s, false);
	}
	free(states);
	w->unknown |= !known;
	return known;
}

static void add_callers(struct installs *w, uint32_t fi, unsigned reg, unsigned depth);

/* All functions whose address function fi takes. */
static void add_taken(struct installs *w, uint32_t fi)
{
	const struct cfg *g = w->g;
	const struct func *f = &g->func.v[fi];
	const struct code_section *t = &g->text.v[f->text];
	struct operation op;
	for (uint32_t i = cfg_insn_at(g, t, f->start);
		i < t->insn + t->ninsn && g->insn.v[i].off < f->end; i++) {
		const struct insn *in = &g->insn.v[i];
		const struct state none = {0};
		g->target->describe(cfg_decoder(g, 0), insn_bytes(t, in), in, &op);
		const struct step_at at = {g, t, in, i};
		struct value v = op.op == OP_LEA ? sum(&at, &none, &op)
			: op.op == OP_LOAD	 ? loaded(&at, &none, &op)
			: op.op == OP_IMM	 ? immediate(&at, &op)
						 : none.reg[0];
		if (v.what == CODE)
			w->handler[v.n] = 1;
	}
}

/* A value that becomes a handler in function fi. */
static void add_value(struct installs *w, uint32_t fi, struct value v, unsigned depth)
{
	switch ((enum what)v.what) {
	case NUMBER: break;
	case CODE: w->handler[v.n] = 1; break;
	case SOME: add_taken(w, fi); break;
	case ARGUMENT: add_callers(w, fi, (unsigned)v.n, depth); break;
	default: w->unknown = true;
	}
}

/* All values that callers pass to function fi in a register; all its callers must be known. */
static void add_callers(struct installs *w, uint32_t fi, unsigned reg, unsigned depth)
{
	const struct cfg *g = w->g;
	const struct func *f = &g->func.v[fi];
	if (depth == DEPTH || called_from_anywhere(g, f)) {
		w->unknown = true;
		return;
	}
	for (uint32_t b = 0; b < g->block.n && !w->unknown; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->target != f->block && bl->fall != f->block)
			continue;
		if (bl->gap || (bl->func == fi && bl->end != END_CALL))
			continue;
		struct state s;
		if (state_before(w, b, &s))
			add_value(w, bl->func, s.reg[reg], depth + 1);
	}
}

/* Block b calls a function that installs a handler. */
static void add_call(struct installs *w, uint32_t b, const char *name)
{
	const struct cfg *g = w->g;
	uint32_t fi = g->block.v[b].func;
	struct state s;
	if (!state_before(w, b, &s))
		return;
	struct value v = s.reg[g->target->arg[1]];
	if (takes_struct(name) && v.what != NUMBER)
		v = v.what == FRAME ? slot_value(&s, v.n + w->g->target->handler_off)
				    : (struct value){ANYTHING, 0};
	add_value(w, fi, v, 0);
}

/* The constant that the instruction sets a register to; false: not known. */
static bool sets_number(const struct cfg *g, const struct code_section *t, const struct insn *in,
	unsigned reg, int64_t *nr)
{
	struct operation op;
	g->target->describe(cfg_decoder(g, 0), insn_bytes(t, in), in, &op);
	*nr = op.imm;
	return op.op == OP_IMM && op.dst == (int)reg && !in->has_rel;
}

bool call_number(const struct cfg *g, const struct block *bl, int64_t *nr)
{
	const struct code_section *t = &g->text.v[g->func.v[bl->func].text];
	unsigned arg = g->target->arg[0];
	uint32_t i = bl->insn + bl->ninsn - 1;
	struct insn slot;
	if (decode_slot(g, t, &g->insn.v[i], &slot) &&
		(insn_effects(&slot)->clobbers & REG_BIT(arg)))
		return sets_number(g, t, &slot, arg, nr);
	while (i-- > bl->insn)
		if (insn_effects(&g->insn.v[i])->clobbers & REG_BIT(arg))
			return sets_number(g, t, &g->insn.v[i], arg, nr);
	return false;
}

/* Does a block that ends in a call of syscall(2) make no process, thread or handler by that? */
static bool is_quiet(const struct cfg *g, const struct block *bl)
{
	int64_t nr;
	return call_number(g, bl, &nr) && !syscall_listed(g->target->forks, nr) &&
		!syscall_listed(g->target->installs, nr);
}

bool cfg_syscalls_install(const struct cfg *g)
{
	for (uint32_t b = 0; b < g->block.n; b++) {
		const struct block *bl = &g->block.v[b];
		const struct code_section *t = &g->text.v[g->func.v[bl->func].text];
		if (bl->end == END_SYSCALL && !bl->gap && !in_libc(g, bl->func) &&
			syscall_may_install(g->target, cfg_decoder(g, 0), t->sec->data,
				&g->insn.v[bl->insn], bl->ninsn))
			return true;
	}
	return false;
}

/* The function with a name of these kinds that block b calls, but in the C library; or NULL. */
static const struct symbol *called_by(const struct cfg *g, uint32_t b, const uint8_t *kind,
	unsigned which)
{
	const struct block *bl = &g->block.v[b];
	bool calls = bl->end == END_CALL || bl->end == END_JUMP;
	const struct symbol *s = calls && !bl->gap ? named_at_end(g, bl) : NULL;
	return s && !in_libc(g, bl->func) && (kind[s - g->obj->sym.v] & which) ? s : NULL;
}

bool names_only_called(const struct cfg *g, const uint8_t *kind, unsigned which)
{
	const struct object *o = g->obj;
	size_t refs = 0, calls = 0;
	for (size_t i = 1; i < o->sec.n; i++)
		for (uint32_t r = 0; may_refer(g, &o->sec.v[i]) && r < o->sec.v[i].nrel; r++)
			refs += (kind[o->sec.v[i].rel[r].sym] & which) != 0 &&
				!g->target->reloc_info(o->sec.v[i].rel[r].type)->calls;
	for (uint32_t b = 0; b < g->block.n; b++)
		calls += called_by(g, b, kind, which) != NULL;
	return calls == refs;
}

bool cfg_handlers(const struct cfg *g, const uint8_t *kind, uint8_t *handler)
{
	struct installs w = {.g = g, .handler = handler};
	w.unknown = !names_only_called(g, kind, NAME_HANDLES) || cfg_syscalls_install(g);
	for (uint32_t b = 0; b < g->block.n && !w.unknown; b++) {
		const struct symbol *s = called_by(g, b, kind, NAME_HANDLES);
		if (!s)
			continue;
		if (is_libcs(g, s) && !strcmp(s->name, "syscall") && is_quiet(g, &g->block.v[b]))
			continue;
		if (is_libcs(g, s) && (takes_struct(s->name) || takes_address(s->name)))
			add_call(&w, b, s->name);
		else
			w.unknown = true;
	}
	return !w.unknown;
}
