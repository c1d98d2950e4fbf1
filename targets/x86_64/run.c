/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - relocates inserted code, and executes one instruction of it: see targets/machine.h
 *
 * Written from the Intel SDM, volume 2, and not from emit.c: code of emit.c that this does not
 * know, or executes otherwise, fails verification.
 */
#include "targets/x86_64/x86_64.h"

#include "targets/machine.h"

/* The parts of an instruction; modrm and the bytes behind it are at p. */
struct form {
	const uint8_t *p;
	bool wide;	  /* REX.W */
	bool vector;	  /* prefix 66 */
	bool thread, tls; /* prefixes of %gs, %fs */
	bool locked;
	bool low;	 /* prefix 67 */
	uint8_t r, x, b; /* of REX, as 0 or 8 */
	bool two;	 /* opcodes behind 0f */
	uint8_t opcode;
	unsigned reg; /* of modrm, with REX.R */
	unsigned rm;  /* a register; if !memory */
	bool memory;
	uint64_t at; /* of the memory operand */
};

static void set_flag(struct machine *m, unsigned flag, bool on)
{
	m->flags = on ? m->flags | REG_BIT(flag) : m->flags & ~REG_BIT(flag);
}

static bool has_flag(const struct machine *m, unsigned flag)
{
	return m->flags & REG_BIT(flag);
}

/* ZF, SF and PF of a result; bits: its size. */
static void result_flags(struct machine *m, uint64_t value, unsigned bits)
{
	set_flag(m, X86_ZF, !(value << (64 - bits)));
	set_flag(m, X86_SF, value >> (bits - 1) & 1);
	set_flag(m, X86_PF, !__builtin_parity((unsigned)value & 0xff));
}

/* a + b, or (less) a - b; keep_carry: CF is unchanged. */
static uint64_t sum(struct machine *m, uint64_t a, uint64_t b, bool less, unsigned bits,
	bool keep_carry)
{
	uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	uint64_t value = (less ? a - b : a + b) & mask;
	uint64_t overflow = less ? (a ^ b) & (a ^ value) : (a ^ value) & (b ^ value);
	if (!keep_carry)
		set_flag(m, X86_CF, less ? (a & mask) < (b & mask) : value < (a & mask));
	set_flag(m, X86_OF, overflow >> (bits - 1) & 1);
	set_flag(m, X86_AF, (a ^ b ^ value) >> 4 & 1);
	result_flags(m, value, bits);
	return value;
}

/* Intel SDM, volume 1, appendix B. */
static bool holds(const struct machine *m, unsigned cc)
{
	bool less = has_flag(m, X86_SF) != has_flag(m, X86_OF), zero = has_flag(m, X86_ZF);
	const bool base[] = {has_flag(m, X86_OF), has_flag(m, X86_CF), zero,
		has_flag(m, X86_CF) || zero, has_flag(m, X86_SF), has_flag(m, X86_PF), less,
		less || zero};
	return base[cc >> 1] != (cc & 1);
}

static void take_prefixes(struct form *f)
{
	for (;; f->p++) {
		if (*f->p == 0x65)
			f->thread = true;
		else if (*f->p == 0x64)
			f->tls = true;
		else if (*f->p == 0x66)
			f->vector = true;
		else if (*f->p == 0xf0)
			f->locked = true;
		else if (*f->p == 0x67)
			f->low = true;
		else if (*f->p != 0x3e)
			break;
	}
	if ((*f->p & 0xf0) == 0x40) {
		f->wide = *f->p & 8;
		f->r = (uint8_t)((*f->p & 4) << 1);
		f->x = (uint8_t)((*f->p & 2) << 2);
		f->b = (uint8_t)((*f->p & 1) << 3);
		f->p++;
	}
	f->two = *f->p == 0x0f;
	f->p += f->two;
	f->opcode = *f->p++;
}

