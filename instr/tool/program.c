/* SPDX-License-Identifier: Apache-2.0 */
/* program.c - the program for tools in the link: include/ldx/program.h over the cfg */
#include "instr/count/prior.h"
#include "instr/tool/session.h"

#include "base/demangle.h"
#include "cfg/refs.h"
#include "targets/class.h"
#include "targets/disassembler.h"
#include "targets/platform.h"

#include <stdlib.h>

static const struct cfg *graph(void)
{
	return asking->g;
}

/* Objects ------------------------------------------------------------------ */

const ldx_object *ldx_next_object(const ldx_object *o)
{
	return o ? NULL : (const ldx_object *)(const void *)asking;
}

const char *ldx_object_name(const ldx_object *o)
{
	(void)o;
	return "";
}

const char *ldx_object_cpu(const ldx_object *o)
{
	(void)o;
	return graph()->target->name;
}

/* Functions ---------------------------------------------------------------- */

const ldx_func *ldx_next_func(const ldx_object *o, const ldx_func *f)
{
	const struct cfg *g = graph();
	size_t i = f ? (size_t)(func_of(f) - g->func.v) + 1 : 0;
	(void)o;
	while (i < g->func.n && !g->func.v[i].is_code)
		i++;
	return i < g->func.n ? func_handle(&g->func.v[i]) : NULL;
}

const char *ldx_func_name(const ldx_func *f)
{
	return func_name(graph(), func_of(f));
}

const char *ldx_func_demangled(const ldx_func *f)
{
	const char *name = ldx_func_name(f);
	char *plain = demangle(name);
	if (!plain)
		return name;
	name = arena_printf(graph()->arena, "%s", plain);
	free(plain);
	return name;
}

const char *ldx_func_input(const ldx_func *f)
{
	const struct cfg *g = graph();
	const char *const *input = (const char *const *)g->obj->input;
	const char *name = input ? input[g->text.v[func_of(f)->text].sec->index] : NULL;
	return name ? name : "";
}

const char *left_out(const struct func *f)
{
	const bool *selected = asking->p->selected;
	if (f->why != OPAQUE_NOT)
		return opaque_text[f->why];
	return selected && !selected[f - graph()->func.v] ? "it is not selected" : NULL;
}

const char *ldx_func_opaque(const ldx_func *f)
{
	return left_out(func_of(f));
}

uint64_t ldx_func_size(const ldx_func *f)
{
	return func_of(f)->end - func_of(f)->start;
}

/* Blocks ------------------------------------------------------------------- */

const ldx_block *ldx_next_block(const ldx_func *f, const ldx_block *b)
{
	const struct cfg *g = graph();
	const struct func *fn = func_of(f);
	uint32_t i = b ? (uint32_t)(block_of(b) - g->block.v) + 1 : fn->block;
	if (left_out(fn))
		return NULL;
	while (i < fn->block + fn->nblock && g->block.v[i].gap)
		i++;
	return i < fn->block + fn->nblock ? block_handle(i) : NULL;
}

static void number_blocks(struct tools *t)
{
	const struct cfg *g = t->g;
	uint32_t n = 0;
	t->number = arena_array(g->arena, uint32_t, g->block.n + 1);
	for (const struct func *f = g->func.v; f < g->func.v + g->func.n; f++)
		for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
			t->number[b] = n;
			n += f->is_code && f->why == OPAQUE_NOT && !g->block.v[b].gap;
		}
}

uint32_t ldx_block_id(const ldx_block *b)
{
	if (!asking->number)
		number_blocks(asking);
	return asking->number[block_of(b) - graph()->block.v];
}

uint64_t ldx_block_count(const ldx_block *b)
{
	const struct block *bl = block_of(b);
	const struct func *fn = &graph()->func.v[bl->func];
	const struct prior_counts *prior = asking->p->opt->prior;
	const uint64_t *counts = prior ? prior_counts(prior, graph(), fn) : NULL;
	uint32_t first = ldx_block_id(block_handle(fn->block));
	return counts ? counts[ldx_block_id(b) - first] : LDX_UNKNOWN;
}

const ldx_func *ldx_block_func(const ldx_block *b)
{
	return func_handle(&graph()->func.v[block_of(b)->func]);
}

enum ldx_end ldx_block_end(const ldx_block *b)
{
	static const uint8_t end[] = {[END_FALL] = LDX_END_FALL,
		[END_JUMP] = LDX_END_JUMP,
		[END_BRANCH] = LDX_END_BRANCH,
		[END_CALL] = LDX_END_CALL,
		[END_TABLE] = LDX_END_TABLE,
		[END_LEAVE] = LDX_END_INDIRECT,
		[END_RET] = LDX_END_RETURN,
		[END_TRAP] = LDX_END_TRAP,
		[END_SYSCALL] = LDX_END_SYSCALL};
	return (enum ldx_end)end[block_of(b)->end];
}

/* Instructions ------------------------------------------------------------- */

