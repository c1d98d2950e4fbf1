/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.c - what an instruction does to memory, and where control goes behind it
 *
 * In the order of the Arm ARM's C4.1, "Loads and Stores" and "Branches".  Not known: scalable
 * vectors and matrices, memory tags, memory copy and set, and what authenticates an address.
 */
#include "targets/aarch64/aarch64.h"
#include "targets/access.h"

enum { STORE, LOAD, LOAD_SIGNED, LOAD_SIGNED_32 };

static int8_t plain(uint32_t w, unsigned at)
{
	unsigned reg = a64_bits(w, at, 5);

	return reg == A64_SP ? -1 : (int8_t)reg;
}

static struct access based(uint32_t w, unsigned size, bool store)
{
	struct access a = access_none;

	a.base = (int8_t)a64_bits(w, 5, 5);
	a.size = (uint16_t)size;
	a.writes = store;
	a.reads = !store;
	return a;
}

/* The register at bit at is loaded or stored: how, see the enum above. */
static void set_value(uint32_t w, unsigned at, bool vector, unsigned how, struct access *a)
{
	static const uint8_t extend[] = {EXTEND_ZERO, EXTEND_ZERO, EXTEND_SIGN, EXTEND_SIGN_32};

	a->value = vector ? (int8_t)a64_bits(w, at, 5) : plain(w, at);
	a->value_kind = vector ? VALUE_VECTOR : VALUE_REG;
	a->extend = vector ? EXTEND_KEEP : extend[how];
	if (a->value >= 0)
		return;
	a->value_kind = how == STORE ? VALUE_CONST : VALUE_OTHER;
	a->extend = EXTEND_ZERO;
}

/* What size and opc say of one register; size 0: it is a prefetch. */
static struct access one(uint32_t w)
{
	unsigned scale = w >> 30, opc = a64_bits(w, 22, 2);
	bool vector = a64_bits(w, 26, 1);
	struct access a;

	if (vector) {
		scale |= opc & 2 ? 4 : 0;
		opc &= 1;
	}
	a = based(w, 1u << scale, opc == STORE);
	if (!vector && scale == 3 && opc == 2)
		a.size = 0;
	set_value(w, 0, vector, opc, &a);
	return a;
}

static bool literal(uint32_t w, struct action *action)
{
	unsigned opc = w >> 30;
	bool vector = a64_bits(w, 26, 1);
	struct access a = based(w, vector ? 4u << opc : opc == 1 ? 8 : 4, false);

	if (!vector && opc == 3)
		return true;
	a.base = -1;
	a.pc_rel = true;
	a.disp = a64_signed(w, 5, 19) * 4;
	set_value(w, 0, vector, opc == 2 ? LOAD_SIGNED : LOAD, &a);
	action_add(action, a);
	return true;
}

static bool pair(uint32_t w, struct action *action)
{
	unsigned opc = w >> 30, how = a64_bits(w, 22, 1) ? LOAD : STORE;
	bool vector = a64_bits(w, 26, 1), behind = a64_bits(w, 23, 2) == 1;
	unsigned size = vector ? 4u << opc : opc == 2 ? 8 : 4;
	struct access a = based(w, size, how == STORE);

	if (opc == 3 || (!vector && opc == 1 && how == STORE))
		return false;
	a.disp = behind ? 0 : a64_signed(w, 15, 7) * (int)size;
	if (how == LOAD && !vector && opc == 1)
		how = LOAD_SIGNED;
	set_value(w, 0, vector, how, &a);
	action_add(action, a);
	a.disp += size;
	set_value(w, 10, vector, how, &a);
	action_add(action, a);
	return true;
}

static bool by_constant(uint32_t w, struct action *action)
{
	struct access a = one(w);

	a.disp = (int64_t)a64_bits(w, 10, 12) * a.size;
	if (a.size)
		action_add(action, a);
	return true;
}

/* Unscaled, unprivileged, and with the base register written back, before or behind the access. */
static bool by_small_constant(uint32_t w, struct action *action)
{
	struct access a = one(w);

	a.disp = (w & 0x3f000000) != 0x19000000 && a64_bits(w, 10, 2) == 1 ? 0
									   : a64_signed(w, 12, 9);
	if (a.size)
		action_add(action, a);
	return true;
}

