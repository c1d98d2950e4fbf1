/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_frame.c - call-frame information for debuggers (DWARF 5, section 6.4)
 *
 * As .eh_frame, without augmentations: addresses are absolute, and an FDE names its CIE by an
 * offset with a relocation.
 */
#include "reloc/meta/cfa.h"
#include "reloc/meta/dwarf.h"
#include "reloc/meta/eh.h"

#include "reloc/fix.h"

#include <stdlib.h>

struct frame_cie {
	uint64_t off;
	uint64_t code_align;
	int64_t data_align;
	uint64_t cfa, end; /* the instructions */
};
struct frame {
	struct recode rc;
	struct section *s;
	VEC(struct frame_cie) cie;
};

static void read_cie(struct frame *f, struct reader r, uint64_t at)
{
	struct frame_cie c = {.off = at};
	unsigned version = read_u8(&r);
	const char *aug = read_str(&r);
	if (version != 1 && version != 3 && version != 4)
		fatal_at(f->s, at, "CIE of unknown version %u", version);
	if (*aug)
		fatal_at(f->s, at, "CIE with unknown augmentation \"%s\"", aug);
	if (version == 4) {
		unsigned size = read_u8(&r);
		dw_check_address(f->rc.o, size, read_u8(&r), f->s, at);
	}
	c.code_align = read_uleb(&r);
	c.data_align = read_sleb(&r);
	if (version == 1)
		read_u8(&r);
	else
		read_uleb(&r);
	c.cfa = reader_at(&r);
	c.end = (uint64_t)(r.end - r.start);
	if (r.bad || !c.code_align)
		fatal_at(f->s, at, "truncated CIE");
	vec_push(&f->cie, c);
}

static const struct frame_cie *find_cie(const struct frame *f, uint64_t off)
{
	for (size_t i = f->cie.n; i-- > 0;)
		if (f->cie.v[i].off == off)
			return &f->cie.v[i];
	return NULL;
}

static uint64_t cie_offset(const struct frame *f, uint64_t field, uint64_t id)
{
	struct place p = dw_place(f->rc.o, f->s, field);
	return p.sec == f->s ? p.off : id;
}

static void pad_record(struct frame *f, uint64_t start, const struct dw_length *len)
{
	unsigned align = (len->end - len->field) % 8 == 0 ? 8 : 4;
	while ((f->rc.out.n - start) % align)
		buf_u8(&f->rc.out, 0);
	dw_put_length(&f->rc, len, start);
}

static void put_fde(struct frame *f, const struct dw_length *len, uint64_t field, uint64_t id)
{
	struct recode *rc = &f->rc;
	uint64_t pc = field + (len->wide ? 8 : 4);
	const unsigned word = rc->o->word;
	struct reader r = dw_reader(rc->o, f->s, pc + word, len->end);
	uint64_t range = dw_address(rc->o, &r), start = rc->out.n;
	const struct frame_cie *cie = find_cie(f, cie_offset(f, field, id));
	if (r.bad || !cie)
		fatal_at(f->s, len->field, "FDE without a CIE");
	struct place p = dw_place(rc->o, f->s, pc);
	recode_label(rc, len->field);
	if (!dw_moves(&p)) {
		recode_copy(rc, len->field, len->end);
		return;
	}
	struct cfa c = {
		.place = f->s,
		.code = p.sec,
		.start = p.off,
		.new_start = dw_new(&p, 0, REF_ADDRESS, f->s, pc),
		.code_align = cie->code_align,
		.data_align = cie->data_align,
		.first = cie->cfa,
		.first_end = cie->end,
		.big = rc->o->big,
		.enc = eh_encoding(rc->o, EH_ABSPTR),
	};
	struct dw_span new = dw_new_span(&p, range, REF_UNWIND_END, f->s, pc);
	c.new_end = new.to;
	recode_copy(rc, len->field, pc + word);
	dw_put_span(rc, &new, 8 * word);
	cfa_recode(rc, &c, pc + 2 * word, len->end);
	pad_record(f, start, len);
}

/* FDEs refer to CIEs of their own section, whose map is known only when it is complete. */
static void move_cies(struct frame *f)
{
	const struct object *o = f->rc.o;
	for (size_t i = 0; i < f->rc.rel.n; i++) {
		const struct reloc r = f->rc.rel.v[i];
		/* new labels of code have no symbols yet */
		if (r.sym < o->sym.n && o->sym.v[r.sym].sec == f->s->index)
			f->rc.rel.v[i] = fix_reloc(o, f->s, &r, REF_ADDRESS);
	}
}

void debug_frame_rewrite(struct object *o, struct section *s)
{
	struct frame f = {.rc.o = o, .s = s};
	struct reader r = dw_reader(o, s, 0, s->size);
	recode_open(&f.rc, s);
	while (r.p < r.end) {
		struct dw_length len = dw_read_length(s, &r);
		struct reader body = r;
		body.end = r.start + len.end;
		uint64_t field = reader_at(&body);
		uint64_t id = dw_offset(&body, len.wide);
		if (body.bad)
			fatal_at(s, len.field, "bad length of a record");
		if (id == (len.wide ? UINT64_MAX : UINT32_MAX)) {
			read_cie(&f, body, len.field);
			recode_label(&f.rc, len.field);
			recode_copy(&f.rc, len.field, len.end);
		} else {
			put_fde(&f, &len, field, id);
		}
		r.p = r.start + len.end;
	}
	recode_close(&f.rc);
	move_cies(&f);
	recode_finish(&f.rc, s);
	vec_free(&f.cie);
}
