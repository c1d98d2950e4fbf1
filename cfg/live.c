/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.c - which registers and flags are live where blocks begin and end
 *
 * Backward data flow over all blocks of the object, for registers and flags, through calls and
 * returns, in two phases.  The first goes from callees to callers: which registers may be read
 * before the function returns (use), and which may reach its return unwritten (pass).  Before a
 * call is live what the callee uses, and what it passes of that behind the call.  The second goes
 * from callers to callees: what is live behind a call of the function is live at its returns.  So a
 * register that callers need is live throughout a function that does not write it, and throughout
 * the functions that it calls.  Any calling convention (clang's, gcc -fipa-ra, hand-written ones)
 * is found by the registers that are read.
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
#include "cfg/liveness.h"
#include "cfg/blocks.h"
#include "cfg/growing.h"
#include "cfg/live.h"
#include "cfg/opaque.h"
#include "cfg/pads.h"
#include "cfg/refs.h"
#include "base/parallel.h"
#include "targets/micro.h"

#include <stdlib.h>

/* All indirect calls and jumps together. */
struct unknown {
	regset in;	 /* used at their possible targets */
	regset ret;	 /* live where these return to */
	regset computed; /* used where a call of a computed address may lead */
};

/*
 * Functions that are due: a set of another function that they depend on has grown.  Groups of
 * them, each in the order of calls, are solved at once.
 */
struct due {
	uint8_t *is;	 /* by function */
	uint32_t *group; /* by function */
	uint32_t *next;	 /* by function: the next one in the list of its group, or NO_FUNC */
	uint32_t *first; /* by group, or NO_FUNC */
};

/* The blocks of one function; the number behind theirs stands for all targets of its tables. */
struct inside {
	uint32_t block, nblock;
	VEC(uint32_t) first; /* by block, CSR: its predecessors in pred */
	block_vec pred;
	uint32_t from;	   /* the block whose successors are being added */
	bool counted;	   /* pred is being filled; before that, its entries are counted */
	block_vec todo;	   /* worklist */
	VEC(bool) queued;  /* by block: in todo */
	struct live table; /* live at the targets of its tables */
	block_vec jump;	   /* indirect jumps: they depend on these unions over all blocks: */
	struct live taken; /* live-in of labels whose address is taken */
	regset out;	   /* live-out */
};

/* The state of one worker; the arrays are shared. */
struct liveness {
	struct cfg *g;
	const struct facts *facts;
	const uint32_t *group; /* those with functions that are due */
	struct due due;
	struct unknown *unknown;
	struct live *live_in;	 /* by block */
	const regset *any;	 /* by function: see reads_anywhere() */
	regset *seen;		 /* by function: unknown->in when it was last solved */
	bool returns;		 /* the second phase */
	struct inside in;	 /* the current function */
	const struct func *func; /* the function of the current block */
	struct live live;	 /* the block's live-out so far */
};

static void add(struct live *to, struct live by)
{
	to->use |= by.use;
	to->pass |= by.pass;
}

static void add_use(struct liveness *w, regset use)
{
	w->live.use |= use;
}

/* What is live at block b.  Nobody knows which instructions of an opaque function are executed. */
static struct live live_at(const struct liveness *w, uint32_t b)
{
	const struct live *l = &w->live_in[b];
	bool opaque = w->g->func.v[w->g->block.v[b].func].why != OPAQUE_NOT;
	return (struct live){peek(&l->use), opaque ? ~(regset)0 : peek(&l->pass)};
}

/*
 * What is live at returns whoever the caller is.  Results are, but for cfg_kept(), which asks who
 * reads them.
 */
static regset returned(const struct cfg *g)
{
	return g->target->abi.ret_live & ~(g->kept ? g->target->abi.call_clobbers : 0);
}

/*
 * What a call of unknown code may read.  For cfg_kept() these are arguments: what else compilers
 * pass they set directly in front of the call.
 */
static regset passed(const struct cfg *g)
{
	return g->target->abi.entry_live & ~(g->kept ? g->target->abi.beside_args : 0);
}

/*
 * May the code at the end of block bl know function f?  For cfg_kept() only if both are of one
 * file.
 */
static bool may_know(const struct liveness *w, const struct func *f)
{
	const struct cfg *g = w->g;
	const char *const *input = (const char *const *)g->obj->input;
	if (!g->kept || !input)
		return true;
	const char *own = input[g->text.v[w->func->text].sec->index],
		   *other = input[g->text.v[f->text].sec->index];
	return !own || !other || !strcmp(own, other);
}

/* Of what is read where control may go to f (NULL: not known): what may be meant for it. */
static regset meant(const struct liveness *w, const struct func *f, regset reads)
{
	bool all = !w->g->kept || (f && may_know(w, f));
	return all ? reads : reads & passed(w->g);
}

/* What may be kept over a call of f (NULL: not known): for cfg_kept() by what its caller knows. */
static regset survive(const struct liveness *w, const struct func *f)
{
	bool all = !w->g->kept || (f && may_know(w, f));
	return all ? ~(regset)0 : ~w->g->target->abi.call_clobbers;
}

/* The registers that are live, with those that callers of the current function need. */
static regset all_live(const struct liveness *w, struct live live)
{
	return live.use | (live.pass & (returned(w->g) | peek(&w->func->ret_live)));
}

/* The live set before insn in, given that behind it. */
regset insn_live(const struct cfg *g, const struct insn *in, regset live)
{
	if (in->flags & INSN_VAGUE)
		return ~(regset)0;
	const struct effects *e = insn_effects(in);
	live = (live & ~e->writes) | e->reads;
	return in->caught ? live | callee_saved(g->target) : live;
}

/* Function f is due.  Call it after storing the set that has grown: the list is released. */
static void set_due(const struct liveness *w, uint32_t f)
{
	uint32_t *list = &w->due.first[w->due.group[f]];
	if (__atomic_exchange_n(&w->due.is[f], 1, __ATOMIC_ACQ_REL))
		return;
	uint32_t first = __atomic_load_n(list, __ATOMIC_RELAXED);
	do
		w->due.next[f] = first;
	while (!__atomic_compare_exchange_n(list, &first, f, true, __ATOMIC_RELEASE,
		__ATOMIC_RELAXED));
}

/* The registers behind are live where f returns. */
static void need_behind(struct liveness *w, struct func *f, regset behind)
{
	behind &= ~returned(w->g);
	if (!may_know(w, f))
		return;
	if (!w->returns || !(behind & ~peek(&f->ret_live)))
		return;
	grow(&f->ret_live, behind);
	set_due(w, (uint32_t)(f - w->g->func.v));
}

/* Control continues in block b, which may be in another function: that returns to our caller. */
static void add_target(void *ctx, uint32_t b)
{
	struct liveness *w = ctx;
	struct func *f = &w->g->func.v[w->g->block.v[b].func];
	struct live in = live_at(w, b);
	add(&w->live, (struct live){meant(w, f, in.use), in.pass});
	if (f != w->func)
		need_behind(w, f, peek(&w->func->ret_live));
}

/* Indirect calls and jumps may return to where the registers behind are live. */
static void need_anywhere(struct liveness *w, regset behind)
{
	if (w->returns && !w->g->kept)
		grow(&w->unknown->ret, behind & ~w->g->target->abi.ret_live);
}

/* Control leaves the function by a tail call to code outside the object. */
static void add_leaving(struct liveness *w)
{
	add(&w->live, (struct live){passed(w->g) | returned(w->g), ~(regset)0});
}

/* The same, or to a function of the object whose address is taken. */
static void add_unknown(struct liveness *w)
{
	add_leaving(w);
	add_use(w, meant(w, NULL, peek(&w->unknown->in)));
	need_anywhere(w, peek(&w->func->ret_live));
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

/* A call of block bl->target.  If it is within the function, it may pop its return address. */
static void add_known_call(struct liveness *w, const struct block *bl, struct live behind)
{
	struct cfg *g = w->g;
	const struct target *t = g->target;
	struct func *f = &g->func.v[g->block.v[bl->target].func];
	struct live in = live_at(w, bl->target);
	add_use(w,
		meant(w, f, in.use) |
			(bl->elsewhere ? passed(g) : t->abi.ret_live & ~t->abi.call_clobbers));
	if (bl->elsewhere)
		in.pass = survive(w, NULL);
	in.pass &= survive(w, f);
	add(&w->live, (struct live){in.pass & behind.use, in.pass & behind.pass});
	if (f == w->func && bl->target != f->block)
		add(&w->live, in);
	need_behind(w, f, all_live(w, behind));
}

/* What is read where the call at the end of bl leads: to a computed address, or to no block. */
static regset reads_astray(const struct liveness *w, const struct block *bl)
{
	const struct insn *last = &w->g->insn.v[bl->insn + bl->ninsn - 1];
	return last->kind == INSN_CALL_IND ? peek(&w->unknown->computed) : ~(regset)0;
}

/* hazard: argument of the profiler.  gcc -pg passes the return address in a register of its own. */
static regset read_by_profiler(const struct cfg *g, const struct block *bl)
{
	const struct symbol *s = g->target->abi.profiler ? named_at_end(g, bl) : NULL;
	return s && !strcmp(s->name, g->target->abi.profiler) ? g->target->abi.profiler_reads : 0;
}

/* The call at the end of block bl; behind: what is live behind it. */
static void add_call(struct liveness *w, const struct block *bl, struct live behind)
{
	if (bl->target != NO_BLOCK) {
		add_known_call(w, bl, behind);
		return;
	}
	regset pass = survive(w, NULL);
	add(&w->live, (struct live){pass & behind.use, pass & behind.pass});
	add_use(w, passed(w->g) | read_by_profiler(w->g, bl));
	if (bl->chosen || bl->astray) {
		add_use(w, meant(w, NULL, peek(&w->unknown->in)));
		add_use(w, bl->astray ? reads_astray(w, bl) : 0);
		need_anywhere(w, all_live(w, behind));
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
	const struct insn *in = &g->insn.v[i];
	struct live live = live_at(w, behind);
	add(&w->live,
		(struct live){insn_live(g, in, live.use), live.pass & ~insn_effects(in)->writes});
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
		add_use(w, ~(regset)0);
	add_use(w, g->target->abi.ret_live);
}

/*
 * May the indirect jump that ends block bl lead to each instruction of its function, or of a
 * section that cannot be moved apart?  Not if the function is opaque only because others lead to
 * computed addresses in it: cfg/jumps.c has found where its own jumps lead.
 */
static bool jumps_anywhere(const struct func *f, const struct block *bl)
{
	bool others = f->why == OPAQUE_JUMP || f->why == OPAQUE_HELD;
	return f->why != OPAQUE_NOT && !(others && f->is_code && !bl->computed);
}

static struct live live_out(struct liveness *w, const struct block *bl)
{
	struct cfg *g = w->g;
	const struct func *f = &g->func.v[bl->func];
	struct live fall;
	w->func = f;
	w->live = (struct live){0};
	if (bl->astray && bl->end != END_CALL && !add_split(w, bl)) {
		need_anywhere(w, peek(&f->ret_live));
		return (struct live){.use = ~(regset)0};
	}
	if (bl->gap)
		add_padding(w, bl);
	else if (bl->end == END_SYSCALL && bl->ends)
		return (struct live){0};
	else if (block_falls_into_gap(g, bl))
		add_padding(w, &g->block.v[bl->fall]);
	else if (bl->fall != NO_BLOCK && !bl->ends)
		add_target(w, bl->fall);
	else if (is_unknown_behind(g, bl) || (block_continues(bl) && bl->end != END_CALL))
		add_use(w, ~(regset)0);
	if (bl->gap)
		return w->live;
	fall = w->live;
	if (bl->astray && bl->end != END_CALL)
		return fall; /* with what is live at its target */
	w->live = (struct live){0};
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
		if (jumps_anywhere(f, bl))
			add(&w->live, (struct live){w->any[bl->func] | w->in.out, ~(regset)0});
		if (bl->end == END_TABLE)
			add(&w->live, w->in.table);
		if (bl->end == END_LEAVE || f->why != OPAQUE_NOT)
			add_unknown(w);
		add(&w->live, w->in.taken);
		add_use(w, passed(g));
		break;
	case END_RET:
		w->live = (struct live){returned(g), ~(regset)0};
		if (w->facts->traits[bl->func] & TRAIT_ODD) {
			add_unknown(w);
			add_use(w, peek(&w->unknown->computed));
		}
		break;
	case END_TRAP: add_use(w, returned(g)); break;
	}
	return w->live;
}

/* The live-in of block b has grown; more: the registers that it uses now. */
static void tell_watchers(struct liveness *w, uint32_t b, regset more)
{
	const struct facts *k = w->facts;
	for (uint32_t i = k->first[b]; i < k->first[b + 1]; i++)
		set_due(w, k->watch[i].func);
	if (w->g->block.v[b].open)
		grow(&w->unknown->in, more);
	if (w->facts->traits[w->g->block.v[b].func] & TRAIT_COMPUTED)
		grow(&w->unknown->computed, more);
}

/*
 * Is f nothing but no-ops, as those of a .balign to which RISC-V's assembler gives a symbol?  They
 * lead to the function behind them.
 */
static bool is_padding(const struct cfg *g, const struct func *f)
{
	const struct code_section *t = &g->text.v[f->text];
	uint32_t i = cfg_insn_at(g, t, f->start), end = t->insn + t->ninsn;
	while (i < end && g->insn.v[i].off < f->end && g->insn.v[i].kind == INSN_NOP)
		i++;
	return i < end && g->insn.v[i].off == f->end;
}

/* All that instructions of f read. */
static regset reads(const struct cfg *g, const struct func *f)
{
	bool clear = f->why == OPAQUE_NOT || is_padding(g, f) || f->why == OPAQUE_JUMP ||
		f->why == OPAQUE_HELD;
	regset any = f->why == OPAQUE_UNDECODED || (f->lump && !clear) ? ~(regset)0 : 0;
	for (uint32_t b = f->block; b < f->block + f->nblock && ~any; b++)
		for (uint32_t i = g->block.v[b].insn, n = g->block.v[b].ninsn; n--; i++)
			any |= insn_live(g, &g->insn.v[i], 0);
	return any;
}

/*
 * By function: all that is read where its jumps may lead if it is opaque.  That is to each of its
 * instructions, and to those of the functions that are in one piece with it.
 */
static regset *reads_anywhere(const struct cfg *g)
{
	regset *any = arena_array(g->arena, regset, g->func.n + 1);
	for (uint32_t f = 0, end; f < g->func.n; f = end) {
		regset all = 0;
		for (end = f; end == f || (end < g->func.n && g->func.v[end].tied); end++)
			if (g->func.v[end].why != OPAQUE_NOT)
				all |= reads(g, &g->func.v[end]);
		for (uint32_t k = f; k < end; k++)
			any[k] = all;
	}
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
	in->taken = (struct live){0};
	in->out = 0;
	vec_reserve(&in->queued, f->nblock);
	memset(in->queued.v, 0, f->nblock * sizeof *in->queued.v);
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->end == END_TABLE || bl->end == END_LEAVE)
			vec_push(&in->jump, b);
		if (is_taken(g, f, b))
			add(&in->taken, live_at(w, b));
		in->out |= bl->live_out;
		look_again(in, b);
		loops |= bl->astray || bl->target - f->block <= b - f->block;
	}
	if (!w->returns)
		inside_preds(g, in, loops);
	w->func = f;
	w->live = (struct live){0};
	for (uint32_t i = f->by_table; i < f->by_table + f->nby_table; i++)
		add_target(w, g->by_table.v[i]);
	in->table = w->live;
}

