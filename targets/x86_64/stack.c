/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.c - how an instruction uses the stack pointer
 *
 * Intel SDM volume 2; x86-64 psABI 3.2.2: at a function's entry (%rsp) is the
 * return address.
 */
#include "targets/access.h"
#include "targets/x86_64/x86_64.h"

static bool is_rsp_rm(const struct x86_form *f)
{
	return f->has_modrm && form_mod(f) == 3 && form_rm(f) == RSP;
}

/* Does the instruction, whose operand is below %rsp, access some of %rsp + 0..7 as well? */
static bool reaches_top(const uint8_t *p, const struct insn *in)
{
	struct action a[ACTIONS];
	if (!x86_actions(p, in, a))
		return true;
	for (const struct access *m = a->access; m < a->access + a->naccess; m++)
		if (m->base == RSP && !m->implicit && m->disp + m->size * m->elements > 0)
			return true;
	return false;
}

/* An operand in memory of which some may be at %rsp + 0..7. */
static bool uses_top(const uint8_t *p, const struct insn *in, const struct x86_form *f)
{
	enum { MOST = 512 }; /* bytes of an operand: fxsave */
	if (!form_is_mem(f) || form_base(f) != RSP)
		return false;
	int32_t disp = 0;
	if (f->disp_size == 1)
		disp = (int8_t)p[f->disp_off];
	else if (f->disp_size == 4)
		disp = (int32_t)get_u32(p + f->disp_off);
	return form_index(f) >= 0 || (disp >= 0 && disp < 8) ||
		(disp < 0 && disp > -MOST && reaches_top(p, in));
}

/* One-byte opcodes that change %rsp as compiled code does. */
static bool is_frame_op(const struct x86_form *f)
{
	unsigned op = f->op;
	if ((op >= 0x50 && op <= 0x57) || op == 0x68 || op == 0x6a || op == 0x9c || op == 0xc9 ||
		op == 0xc8 || op == 0xc3 || op == 0xe8)
		return true;
	if (op == 0xff)
		return form_ext(f) == 6 || form_ext(f) == 2;
	if (op == 0x81 || op == 0x83) /* add, and, sub */
		return form_ext(f) == 0 || form_ext(f) == 4 || form_ext(f) == 5;
	if (op == 0x8d)
		return form_index(f) < 0 && (form_base(f) == RSP || form_base(f) == RBP);
	if (op == 0x89)
		return is_rsp_rm(f) && form_reg(f) == RBP;
	return op == 0x8b && form_mod(f) == 3 && form_rm(f) == RBP;
}

static bool is_pop(const struct x86_form *f)
{
	if (f->op >= 0x58 && f->op <= 0x5f)
		return f->op - 0x58 + (f->rex & REX_B ? 8 : 0) != RSP;
	return f->op == 0x9d || (f->op == 0x8f && !is_rsp_rm(f));
}

/* A memory barrier, as compilers write it: lock orq $0,(%rsp) changes no byte. */
static bool is_barrier(const uint8_t *p, const struct x86_form *f)
{
	enum { ADD = 0, OR = 1, SUB = 5, XOR = 6 };
	unsigned ext = form_ext(f);
	if (f->enc != X86_LEGACY || f->map != X86_1B || (f->op != 0x81 && f->op != 0x83) ||
		(ext != ADD && ext != OR && ext != SUB && ext != XOR))
		return false;
	for (unsigned i = 0; i < f->imm_size; i++)
		if (p[f->imm_off + i])
			return false;
	return true;
}

enum stack_use x86_stack_use(const uint8_t *p, const struct insn *in)
{
	struct x86_form f;
	if (!x86_parse(p, in->len, &f))
		return STACK_ODD;
	bool one = f.enc == X86_LEGACY && f.map == X86_1B;
	if (one && is_pop(&f))
		return STACK_TOP;
	if (insn_effects(in)->clobbers & REG_BIT(RSP))
		return one && is_frame_op(&f) ? STACK_FRAME : STACK_ODD;
	return uses_top(p, in, &f) && !is_barrier(p, &f) ? STACK_TOP : STACK_UNUSED;
}
