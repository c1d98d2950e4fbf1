/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - inserted code, relocated and executed for the verifier; see targets/machine.h
 *
 * Written from the Arm ARM, C6.2, and AAELF64, 5.7, and not from emit.c: code of emit.c that this
 * does not know, or executes otherwise, fails verification.
 */
#include "targets/aarch64/aarch64.h"

#include "targets/machine.h"

enum { ZERO = 31 };

/* The register in the field at bit at of w, where 31 is zero. */
static uint64_t get(const struct machine *m, uint32_t w, unsigned at)
{
	unsigned r = a64_bits(w, at, 5);
	return r == ZERO ? 0 : m->reg[r];
}

static void set(struct machine *m, unsigned r, uint64_t value)
{
	if (r != ZERO)
		m->reg[r] = value;
}

static void set_flags(struct machine *m, unsigned nzcv)
{
	static const uint8_t flag[] = {A64_V, A64_C, A64_Z, A64_N};
	m->flags &= ~A64_FLAGS;
	for (unsigned i = 0; i < 4; i++)
		m->flags |= nzcv >> i & 1 ? REG_BIT(flag[i]) : 0;
}

static bool holds(const struct machine *m, unsigned condition)
{
	bool n = m->flags & REG_BIT(A64_N), z = m->flags & REG_BIT(A64_Z);
	bool c = m->flags & REG_BIT(A64_C), v = m->flags & REG_BIT(A64_V);
	const bool base[] = {z, c, n, v, c && !z, n == v, !z && n == v, true};
	return base[condition >> 1] != (condition & 1 && condition != 15);
}

/* Sums, of 64 bits; 31 is the stack pointer where an immediate is added, and no flags are set. */
static bool run_sum(struct machine *m, uint32_t w)
{
	bool less = w >> 30 & 1, flags = w >> 29 & 1, immediate = (w & 0x1f800000) == 0x11000000;
	unsigned to = a64_bits(w, 0, 5);
	uint64_t a = immediate ? m->reg[a64_bits(w, 5, 5)] : get(m, w, 5);
	uint64_t b = immediate ? a64_bits(w, 10, 12) << (w >> 22 & 1 ? 12 : 0)
			       : get(m, w, 16) << a64_bits(w, 10, 6);
	if (!immediate && w >> 22 & 1)
		b = get(m, w, 16) >> a64_bits(w, 10, 6);
	uint64_t value = less ? a - b : a + b;
	uint64_t overflow = less ? (a ^ b) & (a ^ value) : (a ^ value) & (b ^ value);
	bool carry = less ? a >= b : value < a;
	if (flags)
		set_flags(m,
			(unsigned)(value >> 63) << 3 | (unsigned)!value << 2 |
				(unsigned)carry << 1 | (unsigned)(overflow >> 63));
	if (immediate && !flags)
		m->reg[to] = value;
	else
		set(m, to, value);
	return w >> 31;
}

/* add of a register that is extended, and shifted; 31 is the stack pointer as the sum and the base.
 */
static bool run_extended(struct machine *m, uint32_t w)
{
	uint64_t by = get(m, w, 16);
	switch (a64_bits(w, 13, 3)) {
	case 2: by = (uint32_t)by; break;
	case 3: break;
	case 6: by = (uint64_t)(int64_t)(int32_t)by; break;
	default: return false;
	}
	m->reg[a64_bits(w, 0, 5)] = m->reg[a64_bits(w, 5, 5)] + (by << a64_bits(w, 10, 3));
	return a64_bits(w, 10, 3) <= 4;
}

/* orr of a register with zero, and asr by a constant, which is sbfm up to bit 63. */
static bool run_move(struct machine *m, uint32_t w)
{
	unsigned to = a64_bits(w, 0, 5);
	if ((w & 0xffe0ffe0) == 0xaa0003e0)
		set(m, to, get(m, w, 16));
	else if ((w & 0xffc0fc00) == 0x9340fc00)
		set(m, to, (uint64_t)((int64_t)get(m, w, 5) >> a64_bits(w, 16, 6)));
	else
		return false;
	return true;
}

