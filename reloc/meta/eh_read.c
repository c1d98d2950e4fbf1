/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eh_read.c - reading .eh_frame and .debug_frame; see eh.h
 *
 * Linux Standard Base Core, "Exception Frames": records as in .debug_frame, but
 * the CIE's id is 0, an FDE's is the distance back to its CIE, and both carry
 * augmentation data.  In .debug_frame (DWARF 5, section 6.4.1) the CIE's id is -1, and an FDE's is
 * the offset of its CIE.  All fields are checked here, so that the codecs need not.
 */
#include "reloc/meta/eh.h"

#include <stdlib.h>

enum { DW_EXT_LENGTH = 0xffffffff };

uint8_t eh_encoding(const struct object *o, uint8_t enc)
{
	bool address = enc != EH_OMIT && (enc & EH_FORMAT) == EH_ABSPTR;
	return address && o->word == 4 ? (uint8_t)(enc | EH_UDATA4) : enc;
}

unsigned eh_size(uint8_t enc)
{
	switch (enc & EH_FORMAT) {
	case EH_UDATA2:
	case EH_SDATA2: return 2;
	case EH_UDATA4:
	case EH_SDATA4: return 4;
	case EH_ABSPTR:
	case EH_UDATA8:
	case EH_SDATA8: return 8;
	default: return 0;
	}
}

uint64_t eh_read(struct reader *r, uint8_t enc)
{
	switch (enc & EH_FORMAT) {
	case EH_ULEB: return read_uleb(r);
	case EH_SLEB: return (uint64_t)read_sleb(r);
	case EH_UDATA2: return read_u16(r);
	case EH_SDATA2: return (uint64_t)(int16_t)read_u16(r);
	case EH_UDATA4: return read_u32(r);
	case EH_SDATA4: return (uint64_t)(int32_t)read_u32(r);
	case EH_ABSPTR:
	case EH_UDATA8:
	case EH_SDATA8: return read_u64(r);
	default: r->bad = true; return 0;
	}
}

bool is_eh_frame(const struct section *s)
{
	/* clang marks it SHT_X86_64_UNWIND, gcc SHT_PROGBITS */
	return s->index && !s->dropped && s->data && !strcmp(s->name, ".eh_frame") &&
		(s->flags & SHF_ALLOC);
}

bool is_debug_frame(const struct section *s)
{
	return s->index && !s->dropped && s->data && !strcmp(s->name, ".debug_frame") &&
		!(s->flags & SHF_ALLOC);
}

void eh_open(struct eh_walk *w, const struct object *o, struct section *s)
{
	memset(w, 0, sizeof *w);
	w->o = o;
	w->s = s;
	w->debug = is_debug_frame(s);
}

void eh_close(struct eh_walk *w)
{
	vec_free(&w->cie);
}

/* The relocation at off.  Calls are mostly in ascending order. */
static const struct reloc *reloc_at(struct eh_walk *w, uint64_t off)
{
	const struct section *s = w->s;
	if (w->next && s->rel[w->next - 1].off >= off)
		w->next = section_first_reloc(s, off);
	while (w->next < s->nrel && s->rel[w->next].off < off)
		w->next++;
	return w->next < s->nrel && s->rel[w->next].off == off ? &s->rel[w->next] : NULL;
}

/*
 * hazard: personality routine of its own.  It reads exception tables in a format of its own.  These
 * read gcc's: gcc 12, libstdc++-v3/libsupc++/eh_personality.cc, libgcc/unwind-c.c,
 * libobjc/exception.c, gcc/ada/raise-gcc.c, libphobos/libdruntime/gcc/deh.d,
 * libgo/runtime/go-unwind.c; LLVM 19, lib/IR/EHPersonalities.cpp; Rust, library/std/src/sys.
 */
