/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refs.c - what fields refer to; see refs.h
 */
#include "cfg/refs.h"

const struct reloc *insn_relocs(const struct text *c, const struct insn *in, uint32_t *n)
{
	const struct section *s = c->sec;
	uint32_t first = in->rel ? in->rel - 1 : 0, k = first;
	while (in->rel && k < s->nrel && s->rel[k].off < insn_end(in))
		k++;
	*n = k - first;
	return s->rel + first;
}

/* The relocation on the pc-relative field of an instruction, or NULL. */
static const struct reloc *field_reloc(const struct cfg *g, const struct text *c,
	const struct insn *in)
{
	uint32_t n;
	const struct reloc *r = insn_relocs(c, in, &n);
	for (; n; n--, r++)
		if (r->off == (uint64_t)in->off + in->pc_off &&
			g->target->reloc_info(r->type)->role != ROLE_NONE)
			return r;
	return NULL;
}

bool cfg_ref(const struct cfg *g, const struct text *c, uint32_t i, struct ref *ref)
{
	const struct insn *in = &g->insn.v[i];
	const struct reloc *r = in->pc_size ? field_reloc(g, c, in) : NULL;
	*ref = (struct ref){ .rel = r };
	if (!in->pc_size)
		return false;
	if (!r) {
		const uint8_t *p = insn_bytes(c, in) + in->pc_off;
		int64_t disp = in->pc_size == 1 ? (int8_t)*p : (int32_t)get_u32(p);
		ref->sec = c->sec->index;
		ref->off = insn_end(in) + (uint64_t)disp;
		return true;
	}
	enum reloc_role role = g->target->reloc_info(r->type)->role;
	uint64_t off;
	const struct section *s = reloc_target(g->obj, r, &off);
	if (s && (role == ROLE_PCREL || role == ROLE_PLT)) {
		ref->sec = s->index;
		ref->off = off + (uint64_t)r->addend + (insn_end(in) - r->off);
	}
	return true;
}

enum ref_use cfg_ref_use(const struct cfg *g, uint32_t from, const struct insn *in,
	const struct text *t, uint64_t off)
{
	if (in->flags & INSN_OPERAND_PC)
		return in->flags & INSN_MEM ? REF_READ : REF_ADDRESS;
	return in->kind != INSN_CALL && cfg_func_at(g, t, off) == from ? REF_BRANCH : REF_CALL;
}

const struct symbol *named_at_end(const struct cfg *g, const struct block *bl)
{
	struct ref r;
	cfg_ref(g, &g->text.v[g->func.v[bl->func].text], bl->insn + bl->ninsn - 1, &r);
	return r.rel ? &g->obj->sym.v[r.rel->sym] : NULL;
}

/*
 * The GOT's address by two instructions, as the large code model makes it (psABI,
 * 3.5.5): lea L(%rip), then movabs $GOT - L, whose addend is its distance from L.
 */
bool cfg_base_label(const struct cfg *g, uint32_t i, const struct reloc *r)
{
	const struct insn *in = &g->insn.v[i];
	return g->target->reloc_info(r->type)->role == ROLE_BASE &&
	       !(in->pc_size && r->off == in->off + in->pc_off);
}

/* Data ------------------------------------------------------------------ */

/* -fpatchable-function-entry: addresses of no-ops around function entries. */
bool is_patchable(const struct section *s)
{
	return !strcmp(s->name, "__patchable_function_entries");
}

/* -fsanitize=kcfi: distances to the instructions that trap. */
bool is_trap_map(const struct section *s)
{
	return !strcmp(s->name, ".kcfi_traps");
}

/* A tracer's map: entries of 32 bytes, which begin with the distance of a place to be patched. */
static bool is_sled(const struct section *s, const struct reloc *r)
{
	return !strcmp(s->name, "xray_instr_map") && r->off % 32 == 0;
}

/* Jump-table entries count from their table's base; notes and maps name the very instruction. */
struct data_ref cfg_data_ref(const void *ctx, const struct section *s, uint32_t rel)
{
	const struct cfg *g = ctx;
	const struct reloc *r = &s->rel[rel];
	const struct table *t = cfg_table_of(g, s->index, rel);
	bool exact = s->type == SHT_NOTE || is_patchable(s) || is_trap_map(s) || is_sled(s, r);
	struct data_ref ref = { .use = exact ? REF_EXACT : REF_ADDRESS };
	if (!t || !t->relative)
		return ref;
	uint64_t base = r->off - t->base;
	ref.adj = -(int64_t)base;
	if (t->proved)
		ref.use = REF_TABLE;
	else if (symbol_type(&g->obj->sym.v[r->sym]) != STT_SECTION)
		ref.keep = r->addend == 0 || (uint64_t)r->addend == base;
	return ref;
}
