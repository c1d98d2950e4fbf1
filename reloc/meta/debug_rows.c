/* SPDX-License-Identifier: Apache-2.0 */
/* debug_rows.c - the rows of line tables before layout (DWARF 5, section 6.2; versions 2 to 5) */
#include "reloc/meta/codec.h"
#include "reloc/meta/dwarf.h"

#include <stdlib.h>

enum {
	LNCT_PATH = 1,
	LNCT_FOLDER = 2,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_BLOCK = 0x09,
	FORM_DATA1 = 0x0b,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_DATA16 = 0x1e,
	FORM_LINE_STRP = 0x1f,
};

/* path NULL: not known. */
struct file {
	const char *path;
	uint64_t folder;
};
typedef VEC(struct file) file_vec;

struct table {
	struct object *o;
	const struct section *s;
	line_visitor *row;
	void *ctx;
	struct dw_length len;
	struct dw_lines h;
	file_vec folder, file;
	/* the registers */
	struct place pc; /* sec NULL: not in code of the object */
	uint64_t number, line;
};

/* Names ---------------------------------------------------------------------- */

/* The string that a relocation of the field at `at' names. */
static const char *string_at(const struct table *t, uint64_t at)
{
	struct place p = dw_place(t->o, t->s, at);
	if (!p.sec || p.sec->flags & SHF_COMPRESSED)
		return NULL;
	struct reader r = dw_reader(t->o, p.sec, p.off, p.sec->size);
	const char *text = read_str(&r);
	return r.bad ? NULL : text;
}

/* A field of a name, if it is that: its text or number. */
static void read_field(struct table *t, struct reader *r, uint64_t form, const char **text,
	uint64_t *number)
{
	uint64_t at = reader_at(r);
	switch (form) {
	case FORM_STRING: *text = read_str(r); break;
	case FORM_STRP:
	case FORM_LINE_STRP:
		*text = string_at(t, at);
		dw_offset(r, t->len.wide);
		break;
	case FORM_UDATA: *number = read_uleb(r); break;
	case FORM_DATA1: *number = read_u8(r); break;
	case FORM_DATA2: *number = read_u16(r); break;
	case FORM_DATA4: *number = read_u32(r); break;
	case FORM_DATA8: *number = read_u64(r); break;
	case FORM_DATA16: read_skip(r, 16); break;
	case FORM_BLOCK: read_skip(r, read_uleb(r)); break;
	default: fatal_at(t->s, at, "name in unknown form %#llx", (unsigned long long)form);
	}
}

/* From version 5 on, a table says which fields its entries have. */
static void read_entries(struct table *t, struct reader *r, file_vec *to)
{
	uint64_t type[256], form[256];
	unsigned n = read_u8(r);
	for (unsigned i = 0; i < n; i++) {
		type[i] = read_uleb(r);
		form[i] = read_uleb(r);
	}
	for (uint64_t left = read_uleb(r); left && !r->bad && n; left--) {
		struct file f = {0};
		for (unsigned i = 0; i < n; i++) {
			const char *text = NULL;
			uint64_t number = 0;
			read_field(t, r, form[i], &text, &number);
			f.path = type[i] == LNCT_PATH ? text : f.path;
			f.folder = type[i] == LNCT_FOLDER ? number : f.folder;
		}
		vec_push(to, f);
	}
}

/* Before, folder 0 is the compiler's, which is not in the table, and files count from 1. */
static void read_lists(struct table *t, struct reader *r)
{
	const char *path;
	vec_push(&t->folder, (struct file){0});
	vec_push(&t->file, (struct file){0});
	while (*(path = read_str(r)))
		vec_push(&t->folder, (struct file){path, 0});
	while (*(path = read_str(r))) {
		vec_push(&t->file, (struct file){path, read_uleb(r)});
		read_uleb(r); /* its time */
		read_uleb(r); /* its size */
	}
}

static const char *join(const struct table *t, const char *folder, const char *path)
{
	return folder && *path != '/' ? arena_printf(t->o->arena, "%s/%s", folder, path) : path;
}

