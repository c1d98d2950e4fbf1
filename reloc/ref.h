/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ref.h - references: fields that hold or encode a place in code, and what they mean by it
 *
 * The use decides where a label lands when code was inserted in front of it: map.c.
 */
#ifndef LDX_RELOC_REF_H
#define LDX_RELOC_REF_H

#include "reloc/object.h"

enum ref_use {
	REF_CALL,    /* control enters a function there: calls, branches of other functions */
	REF_BRANCH,  /* control goes there within its function, or an unwinder leads it there */
	REF_EDGE,    /* a branch is redirected to the code that only single branches run */
	REF_TABLE,   /* an entry of a jump table all of whose users are known */
	REF_ADDRESS, /* it stands for the address: whoever uses that enters; a range begins there */
	REF_READ,    /* the bytes there are read */
	REF_EXACT,   /* the very instruction there: notes of probes, calls in debug information */
	REF_RANGE_END, /* something ends there */
	REF_SCOPE_END, /* the same; what is run when control leaves the scope below belongs to it */
	REF_UNWIND_END, /* the same of an unwind entry: all that is run then, no-ops as well */
	REF_USES
};

struct ref {
	uint32_t sec;		 /* of the label; 0: not in this object, or no label */
	uint64_t off;		 /* in that section, as it was */
	const struct reloc *rel; /* on the field; NULL: the assembler has resolved it */
	int64_t adj;		 /* from the field to what its value counts from */
	uint8_t role;		 /* enum reloc_role: what its value is */
	uint8_t use;		 /* enum ref_use */
	uint8_t size;		 /* of the field, in bytes; 0: none */
	bool keep;		 /* its addend stays as it is: the symbol alone moves */
};

/* Does its value count from the field's own place? */
static inline bool ref_is_relative(const struct ref *r)
{
	return r->role == ROLE_PCREL || r->role == ROLE_PLT;
}

#endif
