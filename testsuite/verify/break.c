/* SPDX-License-Identifier: Apache-2.0 */
/*
 * break KIND N IN OUT: damage the N-th fitting place of a rewritten object in a
 * way that the verifier must notice.  Status 3: there is no such place.
 * Without arguments: print the kinds.  What is claimed and stated of it is damaged by verify.py.
 */
#include "reloc/fix.h"
#include "runtime/abi.h"
#include "targets/target.h"

#include <stddef.h>
#include <stdlib.h>

static struct object *o;
static const struct target *target;
static struct decoder *decoder;
static unsigned long want; /* candidates still to pass over */

static bool chosen(void)
{
	return !want--;
}

static uint8_t *bytes(struct section *s)
{
	if (!s->rewritten) {
		s->out = arena_alloc(o->arena, s->size + 1);
		memcpy(s->out, s->data, s->size);
		s->out_size = s->size;
		s->out_rel = s->rel;
		s->out_nrel = s->nrel;
		s->rewritten = true;
	}
	return s->out;
}

static struct section *target_of(const struct reloc *r)
{
	uint64_t off;
	return reloc_target(o, r, &off);
}

static bool is_counter(const struct reloc *r)
{
	return !strncmp(o->sym.v[r->sym].name, "__ldx_", 6);
}

static struct section *find_section(const char *name)
{
	for (size_t i = 1; i < o->sec.n; i++)
		if (!strcmp(o->sec.v[i].name, name))
			return &o->sec.v[i];
	return NULL;
}

/* Calls fn for every instruction of code until it returns true. */
static bool each_insn(bool (*fn)(struct section *s, const struct insn *in))
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		for (uint64_t x = 0; section_is_code(s) && x < s->size;) {
			struct insn in = {0};
			if (!target->decode(decoder, s->data + x, s->size - x, &in)) {
				x++;
				continue;
			}
			in.off = (uint32_t)x;
			if (fn(s, &in))
				return true;
			x += in.len;
		}
	}
	return false;
}

/*
 * Puts a changed addend where the file has it.  False: that changes nothing, as of a high half
 * without a carry or a relocation without a field, so the next place is tried.
 */
static bool put_addend(struct section *s, struct reloc *r, int64_t old)
{
	uint8_t before[8];
	size_t n = target->reloc_info(r->type)->size;
	if (o->sec.v[s->rela].type != SHT_REL || r->addend == old)
		return true;
	memcpy(before, bytes(s) + r->off, n);
	fix_put_addend(o, r, bytes(s) + r->off);
	if (memcmp(before, bytes(s) + r->off, n) != 0)
		return true;
	r->addend = old;
	want = 0;
	return false;
}

static bool each_reloc(bool (*fn)(struct section *s, struct reloc *r))
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		for (uint32_t k = 0; k < s->nrel; k++) {
			int64_t old = s->rel[k].addend;
			if ((s->flags & SHF_ALLOC) && s->rel[k].type && fn(s, &s->rel[k]) &&
				put_addend(s, &s->rel[k], old))
				return true;
		}
	}
	return false;
}

static bool relocated(const struct section *s, const struct insn *in)
{
	uint32_t k = section_first_reloc(s, in->off);
	return k < s->nrel && s->rel[k].off < in->off + (uint64_t)in->len;
}

/* Code ------------------------------------------------------------------ */

static bool far_branch(struct section *s, const struct insn *in)
{
	if (!in->pc_size || relocated(s, in) || !chosen())
		return false;
	/* nearly the same place: behind a counter, for one */
	bytes(s)[in->off + in->pc_off] += (uint8_t)(1 + in->off % 7);
	return true;
}

static bool other_insn(struct section *s, const struct insn *in)
{
	if (in->kind != INSN_OTHER || in->pc_size || relocated(s, in) || !chosen())
		return false;
	bytes(s)[in->off + in->len - 1] ^= 8;
	return true;
}

static bool lost_insn(struct section *s, const struct insn *in)
{
	if (in->kind != INSN_OTHER || in->pc_size || relocated(s, in) || !chosen())
		return false;
	target->nops(bytes(s) + in->off, in->len);
	return true;
}

static bool lost_landing(struct section *s, const struct insn *in)
{
	if (!(in->flags & INSN_LANDING) || !chosen())
		return false;
	target->nops(bytes(s) + in->off, in->len);
	return true;
}

/* Is one of the next instructions in need of the flags as they are at x? */
static bool reads_flags(const struct section *s, uint64_t x)
{
	struct insn in = {0};
	for (int i = 0; i < 4 && x < s->size; i++, x += in.len) {
		if (!target->decode(decoder, s->data + x, s->size - x, &in))
			return false;
		if (insn_effects(&in)->reads & REGSET_FLAGS)
			return true;
		if (insn_effects(&in)->clobbers & REGSET_FLAGS || in.kind != INSN_OTHER)
			return false;
	}
	return false;
}

/*
 * In front of an instruction that needs the flags, a counter must not change them:
 * lahf; seto %al; incq; add $127,%al; sahf loses all but the incq.
 */
