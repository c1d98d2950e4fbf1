/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfa.c - call-frame programs after layout (DWARF 5, section 6.4.2)
 *
 * A row is valid from its label on.  Code inserted at the label runs after the instruction that
 * changed the frame, so the row starts where the old bytes in front of the label end
 * (REF_RANGE_END), but never before the function.  All other instructions are copied.
 * Around inserted code that moves the stack pointer the row is saved, changed and
 * restored.
 */
#include "reloc/meta/cfa.h"

#include "reloc/diff.h"
#include "reloc/fix.h"
#include "reloc/meta/eh.h"

/* Operands: u uleb, s sleb, b block, a address, digits their size; NULL: no such instruction. */
static const char *const operands[0x40] = {
	[CFA_NOP] = "",
	[CFA_SET_LOC] = "a",
	[CFA_ADVANCE1] = "1",
	[CFA_ADVANCE2] = "2",
	[CFA_ADVANCE4] = "4",
	[CFA_OFFSET_EXTENDED] = "uu",
	[CFA_RESTORE_EXTENDED] = "u",
	[CFA_UNDEFINED] = "u",
	[CFA_SAME_VALUE] = "u",
	[CFA_REGISTER] = "uu",
	[CFA_REMEMBER_STATE] = "",
	[CFA_RESTORE_STATE] = "",
	[CFA_DEF_CFA] = "uu",
	[CFA_DEF_CFA_REGISTER] = "u",
	[CFA_DEF_CFA_OFFSET] = "u",
	[CFA_DEF_CFA_EXPRESSION] = "b",
	[CFA_EXPRESSION] = "ub",
	[CFA_OFFSET_EXTENDED_SF] = "us",
	[CFA_DEF_CFA_SF] = "us",
	[CFA_DEF_CFA_OFFSET_SF] = "s",
	[CFA_VAL_OFFSET] = "uu",
	[CFA_VAL_OFFSET_SF] = "us",
	[CFA_VAL_EXPRESSION] = "ub",
	[CFA_ADVANCE8] = "8",
	[0x2d] = "",  /* AARCH64_negate_ra_state, GNU_window_save */
	[0x2e] = "u", /* GNU_args_size */
	[CFA_GNU_OFFSET_EXTENDED] = "uu",
};

struct cfa_state {
	struct recode *rc;
	const struct cfa *c;
	uint64_t old, new;		      /* the current row */
	uint64_t kept;			      /* input in front of it is done */
	const struct stack_move *move, *last; /* the remaining ones in the function */
	struct cfi_rows rows;		      /* only if there are moves */
};

static uint64_t read_operand(struct reader *r, const struct cfa *c, char form)
{
	uint64_t at = reader_at(r);
	switch (form) {
	case 'u': return read_uleb(r);
	case 's': return (uint64_t)read_sleb(r);
	case '1': return read_u8(r);
	case '2': return read_u16(r);
	case '4': return read_u32(r);
	case '8': return read_u64(r);
	case 'a': read_skip(r, eh_size(c->enc)); return at;
	default: read_skip(r, read_uleb(r)); return at;
	}
}

bool cfi_read(struct reader *r, const struct cfa *c, struct cfi *i)
{
	if (r->p == r->end || r->bad)
		return false;
	*i = (struct cfi){.at = reader_at(r)};
	i->op = read_u8(r);
	if (i->op & CFA_HIGH) {
		i->arg[0] = i->op & ~CFA_HIGH;
		i->op &= CFA_HIGH;
		if (i->op == CFA_OFFSET)
			i->arg[1] = read_uleb(r);
	} else {
		const char *form = operands[i->op];
		if (!form)
			fatal_at(c->place, i->at, "unknown call-frame instruction 0x%x", i->op);
		for (unsigned k = 0; form[k]; k++)
			i->arg[k] = read_operand(r, c, form[k]);
	}
	i->end = reader_at(r);
	return !r->bad;
}

static void put_number(struct buf *b, uint64_t delta)
{
	if (delta < 0x40) {
		buf_u8(b, (uint8_t)(CFA_ADVANCE | delta));
	} else if (delta <= UINT8_MAX) {
		buf_u8(b, CFA_ADVANCE1);
		buf_u8(b, (uint8_t)delta);
	} else if (delta <= UINT16_MAX) {
		buf_u8(b, CFA_ADVANCE2);
		buf_u16(b, (uint16_t)delta);
	} else if (delta <= UINT32_MAX) {
		buf_u8(b, CFA_ADVANCE4);
		buf_u32(b, (uint32_t)delta);
	} else {
		buf_u8(b, CFA_ADVANCE8);
		buf_u64(b, delta);
	}
}

/*
 * Go to new, by a difference.
 *
 * hazard: advance of six bits.  A difference in the low bits of DW_CFA_advance_loc (SET6, SUB6)
 * holds up to 63 bytes: when the code has grown, it must become one of another length.
 */
static void put_difference(struct cfa_state *st, uint64_t new, uint64_t at)
{
	struct recode *rc = st->rc;
	uint64_t from = st->new, delta = new - from;
	if (st->c->code_align != 1)
		fatal_at(st->c->place, at, "call-frame rows of code that is relaxed, in units");
	if (delta < 0x40) {
		recode_distance(rc, st->c->code, from, new, 6, CFA_ADVANCE);
	} else if (delta <= UINT8_MAX) {
		buf_u8(&rc->out, CFA_ADVANCE1);
		recode_distance(rc, st->c->code, from, new, 8, 0);
	} else if (delta <= UINT16_MAX) {
		buf_u8(&rc->out, CFA_ADVANCE2);
		recode_distance(rc, st->c->code, from, new, 16, 0);
	} else {
		buf_u8(&rc->out, CFA_ADVANCE4);
		recode_distance(rc, st->c->code, from, new, 32, 0);
	}
}