static bool grows(struct live a, struct live by)
{
	return (by.use & ~a.use) | (by.pass & ~a.pass);
}

/* The live-in of block k of the function has grown by in: queue its predecessors. */
static void tell_block(struct inside *s, uint32_t k, struct live in)
{
	bool table = false;
	for (uint32_t i = s->first.v[k]; i < s->first.v[k + 1]; i++)
		if (s->pred.v[i] - s->block < s->nblock)
			look_again(s, s->pred.v[i]);
		else
			table = grows(s->table, in);
	if (!table)
		return;
	add(&s->table, in);
	tell_block(s, s->nblock, in);
}

/* Live-in and live-out of block b have grown by in and out. */
static void tell_preds(struct liveness *w, const struct func *f, uint32_t b, struct live in,
	regset out)
{
	struct inside *s = &w->in;
	bool taken = is_taken(w->g, f, b) && grows(s->taken, in);
	bool any = f->why != OPAQUE_NOT && (out & ~s->out);
	if (in.use | in.pass)
		tell_block(s, b - s->block, in);
	for (size_t i = 0; (taken || any) && i < s->jump.n; i++)
		look_again(s, s->jump.v[i]);
	if (taken)
		add(&s->taken, in);
	if (any)
		s->out |= out;
}

/* First phase: solve f, with the present sets of other functions. */
static void func_liveness(struct liveness *w, const struct func *f)
{
	struct cfg *g = w->g;
	const struct effect *effect = w->facts->effect;
	w->seen[f - g->func.v] = peek(&w->unknown->in);
	enter_func(w, f);
	while (w->in.todo.n) {
		uint32_t b = w->in.todo.v[--w->in.todo.n];
		struct block *bl = &g->block.v[b];
		struct live *set = &w->live_in[b];
		w->in.queued.v[b - f->block] = false;
		struct live out = live_out(w, bl);
		regset in = effect[b].gen | (out.use & ~effect[b].kill);
		regset pass = out.pass & ~(effect[b].kill | effect[b].gen);
		if (in == set->use && pass == set->pass && out.use == bl->live_out)
			continue;
		struct live more = {in & ~set->use, pass & ~set->pass};
		regset more_out = out.use & ~bl->live_out;
		put(&set->use, in);
		put(&set->pass, pass);
		bl->live_out = out.use;
		if (more.use | more.pass)
			tell_watchers(w, b, more.use);
		tell_preds(w, f, b, more, more_out);
	}
}

