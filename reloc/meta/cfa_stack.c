/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfa_stack.c - rows for another stack pointer; see cfa.h
 *
 * A rule depends on the stack pointer if the CFA is an offset from it or an expression
 * reads it.  All other rules are valid for any stack pointer.
 */
#include "reloc/meta/cfa.h"

#include <stdlib.h>

enum { MAX_SAVED = 256 };

/* DWARF 5, section 7.7.1 */
enum {
	OP_SKIP = 0x2f,
	OP_BRA = 0x28,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
};

/* Operands of an operator: u uleb, s sleb, digits a size; NULL: it is not valid in a rule. */
static const char *op_form(uint8_t op)
{
	switch (op) {
	case 0x08:
	case 0x09:
	case 0x15:
	case 0x94:
	case 0x95: return "1";
	case 0x0a:
	case 0x0b:
	case OP_BRA:
	case OP_SKIP: return "2";
	case 0x0c:
	case 0x0d: return "4";
	case 0x03:
	case 0x0e:
	case 0x0f: return "8";
	case 0x10:
	case 0x23: return "u";
	case 0x11: return "s";
	case OP_BREGX: return "us";
	case 0x06:
	case 0x96: return "";
	default: break;
	}
	if (op >= OP_BREG0 && op <= OP_BREG31)
		return "s";
	bool plain = (op >= 0x12 && op <= 0x14) || (op >= 0x16 && op <= 0x4f);
	return plain ? "" : NULL;
}

/* An operator of an expression. */
struct expr_op {
	uint8_t op;
	bool on_stack;	  /* reads the stack pointer, plus off */
	uint64_t at, end; /* the bytes of off */
	int64_t off;
};

static bool read_op(struct reader *r, const struct cfa *c, struct expr_op *e)
{
	if (r->p == r->end)
		return false;
	*e = (struct expr_op){.op = read_u8(r)};
	uint64_t reg = (uint64_t)e->op - OP_BREG0;
	const char *form = op_form(e->op);
	if (!form)
		fatal_at(c->place, reader_at(r) - 1, "unknown operator 0x%x in a call-frame rule",
			e->op);
	for (; *form; form++) {
		e->at = reader_at(r);
		if (*form == 'u')
			reg = read_uleb(r);
		else if (*form == 's')
			e->off = read_sleb(r);
		else
			read_skip(r, (uint64_t)(*form - '0'));
	}
	if (r->bad)
		fatal_at(c->place, e->at, "truncated expression in a call-frame rule");
	e->end = reader_at(r);
	e->on_stack = reg == c->code->map->stack_dwarf &&
		(e->op == OP_BREGX || (e->op >= OP_BREG0 && e->op <= OP_BREG31));
	return true;
}

/* The expression of the instruction at `at'. */
static struct reader expr_reader(const struct cfa *c, uint64_t at)
{
	struct cfi i = {0};
	struct reader r = reader_make(c->place->data, c->place->size);
	r.big = c->big;
	read_skip(&r, at);
	cfi_read(&r, c, &i);
	struct reader e = reader_make(c->place->data, i.end);
	e.big = c->big;
	read_skip(&e, i.arg[i.op == CFA_DEF_CFA_EXPRESSION ? 0 : 1]);
	read_uleb(&e);
	return e;
}

static bool expr_on_stack(const struct cfa *c, uint64_t at)
{
	struct reader r = expr_reader(c, at);
	struct expr_op e;
	while (read_op(&r, c, &e))
		if (e.on_stack)
			return true;
	return false;
}

bool cfi_row_on_stack(const struct cfa *c, const struct cfi_row *row)
{
	for (unsigned i = 0; i < CFI_RULES; i++)
		if (row->expr[i] && expr_on_stack(c, row->expr[i]))
			return true;
	return !row->expr[CFI_CFA] && row->reg == c->code->map->stack_dwarf;
}

static uint64_t sleb_size(int64_t x)
{
	uint64_t n = 1;
	for (; x < -64 || x >= 64; x >>= 7)
		n++;
	return n;
}

static uint64_t moved_size(const struct cfa *c, struct reader r, uint32_t down)
{
	uint64_t size = (uint64_t)(r.end - r.p);
	struct expr_op e;
	while (read_op(&r, c, &e)) {
		if (e.op == OP_SKIP || e.op == OP_BRA)
			fatal_at(c->place, e.at, "jump in a call-frame rule of inserted code");
		if (e.on_stack)
			size += sleb_size(e.off + down) - (e.end - e.at);
	}
	return size;
}

