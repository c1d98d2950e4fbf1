/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand.c - addresses of memory operands, made by lea; see targets/operand.h
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
	/* of a lea, the last link changes nothing */
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX: o->type = R_X86_64_GOTPCREL; return NULL;
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

/* A SIB byte without an index has %rsp there, one without a base %rbp (Intel SDM, table 2-3). */
static void put_lea(struct code *c, unsigned reg, const struct address *o)
{
	static const uint8_t addr32 = 0x67;
	unsigned index = o->index < 0 ? RSP : (unsigned)o->index;
	unsigned base = o->base < 0 ? RBP : (unsigned)o->base;
	uint8_t scale = (uint8_t)(__builtin_ctz(o->scale) << 6);
	uint8_t lea[] = {(uint8_t)(0x48 | reg >> 3 << 2 | index >> 3 << 1 | base >> 3), 0x8d,
		(uint8_t)((o->base < 0 ? 0x04 : 0x84) | (reg & 7) << 3),
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

	if (!o.type && o.n != (int32_t)o.n) {
		x86_micro.constant(c, reg, (uint64_t)o.n);
	} else {
		if (o.index >= 0 && o.index_size == 1) {
			put_byte(c, spare, (unsigned)o.index);
			o.index = (int8_t)spare;
		}
		put_lea(c, reg, &o);
	}
	if (o.segment == SEGMENT_FS)
		add_thread_base(c, reg, spare);
}