/* Landing pads in other functions return for f. */
static void tell_pads(struct liveness *w, const struct func *f)
{
	const struct cfg *g = w->g;
	size_t i, end = pads_of(g, (uint32_t)(f - g->func.v), &i);
	for (; i < end; i++)
		need_behind(w, &w->g->func.v[g->pad.v[i].pad_func], peek(&f->ret_live));
}

/* Second phase: what is live where f and the functions that it calls return. */
static void func_returns(struct liveness *w, struct func *f)
{
	struct cfg *g = w->g;
	if (w->facts->traits[f - g->func.v] & TRAIT_OPEN)
		grow(&f->ret_live, peek(&w->unknown->ret) & ~returned(g));
	enter_func(w, f);
	tell_pads(w, f);
	while (w->in.todo.n) {
		uint32_t b = w->in.todo.v[--w->in.todo.n];
		struct block *bl = &g->block.v[b];
		struct live out = live_out(w, bl);
		bl->live_out = all_live(w, out);
		bl->live_in = all_live(w, w->live_in[b]);
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

static void group_liveness(void *ctx, size_t k, unsigned worker)
{
	struct liveness *w = (struct liveness *)ctx + worker;
	uint32_t f, next, *list = &w->due.first[w->group[k]];
	while ((f = __atomic_exchange_n(list, NO_FUNC, __ATOMIC_ACQUIRE)) != NO_FUNC)
		for (; f != NO_FUNC; f = next) {
			next = w->due.next[f];
			__atomic_exchange_n(&w->due.is[f], 0, __ATOMIC_ACQ_REL);
			struct func *fn = &w->g->func.v[f];
			if (!fn->nblock)
				continue;
			if (w->returns)
				func_returns(w, fn);
			else
				func_liveness(w, fn);
		}
}

/* If the sets of indirect calls have grown since *last, functions that depend on them are due. */
static void tell_unknown(struct liveness *w, struct unknown *last)
{
	struct unknown now = *w->unknown;
	struct cfg *g = w->g;
	bool in = now.in & ~last->in, computed = now.computed & ~last->computed,
	     ret = now.ret & ~last->ret;
	for (uint32_t f = 0; f < g->func.n && (in || computed || ret); f++) {
		if (w->facts->traits[f] & TRAIT_LEAVES && (computed || now.in & ~w->seen[f]))
			set_due(w, f);
		if (ret && w->facts->traits[f] & TRAIT_OPEN)
			need_behind(w, &g->func.v[f], now.ret);
	}
	*last = now;
}

/*
 * One phase for all functions, until none is due.  w: by worker; order: callees before callers.
 * Sets grow from callees to callers, then from callers to callees: by order, few functions are
 * solved twice.  The list of a group begins with what was added last.  Opaque functions are first:
 * what they may read, all functions with indirect calls may.
 */
static void solve(struct liveness *w, const uint32_t *order, uint32_t *group, bool returns)
{
	uint32_t funcs = (uint32_t)w->g->func.n, groups = (uint32_t)w->g->part.n - 1;
	size_t n;
	for (unsigned i = 0; i < parallel_workers(); i++)
		w[i].returns = returns;
	for (uint32_t i = 0; i < funcs; i++)
		set_due(w, order[returns ? i : funcs - 1 - i]);
	for (uint32_t f = 0; f < funcs && !returns; f++)
		if (w->g->func.v[f].why != OPAQUE_NOT)
			func_liveness(w, &w->g->func.v[f]);
	struct unknown last = {.in = w->unknown->in, .computed = w->unknown->computed};
	do {
		n = 0;
		for (uint32_t i = 0; i < groups; i++) {
			uint32_t k = returns ? groups - 1 - i : i;
			if (w->due.first[k] != NO_FUNC)
				group[n++] = k;
		}
		parallel(n, group_liveness, w);
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

/* After both phases without results: what reaches a return unwritten is live there by a reader. */
static regset kept_by(const struct cfg *g, const struct func *f, const struct live *live_in)
{
	const struct target *t = g->target;
	if (!f->nblock)
		return 0;
	struct live in = live_in[f->block];
	regset pass = f->why != OPAQUE_NOT ? ~(regset)0 : in.pass;
	regset kept = (in.use & ~t->abi.entry_live) | (f->ret_live & (pass | ~t->abi.ret_live));
	regset by_call = t->no_scratch | t->reserved | t->micro->enter_changes | REGSET_FLAGS;
	return kept & t->abi.call_clobbers & ~by_call;
}

void cfg_liveness(struct cfg *g, bool shared)
{
	size_t parts = g->part.n - 1;
	struct liveness *w = arena_array(g->arena, struct liveness, parallel_workers());
	struct due due = {.is = arena_array(g->arena, uint8_t, g->func.n + 1),
		.next = arena_array(g->arena, uint32_t, g->func.n + 1),
		.first = arena_array(g->arena, uint32_t, parts + 1)};
	uint32_t *group = arena_array(g->arena, uint32_t, parts + 1);
	struct facts facts;
	struct unknown unknown = {.ret = g->kept ? 0 : g->target->abi.ret_more};
	g->has_liveness = true;
	if (!parts)
		return;
	struct live *live_in = calloc(g->block.n + 1, sizeof *live_in);
	if (!live_in)
		fatal("out of memory");
	live_facts(g, shared, &facts);
	const uint32_t *order = live_order(g, &facts);
	due.group = live_groups(g, order);
	unknown.in = facts.read;
	if (facts.unsure)
		unknown.ret = ~(regset)0;
	for (uint32_t f = 0; f < g->func.n; f++)
		if (facts.traits[f] & TRAIT_COMPUTED)
			unknown.computed |= reads(g, &g->func.v[f]);
	const regset *any = reads_anywhere(g);
	regset *seen = arena_array(g->arena, regset, g->func.n + 1);
	memset(due.first, 0xff, parts * sizeof *due.first);
	for (unsigned i = 0; i < parallel_workers(); i++)
		w[i] = (struct liveness){.g = g,
			.facts = &facts,
			.due = due,
			.group = group,
			.unknown = &unknown,
			.live_in = live_in,
			.any = any,
			.seen = seen};
	solve(w, order, group, false);
	solve(w, order, group, true);
	for (uint32_t f = 0; g->kept && f < g->func.n; f++)
		g->kept[f] = kept_by(g, &g->func.v[f], live_in);
	if (g->stated && !g->kept)
		state_liveness(g, live_in);
	free(live_in);
	for (size_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].why != OPAQUE_NOT)
			close_opaque(facts.effect, g, &g->func.v[f]);
	live_facts_free(&facts);
	workers_free(w);
}