static bool live_flags(struct section *s, const struct insn *in)
{
	const uint8_t *p = s->data + in->off;
	uint32_t k = section_first_reloc(s, in->off);
	if (in->len != 7 || p[1] != 0xff || p[2] != 5 || in->off < 4 || s->size - in->off < 11 ||
		k == s->nrel || s->rel[k].off != in->off + 3u || !is_counter(&s->rel[k]))
		return false;
	bool all = p[-4] == 0x9f && p[-1] == 0xc0 && p[9] == 0x9e;
	unsigned before = all ? 4 : 1, behind = all ? 3 : 1;
	if ((!all && (p[-1] != 0x9f || p[7] != 0x9e)) || !reads_flags(s, in->off + 7 + behind) ||
		!chosen())
		return false;
	target->nops(bytes(s) + in->off - before, before);
	target->nops(bytes(s) + in->off + 7, behind);
	return true;
}

/* Relocations ----------------------------------------------------------- */

static bool code_addend(struct section *s, struct reloc *r)
{
	if (!section_is_code(s) || is_counter(r) || !chosen())
		return false;
	r->addend += 4;
	return true;
}

static bool counter_addend(struct section *s, struct reloc *r)
{
	if (!section_is_code(s) || !is_counter(r) || !chosen())
		return false;
	/* an address of a page only must change, too */
	r->addend += 4099;
	return true;
}

static bool is_row(const struct reloc *r)
{
	return !strcmp(o->sym.v[r->sym].name, "__ldx_row");
}

/* Behind the load of a word of the row: another place in its page, or page. */
static bool row_place(struct section *s, struct reloc *r)
{
	unsigned bit = o->machine == EM_AARCH64 ? 10 : 23;
	if (!section_is_code(s) || !is_row(r) || r->off + 8 > s->size || !chosen())
		return false;
	bytes(s)[r->off + 4 + bit / 8] ^= 1 << bit % 8;
	return true;
}

/* A word of the row leads to another place. */
static bool row_leads(struct section *s, struct reloc *r)
{
	if (strcmp(s->name, ".tdata.ldx") != 0 || !is_counter(r) || !chosen())
		return false;
	r->addend += 8;
	return true;
}

static bool counter_twice(struct section *s, struct reloc *r)
{
	if (!section_is_code(s) || !is_counter(r) || r->addend < 4 || !chosen())
		return false;
	r->addend -= 8;
	return true;
}

static bool has_role(const struct reloc *r, enum reloc_role role)
{
	return target->reloc_info(r->type)->role == role;
}

/* One half of a counter's address is that of the next counter. */
static bool counter_half(struct section *s, struct reloc *r)
{
	const struct reloc_info *info = target->reloc_info(r->type);
	if (!section_is_code(s) || !is_counter(r) || !(info->high || info->low) ||
		!strcmp(o->sym.v[r->sym].name, "__ldx_forked") || !chosen())
		return false;
	r->addend += 8;
	return true;
}

/* The high half of a counter's address has the low half's type, and the other way round. */
static bool halves_swapped(struct section *s, struct reloc *r)
{
	struct reloc *low = r + 1;
	if (!section_is_code(s) || !is_counter(r) || target->reloc_info(r->type)->low ||
		low == s->rel + s->nrel || low->sym != r->sym ||
		!target->reloc_info(low->type)->low || !chosen())
		return false;
	uint32_t type = r->type;
	r->type = low->type;
	low->type = type;
	return true;
}

/* It leads to the neighbour of what it led to. */
static bool reloc_near(struct section *s, struct reloc *r)
{
	bool place = has_role(r, ROLE_ABS) || has_role(r, ROLE_PCREL) || has_role(r, ROLE_PLT);
	if (!section_is_code(s) || is_counter(r) || !place || !target_of(r) || !chosen())
		return false;
	r->addend += target->code_align;
	return true;
}

/* The field of a counter's relocation is in the next instruction. */
static bool reloc_moved(struct section *s, struct reloc *r)
{
	if (!section_is_code(s) || !is_counter(r) || !r->type || r->off + 8 > s->size || !chosen())
		return false;
	r->off += 4;
	return true;
}

/* An instruction that was inserted: a bit of the word with a field of its counter, not of that. */
static bool counter_bit(struct section *s, struct reloc *r)
{
	static const uint8_t bit[] = {1, 2, 4, 32, 64};
	uint64_t at = r->off + (target->big ? 0 : 3);
	const struct reloc_info *info = target->reloc_info(r->type);
	unsigned n = info->low || info->high ? 5 : 3; /* adrp has a part of its field above */
	if (!section_is_code(s) || !is_counter(r) || !info->size || !target->form->at_field ||
		!chosen())
		return false;
	bytes(s)[at] ^= bit[r->off / 4 % n];
	return true;
}

/* What lets the last link change an instruction. */
static bool is_hint(const struct section *s, const struct reloc *r)
{
	const struct reloc_info *info = target->reloc_info(r->type);
	return section_is_code(s) && (info->callee || (info->relax && !info->aligns));
}

static bool hint_lost(struct section *s, struct reloc *r)
{
	if (!is_hint(s, r) || !chosen())
		return false;
	r->type = 0;
	r->sym = 0;
	return true;
}

static bool hint_moved(struct section *s, struct reloc *r)
{
	if (!is_hint(s, r) || r->off + 8 > s->size || !chosen())
		return false;
	r->off += 4;
	return true;
}

