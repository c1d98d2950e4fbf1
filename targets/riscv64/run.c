/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - inserted code, relocated and executed for the verifier; see targets/machine.h
 *
 * Written from the manual and the psABI, and not from emit.c: code of emit.c that this does not
 * know, or executes otherwise, fails verification.
 */
#include "targets/riscv64/riscv64.h"

#include "targets/machine.h"

#include <elf.h>

static uint64_t get(const struct machine *m, unsigned r)
{
	return r ? m->reg[r] : 0;
}

static bool set(struct machine *m, uint32_t w, uint64_t value)
{
	if (rv_rd(w))
		m->reg[rv_rd(w)] = value;
	return true;
}

static int64_t upper(uint32_t w)
{
	return (int32_t)(w & 0xfffff000);
}

/* addi, ori, slli, srai */
static bool run_immediate(struct machine *m, uint32_t w)
{
	uint64_t x = get(m, rv_rs1(w));
	unsigned by = rv_bits(w, 20, 6);

	switch (rv_f3(w)) {
	case 0: return set(m, w, x + (uint64_t)rv_imm(w));
	case 1: return w >> 26 == 0x00 && set(m, w, x << by);
	case 3: return set(m, w, x < (uint64_t)rv_imm(w));
	case 4: return set(m, w, x ^ (uint64_t)rv_imm(w));
	case 5:
		if (w >> 26 == 0)
			return set(m, w, x >> by);
		return w >> 26 == 0x10 && set(m, w, (uint64_t)((int64_t)x >> by));
	case 6: return set(m, w, x | (uint64_t)rv_imm(w));
	default: return false;
	}
}

static bool run_sum(struct machine *m, uint32_t w)
{
	uint64_t a = get(m, rv_rs1(w)), b = get(m, rv_rs2(w));

	switch (w & 0xfe007000) {
	case 0x00000000: return set(m, w, a + b);
	case 0x40000000: return set(m, w, a - b);
	case 0x00002000: return set(m, w, (int64_t)a < (int64_t)b);
	case 0x00003000: return set(m, w, a < b);
	default: return false;
	}
}

static bool is_stack_sound(const struct machine *m, uint32_t w)
{
	return rv_rs1(w) != RV_SP || !(m->reg[RV_SP] % 16);
}

/* lbu, ld */
static bool run_load(struct machine *m, uint32_t w)
{
	uint64_t at = get(m, rv_rs1(w)) + (uint64_t)rv_imm(w);

	return (rv_f3(w) == 3 || rv_f3(w) == 4) && is_stack_sound(m, w) &&
		set(m, w, machine_load(m, at, rv_f3(w) == 3 ? 8 : 1));
}

/* sb, sd */
static bool run_store(struct machine *m, uint32_t w)
{
	int64_t disp = sign_extend(rv_bits(w, 25, 7) << 5 | rv_bits(w, 7, 5), 12);

	if ((rv_f3(w) != 3 && rv_f3(w) != 0) || !is_stack_sound(m, w))
		return false;
	machine_store(m, get(m, rv_rs1(w)) + (uint64_t)disp, 1u << rv_f3(w), get(m, rv_rs2(w)));
	return true;
}

/* fld, fsd */
static bool run_float(struct machine *m, uint32_t w)
{
	bool load = rv_op(w) == RV_LOAD_FP;
	int64_t disp = load ? rv_imm(w)
			    : sign_extend(rv_bits(w, 25, 7) << 5 | rv_bits(w, 7, 5), 12);
	uint64_t at = get(m, rv_rs1(w)) + (uint64_t)disp;

	if (rv_f3(w) != 3 || !is_stack_sound(m, w))
		return false;
	if (load)
		m->reg[REG_VECTOR + rv_rd(w)] = machine_load(m, at, 8);
	else
		machine_store(m, at, 8, m->reg[REG_VECTOR + rv_rs2(w)]);
	return true;
}

/* csrrw of fcsr */
static bool run_system(struct machine *m, uint32_t w)
{
	uint64_t *state = &m->rest[MACHINE_FLOAT], old = *state;

	*state = get(m, rv_rs1(w));
	return (w & 0xfff0707f) == 0x00301073 && set(m, w, old);
}

/* amoadd.d, in any order with other accesses */
static bool run_atomic(struct machine *m, uint32_t w)
{
	uint64_t at = get(m, rv_rs1(w)), old, by = get(m, rv_rs2(w));

	if ((w & 0xf800707f) != 0x0000302f)
		return false;
	old = machine_load(m, at, 8);
	machine_store(m, at, 8, old + by);
	m->atomic = true;
	return set(m, w, old);
}

