/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfa.c - call-frame programs after layout (DWARF 5, section 6.4.2)
 *
 * A row holds from its label on.  Code inserted at the label runs after the
 * instruction that made the row true, so the row starts where the old bytes in
 * front of the label end (MAP_END), but never before the function does.  All
 * other instructions are copied.
 */
#include "reloc/eh.h"

#include "reloc/fix.h"

enum {
	CFA_ADVANCE = 0x40,	/* the high two bits; the low six are the operand */
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_HIGH = 0xc0,
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_ADVANCE8 = 0x1d,	/* DW_CFA_MIPS_advance_loc8 */
};

/* Operands: u uleb, s sleb, b block; NULL: no such instruction. */
static const char *const operands[0x40] = {
	[0x00] = "",	/* nop */
	[0x05] = "uu",	/* offset_extended */
	[0x06] = "u",	/* restore_extended */
	[0x07] = "u",	/* undefined */
	[0x08] = "u",	/* same_value */
	[0x09] = "uu",	/* register */
	[0x0a] = "",	/* remember_state */
	[0x0b] = "",	/* restore_state */
	[0x0c] = "uu",	/* def_cfa */
	[0x0d] = "u",	/* def_cfa_register */
	[0x0e] = "u",	/* def_cfa_offset */
	[0x0f] = "b",	/* def_cfa_expression */
	[0x10] = "ub",	/* expression */
	[0x11] = "us",	/* offset_extended_sf */
	[0x12] = "us",	/* def_cfa_sf */
	[0x13] = "s",	/* def_cfa_offset_sf */
	[0x14] = "uu",	/* val_offset */
	[0x15] = "us",	/* val_offset_sf */
	[0x16] = "ub",	/* val_expression */
	[0x2c] = "",	/* AARCH64_negate_ra_state_with_pc */
	[0x2d] = "",	/* AARCH64_negate_ra_state, GNU_window_save */
	[0x2e] = "u",	/* GNU_args_size */
	[0x2f] = "uu",	/* GNU_negative_offset_extended */
};

struct cfa_state {
	struct recode *rc;
	const struct cfa *c;
	uint64_t old, new;	/* the current row */
	uint64_t kept;		/* input from here on is to be copied */
};

static void skip_operands(const struct cfa *c, struct reader *r, uint8_t op, uint64_t at)
{
	const char *form = operands[op];
	if (!form)
		fatal_at(c->place, at, "unknown call-frame instruction 0x%x", op);
	for (; *form; form++) {
		if (*form == 'b')
			read_skip(r, read_uleb(r));
		else if (*form == 's')
			read_sleb(r);
		else
			read_uleb(r);
	}
}

static void put_advance(struct buf *b, uint64_t delta)
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

static uint64_t new_row(const struct cfa_state *st)
{
	uint64_t new = map_addr(st->c->code->map, st->old, MAP_END);
	return new > st->new ? new : st->new;
}

/* The instruction at `at' advances by delta units; it ends at end. */
static void advance(struct cfa_state *st, uint64_t delta, uint64_t at, uint64_t end)
{
	const struct cfa *c = st->c;
	uint64_t bytes;
	if (__builtin_mul_overflow(delta, c->code_align, &bytes) ||
		bytes > c->code->size - st->old)
		fatal_at(c->place, at, "call-frame row outside section %s", c->code->name);
	st->old += bytes;
	uint64_t new = new_row(st);
	uint64_t new_bytes = new - st->new;
	st->new = new;
	if (new_bytes == bytes)
		return;
	if (new_bytes % c->code_align)
		fatal_at(c->place, at, "call-frame row is not aligned after layout");
	recode_copy(st->rc, st->kept, at);
	put_advance(&st->rc->out, new_bytes / c->code_align);
	st->kept = end;
}

static void set_loc(struct cfa_state *st, uint64_t at, uint64_t field, uint64_t end)
{
	const struct cfa *c = st->c;
	const struct reloc *r = recode_find(st->rc, field);
	uint64_t symoff;
	if (!r || reloc_target(st->rc->o, r, &symoff) != c->code)
		fatal_at(c->place, at, "DW_CFA_set_loc to another section");
	st->old = symoff + (uint64_t)r->addend;
	if (st->old > c->code->size)
		fatal_at(c->place, at, "call-frame row outside section %s", c->code->name);
	uint64_t label = map_addr(c->code->map, st->old, MAP_END);
	uint64_t new = new_row(st);
	recode_copy(st->rc, st->kept, field);
	recode_reloc(st->rc, r,
		fix_addend(st->rc->o, r, 0, MAP_END) + (int64_t)(new - label));
	buf_put(&st->rc->out, st->rc->in->data + field, end - field);
	st->new = new;
	st->kept = end;
}

void cfa_recode(struct recode *rc, const struct cfa *c, uint64_t from, uint64_t to)
{
	struct cfa_state st = {
		.rc = rc, .c = c, .old = c->start, .new = c->new_start, .kept = from
	};
	struct reader r = reader_make(rc->in->data, to);
	uint64_t end = from;	/* of the last instruction that is no padding */
	read_skip(&r, from);
	while (r.p < r.end && !r.bad) {
		uint64_t at = reader_at(&r), delta = 0;
		uint8_t op = read_u8(&r);
		bool moves = true;
		switch (op & CFA_HIGH ? op & CFA_HIGH : op) {
		case CFA_ADVANCE: delta = op & 0x3f; break;
		case CFA_ADVANCE1: delta = read_u8(&r); break;
		case CFA_ADVANCE2: delta = read_u16(&r); break;
		case CFA_ADVANCE4: delta = read_u32(&r); break;
		case CFA_ADVANCE8: delta = read_u64(&r); break;
		case CFA_OFFSET: read_uleb(&r); moves = false; break;
		case CFA_RESTORE: moves = false; break;
		case CFA_SET_LOC:
			read_skip(&r, eh_size(c->enc));
			moves = false;
			if (!r.bad)
				set_loc(&st, at, at + 1, reader_at(&r));
			break;
		default: skip_operands(c, &r, op, at); moves = false;
		}
		if (moves && !r.bad)
			advance(&st, delta, at, reader_at(&r));
		if (op != CFA_NOP)
			end = reader_at(&r);
	}
	if (r.bad)
		fatal_at(c->place, from, "truncated call-frame instructions");
	recode_copy(rc, st.kept, end);
}