uint32_t block_with(const struct cfg *g, const struct insn *in)
{
	uint32_t i = (uint32_t)(in - g->insn.v);
	size_t b;
	BISECT(b, 0, g->block.n, g->block.v[b].insn + g->block.v[b].ninsn <= i);
	return (uint32_t)b;
}

const ldx_insn *ldx_next_insn(const ldx_block *b, const ldx_insn *i)
{
	const struct block *bl = block_of(b);
	const struct insn *first = &graph()->insn.v[bl->insn], *in = i ? insn_of(i) + 1 : first;
	return in < first + bl->ninsn ? (const ldx_insn *)(const void *)in : NULL;
}

const ldx_block *ldx_insn_block(const ldx_insn *i)
{
	return block_handle(block_with(graph(), insn_of(i)));
}

unsigned ldx_insn_size(const ldx_insn *i)
{
	return insn_of(i)->len;
}

const struct code_section *section_with(const struct insn *in)
{
	const struct cfg *g = graph();
	return &g->text.v[g->func.v[g->block.v[block_with(g, in)].func].text];
}

/* The mnemonic, NUL and the operands, as ldxprof shows them. */
static bool read_parts(const ldx_insn *i, char parts[DISASSEMBLER_PARTS])
{
	const struct cfg *g = graph();
	const struct insn *in = insn_of(i);
	if (!asking->disassembler)
		asking->disassembler = disassembler_new(
			platform_find(g->obj->machine, g->obj->word, g->obj->big));
	return disassembler_parts(asking->disassembler, insn_bytes(section_with(in), in), in->len,
		in->off, parts);
}

const char *ldx_insn_mnemonic(const ldx_insn *i)
{
	char parts[DISASSEMBLER_PARTS];
	return read_parts(i, parts) ? arena_printf(graph()->arena, "%s", parts) : "?";
}

const char *ldx_insn_text(const ldx_insn *i)
{
	char parts[DISASSEMBLER_PARTS];
	if (!read_parts(i, parts))
		return "?";
	const char *operands = parts + strlen(parts) + 1;
	return arena_printf(graph()->arena, "%s%s%s", parts, *operands ? " " : "", operands);
}

unsigned ldx_insn_class(const ldx_insn *i)
{
	const struct insn *in = insn_of(i);
	return insn_class(graph()->target, insn_bytes(section_with(in), in), in);
}

unsigned ldx_insn_accesses(const ldx_insn *i)
{
	const struct insn *in = insn_of(i);
	return insn_accesses(graph()->target, insn_bytes(section_with(in), in), in);
}

unsigned ldx_access_kind(const ldx_insn *i, unsigned n)
{
	const struct insn *in = insn_of(i);
	return insn_access_kind(graph()->target, insn_bytes(section_with(in), in), in, n);
}

unsigned ldx_access_size(const ldx_insn *i, unsigned n)
{
	const struct insn *in = insn_of(i);
	return insn_access_size(graph()->target, insn_bytes(section_with(in), in), in, n);
}

static bool ends_block(const struct cfg *g, const struct block *bl, const struct insn *in)
{
	return in == &g->insn.v[bl->insn + bl->ninsn - 1];
}

/* The symbol that the last instruction of a block calls or jumps to; NULL: none. */
static const struct symbol *called_symbol(const struct insn *in)
{
	const struct cfg *g = graph();
	const struct block *bl = &g->block.v[block_with(g, in)];
	bool leads = bl->end == END_CALL || bl->end == END_JUMP || bl->end == END_BRANCH ||
		bl->end == END_LEAVE;
	return leads && ends_block(g, bl, in) ? named_at_end(g, bl) : NULL;
}

const char *ldx_insn_callee_name(const ldx_insn *i)
{
	const struct symbol *s = called_symbol(insn_of(i));
	return s && *s->name ? s->name : NULL;
}

/* A relocation names the callee of an indirect call: the function of this object, or NULL. */
static const ldx_func *named_callee(const struct insn *in)
{
	const struct cfg *g = graph();
	const struct symbol *s = cfg_callee_symbol(g, section_with(in), (uint32_t)(in - g->insn.v));
	const struct code_section *t = s && symbol_type(s) != STT_GNU_IFUNC ? cfg_section(g, s->sec)
									    : NULL;
	uint32_t f = t ? cfg_func_at(g, t, s->value) : NO_FUNC;
	return f == NO_FUNC || g->func.v[f].start != s->value ? NULL : func_handle(&g->func.v[f]);
}

const ldx_func *ldx_insn_callee(const ldx_insn *i)
{
	const struct cfg *g = graph();
	const struct insn *in = insn_of(i);
	const struct block *bl = &g->block.v[block_with(g, in)];
	if (!ends_block(g, bl, in) || bl->elsewhere)
		return NULL;
	if (bl->chosen || bl->target == NO_BLOCK)
		return named_callee(in);
	if (bl->end != END_CALL && g->block.v[bl->target].func == bl->func)
		return NULL;
	return func_handle(&g->func.v[g->block.v[bl->target].func]);
}