/* clz, eor of 1, and ubfm of consecutive bits. */
static bool run_bits(struct machine *m, uint32_t w)
{
	unsigned to = a64_bits(w, 0, 5), from = a64_bits(w, 16, 6), last = a64_bits(w, 10, 6);
	uint64_t value = get(m, w, 5);
	if ((w & 0x7ffffc00) == 0x5ac01000) {
		value = w >> 31 ? value : (uint32_t)value;
		unsigned zeros = value ? (unsigned)__builtin_clzll(value) : 64;
		set(m, to, w >> 31 ? zeros : zeros - 32);
	} else if ((w & 0xfffffc00) == 0xd2400000) {
		if (to == ZERO)
			return false;
		set(m, to, value ^ 1);
	} else if ((w & 0xffc00000) == 0xd3400000 && last >= from) {
		unsigned n = last - from + 1;
		set(m, to, value >> from & (n == 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1));
	} else {
		return false;
	}
	return true;
}

/* csinc of zeros: cset, with the inverted condition. */
static bool run_select(struct machine *m, uint32_t w)
{
	set(m, a64_bits(w, 0, 5), !holds(m, a64_bits(w, 12, 4)));
	return (w & 0xffff0fe0) == 0x9a9f07e0;
}

static bool run_wide(struct machine *m, uint32_t w)
{
	unsigned to = a64_bits(w, 0, 5), shift = a64_bits(w, 21, 2) * 16;
	uint64_t n = (uint64_t)a64_bits(w, 5, 16) << shift;
	switch (a64_bits(w, 29, 2)) {
	case 0: set(m, to, ~n); break;
	case 2: set(m, to, n); break;
	case 3: set(m, to, (get(m, w, 0) & ~((uint64_t)0xffff << shift)) | n); break;
	default: return false;
	}
	return w >> 31;
}

/* Loads and stores of one register; writeback changes the base behind or in front of the access. */
static bool run_memory(struct machine *m, uint32_t w)
{
	unsigned size = 1u << (w >> 30), base = a64_bits(w, 5, 5), reg = a64_bits(w, 0, 5);
	bool load = a64_bits(w, 22, 2) == 1, scaled = w >> 24 & 1;
	unsigned form = scaled ? 0 : a64_bits(w, 10, 2);
	int64_t by = scaled ? (int64_t)a64_bits(w, 10, 12) * size : a64_signed(w, 12, 9);
	uint64_t sum = m->reg[base] + (uint64_t)by, at = form == 1 ? m->reg[base] : sum;
	if (a64_bits(w, 22, 2) > 1 || form == 2 || (form && (base == reg || w >> 21 & 1)) ||
		(!scaled && w >> 21 & 1) || (base == A64_SP && m->reg[base] % 16))
		return false;
	if (load)
		set(m, reg, machine_load(m, at, size));
	else
		machine_store(m, at, size, get(m, w, 0));
	if (form)
		m->reg[base] = sum;
	return true;
}

/* Loads and stores of two registers, which move the stack pointer, in front or behind. */
static bool run_pair(struct machine *m, uint32_t w)
{
	bool load = w >> 22 & 1, before = w >> 24 & 1;
	uint64_t sum = m->reg[A64_SP] + (uint64_t)(a64_signed(w, 15, 7) * 8);
	uint64_t at = before ? sum : m->reg[A64_SP];
	unsigned first = a64_bits(w, 0, 5), second = a64_bits(w, 10, 5);
	if (a64_bits(w, 5, 5) != A64_SP || m->reg[A64_SP] % 16 || (load && first == second))
		return false;
	if (load) {
		set(m, first, machine_load(m, at, 8));
		set(m, second, machine_load(m, at + 8, 8));
	} else {
		machine_store(m, at, 8, get(m, w, 0));
		machine_store(m, at + 8, 8, get(m, w, 10));
	}
	m->reg[A64_SP] = sum;
	return true;
}

