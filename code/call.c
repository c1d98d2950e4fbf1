/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - code that calls a tool's routine, or has it pasted; see sequence.h
 */
#include "code/regs.h"
#include "code/sequence.h"
#include "targets/access.h"

struct calling {
	const struct target *t;
	struct code *c;
	const struct tool_call *call;
	regset dead;
	bool asks;		      /* a predicate */
	bool asked;		      /* what one leads to */
	uint8_t reg[CALL_ARGS];	      /* of arguments */
	uint8_t loads;		      /* bits: the argument has to be put there */
	regset stays;		      /* registers that are arguments where they are */
	const struct tool_body *body; /* what is pasted; NULL: the routine is called */
	struct tool_body made;	      /* for this place */
	regset changes;		      /* by the routine */
	uint8_t result;		      /* of a predicate: the register */
	bool is_made;		      /* the body is */
	regset holder;	/* for the flags; empty: they are dead, or the routine keeps them */
	bool pushes;	/* the flags, as the routine changes the holder, too */
	regset temp;	/* for what is in no set of registers; empty: that needs none */
	regset vectors; /* saved */
	regset spare;	/* for operands; empty: none needs it */
	regset saved;	/* on the stack */
	regset moved; /* saved in dead registers that the routine keeps, the lowest in the lowest */
	regset keeper;	 /* these */
	bool lowers;	 /* the stack pointer, below the red zone */
	bool stays_high; /* that is wanted not to be */
	int32_t above; /* the stack pointer in front of the code - where the last register is saved
			*/
};

static bool is_loaded(const struct calling *w, unsigned k)
{
	return w->loads >> k & 1;
}

static bool is_address(const struct call_arg *a)
{
	return a->gives == GIVES_ADDRESS || a->gives == GIVES_PLACE;
}

/* Registers that are overwritten before argument k is made. */
static regset overwritten(const struct calling *w, unsigned k)
{
	regset regs = w->holder | w->temp | w->spare;
	while (k-- > 0) {
		if (!is_loaded(w, k))
			continue;
		regs |= REG_BIT(w->reg[k]);
		if (is_address(&w->call->arg[k]))
			regs |= w->t->micro->address_changes;
	}
	return regs;
}

static bool has_operand(const struct call_arg *a)
{
	return a->gives == GIVES_ACCESS || a->gives == GIVES_LENGTH || a->gives == GIVES_DELAYED ||
		a->gives == GIVES_TARGET;
}

/* Registers that an argument is made of. */
static regset made_of(const struct target *t, const struct call_arg *a)
{
	regset regs = 0;
	if (a->gives == GIVES_REGISTER)
		return REG_BIT(a->reg);
	if (a->gives == GIVES_VALUE || a->gives == GIVES_COMPARED)
		return REG_BIT(a->from);
	if (a->gives == GIVES_TAKEN) {
		regs |= a->condition->a >= 0 ? REG_BIT(a->condition->a) : 0;
		regs |= a->condition->b >= 0 ? REG_BIT(a->condition->b) : 0;
	}
	if (has_operand(a)) {
		regs |= a->operand->base >= 0 ? REG_BIT(a->operand->base) : 0;
		regs |= a->operand->index >= 0 ? REG_BIT(a->operand->index) : 0;
	}
	return regs & ~REG_BIT(t->stack_reg);
}

/* Registers from which arguments are made, and that are overwritten before. */
static regset needed_later(const struct calling *w)
{
	regset regs = 0;
	for (unsigned k = 0; k < w->call->nargs; k++)
		if (is_loaded(w, k))
			regs |= overwritten(w, k) & made_of(w->t, &w->call->arg[k]);
	return regs;
}

/* Those that are read for arguments stay what they are until then. */
static regset read_for_args(const struct calling *w)
{
	regset regs = w->stays;
	for (unsigned k = 0; k < w->call->nargs; k++)
		if (is_loaded(w, k))
			regs |= made_of(w->t, &w->call->arg[k]);
	return regs;
}

