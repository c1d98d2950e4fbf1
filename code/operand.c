/* SPDX-License-Identifier: Apache-2.0 */
/* operand.c - accesses of instructions as what inserted code makes; see operand.h */
#include "code/operand.h"

/* An access, with its action and the offset of that one's part. */
struct found {
	const struct action *action;
	const struct access *access;
	uint64_t off;
};

static const char *find(const struct target *t, const struct section *s, const struct insn *in,
	unsigned n, struct action *actions, struct found *f)
{
	unsigned nactions = t->actions ? t->actions(s->data + in->off, in, actions) : 0;
	if (!nactions)
		return "its accesses are not known";
	for (unsigned i = 0; i < nactions; n -= actions[i++].naccess)
		if (n < actions[i].naccess) {
			*f = (struct found){&actions[i], &actions[i].access[n],
				in->off + (uint64_t)actions[i].at};
			return NULL;
		}
	return "it has no such access";
}

/* The relocation of the access's displacement; NULL: there is none. */
static const struct reloc *find_reloc(const struct target *t, const struct section *s,
	const struct insn *in, const struct found *f)
{
	uint64_t at = f->off + f->access->disp_off;
	if (f->access->implicit)
		return NULL;
	for (uint32_t k = section_first_reloc(s, at); k < s->nrel && s->rel[k].off == at; k++)
		if (s->rel[k].type != R_NONE && t->reloc_info(s->rel[k].type)->size &&
			s->rel[k].off < in->off + (uint64_t)in->len)
			return &s->rel[k];
	return NULL;
}

static const char *set_reloc(const struct object *obj, const struct section *s,
	const struct insn *in, const struct reloc *r, struct address *o)
{
	const struct target *t = target_for(obj);
	if (!r)
		return o->pc_rel ? "it is in code" : NULL;
	o->type = r->type;
	o->sym = r->sym;
	o->local = symbol_bind(&obj->sym.v[r->sym]) == STB_LOCAL;
	o->foreign = obj->sym.v[r->sym].sec == SEC_UNDEF &&
		symbol_bind(&obj->sym.v[r->sym]) != STB_WEAK;
	o->n = r->addend + (o->pc_rel ? (int64_t)(in->off + (uint64_t)in->len - r->off) : 0);
	o->relaxes = r + 1 < s->rel + s->nrel && r[1].off == r->off &&
		t->reloc_info(r[1].type)->relax;
	return t->micro->operand_reloc(o);
}

static unsigned log2_of(unsigned n)
{
	return (unsigned)__builtin_ctz(n);
}

const char *operand_address(const struct object *o, const struct section *s, const struct insn *in,
	unsigned n, struct address *out)
{
	struct action actions[ACTIONS];
	struct found f;
	const char *why = find(target_for(o), s, in, n, actions, &f);
	if (why)
		return why;
	const struct access *a = f.access;
	if (a->lanes >= 0)
		return "its elements have addresses of their own";
	if (a->span != SPAN_FROM && !a->size)
		return "the CPU says how large it is";
	if (a->segment == SEGMENT_GS)
		return "the base of its segment cannot be read";
	if (f.action != actions && actions->link >= 0 &&
		(a->base == actions->link || a->index == actions->link))
		return "the call in front of it makes its address";
	*out = (struct address){.base = a->base,
		.index = a->index,
		.scale = a->scale,
		.index_size = a->index_size,
		.index_sext = a->index_sext,
		.low = a->low,
		.segment = a->segment,
		.round = a->span == SPAN_FROM ? 0 : (uint8_t)log2_of(a->size),
		.pc_rel = a->pc_rel,
		.spare = a->index >= 0 || a->segment != SEGMENT_NONE,
		.n = a->disp};
	return set_reloc(o, s, in, find_reloc(target_for(o), s, in, &f), out);
}

const char *operand_delayed(const struct object *o, const struct section *s, const struct insn *in,
	const struct operation *op, struct address *out)
{
	const struct target *t = target_for(o);
	uint32_t k = section_first_reloc(s, in->off);
	bool linked = k < s->nrel && s->rel[k].off < in->off + (uint64_t)in->len;
	bool moves = op->op == OP_MOVE && op->size >= t->word;
	bool stack = op->index == t->stack_reg; /* the base may be that, too */
	*out = (struct address){.base = (int8_t)(moves	? op->src
						: stack ? op->index
							: op->base),
		.index = (int8_t)(stack ? op->base : op->index),
		.scale = 1,
		.index_size = 8,
		.spare = op->index >= 0,
		.n = op->disp};
	if (op->op == OP_IMM)
		out->n = op->imm;
	else if ((!moves && op->op != OP_LEA) || op->scale != 1)
		return "the delay slot makes it";
	return linked ? set_reloc(o, s, in, &s->rel[k], out) : NULL;
}

