/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.c - all labels in code
 */
#include "cfg/blocks.h"
#include "cfg/cfg.h"
#include "cfg/labels.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"
#include "cfg/scaled.h"

#include "base/parallel.h"

#include <stdlib.h>

/* A label in code starts a block, unless it is past the end of the section. */
void cfg_label(struct cfg *g, uint32_t sec, uint64_t off, enum label how)
{
	struct code_section *c = cfg_section(g, sec);
	if (!c || off >= c->sec->size)
		return;
	set_add_shared(c->leaders, off);
	if (how == LABEL_PAD)
		set_add_shared(c->pads, off);
	if (how == LABEL_ENTRY)
		set_add_shared(c->entries, off);
	if (how == LABEL_TAKEN || how == LABEL_BY_GOT)
		set_add_shared(c->taken, off);
	if (how == LABEL_TAKEN)
		set_add_shared(c->addressed, off);
}

/*
 * hazard: relocated label address.  A label in the middle of a function may be named by a
 * relocation, in an instruction or in a table of addresses: a computed goto leads there.
 */
static void label_relocs(struct cfg *g, const struct section *s, opaque_parts *opaque)
{
	for (uint32_t i = 0; i < s->nrel; i++) {
		struct ref r = cfg_word_ref(g, &s->rel[i], NULL);
		uint64_t base;
		if (!g->text_of[r.sec] || cfg_is_difference(g, s, i, &base))
			continue; /* of a difference: tables.c */
		if (!ref_is_relative(&r))
			list_opaque_from(g, &r, opaque);
		switch ((enum reloc_role)r.role) {
		case ROLE_ABS:
		case ROLE_GOT: cfg_label(g, r.sec, r.off, LABEL_TAKEN); break;
		case ROLE_GOTREL: cfg_label(g, r.sec, r.off, LABEL_BY_GOT); break;
		case ROLE_NONE:
		case ROLE_PCREL: /* of code: label_insn(); of data: tables.c */
		case ROLE_PLT:
		case ROLE_SUB:
		case ROLE_PART: break;
		case ROLE_TLS:
		case ROLE_SIZE:
		case ROLE_BASE:
		case ROLE_UNKNOWN:
			list_opaque_section(opaque, g->text_of[r.sec] - 1, OPAQUE_RELOC, r.off);
		}
	}
}

struct labelling {
	struct cfg *g;
	opaque_parts *opaque; /* by part of the object */
};

static void label_part(void *ctx, size_t part, unsigned worker)
{
	const struct labelling *w = ctx;
	const struct object *o = w->g->obj;
	opaque_parts opaque = {0};
	(void)worker;
	for (uint32_t i = o->part.v[part]; i < o->part.v[part + 1]; i++)
		if (!o->sec.v[i].dropped && !is_metadata(&o->sec.v[i]))
			label_relocs(w->g, &o->sec.v[i], &opaque);
	w->opaque[part] = opaque;
}

void label_sections(struct cfg *g)
{
	size_t parts = g->obj->part.n - 1;
	struct labelling w = {g, arena_array(g->arena, opaque_parts, parts)};
	parallel(parts, label_part, &w);
	for (size_t k = 0; k < parts; k++)
		make_opaque(g, &w.opaque[k]);
}

/*
 * hazard: arguments of a probe.  A probe's note says in what registers a debugger finds its
 * arguments, which may be dead behind it.
 */
static void keep_arguments(struct insn *in)
{
	struct effects e = *insn_effects(in);
	e.reads |= ~REGSET_FLAGS;
	in->effects = effects_number(&e);
	if (in->kind == INSN_NOP)
		in->kind = INSN_OTHER;
}

/*
 * No-ops that a tracer will overwrite start blocks, so that they are no padding.  SystemTap's notes
 * list single ones, the table of patchable entries lists runs that stay together.
 *
 * hazard: probe in a no-op.  A note or a table names a single no-op in the middle of a
 * function, which a tracer will overwrite: it is an instruction, not padding.
 */
void label_probes(struct cfg *g, const struct section *s)
{
	bool note = s->type == SHT_NOTE;
	for (uint32_t i = 0; i < s->nrel; i++) {
		struct ref r = cfg_word_ref(g, &s->rel[i], NULL);
		const struct code_section *c = cfg_section(g, r.sec);
		if (!c || r.off >= c->sec->size || !set_has(c->starts, r.off))
			continue;
		cfg_label(g, r.sec, r.off, LABEL_BRANCH);
		uint32_t k = cfg_insn_at(g, c, r.off);
		if (note)
			keep_arguments(&g->insn.v[k]);
		while (is_patchable(s) && ++k < c->insn + c->ninsn &&
			g->insn.v[k].kind == INSN_NOP && g->insn.v[k].len == g->insn.v[k - 1].len)
			g->insn.v[k].flags |= INSN_GLUED;
	}
}

/* The branch or pc-relative operand of insn i of section c refers to the label in r. */
void label_insn(struct cfg *g, struct code_section *c, uint32_t i, const struct ref *r)
{
	const struct insn *in = &g->insn.v[i];
	const struct code_section *t = cfg_section(g, r->sec);
	if (r->rel && insn_grows(g->target, in) && !g->target->form->reloc)
		cfg_opaque_section(c, OPAQUE_RELOC, in->off);
	if (!t)
		return;
	bool operand = in->flags & INSN_OPERAND_PC;
	if (r->off > t->sec->size) {
		if (!operand || !r->rel) /* a branch out of the section */
			cfg_opaque_section(c, OPAQUE_MIDDLE, in->off);
		return;
	}
	if (operand && (in->flags & INSN_MEM))
		return; /* data in text: see list_data_references() */
	cfg_label(g, r->sec, r->off,
		operand && !is_anchor(g, c, i)	? LABEL_TAKEN
			: in->kind == INSN_CALL ? LABEL_ENTRY
						: LABEL_BRANCH);
}

/*
 * A label inside an instruction: behind a lock prefix it becomes a label of the next
 * instruction, where both paths meet; any other one makes the section opaque
 * (list_labels_inside()).
 *
 * hazard: lock-split branch.  glibc jumps over a lock prefix when there is one thread: a
 * target one byte into an instruction, where nothing can be inserted.
 */
void resolve_labels(struct cfg *g, struct code_section *c)
{
	size_t words = c->sec->size / 64 + 1;
	for (size_t w = 0; w < words; w++) {
		uint64_t odd = c->leaders[w] & ~c->starts[w];
		for (; odd; odd &= odd - 1) {
			uint64_t off = w * 64 + (unsigned)__builtin_ctzll(odd);
			uint32_t i = cfg_insn_at(g, c, off);
			c->leaders[w] &= ~(odd & -odd);
			if (i != UINT32_MAX && (g->insn.v[i].flags & INSN_LOCK_SPLIT) &&
				off == g->insn.v[i].off + 1u) {
				cfg_label(g, c->sec->index, insn_end(&g->insn.v[i]), LABEL_PAD);
				if (set_has(c->taken, off))
					set_add(c->taken, insn_end(&g->insn.v[i]));
				if (set_has(c->addressed, off))
					set_add(c->addressed, insn_end(&g->insn.v[i]));
				continue;
			}
			set_add(c->entries, off); /* for list_labels_inside() */
		}
	}
}
