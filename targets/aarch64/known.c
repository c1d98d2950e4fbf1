/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.c - code that others recognise by its bytes or its name
 */
#include "targets/aarch64/aarch64.h"

/*
 * stp x29,x30,[sp,#-n]!; mov x29,sp, behind bti or paciasp: gdb's aarch64_analyze_prologue() goes
 * through the instructions whatever stands between.
 */
uint32_t a64_frame_setup(const uint8_t *text, const struct insn *in, uint32_t n)
{
	uint32_t k = n && (in[0].flags & INSN_LANDING) ? 1 : 0;

	if (n < k + 2 || (get_u32(text + in[k].off) & 0xffc07fff) != 0xa9807bfd ||
		get_u32(text + in[k + 1].off) != 0x910003fd)
		return 0;
	return k + 2;
}

bool a64_keep_whole(const char *name, const uint8_t *p, size_t n, const char **why)
{
	(void)name;
	*why = "signal return trampoline";
	/* mov x8,#__NR_rt_sigreturn; svc #0: unwinders compare bytes */
	return n >= 8 && get_u32(p) == 0xd2801168 && get_u32(p + 4) == 0xd4000001;
}

/* ldxr, ldaxr, ldxp, ldaxp; stxr, stlxr, stxp, stlxp (Arm ARM, C4.1.94). */
enum exclusive a64_exclusive(const uint8_t *p, unsigned len)
{
	uint32_t w = get_u32(p);
	(void)len;
	if ((w & 0x3f800000) != 0x08000000 || (a64_bits(w, 21, 1) && !(w >> 31)))
		return EXCLUSIVE_NOT;
	return a64_bits(w, 22, 1) ? EXCLUSIVE_LOAD : EXCLUSIVE_STORE;
}
