/* SPDX-License-Identifier: Apache-2.0 */
/* class.c - what an instruction does, in the words of ldx/program.h; see class.h */
#include "targets/class.h"

#include "targets/access.h"

#include <ldx/program.h>

static unsigned class_of_kind(enum insn_kind kind)
{
	switch (kind) {
	case INSN_NOP: return LDX_CLASS_NOP;
	case INSN_JUMP: return LDX_CLASS_JUMP;
	case INSN_JUMP_IND: return LDX_CLASS_JUMP | LDX_CLASS_INDIRECT;
	case INSN_BRANCH:
	case INSN_XBEGIN: return LDX_CLASS_BRANCH;
	case INSN_CALL: return LDX_CLASS_CALL;
	case INSN_CALL_IND: return LDX_CLASS_CALL | LDX_CLASS_INDIRECT;
	case INSN_RET: return LDX_CLASS_RETURN;
	case INSN_SYSCALL: return LDX_CLASS_SYSCALL;
	default: return 0;
	}
}

unsigned insn_class(const struct target *t, const uint8_t *p, const struct insn *in)
{
	struct action a[ACTIONS];
	unsigned class = class_of_kind((enum insn_kind)in->kind);
	if (!t->actions || !t->actions(p, in, a))
		return class | LDX_CLASS_UNKNOWN;
	for (unsigned i = 0; i < a->naccess; i++) {
		class |= a->access[i].reads ? LDX_CLASS_LOAD : 0;
		class |= a->access[i].writes ? LDX_CLASS_STORE : 0;
	}
	return class | (a->rounds != ROUNDS_ONE ? LDX_CLASS_STRING : 0);
}

unsigned insn_accesses(const struct target *t, const uint8_t *p, const struct insn *in)
{
	struct action a[ACTIONS];
	unsigned n = 0, actions = t->actions ? t->actions(p, in, a) : 0;
	for (unsigned i = 0; i < actions; i++)
		n += a[i].naccess;
	return n;
}

/* Calls with a of ACTIONS; NULL: there is none such. */
static const struct access *find_access(const struct target *t, const uint8_t *p,
	const struct insn *in, unsigned n, struct action *a, const struct action **of)
{
	unsigned actions = t->actions ? t->actions(p, in, a) : 0;
	for (*of = a; *of < a + actions; n -= (*of)++->naccess)
		if (n < (*of)->naccess)
			return &(*of)->access[n];
	return NULL;
}

unsigned insn_access_kind(const struct target *t, const uint8_t *p, const struct insn *in,
	unsigned n)
{
	struct action a[ACTIONS];
	const struct action *of;
	const struct access *x = find_access(t, p, in, n, a, &of);
	if (!x)
		return 0;
	bool perhaps = x->perhaps || of->if_taken || x->mask_kind != MASK_NONE ||
		x->span == SPAN_UP || x->span == SPAN_DOWN;
	return (x->reads ? LDX_ACCESS_READ : 0u) | (x->writes ? LDX_ACCESS_WRITE : 0u) |
		(perhaps ? LDX_ACCESS_PERHAPS : 0u) | (x->implicit ? LDX_ACCESS_IMPLICIT : 0u) |
		(of->rounds != ROUNDS_ONE ? LDX_ACCESS_REPEATED : 0u) |
		(x->lanes >= 0 ? LDX_ACCESS_SCATTERED : 0u);
}

unsigned insn_access_size(const struct target *t, const uint8_t *p, const struct insn *in,
	unsigned n)
{
	struct action a[ACTIONS];
	const struct action *of;
	const struct access *x = find_access(t, p, in, n, a, &of);
	return x ? (unsigned)x->size * x->elements : 0;
}
