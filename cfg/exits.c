/* SPDX-License-Identifier: Apache-2.0 */
/* exits.c - where control leaves a function; see exits.h */
#include "cfg/calls.h"
#include "cfg/exits.h"
#include "cfg/refs.h"
#include "program/library.h"

const char *const exit_text[EXIT_KINDS] = {
	[EXIT_RETURN] = "returns",
	[EXIT_JUMP] = "jumps",
	[EXIT_BRANCH] = "branches",
	[EXIT_INDIRECT] = "jumps to an address",
	[EXIT_FALL] = "falls out",
	[EXIT_CALL] = "calls what does not return",
	[EXIT_RESUME] = "resumes unwinding",
	[EXIT_LONGJMP] = "jumps to another frame",
	[EXIT_SYSCALL] = "ends by a system call",
	[EXIT_TRAP] = "traps",
};

void exits_start(struct exits *x, const struct cfg *g, struct decoder *d, uint32_t func)
{
	const struct func *f = &g->func.v[func];
	bool known = f->is_code && f->why == OPAQUE_NOT;
	*x = (struct exits){.g = g,
		.decoder = d,
		.block = f->block,
		.end = f->block + (known ? f->nblock : 0)};
}

static bool stays(const struct cfg *g, const struct block *bl, uint32_t b)
{
	return func_has_block(&g->func.v[bl->func], b);
}

/* Does the direct jump or branch at the end of bl stay in the function? */
static bool jump_stays(const struct cfg *g, const struct block *bl)
{
	const struct symbol *s = named_at_end(g, bl);
	if (s && g->shared && is_preemptible(s))
		return false;
	return bl->target == NO_BLOCK ? bl->astray && g->insn.v[bl->insn + bl->ninsn - 1].stays
				      : stays(g, bl, bl->target);
}

static enum exit_kind by_name(const struct symbol *s, enum exit_kind other)
{
	unsigned does = s ? name_does(s->name) : 0;
	if (does & NAME_RESUMES)
		return EXIT_RESUME;
	return does & NAME_LONGJMP ? EXIT_LONGJMP : other;
}

struct targets {
	const struct cfg *g;
	const struct block *from;
	bool leaves;
};

static void look_at_target(void *ctx, uint32_t to)
{
	struct targets *t = ctx;
	t->leaves |= !stays(t->g, t->from, to);
}

static bool table_leaves(const struct cfg *g, uint32_t b)
{
	struct targets t = {g, &g->block.v[b], false};
	cfg_table_targets(g, b, look_at_target, &t);
	return t.leaves;
}

static bool syscall_leaves(const struct exits *x, const struct block *bl)
{
	const struct code_section *c = &x->g->text.v[x->g->func.v[bl->func].text];
	return syscall_ends(x->g->target, x->decoder, c->sec->data, &x->g->insn.v[bl->insn],
		bl->ninsn);
}

/* Does a relocation say which function the indirect jump at the end of bl leads to? */
static bool is_named(const struct cfg *g, const struct block *bl)
{
	const struct code_section *c = &g->text.v[g->func.v[bl->func].text];
	uint32_t last = bl->insn + bl->ninsn - 1;
	struct ref r;
	return cfg_callee_symbol(g, c, last) ||
		(cfg_ref(g, c, last, &r) && r.rel &&
			g->target->reloc_info(r.rel->type)->role == ROLE_GOT);
}

/* Does control leave by the last instruction of block b?  Not by falling through. */
static bool by_last(const struct exits *x, uint32_t b, enum exit_kind *kind)
{
	const struct cfg *g = x->g;
	const struct block *bl = &g->block.v[b];
	switch ((enum block_end)bl->end) {
	case END_RET: *kind = EXIT_RETURN; return true;
	case END_JUMP: *kind = by_name(named_at_end(g, bl), EXIT_JUMP); return !jump_stays(g, bl);
	case END_BRANCH: *kind = EXIT_BRANCH; return !jump_stays(g, bl);
	case END_LEAVE:
		*kind = is_named(g, bl) ? by_name(named_at_end(g, bl), EXIT_JUMP) : EXIT_INDIRECT;
		return true;
	case END_TABLE: *kind = EXIT_INDIRECT; return table_leaves(g, b);
	case END_CALL:
		*kind = by_name(named_at_end(g, bl), EXIT_CALL);
		return never_returns(g, bl) || !stays(g, bl, bl->fall);
	case END_SYSCALL: *kind = EXIT_SYSCALL; return syscall_leaves(x, bl);
	case END_TRAP: *kind = EXIT_TRAP; return true;
	case END_FALL: break;
	}
	return false;
}

/* Does control fall through out of the function behind block bl? */
static bool by_falling(const struct cfg *g, const struct block *bl)
{
	bool falls = bl->end == END_FALL || bl->end == END_BRANCH || bl->end == END_SYSCALL;
	return falls && !stays(g, bl, bl->fall);
}

bool exits_next(struct exits *x, struct exit *e)
{
	for (; x->block < x->end; x->block++, x->part = 0) {
		const struct block *bl = &x->g->block.v[x->block];
		enum exit_kind kind = EXIT_FALL;
		while (!bl->gap && x->part < 2) {
			bool leaves = x->part++ ? by_falling(x->g, bl)
						: by_last(x, x->block, &kind);
			if (!leaves)
				continue;
			*e = (struct exit){x->block, (uint8_t)(x->part == 1 ? kind : EXIT_FALL)};
			return true;
		}
	}
	return false;
}
