/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.c - code that others recognise by its bytes or its name
 */
#include "targets/riscv64/riscv64.h"

/* gdb's riscv_scan_prologue() goes through computations, loads and stores of any register. */
uint32_t rv_frame_setup(const uint8_t *text, const struct insn *in, uint32_t n)
{
	(void)text;
	(void)in;
	(void)n;
	return 0;
}

bool rv_keep_whole(const char *name, const uint8_t *p, size_t n, const char **why)
{
	enum { LI_A7_RT_SIGRETURN = 0x08b00893, ECALL = 0x00000073 };

	(void)name;
	*why = "signal return trampoline";
	return n >= 8 && get_u32(p) == LI_A7_RT_SIGRETURN && get_u32(p + 4) == ECALL;
}

/* lr and sc, which are never compressed. */
enum exclusive rv_exclusive(const uint8_t *p, unsigned len)
{
	uint32_t w = len == 4 ? get_u32(p) : 0;

	if (rv_op(w) != RV_AMO)
		return EXCLUSIVE_NOT;
	switch (w >> 27) {
	case 2: return EXCLUSIVE_LOAD;
	case 3: return EXCLUSIVE_STORE;
	default: return EXCLUSIVE_NOT;
	}
}
