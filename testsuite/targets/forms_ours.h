/* SPDX-License-Identifier: Apache-2.0 */
/* forms_ours.h - what ldx's decoders say of an instruction */
#ifndef LDX_TESTSUITE_FORMS_OURS_H
#define LDX_TESTSUITE_FORMS_OURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum control {
	CONTROL_NONE,
	CONTROL_JUMP,
	CONTROL_BRANCH,
	CONTROL_CALL,
	CONTROL_JUMP_IND,
	CONTROL_CALL_IND,
	CONTROL_RET,
	CONTROL_TRAP,
	CONTROL_SYSCALL,
};

__extension__ typedef unsigned __int128 ours_set; /* targets/insn.h: regset */

struct answer {
	enum control control;
	unsigned size;	  /* bytes, without the instruction in a delay slot */
	bool field;	  /* it has a pc-relative field, */
	int64_t distance; /* which leads there, from the instruction's start */
	bool vague;	  /* it may use all registers; else: */
	ours_set reads, writes, clobbers;
};

#ifdef __cplusplus
extern "C" {
#endif
struct ours;
struct ours *ours_open(unsigned machine, unsigned word, bool big);
/* False: ldx knows no instruction there, so that a function with it is opaque. */
bool ours_decode(struct ours *o, const unsigned char *p, size_t n, struct answer *a);
#ifdef __cplusplus
}
#endif

#endif
