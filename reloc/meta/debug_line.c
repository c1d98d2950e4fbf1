/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_line.c - line programs after layout (DWARF 5, section 6.2; versions 2 to 5)
 *
 * Only the address register changes.  Instructions that advance it are held back until a row
 * is appended, and then one advance by the new distance is written.  All others are
 * copied: neither they nor their order relative to advances depend on the address.
 *
 * hazard: line table of functions in another order.  Addresses of a sequence ascend: where the code
 * is laid out elsewhere, the sequence ends, and a new one begins with the registers of the old one.
 */
#include "reloc/meta/dwarf.h"

#include "reloc/diff.h"
#include "reloc/fix.h"

/* The registers but for the address. */
struct regs {
	uint64_t file, line, column, isa, discriminator;
	bool stmt, block, prologue_end, epilogue;
};

struct line {
	struct recode *rc;
	const struct section *s;
	struct dw_lines h;
	struct regs start; /* of a sequence */
	uint64_t end;
	/* the address register */
	struct place pc; /* sec NULL: not in code that moves */
	uint64_t new_pc;
	/* held back */
	uint64_t advance;
	bool fixed;   /* by fixed_advance_pc, which keeps the view number */
	uint64_t set; /* offset of set_address, 0: none */
	/* the sequence */
	struct regs regs, row; /* now, and of the last row */
	bool has_row;
	bool vague;		  /* it has instructions of an unknown meaning */
	const struct reloc *base; /* of the last set_address, and the label that it names */
	uint64_t base_off;
};

/*
 * The address follows the last link, which deletes bytes of code: only fixed_advance_pc holds a
 * difference, and no opcode that advances by as much as it says.
 */
static void put_difference(struct line *l, uint64_t to)
{
	while (l->new_pc < to) {
		uint64_t n = to - l->new_pc < UINT16_MAX ? to - l->new_pc : UINT16_MAX;
		buf_u8(&l->rc->out, LNS_FIXED_ADVANCE_PC);
		recode_distance(l->rc, l->pc.sec, l->new_pc, l->new_pc + n, 16, 0);
		l->new_pc += n;
	}
}

static void put_advance(struct line *l, uint64_t units)
{
	struct buf *b = &l->rc->out;
	if (l->fixed && units * l->h.min_insn <= UINT16_MAX) {
		buf_u8(b, LNS_FIXED_ADVANCE_PC);
		buf_u16(b, (uint16_t)(units * l->h.min_insn));
		return;
	}
	buf_u8(b, LNS_ADVANCE_PC);
	buf_uleb(b, units);
}

/* The set_address held back: bytes 0, length, opcode, then the address. */
static void put_set_address(struct line *l, enum ref_use use)
{
	struct recode *rc = l->rc;
	const struct reloc *r = recode_find(rc, l->set + 3);
	if (!l->pc.sec || !r) {
		recode_copy(rc, l->set, l->set + 3 + rc->o->word);
		l->set = 0;
		return;
	}
	recode_copy(rc, l->set, l->set + 3);
	recode_reloc(rc, fix_reloc(rc->o, rc->in, r, use));
	dw_put_address(rc, 0);
	l->new_pc = dw_new(&l->pc, 0, use, l->s, l->set);
	l->set = 0;
}

/* Another order of functions ---------------------------------------------- */

static void put_op(struct line *l, uint8_t op, uint64_t operand)
{
	buf_u8(&l->rc->out, op);
	buf_uleb(&l->rc->out, operand);
}

static void put_line(struct line *l, int64_t by)
{
	buf_u8(&l->rc->out, LNS_ADVANCE_LINE);
	buf_sleb(&l->rc->out, by);
}

static void put_discriminator(struct line *l, uint64_t x)
{
	struct buf *b = &l->rc->out;
	buf_u8(b, 0);
	size_t len = b->n;
	buf_u8(b, 0);
	put_op(l, LNE_SET_DISCRIMINATOR, x);
	b->v[len] = (uint8_t)(b->n - len - 1);
}

