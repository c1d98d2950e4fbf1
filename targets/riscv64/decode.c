/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.c - decoding, checked by a disassembler
 *
 * What an instruction does comes from the table of effect.c.  LLVM must decode each new form with
 * the same registers: one that it does not decode is no instruction, and one of which it names
 * other registers is vague.  Results are cached by form, which is the word without its immediate
 * operand, where any value of that makes the same instruction.
 */
#include "targets/riscv64/riscv64.h"
#include "targets/forms.h"
#include "targets/platform.h"

/* The register with a name as in assembly; -1: it is none. */
static int reg_number(const char *s, size_t n)
{
	for (int r = 0; r < REG_FLAG; r++)
		if (strlen(target_riscv64.reg_name[r]) == n &&
			!memcmp(s, target_riscv64.reg_name[r], n))
			return r;
	return -1;
}

/* Registers in assembly text, behind the mnemonic. */
static regset text_regs(const char *s)
{
	regset set = 0;

	s += strspn(s, "\t ");
	s += strcspn(s, "\t ");
	while (*s) {
		size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_.");
		int r = n ? reg_number(s, n) : -1;

		if (r > RV_ZERO)
			set |= REG_BIT(r);
		s += n ? n : 1;
	}
	return set;
}

/* key: an instruction's bytes, compressed or not. */
static bool decode_key(struct decoder *d, uint32_t key, void *record)
{
	struct insn *in = record;
	bool compressed = (key & 3) != 3;
	uint32_t w = compressed ? rv_expand(key) : key;
	unsigned len = compressed ? 2 : 4;
	uint8_t bytes[4];
	char text[256];
	struct effects e;
	regset seen;

	put_u32(bytes, key);
	if (!forms_text(d, bytes, len, text, sizeof text) || !w || !rv_effects(w, in, &e))
		return false;
	in->len = (uint8_t)len;
	if (in->pc_size)
		in->pc_size = len & 7;
	seen = text_regs(text);
	if (seen & ~(e.reads | e.clobbers) || (in->kind == INSN_OTHER && e.writes & ~seen))
		rv_vague(in, &e);
	else if (e.writes & REG_BIT(RV_TP))
		in->flags |= INSN_THREAD_BASE;
	in->effects = effects_number(&e);
	return true;
}

/* The key without an immediate operand of which every value is defined. */
static uint32_t form_of(uint32_t w)
{
	bool shift = rv_f3(w) == 1 || rv_f3(w) == 5;

	if ((w & 3) != 3)
		return w;
	switch (rv_op(w)) {
	case RV_LUI:
	case RV_AUIPC:
	case RV_JAL: return w & 0xfff;
	case RV_BRANCH: return w & ~rv_distance_mask(RV_FORM_B);
	case RV_STORE: return w & 0x01fff07f;
	case RV_LOAD: return w & 0xfffff;
	case RV_OP_IMM: return shift || (rv_f3(w) == 6 && !rv_rd(w)) ? w : w & 0xfffff;
	case RV_OP_IMM_32: return shift ? w : w & 0xfffff;
	default: return w;
	}
}

struct decoder *rv_decoder_new(void)
{
	return forms_decoder(&platform_riscv64, decode_key, sizeof(struct insn));
}

/* auipc and jalr as one. */
static bool is_call_pair(const uint8_t *p, size_t n)
{
	uint32_t first, second;

	if (n < 8 || rv_is_compressed(p) || rv_is_compressed(p + 4))
		return false;
	first = get_u32(p);
	second = get_u32(p + 4);
	return rv_op(first) == RV_AUIPC && rv_op(second) == RV_JALR && !rv_f3(second) &&
		rv_rd(first) && rv_rd(first) == rv_rs1(second) &&
		(rv_rd(second) == RV_ZERO || rv_rd(second) == RV_RA || rv_rd(second) == RV_T0);
}

/* By the second half; the first one's register is written and not read. */
static void set_pair(const uint8_t *p, struct insn *in)
{
	uint32_t second = get_u32(p + 4);
	struct effects e;

	rv_effects(second & 0xfffff, in, &e);
	e.reads &= ~REG_BIT(rv_rs1(second)) | (rv_rd(second) == RV_T0 ? ~(regset)0 : 0);
	e.writes |= REG_BIT(rv_rs1(second));
	e.clobbers |= e.writes;
	in->len = 8;
	in->kind = rv_rd(second) ? INSN_CALL : INSN_JUMP;
	in->flags = 0;
	in->pc_size = 4;
	in->effects = effects_number(&e);
}

/* auipc and addi of its register; the result may be in another one. */
bool rv_join(const uint8_t *p, size_t n, struct insn *in)
{
	uint32_t first, second;
	struct effects e = {0};

	if (n < 8 || in->len != 4 || rv_is_compressed(p) || rv_is_compressed(p + 4))
		return false;
	first = get_u32(p);
	second = get_u32(p + 4);
	if (rv_op(first) != RV_AUIPC || rv_op(second) != RV_OP_IMM || rv_f3(second) ||
		!rv_rd(first) || rv_rd(first) != rv_rs1(second) || !rv_rd(second))
		return false;
	in->len = 8;
	e.writes = REG_BIT(rv_rd(second));
	e.clobbers = e.writes | REG_BIT(rv_rd(first));
	in->effects = effects_number(&e);
	return true;
}

static bool key_at(const uint8_t *p, size_t n, uint32_t *key)
{
	if (n < 2 || (!rv_is_compressed(p) && (n < 4 || (*p & 0x1c) == 0x1c)))
		return false;
	*key = rv_is_compressed(p) ? p[0] | (uint32_t)p[1] << 8 : get_u32(p);
	return true;
}

bool rv_decode_uncached(struct decoder *d, const uint8_t *p, size_t n, struct insn *in)
{
	uint32_t key, off = in->off, ref = in->ref;
	bool ok = key_at(p, n, &key) && decode_key(d, key, in);

	if (ok && is_call_pair(p, n))
		set_pair(p, in);
	in->off = off;
	in->ref = ref;
	return ok;
}

bool rv_decode(struct decoder *d, const uint8_t *p, size_t n, struct insn *in)
{
	uint32_t key, off = in->off, ref = in->ref;

	if (is_call_pair(p, n)) {
		set_pair(p, in);
		in->off = off;
		in->ref = ref;
		return true;
	}
	if (!key_at(p, n, &key))
		return false;
	return forms_insn(d, form_of(key), key, in);
}
