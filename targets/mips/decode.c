/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.c - decoding, checked by a disassembler
 *
 * What an instruction does comes from the tables of effect.c.  LLVM must decode each new form with
 * the same registers: one that it does not decode is no instruction, and one of which it names
 * other registers is vague.  Results are cached by form, which is the word without its immediate
 * operand.
 *
 * hazard: delay slot.  The instruction behind a branch is executed before the branch is taken: both
 * are decoded as one, so that nothing comes between.  A branch in a slot, and one whose slot is not
 * there, are no instruction.
 */
#include "targets/mips/mips.h"
#include "targets/forms.h"
#include "targets/platform.h"

#define PLATFORM MIPS_NAME(platform, MIPS_TARGET)

/* The register with a name as in LLVM's assembly; -1: it is none. */
static int reg_number(const char *s, size_t n)
{
	static const struct {
		const char *name;
		int reg;
	} names[] = {{"zero", 0}, {"at", 1}, {"gp", MIPS_GP}, {"sp", MIPS_SP}, {"fp", MIPS_FP},
		{"ra", MIPS_RA}};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (n == strlen(names[i].name) && !memcmp(s, names[i].name, n))
			return names[i].reg;
	int first = n && *s == 'f' ? REG_VECTOR : 0;
	s += first ? 1 : 0;
	n -= first ? 1 : 0;
	if (n < 1 || n > 2 || strspn(s, "0123456789") < n)
		return -1;
	return first + (n == 1 ? *s - '0' : (s[0] - '0') * 10 + (s[1] - '0'));
}

/* Registers in assembly text. */
static regset text_regs(const char *s)
{
	regset set = 0;

	while ((s = strchr(s, '$'))) {
		size_t n = strspn(++s, "abcdefghijklmnopqrstuvwxyz0123456789");
		int r = reg_number(s, n);

		if (r >= 0)
			set |= REG_BIT(r);
		s += n;
	}
	return set & ~REG_BIT(MIPS_ZERO);
}

/* MIPS32 Architecture, volume II, and the DSP ASE of MIPS64: LLVM 19 does not decode them. */
static bool is_known(uint32_t w)
{
	bool prefx = (w & 0xfc0007ff) == 0x4c00000f, ldx = (w & 0xfc0007ff) == 0x7c00020a;
	bool rdhwr = (w & 0xffe0c7ff) == 0x7c00003b; /* of registers below 8 */
	return prefx || rdhwr || (ldx && MIPS_WORD == 8);
}

static bool decode_new(struct decoder *d, uint32_t w, void *record)
{
	struct mips_op *op = record;
	uint8_t bytes[4];
	char text[256] = "";

	mips_put(bytes, w);
	if (!forms_text(d, bytes, sizeof bytes, text, sizeof text) && !is_known(w))
		return false;
	mips_effects(w, op);
	if (op->bad)
		return false;
	regset seen = text_regs(text);
	mips_floats(w, seen & REGSET_VECTORS, &op->e);
	if (op->kind == INSN_OTHER && !op->other_regs && seen & ~(op->e.reads | op->e.clobbers)) {
		op->e = (struct effects){.reads = MIPS_ALL, .clobbers = MIPS_ALL};
		op->flags = INSN_VAGUE | INSN_MEM;
	}
	op->effects = effects_number(&op->e);
	return true;
}

/* The word without an immediate operand of which every value is defined. */
static uint32_t form_of(uint32_t w)
{
	unsigned op = w >> 26;

	if (op == 2 || op == 3)
		return w & 0xfc000000;
	if (op == 1 || (op >= 4 && op <= 15) || (op >= 20 && op <= 27) || (op >= 32 && op <= 46) ||
		op == 48 || op == 49 || op == 52 || op == 53 || op >= 55)
		return w & 0xffff0000;
	return w;
}

struct decoder *mips_decoder_new(void)
{
	return forms_decoder(&PLATFORM, decode_new, sizeof(struct mips_op));
}

bool mips_decode_word(struct decoder *d, uint32_t w, struct mips_op *op)
{
	const struct mips_op *known = forms_find(d, form_of(w), w);

	if (known)
		*op = *known;
	return known;
}

/* The instruction in the slot is executed behind the branch, which reads its operands first. */
static bool add_slot(struct decoder *d, uint32_t w, struct mips_op *op)
{
	struct mips_op slot;

	if (!mips_decode_word(d, w, &slot) || slot.slot || slot.kind == INSN_SYSCALL ||
		slot.kind == INSN_TRAP)
		return false;
	op->e.reads |= slot.e.reads & ~op->e.writes;
	if (!op->likely)
		op->e.writes |= slot.e.writes;
	op->e.clobbers |= slot.e.clobbers;
	op->flags |= slot.flags & (INSN_MEM | INSN_VAGUE);
	op->effects = effects_number(&op->e);
	return true;
}

static void set_insn(struct insn *in, const uint8_t *p, const struct mips_op *op)
{
	bool branches = mips_word(p) != MIPS_GET_PC;

	in->kind = (unsigned)(branches ? op->kind : INSN_OTHER) & 31;
	in->flags = op->flags | (op->likely ? INSN_SHORT_ONLY : 0);
	in->pc_off = 0;
	in->pc_size = op->field && branches ? 4 : 0;
	in->effects = op->effects;
}

bool mips_decode(struct decoder *d, const uint8_t *p, size_t n, struct insn *in)
{
	struct mips_op op;

	if (n < 4 || !mips_decode_word(d, mips_word(p), &op))
		return false;
	if (op.slot && (n < 8 || !add_slot(d, mips_word(p + 4), &op)))
		return false;
	in->len = op.slot ? 8 : 4;
	set_insn(in, p, &op);
	return true;
}

unsigned mips_parts(struct decoder *d, const uint8_t *p, const struct insn *in, struct insn *out)
{
	struct mips_op op = {0};
	unsigned n = in->len / 4;

	out[0] = *in;
	for (unsigned k = 0; k < n && n > 1; k++) {
		mips_decode_word(d, mips_word(p + 4 * k), &op);
		out[k] = *in;
		out[k].off += 4 * k;
		out[k].len = 4;
		out[k].resolved |= k > 0;
		set_insn(&out[k], p + 4 * k, &op);
	}
	return n;
}
