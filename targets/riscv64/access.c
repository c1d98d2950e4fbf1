/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.c - what an instruction does to memory, and where control goes behind it
 *
 * Not known: vectors, operations on cache blocks, and compare and swap.
 */
#include "targets/access.h"
#include "targets/riscv64/riscv64.h"

static int8_t reg(unsigned number)
{
	return number ? (int8_t)number : -1;
}

static struct access based(uint32_t w, int64_t disp, unsigned size, bool store)
{
	struct access a = access_none;

	a.base = reg(rv_rs1(w));
	a.disp = disp;
	a.size = (uint16_t)size;
	a.writes = store;
	a.reads = !store;
	return a;
}

static int64_t store_distance(uint32_t w)
{
	return (rv_imm(w) & ~31) | (int32_t)rv_bits(w, 7, 5);
}

static void set_value(unsigned number, bool fp, struct access *a)
{
	a->value_kind = fp ? VALUE_VECTOR : VALUE_REG;
	a->value = fp ? (int8_t)number : reg(number);
	a->extend = fp ? EXTEND_KEEP : EXTEND_SIGN;
	if (a->value < 0)
		a->value_kind = a->writes ? VALUE_CONST : VALUE_OTHER;
}

static void load(uint32_t w, bool fp, struct action *action)
{
	struct access a = based(w, rv_imm(w), 1u << (rv_f3(w) & (fp ? 7 : 3)), false);

	set_value(rv_rd(w), fp, &a);
	if (!fp && rv_f3(w) >= 4)
		a.extend = EXTEND_ZERO;
	action_add(action, a);
}

static void store(uint32_t w, bool fp, struct action *action)
{
	struct access a = based(w, store_distance(w), 1u << rv_f3(w), true);

	set_value(rv_rs2(w), fp, &a);
	action_add(action, a);
}

/* lr, sc, and others that load and store. */
static bool atomic(uint32_t w, struct action *action)
{
	enum { LR = 2, SC = 3, CAS = 5 };
	unsigned what = w >> 27;
	struct access a = based(w, 0, 1u << rv_f3(w), what == SC);

	if (what == CAS || rv_f3(w) > 3)
		return false;
	a.writes = what != LR;
	a.perhaps = what == SC;
	if (what == LR || what == SC)
		set_value(what == LR ? rv_rd(w) : rv_rs2(w), false, &a);
	action_add(action, a);
	return true;
}

static void branch(uint32_t w, struct condition *c)
{
	static const uint8_t relation[8] = {RELATION_EQ, RELATION_NE, 0, 0, RELATION_LT,
		RELATION_GE, RELATION_LTU, RELATION_GEU};

	c->relation = relation[rv_f3(w)];
	c->size = 8;
	c->a = reg(rv_rs1(w));
	c->b = reg(rv_rs2(w));
}

static void control(const uint8_t *p, const struct insn *in, uint32_t w, struct action *action)
{
	switch (in->kind) {
	case INSN_SYSCALL:
	case INSN_TRAP: action->leads = LEADS_AWAY; return;
	case INSN_JUMP_IND:
	case INSN_CALL_IND:
	case INSN_RET:
		action->leads = LEADS_REGISTER;
		action->reg = reg(rv_rs1(w));
		action->distance = rv_imm(w);
		action->even = true;
		break;
	case INSN_BRANCH: branch(w, &action->condition); /* fall through */
	case INSN_JUMP:
	case INSN_CALL:
		action->leads = LEADS_DIRECT;
		action->distance = rv_distance(in, p, in->len);
		break;
	default: return;
	}
	action->calls = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	action->returns = in->kind == INSN_RET;
	if (action->calls)
		action->link = reg(rv_rd(in->len == 8 ? get_u32(p + 4) : w));
}

unsigned rv_actions(const uint8_t *p, const struct insn *in, struct action *out)
{
	uint32_t w = rv_word(p);
	bool known = true;

	out[0] = action_none;
	if (in->flags & INSN_VAGUE)
		return 0;
	control(p, in, w, &out[0]);
	if (out[0].leads != LEADS_ON)
		return 1;
	switch (rv_op(w)) {
	case RV_LOAD: load(w, false, &out[0]); break;
	case RV_LOAD_FP: load(w, true, &out[0]); break;
	case RV_STORE: store(w, false, &out[0]); break;
	case RV_STORE_FP: store(w, true, &out[0]); break;
	case RV_AMO: known = atomic(w, &out[0]); break;
	case RV_FENCE: known = rv_f3(w) < 2; break;
	default: break;
	}
	return known;
}