/* Loads and stores of one or two registers of 128 bits, at the stack pointer. */
static bool run_vectors(struct machine *m, uint32_t w)
{
	bool load = w >> 22 & 1, pair = (w & 0xff800000) == 0xad000000;
	int64_t by = pair ? a64_signed(w, 15, 7) : (int64_t)a64_bits(w, 10, 12);
	uint64_t at = m->reg[a64_bits(w, 5, 5)] + (uint64_t)by * 16;
	const unsigned reg[] = {a64_bits(w, 0, 5), a64_bits(w, 10, 5)};
	if (a64_bits(w, 5, 5) != A64_SP || m->reg[A64_SP] % 16 ||
		(pair && load && reg[0] == reg[1]))
		return false;
	for (unsigned i = 0; i < 1u + pair; i++, at += 16) {
		uint64_t *low = &m->reg[REG_VECTOR + reg[i]], *high = &m->high[reg[i]];
		if (load) {
			*low = machine_load(m, at, 8);
			*high = machine_load(m, at + 8, 8);
		} else {
			machine_store(m, at, 8, *low);
			machine_store(m, at + 8, 8, *high);
		}
	}
	return true;
}

/* movi of 128 bits, by bytes of ones and zeros; sub and fmov of 64 bits, which clear the others. */
static bool run_scalar(struct machine *m, uint32_t w)
{
	unsigned to = a64_bits(w, 0, 5), from = a64_bits(w, 5, 5),
		 bits = a64_bits(w, 16, 3) << 5 | from;
	uint64_t *low = &m->reg[REG_VECTOR + to], value = m->reg[REG_VECTOR + from], ones = 0;
	for (unsigned i = 0; i < 8; i++)
		ones |= bits >> i & 1 ? (uint64_t)0xff << 8 * i : 0;
	if ((w & 0xfffffc00) == 0x9e660000) {
		set(m, to, value);
		return true;
	}
	m->high[to] = 0;
	if ((w & 0xfff8fc00) == 0x6f00e400)
		*low = m->high[to] = ones;
	else if ((w & 0xffe0fc00) == 0x7ee08400)
		*low = value - m->reg[REG_VECTOR + a64_bits(w, 16, 5)];
	else if ((w & 0xfffffc00) == 0x9e670000)
		*low = get(m, w, 5);
	else if ((w & 0xfffffc00) == 0x1e604000)
		*low = value;
	else
		return false;
	return true;
}

/* ldxr and stxr of 64 bits: the store fails unless the load was of the same address, and last. */
static bool run_exclusive(struct machine *m, uint32_t w)
{
	uint64_t at = m->reg[a64_bits(w, 5, 5)];
	unsigned failed = a64_bits(w, 16, 5);
	if ((w & 0xfffffc00) == 0xc85f7c00) {
		set(m, a64_bits(w, 0, 5), machine_load(m, at, 8));
		m->exclusive = at;
		m->watched = true;
		return true;
	}
	if ((w & 0xffe0fc00) != 0xc8007c00 || failed == a64_bits(w, 0, 5) ||
		failed == a64_bits(w, 5, 5))
		return false;
	bool good = m->watched && m->exclusive == at;
	if (good)
		machine_store(m, at, 8, get(m, w, 0));
	m->atomic = good;
	m->watched = false;
	set(m, failed, !good);
	return true;
}

/* ldadd of 64 bits, and stadd, which loads nothing. */
static bool run_atomic(struct machine *m, uint32_t w)
{
	uint64_t at = m->reg[a64_bits(w, 5, 5)], old = machine_load(m, at, 8), by = get(m, w, 16);
	machine_store(m, at, 8, old + by);
	set(m, a64_bits(w, 0, 5), old);
	m->atomic = true;
	return true;
}

