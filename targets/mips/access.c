/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.c - what an instruction does to memory, and where control goes behind it
 *
 * A branch is the first action, the instruction in its delay slot the second one.  Not known: MSA,
 * the DSP ASE but for lwx, and operations on caches.
 */
#include "targets/access.h"
#include "targets/mips/mips.h"

static int8_t reg(uint32_t w, unsigned at)
{
	unsigned number = mips_bits(w, at, 5);

	return number ? (int8_t)number : -1;
}

enum { STORES = 16, SIGNED = 32, FP = 64, PERHAPS = 128, BYTES = 15 };
/* By the first six bits: bytes, and what is done. */
static const uint8_t opcodes[64] = {
	[32] = 1 | SIGNED,
	[33] = 2 | SIGNED,
	[35] = 4 | SIGNED, /* lb, lh, lw */
	[36] = 1,
	[37] = 2,
	[39] = 4, /* lbu, lhu, lwu */
	[40] = 1 | STORES,
	[41] = 2 | STORES,
	[43] = 4 | STORES, /* sb, sh, sw */
	[48] = 4 | SIGNED,
	[52] = 8,
	[55] = 8, /* ll, lld, ld */
	[49] = 4 | FP,
	[53] = 8 | FP,
	[57] = 4 | FP | STORES,
	[61] = 8 | FP | STORES,
	[56] = 4 | STORES | PERHAPS,
	[60] = 8 | STORES | PERHAPS,
	[63] = 8 | STORES,
};

static void add(uint32_t w, unsigned what, unsigned value, int index, struct action *action)
{
	struct access a = access_none;

	a.base = reg(w, 21);
	a.index = (int8_t)index;
	a.size = what & BYTES;
	a.writes = what & STORES;
	a.reads = !a.writes;
	a.perhaps = what & PERHAPS;
	a.value = what & FP ? (int8_t)mips_bits(w, value, 5) : reg(w, value);
	a.value_kind = what & FP ? VALUE_VECTOR : VALUE_REG;
	a.extend = what & FP ? EXTEND_KEEP : what & SIGNED ? EXTEND_SIGN : EXTEND_ZERO;
	if (a.value < 0)
		a.value_kind = a.writes ? VALUE_CONST : VALUE_OTHER;
	if (index < 0)
		a.disp = (int16_t)w;
	action_add(action, a);
}

/* lwl, swl, ldl, sdl; lwr, swr, ldr, sdr: the bytes of an aligned word on one side of the address.
 */
static bool add_part(uint32_t w, struct action *action)
{
	unsigned op = w >> 26;
	bool left = op == 34 || op == 42 || op == 26 || op == 44;
	struct access a = access_none;

	if (!left && op != 38 && op != 46 && op != 27 && op != 45)
		return false;
	a.base = reg(w, 21);
	a.disp = (int16_t)w;
	a.size = op == 26 || op == 27 || op == 44 || op == 45 ? 8 : 4;
	a.writes = op >= 40;
	a.reads = !a.writes;
	a.span = left == MIPS_BIG ? SPAN_UP : SPAN_DOWN;
	action_add(action, a);
	return true;
}

/* cop1x: lwxc1 and others by the sum of two registers; luxc1, suxc1: aligned. */
static void add_indexed(uint32_t w, struct action *action)
{
	unsigned what = mips_bits(w, 0, 6), store = what & 8 ? STORES : 0;

	if (what >= 16 || what == 15)
		return;
	add(w, (what & 7 ? 8 : 4) | FP | store, store ? 11 : 6, reg(w, 16), action);
	action->access[0].disp = 0;
	action->access[0].span = (what & 7) == 5 ? SPAN_AROUND : SPAN_FROM;
}

static void branch(uint32_t w, struct action *action)
{
	struct condition *c = &action->condition;
	unsigned op = w >> 26;

	action->leads = LEADS_DIRECT;
	action->distance = sign_extend(w & 0xffff, 16) * 4 + 4;
	c->size = MIPS_WORD;
	c->a = reg(w, 21);
	if (op == 1 && mips_bits(w, 19, 2) == 2) { /* bal */
		action->link = MIPS_RA;
		c->a = -1;
	} else if (op == 1) {
		c->relation = w >> 16 & 1 ? RELATION_GE : RELATION_LT;
	} else if (op == 17) {
		c->relation = w >> 16 & 1 ? RELATION_FP_TRUE : RELATION_FP_FALSE;
		c->a = -1;
		c->with = mips_bits(w, 18, 3);
	} else {
		static const uint8_t relation[4] = {RELATION_EQ, RELATION_NE, RELATION_LE,
			RELATION_GT};

		c->relation = relation[op & 3];
		c->b = op & 2 ? -1 : reg(w, 16);
	}
}

/* Of a branch without its delay slot. */
static void control(uint32_t w, const struct insn *in, struct action *action)
{
	unsigned op = w >> 26;

	action->calls = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	action->returns = in->kind == INSN_RET;
	if (op == 0) {
		action->leads = LEADS_REGISTER;
		action->reg = reg(w, 21);
		action->link = action->calls ? reg(w, 11) : -1;
	} else if (op == 2 || op == 3) {
		action->leads = LEADS_REGION;
		action->distance = (int64_t)(w & 0x3ffffff) << 2;
		action->link = action->calls ? MIPS_RA : -1;
	} else {
		branch(w, action);
	}
}

/* False: not known. */
static bool plain(uint32_t w, struct action *action)
{
	unsigned op = w >> 26;

	if (op == 47 || op == 30) /* cache, MSA */
		return false;
	if (opcodes[op])
		add(w, opcodes[op], 16, -1, action);
	else if (op == 19)
		add_indexed(w, action);
	else if ((w & 0xfc0007ff) == 0x7c00000a) /* lwx */
		add(w, 4 | SIGNED, 11, reg(w, 16), action), action->access[0].disp = 0;
	else
		add_part(w, action);
	return true;
}

unsigned mips_actions(const uint8_t *p, const struct insn *in, struct action *out)
{
	uint32_t w = mips_word(p);

	out[0] = out[1] = action_none;
	if (in->flags & INSN_VAGUE)
		return 0;
	if (in->kind == INSN_SYSCALL || in->kind == INSN_TRAP) {
		out[0].leads = LEADS_AWAY;
		return 1;
	}
	if (in->len == 4)
		return plain(w, &out[0]);
	control(w, in, &out[0]);
	out[1].at = 4;
	out[1].if_taken = insn_is_likely(in);
	return plain(mips_word(p + 4), &out[1]) ? 2 : 0;
}
