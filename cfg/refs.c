/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refs.c - the references of fields; see refs.h
 */
#include "cfg/blocks.h"
#include "cfg/labels.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"
#include "cfg/tables.h"

/* The table -------------------------------------------------------------- */

/* The first relocation from k on that is on the pc-relative field of in; s->nrel: none. */
static uint32_t field_reloc(const struct cfg *g, const struct section *s, const struct insn *in,
	uint32_t k)
{
	uint64_t field = (uint64_t)in->off + in->pc_off;
	while (k < s->nrel && s->rel[k].off <= field) {
		if (s->rel[k].off == field &&
			g->target->reloc_info(s->rel[k].type)->role != ROLE_NONE)
			return k;
		k++;
	}
	return s->nrel;
}

/*
 * A field that the assembler has resolved leads to its own section.
 *
 * hazard: branch without relocation.  The assembler resolves nearly all branches and calls
 * within one section (96 in 100) and keeps no relocation for them: each instruction is
 * decoded, and its displacement read.
 */
static uint32_t resolved_label(const struct cfg *g, const struct section *s, const struct insn *in)
{
	uint64_t label = in->off +
		(uint64_t)g->target->form->distance(in, s->data + in->off, in->len);
	return label <= s->size ? (uint32_t)label : REF_NOWHERE;
}

/*
 * hazard: address without relocation.  lea 1f(%rip) of a label in the same section has no
 * relocation either.
 */
void symbolise(const struct cfg *g, const struct code_section *c)
{
	const struct section *s = c->sec;
	for (uint32_t i = c->insn; i < c->insn + c->ninsn; i++) {
		struct insn *in = &g->insn.v[i];
		if (!in->pc_size)
			continue;
		uint32_t k = in->has_rel ? field_reloc(g, s, in, in->ref) : s->nrel;
		in->resolved = k == s->nrel;
		in->ref = in->resolved ? resolved_label(g, s, in) : k;
	}
}

void symbolise_jump(const struct cfg *g, const struct code_section *c, uint32_t i, uint32_t from,
	const struct ref *r)
{
	struct insn *in = &g->insn.v[i];
	bool last = from + 1 == c->func + c->nfunc;
	if (in->kind != INSN_CALL && r->sec == c->sec->index && r->off >= g->func.v[from].start &&
		(last || r->off < g->func.v[from + 1].start))
		in->stays = true;
}

/* Lookup ------------------------------------------------------------------ */

enum ref_use insn_use(const struct insn *in)
{
	if (in->flags & INSN_OPERAND_PC)
		return in->flags & INSN_MEM ? REF_READ : REF_ADDRESS;
	return in->stays ? REF_BRANCH : REF_CALL;
}

const struct reloc *insn_relocs(const struct code_section *c, const struct insn *in, uint32_t *n)
{
	const struct section *s = c->sec;
	*n = 0;
	if (!in->has_rel)
		return NULL;
	uint32_t first = in->resolved ? section_first_reloc(s, in->off) : in->ref, end = first;
	while (first && s->rel[first - 1].off >= in->off)
		first--;
	while (end < s->nrel && s->rel[end].off < insn_end(in))
		end++;
	*n = end - first;
	return s->rel + first;
}

bool cfg_names_whole(const struct cfg *g, const struct code_section *c, const struct insn *in)
{
	uint32_t n;
	for (const struct reloc *r = insn_relocs(c, in, &n); n; n--, r++)
		if (g->target->reloc_info(r->type)->low)
			return true;
	return false;
}

bool cfg_names_got(const struct cfg *g, const struct reloc *r)
{
	const struct symbol *s = &g->obj->sym.v[r->sym];
	const char *name = g->target->got_distance;
	return name && s->sec == SEC_UNDEF && !strcmp(s->name, name);
}

bool may_be_based(const struct cfg *g, const struct code_section *c, uint32_t i,
	const struct ref *r)
{
	const struct insn *in = i == NO_INSN ? NULL : &g->insn.v[i];
	struct zone a;
	return in && r->role == ROLE_PCREL && !g->text_of[r->sec] &&
		!(r->sec && is_metadata(&g->obj->sec.v[r->sec])) &&
		g->target->zone(insn_bytes(c, in), in, &a) && a.disp_off &&
		r->rel->off == (uint64_t)in->off + a.disp_off;
}

bool based_label(const struct cfg *g, const struct code_section *c, const struct ref *r,
	uint64_t *label)
{
	const struct based_field *v = g->based.v;
	uint32_t text = (uint32_t)(c - g->text.v);
	size_t k;
	BISECT(k, 0, g->based.n, v[k].text < text || (v[k].text == text && v[k].off < r->rel->off));
	if (k == g->based.n || v[k].text != text || v[k].off != r->rel->off)
		return false;
	*label = v[k].label;
	return true;
}