static bool hint_callee(struct section *s, struct reloc *r)
{
	if (!is_hint(s, r) || !target->reloc_info(r->type)->callee || r->sym < 2 || !chosen())
		return false;
	r->sym--;
	return true;
}

/* What is added to a counter is taken from it, and the other way round. */
static bool other_sign(struct section *s, struct reloc *r)
{
	if (!section_is_code(s) || !is_counter(r) || r->type != R_X86_64_PC32)
		return false;
	uint8_t *p = bytes(s) + r->off;
	if ((p[-2] != 0x01 && p[-2] != 0x29) || !chosen())
		return false;
	p[-2] ^= 0x28;
	return true;
}

/* A check for a new thread compares another cell. */
static bool check_cell(void)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		for (uint32_t k = 1; section_is_code(s) && k < s->nrel; k++) {
			if (strcmp(o->sym.v[s->rel[k].sym].name, "__ldx_forked") != 0 ||
				!is_counter(&s->rel[k - 1]) ||
				s->rel[k].off - s->rel[k - 1].off > 8 || !chosen())
				continue;
			bytes(s);
			s->rel[k - 1].addend ^= 1 << k % 12;
			return true;
		}
	}
	return false;
}

/*
 * No check where a thread may come in, as a rewriter makes it that does not know of the place:
 * mov %fs:0, cmp %gs: with the counter, je, call.
 */
static bool lost_check(void)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		for (uint32_t k = 1; section_is_code(s) && k < s->nrel; k++) {
			const struct reloc *r = &s->rel[k];
			uint64_t x = r[-1].off, end = r->off + 4;
			if (strcmp(o->sym.v[r->sym].name, "__ldx_forked") != 0 ||
				!is_counter(&r[-1]))
				continue;
			while (x + 24 > end && (s->data[x] != 0x64 || s->data[x + 2] != 0x8b))
				x--;
			if (s->data[x] != 0x64 || s->data[x + 4] != 0x25 || !chosen())
				continue;
			target->nops(bytes(s) + x, end - x);
			s->rel[k].type = s->rel[k - 1].type = 0;
			s->rel[k].sym = s->rel[k - 1].sym = 0;
			return true;
		}
	}
	return false;
}

static bool data_addend(struct section *s, struct reloc *r)
{
	if (section_is_code(s) || !target_of(r) || is_counter(r) || s->name[1] == 'l' ||
		!strcmp(s->name, ".eh_frame") || !chosen())
		return false;
	r->addend += 1;
	return true;
}

static bool reloc_symbol(struct section *s, struct reloc *r)
{
	uint32_t other = r->sym > 1 ? r->sym - 1 : 2;
	if (is_counter(r) || s->name[1] == 'l' || target->reloc_info(r->type)->aligns || !chosen())
		return false;
	r->sym = other;
	return true;
}

static bool reloc_lost(struct section *s, struct reloc *r)
{
	if (is_counter(r) || s->name[1] == 'l' || !chosen())
		return false;
	r->type = 0;
	return true;
}

static bool table_entry(struct section *s, struct reloc *r)
{
	struct section *t = target_of(r);
	if (section_is_code(s) || !t || !section_is_code(t) || strcmp(s->name, ".eh_frame") == 0 ||
		r->type != target->made.distance4 || !chosen())
		return false;
	/* its neighbour's label, or none */
	r->addend = r > s->rel && r[-1].type == r->type && r[-1].addend + 4 != r->addend
		? r[-1].addend + 4
		: r->addend + 2;
	return true;
}

/* The first word of a table, behind the counter that it led to. */
static bool table_past(struct section *s, struct reloc *r)
{
	struct section *t = target_of(r);
	uint64_t x = o->sym.v[r->sym].value + (uint64_t)r->addend;
	uint32_t k = t ? section_first_reloc(t, x) : 0;
	struct insn in = {0};
	if (section_is_code(s) || !t || !section_is_code(t) || strcmp(s->name, ".eh_frame") == 0 ||
		r->type != target->made.distance4 || (r > s->rel && r[-1].off + 4 == r->off) ||
		k == t->nrel || !is_counter(&t->rel[k]) ||
		!target->decode(decoder, t->data + x, t->size - x, &in) ||
		t->rel[k].off >= x + in.len || !chosen())
		return false;
	r->addend += in.len;
	return true;
}

/* Another type of as many bytes, which the last link resolves in another way. */
static bool other_form(struct reloc *r)
{
	const struct reloc_info *now = target->reloc_info(r->type);
	for (uint32_t type = 1; type < 512; type++) {
		const struct reloc_info *info = target->reloc_info(type);
		if (info->name && info->size == now->size && info->role != now->role &&
			(info->role == ROLE_ABS || info->role == ROLE_PCREL)) {
			r->type = type;
			return true;
		}
	}
	return false;
}

static bool fde_form(struct section *s, struct reloc *r)
{
	return !strcmp(s->name, ".eh_frame") && target_of(r) && chosen() && other_form(r);
}

static bool map_form(void)
{
	struct section *s = find_section(".ldx.map");
	for (uint32_t k = 0; s && k < s->nrel; k++)
		if (chosen())
			return other_form(&s->rel[k]);
	return false;
}

static bool fde_start(struct section *s, struct reloc *r)
{
	struct section *t = target_of(r);
	if (strcmp(s->name, ".eh_frame") != 0 || !t || !section_is_code(t) || !chosen())
		return false;
	r->addend += 1;
	return true;
}

