/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branch.c - pc-relative fields, and branches of changing length
 *
 * A conditional branch that does not reach is inverted over one that reaches farther:
 *
 *		tbz x0, #3, target		tbnz x0, #3, 1f
 *						b target
 *					1:
 *
 * hazard: branch of 32 kB.  tbz and tbnz reach 32 kB, cbz and b.cond 1 MB; compilers make
 * functions in which they just do.
 */
#include "targets/aarch64/aarch64.h"

#include <elf.h>

enum { LONG = 8 };

/* Where the words of a pc-relative field's distance are. */
struct reach {
	uint8_t at, bits;
};

static bool is_adr(uint32_t w)
{
	return (w & 0x1f000000) == 0x10000000;
}

static struct reach reach_of(uint32_t w)
{
	if ((w & 0x7c000000) == 0x14000000)
		return (struct reach){0, 26};
	if ((w & 0x7e000000) == 0x36000000)
		return (struct reach){5, 14};
	return (struct reach){5, 19};
}

static bool fits(int64_t x, unsigned bits)
{
	return x >= -((int64_t)1 << (bits - 1)) && x < (int64_t)1 << (bits - 1);
}

/* tbz, which reaches less far, is marked. */
static bool grows(const struct insn *in)
{
	return in->kind == INSN_BRANCH;
}

unsigned a64_branch_len(const struct insn *in, int64_t dist, unsigned now)
{
	unsigned bits = in->flags & INSN_SHORT_ONLY ? 14 : 19;

	if (!grows(in) || (now <= 4 && fits(dist >> 2, bits)))
		return in->len;
	return LONG;
}

unsigned a64_field(const struct insn *in, unsigned len)
{
	(void)in;
	return len - 4;
}

/* Only conditional branches have a longer form, which ends in b. */
uint32_t a64_branch_reloc(const struct insn *in, unsigned len)
{
	(void)in;
	(void)len;
	return R_AARCH64_JUMP26;
}

/* adrp has a relocation, or nobody knows what it names. */
int64_t a64_distance(const struct insn *in, const uint8_t *p, unsigned len)
{
	unsigned field = a64_field(in, len);
	uint32_t w = get_u32(p + field);
	struct reach r = reach_of(w);

	if (!is_adr(w))
		return a64_signed(w, r.at, r.bits) * 4 + field;
	if (w >> 31)
		return INT64_MAX / 2;
	return a64_signed(w, 5, 19) * 4 + a64_bits(w, 29, 2);
}

static uint32_t field_mask(uint32_t w)
{
	struct reach r = reach_of(w);

	return is_adr(w) ? 0x60ffffe0 : ((1u << r.bits) - 1) << r.at;
}

bool a64_same_but_field(const struct insn *in, const uint8_t *p, const uint8_t *q)
{
	(void)in;
	uint32_t a = get_u32(p), b = get_u32(q), mask = field_mask(a);

	return (a & ~mask) == (b & ~mask);
}

static bool put_distance(uint32_t w, int64_t dist, uint8_t *out)
{
	struct reach r = reach_of(w);
	uint32_t mask = field_mask(w), d = (uint32_t)(dist >> 2);

	if (is_adr(w)) {
		put_u32(out, (w & ~mask) | (d & 0x7ffff) << 5 | (uint32_t)(dist & 3) << 29);
		return !(w >> 31) && fits(dist, 21);
	}
	put_u32(out, (w & ~mask) | (d << r.at & mask));
	return !(dist & 3) && fits(dist >> 2, r.bits);
}

/* The same condition inverted: bit 0 of b.cond's, bit 24 of the others. */
static uint32_t inverted(uint32_t w)
{
	return w ^ ((w & 0xff000000) == 0x54000000 ? 1u : 1u << 24);
}

bool a64_encode(const struct insn *in, const uint8_t *p, unsigned len, int64_t dist, uint8_t *out)
{
	uint32_t w = get_u32(p);

	if (!in->pc_size)
		return false;
	if (len == 4)
		return put_distance(w, dist, out);
	if (len != LONG || !grows(in))
		return false;
	return put_distance(inverted(w), LONG, out) && put_distance(0x14000000, dist - 4, out + 4);
}

void a64_nops(uint8_t *out, size_t n)
{
	if (n % 4)
		bug("no-ops of %zu bytes", n);
	for (; n; n -= 4, out += 4)
		put_u32(out, A64_NOP);
}

static const struct reloc *find_reloc(const struct section *s, uint64_t off)
{
	uint32_t i = section_first_reloc(s, off);
	return i < s->nrel && s->rel[i].off < off + 4 ? &s->rel[i] : NULL;
}

/*
 * AAELF64, traditional general dynamic: adrp; add; bl __tls_get_addr; nop, which linkers rewrite
 * as one.  Of TLS descriptors each instruction is rewritten by its own relocation.
 */
bool a64_glued(const struct object *o, const struct section *s, const struct insn *first,
	const struct insn *second)
{
	const struct reloc *r = find_reloc(s, first->off);

	(void)second;
	if (!r)
		return false;
	if (r->type >= R_AARCH64_TLSGD_ADR_PREL21 && r->type <= R_AARCH64_TLSLD_ADD_LO12_NC)
		return true;
	return r->type == R_AARCH64_CALL26 && !strcmp(o->sym.v[r->sym].name, "__tls_get_addr");
}

/* adrp counts pages of 4 kB from its own. */
uint64_t a64_leads_to(const struct insn *in, const uint8_t *p, uint64_t at)
{
	uint32_t w = get_u32(p);
	int64_t pages = a64_signed(w, 5, 19) * 4 + a64_bits(w, 29, 2);

	if (is_adr(w) && w >> 31)
		return (at & ~(uint64_t)0xfff) + (uint64_t)pages * 0x1000;
	return at + (uint64_t)a64_distance(in, p, in->len);
}

/*
 * The linkers' stubs (AAELF64, PLT), maybe behind bti c: adrp x16, slot; ldr x17, [x16, slot];
 * add x16, x16, slot; br x17.
 */
uint64_t a64_leads_through(struct decoder *d, const uint8_t *p, size_t n, uint64_t at)
{
	enum {
		BTI_C = 0xd503245f,
		ADRP_X16 = 0x90000010,
		LDR_X17 = 0xf9400211,
		BR_X17 = 0xd61f0220
	};
	const struct insn adrp = {.len = 4};
	uint32_t load;

	(void)d;
	if (n >= 4 && get_u32(p) == BTI_C)
		p += 4, n -= 4, at += 4;
	if (n < 16 || (get_u32(p) & 0x9f00001f) != ADRP_X16)
		return 0;
	load = get_u32(p + 4);
	if ((load & 0xffc003ff) != LDR_X17 || get_u32(p + 12) != BR_X17)
		return 0;
	return a64_leads_to(&adrp, p, at) + a64_bits(load, 10, 12) * 8;
}
