/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c - the FDEs of an object: see frames.h */
#include "verify/frames.h"
#include "verify/places.h"

#include "targets/platform.h"

#include <stdlib.h>

static const struct object *object_of(const struct frames *c)
{
	return c->age == OLD ? c->v->a : c->v->b;
}

struct frames frames_open(const struct verify *v, const struct addresses *where, enum age age,
	bool debug)
{
	struct frames c = {.v = v, .where = where, .age = age, .debug = debug};
	c.triple = platform_find(v->a->machine, v->a->word, v->a->big)->llvm.triple;
	c.file = v->opt.dwarf->open(NULL, 0, v->a->word, v->a->big);
	return c;
}

void frames_close(struct frames *c)
{
	c->v->opt.dwarf->close(c->file);
	free(c->bytes.v);
}

static bool has_frames(const struct frames *c, const struct section *s)
{
	if (c->debug)
		return is_debug_frame(s) && (c->age == NEW || c->v->pair[s->index]);
	return is_eh_frame(s);
}

/* Go to the next section that has bytes left. */
static const struct section *more(struct frames *c)
{
	const struct object *o = object_of(c);
	while (c->sec < o->sec.n) {
		const struct section *s = &o->sec.v[c->sec];
		if (c->sec && has_frames(c, s) && c->pos < s->size)
			return s;
		c->sec++;
		c->pos = 0;
	}
	return NULL;
}

/* Records --------------------------------------------------------------- */

struct record {
	uint64_t off, id, body, end; /* id: of the CIE's offset; body: behind that */
	uint64_t cie;
	bool is_cie;
};

/* The record at off; false: its length is bad. */
static bool read_record(const struct frames *c, const struct section *s, uint64_t off,
	struct record *f)
{
	struct reader r = section_reader(object_of(c), s, s->size);
	*f = (struct record){.off = off};
	read_skip(&r, off);
	uint64_t len = read_u32(&r);
	bool wide = len == UINT32_MAX;
	if (wide)
		len = read_u64(&r);
	f->id = reader_at(&r);
	f->end = f->id + len;
	if (r.bad || len > (uint64_t)(r.end - r.p))
		return false;
	if (!len)
		return true;
	wide &= c->debug;
	uint64_t id = wide ? read_u64(&r) : read_u32(&r);
	f->body = reader_at(&r);
	f->is_cie = id == (!c->debug ? 0 : wide ? UINT64_MAX : UINT32_MAX);
	f->cie = f->id - id;
	if (c->debug) {
		uint32_t i = section_first_reloc(s, f->id), sec;
		bool known = i < s->nrel && s->rel[i].off == f->id &&
			place_of(object_of(c), &s->rel[i], 0, &sec, &f->cie);
		if (!known)
			f->cie = id;
	}
	return !r.bad && f->body <= f->end;
}

/* Frames ---------------------------------------------------------------- */

/* Copy a record to where it follows on the bytes there, which begin at an address. */
static void put_record(struct frames *c, const struct section *s, const struct record *r,
	uint64_t address)
{
	size_t at = c->bytes.n;
	buf_put(&c->bytes, s->data + r->off, r->end - r->off);
	image_copy(c->where, c->age, s, r->off, r->end, c->bytes.v + at, address + at);
}

/* Let the reader read the FDE behind its CIE, which is in front of it now. */
static bool read_frame(struct frames *c, const struct section *s, const struct record *cie,
	const struct record *fde, struct frame *f)
{
	uint64_t size = cie->end - cie->off, address = c->where->base[c->age][s->index];
	unsigned id = (unsigned)(fde->body - fde->id);
	address += fde->off - size;
	c->bytes.n = 0;
	put_record(c, s, cie, address);
	put_record(c, s, fde, address);
	put_word(c->bytes.v + size + (fde->id - fde->off), id, object_of(c)->big,
		c->debug ? 0 : size + fde->id - fde->off);
	struct dwarf_section whole = {s->name, c->bytes.v, c->bytes.n};
	return c->v->opt.dwarf->frame(c->file, &whole, address, c->triple, &f->f);
}

/*
 * glibc's __restore_rt: unwinders look up the return address minus one, and that is the function's
 * first byte, so the FDE starts in the no-op before it.
 */
static bool is_early(const struct object *o, const struct frame *f)
{
	return f->f.signal && f->f.range > 1 && !object_has_label(o, f->code.sec, f->code.off) &&
		object_has_label(o, f->code.sec, f->code.off + 1);
}

/* The routine is the only thing that a CIE refers to. */
static bool is_foreign(const struct object *o, const struct section *s, const struct record *cie)
{
	uint32_t i = section_first_reloc(s, cie->off);
	return i < s->nrel && s->rel[i].off < cie->end && !eh_is_gccs(o, &s->rel[i]);
}

/* False: its code is not in the object. */
static bool set_frame(struct frames *c, const struct section *s, const struct record *r,
	struct frame *f)
{
	const struct object *o = object_of(c);
	struct record cie;
	*f = (struct frame){.s = s, .off = r->off, .body = r->body, .end = r->end, .cie = r->cie};
	f->file = c->file;
	if (r->cie >= s->size || !read_record(c, s, r->cie, &cie) || !cie.is_cie)
		return true;
	f->cie_body = cie.body;
	f->cie_end = cie.end;
	f->known = read_frame(c, s, &cie, r, f);
	if (!f->known)
		return true;
	if (!addresses_place(c->where, c->age, f->f.start, &f->code) || f->code.sec == s->index)
		return false;
	f->early = is_early(o, f);
	f->foreign = is_foreign(o, s, &cie);
	if (!f->f.has_table || !addresses_place(c->where, c->age, f->f.table, &f->table) ||
		f->table.sec == s->index)
		f->table.sec = 0; /* without a relocation, it is none */
	return true;
}

bool frames_next(struct frames *c, struct frame *f)
{
	const struct section *s;
	struct record r;
	while ((s = more(c))) {
		if (!read_record(c, s, c->pos, &r)) {
			c->pos = s->size;
			*f = (struct frame){.s = s, .off = r.off, .end = s->size};
			return true;
		}
		c->pos = r.end;
		/* a length of 0 ends the section, or aligns */
		if (r.end != r.id && !r.is_cie && set_frame(c, s, &r, f))
			return true;
	}
	return false;
}
