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

/* ldxr, ldaxr, ldxp, ldaxp (Arm ARM, C4.1.94). */
static bool is_load_exclusive(uint32_t w)
{
	return (w & 0x3fc00000) == 0x08400000 && (!a64_bits(w, 21, 1) || w >> 31);
}

/*
 * hazard: exclusive pair.  Memory that is accessed between a load-exclusive and its store-exclusive
 * may make the store fail each time.
 */
bool a64_keep_whole(const char *name, const uint8_t *p, size_t n, const char **why)
{
	(void)name;
	*why = "signal return trampoline";
	/* mov x8,#__NR_rt_sigreturn; svc #0: unwinders compare bytes */
	if (n >= 8 && get_u32(p) == 0xd2801168 && get_u32(p + 4) == 0xd4000001)
		return true;
	*why = "a load-exclusive and its store";
	for (size_t at = 0; at + 4 <= n; at += 4)
		if (is_load_exclusive(get_u32(p + at)))
			return true;
	return false;
}
