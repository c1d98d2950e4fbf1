/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paste.c - which routines are pasted where they are asked for, and as what
 *
 * Short ones without a stack and calls, which end in their only return.  They may branch within
 * themselves.
 */
#include "instr/tool/session.h"

static const struct reloc *reloc_in(const struct section *s, const struct insn *in)
{
	uint32_t k = section_first_reloc(s, in->off);
	return k < s->nrel && s->rel[k].off < insn_end(in) ? &s->rel[k] : NULL;
}

const struct reloc *reloc_of_jump(const struct target *t, const struct section *s,
	const struct insn *in)
{
	const struct reloc *r = reloc_in(s, in);
	return r && t->insn_size && r->off >= in->off + t->insn_size ? NULL : r;
}

enum { PASTED_MOST = BODY_BYTES }; /* bytes; longer ones are called */

/* The code of a routine behind its landing instructions, up to its return. */
struct straight {
	const struct target *t;
	const struct object *o;
	const struct section *s;
	uint64_t start, end;
	uint64_t farthest; /* where a branch leads */
};

/* Does the relocation of a branch, if there is one, only say what its bytes say? */
static bool leads_to(const struct straight *w, const struct reloc *r, uint64_t to)
{
	const struct symbol *sym = r ? &w->o->sym.v[r->sym] : NULL;
	return !r || (sym->sec == w->s->index && sym->value + (uint64_t)r->addend == to);
}

/* A branch within the routine: loops for atomic additions have them, and what is skipped. */
static bool stays(struct straight *w, const struct insn *in)
{
	const struct reloc *r = reloc_of_jump(w->t, w->s, in);
	if (!in->pc_size)
		return false;
	uint64_t to = in->off + (uint64_t)w->t->form->distance(in, w->s->data + in->off, in->len);
	w->farthest = to > w->farthest ? to : w->farthest;
	return to >= w->start && leads_to(w, r, to);
}

/* May an instruction stand in code that is not the routine's, without its frame? */
static bool is_plain(struct straight *w, const struct insn *in)
{
	const struct effects *e = insn_effects(in);
	regset entry = w->t->micro->enter_changes & ~e->writes;
	if ((e->reads | e->clobbers) & REG_BIT(w->t->stack_reg) || e->reads & entry)
		return false;
	if (in->kind == INSN_BRANCH || in->kind == INSN_JUMP)
		return stays(w, in);
	return (in->kind == INSN_OTHER || in->kind == INSN_NOP) && !(in->flags & INSN_VAGUE) &&
		(!in->pc_size || reloc_in(w->s, in));
}

static bool decode_at(const struct tools *t, const struct section *s, uint64_t off, struct insn *in)
{
	*in = (struct insn){0};
	bool good = t->g->target->decode(cfg_decoder(t->g, 0), s->data + off, s->size - off, in);
	in->off = (uint32_t)off;
	return good;
}

/* Does the routine end in its only return, and is all in front of that plain? */
static bool find_end(const struct tools *t, const struct routine *r, struct straight *w)
{
	struct insn in;
	w->start = r->off;
	for (uint64_t off = r->off; off < r->off + r->size; off += in.len) {
		w->end = off;
		if (!decode_at(t, w->s, off, &in))
			return false;
		if (in.flags & INSN_LANDING && off == w->start)
			w->start += in.len;
		else if (in.kind == INSN_RET)
			return off + in.len == r->off + r->size && w->farthest <= off;
		else if (!is_plain(w, &in))
			return false;
	}
	return false;
}

/* The second part of the return, which is executed before control leaves; false: cannot. */
static bool paste_rest(const struct tools *t, struct straight *w, struct tool_body *b)
{
	struct insn in, part[INSN_PARTS];
	const struct insn *rest = &part[1];
	if (!decode_at(t, w->s, w->end, &in))
		return false;
	if (insn_parts(w->t, cfg_decoder(t->g, 0), w->s->data + w->end, &in, part) == 1)
		return true;
	if (b->n + rest->len > PASTED_MOST || !is_plain(w, rest) || rest->pc_size ||
		reloc_in(w->s, rest))
		return false;
	memcpy(b->byte + b->n, w->s->data + rest->off, rest->len);
	b->n = (uint8_t)(b->n + rest->len);
	return true;
}

/* A low part that names the instruction in front of it, with the high one. */
static bool is_rest(const struct tools *t, const struct tool *tool, const struct section *s,
	const struct reloc *r, const struct reloc *before)
{
	const struct symbol *label = &tool->o->sym.v[r->sym];
	return r->type == t->g->target->made.pair_rest && label->sec == s->index &&
		label->value + (uint64_t)r->addend == before->off && r->off == before->off + 4;
}

/* Of a branch within the routine, whose bytes say it: see stays(). */
static bool is_inner(const struct tools *t, const struct tool *tool, const struct section *s,
	const struct reloc *r)
{
	struct insn in;
	return tool->o->sym.v[r->sym].sec == s->index && decode_at(t, s, r->off, &in) &&
		(in.kind == INSN_BRANCH || in.kind == INSN_JUMP);
}

static bool paste_relocs(const struct tools *t, const struct tool *tool, const struct section *s,
	uint64_t start, struct tool_body *b)
{
	uint32_t pair = t->g->target->made.pair, k = section_first_reloc(s, start);
	for (; k < s->nrel && s->rel[k].off < start + b->n; k++) {
		const struct reloc *at = &s->rel[k];
		const struct reloc *next = k + 1 < s->nrel ? at + 1 : NULL;
		struct body_reloc *to = &b->rel[b->nrel];
		uint32_t type = at->type, sym = tool_symbol(t, tool, at->sym);
		bool both = pair && next && is_rest(t, tool, s, next, at);
		if (is_inner(t, tool, s, at))
			continue;
		if (sym == NO_SYMBOL || b->nrel == BODY_RELOCS ||
			tool->o->reloc_info(type)->composed)
			return false;
		if (both)
			type = pair, k++;
		else if (tool->o->reloc_info(type)->role == ROLE_PART)
			return false;
		*to = (struct body_reloc){.off = (uint32_t)(at->off - start),
			.type = type,
			.sym = sym,
			.addend = at->addend};
		b->nrel++;
	}
	return true;
}

void body_read(const struct tools *t, const struct tool *tool, struct routine *r)
{
	struct straight w = {.t = t->g->target, .o = tool->o, .s = &tool->o->sec.v[r->section]};
	if (r->rest & REST_FLOAT || !find_end(t, r, &w) || w.end - w.start > PASTED_MOST)
		return;
	struct tool_body *b = arena_new(&kept_calls, struct tool_body);
	b->n = (uint8_t)(w.end - w.start);
	memcpy(b->byte, w.s->data + w.start, b->n);
	if (paste_relocs(t, tool, w.s, w.start, b) && paste_rest(t, &w, b))
		r->body = b;
}