/* Is this the start of an FDE? */
static bool starts_fde(const struct section *s, const struct reloc *r)
{
	const struct section *t = target_of(r);
	return !strcmp(s->name, ".eh_frame") && t && section_is_code(t) &&
		!target->reloc_info(r->type)->term;
}

/*
 * Changes a distance, which is what two relocations behind r say or what the field holds: by 1, or
 * its last bit.
 */
static void change_distance(struct section *s, struct reloc *r, uint64_t at, bool shorter)
{
	uint8_t *p = bytes(s) + at;
	while (++r < s->rel + s->nrel)
		if (r->off == at) {
			r->addend--;
			return;
		}
	*p = shorter ? *p - 1 : *p ^ 1;
}

static bool fde_range(struct section *s, struct reloc *r)
{
	if (!starts_fde(s, r) || !chosen())
		return false;
	change_distance(s, r, r->off + target->reloc_info(r->type)->size, true);
	return true;
}

/* The first DW_CFA_advance_loc of an FDE without augmentation data. */
static bool fde_row(struct section *s, struct reloc *r)
{
	const uint8_t *p = s->data + r->off + 2 * target->reloc_info(r->type)->size;
	if (!starts_fde(s, r) || *p || (p[1] & 0xc0) != 0x40 || !chosen())
		return false;
	change_distance(s, r, (uint64_t)(p + 1 - s->data), false);
	return true;
}

/* A DW_CFA_def_cfa_offset behind DW_CFA_remember_state: mostly where a counter saves a register. */
static bool stack_row(struct section *s, struct reloc *r)
{
	struct section *t = target_of(r);
	if (strcmp(s->name, ".eh_frame") != 0 || !t || !section_is_code(t))
		return false;
	const uint8_t *p = s->data + r->off + 9, *end = s->data + r->off - 4;
	for (end += get_u32(end - 4); p + 4 <= end; p++)
		if (p[0] == 0x0a && p[1] == 0x0e && p[2] & 0x80)
			break;
	if (p + 4 > end || !chosen())
		return false;
	bytes(s)[p - s->data + 2] ^= 8;
	return true;
}

static bool lsda_byte(struct section *s, struct reloc *r)
{
	struct section *t = target_of(r);
	if (strcmp(s->name, ".eh_frame") != 0 || !t ||
		strncmp(t->name, ".gcc_except_table", 17) != 0)
		return false;
	/* omitted base; type table: encoding, distance; uleb; then the first call site */
	uint64_t x = o->sym.v[r->sym].value + (uint64_t)r->addend + 1;
	if (t->data[x++] != 0xff)
		while (t->data[x++] & 0x80)
			;
	if (t->data[x++] != 1)
		return false;
	bool empty = !t->data[x];
	while (t->data[x++] & 0x80)
		;
	if (empty || !chosen())
		return false;
	bytes(t)[x + r->off % 2] ^= 1;
	return true;
}

/* A distance that the last link writes is from a place in another section, so it is none. */
static bool other_term(const char *name)
{
	const struct section *s = find_section(name);
	for (uint32_t k = 0; s && k < s->nrel; k++) {
		struct reloc *r = &s->rel[k];
		const struct section *t = target_of(r);
		if (target->reloc_info(r->type)->term != TERM_SUB || !t || !section_is_code(t) ||
			!chosen())
			continue;
		for (r->sym = 1; !target_of(r) || target_of(r) == t; r->sym++)
			;
		return true;
	}
	return false;
}

static bool site_term(void)
{
	return other_term(".gcc_except_table");
}

static bool map_term(void)
{
	return other_term(".ldx.map");
}

/* Debug information ----------------------------------------------------- */

/* Relocations of sections with this name that lead into code. */
static bool each_in(const char *name, bool (*fn)(struct section *s, struct reloc *r))
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		for (uint32_t k = 0; k < s->nrel && !strcmp(s->name, name); k++) {
			struct section *t = s->rel[k].type ? target_of(&s->rel[k]) : NULL;
			if (t && section_is_code(t) && t->size && fn(s, &s->rel[k]))
				return true;
		}
	}
	return false;
}

static bool frame_place(struct section *s, struct reloc *r)
{
	(void)s;
	if (!chosen())
		return false;
	r->addend += 1;
	return true;
}

static bool frame_length(struct section *s, struct reloc *r)
{
	if (target->reloc_info(r->type)->term || !chosen())
		return false;
	change_distance(s, r, r->off + o->word, true);
	return true;
}

/* The first DW_CFA_advance_loc of an FDE. */
static bool frame_advance(struct section *s, struct reloc *r)
{
	uint64_t at = r->off + 2u * o->word;
	if (target->reloc_info(r->type)->term || (s->data[at] & 0xc0) != 0x40 || !chosen())
		return false;
	change_distance(s, r, at, false);
	return true;
}

static bool frame_start(void)
{
	return each_in(".debug_frame", frame_place);
}

static bool frame_range(void)
{
	return each_in(".debug_frame", frame_length);
}

static bool frame_row(void)
{
	return each_in(".debug_frame", frame_advance);
}

static bool other_address(struct section *s, struct reloc *r)
{
	(void)s;
	if (!chosen())
		return false;
	r->addend += 1;
	return true;
}