/*
 * Copy the input up to `to' and go to code offset new from the current row.
 *
 * hazard: FDE length without relocation.  Only the start of an FDE has a relocation: its
 * length and every advance of its rows are numbers.
 */
static void put_advance(struct cfa_state *st, uint64_t new, uint64_t to)
{
	uint64_t delta = (new - st->new) / st->c->code_align;
	if ((new - st->new) % st->c->code_align)
		fatal_at(st->c->place, to, "call-frame row is not aligned after layout");
	recode_copy(st->rc, st->kept, to);
	st->kept = to;
	if (diff_shrinks(st->rc->o, st->c->code, st->new, new))
		put_difference(st, new, to);
	else
		put_number(&st->rc->out, delta);
	st->new = new;
}

static uint64_t new_row(const struct cfa_state *st)
{
	uint64_t new = map_addr(st->c->code->map, st->old, REF_RANGE_END);
	return new > st->new ? new : st->new;
}

/* Rows for the inserted code up to new, where the current row is valid; at: as in advance(). */
static void put_moves(struct cfa_state *st, uint64_t new, uint64_t at)
{
	bool down = false;
	if (st->move == st->last || st->move->at > new)
		return;
	bool needed = cfi_row_on_stack(st->c, &st->rows.now);
	for (; st->move < st->last && st->move->at <= new; st->move++) {
		const struct stack_move *m = st->move;
		if (!needed)
			continue;
		put_advance(st, m->at, at);
		if (!down)
			buf_u8(&st->rc->out, CFA_REMEMBER_STATE);
		down = m->down != 0;
		if (down)
			cfi_row_put(st->rc, st->c, &st->rows.now, m->down);
		else
			buf_u8(&st->rc->out, CFA_RESTORE_STATE);
	}
}

/* The instruction i advances by delta units. */
static void advance(struct cfa_state *st, uint64_t delta, const struct cfi *i)
{
	const struct cfa *c = st->c;
	uint64_t bytes;
	if (__builtin_mul_overflow(delta, c->code_align, &bytes) || bytes > c->code->size - st->old)
		fatal_at(c->place, i->at, "call-frame row outside section %s", c->code->name);
	st->old += bytes;
	uint64_t new = new_row(st);
	put_moves(st, new, i->at);
	if (new - st->new == bytes && !diff_shrinks(st->rc->o, c->code, st->new, new)) {
		st->new = new;
		return;
	}
	put_advance(st, new, i->at);
	st->kept = i->end;
}

static void set_loc(struct cfa_state *st, const struct cfi *i)
{
	const struct cfa *c = st->c;
	uint64_t field = i->arg[0];
	const struct reloc *r = recode_find(st->rc, field);
	uint64_t symoff;
	if (!r || reloc_target(st->rc->o, r, &symoff) != c->code)
		fatal_at(c->place, i->at, "DW_CFA_set_loc to another section");
	st->old = symoff + (uint64_t)r->addend;
	if (st->old > c->code->size)
		fatal_at(c->place, i->at, "call-frame row outside section %s", c->code->name);
	uint64_t label = map_addr(c->code->map, st->old, REF_RANGE_END);
	uint64_t new = new_row(st);
	put_moves(st, new, i->at);
	recode_copy(st->rc, st->kept, field);
	struct reloc moved = fix_reloc(st->rc->o, st->rc->in, r, REF_RANGE_END);
	moved.addend += (int64_t)(new - label);
	recode_reloc(st->rc, moved);
	buf_put(&st->rc->out, st->rc->in->data + field, i->end - field);
	st->new = new;
	st->kept = i->end;
}

/* The moves in [new_start, new_end): one at new_end is the last of its site, and its row empty. */
static void find_moves(struct cfa_state *st)
{
	const struct addrmap *m = st->c->code->map;
	st->move = st->last = m ? m->stack + m->nstack : NULL;
	if (!m || !m->nstack)
		return;
	const struct stack_move *first = map_stack_behind(m, st->c->new_start);
	if (first == st->last || first->at >= st->c->new_end)
		return;
	st->move = first;
	while (st->last[-1].at >= st->c->new_end)
		st->last--;
	cfi_rows_open(&st->rows, st->c);
}

void cfa_recode(struct recode *rc, const struct cfa *c, uint64_t from, uint64_t to)
{
	struct cfa_state st = {.rc = rc,
		.c = c,
		.old = c->start,
		.new = c->new_start,
		.kept = from};
	struct reader r = reader_make(rc->in->data, to);
	r.big = rc->o->big;
	uint64_t end = from; /* of the last instruction that is no padding */
	struct cfi i;
	find_moves(&st);
	bool moves = st.move < st.last;
	for (read_skip(&r, from); cfi_read(&r, c, &i);) {
		switch (i.op) {
		case CFA_NOP: continue;
		case CFA_ADVANCE:
		case CFA_ADVANCE1:
		case CFA_ADVANCE2:
		case CFA_ADVANCE4:
		case CFA_ADVANCE8: advance(&st, i.arg[0], &i); break;
		case CFA_SET_LOC: set_loc(&st, &i); break;
		default:
			if (moves)
				cfi_rows_step(&st.rows, c, &i);
		}
		end = i.end;
	}
	if (r.bad)
		fatal_at(c->place, from, "truncated call-frame instructions");
	put_moves(&st, c->new_end, end);
	recode_copy(rc, st.kept, end);
	if (moves)
		cfi_rows_close(&st.rows);
}
