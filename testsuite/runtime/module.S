/* SPDX-License-Identifier: Apache-2.0 */
/* What the rewriter would have made: NCOUNTERS counters, for build BUILD. */
	.section .ldx.info, "a", @progbits
	.balign	8
	.globl	__ldx_info
	.hidden	__ldx_info, __ldx_counters
__ldx_info:
	.quad	0x31306f666e78646c, BUILD, NCOUNTERS
1:	.quad	__ldx_counters - 1b
	.quad	0, 0, 0, 0
	.section .ldx.counters, "aw", @nobits
	.balign	4096
	.globl	__ldx_counters
__ldx_counters:
	.zero	(NCOUNTERS * 8 + 4095) / 4096 * 4096
	.section .note.GNU-stack, "", @progbits