static bool knows_format(const char *name)
{
	static const char *const names[] = {"__gcc_personality_v0", "__gccgo_personality_v0",
		"__gdc_personality_v0", "__gnat_eh_personality", "__gnat_personality_v0",
		"__gnu_objc_personality_v0", "__gnustep_objc_personality_v0",
		"__gnustep_objcxx_personality_v0", "__gxx_personality_v0", "__objc_personality_v0",
		"_d_eh_personality", "rust_eh_personality"};
	static const char cell[] = "DW.ref.";
	if (!strncmp(name, cell, strlen(cell)))
		name += strlen(cell);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

bool eh_is_gccs(const struct object *o, const struct reloc *r)
{
	uint64_t off;
	if (!r || knows_format(o->sym.v[r->sym].name))
		return true;
	struct section *s = reloc_target(o, r, &off);
	off += (uint64_t)r->addend;
	uint32_t i = s ? section_first_reloc(s, off) : 0;
	return s && i < s->nrel && s->rel[i].off == off &&
		knows_format(o->sym.v[s->rel[i].sym].name);
}

static void cie_augmentation(struct eh_walk *w, struct eh_cie *c, struct reader *r, const char *aug)
{
	uint64_t start = reader_at(r);
	uint64_t len = read_uleb(r);
	struct reader d = *r;
	c->has_size = true;
	read_skip(r, len);
	if (!r->bad)
		d.end = r->p;
	for (const char *p = aug + 1; *p; p++) {
		uint8_t enc;
		switch (*p) {
		case 'L': c->lsda_enc = eh_encoding(w->o, read_u8(&d)); break;
		case 'R': c->fde_enc = eh_encoding(w->o, read_u8(&d)); break;
		case 'P':
			enc = eh_encoding(w->o, read_u8(&d));
			if (enc != EH_OMIT && (enc & EH_RELATIVE) == EH_ALIGNED)
				d.bad = true;
			else if (enc != EH_OMIT) {
				c->foreign = !eh_is_gccs(w->o, reloc_at(w, reader_at(&d)));
				eh_read(&d, enc);
			}
			break;
		case 'S': c->signal = true; break;
		case 'B': /* AArch64: return addresses are signed with key B */
		case 'G': /* AArch64: the stack is tagged */ break;
		default: fatal_at(w->s, c->off, "CIE with unknown augmentation \"%s\"", aug);
		}
	}
	if (r->bad || d.bad)
		fatal_at(w->s, start, "CIE with bad augmentation data");
}

static void read_cie(struct eh_walk *w, struct eh_cie *c)
{
	struct reader r = reader_make(w->s->data, c->end);
	r.big = w->o->big;
	read_skip(&r, c->body);
	unsigned version = read_u8(&r);
	const char *aug = read_str(&r);
	if (r.bad || (version != 1 && version != 3 && version != 4))
		fatal_at(w->s, c->off, "CIE of unknown version %u", version);
	if (!strcmp(aug, "eh"))
		read_skip(&r, w->o->word); /* gcc 2's exception table pointer */
	if (version == 4 && (read_u8(&r) != w->o->word || read_u8(&r) != 0))
		fatal_at(w->s, c->off, "CIE with addresses of another size");
	c->code_align = read_uleb(&r);
	c->data_align = read_sleb(&r);
	if (version == 1)
		read_u8(&r);
	else
		read_uleb(&r);
	c->fde_enc = eh_encoding(w->o, EH_ABSPTR);
	c->lsda_enc = EH_OMIT;
	if (r.bad)
		fatal_at(w->s, c->off, "truncated CIE");
	if (aug[0] == 'z')
		cie_augmentation(w, c, &r, aug);
	else if (aug[0] && strcmp(aug, "eh") != 0)
		fatal_at(w->s, c->off, "CIE with unknown augmentation \"%s\"", aug);
	c->cfa = reader_at(&r);
	if (!c->code_align || c->code_align > 256)
		fatal_at(w->s, c->off, "CIE with bad code alignment factor");
	if (c->fde_enc == EH_OMIT || !eh_size(c->fde_enc) || (c->fde_enc & EH_INDIRECT) ||
		(c->fde_enc & EH_RELATIVE) == EH_ALIGNED)
		fatal_at(w->s, c->off, "CIE with unknown pointer encoding 0x%x", c->fde_enc);
	if (c->lsda_enc != EH_OMIT && !eh_size(c->lsda_enc))
		fatal_at(w->s, c->off, "CIE with unknown pointer encoding 0x%x", c->lsda_enc);
}

static const struct eh_cie *find_cie(struct eh_walk *w, uint64_t off)
{
	if (w->last < w->cie.n && w->cie.v[w->last].off == off)
		return &w->cie.v[w->last];
	size_t i;
	BISECT(i, 0, w->cie.n, w->cie.v[i].off < off);
	if (i == w->cie.n || w->cie.v[i].off != off)
		return NULL;
	w->last = i;
	return &w->cie.v[i];
}

/*
 * glibc's __restore_rt: unwinders look up the return address minus one, and
 * that is the function's first byte, so the FDE starts in the nop before it.
 *
 * hazard: FDE a byte early.  The FDE of __restore_rt starts in the no-op in front of it,
 * because unwinders look up the return address minus one.
 */
static bool is_early(const struct eh_walk *w, const struct eh_fde *f)
{
	return f->cie->signal && f->range > 1 &&
		!object_has_label(w->o, f->code->index, f->start) &&
		object_has_label(w->o, f->code->index, f->start + 1);
}

/* The relocation of a pointer, if there is one. */
static const struct reloc *pointer_at(struct eh_walk *w, uint64_t off)
{
	const struct reloc *r = reloc_at(w, off);
	if (!r || r->type == R_NONE)
		return r;
	const struct reloc_info *info = w->o->reloc_info(r->type);
	if ((info->role != ROLE_ABS && info->role != ROLE_PCREL) || info->term)
		fatal_at(w->s, off, "%s in an FDE is no pointer", info->name);
	return r;
}

static void fde_code(struct eh_walk *w, struct eh_fde *f)
{
	uint64_t symoff;
	const struct reloc *r = pointer_at(w, f->pc);
	if (!r && w->debug)
		return;
	if (!r)
		fatal_at(w->s, f->pc, "FDE has no relocation for its code");
	if (r->type == R_NONE)
		return;
	f->rel = r;
	f->code = reloc_target(w->o, r, &symoff);
	if (!f->code)
		return;
	f->start = symoff + (uint64_t)r->addend;
	if (f->start > f->code->size || f->range > f->code->size - f->start)
		fatal_at(w->s, f->pc, "FDE reaches outside section %s", f->code->name);
	f->early = is_early(w, f);
}

static void read_fde(struct eh_walk *w, struct eh_fde *f, uint64_t body)
{
	struct reader r = reader_make(w->s->data, f->end);
	r.big = w->o->big;
	const struct eh_cie *c = f->cie;
	f->pc = body;
	f->pc_size = eh_size(c->fde_enc);
	read_skip(&r, f->pc + f->pc_size);
	/* The range has the format of the start, and is never negative. */
	f->range = eh_read(&r, c->fde_enc & EH_UNSIGNED);
	f->aug = f->cfa = reader_at(&r);
	if (c->has_size) {
		uint64_t len = read_uleb(&r);
		uint64_t data = reader_at(&r);
		read_skip(&r, len);
		f->cfa = reader_at(&r);
		if (c->lsda_enc != EH_OMIT && len) {
			if (len < eh_size(c->lsda_enc))
				r.bad = true;
			f->lsda = data;
		}
	}
	if (r.bad)
		fatal_at(w->s, f->off, "truncated FDE");
	fde_code(w, f);
	if (f->lsda && f->rel) {
		f->lsda_rel = pointer_at(w, f->lsda);
		if (f->lsda_rel && f->lsda_rel->type == R_NONE)
			f->lsda_rel = NULL;
	}
}

/* The CIE that the FDE's id, which is at that offset, refers to. */
static const struct eh_cie *cie_of(struct eh_walk *w, uint64_t at, uint64_t id)
{
	uint64_t off;
	if (!w->debug)
		return id <= at ? find_cie(w, at - id) : NULL;
	const struct reloc *r = reloc_at(w, at);
	if (r && reloc_target(w->o, r, &off) == w->s)
		id = off + (uint64_t)r->addend;
	return find_cie(w, id);
}

/* Read the record at off: store a CIE and return NULL, or return the FDE. */
static const struct eh_fde *read_record(struct eh_walk *w, struct reader r, uint64_t off, bool wide)
{
	uint64_t at = reader_at(&r), id = wide ? read_u64(&r) : read_u32(&r);
	uint64_t body = reader_at(&r);
	if (id == (!w->debug ? 0 : wide ? UINT64_MAX : UINT32_MAX)) {
		struct eh_cie c = {.off = off, .end = w->pos, .body = body, .new_off = UINT64_MAX};
		read_cie(w, &c);
		vec_push(&w->cie, c);
		return NULL;
	}
	w->fde = (struct eh_fde){.off = off, .end = w->pos, .cie = cie_of(w, at, id)};
	if (!w->fde.cie)
		fatal_at(w->s, off, "FDE without a CIE");
	read_fde(w, &w->fde, body);
	return &w->fde;
}

const struct eh_fde *eh_next(struct eh_walk *w)
{
	const struct section *s = w->s;
	while (w->pos < s->size) {
		uint64_t off = w->pos;
		struct reader r = reader_make(s->data, s->size);
		r.big = w->o->big;
		read_skip(&r, off);
		uint64_t len = read_u32(&r);
		if (!r.bad && !len) { /* a terminator, or alignment */
			w->pos += 4;
			w->ends = w->pos == s->size;
			continue;
		}
		bool wide = len == DW_EXT_LENGTH;
		if (wide)
			len = read_u64(&r);
		wide &= w->debug; /* an id in .eh_frame never is */
		if (r.bad || len > s->size - reader_at(&r) || len < (wide ? 8 : 4))
			fatal_at(s, off, "bad length of a record");
		w->pos = reader_at(&r) + len;
		const struct eh_fde *f = read_record(w, r, off, wide);
		if (f)
			return f;
	}
	return NULL;
}

uint64_t eh_new_start(const struct eh_fde *f)
{
	const struct addrmap *m = f->code->map;
	if (f->early)
		return map_addr(m, f->start + 1, REF_ADDRESS) - 1;
	return map_addr(m, f->start, REF_ADDRESS);
}
