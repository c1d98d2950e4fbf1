/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.h - proof that an instrumented object is the same program
 */
#ifndef LDX_VERIFY_VERIFY_H
#define LDX_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stdio.h>

struct origins;
struct outside;

/* What is said of the link, and not of the object. */
struct verify_options {
	bool shared; /* a shared object is made: its global symbols may be preempted */
	bool atomic; /* threads count in the same cells at once: counting must be atomic */
	const struct origins *origins; /* of the object in: reloc/object.h; or NULL */
	const struct outside *outside; /* of the libraries it needs: reloc/outside.h; or NULL */
};

/*
 * Read the combined object before (in) and after the rewrite (out) and prove,
 * with none of the rewriter's tables:
 *  - every code section holds the same instructions in the same order once
 *    inserted code is taken out; data keep their bytes;
 *  - every reference (branch, pc-relative operand, relocation in code and data,
 *    symbol, range and row of the unwind tables, call site and landing pad)
 *    leads to where its old target went, or to the code inserted in front of it;
 *  - what is found by a distance from code, which the assembler has made a number of, is as
 *    far from it as it was;
 *  - debug information (line tables, entries, ranges and locations) says the same
 *    of the same instructions, or its section is gone;
 *  - inserted code adds to a counter and changes only what is dead there.
 *
 * It looks for inserted code in the forms that code/ can make, but executes each form by itself
 * first (targets/machine.h), on several states, also with a signal handler in front of each
 * instruction: a form that does something else is not looked for, and what a wrong emitter has
 * inserted is not understood.  It trusts: the decoder and its effects of instructions (targets/),
 * which the rewriter uses as well; that the runtime's hooks keep all registers; that a thread's
 * check which uses the red zone is at a function's entry; and of code that it does not understand,
 * that it moves as a whole.
 *
 * Prints on report what was checked, in numbers, and the first failures.
 * Returns whether all of it holds.  fatal() when an object cannot be read.
 */
bool verify_object(const char *in, const char *out, const struct verify_options *opt, FILE *report);

#endif
