/* SPDX-License-Identifier: Apache-2.0 */
/* given.c - what routines must be given: executed by what instructions mean, not by inserted code
 */
#include "verify/trial.h"

#include "targets/access.h"
#include "verify/places.h"

#define LABEL 0x634000u
#define OPERANDS 0x10000000u
#define PLACE 0x800000u /* of the instruction whose accesses are arguments */

bool label_of(const struct verify *v, const struct object *o, const struct reloc *r, int64_t adj,
	uint32_t *sec, uint64_t *off)
{
	const struct reloc_info *info = v->target->reloc_info(r->type);
	if (!info->size || !place_of(o, r, info->role == ROLE_PART ? -r->addend : adj, sec, off) ||
		!section_is_code(&o->sec.v[*sec]))
		return false;
	bool local = r->sym >= LABEL_SYM || symbol_bind(&o->sym.v[r->sym]) == STB_LOCAL;
	return info->role != ROLE_GOT || (info->entry && local);
}

uint64_t named_address(const struct verify *v, const struct object *o, const struct reloc *r,
	unsigned field_end, uint64_t seed)
{
	const struct reloc_info *info = v->target->reloc_info(r->type);
	bool relative = info->role == ROLE_PCREL;
	uint32_t sec;
	uint64_t off, key = (relative ? ROLE_ABS : info->role) * 0x10001u + seed;
	if (label_of(v, o, r, 0, &sec, &off))
		return LABEL + (next_random(&key) & 0xfff0) -
			(relative && !v->target->form->at_field ? field_end : 0);
	key ^= (uint64_t)r->sym << 32;
	return OPERANDS + (next_random(&key) >> 20 & 0x3fffff0) + (uint64_t)r->addend;
}

uint64_t argument_label(unsigned number, uint64_t seed)
{
	uint64_t key = seed + ((uint64_t)number << 32);
	return LABEL + (number << 20) + (next_random(&key) >> 20 & 0xffff0);
}

/* The value of a register, or of the low bytes of it. */
static uint64_t low_bytes(const struct machine *m, int reg, unsigned size, bool sign)
{
	uint64_t value = reg < 0 ? 0 : m->reg[reg];
	if (size >= 8)
		return value;
	return sign ? (uint64_t)sign_extend(value, 8 * size)
		    : value & ((UINT64_C(1) << 8 * size) - 1);
}

/* The address or the length of an access, with state m in front of it. */
static uint64_t evaluate(const struct verify *v, const struct action *action,
	const struct access *a, bool length, const struct machine *m)
{
	if (length)
		return (uint64_t)a->size * a->elements *
			(action->rounds == ROUNDS_ONE ? 1 : low_bytes(m, action->count, 8, false));
	uint64_t at = low_bytes(m, a->base, 8, false) + (uint64_t)a->disp +
		(a->pc_rel ? PLACE : 0) +
		low_bytes(m, a->index, a->index_size, a->index_sext) * a->scale;
	at &= a->low ? UINT32_MAX : UINT64_MAX;
	if (a->segment == SEGMENT_FS) /* psABI: there the thread pointer is in memory */
		at += machine_load(m, m->tls, v->target->word);
	return a->span == SPAN_FROM ? at : at & ~(uint64_t)(a->size - 1);
}

/* The instruction, relocated as the last link would relocate it. */
static bool link_insn(const struct trial *t, struct insn *in, uint8_t *bytes, uint64_t seed)
{
	struct verify *v = t->v;
	const struct section *s = t->p->of;
	uint32_t off = t->p->call->of;
	if (off >= s->size || !v->target->decode(v->decoder, s->data + off, s->size - off, in))
		return false;
	memcpy(bytes, s->data + off, in->len);
	for (uint32_t k = section_first_reloc(s, off);
		k < s->nrel && s->rel[k].off < (uint64_t)off + in->len; k++) {
		const struct reloc *r = &s->rel[k];
		const struct reloc_info *info = v->target->reloc_info(r->type);
		uint8_t *field = bytes + (r->off - off);
		if (is_hint(v, r))
			continue;
		if (info->bits) {
			uint64_t mask = UINT64_MAX >> (64 - info->bits);
			uint64_t word = get_word(field, info->size, v->target->big);
			put_word(field, info->size, v->target->big, word & ~mask);
		}
		/* what is not of a memory operand remains as it is */
		v->target->relocate(field, r->type,
			named_address(v, v->a, r, (unsigned)(off + in->len - r->off), seed),
			PLACE + (r->off - off));
	}
	return true;
}

/* Does the condition of a branch hold? */
static bool holds(const struct condition *c, const struct machine *m)
{
	uint64_t a = low_bytes(m, c->a, 8, false);
	uint64_t b = c->b < 0 ? (uint64_t)c->with : low_bytes(m, c->b, 8, false);
	regset differ = m->flags & c->differ;
	bool flags = m->flags & c->set || ~m->flags & c->clear || (differ && differ != c->differ);
	if ((c->set | c->clear | c->differ) && flags == c->negated)
		return false;
	if (c->relation == RELATION_BIT || c->relation == RELATION_NO_BIT)
		return (a >> c->with & 1) == (c->relation == RELATION_BIT);
	if (c->size && c->size < 8)
		a = (uint64_t)sign_extend(a, 8 * c->size),
		b = (uint64_t)sign_extend(b, 8 * c->size);
	switch ((enum relation)c->relation) {
	case RELATION_NONE: return true;
	case RELATION_EQ: return a == b;
	case RELATION_NE: return a != b;
	case RELATION_LT: return (int64_t)a < (int64_t)b;
	case RELATION_GE: return (int64_t)a >= (int64_t)b;
	case RELATION_LE: return (int64_t)a <= (int64_t)b;
	case RELATION_GT: return (int64_t)a > (int64_t)b;
	case RELATION_LTU: return a < b;
	case RELATION_GEU: return a >= b;
	default: return false;
	}
}