uint32_t cfg_reloc_insn(const struct cfg *g, const struct code_section *c, const struct reloc *rel,
	uint32_t *i)
{
	uint32_t end = c->insn + c->ninsn;
	while (*i < end && insn_end(&g->insn.v[*i]) <= rel->off)
		(*i)++;
	return *i < end && g->insn.v[*i].off <= rel->off ? *i : NO_INSN;
}

/*
 * The large code model makes the GOT's address by two instructions (psABI, 3.5.5): lea L(%rip),
 * then movabs $GOT - L, whose addend is its distance from L.
 *
 * hazard: GOT counted from a label.  In the large code model movabs $GOT - L has its
 * distance from the label of a lea in front, not from itself.
 */
static void base_label(const struct code_section *c, struct ref *r)
{
	r->sec = c->sec->index;
	r->off = r->rel->off - (uint64_t)r->rel->addend;
}

/*
 * The label of an instruction's pc-relative field.
 *
 * hazard: immediate behind a displacement.  %rip counts from the end of the instruction,
 * and an immediate may stand behind the displacement: the addend is -4, -5, -6 or -8.
 */
static void field_label(const struct cfg *g, const struct insn *in, struct ref *r)
{
	r->use = (uint8_t)insn_use(in);
	if (!ref_is_relative(r))
		return;
	r->adj = insn_field_origin(g->target, in, in->len);
	r->off += (uint64_t)r->adj;
}

/*
 * hazard: distance in code.  The word at p with addend a < 0 of a symbol is the symbol's distance
 * from p - a, as in a call, or in a table in front of a function.  Where that word is in no
 * instruction, its section and the symbol's stay whole, so the symbol's own place serves as label
 * if the section begins behind the other one.
 */
static void count_from_start(struct ref *r)
{
	if (r->sec && ref_is_relative(r) && r->rel->addend < 0 && (int64_t)r->off < 0) {
		r->adj = -r->rel->addend;
		r->off += (uint64_t)r->adj;
	}
}

struct ref cfg_field_ref(const struct cfg *g, const struct code_section *c, uint32_t i,
	const struct reloc *rel)
{
	struct ref r = fix_ref(g->obj, rel, 0, REF_ADDRESS);
	const struct insn *in = i == NO_INSN ? NULL : &g->insn.v[i];
	if (in && in->pc_size && !in->resolved && rel == &c->sec->rel[in->ref])
		field_label(g, in, &r);
	else if (in && r.role == ROLE_BASE)
		base_label(c, &r);
	else
		count_from_start(&r);
	return r;
}

struct ref cfg_reloc_ref(const struct cfg *g, const struct code_section *c, uint32_t i,
	const struct reloc *rel)
{
	struct ref r = cfg_field_ref(g, c, i, rel);
	if (r.role != ROLE_PART || !r.sec)
		return r;
	const struct section *s = &g->obj->sec.v[r.sec];
	uint32_t k = section_first_reloc(s, r.off);
	while (k < s->nrel && s->rel[k].off == r.off && !g->obj->reloc_info(s->rel[k].type)->size)
		k++;
	if (k == s->nrel || s->rel[k].off != r.off || s->rel[k].type == rel->type)
		return r;
	struct ref part = fix_ref(g->obj, &s->rel[k], 0, REF_ADDRESS);
	part.rel = rel;
	return part;
}

bool cfg_is_difference(const struct cfg *g, const struct section *s, uint32_t rel, uint64_t *base)
{
	const struct reloc *r = &s->rel[rel];
	uint64_t off;
	if (!g->obj->terms || rel + 1 >= s->nrel || r[1].off != r->off ||
		g->obj->reloc_info(r->type)->term != TERM_ADD ||
		g->obj->reloc_info(r[1].type)->term != TERM_SUB ||
		reloc_target(g->obj, r + 1, &off) != s)
		return false;
	*base = off + (uint64_t)r[1].addend;
	return true;
}

struct ref cfg_word_ref(const struct cfg *g, const struct reloc *rel, const struct table *t)
{
	int64_t adj = t && t->relative && t->step == 1 ? (int64_t)(t->base - rel->off) : 0;
	return fix_ref(g->obj, rel, adj, REF_ADDRESS);
}

bool cfg_ref(const struct cfg *g, const struct code_section *c, uint32_t i, struct ref *r)
{
	const struct insn *in = &g->insn.v[i];
	*r = (struct ref){.rel = NULL};
	if (!in->pc_size)
		return false;
	if (in->resolved) {
		r->sec = c->sec->index;
		r->off = in->ref;
		r->role = ROLE_PCREL;
		r->use = (uint8_t)insn_use(in);
		r->size = in->pc_size;
		return true;
	}
	*r = cfg_reloc_ref(g, c, i, &c->sec->rel[in->ref]);
	if (!ref_is_relative(r))
		r->sec = 0;
	return true;
}