/* beq, bne, blt, bge, bltu, bgeu */
static bool run_branch(struct machine *m, uint32_t w, uint64_t here)
{
	uint64_t a = get(m, rv_rs1(w)), b = get(m, rv_rs2(w));
	const bool holds[] = {a == b, false, (int64_t)a < (int64_t)b, a < b};

	if (holds[rv_f3(w) / 2] != rv_f3(w) % 2)
		m->pc = here + (uint64_t)rv_distance_in(w, RV_FORM_B);
	return rv_f3(w) / 2 != 1;
}

/* auipc and jalr: a hook preserves all but the return address.  Or a jump. */
static bool run_call(struct machine *m, const uint8_t *p, uint64_t here)
{
	uint64_t part = here + (uint64_t)upper(get_u32(p));
	uint64_t to = part + (uint64_t)rv_imm(get_u32(p + 4));
	unsigned by = rv_rd(get_u32(p)), link = rv_rd(get_u32(p + 4));

	if (by != link && !link) {
		m->reg[by] = part;
		m->pc = to;
		return true;
	}
	if (by != RV_RA || link != RV_RA)
		return false;
	m->reg[RV_RA] = m->pc;
	m->called = to;
	m->calls++;
	return true;
}

bool rv_run(struct machine *m, const uint8_t *p, const struct insn *in)
{
	uint64_t here = m->pc;
	uint32_t w = rv_word(p);

	m->pc += in->len;
	if (in->flags & INSN_OPERAND_PC && in->len == 8)
		return set(m, w, here + (uint64_t)upper(w)) && run_immediate(m, get_u32(p + 4));
	if (in->len == 8)
		return run_call(m, p, here);
	switch (rv_op(w)) {
	case RV_LOAD: return run_load(m, w);
	case RV_STORE: return run_store(m, w);
	case RV_LOAD_FP:
	case RV_STORE_FP: return run_float(m, w);
	case RV_SYSTEM: return run_system(m, w);
	case RV_OP_IMM: return run_immediate(m, w);
	case RV_OP: return run_sum(m, w);
	case RV_LUI: return set(m, w, (uint64_t)upper(w));
	case RV_AUIPC: return set(m, w, here + (uint64_t)upper(w));
	case RV_AMO: return run_atomic(m, w);
	case RV_BRANCH: return run_branch(m, w, here);
	case RV_JAL: m->pc = here + (uint64_t)rv_distance_in(w, RV_FORM_J); return !rv_rd(w);
	default: return false;
	}
}

static bool fits(int64_t x)
{
	return x + 0x800 == (int32_t)(x + 0x800);
}

static bool put(uint8_t *p, uint32_t mask, uint32_t field)
{
	uint32_t w = get_u32(p);

	/* linkers differ in whether they keep bits that are there */
	put_u32(p, w | (field & mask));
	return !(w & mask);
}

enum { UPPER = 0xfffff000, I_FIELD = 0xfff00000, S_FIELD = 0xfe000f80 };

bool rv_relocate(uint8_t *p, uint32_t type, uint64_t to, uint64_t at)
{
	int64_t dist = (int64_t)(to - at);
	uint32_t high = (uint32_t)to + 0x800, low = (uint32_t)to;

	switch (type) {
	case R_RISCV_CALL_PLT:
		return fits(dist) && rv_op(get_u32(p)) == RV_AUIPC &&
			put(p, (uint32_t)UPPER, (uint32_t)dist + 0x800) &&
			put(p + 4, (uint32_t)I_FIELD, (uint32_t)dist << 20);
	case R_RISCV_HI20:
		return fits((int64_t)to) && rv_op(get_u32(p)) == RV_LUI &&
			put(p, (uint32_t)UPPER, high);
	case R_RISCV_PCREL_LO12_I:
	case R_RISCV_TPREL_LO12_I:
	case R_RISCV_LO12_I: return put(p, (uint32_t)I_FIELD, low << 20);
	case R_RISCV_PCREL_LO12_S:
	case R_RISCV_TPREL_LO12_S:
	case R_RISCV_LO12_S:
		return (rv_op(get_u32(p)) == RV_STORE || rv_op(get_u32(p)) == RV_STORE_FP) &&
			put(p, (uint32_t)S_FIELD,
				rv_bits(low, 5, 7) << 25 | rv_bits(low, 0, 5) << 7);
	default: return false;
	}
}