static bool run_flags(struct machine *m, uint32_t w)
{
	if ((w & 0xffffffe0) == 0xd53b4200) {
		uint64_t nzcv = 0;
		for (unsigned i = 0; i < 4; i++)
			nzcv = nzcv << 1 | (m->flags >> (A64_N + i) & 1);
		set(m, a64_bits(w, 0, 5), nzcv << 28);
	} else if ((w & 0xffffffe0) == 0xd51b4200) {
		set_flags(m, (unsigned)(get(m, w, 0) >> 28 & 15));
	} else if ((w & 0xffffffe0) == 0xd53bd040) { /* TPIDR_EL0 */
		set(m, a64_bits(w, 0, 5), machine_load(m, m->tls, 8));
	} else if ((w & 0xffffffc0) == 0xd53b4400) { /* FPCR, FPSR */
		set(m, a64_bits(w, 0, 5), m->rest[MACHINE_FLOAT + (w >> 5 & 1)]);
	} else if ((w & 0xffffffc0) == 0xd51b4400) {
		m->rest[MACHINE_FLOAT + (w >> 5 & 1)] = get(m, w, 0);
	} else {
		return w == A64_NOP;
	}
	return true;
}

/* Branches to a constant distance; false: none of these.  A hook preserves all but x30. */
static bool run_branch(struct machine *m, uint32_t w)
{
	uint64_t here = m->pc - 4, value = get(m, w, 0);
	bool taken;
	if ((w & 0x7c000000) == 0x14000000) {
		uint64_t to = here + (uint64_t)a64_signed(w, 0, 26) * 4;
		if (w >> 31) {
			m->reg[A64_LR] = m->pc;
			m->called = to;
			m->calls++;
		} else {
			m->pc = to;
		}
		return true;
	}
	if ((w & 0x7e000000) == 0x34000000) {
		bool zero = !(w >> 31 ? value : (uint32_t)value);
		taken = zero != a64_bits(w, 24, 1);
	} else if ((w & 0x7e000000) == 0x36000000) {
		unsigned bit = a64_bits(w, 31, 1) << 5 | a64_bits(w, 19, 5);
		taken = (value >> bit & 1) == a64_bits(w, 24, 1);
		m->pc = taken ? here + (uint64_t)a64_signed(w, 5, 14) * 4 : m->pc;
		return true;
	} else if ((w & 0xff000010) == 0x54000000) {
		taken = holds(m, a64_bits(w, 0, 4));
	} else {
		return false;
	}
	m->pc = taken ? here + (uint64_t)a64_signed(w, 5, 19) * 4 : m->pc;
	return true;
}

/* adr, and adrp, which counts in pages. */
static bool run_address(struct machine *m, uint32_t w)
{
	uint64_t here = m->pc - 4;
	uint64_t n = (uint64_t)a64_signed(w, 5, 19) << 2 | a64_bits(w, 29, 2);
	set(m, a64_bits(w, 0, 5), w >> 31 ? (here & ~(uint64_t)0xfff) + (n << 12) : here + n);
	return true;
}

bool a64_run(struct machine *m, const uint8_t *p, const struct insn *in)
{
	static const struct {
		uint32_t mask, bits;
		bool (*run)(struct machine *m, uint32_t w);
	} forms[] = {
		{0x1f000000, 0x10000000, run_address},
		{0x1f800000, 0x11000000, run_sum},
		{0x1f800000, 0x12800000, run_wide},
		{0xffe00000, 0x8b200000, run_extended},
		{0x7fff0000, 0x5ac00000, run_bits},
		{0xff800000, 0xd2000000, run_bits},
		{0xff800000, 0xd3000000, run_bits},
		{0xffe00000, 0x9a800000, run_select},
		{0x1fe00000, 0x0b000000, run_sum}, /* shifted to the left */
		{0xffe00000, 0x8b400000, run_sum}, /* to the right */
		{0x7fe00000, 0x2a000000, run_move},
		{0x7f800000, 0x13000000, run_move},
		{0x3f000000, 0x08000000, run_exclusive},
		{0xff20fc00, 0xf8200000, run_atomic},
		{0x3e000000, 0x38000000, run_memory},
		{0xfe800000, 0xa8800000, run_pair},
		{0xff800000, 0xad000000, run_vectors},
		{0x7f000000, 0x1e000000, run_scalar},
		{0x6e000000, 0x6e000000, run_scalar},
		{0xff800000, 0x3d800000, run_vectors},
		{0xffc00000, 0xd5000000, run_flags},
	};
	uint32_t w = get_u32(p);
	m->pc += in->len;
	if (run_branch(m, w))
		return true;
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if ((w & forms[i].mask) == forms[i].bits)
			return forms[i].run(m, w);
	return false;
}