/* The operand of lea: any. */
static void take_sum(const struct machine *m, struct form *f, unsigned mod, unsigned low,
	uint64_t end)
{
	uint8_t sib = low == 4 ? *f->p++ : 0;
	unsigned base = low == 4 ? sib & 7u : low, index = (sib >> 3 & 7u) | f->x;
	bool none = mod == 0 && base == 5;
	f->at = none ? (low == 4 ? 0 : end) : m->reg[base | f->b];
	if (low == 4 && index != 4)
		f->at += m->reg[index] << (sib >> 6);
	if (mod == 1)
		f->at += (uint64_t)(int8_t)*f->p++;
	else if (mod == 2 || none)
		f->at += (uint64_t)(int64_t)(int32_t)get_u32(f->p);
	f->at &= f->low ? UINT32_MAX : UINT64_MAX;
}

/* Decode a memory operand: distance from %rip, address, or distance from a register. */
static bool take_address(struct machine *m, struct form *f, unsigned mod, unsigned low,
	uint64_t end)
{
	if (mod == 0 && low == 5) {
		f->at = end + (uint64_t)(int64_t)(int32_t)get_u32(f->p);
		f->p += 4;
	} else if (mod == 0 && low == 4 && *f->p == 0x25 && !f->x) {
		f->at = (uint64_t)(int64_t)(int32_t)get_u32(f->p + 1);
		f->p += 5;
	} else if (mod == 1 || mod == 2) {
		if (low == 4 && (*f->p++ != 0x24 || f->x))
			return false;
		f->at = m->reg[low | f->b] +
			(uint64_t)(mod == 1 ? (int8_t)*f->p : (int64_t)(int32_t)get_u32(f->p));
		f->p += mod == 1 ? 1 : 4;
	} else if (f->tls && mod == 0 && low != 4) {
		f->at = m->reg[low | f->b];
	} else {
		return false;
	}
	f->at += f->tls ? m->tls : f->thread ? m->thread : 0;
	return true;
}

static bool take_modrm(struct machine *m, struct form *f, uint64_t end)
{
	uint8_t modrm = *f->p++;
	f->reg = (modrm >> 3 & 7) | f->r;
	f->rm = (modrm & 7) | f->b;
	f->memory = modrm < 0xc0;
	if (f->memory && f->opcode == 0x8d && !f->two) {
		take_sum(m, f, modrm >> 6, modrm & 7, end);
		return true;
	}
	if (f->low)
		return false;
	return !f->memory || take_address(m, f, modrm >> 6, modrm & 7, end);
}

static uint64_t load(const struct machine *m, const struct form *f)
{
	if (f->memory)
		return machine_load(m, f->at, f->wide ? 8 : 4);
	return f->wide ? m->reg[f->rm] : (uint32_t)m->reg[f->rm];
}

static void store(struct machine *m, const struct form *f, uint64_t value)
{
	if (f->memory)
		machine_store(m, f->at, f->wide ? 8 : 4, value);
	else
		m->reg[f->rm] = f->wide ? value : (uint32_t)value;
}

static unsigned xmm(unsigned number)
{
	return XMM8 + number - 8;
}

static bool run_vector(struct machine *m, const struct form *f)
{
	if (f->memory || f->reg < 8)
		return false;
	unsigned to = xmm(f->reg), by = f->rm < 8 ? 0 : xmm(f->rm);
	uint64_t a = m->reg[to], b = by ? m->reg[by] : 0;
	switch (f->opcode) {
	case 0x6e: m->reg[to] = m->reg[f->rm]; return f->wide;
	case 0x7e: m->reg[f->rm] = a; return f->wide;
	case 0xef: m->reg[to] = a ^ b; return by;
	case 0xfb: m->reg[to] = a - b; return by;
	case 0x76:
		m->reg[to] = ((uint32_t)a == (uint32_t)b ? UINT32_MAX : 0) |
			(a >> 32 == b >> 32 ? (uint64_t)UINT32_MAX << 32 : 0);
		return by;
	default: return false;
	}
}

/* The flags of %ah by bit, as lahf and sahf have them; bit 1 is always set. */
static const uint8_t ah_flag[] = {X86_CF, 0, X86_PF, 0, X86_AF, 0, X86_ZF, X86_SF};