/* Folders may be in the first one. */
static void make_paths(struct table *t)
{
	const char *first = t->folder.n ? t->folder.v[0].path : NULL;
	for (struct file *f = t->file.v; f < t->file.v + t->file.n; f++) {
		const char *in = f->folder < t->folder.n ? t->folder.v[f->folder].path : NULL;
		if (!f->path)
			continue;
		f->path = join(t, in && in != first ? join(t, first, in) : in, f->path);
		char *path = arena_printf(t->o->arena, "%s", f->path);
		simplify_path(path);
		f->path = path;
	}
}

/* Rows ----------------------------------------------------------------------- */

static void put_row(const struct table *t, bool end)
{
	const char *path = t->number < t->file.n && !end ? t->file.v[t->number].path : NULL;
	if (t->pc.sec)
		t->row(t->ctx, t->pc.sec->index, t->pc.off, path, (uint32_t)t->line);
}

static void begin_sequence(struct table *t)
{
	t->pc = (struct place){0};
	t->number = t->line = 1;
}

static void run_extended(struct table *t, struct reader *r)
{
	uint64_t len = read_uleb(r), body = reader_at(r);
	uint8_t op = len ? read_u8(r) : 0;
	if (len)
		read_skip(r, len - 1);
	if (len && op == LNE_SET_ADDRESS)
		t->pc = dw_place(t->o, t->s, body + 1);
	if (len && op == LNE_END_SEQUENCE) {
		put_row(t, true);
		begin_sequence(t);
	}
}

static void run_standard(struct table *t, struct reader *r, uint8_t op)
{
	const struct dw_lines *h = &t->h;
	switch (op) {
	case LNS_COPY: put_row(t, false); break;
	case LNS_ADVANCE_PC: t->pc.off += read_uleb(r) * h->min_insn; break;
	case LNS_ADVANCE_LINE: t->line += (uint64_t)read_sleb(r); break;
	case LNS_SET_FILE: t->number = read_uleb(r); break;
	case LNS_CONST_ADD_PC:
		t->pc.off += (255u - h->opcode_base) / h->line_range * h->min_insn;
		break;
	case LNS_FIXED_ADVANCE_PC: t->pc.off += read_u16(r); break;
	default:
		for (unsigned i = h->operands[op]; i--;)
			read_uleb(r);
	}
}

static void run_special(struct table *t, unsigned adjusted)
{
	t->pc.off += adjusted / t->h.line_range * t->h.min_insn;
	t->line += (uint64_t)(int64_t)(t->h.line_base + (int)(adjusted % t->h.line_range));
	put_row(t, false);
}

static void run_program(struct table *t)
{
	struct reader r = dw_reader(t->o, t->s, t->h.program, t->len.end);
	begin_sequence(t);
	while (r.p < r.end && !r.bad) {
		uint8_t op = read_u8(&r);
		if (!op)
			run_extended(t, &r);
		else if (op < t->h.opcode_base)
			run_standard(t, &r, op);
		else
			run_special(t, op - t->h.opcode_base);
	}
}

static void read_tables(void *arg)
{
	struct table *t = arg;
	struct reader r = dw_reader(t->o, t->s, 0, t->s->size);
	while (r.p < r.end) {
		t->len = dw_read_length(t->s, &r);
		t->h = dw_read_lines(t->o, t->s, &r, &t->len);
		t->folder.n = t->file.n = 0;
		if (t->h.version >= 5) {
			read_entries(t, &r, &t->folder);
			read_entries(t, &r, &t->file);
		} else {
			read_lists(t, &r);
		}
		make_paths(t);
		run_program(t);
		r.p = r.start + t->len.end;
	}
}

void debug_rows(struct object *o, line_visitor *row, void *ctx)
{
	for (uint32_t i = 1; i < o->sec.n; i++) {
		struct table t = {.o = o, .s = &o->sec.v[i], .row = row, .ctx = ctx};
		if (!section_named(t.s, ".debug_line") || t.s->flags & SHF_COMPRESSED)
			continue;
		object_attempt(o, read_tables, &t);
		vec_free(&t.folder);
		vec_free(&t.file);
	}
}
