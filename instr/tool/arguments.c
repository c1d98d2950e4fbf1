/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.c - what tools ask to be passed: include/ldx/tool.h */
#include "instr/tool/session.h"

#include "cfg/scaled.h"
#include "code/operand.h"

#include <stdlib.h>

enum {
	ARG_NUMBER,
	ARG_DATA,
	ARG_REGISTER,
	ARG_STACK,
	ARG_CALL,
	ARG_RESULT,
	ARG_ACCESS,
	ARG_LENGTH,
	ARG_VALUE,
	ARG_TAKEN,
	ARG_COMPARED,
	ARG_TARGET,
	ARG_RETURN,
	ARG_FUNC,
	ARG_INSN,
};

ldx_arg ldx_number(uint64_t n)
{
	return (ldx_arg){.kind = ARG_NUMBER, .number = n};
}

ldx_arg ldx_bytes(const void *p, size_t n, size_t align)
{
	struct buf *data = &asking->data;
	if (align & (align - 1) || align > DATA_ALIGN)
		tool_error("bytes with alignment %zu", align);
	if (n > DATA_MOST - data->n)
		tool_error("its bytes and strings are more than the possible 1 GB");
	while (align && data->n % align)
		buf_u8(data, 0);
	ldx_arg a = {.kind = ARG_DATA, .number = data->n};
	buf_put(data, p, n);
	a.data = (const void *)data->n; /* where they end */
	return a;
}

ldx_arg ldx_bytes_at(ldx_arg bytes, size_t n)
{
	if (bytes.kind != ARG_DATA)
		tool_error("ldx_bytes_at() of what is no bytes");
	if (n > (uintptr_t)bytes.data - bytes.number)
		tool_error("ldx_bytes_at() of a place behind the bytes");
	bytes.number += n;
	return bytes;
}

ldx_arg ldx_string(const char *s)
{
	return ldx_bytes(s, strlen(s) + 1, 1);
}

ldx_arg ldx_register(const char *name)
{
	const struct target *t = asking->g->target;
	for (unsigned r = 0; r < REG_VECTOR; r++)
		if (t->reg_name[r] && !strcmp(t->reg_name[r], name))
			return (ldx_arg){.kind = ARG_REGISTER, .reg = r};
	tool_error("%s has no general register %s", t->name, name);
}

ldx_arg ldx_stack(void)
{
	return (ldx_arg){.kind = ARG_STACK};
}

ldx_arg ldx_call_arg(unsigned n)
{
	return (ldx_arg){.kind = ARG_CALL, .reg = n};
}

ldx_arg ldx_result(void)
{
	return (ldx_arg){.kind = ARG_RESULT};
}

ldx_arg ldx_access_address(const ldx_insn *i, unsigned n)
{
	return (ldx_arg){.kind = ARG_ACCESS, .reg = n, .data = i};
}

ldx_arg ldx_access_length(const ldx_insn *i, unsigned n)
{
	return (ldx_arg){.kind = ARG_LENGTH, .reg = n, .data = i};
}

ldx_arg ldx_access_value(const ldx_insn *i, unsigned n)
{
	return (ldx_arg){.kind = ARG_VALUE, .reg = n, .data = i};
}

ldx_arg ldx_branch_taken(const ldx_insn *i)
{
	return (ldx_arg){.kind = ARG_TAKEN, .data = i};
}

static const struct func *func_with(const struct insn *in)
{
	const struct cfg *g = asking->g;
	return &g->func.v[g->block.v[block_with(g, in)].func];
}

uint64_t ldx_insn_offset(const ldx_insn *i)
{
	return insn_of(i)->off - func_with(insn_of(i))->start;
}

static struct comparison compares(const ldx_insn *i)
{
	const struct cfg *g = asking->g;
	return operand_comparison(g->text.v[func_with(insn_of(i))->text].sec, g->target,
		insn_of(i));
}

unsigned ldx_compare_size(const ldx_insn *i)
{
	return compares(i).size;
}

int ldx_compare_memory(const ldx_insn *i)
{
	struct comparison c = compares(i);
	for (int n = 0; n < 2; n++)
		if (c.value[n] == COMPARES_MEMORY)
			return n;
	return -1;
}

ldx_arg ldx_compare_value(const ldx_insn *i, unsigned n)
{
	return (ldx_arg){.kind = ARG_COMPARED, .reg = n, .data = i};
}

ldx_arg ldx_target(const ldx_insn *i)
{
	return (ldx_arg){.kind = ARG_TARGET, .data = i};
}

ldx_arg ldx_return_address(void)
{
	return (ldx_arg){.kind = ARG_RETURN};
}

ldx_arg ldx_func_address(const ldx_func *f)
{
	return (ldx_arg){.kind = ARG_FUNC, .data = f};
}

ldx_arg ldx_insn_address(const ldx_insn *i)
{
	return (ldx_arg){.kind = ARG_INSN, .data = i};
}