static regset changed_by(const struct calling *w)
{
	regset changed = w->changes & REGSET_GENERAL;
	for (unsigned k = 0; k < w->call->nargs; k++)
		if (is_loaded(w, k))
			changed |= REG_BIT(w->reg[k]) |
				(is_address(&w->call->arg[k]) ? w->t->micro->address_changes : 0);
	return changed;
}

/* Registers are saved in dead ones, as far as there are any, else on the stack. */
static void choose_keepers(struct calling *w)
{
	regset free = w->dead & target_scratch(w->t) &
		~(changed_by(w) | w->holder | w->temp | w->spare | read_for_args(w));
	for (; w->saved && free; free &= free - 1) {
		regset reg = w->saved & -w->saved;
		w->moved |= reg;
		w->saved &= ~reg;
		w->keeper |= free & -free;
	}
}

/* Is the operand the register that is its base? */
static bool is_register(const struct address *o)
{
	return o->base >= 0 && o->index < 0 && !o->n && !o->type && !o->loads && !o->low &&
		!o->round && !o->segment;
}

/* The register that is the argument in front of the code; the stack pointer if that stays. */
static regset given_by(const struct calling *w, const struct call_arg *a)
{
	if (a->gives == GIVES_TARGET && is_register(a->operand))
		return REG_BIT(a->operand->base) & ~REG_BIT(w->t->stack_reg);
	if (a->gives == GIVES_STACK && !a->number && w->stays_high)
		return REG_BIT(w->t->stack_reg);
	return a->gives == GIVES_REGISTER ? REG_BIT(a->reg) & ~REG_BIT(w->t->stack_reg) : 0;
}

/* The registers of arguments that may be there in place of their own. */
static regset given_registers(const struct calling *w)
{
	regset regs = 0;
	for (unsigned k = 0; k < w->call->nargs; k++)
		regs |= given_by(w, &w->call->arg[k]) ? REG_BIT(w->reg[k]) : 0;
	return regs;
}

/* Can it be read there? */
static bool is_in_place(const struct calling *w, const struct body_uses *uses, unsigned k,
	regset kept)
{
	regset reg = REG_BIT(w->reg[k]), from = given_by(w, &w->call->arg[k]);
	return from && !(uses->changes & reg) && !(uses->pinned & (reg | from)) && !(from & kept);
}

/* Another name for register reg of a body: dead ones first. */
static regset rename_to(const struct calling *w, regset reg, regset taken)
{
	regset all = target_scratch(w->t) & ~taken, dead = all & w->dead;
	if (reg & dead)
		return reg;
	if (dead)
		return dead & -dead;
	return reg & all ? reg : all & -all;
}

/* False: there are not enough registers. */
static bool rename_registers(const struct calling *w, const struct body_uses *uses, uint8_t *to,
	regset *stays, uint8_t *loads)
{
	regset kept = uses->changes & target_flags(w->t) & ~w->dead ? w->t->micro->flag_holders : 0;
	regset used = (uses->reads | uses->changes) & ~REGSET_FLAGS & ~uses->pinned;
	for (unsigned k = 0; k < w->call->nargs; k++)
		if (is_loaded(w, k) && is_in_place(w, uses, k, kept)) {
			*loads &= (uint8_t) ~(1u << k);
			regset from = given_by(w, &w->call->arg[k]);
			*stays |= from;
			used &= ~REG_BIT(w->reg[k]);
			to[w->reg[k]] = (uint8_t)lowest_reg(from);
		}
	regset taken = kept | uses->pinned | *stays | read_for_args(w);
	for (; used; used &= used - 1) {
		regset reg = rename_to(w, used & -used, taken);
		if (!reg)
			return false;
		to[lowest_reg(used)] = (uint8_t)lowest_reg(reg);
		taken |= reg;
	}
	return true;
}

