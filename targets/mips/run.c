/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - inserted code, relocated and executed for the verifier; see targets/machine.h
 *
 * Written from MD00086 and the psABI supplement, 4-17, and not from emit.c: code of emit.c that
 * this does not know, or executes otherwise, fails verification.  In o32 registers hold 32 bits; in
 * n64 they hold 64, of results of 32 bits the sign.
 */
#include "targets/mips/mips.h"

#include "targets/machine.h"

#if MIPS_WORD == 8
typedef uint64_t word;
typedef int64_t signed_word;
#else
typedef uint32_t word;
typedef int32_t signed_word;
#endif

static word get(const struct machine *m, uint32_t w, unsigned at)
{
	unsigned r = mips_bits(w, at, 5);

	return r == MIPS_ZERO ? 0 : (word)m->reg[r];
}

static bool set(struct machine *m, unsigned r, word value)
{
	if (r != MIPS_ZERO)
		m->reg[r] = value;
	return true;
}

/* A result of 32 bits. */
static bool set_half(struct machine *m, unsigned r, word value)
{
	return set(m, r, (word)(int32_t)value);
}

static word immediate(uint32_t w)
{
	return (word)(int16_t)w;
}

/* Opcodes of a whole register. */
enum {
	ADDU = MIPS_WORD == 8 ? 0x2d : 0x21,
	SUBU = ADDU + 2,
	SLTU = 0x2b,
	SRA = MIPS_WORD == 8 ? 0x3b : 0x03,
	ADDIU = MIPS_WORD == 8 ? 0x19 : 0x09,
	LOAD = MIPS_WORD == 8 ? 0x37 : 0x23,
	STORE = MIPS_WORD == 8 ? 0x3f : 0x2b,
	LL = MIPS_WORD == 8 ? 0x34 : 0x30,
	SC = MIPS_WORD == 8 ? 0x3c : 0x38,
	LBU = 0x24,
	LW = 0x23,
	SB = 0x28,
};

/* Three registers, or two and the number of bits to shift by; false: none of these. */
static bool run_special(struct machine *m, uint32_t w)
{
	word rs = get(m, w, 21), rt = get(m, w, 16);
	unsigned rd = mips_bits(w, 11, 5), bits = mips_bits(w, 6, 5);

	if ((w & 0xffe0003f) == SRA)
		return set(m, rd, (word)((signed_word)rt >> bits));
	if (w && (w & 0xffe0003f) == (MIPS_WORD == 8 ? 0x38 : 0)) /* dsll, sll */
		return set(m, rd, rt << bits);
	if ((w & 0xffe0003f) == 0x02) /* srl */
		return set_half(m, rd, (word)((uint32_t)rt >> bits));
	switch (w & 0x7ff) {
	case 0x00: return !w;				/* nop */
	case 0x10: return set(m, rd, (word)m->rest[0]); /* mfhi, mflo */
	case 0x12: return set(m, rd, (word)m->rest[1]);
	case 0x11: m->rest[0] = rs; return true; /* mthi, mtlo */
	case 0x13: m->rest[1] = rs; return true;
	case ADDU: return set(m, rd, rs + rt);
	case 0x25: return set(m, rd, rs | rt);
	case SUBU: return set(m, rd, rs - rt);
	case SLTU: return set(m, rd, rs < rt);
	case 0x2a: return set(m, rd, (signed_word)rs < (signed_word)rt);
	case 0x3c:
		return MIPS_WORD == 8 &&
			set(m, rd, (word)((uint64_t)rt << 32)); /* dsll32, dsrl32 */
	case 0x3e: return MIPS_WORD == 8 && set(m, rd, (word)((uint64_t)rt >> 32));
	default: return false;
	}
}

/* sc fails unless ll was of the same address, and last. */
static bool run_exclusive(struct machine *m, uint32_t w, uint64_t at)
{
	bool good = m->watched && m->exclusive == at;

	if (w >> 26 == LL) {
		m->exclusive = at;
		m->watched = true;
		return set(m, mips_bits(w, 16, 5), (word)machine_load(m, at, MIPS_WORD));
	}
	if (good)
		machine_store(m, at, MIPS_WORD, get(m, w, 16));
	m->atomic = good;
	m->watched = false;
	return set(m, mips_bits(w, 16, 5), good);
}

