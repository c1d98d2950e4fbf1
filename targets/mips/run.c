/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - inserted code, executed for the verifier; see targets/machine.h
 */
#include "targets/mips/mips.h"

#include "targets/machine.h"

bool mips_run(struct machine *m, const uint8_t *p, const struct insn *in)
{
	(void)m;
	(void)p;
	(void)in;
	return false;
}