static regset renamed(regset regs, const uint8_t *to)
{
	regset all = regs & REGSET_FLAGS;
	for (regs &= ~REGSET_FLAGS; regs; regs &= regs - 1)
		all |= REG_BIT(to[lowest_reg(regs)]);
	return all;
}

/* The routine as it is pasted here: without what constants make needless, in dead registers. */
static void make_body(struct calling *w)
{
	const struct micro *m = w->t->micro;
	struct body_uses uses;
	struct tool_body folded, shrunk;
	uint8_t to[REG_VECTOR], loads = 0;
	regset stays = 0;
	int result = w->asks ? (int)w->result : -1;
	if (!m->fold_body ||
		!m->fold_body(w->call->body, w->call->arg, w->call->nargs, w->reg, result, &folded))
		return;
	if (m->shrink_body(&folded, given_registers(w), &result, &shrunk))
		folded = shrunk;
	if (!m->body_uses(&folded, &uses))
		return;
	uses.changes |= w->asks ? m->test_flags : 0;
	regset implied = uses.pinned;
	for (unsigned r = 0; r < REG_VECTOR; r++)
		to[r] = (uint8_t)r;
	uint8_t all = w->loads;
	uses.pinned |= uses.reads & ~REGSET_FLAGS; /* perhaps nobody has set it */
	for (unsigned k = 0; k < w->call->nargs; k++) {
		loads |= (uint8_t)((uses.reads >> w->reg[k] & 1) << k);
		uses.pinned &= ~REG_BIT(w->reg[k]) | implied;
	}
	w->loads = loads;
	if (!rename_registers(w, &uses, to, &stays, &loads) ||
		!m->rename_body(&folded, to, &w->made)) {
		w->loads = all;
		return;
	}
	w->loads = loads;
	w->stays = stays;
	w->body = &w->made;
	w->is_made = true;
	w->result = result < 0 ? w->result : to[result];
	w->changes = renamed(uses.changes, to);
	for (unsigned k = 0; k < w->call->nargs; k++)
		w->reg[k] = to[w->reg[k]];
}

static void choose_body(struct calling *w)
{
	w->body = w->call->body;
	w->changes = w->call->changes;
	w->result = w->t->abi.result;
	w->loads = (uint8_t)((1u << w->call->nargs) - 1);
	for (unsigned k = 0; k < CALL_ARGS; k++)
		w->reg[k] = w->t->abi.arg[k];
	bool place = false; /* see verify/prove.c */
	for (unsigned k = 0; k < w->call->nargs; k++)
		place |= w->call->arg[k].gives == GIVES_PLACE;
	if (w->body && !w->asked && !place)
		make_body(w);
}

static bool has_floats(const struct calling *w)
{
	return w->call->rest & REST_FLOAT || w->changes & REGSET_VECTORS;
}

/* Bytes of the stack for what is in no set of registers, and for vectors. */
static int32_t rest_size(const struct calling *w)
{
	const struct micro *m = w->t->micro;
	return (w->call->rest & REST_PRODUCTS ? m->rest_slots * m->slot : 0) +
		(has_floats(w) ? m->vectors_size(w->vectors) : 0);
}

static void choose_registers(struct calling *w)
{
	const struct micro *m = w->t->micro;
	regset live_flags = w->changes & target_flags(w->t) & ~w->dead;
	regset changed = changed_by(w), args = w->stays;
	bool spare = false;
	for (unsigned k = 0; k < w->call->nargs; k++) {
		if (!is_loaded(w, k))
			continue;
		args |= REG_BIT(w->reg[k]);
		spare |= has_operand(&w->call->arg[k]) && w->call->arg[k].operand->spare;
		spare |= w->call->arg[k].gives == GIVES_TAKEN && w->call->arg[k].condition->b >= 0;
	}
	if (live_flags) {
		regset holders = m->flag_holders & w->dead ? m->flag_holders & w->dead
							   : m->flag_holders;
		holders = holders & ~changed ? holders & ~changed : holders;
		w->holder = holders & -holders;
		w->pushes = w->holder & changed;
	}
	if (w->call->rest & REST_PRODUCTS || (has_floats(w) && m->float_regs)) {
		regset regs = w->changes & REGSET_GENERAL & ~w->holder;
		w->temp = regs & -regs;
	}
	w->vectors = w->changes & REGSET_VECTORS & ~w->dead;
	if (spare)
		w->spare = pick_regs(w->t, 1, w->dead, args | w->holder | w->temp);
	w->saved = ((changed | w->holder | w->spare) & ~w->dead) | needed_later(w);
	choose_keepers(w);
}

