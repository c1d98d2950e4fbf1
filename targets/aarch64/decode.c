/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.c - decoding, checked by a disassembler
 *
 * What an instruction does comes from the table of effect.c.  LLVM must decode each new form with
 * the same registers: one that it does not decode is no instruction, and one of which it names
 * other registers is vague.  Results are cached by form, which is the word without its immediate
 * operand, where any value of that makes the same instruction.
 */
#include "targets/aarch64/aarch64.h"
#include "targets/forms.h"
#include "targets/platform.h"

/* The vector register with a name as in assembly (d0, v0.2d), or -1. */
static int vector_number(const char *s, size_t n)
{
	int r = 0;
	size_t i = 1;

	if (n < 2 || !strchr("bhsdqv", *s) || s[1] < '0' || s[1] > '9')
		return -1;
	for (; i < n && s[i] >= '0' && s[i] <= '9'; i++)
		r = r < 32 ? r * 10 + (s[i] - '0') : r;
	return r < 32 && (i == n || s[i] == '.') ? REG_VECTOR + r : -1;
}

/* The register with a name as in assembly; -1: it is none. */
static int reg_number(const char *s, size_t n)
{
	if (vector_number(s, n) >= 0)
		return vector_number(s, n);
	if ((n == 2 && !memcmp(s, "sp", 2)) || (n == 3 && !memcmp(s, "wsp", 3)))
		return A64_SP;
	if (n < 2 || n > 3 || (*s != 'x' && *s != 'w') || s[1] < '0' || s[1] > '9')
		return -1;
	if (n == 2)
		return s[1] - '0';
	return s[2] < '0' || s[2] > '9' ? -1 : (s[1] - '0') * 10 + (s[2] - '0');
}

/* Registers in assembly text, behind the mnemonic. */
static regset text_regs(const char *s)
{
	regset set = 0;

	s += strspn(s, "\t ");
	s += strcspn(s, "\t ");
	while (*s) {
		size_t n = strspn(s,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			"0123456789_.#");
		int r = reg_number(s, n);

		if (r >= 0)
			set |= REG_BIT(r);
		s += n ? n : 1;
	}
	return set;
}

/*
 * Does w use no general register but those that its operands name?  Scalable vectors, and loads and
 * stores of memory tags (Arm ARM, C4.1).
 */
static bool names_all(uint32_t w)
{
	return a64_bits(w, 25, 4) == 2 || (w & 0xff200000) == 0xd9200000;
}

/* Make of a vague instruction one that reads, and may change, the registers in named. */
static void set_named(struct insn *in, struct effects *e, regset named)
{
	in->flags = INSN_MEM;
	named |= REGSET_VECTORS | A64_FLAGS;
	*e = (struct effects){.reads = named, .clobbers = named};
}

static bool decode_word(struct decoder *d, uint32_t w, void *record)
{
	struct insn *in = record;
	uint8_t bytes[4];
	char text[256];
	struct effects e;
	regset named, seen;

	put_u32(bytes, w);
	if (!forms_text(d, bytes, sizeof bytes, text, sizeof text) ||
		!a64_effects(w, in, &e, &named))
		return false;
	seen = text_regs(text);
	a64_vectors(&e, seen);
	/* ret names x30 only where it is another register */
	if (in->kind == INSN_RET)
		seen |= named & REG_BIT(A64_LR);
	if (named & ~seen || seen & ~(e.reads | e.clobbers))
		a64_vague(in, &e);
	if (in->flags & INSN_VAGUE && in->kind == INSN_OTHER && names_all(w))
		set_named(in, &e, seen);
	if ((w & 0xffffffe0) == 0xd51bd040) /* msr tpidr_el0 */
		in->flags |= INSN_THREAD_BASE;
	in->effects = effects_number(&e);
	return true;
}

struct decoder *a64_decoder_new(void)
{
	return forms_decoder(&platform_aarch64, decode_word, sizeof(struct insn));
}

bool a64_decode_uncached(struct decoder *d, const uint8_t *p, size_t n, struct insn *in)
{
	return n >= 4 && decode_word(d, get_u32(p), in);
}

/* The bits of an immediate operand; 0: there is none, or not every value of it is defined. */
static uint32_t free_bits(uint32_t w)
{
	static const struct {
		uint32_t mask, bits, free;
	} forms[] = {
		{0x7c000000, 0x14000000, 0x03ffffff}, /* b, bl */
		{0x7c000000, 0x34000000, 0x00ffffe0}, /* cbz, tbz */
		{0xff000000, 0x54000000, 0x00ffffe0}, /* b.cond */
		{0x1f000000, 0x10000000, 0x60ffffe0}, /* adr, adrp */
		{0x1f800000, 0x11000000, 0x003ffc00}, /* add */
		{0x1f800000, 0x12800000, 0x001fffe0}, /* mov */
		{0x3b000000, 0x39000000, 0x003ffc00}, /* ldr */
		{0x3b200c00, 0x38000000, 0x001ff000}, /* ldur */
		{0x3b000000, 0x18000000, 0x00ffffe0}, /* ldr of a literal */
		{0x3a000000, 0x28000000, 0x003f8000}, /* ldp */
	};

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if ((w & forms[i].mask) == forms[i].bits)
			return forms[i].free;
	return 0;
}

/* movz and movn of 32 bits know two shifts only. */
static uint32_t form_of(uint32_t w)
{
	bool move = (w & 0x1f800000) == 0x12800000;

	return w & ~(move ? 0x001fffe0 : free_bits(w));
}

bool a64_decode(struct decoder *d, const uint8_t *p, size_t n, struct insn *in)
{
	return n >= 4 && forms_insn(d, form_of(get_u32(p)), get_u32(p), in);
}
