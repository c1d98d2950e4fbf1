/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.c - which registers and flags are live where blocks begin and end
 *
 * Backward data flow over all blocks of the object, for registers and flags, through calls and
 * returns.  The live-in of a function is live before each call of it, and what is live behind a
 * call of the function is live at its returns.  So a register that callers need is live throughout
 * a function that does not write it, and throughout the functions that it calls.  Any calling
 * convention (clang's, gcc -fipa-ra, hand-written ones) is found by the registers that are read.
 *
 * Indirect calls and jumps may lead to every function whose address is taken or exported, and to
 * code outside the object, which is assumed to pass, preserve and return registers as the psABI
 * says.  A label in the middle of a function with indirect jumps is assumed to be a target of
 * these.  Opaque functions are analysed too: their jumps may lead to each of their instructions or
 * to any address, and bytes that do not decode may read every register.
 *
 * The result is the least fixpoint, so it does not depend on the order in which threads work.
 *
 * hazard: register kept over a call.  gcc -fipa-ra keeps a register over calls of functions
 * that leave it alone, over several levels.
 *
 * hazard: foreign calling convention.  swiftcall, regcall, preserve_most, ms_abi and
 * assembly pass values, and flags, in registers that the psABI calls free.
 */
#include "cfg/live.h"
#include "base/parallel.h"

#include <stdlib.h>

/* All indirect calls and jumps together. */
struct unknown {
	regset in;  /* live at their possible targets */
	regset ret; /* live where these return to */
};

/* Functions that are due: a set of another function that they depend on has grown. */
struct due {
	uint8_t *is;	 /* by function */
	uint32_t *next;	 /* by function: the next one in the list of its part, or NO_FUNC */
	uint32_t *first; /* by part, or NO_FUNC */
};

/* The blocks of one function; the number behind theirs stands for all targets of its tables. */
struct inside {
	uint32_t block, nblock;
	VEC(uint32_t) first; /* by block, CSR: its predecessors in pred */
	block_vec pred;
	uint32_t from;	  /* the block whose successors are being added */
	bool counted;	  /* pred is being filled; before that, its entries are counted */
	block_vec todo;	  /* worklist */
	VEC(bool) queued; /* by block: in todo */
	regset table;	  /* live at the targets of its tables */
	block_vec jump;	  /* indirect jumps: they depend on these unions over all blocks: */
	regset taken;	  /* live-in of labels whose address is taken */
	regset out;	  /* live-out */
};

/* The state of one worker; the arrays are shared. */
struct liveness {
	struct cfg *g;
	const struct facts *facts;
	const uint32_t *part; /* the parts with functions that are due */
	struct due due;
	struct unknown *unknown;
	struct inside in;	 /* the current function */
	regset any;		 /* registers it may read, if it is opaque */
	const struct func *func; /* the function of the current block */
	regset live;		 /* the block's live-out so far */
};

/*
 * Threads read each other's sets while these grow.  A function that has read a set too early is
 * due again when the set has grown.
 */
static regset peek(const regset *set)
{
	return __atomic_load_n(set, __ATOMIC_RELAXED);
}

static void grow(regset *set, regset by)
{
	if (by & ~peek(set))
		__atomic_fetch_or(set, by, __ATOMIC_RELAXED);
}

/* The live set before insn in, given that behind it. */
regset insn_live(const struct cfg *g, const struct insn *in, regset live)
{
	if (in->flags & INSN_VAGUE)
		return ~(regset)0;
	const struct effects *e = insn_effects(in);
	live = (live & ~e->writes) | e->reads;
	return in->caught ? live | kept_by_unwinding(g->target) : live;
}

/* Function f is due.  Call it after storing the set that has grown: the list is released. */
static void set_due(const struct liveness *w, uint32_t f)
{
	const struct cfg *g = w->g;
	uint32_t part, first;
	if (__atomic_exchange_n(&w->due.is[f], 1, __ATOMIC_ACQ_REL))
		return;
	BISECT(part, 0, (uint32_t)g->part.n, g->part.v[part] <= g->func.v[f].text);
	uint32_t *list = &w->due.first[part - 1];
	first = __atomic_load_n(list, __ATOMIC_RELAXED);
	do
		w->due.next[f] = first;
	while (!__atomic_compare_exchange_n(list, &first, f, true, __ATOMIC_RELEASE,
		__ATOMIC_RELAXED));
}

/* The registers behind are live where f returns. */
static void need_behind(struct liveness *w, struct func *f, regset behind)
{
	behind &= ~w->g->target->ret_live;
	if (!(behind & ~peek(&f->ret_live)))
		return;
	__atomic_fetch_or(&f->ret_live, behind, __ATOMIC_RELAXED);
	set_due(w, (uint32_t)(f - w->g->func.v));
}

/* Control continues in block b, which may be in another function: that returns to our caller. */
static void add_target(void *ctx, uint32_t b)
{
	struct liveness *w = ctx;
	struct func *f = &w->g->func.v[w->g->block.v[b].func];
	w->live |= peek(&w->g->block.v[b].live_in);
	if (f != w->func)
		need_behind(w, f, peek(&w->func->ret_live));
}

/* Control leaves the function by a tail call to code outside the object. */
static void add_leaving(struct liveness *w)
{
	const struct target *t = w->g->target;
	w->live |= t->entry_live | t->ret_live | peek(&w->func->ret_live);
}

/* The same, or to a function of the object whose address is taken. */
static void add_unknown(struct liveness *w)
{
	add_leaving(w);
	w->live |= peek(&w->unknown->in);
	grow(&w->unknown->ret, peek(&w->func->ret_live));
}

/* The branch at the end of block bl. */
static void add_branch(struct liveness *w, const struct block *bl)
{
	if (bl->target != NO_BLOCK)
		add_target(w, bl->target);
	if (bl->chosen)
		add_unknown(w);
	else if (bl->target == NO_BLOCK || bl->elsewhere)
		add_leaving(w);
}

/* The call at the end of block bl; behind: what is live behind it. */
static void add_call(struct liveness *w, const struct block *bl, regset behind)
{
	struct cfg *g = w->g;
	const struct target *t = g->target;
	w->live |= t->entry_live | behind;
	if (bl->target != NO_BLOCK) {
		w->live |= peek(&g->block.v[bl->target].live_in);
		need_behind(w, &g->func.v[g->block.v[bl->target].func], behind);
	} else if (bl->chosen || bl->astray) {
		w->live |= bl->astray ? ~(regset)0 : peek(&w->unknown->in);
		grow(&w->unknown->ret, behind & ~t->ret_live);
	}
}

/*
 * If block bl branches behind the lock prefix of an instruction: the block that follows that
 * instruction, which is *insn; else NO_BLOCK.
 */
static uint32_t split_target(const struct cfg *g, const struct block *bl, uint32_t *insn)
{
	const struct code_section *c = &g->text.v[g->func.v[bl->func].text];
	struct ref r;
	if (!bl->astray || bl->end == END_CALL || !cfg_ref(g, c, bl->insn + bl->ninsn - 1, &r) ||
		r.sec != c->sec->index)
		return NO_BLOCK;
	uint32_t i = *insn = cfg_insn_at(g, c, r.off);
	uint32_t behind = i == UINT32_MAX ? NO_BLOCK : cfg_block_at(g, c, insn_end(&g->insn.v[i]));
	if (behind == NO_BLOCK || !(g->insn.v[i].flags & INSN_LOCK_SPLIT) ||
		r.off != g->insn.v[i].off + 1u || g->block.v[behind].func != bl->func)
		return NO_BLOCK;
	return behind;
}

static bool add_split(struct liveness *w, const struct block *bl)
{
	const struct cfg *g = w->g;
	uint32_t i, behind = split_target(g, bl, &i);
	if (behind == NO_BLOCK)
		return false;
	w->live |= insn_live(g, &g->insn.v[i], g->block.v[behind].live_in);
	return true;
}

/* Padding may fall through to the next block, or to what is behind the section. */
static void add_padding(struct liveness *w, const struct block *bl)
{
	struct cfg *g = w->g;
	const struct code_section *c = &g->text.v[w->func->text];
	uint32_t next = (uint32_t)(bl - g->block.v) + 1;
	if (next < c->block + c->nblock &&
		g->insn.v[g->block.v[next].insn].off ==
			insn_end(&g->insn.v[bl->insn + bl->ninsn - 1]))
		add_target(w, next);
	else
		w->live = ~(regset)0;
	w->live |= g->target->ret_live;
}

static regset live_out(struct liveness *w, const struct block *bl)
{
	struct cfg *g = w->g;
	const struct target *t = g->target;
	const struct func *f = &g->func.v[bl->func];
	regset fall = 0;
	w->func = f;
	w->live = 0;
	if (bl->astray && bl->end != END_CALL && !add_split(w, bl)) {
		grow(&w->unknown->ret, peek(&f->ret_live));
		return ~(regset)0;
	}
	if (bl->gap)
		add_padding(w, bl);
	else if (block_falls_into_gap(g, bl))
		add_padding(w, &g->block.v[bl->fall]);
	else if (bl->fall != NO_BLOCK && !bl->ends)
		add_target(w, bl->fall);
	else if (is_unknown_behind(g, bl) || (block_continues(bl) && bl->end != END_CALL))
		w->live = ~(regset)0;
	if (bl->gap)
		return w->live;
	fall = w->live;
	if (bl->astray && bl->end != END_CALL)
		return fall; /* with what is live at its target */
	w->live = 0;
	switch ((enum block_end)bl->end) {
	case END_FALL:
	case END_SYSCALL: w->live = fall; break;
	case END_JUMP:
	case END_BRANCH:
		w->live = fall;
		add_branch(w, bl);
		break;
	case END_CALL: add_call(w, bl, fall); break;
	case END_TABLE:
	case END_LEAVE:
		/* an opaque function may jump to any of its instructions */
		if (f->why != OPAQUE_NOT)
			w->live |= w->any | w->in.out;
		if (bl->end == END_TABLE)
			w->live |= w->in.table;
		if (bl->end == END_LEAVE || bl->chosen || f->why != OPAQUE_NOT)
			add_unknown(w);
		w->live |= w->in.taken | t->entry_live;
		break;
	case END_RET:
		w->live = t->ret_live | peek(&f->ret_live);
		if (w->facts->traits[bl->func] & TRAIT_ODD)
			add_unknown(w);
		break;
	case END_TRAP: w->live = t->ret_live; break;
	}
	return w->live;
}

/* The live-in of block b has grown by more. */
static void tell_watchers(struct liveness *w, uint32_t b, regset more)
{
	const struct facts *k = w->facts;
	for (uint32_t i = k->first[b]; i < k->first[b + 1]; i++)
		set_due(w, k->watch[i].func);
	if (w->g->block.v[b].open)
		grow(&w->unknown->in, more);
}

/* All that instructions of f read, if it is opaque: its jumps may lead to each of them. */
static regset reads_anywhere(const struct cfg *g, const struct func *f)
{
	regset any = f->why == OPAQUE_UNDECODED || g->text.v[f->text].frozen ? ~(regset)0 : 0;
	uint32_t end = f->block + f->nblock;
	for (uint32_t b = f->block; b < end && f->why != OPAQUE_NOT && ~any; b++)
		for (uint32_t i = g->block.v[b].insn, n = g->block.v[b].ninsn; n--; i++)
			any |= insn_live(g, &g->insn.v[i], 0);
	return any;
}

/* The live-out of block in->from depends on the live-in of b. */
static void note_pred(struct inside *in, uint32_t b)
{
	uint32_t *at = &in->first.v[b - in->block];
	if (in->counted)
		in->pred.v[--*at] = in->from;
	else
		++*at;
}

static void note_inner(struct inside *in, uint32_t b)
{
	if (b - in->block < in->nblock)
		note_pred(in, b);
}

/* All blocks of the function that live_out() depends on, except for the unions. */
static void note_preds(const struct cfg *g, struct inside *in, bool counted)
{
	const struct func *f = &g->func.v[g->block.v[in->block].func];
	uint32_t tables = in->block + in->nblock;
	in->counted = counted;
	in->from = tables;
	for (uint32_t i = f->by_table; i < f->by_table + f->nby_table; i++)
		note_inner(in, g->by_table.v[i]);
	for (uint32_t b = in->block; b < in->block + in->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		uint32_t insn;
		in->from = b;
		note_inner(in, bl->gap ? b + 1 : bl->fall);
		note_inner(in, bl->target);
		if (bl->astray)
			note_inner(in, split_target(g, bl, &insn));
		if (bl->end == END_TABLE)
			note_pred(in, tables);
	}
}

/* Without loops no block need be visited twice: its successors are visited before it. */
static void inside_preds(const struct cfg *g, struct inside *in, bool loops)
{
	uint32_t n = in->nblock + 1, sum = 0;
	vec_reserve(&in->first, n + 1);
	memset(in->first.v, 0, (n + 1) * sizeof *in->first.v);
	if (!loops)
		return;
	note_preds(g, in, false);
	for (uint32_t k = 0; k <= n; k++)
		in->first.v[k] = sum += in->first.v[k];
	vec_reserve(&in->pred, sum + 1);
	note_preds(g, in, true);
}

static void look_again(struct inside *in, uint32_t b)
{
	if (in->queued.v[b - in->block])
		return;
	in->queued.v[b - in->block] = true;
	vec_push(&in->todo, b);
}

static bool is_taken(const struct cfg *g, const struct func *f, uint32_t b)
{
	return set_has(g->text.v[f->text].taken, g->insn.v[g->block.v[b].insn].off);
}

/* Start with all blocks of f in the worklist, the last one on top. */
static void enter_func(struct liveness *w, const struct func *f)
{
	const struct cfg *g = w->g;
	struct inside *in = &w->in;
	bool loops = f->nby_table;
	in->block = f->block;
	in->nblock = f->nblock;
	in->jump.n = 0;
	in->taken = in->out = 0;
	vec_reserve(&in->queued, f->nblock);
	memset(in->queued.v, 0, f->nblock * sizeof *in->queued.v);
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->end == END_TABLE || bl->end == END_LEAVE)
			vec_push(&in->jump, b);
		if (is_taken(g, f, b))
			in->taken |= bl->live_in;
		in->out |= bl->live_out;
		look_again(in, b);
		loops |= bl->astray || bl->target - f->block <= b - f->block;
	}
	inside_preds(g, in, loops);
	w->func = f;
	w->live = 0;
	for (uint32_t i = f->by_table; i < f->by_table + f->nby_table; i++)
		add_target(w, g->by_table.v[i]);
	in->table = w->live;
}

