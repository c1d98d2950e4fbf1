/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ref.h - references: fields that hold or encode a place in code, and their use
 *
 * The use decides where a label binds when code was inserted in front of it: map.c.
 */
#ifndef LDX_RELOC_REF_H
#define LDX_RELOC_REF_H

#include "reloc/object.h"

enum ref_use {
	REF_CALL,	 /* control enters a function: calls, branches from other functions */
	REF_BRANCH,	 /* a branch within the function, or a landing pad */
	REF_EDGE,	 /* a branch that is redirected to RUN_REDIRECTED code */
	REF_LEAVE,	 /* a branch that is redirected to RUN_LEAVE code behind it */
	REF_TABLE,	 /* an entry of a jump table whose users are all known */
	REF_ORIGINAL,	 /* a function, by what takes its place: RUNS_REPLACED code is skipped */
	REF_ADDRESS,	 /* an address that may be called; the start of a range */
	REF_READ,	 /* the bytes may be read */
	REF_EXACT,	 /* the very instruction: notes of probes, calls in debug information */
	REF_RANGE_BEGIN, /* the start of a range that begins where the code in front of it ends */
	REF_RANGE_END,	 /* the end of a range */
	REF_SCOPE_END,	 /* the end of a scope, with code that falling out of the scope runs */
	REF_UNWIND_END,	 /* the end of an unwind entry, with all such code and no-ops */
	REF_USES
};

struct ref {
	uint32_t sec;		 /* of the label; 0: not in this object, or no label */
	uint64_t off;		 /* old offset in that section */
	const struct reloc *rel; /* on the field; NULL: the assembler has resolved it */
	int64_t adj;		 /* from the field to the place its value is relative to */
	uint8_t role;		 /* enum reloc_role: the meaning of its value */
	uint8_t use;		 /* enum ref_use */
	uint8_t size;		 /* of the field, in bytes; 0: none */
	uint32_t skip;		 /* new bytes between the place that use binds to and the label */
	bool keep;		 /* keep the addend: only the symbol moves */
};

/* Is its value pc-relative? */
static inline bool ref_is_relative(const struct ref *r)
{
	return r->role == ROLE_PCREL || r->role == ROLE_PLT;
}

#endif