static void run_lahf(struct machine *m)
{
	uint64_t value = 2;
	for (unsigned i = 0; i < sizeof ah_flag; i++)
		value |= ah_flag[i] ? (uint64_t)has_flag(m, ah_flag[i]) << i : 0;
	m->reg[RAX] = (m->reg[RAX] & ~(uint64_t)0xff00) | value << 8;
}

static void run_sahf(struct machine *m)
{
	for (unsigned i = 0; i < sizeof ah_flag; i++)
		if (ah_flag[i])
			set_flag(m, ah_flag[i], m->reg[RAX] >> (8 + i) & 1);
}

static void run_shift_right(struct machine *m, const struct form *f, unsigned by)
{
	uint64_t value = load(m, f);
	if (!by)
		return;
	set_flag(m, X86_CF, value >> (by - 1) & 1);
	value = (uint64_t)((int64_t)value >> by);
	m->flags &= ~(REG_BIT(X86_OF) | REG_BIT(X86_AF));
	result_flags(m, value, 64);
	store(m, f, value);
}

/* A call of a hook, which preserves all registers and changes memory below its stack pointer. */
static void run_call(struct machine *m, uint64_t to)
{
	machine_store(m, m->reg[RSP] - 8, 8, m->pc);
	m->called = to;
	m->calls++;
}

/* Jumps and calls; false: none of these. */
static bool run_control(struct machine *m, const struct form *f)
{
	uint64_t near = m->pc + (uint64_t)(int8_t)*f->p;
	uint64_t far = m->pc + (uint64_t)(int64_t)(int32_t)get_u32(f->p);
	switch (f->opcode) {
	case 0x74: m->pc = has_flag(m, X86_ZF) ? near : m->pc; return true;
	case 0x75: m->pc = has_flag(m, X86_ZF) ? m->pc : near; return true;
	case 0xe3: m->pc = m->reg[RCX] ? m->pc : near; return true;
	case 0xeb: m->pc = near; return true;
	case 0xe8: run_call(m, far); return true;
	case 0xe9: m->pc = far; return true;
	default: return false;
	}
}

/* Operations without modrm; false: none of these. */
static bool run_short(struct machine *m, const struct form *f)
{
	unsigned reg = (f->opcode & 7) | f->b;
	switch (f->opcode & 0xf8) {
	case 0x50:
		machine_store(m, m->reg[RSP] - 8, 8, m->reg[reg]);
		m->reg[RSP] -= 8;
		return true;
	case 0x58:
		m->reg[RSP] += 8;
		m->reg[reg] = machine_load(m, m->reg[RSP] - 8, 8);
		return true;
	case 0xb8: m->reg[reg] = f->wide ? get_u64(f->p) : get_u32(f->p); return true;
	default: break;
	}
	switch (f->opcode) {
	case 0x91: {
		uint64_t was = m->reg[RAX];
		m->reg[RAX] = m->reg[RCX];
		m->reg[RCX] = was;
		return f->wide && !f->b;
	}
	case 0x9f: run_lahf(m); return true;
	case 0x9e: run_sahf(m); return true;
	case 0x04:
		m->reg[RAX] = (m->reg[RAX] & ~(uint64_t)0xff) |
			sum(m, m->reg[RAX] & 0xff, *f->p, false, 8, false);
		return true;
	default: return false;
	}
}

