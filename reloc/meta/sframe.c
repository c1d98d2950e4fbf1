/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sframe.c - stack-trace tables after layout (SFrame specification, versions 1 and 2)
 *
 * A header, function descriptors of fixed size, then rows: distances from the function's start,
 * of 1, 2 or 4 bytes for all rows of a function.  Only the start has a relocation.  A row
 * is valid from the end of the instruction before it, as in .eh_frame (cfa.c), and inserted
 * code that moves the stack pointer has rows of its own.
 */
#include "reloc/diff.h"
#include "reloc/meta/dwarf.h"

enum { MAGIC = 0xdee2, HEADER = 28, NROWS = 12, LENGTH = 16 };

/* Fields of a descriptor. */
enum { FDE_SIZE = 4, FDE_ROWS = 8, FDE_NROWS = 12, FDE_INFO = 16, FDE_V1 = 17, FDE_V2 = 20 };
enum { INFO_WIDTH = 0x0f, INFO_MASK = 0x10 }; /* how wide; rows repeat, as in a PLT */

struct sframe {
	struct recode rc;
	struct section *s;
	uint64_t start, fdes, rows, end; /* offsets in s */
	uint64_t nfde, fde_size;
	uint64_t new_rows, nrow; /* in the output: where rows begin, how many they are */
};

static uint64_t read_width(struct reader *r, unsigned width)
{
	return width == 0 ? read_u8(r) : width == 1 ? read_u16(r) : read_u32(r);
}

static void put_width(struct buf *b, unsigned width, uint64_t x)
{
	if (width == 0)
		buf_u8(b, (uint8_t)x);
	else if (width == 1)
		buf_u16(b, (uint16_t)x);
	else
		buf_u32(b, (uint32_t)x);
}

static void read_header(struct sframe *f, struct reader *r)
{
	uint64_t at = reader_at(r);
	unsigned magic = read_u16(r), version = read_u8(r);
	read_skip(r, 4);
	uint64_t aux = read_u8(r), nfde = read_u32(r);
	read_u32(r);
	uint64_t len = read_u32(r), fdes = read_u32(r), rows = read_u32(r);
	if (r->bad || magic != MAGIC || version < 1 || version > 2)
		fatal_at(f->s, at, "stack-trace table of unknown version %u", version);
	f->start = at;
	f->nfde = nfde;
	f->fde_size = version == 1 ? FDE_V1 : FDE_V2;
	f->fdes = at + HEADER + aux + fdes;
	f->rows = at + HEADER + aux + rows;
	f->end = f->rows + len;
	if (f->end > f->s->size || f->rows < f->fdes || f->nfde * f->fde_size != f->rows - f->fdes)
		fatal_at(f->s, at, "stack-trace table of bad size");
}

/* A function in the output. */
struct func {
	struct place code; /* no sec: it stays as it is */
	uint64_t new, size, nrow;
	unsigned width, new_width;	      /* of its rows' distances */
	const struct stack_move *move, *last; /* still to come */
};

/* What follows a row's distance: a byte, then offsets, the first of which is the CFA's. */
struct sframe_row {
	uint64_t new;	  /* where it begins in the new code */
	uint64_t at, end; /* in s */
};
enum { ROW_ON_STACK = 0x01, ROW_COUNT = 0x1e, ROW_SIZE = 0x60 };

static bool read_row(const struct sframe *f, const struct func *fn, struct reader *r,
	struct sframe_row *row)
{
	uint64_t at = reader_at(r), x = read_width(r, fn->width);
	row->new = fn->code.sec &&x ? dw_new(&fn->code, x, REF_RANGE_END, f->s, at) : fn->new + x;
	if (row->new < fn->new)
		row->new = fn->new;
	row->at = reader_at(r);
	unsigned info = read_u8(r), size = info >> 5 & 3;
	if (size > 2)
		r->bad = true;
	read_skip(r, (uint64_t)(info >> 1 & 15) << size);
	row->end = reader_at(r);
	return !r->bad;
}

static int64_t read_offset(struct reader *r, unsigned size)
{
	uint64_t x = read_width(r, size);
	return size == 0 ? (int8_t)x : size == 1 ? (int16_t)x : (int32_t)x;
}

/*
 * hazard: section of code distances.  .sframe and .llvm_bb_addr_map hold offsets and sizes
 * within functions as numbers.
 */
static void put_row(struct sframe *f, struct func *fn, const struct sframe_row *row, uint64_t new,
	uint32_t down)
{
	struct buf *out = &f->rc.out;
	put_width(out, fn->new_width, new - fn->new);
	fn->nrow++;
	if (!down) {
		buf_put(out, f->s->data + row->at, row->end - row->at);
		return;
	}
	struct reader r = reader_make(f->s->data, row->end);
	read_skip(&r, row->at);
	unsigned info = read_u8(&r), size = info >> 5 & 3, new_size = size;
	int64_t cfa = read_offset(&r, size) + down;
	while (new_size < 2 && cfa > (new_size ? INT16_MAX : INT8_MAX))
		new_size++;
	buf_u8(out, (uint8_t)((info & ~(unsigned)ROW_SIZE) | new_size << 5));
	put_width(out, new_size, (uint64_t)cfa);
	while (r.p < r.end)
		put_width(out, new_size, (uint64_t)read_offset(&r, size));
}