static bool fits(int64_t x, unsigned bits)
{
	return x >= -((int64_t)1 << (bits - 1)) && x < (int64_t)1 << (bits - 1);
}

bool a64_relocate(uint8_t *p, uint32_t type, uint64_t to, uint64_t at)
{
	uint32_t w = get_u32(p), field, mask;
	int64_t pages = (int64_t)((to & ~(uint64_t)0xfff) - (at & ~(uint64_t)0xfff)) >> 12;
	int64_t words = (int64_t)(to - at) >> 2;
	unsigned size = 0;
	bool good = true;
	switch (type) {
	case R_AARCH64_ADR_PREL_PG_HI21:
		field = ((uint32_t)pages >> 2 & 0x7ffff) << 5 | ((uint32_t)pages & 3) << 29;
		mask = 0x60ffffe0;
		good = fits(pages, 21) && (w & 0x9f000000) == 0x90000000;
		break;
	case R_AARCH64_CALL26:
	case R_AARCH64_JUMP26:
		mask = 0x3ffffff;
		field = (uint32_t)words & mask;
		good = fits(words, 26) && !((to - at) & 3) && (w & 0x7c000000) == 0x14000000;
		break;
	case R_AARCH64_LDST128_ABS_LO12_NC: size++; /* fall through */
	case R_AARCH64_TLSLE_LDST64_TPREL_LO12_NC:
	case R_AARCH64_LDST64_ABS_LO12_NC: size++; /* fall through */
	case R_AARCH64_TLSLE_LDST32_TPREL_LO12_NC:
	case R_AARCH64_LDST32_ABS_LO12_NC: size++; /* fall through */
	case R_AARCH64_TLSLE_LDST16_TPREL_LO12_NC:
	case R_AARCH64_LDST16_ABS_LO12_NC: size++; /* fall through */
	case R_AARCH64_TLSLE_LDST8_TPREL_LO12_NC:
	case R_AARCH64_LDST8_ABS_LO12_NC:
		good = (w & 0x3b000000) == 0x39000000 && w >> 30 == (size == 4 ? 0 : size) &&
			!(to & ((1u << size) - 1));
		mask = 0xfff << 10;
		field = (uint32_t)(to & 0xfff) >> size << 10;
		break;
	case R_AARCH64_LD64_GOT_LO12_NC: /* of ldr, or an add of a number of words */
		good = (w & 0xffc00000) == 0xf9400000 || (w & 0xffc00000) == 0x91000000;
		mask = 0xfff << 10;
		field = (uint32_t)(to & 0xfff) >> 3 << 10;
		break;
	case R_AARCH64_LD64_GOTPAGE_LO15:
		good = (w & 0xffc00000) == 0xf9400000 || (w & 0xffc00000) == 0x91000000;
		mask = 0xfff << 10;
		field = (uint32_t)(to & 0x7fff) >> 3 << 10;
		break;
	case R_AARCH64_TLSLE_ADD_TPREL_HI12:
		good = (w & 0x7fc00000) == 0x11400000 && to >> 24 == 0;
		mask = 0xfff << 10;
		field = (uint32_t)(to >> 12 & 0xfff) << 10;
		break;
	case R_AARCH64_TLSLE_ADD_TPREL_LO12_NC:
	case R_AARCH64_ADD_ABS_LO12_NC:
		good = (w & 0x7fc00000) == 0x11000000;
		mask = 0xfff << 10;
		field = (uint32_t)(to & 0xfff) << 10;
		break;
	default: return false;
	}
	/* linkers differ in whether they keep bits that are there */
	if (!good || w & mask)
		return false;
	put_u32(p, w | field);
	return true;
}