static bool run_modrm(struct machine *m, struct form *f, uint64_t end)
{
	unsigned bits = f->wide ? 64 : 32;
	if (!take_modrm(m, f, end))
		return false;
	uint64_t value = load(m, f), by = f->wide ? m->reg[f->reg] : (uint32_t)m->reg[f->reg];
	switch (f->opcode) {
	case 0x01: store(m, f, sum(m, value, by, false, bits, false)); return true;
	case 0x29: store(m, f, sum(m, value, by, true, bits, false)); return true;
	case 0x31:
		m->flags &= ~(REG_BIT(X86_CF) | REG_BIT(X86_OF) | REG_BIT(X86_AF));
		result_flags(m, value ^ by, bits);
		store(m, f, value ^ by);
		return true;
	case 0x3b: sum(m, by, value, true, bits, false); return true;
	case 0x85:
		m->flags &= ~(REG_BIT(X86_CF) | REG_BIT(X86_OF) | REG_BIT(X86_AF));
		result_flags(m, value & by, bits);
		return true;
	case 0x8b: m->reg[f->reg] = value; return f->wide == f->memory;
	case 0x80: /* addb and adcb with an immediate number, in memory */
		by = *f->p + (uint64_t)((f->reg & 7) == 2 && has_flag(m, X86_CF));
		value = machine_load(m, f->at, 1);
		machine_store(m, f->at, 1, sum(m, value, by, false, 8, false));
		return f->memory && !(f->reg & 5);
	case 0x81:
		store(m, f,
			sum(m, value, (uint64_t)(int64_t)(int32_t)get_u32(f->p), false, bits,
				false));
		return !(f->reg & 7);
	case 0x83:
		store(m, f, sum(m, value, (uint64_t)(int64_t)(int8_t)*f->p, false, bits, false));
		return !(f->reg & 7);
	case 0x89: store(m, f, by); return true;
	case 0x8d: m->reg[f->reg] = f->at; return f->memory && f->wide && !f->thread && !f->tls;
	case 0xc1: run_shift_right(m, f, *f->p & 63); return (f->reg & 7) == 7 && f->wide;
	case 0xc6: machine_store(m, f->at, 1, *f->p); return f->memory && !(f->reg & 7);
	case 0xc7:
		store(m, f, (uint64_t)(int64_t)(int32_t)get_u32(f->p));
		return !(f->reg & 7) && !f->memory;
	case 0xff: store(m, f, sum(m, value, 1, false, bits, true)); return !(f->reg & 7);
	default: return false;
	}
}

bool x86_run(struct machine *m, const uint8_t *p, const struct insn *in)
{
	struct form f = {.p = p};
	uint64_t end = m->pc + in->len;
	take_prefixes(&f);
	m->pc = end;
	m->atomic = f.locked;
	if (f.two && f.vector)
		return take_modrm(m, &f, end) && run_vector(m, &f);
	if (f.two && f.opcode == 0x90 && *f.p == 0xc0) {
		m->reg[RAX] = (m->reg[RAX] & ~(uint64_t)0xff) | has_flag(m, X86_OF);
		return true;
	}
	if (f.two && (f.opcode & 0xf0) == 0x90 && (*f.p & 0xf8) == 0xc0 &&
		(p[0] & 0xf0) == 0x40) { /* setcc of a low byte */
		uint64_t *to = &m->reg[(*f.p & 7) | f.b];
		*to = (*to & ~(uint64_t)0xff) | holds(m, f.opcode & 15);
		return true;
	}
	if (f.two && f.opcode == 0xb7) { /* movzwl */
		uint8_t modrm = *f.p;
		m->reg[(modrm >> 3 & 7) | f.r] = (uint16_t)m->reg[(modrm & 7) | f.b];
		return modrm >= 0xc0 && !f.wide;
	}
	if (f.two && f.opcode == 0xb6) { /* movzbl, of a low byte */
		uint8_t modrm = *f.p;
		m->reg[(modrm >> 3 & 7) | f.r] = (uint8_t)m->reg[(modrm & 7) | f.b];
		return modrm >= 0xc0 && (p[0] & 0xf0) == 0x40 && !f.wide;
	}
	return !f.two && !f.vector &&
		(run_control(m, &f) || run_short(m, &f) || run_modrm(m, &f, end));
}

bool x86_relocate(uint8_t *p, uint32_t type, uint64_t to, uint64_t at)
{
	int64_t distance = (int64_t)(to - at);
	switch (type) {
	case R_X86_64_PC32:
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
	case R_X86_64_PLT32: put_u32(p, (uint32_t)distance); return distance == (int32_t)distance;
	case R_X86_64_32: put_u32(p, (uint32_t)to); return to <= UINT32_MAX;
	case R_X86_64_TPOFF32:
	case R_X86_64_DTPOFF32:
	case R_X86_64_32S: put_u32(p, (uint32_t)to); return (int64_t)to == (int32_t)to;
	default: return false;
	}
}
