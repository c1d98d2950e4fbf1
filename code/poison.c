/* SPDX-License-Identifier: Apache-2.0 */
/*
 * poison.c - code that overwrites dead registers and flags; see sequence.h
 */
#include "code/regs.h"
#include "code/sequence.h"

/* The next pseudo-random number (Knuth's linear congruential generator for MMIX). */
static uint32_t next_number(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*state >> 32);
}

void code_poison(const struct target *t, struct code *c, uint32_t mark, uint32_t random,
	regset dead)
{
	uint32_t start = c->bytes.n, rel = c->rel.n;
	uint64_t state = random;
	code_reloc(c, (struct reloc){.type = R_NONE, .sym = mark});
	for (regset regs = dead & (REGSET_GENERAL | t->micro->vectors); regs; regs &= regs - 1)
		t->micro->scramble(c, lowest_reg(regs), next_number(&state));
	t->micro->scramble_flags(c, next_number(&state), dead);
	if (c->bytes.n == start) {
		c->rel.n = rel;
		return;
	}
	small_v(&c->rel)[rel].addend = c->bytes.n - start;
	code_claim(c, start, (struct claim){.kind = CLAIM_POISON});
}