static bool by_register(uint32_t w, struct action *action)
{
	struct access a = one(w);

	a.index = plain(w, 16);
	a.index_size = a64_bits(w, 13, 1) ? 8 : 4;
	a.index_sext = a64_bits(w, 15, 1);
	a.scale = a64_bits(w, 12, 1) ? (uint8_t)a.size : 1;
	if (a.size)
		action_add(action, a);
	return a64_bits(w, 14, 1);
}

static bool atomic(uint32_t w, struct action *action)
{
	struct access a = based(w, 1u << (w >> 30), false);
	unsigned opc = a64_bits(w, 12, 4);

	a.writes = opc <= 8;
	if (!a.writes) {
		if ((w & 0x3ffffc00) != 0x38bfc000)
			return false;
		set_value(w, 0, false, LOAD, &a); /* ldapr */
	}
	action_add(action, a);
	return true;
}

/* Exclusive ones, ordered ones, and compare and swap. */
static bool exclusive(uint32_t w, struct action *action)
{
	unsigned size = w >> 30, how = a64_bits(w, 22, 1) ? LOAD : STORE;
	bool ordered = a64_bits(w, 23, 1), two = a64_bits(w, 21, 1);
	struct access a = based(w, 1u << size, how == STORE);

	if (two && (ordered || size < 2)) {
		a.size = ordered ? a.size : (uint16_t)(8u << size); /* cas; casp */
		a.reads = a.writes = a.perhaps = true;
		action_add(action, a);
		return true;
	}
	a.perhaps = !ordered && how == STORE;
	set_value(w, 0, false, how, &a);
	action_add(action, a);
	if (two) {
		a.disp = a.size;
		set_value(w, 10, false, how, &a);
		action_add(action, a);
	}
	return true;
}