/* A length of 8 bytes behind the address.  By more than the no-ops or counter it may end in. */
static bool other_length(struct section *s, struct reloc *r)
{
	uint64_t at = r->off + 8;
	uint32_t k = section_first_reloc(s, at);
	if (s->size - at < 8 || !get_u64(s->data + at) || get_u64(s->data + at) > 1 << 20 ||
		(k < s->nrel && s->rel[k].off < at + 8) || !chosen())
		return false;
	bytes(s)[at] ^= 128;
	return true;
}

/* Is there a LEB128 number of two bytes at x? */
static bool is_long_uleb(const struct section *s, uint64_t x)
{
	return s->size - x >= 2 && s->data[x] & 0x80 && s->data[x + 1] && !(s->data[x + 1] & 0x80);
}

/* A length behind the address, which one byte may have held before the code grew. */
static bool other_uleb(struct section *s, struct reloc *r)
{
	if (!is_long_uleb(s, r->off + 8) || !chosen())
		return false;
	/* 16 bytes less may end in front of an increment, which is no other place */
	bytes(s)[r->off + 8] ^= target->code_align > 1 ? 8 : 16;
	return true;
}

/* gas has the reference to a function's type in front of its address. */
static bool other_reference(struct section *s, struct reloc *r)
{
	if (r->off < 2 || !is_long_uleb(s, r->off - 2) || !chosen())
		return false;
	bytes(s)[r->off - 2] ^= 1;
	return true;
}

/* The first offset pair behind a base address. */
static bool other_pair(struct section *s, struct reloc *r)
{
	uint64_t at = r->off + 8;
	if (s->data[r->off - 1] != (strstr(s->name, "loc") ? 6 : 5) || s->data[at] != 4 ||
		!chosen())
		return false;
	bytes(s)[at + 1] ^= 1;
	return true;
}

/* The first special opcode of a sequence of lines: gas and LLVM step by 14 of them. */
static bool other_row(struct section *s, struct reloc *r)
{
	struct reader b = reader_make(s->data, s->size);
	read_skip(&b, r->off + 8);
	for (;;) {
		unsigned op = read_u8(&b);
		if (op >= 13)
			break;
		if (op == 0)
			read_skip(&b, read_uleb(&b));
		else if (op == 9)
			read_skip(&b, 2);
		else if (op >= 2 && op <= 5)
			read_uleb(&b);
		if (b.bad)
			return false;
	}
	if (b.p[-1] > 241 || !chosen())
		return false;
	bytes(s)[reader_at(&b) - 1] += 14;
	return true;
}

static bool line_address(void)
{
	return each_in(".debug_line", other_address);
}
static bool line_row(void)
{
	return each_in(".debug_line", other_row);
}
static bool entry_address(void)
{
	return each_in(".debug_info", other_address) || each_in(".debug_addr", other_address);
}
static bool entry_length(void)
{
	return each_in(".debug_info", other_length);
}
static bool grown_length(void)
{
	return each_in(".debug_info", other_uleb);
}
static bool grown_reference(void)
{
	return each_in(".debug_info", other_reference);
}
static bool address_range(void)
{
	return each_in(".debug_aranges", other_length);
}
static bool range_pair(void)
{
	return each_in(".debug_rnglists", other_pair);
}
static bool location_pair(void)
{
	return each_in(".debug_loclists", other_pair);
}

/* The second row of the function described last: one byte each for start and kind. */
static bool stack_trace(void)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (strcmp(s->name, ".sframe") != 0 || !chosen())
			continue;
		bytes(s)[s->size - 1] ^= 8;
		return true;
	}
	return false;
}

/* A byte of the first header behind the unit's length, or the last byte of the section. */
static bool change_header(const char *name, uint64_t from, uint64_t to)
{
	struct section *s = find_section(name);
	for (uint64_t i = from; s && i < to && i < s->size; i++)
		if (chosen()) {
			bytes(s)[i] ^= 1;
			return true;
		}
	return false;
}

static bool unit_header(void)
{
	struct section *s = find_section(".debug_info");
	/* version 5 has a type; the offset behind the first four bytes is a relocated field */
	return s && change_header(s->name, 4, s->data[4] < 5 ? 6 : 8);
}

static bool ranges_header(void)
{
	struct section *s = find_section(".debug_aranges");
	if (!s)
		return false;
	return change_header(s->name, 10, 16) || change_header(s->name, s->size - 16, s->size);
}

/* gcc has the view numbers of a list's entries in front of the list. */
static bool list_header(void)
{
	return change_header(".debug_rnglists", 4, 8) || change_header(".debug_loclists", 4, 8) ||
		change_header(".debug_loclists", 12, 14);
}

/* Symbols and sections -------------------------------------------------- */

static bool each_symbol(bool (*fn)(struct symbol *s, struct section *sec))
{
	for (size_t i = 1; i < o->sym.n; i++) {
		struct symbol *s = &o->sym.v[i];
		if (s->sec && s->sec < o->sec.n && symbol_type(s) == STT_FUNC &&
			fn(s, &o->sec.v[s->sec]))
			return true;
	}
	return false;
}

static bool symbol_value(struct symbol *s, struct section *sec)
{
	if (!s->size || s->value >= sec->size || !chosen())
		return false;
	s->value += 1;
	return true;
}

