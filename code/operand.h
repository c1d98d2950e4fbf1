/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand.h - what inserted code can make of an instruction's accesses, in front of it
 */
#ifndef LDX_CODE_OPERAND_H
#define LDX_CODE_OPERAND_H

#include "reloc/object.h"
#include "targets/access.h"
#include "targets/operand.h"
#include "targets/target.h"

/*
 * The address, or the length, of access n of the instruction in of section s of o; sets *out.
 * Returns NULL, or why inserted code cannot make it.  A length that is constant has no registers.
 */
const char *operand_address(const struct object *o, const struct section *s, const struct insn *in,
	unsigned n, struct address *out);
const char *operand_length(const struct object *o, const struct section *s, const struct insn *in,
	unsigned n, struct address *out);

/*
 * Likewise: where the branch, call, jump or return in leads, if the program computes that; the
 * condition on which the branch does; the register that access n stores or loads, and its bytes, or
 * (*reg is -1) the number that it stores.
 */
const char *operand_target(const struct object *o, const struct section *s, const struct insn *in,
	struct address *out);
const char *operand_taken(const struct object *o, const struct section *s, const struct insn *in,
	struct condition *out);
const char *operand_value(const struct object *o, const struct section *s, const struct insn *in,
	unsigned n, bool stores, int *reg, unsigned *size, int64_t *number);

/* Likewise, what operation op makes, which a part of an instruction is, if that is a sum. */
const char *operand_delayed(const struct object *o, const struct section *s, const struct insn *in,
	const struct operation *op, struct address *out);

/*
 * What it compares; size 0: nothing.  operand_compared: register and number as above, of value n.
 */
struct comparison operand_comparison(const struct section *s, const struct target *t,
	const struct insn *in);
const char *operand_compared(const struct object *o, const struct section *s, const struct insn *in,
	unsigned n, int *reg, unsigned *size, int64_t *number);

#endif