/* How far above the last saved register this one is. */
static int32_t slot_of(const struct calling *w, unsigned reg)
{
	regset above = w->saved & ~(REG_BIT(reg) | (REG_BIT(reg) - 1));
	return (int32_t)(count_regs(above) * w->t->micro->slot);
}

static unsigned keeper_of(const struct calling *w, unsigned reg)
{
	regset keepers = w->keeper;
	for (regset below = w->moved & (REG_BIT(reg) - 1); below; below &= below - 1)
		keepers &= keepers - 1;
	return lowest_reg(keepers);
}

/* What a register held that is overwritten. */
static void put_saved(const struct calling *w, unsigned to, unsigned from, int32_t below)
{
	if (w->moved & REG_BIT(from))
		w->t->micro->move(w->c, to, keeper_of(w, from));
	else
		w->t->micro->from_stack(w->c, to, below + slot_of(w, from));
}

static void put_register(const struct calling *w, unsigned k, int32_t below)
{
	const struct micro *m = w->t->micro;
	unsigned to = w->reg[k], from = w->call->arg[k].reg;
	if (from == w->t->stack_reg)
		m->stack_plus(w->c, to, below + w->above);
	else if (!(overwritten(w, k) & REG_BIT(from)))
		m->move(w->c, to, from);
	else
		put_saved(w, to, from, below);
}

/* Of registers that are overwritten, the base is fetched to the argument's, the index to spare. */
static void put_operand(const struct calling *w, unsigned k, int32_t below)
{
	const struct micro *m = w->t->micro;
	struct address o = *w->call->arg[k].operand;
	unsigned to = w->reg[k], spare = w->spare ? lowest_reg(w->spare) : to;
	regset gone = overwritten(w, k);
	bool base = o.base >= 0 && gone & REG_BIT(o.base);
	if (o.index >= 0 && gone & REG_BIT(o.index))
		put_saved(w, spare, (unsigned)o.index, below);
	else if (o.index >= 0 && base && (unsigned)o.index == to)
		m->move(w->c, spare, to);
	else
		spare = o.index >= 0 ? (unsigned)o.index : spare;
	if (base)
		put_saved(w, to, (unsigned)o.base, below);
	else if (o.base == w->t->stack_reg)
		o.n += below + w->above;
	o.base = base ? (int8_t)to : o.base;
	o.index = o.index >= 0 ? (int8_t)spare : o.index;
	m->operand(w->c, to, &o, w->spare ? lowest_reg(w->spare) : to);
}

/* A register that is overwritten is loaded to `to', unless that is the other one. */
static void put_condition(const struct calling *w, unsigned k, int32_t below)
{
	const struct micro *m = w->t->micro;
	struct condition c = *w->call->arg[k].condition;
	unsigned to = w->reg[k], spare = w->spare ? lowest_reg(w->spare) : to;
	regset gone = overwritten(w, k);
	bool a = c.a >= 0 && gone & REG_BIT(c.a), b = c.b >= 0 && gone & REG_BIT(c.b);
	if (a) {
		unsigned at = !b && c.b == (int)to ? spare : to;
		put_saved(w, at, (unsigned)c.a, below);
		c.a = (int8_t)at;
	}
	if (b) {
		unsigned at = c.a == (int)to ? spare : to;
		put_saved(w, at, (unsigned)c.b, below);
		c.b = (int8_t)at;
	}
	m->condition(w->c, to, &c);
}

