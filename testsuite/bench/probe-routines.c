/* SPDX-License-Identifier: Apache-2.0 */
/* probe-routines.c - leaves with two arguments; the tool's option `by' names one */
#include <ldx/analysis.h>

LDX_THREAD uint64_t executed[4096];

LDX_ROUTINE void pasted(unsigned long id, unsigned long n)
{
	ldx_add(executed, [id], n);
}

/* What has a frame is called. */
LDX_ROUTINE void called(unsigned long id, unsigned long n)
{
	volatile unsigned long frame = n;

	ldx_add(executed, [id], frame);
}