/* Change the registers from those of a to those of b. */
static void put_regs(struct line *l, const struct regs *a, const struct regs *b)
{
	struct buf *out = &l->rc->out;
	if (a->file != b->file)
		put_op(l, LNS_SET_FILE, b->file);
	if (a->line != b->line)
		put_line(l, (int64_t)(b->line - a->line));
	if (a->column != b->column)
		put_op(l, LNS_SET_COLUMN, b->column);
	if (a->stmt != b->stmt)
		buf_u8(out, LNS_NEGATE_STMT);
	if (a->isa != b->isa)
		put_op(l, LNS_SET_ISA, b->isa);
	if (a->discriminator != b->discriminator)
		put_discriminator(l, b->discriminator);
	if (b->block)
		buf_u8(out, LNS_SET_BASIC_BLOCK);
	if (b->prologue_end)
		buf_u8(out, LNS_SET_PROLOGUE_END);
	if (b->epilogue)
		buf_u8(out, LNS_SET_EPILOGUE_BEGIN);
}

/* The registers behind a row with these. */
static struct regs behind_row(const struct regs *r)
{
	return (struct regs){.file = r->file,
		.line = r->line,
		.column = r->column,
		.isa = r->isa,
		.stmt = r->stmt};
}

/* The last row is up to old offset cut. */
static void end_piece(struct line *l, uint64_t cut, uint64_t at)
{
	uint64_t end = dw_new(&l->pc, cut - l->pc.off, REF_RANGE_END, l->s, at);
	struct buf *b = &l->rc->out;
	if (l->vague)
		fatal_at(l->s, at, "a sequence with unknown instructions is to be divided");
	if (end < l->new_pc || (end - l->new_pc) % l->h.min_insn)
		fatal_at(l->s, at, "line is not aligned after layout");
	l->fixed = false;
	if (diff_shrinks(l->rc->o, l->pc.sec, l->new_pc, end))
		put_difference(l, end);
	else if (end != l->new_pc)
		put_advance(l, (end - l->new_pc) / l->h.min_insn);
	buf_u8(b, 0);
	put_op(l, 1, LNE_END_SEQUENCE);
}

/* Go on at old offset off, by another set_address. */
static void begin_piece(struct line *l, uint64_t off, uint64_t at)
{
	struct recode *rc = l->rc;
	struct reloc r = *l->base;
	r.addend += (int64_t)(off - l->base_off);
	buf_u8(&rc->out, 0);
	buf_u8(&rc->out, (uint8_t)(1 + rc->o->word));
	buf_u8(&rc->out, LNE_SET_ADDRESS);
	recode_reloc(rc, fix_reloc(rc->o, rc->in, &r, REF_ADDRESS));
	dw_put_address(rc, 0);
	l->pc.off = off;
	l->new_pc = dw_new(&l->pc, 0, REF_ADDRESS, l->s, at);
}

/* The next row, at old offset to, is not in the piece of the last one. */
static void divide(struct line *l, uint64_t cut, uint64_t to, uint64_t at)
{
	struct regs behind = l->start;
	end_piece(l, cut, at);
	begin_piece(l, cut, at);
	if (cut < to) {
		struct regs row = behind_row(&l->row);
		put_regs(l, &behind, &row);
		buf_u8(&l->rc->out, LNS_COPY);
		behind = row;
	}
	put_regs(l, &behind, &l->regs);
}

/* Is the sequence's end at the address that the instruction at `at' sets? */
static bool ends_here(const struct line *l, uint64_t at)
{
	struct reader r = dw_reader(l->rc->o, l->s, at, l->end);
	while (r.p < r.end) {
		bool later = reader_at(&r) > at;
		uint8_t op = read_u8(&r);
		uint64_t moved = 0, len;
		if (op >= l->h.opcode_base) {
			moved = later ? (op - l->h.opcode_base) / l->h.line_range : 0;
		} else if (!op) {
			len = read_uleb(&r);
			if (r.bad || !len || len > (uint64_t)(r.end - r.p))
				return false;
			if (*r.p == LNE_END_SEQUENCE)
				return true;
			moved = *r.p == LNE_SET_ADDRESS;
			read_skip(&r, len);
		} else if (op == LNS_FIXED_ADVANCE_PC) {
			moved = read_u16(&r);
		} else if (op == LNS_CONST_ADD_PC || op == LNS_ADVANCE_PC) {
			moved = op == LNS_CONST_ADD_PC || read_uleb(&r);
		} else {
			for (unsigned i = l->h.operands[op]; i--;)
				read_uleb(&r);
		}
		if (moved)
			return false;
	}
	return false;
}

/*
 * The new address of the row.  An empty row at the end of a sequence stays at that end: code
 * inserted behind it belongs to the next function.
 */