static void put_value(const struct calling *w, unsigned k, int32_t below)
{
	const struct call_arg *a = &w->call->arg[k];
	unsigned to = w->reg[k], from = a->from;
	if (overwritten(w, k) & REG_BIT(from)) {
		put_saved(w, to, from, below);
		from = to;
	}
	w->t->micro->low_bytes(w->c, to, from, a->size);
}

/* below: how far the stack pointer is below the last saved register. */
static void put_arg(const struct calling *w, unsigned k, int32_t below)
{
	const struct micro *m = w->t->micro;
	const struct call_arg *a = &w->call->arg[k];
	unsigned to = w->reg[k];
	switch ((enum gives)a->gives) {
	case GIVES_NUMBER: m->constant(w->c, to, (uint64_t)a->number); break;
	case GIVES_ADDRESS: m->address(w->c, to, a->sym, a->number); break;
	case GIVES_PLACE:
		m->address(w->c, to, PLACE_SYM + a->sym + (a->exact ? PLACE_EXACT : 0), a->number);
		break;
	case GIVES_STACK: m->stack_plus(w->c, to, below + w->above + (int32_t)a->number); break;
	case GIVES_ACCESS:
	case GIVES_DELAYED:
	case GIVES_TARGET:
	case GIVES_LENGTH: put_operand(w, k, below); break;
	case GIVES_TAKEN: put_condition(w, k, below); break;
	case GIVES_COMPARED:
	case GIVES_VALUE: put_value(w, k, below); break;
	case GIVES_RETURN: m->from_stack(w->c, to, below + w->above); break;
	case GIVES_REGISTER:
		if (a->reg != to || overwritten(w, k) & REG_BIT(to))
			put_register(w, k, below);
		break;
	}
}

static void paste(struct code *c, const struct tool_body *body)
{
	uint32_t start = c->bytes.n, at = 0;
	for (unsigned i = 0; i < body->nrel; i++) {
		const struct body_reloc *r = &body->rel[i];
		code_put(c, body->byte + at, r->off - at);
		at = r->off;
		code_reloc(c, (struct reloc){.type = r->type, .sym = r->sym, .addend = r->addend});
	}
	code_put(c, body->byte + at, body->n - at);
	if (c->bytes.n - start != body->n)
		bug("a routine is pasted in part");
}

static void enter(const struct calling *w)
{
	uint32_t first = w->c->rel.n;
	w->t->micro->enter(w->c, w->call->sym);
	for (uint32_t i = first; w->call->landing && i < w->c->rel.n; i++)
		small_v(&w->c->rel)[i].addend += w->call->landing;
}

/* The registers, and the flags below them, are saved. */
static void put_call(const struct calling *w)
{
	const struct micro *m = w->t->micro;
	int32_t home = w->body ? 0 : w->t->abi.arg_home;
	if (home)
		m->add(w->c, w->t->stack_reg, -home, 0);
	int32_t below = home + (w->pushes ? m->slot : 0) + rest_size(w);
	for (unsigned k = 0; k < w->call->nargs; k++)
		if (is_loaded(w, k))
			put_arg(w, k, below);
	if (w->body)
		paste(w->c, w->body);
	else
		enter(w);
	if (home)
		m->add(w->c, w->t->stack_reg, home, 0);
}

static unsigned temp_of(const struct calling *w)
{
	return w->temp ? lowest_reg(w->temp) : 0;
}

static void save(const struct calling *w)
{
	const struct micro *m = w->t->micro;
	push_regs(w->t, w->c, w->saved);
	for (regset regs = w->moved; regs; regs &= regs - 1)
		m->move(w->c, keeper_of(w, lowest_reg(regs)), lowest_reg(regs));
	if (w->holder)
		m->save_flags(w->c, lowest_reg(w->holder), w->dead);
	if (w->pushes)
		m->push(w->c, lowest_reg(w->holder));
	if (w->call->rest & REST_PRODUCTS)
		m->push_rest(w->c, temp_of(w));
	if (has_floats(w))
		m->push_vectors(w->c, w->vectors, temp_of(w));
}

