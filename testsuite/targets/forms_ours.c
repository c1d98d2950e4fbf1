/* SPDX-License-Identifier: Apache-2.0 */
/* forms_ours.c - ldx's decoders, for forms.cpp */
#include "testsuite/targets/forms_ours.h"

#include "targets/platform.h"
#include "targets/target.h"

struct ours {
	const struct target *target;
	struct decoder *decoder;
};

struct ours *ours_open(unsigned machine, unsigned word, bool big)
{
	static struct ours all[8];
	static unsigned n;
	struct ours *o = &all[n++];
	o->target = target_find((uint16_t)machine, (uint8_t)word, big);
	o->decoder = o->target->decoder_new();
	return o;
}

bool ours_decode(struct ours *o, const unsigned char *p, size_t n, struct answer *a)
{
	static const enum control control[INSN_KINDS] = {
		[INSN_JUMP] = CONTROL_JUMP,
		[INSN_BRANCH] = CONTROL_BRANCH,
		[INSN_CALL] = CONTROL_CALL,
		[INSN_JUMP_IND] = CONTROL_JUMP_IND,
		[INSN_CALL_IND] = CONTROL_CALL_IND,
		[INSN_RET] = CONTROL_RET,
		[INSN_TRAP] = CONTROL_TRAP,
		[INSN_SYSCALL] = CONTROL_SYSCALL,
		[INSN_XBEGIN] = CONTROL_BRANCH,
	};
	struct insn in;
	if (!o->target->decode(o->decoder, p, n, &in))
		return false;
	*a = (struct answer){.control = control[in.kind],
		.size = o->target->insn_size && in.len > o->target->insn_size ? o->target->insn_size
									      : in.len,
		.field = in.pc_size};
	const struct effects *e = insn_effects(&in);
	a->reads = e->reads;
	a->writes = e->writes;
	a->clobbers = e->clobbers;
	a->vague = in.flags & INSN_VAGUE || in.kind == INSN_NOP;
	if (in.pc_size)
		a->distance = o->target->form->distance(&in, p, in.len);
	return true;
}
