/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign.c - distances between functions that are numbers without relocations
 *
 * The Go linker writes the offset of every function from runtime.text to .gopclntab, which the
 * garbage collector needs to unwind; .moduledata has the table's address only.  A link has one
 * object with such a table, and all its functions are in one section, which therefore moves as one
 * piece.
 *
 * LuaJIT's tables are numbers in a C file that its assembler wrote: offsets of the
 * interpreter's parts from a label, which is a data object at the start of a function.  A data
 * object there is taken as evidence of such arithmetic.
 *
 * Stack maps and their like have the address of a function, and offsets in it as numbers.
 *
 * A program that copies code has its length as a number, in an instruction of the same section
 * or in data: `stencil_len: .quad stencil_end-stencil'.  If the program can make memory executable,
 * and such a number is the distance from an address-taken label to a label without a type, what is
 * between the two stays together.
 */
#include "cfg/blocks.h"
#include "cfg/labels.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"
#include "cfg/regions.h"
#include "program/library.h"

#include <stdlib.h>
#include <string.h>

/*
 * hazard: distances by name only.  Go's function table, found by its name, holds distances
 * of functions without relocations.
 */
static bool has_table(const struct object *o)
{
	static const char name[] = ".gopclntab"; /* or .data.rel.ro.gopclntab */
	for (size_t i = 1; i < o->sec.n; i++) {
		size_t len = strlen(o->sec.v[i].name);
		if (len >= sizeof name - 1 &&
			!strcmp(o->sec.v[i].name + len - (sizeof name - 1), name))
			return true;
	}
	return false;
}

/*
 * hazard: object label at a function.  LuaJIT's interpreter is found by distances from a
 * data object that begins where its code does.
 */
static void hold_objects(struct cfg *g, const struct marks *m)
{
	for (size_t t = 0; t < g->text.n; t++) {
		const struct mark *func = NULL;
		for (uint32_t i = m->first[t]; i < m->first[t + 1]; i++) {
			const struct mark *mk = &m->v.v[i];
			if (mk->rank >= RANK_FUNC && mk->end > mk->off)
				func = mk;
			else if (mk->rank == RANK_OBJECT && func && func->off == mk->off)
				cfg_opaque_section(&g->text.v[t], OPAQUE_DISTANCE, mk->off);
		}
	}
}

/* Code that may be copied: size bytes from off, up to a label. */
struct extent {
	uint64_t size;
	uint32_t text;
	uint64_t off;
	bool found; /* a number in code or data equals size */
};
typedef VEC(struct extent) extent_vec;
enum {
	MIN_EXTENT = 8, /* smaller numbers are too frequent */
	STARTS = 16,	/* for each end */
	ENDS = 64,	/* for each section */
};

static bool makes_executable(const struct object *o)
{
	for (size_t i = 1; i < o->sym.n; i++)
		if (name_does(o->sym.v[i].name) & NAME_EXECUTABLE)
			return true;
	return false;
}

static int extent_cmp(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	return x->off < y->off ? -1 : x->off > y->off;
}

/* Does an instruction of section t refer to the label?  Then it is no end of copied code. */
static bool is_led_to(const struct cfg *g, const struct code_section *t, uint64_t label)
{
	for (uint32_t i = t->insn; i < t->insn + t->ninsn; i++) {
		struct ref r;
		if (cfg_ref(g, t, i, &r) && r.sec == t->sec->index && r.off == label)
			return true;
	}
	return false;
}

/* The extents that end at mark end of section t, a label without a type. */
static void extents_before(const struct cfg *g, const struct marks *m, uint32_t t, uint32_t end,
	extent_vec *all)
{
	const struct code_section *c = &g->text.v[t];
	size_t first = all->n;
	uint32_t starts = 0;
	for (uint32_t k = end; k-- > m->first[t] && starts < STARTS;) {
		uint64_t off = m->v.v[k].off, size = m->v.v[end].off - off;
		if (!set_has(c->taken, off))
			continue;
		starts++;
		if (size >= MIN_EXTENT)
			vec_push(all, (struct extent){size, t, off, false});
	}
	if (all->n > first && is_led_to(g, c, m->v.v[end].off))
		all->n = first;
}

static void find_extents(const struct cfg *g, const struct marks *m, extent_vec *all)
{
	for (uint32_t t = 0; t < g->text.n; t++) {
		uint32_t ends = 0;
		for (uint32_t e = m->first[t]; e < m->first[t + 1] && ends < ENDS; e++) {
			if (m->v.v[e].rank != RANK_NOTYPE)
				continue;
			ends++;
			extents_before(g, m, t, e, all);
		}
	}
	if (all->n)
		sort(all->v, all->n, sizeof *all->v, extent_cmp);
}

/* Look up a number that occurs in code section text or (UINT32_MAX) in data. */
static void find_number(extent_vec *all, uint64_t number, uint32_t text)
{
	size_t i;
	if (number < all->v[0].size || number > all->v[all->n - 1].size)
		return;
	BISECT(i, 0, all->n, all->v[i].size < number);
	for (; i < all->n && all->v[i].size == number; i++)
		all->v[i].found |= text == UINT32_MAX || all->v[i].text == text;
}

static void numbers_in_code(struct cfg *g, extent_vec *all, uint32_t text)
{
	const struct code_section *c = &g->text.v[text];
	struct decoder *d = cfg_decoder(g, 0);
	struct insn part[INSN_PARTS];
	struct operation op;
	for (uint32_t i = c->insn; i < c->insn + c->ninsn; i++)
		for (unsigned k = 0, n = cfg_parts(g, d, c, &g->insn.v[i], part); k < n; k++) {
			g->target->describe(d, insn_bytes(c, &part[k]), &part[k], &op);
			if (op.op == OP_IMM)
				find_number(all, (uint64_t)op.imm, text);
		}
}

static void numbers_in_data(const struct cfg *g, extent_vec *all)
{
	for (size_t i = 1; i < g->obj->sec.n; i++) {
		const struct section *s = &g->obj->sec.v[i];
		if (s->dropped || !s->data || g->text_of[i] || is_metadata(s))
			continue;
		for (uint64_t off = 0; off + 4 <= s->size; off += 4) {
			bool wide = !(off % 8) && off + 8 <= s->size;
			const uint8_t *p = s->data + off;
			find_number(all, wide ? get_word(p, 8, g->obj->big) : 0, UINT32_MAX);
			find_number(all, get_word(p, 4, g->obj->big), UINT32_MAX);
		}
	}
}

/*
 * hazard: code copied by its size.  A template that is copied has its length as a number that the
 * assembler has computed.
 */
static void hold_copied(struct cfg *g, const struct marks *m)
{
	extent_vec all = {0};
	if (makes_executable(g->obj))
		find_extents(g, m, &all);
	if (!all.n)
		return;
	bool *done = calloc(g->text.n, sizeof *done);
	if (!done)
		fatal("out of memory");
	for (size_t i = 0; i < all.n; i++) {
		if (!done[all.v[i].text])
			numbers_in_code(g, &all, all.v[i].text);
		done[all.v[i].text] = true;
	}
	free(done);
	numbers_in_data(g, &all);
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].found)
			cfg_hold(&g->text.v[all.v[i].text],
				(struct lump){.from = all.v[i].off,
					.to = all.v[i].off + all.v[i].size,
					.why = OPAQUE_DISTANCE,
					.why_off = all.v[i].off,
					.by = NO_FUNC});
	vec_free(&all);
}

/*
 * hazard: offsets in functions.  Some sections say by numbers where in a function an instruction
 * is, or how long code is: stack maps and fault maps (LLVM: "Stack maps and patch points",
 * "FaultMaps and implicit checks"), metadata of LLVM's sanitizers and other !pcsections, and
 * descriptors of restartable sequences (rseq(2)), which end after a number of bytes and have a
 * signature in front of a label.
 *
 * hazard: table of instructions.  Others name an instruction that will be patched, or whose
 * signal's handler looks for its address: no code may be inserted in front of it.
 */
static bool numbers_code(const struct section *s)
{
	static const char *const names[] = {".altinstructions", ".call_sites", ".ibt_endbr_seal",
		".llvm_faultmaps", ".llvm_stackmaps", ".parainstructions", ".retpoline_sites",
		".return_sites", ".smp_locks", ".static_call_sites", "__bug_table", "__ex_table",
		"__jump_table", "__rseq_cs"};
	return IS_ONE_OF(s->name, names) || !strncmp(s->name, "sanmd_", 6);
}

/*
 * A section that belongs to one of code, as those of LLVM's !pcsections do, is taken for such a
 * one, unless its format is known.
 */
static bool may_number_code(const struct cfg *g, const struct section *s)
{
	static const char *const known[] = {".kcfi_traps", "__patchable_function_entries",
		"__sancov_bools", "__sancov_cfs", "__sancov_cntrs", "__sancov_guards",
		"__sancov_pcs", "xray_fn_idx", "xray_instr_map"};
	return (s->flags & SHF_ALLOC) && (s->flags & SHF_LINK_ORDER) && cfg_section(g, s->link) &&
		!IS_ONE_OF(s->name, known) && strncmp(s->name, ".gcc_except_table", 17) != 0;
}

void list_numbered_funcs(const struct cfg *g, opaque_parts *v)
{
	for (size_t i = 1; i < g->obj->sec.n; i++) {
		const struct section *s = &g->obj->sec.v[i];
		if (!numbers_code(s) && !may_number_code(g, s))
			continue;
		for (uint32_t k = 0; k < s->nrel; k++) {
			struct ref r = cfg_data_ref(g, s, k);
			const struct code_section *c = cfg_section(g, r.sec);
			if (c && r.off < c->sec->size)
				list_opaque_func(v, cfg_func_at(g, c, r.off), OPAQUE_DISTANCE,
					r.off);
		}
	}
}

/*
 * hazard: entries of one size.  Callers that check a pointer (-fsanitize=cfi-icall) take the
 * entries of LLVM's table of jumps for equally large.
 */
static void hold_jump_entries(struct cfg *g)
{
	for (size_t i = 0; i < g->text.n; i++)
		if (strstr(g->text.v[i].sec->name, ".cfi.jumptable"))
			cfg_opaque_section(&g->text.v[i], OPAQUE_DISTANCE, 0);
}

/*
 * hazard: code of an ahead-of-time compiler.  What V8, Dart, .NET and GraalVM compile before they
 * are linked is in one piece, with offsets into it in their own tables.
 */
static void hold_ahead(struct cfg *g)
{
	static const char *const sections[] = {"__managedcode", "__unbox"};
	static const char *const names[] = {"__svm_code_section", "__svm_text_start",
		"_kDartIsolateSnapshotInstructions", "_kDartVmSnapshotInstructions"};
	const struct object *o = g->obj;
	for (size_t i = 0; i < g->text.n; i++)
		if (IS_ONE_OF(g->text.v[i].sec->name, sections))
			cfg_opaque_section(&g->text.v[i], OPAQUE_DISTANCE, 0);
	for (size_t i = 1; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		struct code_section *t = cfg_section(g, s->sec);
		bool v8 = !strncmp(s->name, "v8_", 3) && strstr(s->name, "embedded_blob_");
		if (t && (v8 || IS_ONE_OF(s->name, names)))
			cfg_opaque_section(t, OPAQUE_DISTANCE, s->value);
	}
}

void cfg_foreign(struct cfg *g, const struct marks *m)
{
	const struct object *o = g->obj;
	bool found = false;
	hold_objects(g, m);
	hold_jump_entries(g);
	hold_ahead(g);
	hold_copied(g, m);
	if (!has_table(o))
		return;
	for (size_t i = 1; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		struct code_section *t = cfg_section(g, s->sec);
		if (t && (!strcmp(s->name, "runtime.text") || !strcmp(s->name, "runtime.etext"))) {
			cfg_opaque_section(t, OPAQUE_DISTANCE, s->value);
			found = true;
		}
	}
	for (size_t i = 0; i < g->text.n && !found; i++)
		cfg_opaque_section(&g->text.v[i], OPAQUE_DISTANCE, 0);
}