/* The live-in of block k of the function has grown by in: queue its predecessors. */
static void tell_block(struct inside *s, uint32_t k, regset in)
{
	bool table = false;
	for (uint32_t i = s->first.v[k]; in && i < s->first.v[k + 1]; i++)
		if (s->pred.v[i] - s->block < s->nblock)
			look_again(s, s->pred.v[i]);
		else
			table = in & ~s->table;
	if (!table)
		return;
	s->table |= in;
	tell_block(s, s->nblock, in);
}

/* Live-in and live-out of block b have grown by in and out. */
static void tell_preds(struct liveness *w, const struct func *f, uint32_t b, regset in, regset out)
{
	struct inside *s = &w->in;
	regset taken = in && is_taken(w->g, f, b) ? s->taken | in : s->taken;
	regset any = f->why == OPAQUE_NOT ? s->out : s->out | out;
	tell_block(s, b - s->block, in);
	for (size_t i = 0; (taken != s->taken || any != s->out) && i < s->jump.n; i++)
		look_again(s, s->jump.v[i]);
	s->taken = taken;
	s->out = any;
}

/* Solve f, with the present sets of other functions. */
static void func_liveness(struct liveness *w, const struct func *f)
{
	struct cfg *g = w->g;
	const struct effect *effect = w->facts->effect;
	if (!f->nblock)
		return;
	w->any = reads_anywhere(g, f);
	enter_func(w, f);
	while (w->in.todo.n) {
		uint32_t b = w->in.todo.v[--w->in.todo.n];
		struct block *bl = &g->block.v[b];
		w->in.queued.v[b - f->block] = false;
		regset out = live_out(w, bl);
		regset in = effect[b].gen | (out & ~effect[b].kill);
		if (in == bl->live_in && out == bl->live_out)
			continue;
		regset more = in & ~bl->live_in, more_out = out & ~bl->live_out;
		__atomic_store_n(&bl->live_in, in, __ATOMIC_RELAXED);
		bl->live_out = out;
		if (more)
			tell_watchers(w, b, more);
		tell_preds(w, f, b, more, more_out);
	}
}