const char *operand_length(const struct object *o, const struct section *s, const struct insn *in,
	unsigned n, struct address *out)
{
	struct action actions[ACTIONS];
	struct found f;
	const char *why = find(target_for(o), s, in, n, actions, &f);
	if (why)
		return why;
	const struct access *a = f.access;
	if (!a->size)
		return "the CPU says how large it is";
	if (f.action->rounds > ROUNDS_COUNT)
		return "it compares, and ends earlier perhaps";
	*out = (struct address){.base = -1, .index = -1, .scale = 1};
	if (f.action->rounds == ROUNDS_ONE) {
		out->n = a->size * a->elements;
		return NULL;
	}
	out->index = f.action->count;
	out->index_size = 8;
	out->scale = (uint8_t)a->size;
	out->spare = true;
	return NULL;
}

const char *operand_target(const struct object *o, const struct section *s, const struct insn *in,
	struct address *out)
{
	struct action action[ACTIONS];
	const struct target *t = target_for(o);
	const char *why = NULL;
	if (!t->actions || !t->actions(s->data + in->off, in, action))
		return "it is not known what it does";
	*out = (struct address){.base = action->reg,
		.index = -1,
		.scale = 1,
		.n = action->distance};
	out->round = action->even;
	if (action->leads == LEADS_MEMORY)
		why = operand_address(o, s, in, 0, out), out->loads = true;
	else if (action->leads != LEADS_REGISTER)
		why = "it leads to one place only, or nowhere";
	return why;
}

const char *operand_taken(const struct object *o, const struct section *s, const struct insn *in,
	struct condition *out)
{
	struct action action[ACTIONS];
	const struct target *t = target_for(o);
	struct code c;
	if (in->kind != INSN_BRANCH || !t->actions || !t->actions(s->data + in->off, in, action))
		return "it is no conditional branch";
	*out = action->condition;
	if (out->a == t->stack_reg || out->b == t->stack_reg)
		return "it compares the stack pointer";
	code_start(&c);
	bool can = t->micro->condition(&c, t->abi.arg[0], out);
	code_free(&c);
	return can ? NULL : "its condition is in no register that code can read";
}

const char *operand_value(const struct object *o, const struct section *s, const struct insn *in,
	unsigned n, bool stores, int *reg, unsigned *size, int64_t *number)
{
	struct action actions[ACTIONS];
	const struct target *t = target_for(o);
	struct found f;
	const char *why = find(t, s, in, n, actions, &f);
	if (why)
		return why;
	const struct access *a = f.access;
	if (stores ? !a->writes || a->reads : !a->reads || a->writes)
		return stores ? "it does not only store" : "it does not only load";
	if ((a->value_kind != VALUE_REG && a->value_kind != VALUE_CONST) || a->elements > 1 ||
		a->size > t->word || a->span != SPAN_FROM || a->perhaps)
		return "it is not the value of a register";
	if (f.action != actions && (!stores || actions->link >= 0))
		return "it is in the delay slot of a call";
	if (a->value_kind == VALUE_REG && a->value == t->stack_reg)
		return "it is the stack pointer";
	*reg = a->value_kind == VALUE_REG ? a->value : -1;
	*size = a->size;
	*number = a->constant & (int64_t)(UINT64_MAX >> (64 - 8 * a->size));
	if (*reg < 0 && find_reloc(t, s, in, &f))
		return "the linker puts it there";
	return NULL;
}

struct comparison operand_comparison(const struct section *s, const struct target *t,
	const struct insn *in)
{
	struct action actions[ACTIONS];
	if (!t->actions || !t->actions(s->data + in->off, in, actions))
		return (struct comparison){0};
	return action_compares(actions, t->word);
}

const char *operand_compared(const struct object *o, const struct section *s, const struct insn *in,
	unsigned n, int *reg, unsigned *size, int64_t *number)
{
	const struct target *t = target_for(o);
	struct comparison c = operand_comparison(s, t, in);
	uint64_t at = in->off + (uint64_t)c.imm_off;
	uint32_t k = section_first_reloc(s, c.imm_off ? at : in->off);
	if (!c.size || n > 1)
		return "it compares no such values";
	*reg = c.value[n];
	*size = compares_bytes(&c, n);
	*number = c.with & (int64_t)(UINT64_MAX >> (64 - 8 * c.size));
	if (*reg == COMPARES_MEMORY)
		return "it is in memory";
	if (*reg == t->stack_reg)
		return "it is the stack pointer";
	bool linked = k < s->nrel &&
		(c.imm_off ? s->rel[k].off == at
			   : in->kind != INSN_BRANCH &&
					s->rel[k].off < in->off + (uint64_t)in->len);
	return *reg < 0 && linked ? "the linker puts it there" : NULL;
}