static bool run_memory(struct machine *m, uint32_t w)
{
	unsigned op = w >> 26, size = op == SB || op == LBU ? 1 : op == LW ? 4 : MIPS_WORD;
	uint64_t at = (word)(get(m, w, 21) + immediate(w));

	if (at % size)
		return false;
	if (op == LL || op == SC)
		return run_exclusive(m, w, at);
	if (op == LBU)
		return set(m, mips_bits(w, 16, 5), (word)machine_load(m, at, 1));
	if (op == LW)
		return set_half(m, mips_bits(w, 16, 5), (word)machine_load(m, at, 4));
	if (op == LOAD)
		return set(m, mips_bits(w, 16, 5), (word)machine_load(m, at, MIPS_WORD));
	if (op != SB && op != STORE)
		return false;
	machine_store(m, at, size, get(m, w, 16));
	return true;
}

/* ldc1 and sdc1; in o32 of even registers, each of 64 bits or two of 32. */
static bool run_float(struct machine *m, uint32_t w)
{
	unsigned reg = mips_bits(w, 16, 5);
	uint64_t at = (word)(get(m, w, 21) + immediate(w)), *low = &m->reg[REG_VECTOR + reg];

	if (at % 8 || (MIPS_WORD == 4 && reg & 1))
		return false;
	uint64_t value = w >> 26 == 0x35 ? machine_load(m, at, 8)
		: m->paired		 ? low[1] << 32 | (uint32_t)*low
					 : *low;
	if (w >> 26 != 0x35)
		machine_store(m, at, 8, value);
	*low = m->paired ? (uint32_t)value : value;
	if (m->paired)
		low[1] = value >> 32;
	return true;
}

/* cfc1 and ctc1 of FCSR */
static bool run_control(struct machine *m, uint32_t w)
{
	if ((w & 0xffe0ffff) == 0x4440f800)
		return set_half(m, mips_bits(w, 16, 5), (word)m->rest[MACHINE_FLOAT]);
	m->rest[MACHINE_FLOAT] = (uint32_t)get(m, w, 16);
	return (w & 0xffe0ffff) == 0x44c0f800;
}

static bool run_one(struct machine *m, uint32_t w)
{
	unsigned rt = mips_bits(w, 16, 5);

	switch (w >> 26) {
	case 0x00: return run_special(m, w);
	case ADDIU: return set(m, rt, get(m, w, 21) + immediate(w));
	case 0x0b: return set(m, rt, get(m, w, 21) < immediate(w)); /* sltiu */
	case 0x0c: return set(m, rt, get(m, w, 21) & (w & 0xffff));
	case 0x0e: return set(m, rt, get(m, w, 21) ^ (w & 0xffff));
	case 0x0d: return set(m, rt, get(m, w, 21) | (w & 0xffff));
	case 0x0f: return !mips_bits(w, 21, 5) && set_half(m, rt, (word)w << 16);
	case 0x11: return run_control(m, w);
	case 0x35:
	case 0x3d: return run_float(m, w);
	default: return run_memory(m, w);
	}
}

/* beq, bne, bal, jr, and jalr of the hook, which preserves all but $ra; each with its delay slot.
 */
static bool run_branch(struct machine *m, uint32_t w, uint32_t slot)
{
	word here = (word)m->pc, to = here + 4 + immediate(w) * 4, hook = get(m, w, 21);
	bool equal = hook == get(m, w, 16), taken, call = (w & 0xfc1fffff) == 0x0000f809;

	if ((w & 0xfc1fffff) == 0x00000008) {
		m->pc = hook;
		return run_one(m, slot);
	}
	if (w >> 27 == 2)
		taken = equal != (w >> 26 & 1);
	else if (w >> 16 == 0x0411)
		taken = true;
	else if (call)
		taken = false;
	else
		return false;
	if (call || w >> 16 == 0x0411)
		m->reg[MIPS_RA] = here + 8;
	m->pc = taken ? to : here + 8;
	if (call) {
		m->called = hook;
		m->calls++;
	}
	return run_one(m, slot);
}

bool mips_run(struct machine *m, const uint8_t *p, const struct insn *in)
{
	if (in->len == 8)
		return run_branch(m, mips_word(p), mips_word(p + 4));
	m->pc += in->len;
	return run_one(m, mips_word(p));
}

bool mips_relocate(uint8_t *p, uint32_t type, uint64_t to, uint64_t at)
{
	uint32_t w = mips_word(p);

	if (mips_is_low(type)) {
		if (w & 0xffff)
			return false;
		mips_put(p, w | (to & 0xffff));
		return true;
	}
	switch (type) {
	case R_MIPS_HI16:
		if (w & 0xffff || w >> 26 != 0x0f)
			return false;
		mips_put(p, w | (((uint32_t)to + 0x8000) >> 16));
		return true;
	case MIPS_R_PC32:
		if (w)
			return false;
		mips_put(p, (uint32_t)(to - at));
		return true;
	default: return false;
	}
}
