/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.h - proof that an instrumented object is the same program
 */
#ifndef LDX_VERIFY_VERIFY_H
#define LDX_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stdio.h>

#include "reloc/claim.h"

struct dwarf_reader;
struct origins;
struct outside;
struct stated;

/* Facts about the link that the object does not contain. */
struct verify_options {
	bool shared; /* a shared object is made: its global symbols may be preempted */
	bool atomic; /* threads count in the same cells at once: counting must be atomic */
	bool turned; /* it is made so when a second thread comes */
	bool alone;  /* neither another thread nor a signal handler counts at once */
	const struct origins *origins; /* of the object in: reloc/object.h; or NULL */
	const struct outside *outside; /* of the libraries it needs: reloc/outside.h; or NULL */
	const claim_vec *claims;       /* what was inserted, as the rewriter says; or NULL */
	const struct stated *stated;   /* what it has found out of the old code; or NULL */
	const tool_call_vec *calls;    /* what tools have asked for, by number; or NULL */
	const redirect_vec *redirects; /* whose symbols' places routines of tools take; or NULL */
	const struct dwarf_reader *dwarf; /* verify/dwarf.h; NULL: debug information is not read */
};

/*
 * Read the combined object before (in) and after the rewrite (out) and prove,
 * with none of the rewriter's tables:
 *  - every code section holds the same instructions in the same order once
 *    inserted code is taken out; data keep their bytes;
 *  - every reference (branch, pc-relative operand, relocation in code and data,
 *    symbol, range and row of the unwind tables, call site and landing pad)
 *    leads to its old target's new place, or to the code inserted in front of it;
 *  - a branch out of its function may lead on by a jump behind it, which nothing else comes to;
 *  - distances in code that the assembler has resolved to plain numbers still lead to the same
 *    places;
 *  - debug information (line tables, entries, ranges, locations, .debug_frame) says the same
 *    of the same instructions, or its section is gone;
 *  - inserted code adds to a counter and changes only what is dead there;
 *  - behind each system call that may make a process, the hook is called before anything is
 *    counted, if the object names the hook.
 *
 * The rewriter claims where code was inserted, and for what (opt->claims).  No claim is trusted:
 * claimed code is executed (prove.c) in several states, also with a signal handler in front of each
 * instruction, and must have the claimed effect; all other code must be old instructions and
 * no-ops; a claim's counter must be the one that the static map has for that place.
 *
 * It also states what is live where blocks of the old code begin (opt->stated).  No fact is
 * trusted: each block is looked at once, and what is stated at its start must include what follows
 * from what is stated where control goes from it (live.c).  In the same way it states by which
 * tables jumps lead, and what registers hold on the way there (words.c, scaled.c, values.c), or
 * where low halves of addresses are added to high ones (halves.c), which labels of code and numbers
 * registers hold (sums.c), which registers calls keep there (changes.c), and which functions never
 * return (endless.c).
 *
 * What is trusted:
 *  - the decoder, its tables of what each instruction reads and changes, and what a target says
 *    of the numbers of system calls (targets/), which the rewriter uses as well; the machine that
 *    executes inserted code (targets/machine.h) is the verifier's own;
 *  - what the standards say of functions that never return (program/library.h), which the rewriter
 *    uses as well;
 *  - that a program whose object does not name the hook makes no process;
 *  - that behind a breakpoint, registers hold what is stated there;
 *  - that code which is right in all states that are tried is right in every state;
 *  - the readers of objects and of their relocations (reloc/), which also say where landing pads
 *    and the ends of exception tables are;
 *  - LLVM's reader of line tables, debug information and FDEs (dwarf.h), which the rewriter does
 *    not use;
 *  - that the hooks of the runtime keep all registers, and that the link puts the counters where
 *    their symbols are;
 *  - that the runtime makes the changes that the object lists (opt->turned), that a thread's base
 *    is 0 or has a row of counters that no other thread uses while they are not atomic, and that
 *    code which branches always does what it did when the comparison was equal;
 *  - opt->alone, and that no handler of signals counts where the claim says so, where a plain
 *    increment takes several instructions;
 *  - that a word of the frame in which a table's address is kept is changed by way of the stack
 *    pointer only;
 *  - what is stated of jumps by tables without relocations in functions that only moved as a whole;
 *  - that a thread's check which uses the red zone is at a function's entry;
 *  - that code outside the object enters it by exported symbols, by addresses that it takes, and by
 *    main: the rewriter is told of other entry points, which a sum of calls leaves out;
 *  - that symbols of functions, and their sizes, say where functions are;
 *  - that code it does not understand is moved as a whole;
 *  - that an indirect jump of which no table is stated leaves the function, unless what it leads to
 *    is seen to be of a table;
 *  - that a number of four bytes, or one that may be a distance from the GOT, loaded from a place
 *    that is not known, and added to an address that is not, is of a table, if such a table has
 *    labels of the function: only where that is stated; and that one which is a distance from the
 *    GOT is added to nothing else;
 *  - that the words of a table end where code refers to the data next, that a table which has
 *    labels of a function that refers to it, and jumps, is for its jumps, and that a jump of which
 *    no table is stated leads to no label that only distances name;
 *  - that a register which has the address of code on some paths only, and is not jumped to, has
 *    no distance added to it;
 *  - that callers of a function in whose place a routine is keep nothing in registers which that,
 *    or the jump to it, changes, and pass it nothing that the psABI does not;
 *  - that a function which is given an address of code reads or writes none of it that has changed;
 *  - that functions outside keep the registers that the psABI and opt->outside say they keep.
 * It proves nothing about, and counts: words in data that may or may not be distances, references
 * into unwind tables that have moved, rows behind DW_CFA_set_loc, FDEs and lists that LLVM cannot
 * read, and sections of debug information in unknown formats.  Of operations in line tables that
 * LLVM does not know, and of columns and numbers of files from 65536 on, it says nothing.
 *
 * Prints on report the numbers of what was checked, and the first failures.
 * Returns whether there are none.  fatal() when an object cannot be read.
 */
bool verify_object(const char *in, const char *out, const struct verify_options *opt, FILE *report);

#endif
