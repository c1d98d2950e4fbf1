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
	bool low; /* prefix 67 */
	bool rex;
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

/* a + b + carry, or (less) a - b - carry; keep_carry: CF is unchanged. */
static uint64_t sum_with(struct machine *m, uint64_t a, uint64_t b, bool carry, bool less,
	unsigned bits, bool keep_carry)
{
	uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	uint64_t value = (less ? a - b - carry : a + b + carry) & mask, x = a & mask, y = b & mask;
	uint64_t overflow = less ? (a ^ b) & (a ^ value) : (a ^ value) & (b ^ value);
	if (!keep_carry)
		set_flag(m, X86_CF,
			less ? x < y || (carry && x == y) : value < x || (carry && value == x));
	set_flag(m, X86_OF, overflow >> (bits - 1) & 1);
	set_flag(m, X86_AF, (a ^ b ^ value) >> 4 & 1);
	result_flags(m, value, bits);
	return value;
}

static uint64_t sum(struct machine *m, uint64_t a, uint64_t b, bool less, unsigned bits,
	bool keep_carry)
{
	return sum_with(m, a, b, false, less, bits, keep_carry);
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
		f->rex = true;
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

/* The address of the memory operand, or what lea computes. */
static void take_address(const struct machine *m, struct form *f, unsigned mod, unsigned low,
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
	else if (mod == 2 || none) {
		f->at += (uint64_t)(int64_t)(int32_t)get_u32(f->p);
		f->p += 4;
	}
	f->at &= f->low ? UINT32_MAX : UINT64_MAX;
	f->at += f->tls ? m->tls : f->thread ? m->thread : 0;
}

static bool take_modrm(struct machine *m, struct form *f, uint64_t end)
{
	uint8_t modrm = *f->p++;
	f->reg = (modrm >> 3 & 7) | f->r;
	f->rm = (modrm & 7) | f->b;
	f->memory = modrm < 0xc0;
	if (f->memory)
		take_address(m, f, modrm >> 6, modrm & 7, end);
	return !f->low || (f->opcode == 0x8d && !f->two);
}

/* Of the low bytes of a register, and of the operand rm. */
static uint64_t low_bytes(uint64_t value, unsigned size)
{
	return value & (UINT64_MAX >> (64 - 8 * size));
}

static void set_register(struct machine *m, unsigned reg, unsigned size, uint64_t value)
{
	uint64_t kept = size >= 4 ? 0 : m->reg[reg] & ~(UINT64_MAX >> (64 - 8 * size));
	m->reg[reg] = kept | low_bytes(value, size);
}

static uint64_t load(const struct machine *m, const struct form *f, unsigned size)
{
	return f->memory ? machine_load(m, f->at, size) : low_bytes(m->reg[f->rm], size);
}

static void store(struct machine *m, const struct form *f, unsigned size, uint64_t value)
{
	if (f->memory)
		machine_store(m, f->at, size, value);
	else
		set_register(m, f->rm, size, value);
}

static uint64_t equal_halves(uint64_t a, uint64_t b)
{
	return ((uint32_t)a == (uint32_t)b ? UINT32_MAX : 0) |
		(a >> 32 == b >> 32 ? (uint64_t)UINT32_MAX << 32 : 0);
}

static bool run_vector(struct machine *m, const struct form *f)
{
	if (f->memory)
		return false;
	unsigned to = XMM0 + f->reg, by = XMM0 + f->rm;
	uint64_t a = m->reg[to], b = m->reg[by];
	uint64_t *high = &m->high[f->reg], more = m->high[f->rm];
	switch (f->opcode) {
	case 0x6e:
		m->reg[to] = m->reg[f->rm];
		*high = 0;
		return f->wide;
	case 0x7e: m->reg[f->rm] = a; return f->wide;
	case 0xef:
		m->reg[to] = a ^ b;
		*high ^= more;
		return true;
	case 0xfb:
		m->reg[to] = a - b;
		*high -= more;
		return true;
	case 0x76:
		m->reg[to] = equal_halves(a, b);
		*high = equal_halves(*high, more);
		return true;
	default: return false;
	}
}

/* movups of memory; ldmxcsr and stmxcsr; false: none of these. */
static bool run_saving(struct machine *m, const struct form *f)
{
	uint64_t *low = &m->reg[XMM0 + f->reg], *high = &m->high[f->reg];
	uint64_t *state = &m->rest[MACHINE_FLOAT];
	if (!f->memory)
		return false;
	if (f->opcode == 0x10) {
		*low = machine_load(m, f->at, 8);
		*high = machine_load(m, f->at + 8, 8);
	} else if (f->opcode == 0x11) {
		machine_store(m, f->at, 8, *low);
		machine_store(m, f->at + 8, 8, *high);
	} else if ((f->reg & 7) == 2) {
		*state = machine_load(m, f->at, 4);
	} else {
		machine_store(m, f->at, 4, *state);
	}
	return f->opcode != 0xae || (f->reg & 7) == 2 || (f->reg & 7) == 3;
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

static void logic_flags(struct machine *m, uint64_t value, unsigned bits)
{
	m->flags &= ~(REG_BIT(X86_CF) | REG_BIT(X86_OF) | REG_BIT(X86_AF));
	result_flags(m, value, bits);
}

/* shl, shr and sar by a number. */
static bool run_shift(struct machine *m, const struct form *f, unsigned size, unsigned by)
{
	enum { SHL = 4, SHR, SAR = 7 };
	unsigned bits = 8 * size, what = f->reg & 7;
	uint64_t value = load(m, f, size);
	by &= size == 8 ? 63 : 31;
	if ((what != SHL && what != SHR && what != SAR) || by >= bits)
		return false;
	if (!by)
		return true;
	uint64_t result = what == SHL ? value << by
		: what == SHR	      ? value >> by
				      : (uint64_t)(sign_extend(value, bits) >> by);
	logic_flags(m, low_bytes(result, size), bits);
	set_flag(m, X86_CF, value >> (what == SHL ? bits - by : by - 1) & 1);
	store(m, f, size, result);
	return true;
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
	if ((f->opcode & 0xf0) == 0x70) {
		m->pc = holds(m, f->opcode & 15) ? near : m->pc;
		return true;
	}
	switch (f->opcode) {
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
	default: return false;
	}
}

/* add, or, adc, sbb, and, sub, xor, cmp: by number. */
static uint64_t arithmetic(struct machine *m, unsigned what, uint64_t a, uint64_t b, unsigned bits)
{
	enum { ADD, OR, ADC, SBB, AND, SUB, XOR, CMP };
	bool carry = (what == ADC || what == SBB) && has_flag(m, X86_CF);
	if (what != OR && what != AND && what != XOR)
		return sum_with(m, a, b, carry, what == SBB || what == SUB || what == CMP, bits,
			false);
	uint64_t value = what == OR ? a | b : what == AND ? a & b : a ^ b;
	logic_flags(m, value, bits);
	return value;
}

static uint64_t number_behind(const struct form *f, unsigned size)
{
	return size == 1    ? (uint64_t)(int8_t)*f->p
		: size == 2 ? (uint64_t)(int16_t)(f->p[0] | f->p[1] << 8)
			    : (uint64_t)(int64_t)(int32_t)get_u32(f->p);
}

/* not, neg, test with a number; inc and dec. */
static bool run_unary(struct machine *m, const struct form *f, unsigned size)
{
	enum { TEST, NOT = 2, NEG };
	unsigned what = f->reg & 7;
	uint64_t value = load(m, f, size);
	if (f->opcode >= 0xfe) {
		if (what <= 1)
			store(m, f, size, sum(m, value, 1, what, 8 * size, true));
		return what <= 1;
	}
	if (what == TEST)
		logic_flags(m, low_bytes(value & number_behind(f, size), size), 8 * size);
	else if (what == NOT)
		store(m, f, size, ~value);
	else if (what == NEG)
		store(m, f, size, sum(m, 0, value, true, 8 * size, false));
	return what == TEST || what == NOT || what == NEG;
}

static void exchange(struct machine *m, const struct form *f, unsigned size)
{
	uint64_t value = load(m, f, size);
	store(m, f, size, low_bytes(m->reg[f->reg], size));
	set_register(m, f->reg, size, value);
	m->atomic |= f->memory;
}

static bool run_alu(struct machine *m, const struct form *f, unsigned size)
{
	unsigned what = f->opcode >= 0x80 ? f->reg & 7 : f->opcode >> 3;
	bool back = f->opcode < 0x80 && f->opcode & 2;
	uint64_t value = load(m, f, size);
	uint64_t by = f->opcode >= 0x80 ? number_behind(f, f->opcode == 0x81 ? size : 1)
					: low_bytes(m->reg[f->reg], size);
	uint64_t result = arithmetic(m, what, back ? by : value, low_bytes(back ? value : by, size),
		8 * size);
	if (what == 7)
		return true;
	if (back)
		set_register(m, f->reg, size, result);
	else
		store(m, f, size, result);
	return true;
}

/* A register of one byte that is another's second without REX. */
static bool is_second_byte(const struct form *f, unsigned reg)
{
	return !f->rex && reg >= 4;
}

/* Operations on %rax and a number; false: none of these. */
static bool run_with_rax(struct machine *m, const struct form *f)
{
	unsigned size = !(f->opcode & 1) ? 1 : f->wide ? 8 : 4;
	bool test = (f->opcode & 0xfe) == 0xa8;
	if (!test && (f->opcode >= 0x40 || (f->opcode & 6) != 4))
		return false;
	uint64_t value = low_bytes(m->reg[RAX], size);
	uint64_t by = low_bytes(number_behind(f, size), size);
	uint64_t result = arithmetic(m, test ? 4 : f->opcode >> 3, value, by, 8 * size);
	if (!test && f->opcode >> 3 != 7)
		set_register(m, RAX, size, result);
	return true;
}

static bool run_modrm(struct machine *m, struct form *f, uint64_t end)
{
	unsigned size = !(f->opcode & 1) ? 1 : f->wide ? 8 : f->vector ? 2 : 4;
	bool numbers = (f->opcode >= 0x80 && f->opcode < 0x84) || f->opcode >= 0xc0;
	if (!take_modrm(m, f, end))
		return false;
	if (f->opcode == 0x8d) {
		set_register(m, f->reg, f->wide ? 8 : 4, f->at);
		return f->memory && !f->vector && !f->thread && !f->tls;
	}
	if (size == 1 &&
		((!f->memory && is_second_byte(f, f->rm)) ||
			(!numbers && is_second_byte(f, f->reg))))
		return false;
	if (f->opcode < 0x40)
		return (f->opcode & 7) < 4 && run_alu(m, f, size);
	switch (f->opcode) {
	case 0x63: m->reg[f->reg] = (uint64_t)(int64_t)(int32_t)load(m, f, 4); return f->wide;
	case 0x80:
	case 0x81:
	case 0x83: return run_alu(m, f, size);
	case 0x84:
	case 0x85:
		logic_flags(m, load(m, f, size) & low_bytes(m->reg[f->reg], size), 8 * size);
		return true;
	case 0x86:
	case 0x87: exchange(m, f, size); return true;
	case 0x88:
	case 0x89: store(m, f, size, low_bytes(m->reg[f->reg], size)); return true;
	case 0x8a:
	case 0x8b: set_register(m, f->reg, size, load(m, f, size)); return true;
	case 0xc0:
	case 0xc1: return run_shift(m, f, size, *f->p);
	case 0xd0:
	case 0xd1: return run_shift(m, f, size, 1);
	case 0xc6:
	case 0xc7: store(m, f, size, number_behind(f, size)); return !(f->reg & 7);
	case 0xf6:
	case 0xf7:
	case 0xfe:
	case 0xff: return run_unary(m, f, size);
	default: return false;
	}
}

/* cmpxchg: the whole operand is compared with %rax. */
static void compare_and_exchange(struct machine *m, const struct form *f, unsigned size)
{
	uint64_t value = load(m, f, size);
	sum(m, low_bytes(m->reg[RAX], size), value, true, 8 * size, false);
	if (has_flag(m, X86_ZF))
		store(m, f, size, low_bytes(m->reg[f->reg], size));
	else
		set_register(m, RAX, size, value);
}

static void multiply(struct machine *m, const struct form *f, unsigned size)
{
	__int128 product = (__int128)sign_extend(load(m, f, size), 8 * size) *
		sign_extend(low_bytes(m->reg[f->reg], size), 8 * size);
	bool far = product != sign_extend(low_bytes((uint64_t)product, size), 8 * size);
	/* the others are undefined */
	m->flags ^= REG_BIT(X86_SF) | REG_BIT(X86_ZF) | REG_BIT(X86_AF) | REG_BIT(X86_PF);
	set_flag(m, X86_CF, far);
	set_flag(m, X86_OF, far);
	set_register(m, f->reg, size, (uint64_t)product);
}

/* Instructions behind 0f on general registers. */
static bool run_two(struct machine *m, struct form *f, uint64_t end)
{
	unsigned size = f->wide ? 8 : f->vector ? 2 : 4, from = f->opcode & 1 ? 2 : 1;
	if ((f->opcode & 0xf0) == 0x80) {
		m->pc += holds(m, f->opcode & 15) ? (uint64_t)(int64_t)(int32_t)get_u32(f->p) : 0;
		return true;
	}
	if (!take_modrm(m, f, end))
		return false;
	if ((f->opcode & 0xf0) == 0x90) {
		store(m, f, 1, holds(m, f->opcode & 15));
		return f->memory || !is_second_byte(f, f->rm);
	}
	if ((f->opcode & 0xf0) == 0x40) {
		uint64_t value = load(m, f, size);
		set_register(m, f->reg, size, holds(m, f->opcode & 15) ? value : m->reg[f->reg]);
		return true;
	}
	switch (f->opcode) {
	case 0xaf: multiply(m, f, size); return true;
	case 0xb1: compare_and_exchange(m, f, size); return true;
	case 0xb6:
	case 0xb7:
		set_register(m, f->reg, size, load(m, f, from));
		return f->memory || from == 2 || !is_second_byte(f, f->rm);
	case 0xbe:
	case 0xbf:
		set_register(m, f->reg, size, (uint64_t)sign_extend(load(m, f, from), 8 * from));
		return f->memory || from == 2 || !is_second_byte(f, f->rm);
	case 0xc1: {
		uint64_t value = load(m, f, size), by = low_bytes(m->reg[f->reg], size);
		uint64_t result = sum(m, value, by, false, 8 * size, false);
		set_register(m, f->reg, size, value);
		store(m, f, size, result);
		return true;
	}
	default: return false;
	}
}

static bool is_of_vectors(const struct form *f)
{
	return f->opcode == 0x6e || f->opcode == 0x7e || f->opcode == 0xef || f->opcode == 0xfb ||
		f->opcode == 0x76;
}

static bool is_saving(const struct form *f)
{
	return !f->vector && (f->opcode == 0x10 || f->opcode == 0x11 || f->opcode == 0xae);
}

bool x86_run(struct machine *m, const uint8_t *p, const struct insn *in)
{
	struct form f = {.p = p};
	uint64_t end = m->pc + in->len;
	take_prefixes(&f);
	m->pc = end;
	m->atomic = f.locked;
	if (f.two && is_of_vectors(&f))
		return f.vector && take_modrm(m, &f, end) && run_vector(m, &f);
	if (f.two && is_saving(&f))
		return take_modrm(m, &f, end) && run_saving(m, &f);
	if (f.two)
		return run_two(m, &f, end);
	if (!f.vector && (run_control(m, &f) || run_short(m, &f) || run_with_rax(m, &f)))
		return true;
	return run_modrm(m, &f, end);
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