static bool symbol_size(struct symbol *s, struct section *sec)
{
	if (s->size < 2 || s->value >= sec->size || !chosen())
		return false;
	s->size -= 1;
	return true;
}

/* It has the place of the next function of its section, and that its own. */
static bool symbol_swapped(struct symbol *s, struct section *sec)
{
	for (struct symbol *next = s + 1; next < o->sym.v + o->sym.n; next++) {
		uint64_t value = s->value;
		if (next->sec != sec->index || symbol_type(next) != STT_FUNC ||
			next->value == value)
			continue;
		if (!chosen())
			return false;
		s->value = next->value;
		next->value = value;
		return true;
	}
	return false;
}

static bool data_byte(void)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (s->type != SHT_PROGBITS || !s->size || section_is_code(s) ||
			!(s->flags & SHF_ALLOC) || s->name[1] == 'l' || s->name[1] == 'e' ||
			!strncmp(s->name, ".gcc_except_table", 17) || !strcmp(s->name, ".sframe") ||
			!chosen())
			continue;
		bytes(s)[s->size / 2] ^= 1;
		return true;
	}
	return false;
}

static bool section_flags(void)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (!(s->flags & SHF_ALLOC) || s->name[1] == 'l' || !chosen())
			continue;
		s->flags ^= SHF_WRITE;
		return true;
	}
	return false;
}

/* The static map -------------------------------------------------------- */

/* As whoever writes such a map would: the checksum is right, there and where it is told. */
static void reseal(struct section *s)
{
	struct ldx_map_header h;
	struct section *info = find_section(".ldx.info");
	uint64_t sum = 0xcbf29ce484222325;
	memcpy(&h, bytes(s), sizeof h);
	for (uint64_t i = sizeof h; i < s->size; i++)
		sum = (sum ^ bytes(s)[i]) * 0x100000001b3;
	h.build = sum;
	memcpy(bytes(s), &h, sizeof h);
	if (info)
		memcpy(bytes(info) + offsetof(struct ldx_info, build), &sum, sizeof sum);
}

/* Calls fn with the place of each number of functions (what: their field), blocks and edges. */
enum { IN_BLOCK = 16, IN_EDGE = 32 };
static void skip_numbers(struct reader *r, uint64_t n)
{
	while (n--)
		read_uleb(r);
}

/* What counts the calls of a function, and what is said in front of its blocks: runtime/abi.h. */
static void skip_head(struct reader *r, uint64_t flags, bool any)
{
	skip_numbers(r, flags & LDX_FUNC_CALLED ? read_uleb(r) : 0);
	skip_numbers(r, any);
	skip_numbers(r, any && read_uleb(r) ? 2 : 0);
}

static bool each_number(bool (*fn)(struct section *s, uint64_t at, unsigned what, uint64_t x))
{
	struct section *s = find_section(".ldx.map");
	if (!s)
		return false;
	struct reader r = reader_make(s->data, s->size);
	r.big = target->big;
	read_skip(&r, offsetof(struct ldx_map_header, nfuncs));
	uint64_t nfuncs = read_u64(&r);
	read_skip(&r,
		offsetof(struct ldx_map_header, strings) -
			offsetof(struct ldx_map_header, nblocks));
	r = reader_make(s->data, read_u64(&r));
	r.big = target->big;
	read_skip(&r, sizeof(struct ldx_map_header));
	for (uint64_t f = 0; f < nfuncs && !r.bad; f++) {
		uint64_t n[10];
		read_u64(&r);
		for (unsigned i = 0; i < 10; i++) {
			uint64_t at = reader_at(&r);
			n[i] = read_uleb(&r);
			if (fn(s, at, i, n[i]))
				return true;
		}
		skip_head(&r, n[5], n[8] || n[9]);
		for (uint64_t b = 0; b < n[8]; b++) {
			uint64_t at[5], x[5];
			for (unsigned i = 0; i < 5; i++) {
				at[i] = reader_at(&r);
				x[i] = read_uleb(&r);
			}
			for (unsigned i = 0; i < 5; i++)
				if (fn(s, at[i], IN_BLOCK + i, x[i]))
					return true;
			if (x[4] & LDX_BLOCK_COUNTED)
				read_sleb(&r);
			skip_numbers(&r, x[4] & LDX_BLOCK_APART ? 2 * read_uleb(&r) : 0);
		}
		for (uint64_t e = 0; e < n[9]; e++) {
			uint64_t at[3], x[3];
			for (unsigned i = 0; i < 3; i++) {
				at[i] = reader_at(&r);
				x[i] = read_uleb(&r);
			}
			for (unsigned i = 0; i < 3; i++)
				if (fn(s, at[i], IN_EDGE + i, x[i]))
					return true;
			if (x[2] & LDX_EDGE_COUNTED)
				read_sleb(&r);
		}
	}
	return false;
}

static bool change_number(struct section *s, uint64_t at, uint8_t by)
{
	if (!chosen())
		return false;
	bytes(s)[at] ^= by;
	reseal(s);
	return true;
}

static bool other_block(struct section *s, uint64_t at, unsigned what, uint64_t x)
{
	(void)x;
	return what >= IN_BLOCK && what <= IN_BLOCK + 2 && change_number(s, at, 1);
}