/* The instruction that the site is in front of, or NULL. */
static const struct insn *insn_behind(const struct tool_site *s)
{
	const struct cfg *g = asking->g;
	const struct block *bl = &g->block.v[s->block];
	if (s->event || s->lands)
		return NULL;
	if (s->k == NO_K) /* an exit by its last one */
		return s->at.runs == RUNS_ALL ? &g->insn.v[s->at.branch] : NULL;
	return s->k < bl->ninsn ? &g->insn.v[bl->insn + s->k] : NULL;
}

static bool is_before(const struct tool_site *s, const struct insn *in)
{
	return in == insn_behind(s);
}

/* Does it load from a jump table that is made anew, with larger entries? */
static bool loads_scaled(struct tools *t, const struct insn *in)
{
	const struct cfg *g = t->g;
	if (!t->scaled) {
		const struct code_section *last = &g->text.v[g->text.n - 1];
		t->scaled = arena_array(g->arena, bool, last->insn + last->ninsn + 1);
		for (size_t i = 0; i < g->scaled.n; i++)
			t->scaled[g->scaled.v[i].insn[SCALED_LOAD]] = true;
	}
	return t->scaled[in - g->insn.v];
}

static const char *convert_access(const struct tool_site *s, const ldx_arg *a, struct call_arg *out)
{
	const struct cfg *g = asking->g;
	const struct insn *in = insn_of(a->data);
	struct address *o = arena_new(g->arena, struct address);
	bool length = a->kind == ARG_LENGTH;
	const char *why = (length ? operand_length : operand_address)(g->obj,
		g->text.v[s->at.text].sec, in, a->reg, o);
	if (!is_before(s, in))
		return "it is not in front of that instruction";
	if (loads_scaled(asking, in))
		return "it loads from a jump table that is made anew";
	*out = (struct call_arg){.gives = length ? GIVES_LENGTH : GIVES_ACCESS,
		.reg = (uint8_t)a->reg,
		.operand = o};
	if (length && !why && o->index < 0)
		*out = (struct call_arg){.gives = GIVES_NUMBER, .number = o->n};
	return why;
}

static const char *convert_branch(const struct tool_site *s, const ldx_arg *a, struct call_arg *out)
{
	const struct cfg *g = asking->g;
	const struct insn *in = insn_of(a->data);
	const struct section *sec = g->text.v[s->at.text].sec;
	if (!is_before(s, in))
		return "it is not in front of that instruction";
	if (a->kind == ARG_TAKEN) {
		struct condition *c = arena_new(g->arena, struct condition);
		*out = (struct call_arg){.gives = GIVES_TAKEN, .condition = c};
		return operand_taken(g->obj, sec, in, c);
	}
	struct address *to = arena_new(g->arena, struct address);
	*out = (struct call_arg){.gives = GIVES_TARGET, .operand = to};
	return operand_target(g->obj, sec, in, to);
}

static const char *convert_value(const struct tool_site *s, const ldx_arg *a, struct call_arg *out)
{
	const struct cfg *g = asking->g;
	const struct insn *in = insn_of(a->data);
	const struct block *bl = &g->block.v[s->block];
	bool stores = is_before(s, in);
	int reg;
	unsigned size;
	int64_t number;
	if (!stores && (s->k == NO_K || !s->k || in != &g->insn.v[bl->insn + s->k - 1]))
		return "it is neither in front of that instruction nor behind it";
	const char *why = operand_value(g->obj, g->text.v[s->at.text].sec, in, a->reg, stores, &reg,
		&size, &number);
	if (why)
		return why;
	*out = (struct call_arg){.gives = GIVES_VALUE,
		.reg = (uint8_t)a->reg,
		.from = (uint8_t)reg,
		.size = (uint8_t)size};
	if (reg < 0)
		*out = (struct call_arg){.gives = GIVES_NUMBER, .number = number};
	return NULL;
}

static const char *convert_compared(const struct tool_site *s, const ldx_arg *a,
	struct call_arg *out)
{
	const struct cfg *g = asking->g;
	int reg;
	unsigned size;
	int64_t number;
	if (!is_before(s, insn_of(a->data)))
		return "it is not in front of that instruction";
	const char *why = operand_compared(g->obj, g->text.v[s->at.text].sec, insn_of(a->data),
		a->reg, &reg, &size, &number);
	if (why)
		return why;
	*out = (struct call_arg){.gives = GIVES_COMPARED,
		.reg = (uint8_t)a->reg,
		.from = (uint8_t)reg,
		.size = (uint8_t)size};
	if (reg < 0)
		*out = (struct call_arg){.gives = GIVES_NUMBER, .number = number};
	return NULL;
}

/* At a function's entry, nothing has been executed yet but landing instructions. */
static const char *convert_return(const struct tool_site *s, struct call_arg *out)
{
	const struct target *t = asking->g->target;
	if (!s->entry)
		return "no function is entered there";
	*out = (struct call_arg){.gives = GIVES_RETURN};
	if (t->link_reg >= 0)
		*out = (struct call_arg){.gives = GIVES_REGISTER, .reg = (uint8_t)t->link_reg};
	return NULL;
}