static void restore(const struct calling *w)
{
	const struct micro *m = w->t->micro;
	if (has_floats(w))
		m->pop_vectors(w->c, w->vectors, temp_of(w));
	if (w->call->rest & REST_PRODUCTS)
		m->pop_rest(w->c, temp_of(w));
	if (w->pushes)
		m->pop(w->c, lowest_reg(w->holder));
	if (w->holder)
		m->restore_flags(w->c, lowest_reg(w->holder), w->dead);
	for (regset regs = w->moved; regs; regs &= regs - 1)
		m->move(w->c, lowest_reg(regs), keeper_of(w, lowest_reg(regs)));
	pop_regs(w->t, w->c, w->saved);
}

static bool has_stack(const struct tool_call *call)
{
	bool has = false;
	for (unsigned k = 0; k < call->nargs; k++)
		has |= call->arg[k].gives == GIVES_STACK;
	return has;
}

/* The registers are chosen; everything up to the end of the call or pasted code. */
static void begin_call(struct calling *w)
{
	const struct micro *m = w->t->micro;
	const struct calling before = *w;
	for (bool high = has_stack(w->call);; high = false) {
		*w = before;
		w->stays_high = high;
		choose_body(w);
		choose_registers(w);
		w->lowers = !w->body || w->saved || w->pushes || rest_size(w);
		if (!high || (w->is_made && !w->lowers))
			break;
	}
	w->above = (w->lowers ? m->red_zone : 0) + (int32_t)(count_regs(w->saved) * m->slot);
	if (w->lowers)
		leave_red_zone(w->t, w->c);
	save(w);
	put_call(w);
}

static void end_call(const struct calling *w)
{
	restore(w);
	if (w->lowers)
		return_to_red_zone(w->t, w->c);
}

/* Bytes of what restores registers and flags. */
static uint32_t size_of_end(const struct calling *w)
{
	struct code code;
	struct calling other = *w;
	code_start(&code);
	other.c = &code;
	end_call(&other);
	uint32_t n = code.bytes.n;
	code_free(&code);
	return n;
}

/* Returns where the predicate's code ends, if that is made for this place, and sets *result. */
static uint32_t put_conditional(const struct target *t, struct code *c,
	const struct tool_call *call, regset dead, uint8_t *result)
{
	struct calling when = {.t = t, .c = c, .call = call->when, .dead = dead, .asks = true};
	struct calling w = {.t = t, .c = c, .call = call, .dead = dead, .asked = true};
	begin_call(&when);
	uint32_t down = c->down, asked = when.is_made ? c->bytes.n : 0, end = size_of_end(&when);
	uint32_t branch = t->micro->branch_if_zero(c, when.result);
	end_call(&when);
	begin_call(&w);
	end_call(&w);
	if (end)
		t->micro->jump(c, end);
	t->micro->land(c, branch);
	if (down)
		code_lower_stack(c, (int32_t)down);
	end_call(&when);
	*result = when.result;
	return asked;
}

void code_call(const struct target *t, struct code *c, const struct tool_call *call, int64_t id,
	regset dead)
{
	struct calling w = {.t = t, .c = c, .call = call, .dead = dead};
	struct claim claim = {.kind = CLAIM_CALL, .counter = id};
	uint32_t start = c->bytes.n, asked = 0;
	if (call->when) {
		asked = put_conditional(t, c, call, dead, &claim.reg);
	} else {
		begin_call(&w);
		end_call(&w);
	}
	claim.asked = (uint16_t)(asked ? asked - start : 0);
	code_claim(c, start, claim);
}

void code_lead(const struct target *t, struct code *c, const struct tool_call *call, int64_t id)
{
	uint32_t start = c->bytes.n;
	t->micro->lead(c, call->sym);
	code_claim(c, start, (struct claim){.kind = CLAIM_CALL, .counter = id});
}