/* ld1 to ld4 and st1 to st4 of whole registers. */
static bool structures(uint32_t w, struct action *action)
{
	static const uint8_t registers[16] =
		{[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};
	unsigned n = registers[a64_bits(w, 12, 4)], bytes = a64_bits(w, 30, 1) ? 16 : 8;

	if (n)
		action_add(action, based(w, n * bytes, !a64_bits(w, 22, 1)));
	return n;
}

/* The same of an element of each, or of one that is replicated. */
static bool structure(uint32_t w, struct action *action)
{
	unsigned opcode = a64_bits(w, 13, 3), size = a64_bits(w, 10, 2), scale = opcode >> 1;
	unsigned n = ((opcode & 1) << 1 | a64_bits(w, 21, 1)) + 1;

	if (scale == 2)
		scale += size & 1;
	else if (scale == 3)
		scale = size;
	action_add(action, based(w, n << scale, !a64_bits(w, 22, 1)));
	return true;
}

static const struct memory_form {
	uint32_t mask, bits;
	bool (*describe)(uint32_t w, struct action *action); /* NULL: not known */
} forms[] = {
	{0x3b000000, 0x18000000, literal},
	{0x3a000000, 0x28000000, pair},
	{0x3b000000, 0x39000000, by_constant},
	{0x3f200c00, 0x19000000, by_small_constant},
	{0x3b200000, 0x38000000, by_small_constant},
	{0x3b200c00, 0x38200800, by_register},
	{0x3f200c00, 0x38200000, atomic},
	{0x3f000000, 0x08000000, exclusive},
	{0xbfbf0000, 0x0c000000, structures},
	{0xbfa00000, 0x0c800000, structures},
	{0xbf9f0000, 0x0d000000, structure},
	{0xbf800000, 0x0d800000, structure},
};

static bool memory_action(uint32_t w, struct action *action)
{
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if ((w & forms[i].mask) == forms[i].bits)
			return forms[i].describe(w, action);
	return false;
}

/* dc zva; of other operations on caches only those that change no data. */
static bool system_action(uint32_t w, struct action *action)
{
	enum {
		ZVA = 0xd50b7420,
		IVAU = 0xd50b7520,
		CVAC = 0xd50b7a20,
		CVAU = 0xd50b7b20,
		CIVAC = 0xd50b7e20
	};
	uint32_t what = w & ~31u;
	struct access a = access_none;

	if ((w & 0xfff80000) != 0xd5080000)
		return true;
	if (what != ZVA)
		return what == IVAU || what == CVAC || what == CVAU || what == CIVAC;
	a.base = plain(w, 0);
	a.size = 0;
	a.span = SPAN_AROUND;
	a.writes = true;
	a.value_kind = VALUE_CONST;
	action_add(action, a);
	return true;
}

static void set_flags(unsigned cond, struct condition *c)
{
	static const struct {
		regset set, clear, differ;
		bool negated;
	} of[8] = {{REG_BIT(A64_Z), 0, 0, false}, {REG_BIT(A64_C), 0, 0, false},
		{REG_BIT(A64_N), 0, 0, false}, {REG_BIT(A64_V), 0, 0, false},
		{REG_BIT(A64_Z), REG_BIT(A64_C), 0, true},
		{0, 0, REG_BIT(A64_N) | REG_BIT(A64_V), true},
		{REG_BIT(A64_Z), 0, REG_BIT(A64_N) | REG_BIT(A64_V), true}, {0}};

	c->set = of[cond >> 1].set;
	c->clear = of[cond >> 1].clear;
	c->differ = of[cond >> 1].differ;
	c->negated = cond < 14 && of[cond >> 1].negated != (cond & 1);
}

static void set_register(uint32_t w, struct condition *c)
{
	bool bit = w & 0x02000000, other = a64_bits(w, 24, 1);

	c->a = plain(w, 0);
	c->size = w >> 31 || bit ? 8 : 4;
	if (bit) {
		c->with = (w >> 31) << 5 | a64_bits(w, 19, 5);
		c->relation = other ? RELATION_BIT : RELATION_NO_BIT;
	} else {
		c->relation = other ? RELATION_NE : RELATION_EQ;
	}
}

/* Branches, system calls and exceptions. */
static bool control_action(uint32_t w, const struct insn *in, struct action *action)
{
	action->calls = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	action->returns = in->kind == INSN_RET;
	action->link = action->calls ? A64_LR : -1;
	switch (in->kind) {
	case INSN_SYSCALL:
	case INSN_TRAP: action->leads = LEADS_AWAY; return true;
	case INSN_JUMP_IND:
	case INSN_CALL_IND:
	case INSN_RET:
		action->leads = LEADS_REGISTER;
		action->reg = plain(w, 5);
		return (w & 0xff9ffc1f) == 0xd61f0000 || (w & 0xfffffc1f) == 0xd65f0000;
	case INSN_JUMP:
	case INSN_BRANCH:
	case INSN_CALL: break;
	default: return true;
	}
	action->leads = LEADS_DIRECT;
	if ((w & 0x7c000000) == 0x14000000) {
		action->distance = a64_signed(w, 0, 26) * 4;
	} else if ((w & 0xff000000) == 0x54000000) {
		action->distance = a64_signed(w, 5, 19) * 4;
		set_flags(a64_bits(w, 0, 4), &action->condition);
	} else {
		action->distance = (w & 0x02000000 ? a64_signed(w, 5, 14) : a64_signed(w, 5, 19)) *
			4;
		set_register(w, &action->condition);
	}
	return true;
}

/*
 * cmp with a number, with a register as it is, or with the low bytes of one: subs of the zero
 * register.  Register 31 is the stack pointer in the first and the last of these.
 */
static void compare_action(uint32_t w, struct comparison *c)
{
	unsigned extend = a64_bits(w, 13, 3);
	bool number = (w & 0x7f80001f) == 0x7100001f, whole = (w & 0x7fe0fc1f) == 0x6b00001f;
	bool part = (w & 0x7fe01c1f) == 0x6b20001f && extend < 3;

	if (!number && !whole && !part)
		return;
	c->size = w >> 31 ? 8 : 4;
	c->part = part ? (uint8_t)(1 << extend) : 0;
	c->value[0] = whole ? (int8_t)plain(w, 5) : (int8_t)a64_bits(w, 5, 5);
	c->value[1] = number ? COMPARES_NUMBER : (int8_t)plain(w, 16);
	if (number)
		c->with = (int64_t)a64_bits(w, 10, 12) << (w >> 22 & 1 ? 12 : 0);
}

unsigned a64_actions(const uint8_t *p, const struct insn *in, struct action *out)
{
	uint32_t w = get_u32(p), group = a64_bits(w, 25, 4);
	bool known = true;

	out[0] = action_none;
	if (in->flags & INSN_VAGUE)
		return 0;
	if (group == 10 || group == 11)
		known = control_action(w, in, &out[0]) && system_action(w, &out[0]);
	else if ((group & 5) == 4)
		known = memory_action(w, &out[0]);
	compare_action(w, &out[0].compares);
	if (group < 4)
		known = control_action(w, in, &out[0]) && in->kind == INSN_TRAP;
	return known;
}