static struct call_arg convert_place(const ldx_arg *a)
{
	const struct cfg *g = asking->g;
	bool exact = a->kind == ARG_INSN;
	const struct insn *in = exact ? insn_of(a->data) : NULL;
	const struct func *f = exact ? func_with(in) : a->data;
	return (struct call_arg){.gives = GIVES_PLACE,
		.sym = g->text.v[f->text].sec->index,
		.number = exact ? in->off : (int64_t)f->start,
		.exact = exact};
}

/*
 * A register as it is when control has left by the instruction behind the site.
 *
 * What a call passes, and what a function returns, may be made in a delay slot, behind the site.
 */
static const char *convert_passed(const struct tool_site *s, unsigned reg, struct call_arg *out)
{
	const struct cfg *g = asking->g;
	const struct target *t = g->target;
	const struct section *sec = g->text.v[s->at.text].sec;
	const struct insn *in = insn_behind(s);
	struct insn part[INSN_PARTS];
	struct operation op;
	*out = (struct call_arg){.gives = GIVES_REGISTER, .reg = (uint8_t)reg};
	if (!in || insn_parts(t, cfg_decoder(g, 0), sec->data + in->off, in, part) == 1 ||
		!(insn_effects(&part[1])->clobbers & REG_BIT(reg)))
		return NULL;
	t->describe(cfg_decoder(g, 0), sec->data + part[1].off, &part[1], &op);
	if (op.dst != (int)reg || s->at.off != in->off)
		return "the delay slot makes it";
	struct address *o = arena_new(g->arena, struct address);
	const char *why = operand_delayed(g->obj, sec, &part[1], &op, o);
	*out = (struct call_arg){.gives = GIVES_DELAYED, .reg = (uint8_t)reg, .operand = o};
	if (!why && o->base < 0 && o->index < 0 && !o->type)
		*out = (struct call_arg){.gives = GIVES_NUMBER, .number = o->n};
	return why;
}

const char *argument_convert(const struct tool_site *s, const ldx_arg *a, struct call_arg *out)
{
	static const char nothing[] = "no such argument is passed there";
	const struct target *t = asking->g->target;
	switch (a->kind) {
	case ARG_NUMBER:
		*out = (struct call_arg){.gives = GIVES_NUMBER, .number = (int64_t)a->number};
		return NULL;
	case ARG_DATA:
		*out = (struct call_arg){.gives = GIVES_ADDRESS, .number = (int64_t)a->number};
		return NULL;
	case ARG_REGISTER:
		if (s->event)
			return nothing;
		*out = (struct call_arg){.gives = GIVES_REGISTER, .reg = (uint8_t)a->reg};
		return NULL;
	case ARG_STACK:
		*out = (struct call_arg){.gives = GIVES_STACK};
		return s->event ? nothing : NULL;
	case ARG_CALL:
		if (a->reg >= sizeof t->abi.arg || !(s->passes & PASSES_ARGUMENTS))
			return nothing;
		return convert_passed(s, t->abi.arg[a->reg], out);
	case ARG_RESULT:
		return s->passes & PASSES_RESULT ? convert_passed(s, t->abi.result, out) : nothing;
	case ARG_ACCESS:
	case ARG_LENGTH: return convert_access(s, a, out);
	case ARG_VALUE: return convert_value(s, a, out);
	case ARG_COMPARED: return convert_compared(s, a, out);
	case ARG_TAKEN:
	case ARG_TARGET: return convert_branch(s, a, out);
	case ARG_RETURN: return convert_return(s, out);
	case ARG_FUNC:
	case ARG_INSN: *out = convert_place(a); return NULL;
	default: tool_error("an argument that no function of ldx/tool.h made");
	}
}

ldx_arg ldx_words(const ldx_arg *v, size_t n)
{
	ldx_arg a = ldx_bytes("", 0, 16);
	for (size_t k = 0; k < n; k++) {
		uint8_t word[8];
		struct data_word w = {.off = asking->data.n};
		if (v[k].kind != ARG_NUMBER && v[k].kind != ARG_DATA && v[k].kind != ARG_FUNC &&
			v[k].kind != ARG_INSN)
			tool_error("a word of ldx_words() is known in the program only");
		argument_convert(NULL, &v[k], &w.is);
		put_word(word, 8, asking->g->obj->big,
			w.is.gives == GIVES_NUMBER ? (uint64_t)w.is.number : 0);
		buf_put(&asking->data, word, 8);
		if (w.is.gives != GIVES_NUMBER)
			vec_push(&asking->word, w);
	}
	a.data = (const void *)asking->data.n;
	return a;
}

bool argument_of_insn(const ldx_arg *a)
{
	return a->kind >= ARG_ACCESS && a->kind <= ARG_TARGET;
}