static uint64_t new_address(const struct line *l, enum ref_use use, uint64_t at)
{
	uint64_t end = dw_new(&l->pc, l->advance, REF_RANGE_END, l->s, at);
	uint64_t new = dw_new(&l->pc, l->advance, use, l->s, at);
	return new != end &&ends_here(l, at) ? end : new;
}

/* Before a row: let the sequence follow the code to its new places. */
static void follow_cuts(struct line *l, bool end, uint64_t at)
{
	uint64_t to = l->pc.off + l->advance, cut;
	while ((cut = map_cut_behind(l->pc.sec->map, l->pc.off)) <= to) {
		if (cut == to && (end || ends_here(l, at)))
			return;
		if (l->has_row)
			divide(l, cut, to, at);
		else
			begin_piece(l, to, at);
		l->advance = to - l->pc.off;
		l->fixed = false;
	}
}

/*
 * Before a row: write the advance that was held back.  The opcode that appends the row can itself
 * advance by up to room units; returns by how many it must.
 */
static uint64_t flush(struct line *l, enum ref_use use, uint64_t at, uint64_t room)
{
	uint64_t units;
	if (l->set)
		put_set_address(l, l->advance ? REF_ADDRESS : use);
	if (l->pc.sec && l->pc.sec->map->ncut)
		follow_cuts(l, use == REF_RANGE_END, at);
	units = l->advance / l->h.min_insn;
	if (l->pc.sec) {
		uint64_t new = new_address(l, use, at);
		if (new < l->new_pc)
			new = l->new_pc;
		units = (new - l->new_pc) / l->h.min_insn;
		if ((new - l->new_pc) % l->h.min_insn)
			fatal_at(l->s, at, "line is not aligned after layout");
		if (diff_shrinks(l->rc->o, l->pc.sec, l->new_pc, new)) {
			put_difference(l, new);
			units = 0;
		}
		l->pc.off += l->advance;
		l->new_pc = new;
	}
	uint64_t left = units <= room && !l->fixed ? units : 0;
	if (units > left)
		put_advance(l, units - left);
	l->advance = 0;
	l->fixed = false;
	return left;
}

static void add_advance(struct line *l, uint64_t units, uint64_t at)
{
	uint64_t bytes;
	if (__builtin_mul_overflow(units, l->h.min_insn, &bytes) ||
		__builtin_add_overflow(l->advance, bytes, &l->advance))
		fatal_at(l->s, at, "address advance out of range");
}

/* A row has been appended. */
static void end_row(struct line *l)
{
	l->row = l->regs;
	l->regs = behind_row(&l->row);
	l->has_row = true;
}

static void special(struct line *l, uint8_t op, uint64_t at)
{
	unsigned adjusted = op - l->h.opcode_base;
	unsigned line = adjusted % l->h.line_range;
	add_advance(l, adjusted / l->h.line_range, at);
	unsigned room = (255u - l->h.opcode_base - line) / l->h.line_range;
	uint64_t units = flush(l, REF_ADDRESS, at, room);
	buf_u8(&l->rc->out, (uint8_t)(l->h.opcode_base + line + units * l->h.line_range));
	l->regs.line += (uint64_t)(int64_t)(l->h.line_base + (int)line);
	end_row(l);
}

static void end_sequence(struct line *l)
{
	l->pc = (struct place){0};
	l->new_pc = 0;
	l->regs = l->start;
	l->has_row = l->vague = false;
	l->base = NULL;
}

/* The instruction at `at`, with its operand at field. */
static void set_address(struct line *l, uint64_t at, uint64_t field)
{
	struct place to = dw_place(l->rc->o, l->s, field);
	l->fixed = false;
	if (l->has_row && dw_moves(&to) && to.sec == l->pc.sec && to.off >= l->pc.off &&
		map_cut_behind(to.sec->map, l->pc.off) <= to.off) {
		l->advance = to.off - l->pc.off;
		return;
	}
	l->advance = 0;
	l->set = at;
	l->pc = to;
	if (!dw_moves(&l->pc))
		l->pc.sec = NULL;
	l->base = recode_find(l->rc, field);
	l->base_off = to.off;
}

static void note_extended(struct line *l, uint8_t op, uint64_t operand)
{
	struct reader r = dw_reader(l->rc->o, l->s, operand, l->end);
	if (op == LNE_SET_DISCRIMINATOR)
		l->regs.discriminator = read_uleb(&r);
	else if (op != LNE_END_SEQUENCE)
		l->vague = true;
}