static bool other_name(struct section *s, uint64_t at, unsigned what, uint64_t x)
{
	(void)x;
	return what < 2 && change_number(s, at, 1);
}

static bool other_size(struct section *s, uint64_t at, unsigned what, uint64_t x)
{
	(void)x;
	return what == 4 && change_number(s, at, 1);
}

static bool other_reason(struct section *s, uint64_t at, unsigned what, uint64_t x)
{
	(void)x;
	return what == 7 && change_number(s, at, 1);
}

static uint64_t edge_start; /* of the edge whose end is asked about */
static bool other_from(struct section *s, uint64_t at, unsigned what, uint64_t x)
{
	return what == IN_EDGE && x && change_number(s, at, x == 1 ? 3 : 1);
}

static bool other_to(struct section *s, uint64_t at, unsigned what, uint64_t x)
{
	edge_start = what == IN_EDGE ? x : edge_start;
	return what == IN_EDGE + 1 && x && edge_start && change_number(s, at, x == 1 ? 3 : 1);
}

static bool other_way(struct section *s, uint64_t at, unsigned what, uint64_t x)
{
	(void)x;
	return what == IN_EDGE + 2 && change_number(s, at, LDX_EDGE_FALL);
}

static bool other_next(struct section *s, uint64_t at, unsigned what, uint64_t x)
{
	return what == IN_BLOCK + 4 && x & (LDX_BLOCK_COUNTED | LDX_BLOCK_CALL) &&
		change_number(s, at, LDX_BLOCK_NEXT);
}

static bool other_call(struct section *s, uint64_t at, unsigned what, uint64_t x)
{
	(void)x;
	return what == IN_BLOCK + 4 && change_number(s, at, LDX_BLOCK_CALL);
}

static bool other_entry(struct section *s, uint64_t at, unsigned what, uint64_t x)
{
	(void)x;
	return what == IN_BLOCK + 4 && change_number(s, at, LDX_BLOCK_ENTRY);
}

static bool other_hold(struct section *s, uint64_t at, unsigned what, uint64_t x)
{
	(void)x;
	return what == IN_BLOCK + 4 && change_number(s, at, LDX_BLOCK_HELD);
}

static bool map_block(void)
{
	return each_number(other_block);
}
static bool map_name(void)
{
	return each_number(other_name);
}
static bool map_size(void)
{
	return each_number(other_size);
}
static bool map_reason(void)
{
	return each_number(other_reason);
}
static bool edge_from(void)
{
	return each_number(other_from);
}
static bool edge_to(void)
{
	return each_number(other_to);
}
static bool edge_way(void)
{
	return each_number(other_way);
}
static bool block_next(void)
{
	return each_number(other_next);
}
static bool block_call(void)
{
	return each_number(other_call);
}
static bool block_entry(void)
{
	return each_number(other_entry);
}
static bool block_held(void)
{
	return each_number(other_hold);
}

/* Each byte of the header and of the strings. */
static bool map_bytes(void)
{
	struct section *s = find_section(".ldx.map");
	struct ldx_map_header h;
	if (!s)
		return false;
	memcpy(&h, s->data, sizeof h);
	for (uint64_t i = 0; i < s->size; i++)
		if ((i < sizeof h || i >= h.strings) && chosen()) {
			bytes(s)[i] ^= 1;
			return true;
		}
	return false;
}

static bool info_bytes(void)
{
	struct section *s = find_section(".ldx.info");
	for (uint64_t i = 0; s && i < s->size; i++)
		if (chosen()) {
			bytes(s)[i] ^= 1;
			return true;
		}
	return false;
}

/* Of what makes counting atomic, where that is a list. */
static bool turn_bytes(void)
{
	struct section *s = find_section(".ldx.turns");
	for (uint64_t i = 0; s && i < s->size; i++)
		if (chosen()) {
			bytes(s)[i] ^= 1;
			return true;
		}
	for (uint32_t i = 0; s && i < s->nrel; i++)
		if (chosen()) {
			bytes(s);
			s->out_rel[i].addend += 1;
			return true;
		}
	return false;
}

/* Of the counters and of what the runtime is told of them. */
static bool counter_symbol(void)
{
	for (size_t i = 1; i < o->sym.n; i++) {
		struct symbol *s = &o->sym.v[i];
		if (strcmp(s->name, "__ldx_counters") != 0)
			continue;
		if (chosen()) {
			s->value += 8;
			return true;
		}
		if (s->sec && chosen()) {
			s->sec = SEC_UNDEF;
			return true;
		}
	}
	return false;
}

/* A symbol or section that the rewriter added. */
static bool added_symbol(void)
{
	for (size_t i = 1; i < o->sym.n; i++) {
		struct symbol *s = &o->sym.v[i];
		if (strncmp(s->name, "__ldx_", 6) != 0)
			continue;
		if (chosen()) {
			s->other = STV_DEFAULT;
			return true;
		}
		if (chosen()) {
			s->value += 8;
			return true;
		}
	}
	return false;
}

static bool added_section(void)
{
	for (size_t i = 1; i < o->sec.n; i++)
		if (!strncmp(o->sec.v[i].name, ".ldx.", 5) && chosen()) {
			o->sec.v[i].flags ^= SHF_EXECINSTR;
			return true;
		}
	return false;
}

