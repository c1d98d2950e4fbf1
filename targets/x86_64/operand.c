/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand.c - addresses of memory operands, made by lea, and what is there; see targets/operand.h
 */
#include "targets/access.h"
#include "targets/x86_64/x86_64.h"

const char *x86_operand_reloc(struct address *o)
{
	switch (o->type) {
	case R_X86_64_PC32: return NULL;
	case R_X86_64_32:
	case R_X86_64_32S:
	case R_X86_64_TPOFF32:
	case R_X86_64_DTPOFF32: return NULL;
	/* of a lea, the last link changes nothing: the output would have an entry more */
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
		o->type = R_X86_64_GOTPCREL;
		return o->foreign ? NULL : "the linker may load nothing there";
	default: return "the linker may address it in another way";
	}
}

/* movzbl of the low byte of a register */
static void put_byte(struct code *c, unsigned to, unsigned from)
{
	uint8_t movzx[] = {(uint8_t)(0x40 | to >> 3 << 2 | from >> 3), 0x0f, 0xb6,
		(uint8_t)(0xc0 | (to & 7) << 3 | (from & 7))};

	code_put(c, movzx, sizeof movzx);
}

/* mov %fs:0,%spare; lea (%reg,%spare),%reg: psABI, ELF Handling for Thread-Local Storage, 3.4.2 */
static void add_thread_base(struct code *c, unsigned reg, unsigned spare)
{
	uint8_t mov[] = {0x64, (uint8_t)(0x48 | spare >> 3 << 2), 0x8b,
		(uint8_t)(0x04 | (spare & 7) << 3), 0x25, 0, 0, 0, 0};
	uint8_t lea[] = {(uint8_t)(0x48 | reg >> 3 << 2 | spare >> 3 << 1 | reg >> 3), 0x8d,
		(uint8_t)(0x44 | (reg & 7) << 3), (uint8_t)((spare & 7) << 3 | (reg & 7)), 0};

	code_put(c, mov, sizeof mov);
	code_put(c, lea, sizeof lea);
}

/* mov 0(%reg),%reg */
static void load_word(struct code *c, unsigned reg)
{
	uint8_t mov[] = {(uint8_t)(0x48 | reg >> 3 << 2 | reg >> 3), 0x8b,
		(uint8_t)(0x40 | (reg & 7) << 3 | (reg & 7)), 0x24, 0};

	if ((reg & 7) != RSP)
		mov[3] = 0;
	code_put(c, mov, (reg & 7) == RSP ? 5 : 4);
}

/* The displacement, of 32 bits. */
static void put_displacement(struct code *c, const struct address *o)
{
	uint8_t disp[4] = {0};

	if (o->type)
		code_reloc(c,
			(struct reloc){.addend = o->n - (o->pc_rel ? 4 : 0),
				.type = o->type,
				.sym = o->sym});
	else
		put_u32(disp, (uint32_t)o->n);
	code_put(c, disp, sizeof disp);
}

/* Or (loads) a mov.  A SIB byte without an index has %rsp there, one without a base %rbp (Intel
 * SDM, table 2-3). */
static void put_lea(struct code *c, unsigned reg, const struct address *o, bool loads)
{
	static const uint8_t addr32 = 0x67;
	unsigned index = o->index < 0 ? RSP : (unsigned)o->index;
	unsigned base = o->base < 0 ? RBP : (unsigned)o->base;
	uint8_t scale = (uint8_t)(__builtin_ctz(o->scale) << 6);
	uint8_t lea[] = {(uint8_t)(0x48 | reg >> 3 << 2 | index >> 3 << 1 | base >> 3),
		loads ? 0x8b : 0x8d, (uint8_t)((o->base < 0 ? 0x04 : 0x84) | (reg & 7) << 3),
		(uint8_t)(scale | (index & 7) << 3 | (base & 7))};

	if (o->low)
		code_put(c, &addr32, 1);
	if (o->pc_rel)
		lea[2] = (uint8_t)(0x05 | (reg & 7) << 3);
	code_put(c, lea, o->pc_rel ? 3 : 4);
	put_displacement(c, o);
}

void x86_operand(struct code *c, unsigned reg, const struct address *operand, unsigned spare)
{
	struct address o = *operand;
	bool at_once = o.loads && o.segment != SEGMENT_FS && o.type != R_X86_64_GOTPCREL;

	if (!o.type && o.n != (int32_t)o.n) {
		x86_micro.constant(c, reg, (uint64_t)o.n);
		at_once = false;
	} else {
		if (o.index >= 0 && o.index_size == 1) {
			put_byte(c, spare, (unsigned)o.index);
			o.index = (int8_t)spare;
		}
		put_lea(c, reg, &o, at_once);
	}
	if (o.segment == SEGMENT_FS)
		add_thread_base(c, reg, spare);
	if (o.loads && !at_once)
		load_word(c, reg);
}

void x86_low_bytes(struct code *c, unsigned reg, unsigned from, unsigned size)
{
	uint8_t high = (uint8_t)(reg >> 3 << 2 | from >> 3),
		low = (uint8_t)(0xc0 | (reg & 7) << 3 | (from & 7));
	uint8_t movzwl[] = {(uint8_t)(0x40 | high), 0x0f, 0xb7, low};
	uint8_t movl[] = {(uint8_t)(0x40 | high), 0x8b, low};

	if (size == 1)
		put_byte(c, reg, from);
	else if (size == 2)
		code_put(c, movzwl, sizeof movzwl);
	else if (size == 4)
		code_put(c, movl, sizeof movl);
	else
		x86_micro.move(c, reg, from);
}

/* setcc of a low byte; movzbl */
bool x86_condition(struct code *c, unsigned reg, const struct condition *condition)
{
	static const struct {
		regset set, differ;
	} of[8] = {{REG_BIT(X86_OF), 0}, {REG_BIT(X86_CF), 0}, {REG_BIT(X86_ZF), 0},
		{REG_BIT(X86_CF) | REG_BIT(X86_ZF), 0}, {REG_BIT(X86_SF), 0}, {REG_BIT(X86_PF), 0},
		{0, REG_BIT(X86_SF) | REG_BIT(X86_OF)},
		{REG_BIT(X86_ZF), REG_BIT(X86_SF) | REG_BIT(X86_OF)}};
	uint8_t cc = 0;

	while (cc < 8 && (of[cc].set != condition->set || of[cc].differ != condition->differ))
		cc++;
	if (condition->relation != RELATION_NONE || cc == 8)
		return false;
	uint8_t setcc[] = {(uint8_t)(0x40 | reg >> 3), 0x0f,
		(uint8_t)(0x90 | cc << 1 | condition->negated), (uint8_t)(0xc0 | (reg & 7))};
	code_put(c, setcc, sizeof setcc);
	put_byte(c, reg, reg);
	return true;
}