/* After the solution: assume that every register is live in opaque function f. */
static void close_opaque(const struct effect *effect, struct cfg *g, const struct func *f)
{
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		struct block *bl = &g->block.v[b];
		bl->live_out = ~(regset)0;
		bl->live_in = effect[b].gen | ~effect[b].kill;
	}
}

static void part_liveness(void *ctx, size_t k, unsigned worker)
{
	struct liveness *w = (struct liveness *)ctx + worker;
	uint32_t f, next, *list = &w->due.first[w->part[k]];
	while ((f = __atomic_exchange_n(list, NO_FUNC, __ATOMIC_ACQUIRE)) != NO_FUNC)
		for (; f != NO_FUNC; f = next) {
			next = w->due.next[f];
			__atomic_exchange_n(&w->due.is[f], 0, __ATOMIC_ACQ_REL);
			func_liveness(w, &w->g->func.v[f]);
		}
}

/* If the sets of indirect calls have grown since *last, functions that depend on them are due. */
static void tell_unknown(struct liveness *w, struct unknown *last)
{
	struct unknown now = *w->unknown;
	struct cfg *g = w->g;
	bool in = now.in & ~last->in, ret = now.ret & ~last->ret;
	for (uint32_t f = 0; f < g->func.n && (in || ret); f++) {
		if (in && w->facts->traits[f] & TRAIT_LEAVES)
			set_due(w, f);
		if (ret && w->facts->traits[f] & TRAIT_OPEN)
			need_behind(w, &g->func.v[f], now.ret);
	}
	*last = now;
}