/* A standard instruction that does not change the address. */
static void note_standard(struct line *l, uint8_t op, struct reader *r)
{
	struct regs *s = &l->regs;
	switch (op) {
	case LNS_ADVANCE_LINE: s->line += (uint64_t)read_sleb(r); break;
	case LNS_SET_FILE: s->file = read_uleb(r); break;
	case LNS_SET_COLUMN: s->column = read_uleb(r); break;
	case LNS_NEGATE_STMT: s->stmt = !s->stmt; break;
	case LNS_SET_BASIC_BLOCK: s->block = true; break;
	case LNS_SET_PROLOGUE_END: s->prologue_end = true; break;
	case LNS_SET_EPILOGUE_BEGIN: s->epilogue = true; break;
	case LNS_SET_ISA: s->isa = read_uleb(r); break;
	default:
		l->vague = true;
		for (unsigned i = l->h.operands[op]; i--;)
			read_uleb(r);
	}
}

static void extended(struct line *l, struct reader *r, uint64_t at)
{
	uint64_t len = read_uleb(r);
	uint64_t body = reader_at(r);
	uint8_t op = len ? read_u8(r) : 0;
	if (r->bad || len > l->end - body)
		fatal_at(l->s, at, "bad length of a line program's instruction");
	if (len)
		read_skip(r, len - 1);
	if (len && op == LNE_SET_ADDRESS) {
		if (len != 1u + l->rc->o->word || body != at + 2)
			fatal_at(l->s, at, "DW_LNE_set_address of %llu bytes",
				(unsigned long long)len);
		set_address(l, at, body + 1);
		return;
	}
	note_extended(l, op, body + 1);
	if (len && op == LNE_END_SEQUENCE)
		flush(l, REF_RANGE_END, at, 0);
	recode_copy(l->rc, at, reader_at(r));
	if (len && op == LNE_END_SEQUENCE)
		end_sequence(l);
}

static void standard(struct line *l, struct reader *r, uint8_t op, uint64_t at)
{
	switch (op) {
	case LNS_ADVANCE_PC: add_advance(l, read_uleb(r), at); return;
	case LNS_CONST_ADD_PC:
		add_advance(l, (255u - l->h.opcode_base) / l->h.line_range, at);
		return;
	case LNS_FIXED_ADVANCE_PC:
		l->advance += read_u16(r);
		l->fixed = true;
		return;
	case LNS_COPY:
		flush(l, REF_ADDRESS, at, 0);
		end_row(l);
		break;
	default: note_standard(l, op, r);
	}
	if (!r->bad)
		recode_copy(l->rc, at, reader_at(r));
}

static void run_program(struct line *l)
{
	struct reader r = dw_reader(l->rc->o, l->s, l->h.program, l->end);
	while (r.p < r.end) {
		uint64_t at = reader_at(&r);
		uint8_t op = read_u8(&r);
		if (!op)
			extended(l, &r, at);
		else if (op >= l->h.opcode_base)
			special(l, op, at);
		else
			standard(l, &r, op, at);
		if (r.bad)
			fatal_at(l->s, at, "truncated line program");
	}
}

/* Offsets of names; none of them depends on code. */
static void check_header(const struct object *o, const struct section *s, uint64_t from,
	uint64_t to)
{
	for (uint32_t i = section_first_reloc(s, from); i < s->nrel && s->rel[i].off < to; i++) {
		struct place p = dw_place(o, s, s->rel[i].off);
		if (p.sec && section_is_code(p.sec))
			fatal_at(s, s->rel[i].off, "header of a line table refers to code");
	}
}

void debug_line_rewrite(struct object *o, struct section *s)
{
	struct recode rc = {.o = o};
	struct reader r = dw_reader(o, s, 0, s->size);
	recode_open(&rc, s);
	while (r.p < r.end) {
		struct line l = {.rc = &rc, .s = s};
		uint64_t start = rc.out.n;
		struct dw_length len = dw_read_length(s, &r);
		l.end = len.end;
		l.h = dw_read_lines(o, s, &r, &len);
		l.start = (struct regs){.file = 1, .line = 1, .stmt = l.h.stmt};
		l.regs = l.start;
		check_header(o, s, len.field, l.h.program);
		recode_label(&rc, len.field);
		recode_copy(&rc, len.field, l.h.program);
		run_program(&l);
		dw_put_length(&rc, &len, start);
		r.p = r.start + l.end;
	}
	recode_close(&rc);
	recode_finish(&rc, s);
}