/* Rows for inserted code up to new, where this row is valid. */
static void put_moves(struct sframe *f, struct func *fn, const struct sframe_row *row, uint64_t new)
{
	uint8_t info = f->s->data[row->at];
	bool needed = (info & ROW_ON_STACK) && (info & ROW_COUNT);
	for (; fn->move < fn->last && fn->move->at <= new; fn->move++)
		if (needed && (fn->move->down || fn->move->at < new))
			put_row(f, fn, row, fn->move->at, fn->move->down);
}

static void put_rows(struct sframe *f, struct func *fn, uint64_t from, uint64_t n)
{
	struct reader r = reader_make(f->s->data, f->end);
	struct sframe_row row, last = {0};
	read_skip(&r, from);
	for (uint64_t i = 0; i < n; i++, last = row) {
		if (!read_row(f, fn, &r, &row))
			fatal_at(f->s, from, "truncated rows of a stack-trace table");
		if (i)
			put_moves(f, fn, &last, row.new);
		put_row(f, fn, &row, row.new, 0);
	}
	if (n)
		put_moves(f, fn, &last, fn->new + fn->size);
}

static void find_moves(struct func *fn)
{
	const struct addrmap *m = fn->code.sec->map;
	fn->move = map_stack_behind(m, fn->new);
	fn->last = m->stack + m->nstack;
}

/* The new size of a function.  Its rows are numbers, which do not follow the last link. */
static uint64_t new_size(const struct sframe *f, const struct func *fn, uint64_t at)
{
	struct dw_span span = dw_new_span(&fn->code, fn->size, REF_UNWIND_END, f->s, at);
	if (diff_shrinks(f->rc.o, span.code, span.from, span.to))
		fatal_at(f->s, at, "stack-trace rows of code that is relaxed");
	return dw_length_of(&span);
}

static void put_function(struct sframe *f, uint64_t at)
{
	const uint8_t *d = f->s->data + at;
	uint8_t info = d[FDE_INFO];
	struct func fn = {.code = dw_place(f->rc.o, f->s, at),
		.size = get_u32(d + FDE_SIZE),
		.width = info & INFO_WIDTH};
	uint64_t first = get_u32(d + FDE_ROWS), row = f->rc.out.n - f->new_rows;
	uint8_t *out;
	if (fn.width > 2 || first > f->end - f->rows)
		fatal_at(f->s, at, "bad function in a stack-trace table");
	if (dw_moves(&fn.code)) {
		if (info & INFO_MASK)
			fatal_at(f->s, at, "rows that repeat");
		fn.new = dw_new(&fn.code, 0, REF_ADDRESS, f->s, at);
		fn.size = new_size(f, &fn, at);
		find_moves(&fn);
	} else {
		fn.code.sec = NULL;
	}
	fn.new_width = fn.size > UINT16_MAX ? 2 : fn.size > UINT8_MAX && !fn.width ? 1 : fn.width;
	put_rows(f, &fn, f->rows + first, get_u32(d + FDE_NROWS));
	out = f->rc.out.v + f->new_rows - (f->rows - at);
	put_u32(out + FDE_SIZE, (uint32_t)fn.size);
	put_u32(out + FDE_ROWS, (uint32_t)row);
	put_u32(out + FDE_NROWS, (uint32_t)fn.nrow);
	out[FDE_INFO] = (uint8_t)((info & ~INFO_WIDTH) | fn.new_width);
	f->nrow += fn.nrow;
}

void sframe_rewrite(struct object *o, struct section *s)
{
	struct sframe f = {.rc.o = o, .s = s};
	struct reader r = reader_make(s->data, s->size);
	recode_open(&f.rc, s);
	while (r.p < r.end) {
		uint64_t out = f.rc.out.n;
		read_header(&f, &r);
		recode_label(&f.rc, f.start);
		recode_copy(&f.rc, f.start, f.rows);
		f.new_rows = f.rc.out.n;
		f.nrow = 0;
		for (uint64_t i = 0; i < f.nfde; i++)
			put_function(&f, f.fdes + i * f.fde_size);
		put_u32(f.rc.out.v + out + NROWS, (uint32_t)f.nrow);
		put_u32(f.rc.out.v + out + LENGTH, (uint32_t)(f.rc.out.n - f.new_rows));
		r.p = r.start + f.end;
	}
	recode_close(&f.rc);
	recode_finish(&f.rc, s);
}
