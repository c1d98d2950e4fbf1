/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall.c - system calls that counters depend on
 *
 * Recognised by Linux's numbers: calls that make a process or a thread, and arch_prctl(2), which
 * sets the base of %gs.
 */
#include "targets/x86_64/x86_64.h"

const int64_t x86_forks[] = {56 /* clone */, 57 /* fork */, 58 /* vfork */, 435 /* clone3 */, 0};
const int64_t x86_installs[] = {13 /* rt_sigaction */, 0};
const int64_t x86_exits[] = {60 /* exit */, 231 /* exit_group */, 0};
const int64_t x86_leaves[] = {60 /* exit */, 15 /* rt_sigreturn */, 0};

enum { NR_MMAP = 9, NR_ARCH_PRCTL = 158, NR_X32 = 0x40000000, ARCH_SET_GS = 0x1001 };

/* The constant that the n instructions leave in register reg; false: unknown. */
static bool constant(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
	unsigned reg, int64_t *value)
{
	struct operation op;
	for (const struct insn *set; (set = last_set(in, n, reg)); n = (uint32_t)(set - in)) {
		const uint8_t *p = text + set->off;
		/* xor %reg,%reg: read */
		if (set->len == 2 && (p[0] == 0x31 || p[0] == 0x33) && p[1] == (0xc0 | reg * 9)) {
			*value = 0;
			return true;
		}
		x86_describe(d, p, set, &op);
		*value = op.imm;
		if (op.op != OP_MOVE || op.size < 4)
			return op.op == OP_IMM && !set->has_rel;
		reg = (unsigned)op.src;
	}
	return false;
}

/* Only the syscall instruction: int $0x80 has other numbers. */
static bool is_syscall(const uint8_t *text, const struct insn *in)
{
	return in->len == 2 && text[in->off] == 0x0f && text[in->off + 1] == 0x05;
}

bool x86_syscall_number(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
	int64_t *nr)
{
	bool known = is_syscall(text, &in[n - 1]) && constant(d, text, in, n - 1, RAX, nr);
	if (known)
		*nr &= ~(int64_t)NR_X32;
	return known;
}

bool x86_sets_base(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n)
{
	bool call = in[n - 1].kind != INSN_SYSCALL;
	int64_t nr, code;
	if (!call && !is_syscall(text, &in[n - 1]))
		return false;
	return constant(d, text, in, n - 1, call ? RDI : RAX, &nr) &&
		(nr & ~(int64_t)NR_X32) == NR_ARCH_PRCTL &&
		(!constant(d, text, in, n - 1, call ? RSI : RDI, &code) || code == ARCH_SET_GS);
}

bool x86_maps_low(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
	bool named)
{
	bool call = in[n - 1].kind != INSN_SYSCALL;
	int64_t nr, at;
	if (!named &&
		((!call && !is_syscall(text, &in[n - 1])) ||
			!constant(d, text, in, n - 1, call ? RDI : RAX, &nr) || nr != NR_MMAP))
		return false;
	return constant(d, text, in, n - 1, call && !named ? RSI : RDI, &at) && at > 0 &&
		at < (int64_t)1 << 31;
}

/*
 * wrgsbase: f3, a prefix of 64 bits or none, 0f ae, a register with /3; p is at ae.  The runtime of
 * a library has it, too, behind a no-op with these letters.
 */
static bool is_wrgsbase(const uint8_t *p, size_t before, size_t n)
{
	bool own = before >= 7 && !memcmp(p - 7, "ldx!", 4);
	return before >= 3 && n >= 2 && !own && p[-1] == 0x0f && (p[1] & 0xf8) == 0xd8 &&
		(p[-2] == 0xf3 || (p[-3] == 0xf3 && (p[-2] & 0xf0) == 0x40));
}

/* In compiled code both numbers are next to each other at the call. */
bool x86_code_sets_base(const uint8_t *p, size_t n)
{
	static const uint8_t code[] = {ARCH_SET_GS & 0xff, ARCH_SET_GS >> 8, 0, 0};
	static const uint8_t nr[] = {NR_ARCH_PRCTL, 0, 0, 0};
	enum { NEAR = 48 };
	for (const uint8_t *q = p; (q = memmem(q, n - (size_t)(q - p), code, sizeof code)); q++) {
		size_t at = (size_t)(q - p), from = at < NEAR ? 0 : at - NEAR;
		size_t to = n - at < NEAR ? n : at + NEAR;
		if (memmem(p + from, to - from, nr, sizeof nr))
			return true;
	}
	for (const uint8_t *q = p; (q = memchr(q, 0xae, n - (size_t)(q - p))); q++)
		if (is_wrgsbase(q, (size_t)(q - p), n - (size_t)(q - p)))
			return true;
	return false;
}