/* Repeat until no function is due.  w: by worker. */
static void solve(struct liveness *w, uint32_t *part)
{
	size_t parts = w->g->part.n - 1, n;
	struct unknown last = {0};
	do {
		n = 0;
		for (uint32_t k = 0; k < parts; k++)
			if (w->due.first[k] != NO_FUNC)
				part[n++] = k;
		parallel(n, part_liveness, w);
		tell_unknown(w, &last);
	} while (n);
}

static void workers_free(struct liveness *w)
{
	for (unsigned i = 0; i < parallel_workers(); i++) {
		vec_free(&w[i].in.first);
		vec_free(&w[i].in.pred);
		vec_free(&w[i].in.todo);
		vec_free(&w[i].in.queued);
		vec_free(&w[i].in.jump);
	}
}

void cfg_liveness(struct cfg *g, bool shared)
{
	size_t parts = g->part.n - 1;
	struct liveness *w = arena_array(g->arena, struct liveness, parallel_workers());
	struct due due = {.is = arena_array(g->arena, uint8_t, g->func.n + 1),
		.next = arena_array(g->arena, uint32_t, g->func.n + 1),
		.first = arena_array(g->arena, uint32_t, parts + 1)};
	uint32_t *part = arena_array(g->arena, uint32_t, parts + 1);
	struct facts facts;
	struct unknown unknown = {0};
	g->has_liveness = true;
	if (!parts)
		return;
	live_facts(g, shared, &facts);
	if (facts.unsure)
		unknown.ret = ~(regset)0;
	memset(due.first, 0xff, parts * sizeof *due.first);
	for (unsigned i = 0; i < parallel_workers(); i++)
		w[i] = (struct liveness){.g = g,
			.facts = &facts,
			.due = due,
			.part = part,
			.unknown = &unknown};
	for (uint32_t f = 0; f < g->func.n; f++)
		set_due(w, f);
	solve(w, part);
	for (size_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].why != OPAQUE_NOT)
			close_opaque(facts.effect, g, &g->func.v[f]);
	live_facts_free(&facts);
	workers_free(w);
}

/*
 * Registers in which no calling convention passes anything, to or from a function.  Code that
 * relies on them knows the function (-fipa-ra), and is in the object.
 */
static regset never_passed(const struct target *t)
{
	return t->call_clobbers & ~(t->entry_live | t->ret_live | t->no_scratch | REGSET_FLAGS);
}

/* May f be a label that is jumped to by its address, not a function that is called? */
static bool is_jumped_to(const struct cfg *g, const struct func *f)
{
	return !is_function_symbol(g, f) && set_has(g->text.v[f->text].taken, f->start);
}

regset cfg_scratch(const struct cfg *g, const struct func *f, regset live)
{
	regset usable = f->written | (is_jumped_to(g, f) ? 0 : never_passed(g->target));
	regset never = g->target->no_scratch | g->target->reserved;
	return ((usable & ~never) | REGSET_FLAGS) & ~live;
}