/* Writes the instruction at `at' with its expression for a stack pointer down bytes lower. */
static void put_expr(struct recode *rc, const struct cfa *c, uint64_t at, uint32_t down)
{
	struct reader r = expr_reader(c, at), head = reader_make(c->place->data, c->place->size);
	uint64_t kept = reader_at(&r);
	struct expr_op e;
	read_skip(&head, at);
	if (read_u8(&head) != CFA_DEF_CFA_EXPRESSION)
		read_uleb(&head);
	recode_copy(rc, at, reader_at(&head));
	buf_uleb(&rc->out, moved_size(c, r, down));
	while (read_op(&r, c, &e)) {
		if (!e.on_stack)
			continue;
		recode_copy(rc, kept, e.at);
		buf_sleb(&rc->out, e.off + down);
		kept = e.end;
	}
	recode_copy(rc, kept, reader_at(&r));
}

void cfi_row_put(struct recode *rc, const struct cfa *c, const struct cfi_row *row, uint32_t down)
{
	if (!row->expr[CFI_CFA] && row->reg == c->code->map->stack_dwarf) {
		if (row->off < 0)
			fatal_at(c->place, c->first, "CFA below the stack pointer");
		buf_u8(&rc->out, CFA_DEF_CFA_OFFSET);
		buf_uleb(&rc->out, (uint64_t)row->off + down);
	}
	for (unsigned i = 0; i < CFI_RULES; i++)
		if (row->expr[i] && expr_on_stack(c, row->expr[i]))
			put_expr(rc, c, row->expr[i], down);
}

/* Tracking of rows ------------------------------------------------------ */

static void set_expr(const struct cfa *c, struct cfi_row *row, const struct cfi *i, uint64_t at)
{
	if (i->arg[0] < CFI_REGS)
		row->expr[i->arg[0]] = at;
	else if (at && expr_on_stack(c, at))
		fatal_at(c->place, i->at, "call-frame rule of unknown register %llu",
			(unsigned long long)i->arg[0]);
}

static void set_cfa(struct cfi_row *row, uint64_t reg, int64_t off)
{
	row->reg = reg;
	row->off = off;
	row->expr[CFI_CFA] = 0;
}

static void step_state(struct cfi_rows *rows, const struct cfa *c, const struct cfi *i)
{
	if (i->op == CFA_REMEMBER_STATE) {
		if (rows->saved.n == MAX_SAVED)
			fatal_at(c->place, i->at, "too many remembered call-frame states");
		vec_push(&rows->saved, rows->now);
		return;
	}
	if (!rows->saved.n)
		fatal_at(c->place, i->at, "no call-frame state to restore");
	rows->now = rows->saved.v[--rows->saved.n];
}

void cfi_rows_step(struct cfi_rows *rows, const struct cfa *c, const struct cfi *i)
{
	struct cfi_row *row = &rows->now;
	int64_t factored = (int64_t)((uint64_t)c->data_align * i->arg[i->op == CFA_DEF_CFA_SF]);
	switch (i->op) {
	case CFA_DEF_CFA: set_cfa(row, i->arg[0], (int64_t)i->arg[1]); break;
	case CFA_DEF_CFA_SF: set_cfa(row, i->arg[0], factored); break;
	case CFA_DEF_CFA_REGISTER: row->reg = i->arg[0]; break;
	case CFA_DEF_CFA_OFFSET: row->off = (int64_t)i->arg[0]; break;
	case CFA_DEF_CFA_OFFSET_SF: row->off = factored; break;
	case CFA_DEF_CFA_EXPRESSION: row->expr[CFI_CFA] = i->at; break;
	case CFA_EXPRESSION:
	case CFA_VAL_EXPRESSION: set_expr(c, row, i, i->at); break;
	case CFA_RESTORE:
	case CFA_RESTORE_EXTENDED:
		if (i->arg[0] < CFI_REGS)
			row->expr[i->arg[0]] = rows->first.expr[i->arg[0]];
		break;
	case CFA_OFFSET:
	case CFA_OFFSET_EXTENDED:
	case CFA_UNDEFINED:
	case CFA_SAME_VALUE:
	case CFA_REGISTER:
	case CFA_OFFSET_EXTENDED_SF:
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
	case CFA_GNU_OFFSET_EXTENDED: set_expr(c, row, i, 0); break;
	case CFA_REMEMBER_STATE:
	case CFA_RESTORE_STATE: step_state(rows, c, i); break;
	default: break;
	}
}

void cfi_rows_open(struct cfi_rows *rows, const struct cfa *c)
{
	struct reader r = reader_make(c->place->data, c->first_end);
	r.big = c->big;
	struct cfi i;
	memset(rows, 0, sizeof *rows);
	for (read_skip(&r, c->first); cfi_read(&r, c, &i);)
		cfi_rows_step(rows, c, &i);
	if (r.bad)
		fatal_at(c->place, c->first, "truncated call-frame instructions");
	rows->first = rows->now;
}

void cfi_rows_close(struct cfi_rows *rows)
{
	vec_free(&rows->saved);
}