/* What access n is asked for; false: there is none such. */
static bool find_access(const struct trial *t, const struct call_arg *a, const struct insn *in,
	const struct action *action, unsigned actions, const struct machine *before, uint64_t *want)
{
	const struct tool_call *call = t->p->call;
	unsigned n = a->reg, i = 0;
	while (i < actions && n >= action[i].naccess)
		n -= action[i++].naccess;
	if (i == actions)
		return false;
	const struct access *x = &action[i].access[n];
	if (a->gives == GIVES_VALUE) {
		bool stores = call->of == call->off;
		*want = low_bytes(before, x->value, x->size, false);
		return x->value_kind == VALUE_REG && (stores ? x->writes : x->reads) &&
			(stores || call->of + in->len == call->off);
	}
	*want = evaluate(t->v, &action[i], x, a->gives == GIVES_LENGTH, before);
	return call->of == call->off && x->lanes < 0 && x->size && action[i].rounds <= ROUNDS_COUNT;
}

/* What a register is behind the second part of an instruction. */
static bool find_delayed(const struct trial *t, const struct insn *in, const uint8_t *bytes,
	unsigned reg, const struct machine *before, uint64_t *want)
{
	const struct verify *v = t->v;
	struct machine m;
	struct insn part[INSN_PARTS];
	if (insn_parts(v->target, v->decoder, bytes, in, part) < 2)
		return false;
	machine_copy(&m, before);
	if (!v->target->run(&m, bytes + part[1].off - in->off, &part[1]) || m.bad)
		return false;
	*want = m.reg[reg];
	return true;
}

/* What argument a, of an instruction, must be. */
static bool find_wanted(const struct trial *t, const struct call_arg *a,
	const struct machine *before, uint64_t *want)
{
	uint8_t bytes[16];
	struct insn in = {0};
	struct action action[ACTIONS];
	if (!link_insn(t, &in, bytes, before->seed))
		return false;
	unsigned actions = t->v->target->actions(bytes, &in, action);
	const struct action *first = action;
	if (a->gives == GIVES_DELAYED)
		return t->p->call->of == t->p->call->off &&
			find_delayed(t, &in, bytes, a->reg, before, want);
	if (a->gives == GIVES_COMPARED) {
		struct comparison c = action_compares(first, t->v->target->word);
		unsigned size = compares_bytes(&c, a->reg);
		*want = low_bytes(before, c.value[a->reg & 1], size, false);
		return actions && c.size && c.value[a->reg & 1] >= 0 &&
			t->p->call->of == t->p->call->off;
	}
	if (a->gives != GIVES_TAKEN && a->gives != GIVES_TARGET)
		return find_access(t, a, &in, action, actions, before, want);
	if (!actions || t->p->call->of != t->p->call->off)
		return false;
	if (a->gives == GIVES_TAKEN) {
		*want = holds(&first->condition, before);
		return in.kind == INSN_BRANCH;
	}
	*want = low_bytes(before, first->reg, 8, false) + (uint64_t)first->distance;
	*want &= first->even ? ~(uint64_t)1 : UINT64_MAX;
	if (first->leads == LEADS_MEMORY)
		*want = machine_load(before,
			evaluate(t->v, first, &first->access[0], false, before),
			t->v->target->word);
	return first->leads == LEADS_MEMORY || first->leads == LEADS_REGISTER;
}

/* Is argument k the address of a label of code, and always of the same one? */
static bool is_place(const struct trial *t, const struct routine *r, unsigned k, uint64_t seed)
{
	uint8_t *label = &t->p->label[r == &t->predicate][k];
	for (unsigned i = 0; i < t->p->nlabel && (!*label || *label == i + 1); i++)
		if (r->given[k] == argument_label(i, seed))
			*label = (uint8_t)(i + 1);
	return *label && r->given[k] == argument_label(*label - 1u, seed);
}

bool given_value(const struct trial *t, const struct call_arg *a, const struct machine *before,
	uint64_t *want)
{
	*want = (uint64_t)a->number;
	switch ((enum gives)a->gives) {
	case GIVES_NUMBER: return true;
	case GIVES_ADDRESS: *want += ARGUMENT_DATA; return true;
	case GIVES_REGISTER: *want = before->reg[a->reg]; return true;
	case GIVES_STACK: *want += t->stack; return true;
	case GIVES_RETURN: *want = machine_load(before, t->stack, t->v->target->word); return true;
	case GIVES_PLACE: return false;
	default: return find_wanted(t, a, before, want);
	}
}

bool given_well(const struct trial *t, const struct routine *r, const struct machine *before)
{
	for (unsigned k = 0; r->times && k < r->call->nargs; k++) {
		const struct call_arg *a = &r->call->arg[k];
		uint64_t want;
		if (a->gives == GIVES_PLACE) {
			if (!is_place(t, r, k, before->seed))
				return false;
			continue;
		}
		if (!given_value(t, a, before, &want) || (r->given[k] ^ want) & word_max(t->v))
			return false;
	}
	return true;
}
