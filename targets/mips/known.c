/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.c - code that others recognise by its bytes or its name
 */
#include "targets/mips/mips.h"

/* gdb's mips32_scan_prologue() goes through the instructions whatever stands between. */
uint32_t mips_frame_setup(const uint8_t *text, const struct insn *in, uint32_t n)
{
	(void)text;
	(void)in;
	(void)n;
	return 0;
}

static bool has_word(const uint8_t *p, size_t n, uint32_t mask, uint32_t bits)
{
	for (size_t at = 0; at + 4 <= n; at += 4)
		if ((mips_word(p + at) & mask) == bits)
			return true;
	return false;
}

/*
 * hazard: bal of the next instruction.  bal .+8 is no call: it sets $ra to the address of what
 * follows, from which others are computed.
 */
bool mips_keep_whole(const char *name, const uint8_t *p, size_t n, const char **why)
{
	enum {
		LI_V0 = 0x24020000,
		NR_SIGRETURN = 4119, /* n64 has none */
		NR_RT_SIGRETURN = MIPS_WORD == 8 ? 5211 : 4193,
		SYSCALL = 12
	};

	(void)name;
	*why = "signal return trampoline";
	if (n >= 8 && mips_word(p + 4) == SYSCALL &&
		(mips_word(p) == (LI_V0 | NR_SIGRETURN) ||
			mips_word(p) == (LI_V0 | NR_RT_SIGRETURN)))
		return true;
	*why = "distances from its own address";
	return has_word(p, n, UINT32_MAX, MIPS_GET_PC);
}

/* lwl, lwr, ldl, ldr (MD00087): at is the place of the lowest byte. */
bool mips_load_part(const uint8_t *p, unsigned len, struct load_part *l)
{
	uint32_t branch = len > 4 ? mips_word(p) : 0;
	uint32_t w = mips_word(p + len - 4), op = w >> 26;
	bool whole = op == 0x1a || op == 0x1b;

	if (!whole && op != 0x22 && op != 0x26)
		return false;
	l->reg = w >> 16 & 31;
	if (l->reg == (branch >> 16 & 31) || l->reg == (branch >> 21 & 31))
		return false;
	l->base = w >> 21 & 31;
	l->bytes = whole ? 8 : 4;
	l->left = op == 0x1a || op == 0x22;
	l->at = (int16_t)w - (l->left != MIPS_BIG ? l->bytes - 1 : 0);
	return true;
}

enum exclusive mips_exclusive(const uint8_t *p, unsigned len)
{
	if (has_word(p, len, 0xec000000, 0xe0000000)) /* sc, scd */
		return EXCLUSIVE_STORE;
	return has_word(p, len, 0xec000000, 0xc0000000) ? EXCLUSIVE_LOAD
							: EXCLUSIVE_NOT; /* ll, lld */
}
