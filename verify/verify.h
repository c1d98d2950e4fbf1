/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.h - proof that an instrumented object is the same program
 */
#ifndef LDX_VERIFY_VERIFY_H
#define LDX_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stdio.h>

#include "reloc/claim.h"

struct origins;
struct outside;

/* What is said of the link, and not of the object. */
struct verify_options {
	bool shared; /* a shared object is made: its global symbols may be preempted */
	bool atomic; /* threads count in the same cells at once: counting must be atomic */
	const struct origins *origins; /* of the object in: reloc/object.h; or NULL */
	const struct outside *outside; /* of the libraries it needs: reloc/outside.h; or NULL */
	const claim_vec *claims;       /* what was inserted, as the rewriter says; or NULL */
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
 *  - debug information (line tables, entries, ranges, locations, .debug_frame) says the same
 *    of the same instructions, or its section is gone;
 *  - inserted code adds to a counter and changes only what is dead there.
 *
 * Where code was inserted, and for what, the rewriter claims (opt->claims).  Nothing of that is
 * believed: what is claimed is executed (prove.c) in several states, also with a signal handler in
 * front of each instruction, and must have the effect that is claimed; what is not claimed must be
 * an old instruction, or a no-op; what a claim counts must be what the static map says of that
 * place.
 *
 * What is trusted:
 *  - the decoder of instructions, and what it says that each reads and changes (targets/), which
 *    the rewriter uses as well; the machine that executes inserted code (targets/machine.h) is the
 *    verifier's own;
 *  - that code which does right in all the states that are tried does so in each;
 *  - the readers of objects, of frames and of their relocations (reloc/);
 *  - that the hooks of the runtime keep all registers, and that the link puts the counters where
 *    their symbols are;
 *  - that a thread's check which uses the red zone is at a function's entry;
 *  - that symbols of functions, and their sizes, say where functions are;
 *  - of code that it does not understand, that it moves as a whole;
 *  - that an indirect jump which has no edge within its function leads out of that, unless its
 *    block makes the address of a table;
 *  - of functions outside, what the psABI and opt->outside say that they keep.
 * What it cannot judge it does not prove, and says how much that is: words in data that may be
 * distances or not, references into unwind tables that have moved, rows behind DW_CFA_set_loc, and
 * sections of debug information in formats that it does not know.
 *
 * Prints on report what was checked, in numbers, and the first failures.
 * Returns whether all of it holds.  fatal() when an object cannot be read.
 */
bool verify_object(const char *in, const char *out, const struct verify_options *opt, FILE *report);

#endif