const struct symbol *cfg_callee_symbol(const struct cfg *g, const struct code_section *c,
	uint32_t i)
{
	const struct insn *in = &g->insn.v[i];
	uint32_t n = 0;
	const struct reloc *r = in->kind == INSN_CALL_IND || in->kind == INSN_JUMP_IND
		? insn_relocs(c, in, &n)
		: NULL;
	for (; n; n--, r++)
		if (g->target->reloc_info(r->type)->callee &&
			symbol_type(&g->obj->sym.v[r->sym]) != STT_SECTION)
			return &g->obj->sym.v[r->sym];
	return NULL;
}

const struct symbol *named_at_end(const struct cfg *g, const struct block *bl)
{
	const struct code_section *c = &g->text.v[g->func.v[bl->func].text];
	uint32_t last = bl->insn + bl->ninsn - 1;
	const struct symbol *callee = cfg_callee_symbol(g, c, last);
	const struct insn *in = &g->insn.v[last];
	if (callee || !in->pc_size || in->resolved)
		return callee;
	return &g->obj->sym.v[c->sec->rel[in->ref].sym];
}

unsigned cfg_parts(const struct cfg *g, struct decoder *d, const struct code_section *t,
	const struct insn *in, struct insn part[INSN_PARTS])
{
	unsigned n = insn_parts(g->target, d, insn_bytes(t, in), in, part);
	for (unsigned k = 0; k < n && n > 1; k++) {
		uint32_t nrel;
		insn_relocs(t, &part[k], &nrel);
		part[k].has_rel = nrel != 0;
	}
	return n;
}

/* Data ------------------------------------------------------------------ */

/* -fpatchable-function-entry: addresses of no-ops around function entries. */
bool is_patchable(const struct section *s)
{
	return !strcmp(s->name, "__patchable_function_entries");
}

/* -fsanitize=kcfi: distances to the instructions that trap; gcc's -mrecord-mcount: calls. */
bool lists_instructions(const struct section *s)
{
	return !strcmp(s->name, ".kcfi_traps") || !strcmp(s->name, "__mcount_loc");
}

/* A tracer's map: entries of 32 bytes that begin with the distance of code to be patched. */
static bool is_sled(const struct section *s, const struct reloc *r)
{
	return !strcmp(s->name, "xray_instr_map") && r->off % 32 == 0;
}

/* Jump-table entries count from their table's base; notes and maps refer to exact instructions. */
struct ref cfg_data_ref(const void *ctx, const struct section *s, uint32_t rel)
{
	const struct cfg *g = ctx;
	const struct reloc *r = &s->rel[rel];
	const struct table *t = cfg_table_of(g, s->index, rel);
	bool exact = s->type == SHT_NOTE || is_patchable(s) || lists_instructions(s) ||
		is_sled(s, r);
	struct ref ref = cfg_word_ref(g, r, t);
	ref.use = exact ? REF_EXACT : REF_ADDRESS;
	if (!t || !t->relative)
		return ref;
	if (!t->proved && is_outside(g, &ref)) /* it may count from itself */
		ref = cfg_word_ref(g, r, NULL);
	if (t->proved)
		ref.use = REF_TABLE;
	else if (symbol_type(&g->obj->sym.v[r->sym]) != STT_SECTION)
		ref.keep = r->addend == 0 || r->addend == -ref.adj;
	return ref;
}

/* Do the relocations of s not affect control flow, or does a codec read them? */
bool is_metadata(const struct section *s)
{
	return !(s->flags & SHF_ALLOC) || !strncmp(s->name, ".eh_frame", 9) ||
		!strcmp(s->name, ".sframe") || s->type == SHT_NOTE || is_patchable(s) ||
		lists_instructions(s);
}

static int point_cmp(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	if (x->sec != y->sec)
		return x->sec < y->sec ? -1 : 1;
	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	return x->insn_off < y->insn_off ? -1 : x->insn_off > y->insn_off;
}

void collect_points(const struct cfg *g, point_vec *pts)
{
	for (size_t ci = 0; ci < g->text.n; ci++) {
		const struct code_section *c = &g->text.v[ci];
		const struct section *s = c->sec;
		uint32_t i = c->insn, end = c->insn + c->ninsn;
		for (uint32_t r = 0; r < s->nrel; r++) {
			uint32_t in = cfg_reloc_insn(g, c, &s->rel[r], &i);
			if (i == end)
				break;
			struct ref ref = cfg_reloc_ref(g, c, in, &s->rel[r]);
			if (!ref.sec || g->text_of[ref.sec] ||
				!(g->obj->sec.v[ref.sec].flags & SHF_ALLOC) ||
				(ref.role != ROLE_ABS && !ref_is_relative(&ref)))
				continue;
			vec_push(pts,
				(struct point){ref.sec, ref.off, (uint32_t)ci, g->insn.v[i].off});
		}
	}
	if (pts->n)
		sort(pts->v, pts->n, sizeof *pts->v, point_cmp);
}