static const struct kind {
	const char *name;
	bool (*insn)(struct section *s, const struct insn *in);
	bool (*reloc)(struct section *s, struct reloc *r);
	bool (*symbol)(struct symbol *s, struct section *sec);
	bool (*other)(void);
} kinds[] = {
	{.name = "branch", .insn = far_branch},
	{.name = "instruction", .insn = other_insn},
	{.name = "lost-instruction", .insn = lost_insn},
	{.name = "lost-landing", .insn = lost_landing},
	{.name = "live-flags", .insn = live_flags},
	{.name = "code-addend", .reloc = code_addend},
	{.name = "counter-addend", .reloc = counter_addend},
	{.name = "counter-twice", .reloc = counter_twice},
	{.name = "row-place", .reloc = row_place},
	{.name = "row-word", .reloc = row_leads},
	{.name = "counter-half", .reloc = counter_half},
	{.name = "counter-bit", .reloc = counter_bit},
	{.name = "halves-swapped", .reloc = halves_swapped},
	{.name = "reloc-near", .reloc = reloc_near},
	{.name = "reloc-moved", .reloc = reloc_moved},
	{.name = "hint-lost", .reloc = hint_lost},
	{.name = "hint-moved", .reloc = hint_moved},
	{.name = "hint-callee", .reloc = hint_callee},
	{.name = "data-addend", .reloc = data_addend},
	{.name = "reloc-symbol", .reloc = reloc_symbol},
	{.name = "reloc-lost", .reloc = reloc_lost},
	{.name = "held-sign", .reloc = other_sign},
	{.name = "lost-check", .other = lost_check},
	{.name = "check-cell", .other = check_cell},
	{.name = "table-entry", .reloc = table_entry},
	{.name = "table-past", .reloc = table_past},
	{.name = "fde-form", .reloc = fde_form},
	{.name = "map-form", .other = map_form},
	{.name = "fde-start", .reloc = fde_start},
	{.name = "fde-range", .reloc = fde_range},
	{.name = "fde-row", .reloc = fde_row},
	{.name = "stack-row", .reloc = stack_row},
	{.name = "exception-table", .reloc = lsda_byte},
	{.name = "site-term", .other = site_term},
	{.name = "map-term", .other = map_term},
	{.name = "symbol-value", .symbol = symbol_value},
	{.name = "symbol-size", .symbol = symbol_size},
	{.name = "symbol-swapped", .symbol = symbol_swapped},
	{.name = "data", .other = data_byte},
	{.name = "section", .other = section_flags},
	{.name = "frame-start", .other = frame_start},
	{.name = "frame-range", .other = frame_range},
	{.name = "frame-row", .other = frame_row},
	{.name = "line-address", .other = line_address},
	{.name = "line-row", .other = line_row},
	{.name = "entry-address", .other = entry_address},
	{.name = "entry-length", .other = entry_length},
	{.name = "grown-length", .other = grown_length},
	{.name = "grown-reference", .other = grown_reference},
	{.name = "address-range", .other = address_range},
	{.name = "range-pair", .other = range_pair},
	{.name = "location-pair", .other = location_pair},
	{.name = "stack-trace", .other = stack_trace},
	{.name = "map-block", .other = map_block},
	{.name = "map-name", .other = map_name},
	{.name = "map-size", .other = map_size},
	{.name = "map-reason", .other = map_reason},
	{.name = "map-bytes", .other = map_bytes},
	{.name = "edge-from", .other = edge_from},
	{.name = "edge-to", .other = edge_to},
	{.name = "edge-way", .other = edge_way},
	{.name = "block-next", .other = block_next},
	{.name = "block-call", .other = block_call},
	{.name = "block-held", .other = block_held},
	{.name = "block-entry", .other = block_entry},
	{.name = "info", .other = info_bytes},
	{.name = "turn", .other = turn_bytes},
	{.name = "counter-symbol", .other = counter_symbol},
	{.name = "added-symbol", .other = added_symbol},
	{.name = "added-section", .other = added_section},
	{.name = "unit-header", .other = unit_header},
	{.name = "ranges-header", .other = ranges_header},
	{.name = "list-header", .other = list_header},
};
enum { NKINDS = sizeof kinds / sizeof kinds[0] };

static bool do_break(const struct kind *k)
{
	return k->insn	    ? each_insn(k->insn)
		: k->reloc  ? each_reloc(k->reloc)
		: k->symbol ? each_symbol(k->symbol)
			    : k->other();
}

int main(int argc, char **argv)
{
	struct arena a = {0};
	if (argc != 5) {
		for (int i = 0; i < NKINDS; i++)
			puts(kinds[i].name);
		return 0;
	}
	o = object_read(&a, argv[3]);
	target = target_for(o);
	for (size_t i = 1; i < o->sec.n; i++)
		if (o->sec.v[i].type == SHT_REL) {
			fix_check(o, target->reloc_info); /* reads the addends */
			break;
		}
	decoder = target->decoder_new();
	want = strtoul(argv[2], NULL, 10);
	for (int i = 0; i < NKINDS; i++) {
		if (strcmp(kinds[i].name, argv[1]) != 0)
			continue;
		if (!do_break(&kinds[i]))
			return 3;
		object_write(o, argv[4]);
		return 0;
	}
	return 2;
}
