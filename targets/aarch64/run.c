/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - inserted code, executed for the verifier; see targets/machine.h
 *
 * The forms that emit.c makes, no others.
 */
#include "targets/aarch64/aarch64.h"

#include "targets/machine.h"

bool a64_run(struct machine *m, const uint8_t *p, const struct insn *in)
{
	(void)m;
	(void)p;
	(void)in;
	return false;
}
