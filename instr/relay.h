/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay.h - jumps by which branches lead farther than they reach
 *
 * On a CPU whose branches have no form that reaches any code of a program that is loaded anywhere.
 * A relay stands where no control falls to, behind a jump within its function, or a jump leads over
 * it, and changes nothing but the program counter.  Branches to one label share it; it may lead to
 * the next one.
 *
 *		beq $2, $3, target		beq $2, $3, 1f
 *		...				...
 *		b loop				b loop
 *						1: b target
 */
#ifndef LDX_INSTR_RELAY_H
#define LDX_INSTR_RELAY_H

#include "instr/plan.h"

struct layout;

/* A place in code, as map_addr() finds it, and how many bytes behind it. */
struct dest {
	uint32_t off, skip;
	uint8_t use; /* enum ref_use */
};

struct relay {
	uint32_t off;	/* it stands in front of this offset */
	struct dest to; /* where it leads at last */
	bool skips;	/* it leads over the others at off, and to has no meaning */
	uint64_t at;	/* its new offset */
};
typedef VEC(struct relay) relay_vec;

/* A branch as it is encoded now. */
struct branch_form {
	const struct insn *in;
	const uint8_t *bytes;
	unsigned len;
};

/* The relays of a section, by offset, then by label; one that skips comes first. */
struct relays {
	relay_vec v;
	VEC(uint32_t) by_label; /* numbers of those that do not skip by label, then by offset */
	struct insn jump;	/* what one is made of */
	uint8_t bytes[16];
};

/* May branches of the plan need relays? */
bool uses_relays(const struct plan *p);

void relays_start(struct relays *r, const struct cfg *g);
void relays_free(struct relays *r);
/* Sorts them. */
void relays_sort(struct relays *r);
struct branch_form relay_form(const struct relays *r);

/* Does a branch reach a place so far away, without a relocation that the program cannot have? */
bool form_reaches(const struct plan *p, const struct branch_form *form, int64_t dist);

/*
 * Where the branch, now at offset at, is to lead so that control comes to the label, which is now
 * at offset to: there, or to a relay.
 */
uint64_t relays_lead(const struct relays *r, const struct plan *p, const struct branch_form *form,
	uint64_t at, const struct dest *label, uint64_t to);

/* Where relay number k leads now. */
uint64_t relay_target(const struct relays *r, const struct plan *p, const struct layout *l,
	size_t k);

/* Adds relays to section t, with the layout of now, for branches that do not reach; false: none. */
bool relays_add(struct relays *r, const struct plan *p, const struct layout *l,
	const struct code_section *t);

#endif
