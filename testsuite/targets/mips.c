/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mips.c - compare the MIPS decoder with a disassembly
 *
 * Reads what `objdump -dwz --show-raw-insn' prints on standard input.  Of each instruction the
 * kind, where direct branches lead, the general registers, and those that are written must be what
 * the text says; a branch and its delay slot must be one instruction; and branches encoded anew
 * must be what they were.  -v lists the vague ones.  Status 1: they differ.
 */
#include "targets/mips/mips.h"
#include "testsuite/targets/listing.h"

static struct {
	struct decoder *d;
	unsigned long insns, bundles, branches;
} t;

static enum insn_kind kind_of(const char *s)
{
	static const char *const branches[] = {"beq", "bne", "beqz", "bnez", "blez", "bgtz", "bltz",
		"bgez", "bc1f", "bc1t", "beql", "bnel", "beqzl", "bnezl", "blezl", "bgtzl", "bltzl",
		"bgezl", "bc1fl", "bc1tl", NULL};
	static const struct {
		const char *word;
		enum insn_kind kind;
	} kinds[] = {{"b", INSN_JUMP}, {"j", INSN_JUMP}, {"jal", INSN_CALL}, {"bal", INSN_CALL},
		{"jalr", INSN_CALL_IND}, {"jr", INSN_JUMP_IND}, {"syscall", INSN_SYSCALL},
		{"break", INSN_TRAP}, {"nop", INSN_NOP}};

	if (is(s, "jr") && strstr(s, "ra"))
		return INSN_RET;
	if (is(s, "teq") && !strcmp(s + strcspn(s, "\t "), "\tzero,zero"))
		return INSN_TRAP;
	if (is_one_of(s, branches))
		return INSN_BRANCH;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (is(s, kinds[i].word))
			return kinds[i].kind;
	return INSN_OTHER;
}

static int reg_of(const char *s, size_t n)
{
	static const char names[32][5] = {
		"",
		"at",
		"v0",
		"v1",
		"a0",
		"a1",
		"a2",
		"a3",
#if MIPS_WORD == 8
		"a4",
		"a5",
		"a6",
		"a7",
		"t0",
		"t1",
		"t2",
		"t3",
#else
		"t0",
		"t1",
		"t2",
		"t3",
		"t4",
		"t5",
		"t6",
		"t7",
#endif
		"s0",
		"s1",
		"s2",
		"s3",
		"s4",
		"s5",
		"s6",
		"s7",
		"t8",
		"t9",
		"k0",
		"k1",
		"gp",
		"sp",
		"s8",
		"ra"
	};

	if (n > 2 && s[0] == '$' && s[1] == 'f' && isdigit((unsigned char)s[2]))
		return REG_VECTOR + atoi(s + 2);
	for (int r = 1; r < 32; r++)
		if (strlen(names[r]) == n && !memcmp(s, names[r], n))
			return r;
	return -1;
}

/* Does the first operand say what is written?  Not of stores, branches and moves elsewhere. */
static bool writes_first(const char *s, const struct mips_op *op)
{
	static const char *const not [] = {"sb", "sh", "sw", "swl", "swr", "mult", "multu", "mthi",
		"mtlo", "madd", "maddu", "msub", "msubu", "mtc0", "mtc1", "ctc1", "mthc1", "swc1",
		"sdc1", "swxc1", "sdxc1", "suxc1", "teq", "tne", "tge", "tgeu", "tlt", "tltu",
		"teqi", "tnei", "mtc2", "div", "divu", "sd", "sdl", "sdr", "dmtc0", "dmtc1",
		"dmult", "dmultu", "ddiv", "ddivu", NULL};

	bool floats = s[strcspn(s, ". \t")] == '.';
	return op->kind == INSN_OTHER && (floats || !is_one_of(s, not ));
}

/* Moves on a condition keep the register. */
static bool writes_perhaps(const char *s)
{
	return !strncmp(s, "mov", 3) && strchr("znft", s[3]) && strchr(s, '.');
}

/* With the other one of each pair of floating-point registers. */
static regset both(regset set)
{
	const regset even = (regset)0x55555555 << REG_VECTOR;
	return set | (set & even) << 1 | (set >> 1 & even);
}

static void check_registers(uint64_t addr, uint32_t w, const char *text, const struct mips_op *op)
{
	int first;
	regset named = regs_of(text, reg_of, &first);
	regset pairs = MIPS_WORD == 8 ? 0 : both(named) & ~named;

	if (is_vague(w, text, op->flags))
		return;
	if (named != ((op->e.reads | op->e.clobbers) & ~pairs & (named | ~REG_BIT(MIPS_RA))) &&
		op->kind != INSN_SYSCALL)
		complain(addr, w, text, "registers");
	bool perhaps = first >= REG_VECTOR && (writes_perhaps(text) || !strncmp(text, "c.", 2));
	if (first >= 0 && writes_first(text, op) && !perhaps && !(op->e.writes & REG_BIT(first)))
		complain(addr, w, text, "not written");
	if (perhaps && op->e.writes & REG_BIT(first))
		complain(addr, w, text, "always written");
	if (first >= 0 && !writes_first(text, op) && op->e.writes & REG_BIT(first) &&
		op->kind != INSN_CALL_IND)
		complain(addr, w, text, "written");
}

static void check_field(uint64_t addr, const uint8_t *p, const char *text, const struct insn *in)
{
	const int64_t far = 1 << 17 | 4;
	uint8_t out[32];
	uint64_t to;
	unsigned field;
	int64_t dist = mips_distance(in, p, in->len);

	if (is(text, "j") || is(text, "jal") || !target_of(text, &to))
		return;
	t.branches++;
	if (addr + (uint64_t)dist != to)
		complain(addr, mips_word(p), text, "target");
	if (!mips_encode(in, p, in->len, dist, out) || memcmp(out, p, in->len))
		complain(addr, mips_word(p), text, "encoding");
	if (!mips_encode(in, p, in->len, -4096, out) || mips_distance(in, out, in->len) != -4096 ||
		!mips_same_but_field(in, p, out))
		complain(addr, mips_word(p), text, "another distance");
	if (mips_encode(in, p, in->len, far, out) != (in->kind != INSN_BRANCH) ||
		mips_far_reloc(in, in->len, far, &field) != R_MIPS_26)
		complain(addr, mips_word(p), text, "too far");
	unsigned len = mips_branch_len(in, far, in->len);
	if (in->kind == INSN_BRANCH && (len == in->len || !mips_encode(in, p, len, far, out)))
		complain(addr, mips_word(p), text, "long form");
}

static void put_words(uint8_t *p, uint32_t first, uint32_t second)
{
	mips_put(p, first);
	mips_put(p + 4, second);
}

/* A branch, and the word behind it in the same section, if there is one. */
static void check_bundle(const struct line *l, const struct line *next)
{
	uint64_t addr = l->addr;
	uint32_t w = l->w, slot = next->w;
	const char *text = l->text;
	struct mips_op op, second;
	struct insn in = {0};
	uint8_t bytes[8];

	put_words(bytes, w, slot);
	if (!mips_decode_word(t.d, w, &op))
		return;
	bool sound = mips_decode_word(t.d, slot, &second) && !second.slot;
	bool ok = mips_decode(t.d, bytes, 8, &in);
	if (!op.slot) {
		if (!ok || in.len != 4)
			complain(addr, w, text, "length");
		return;
	}
	t.bundles++;
	if (ok != sound || (ok && in.len != 8) || mips_decode(t.d, bytes, 4, &in)) {
		complain(addr, w, text, "slot");
		return;
	}
	if (!ok || !mips_decode(t.d, bytes, 8, &in))
		return;
	const struct effects *e = insn_effects(&in);
	if ((op.e.reads | second.e.reads) & ~(e->reads | op.e.writes) ||
		(op.e.writes | second.e.clobbers) & ~e->clobbers)
		complain(addr, w, text, "effects of both");
	if (in.pc_size)
		check_field(addr, bytes, text, &in);
}

static void check(uint64_t addr, uint32_t w, const char *text)
{
	struct mips_op op;

	t.insns++;
	if (!mips_decode_word(t.d, w, &op)) {
		complain(addr, w, text, "undecoded");
		return;
	}
	if (op.kind != kind_of(text) && !(op.flags & INSN_VAGUE))
		complain(addr, w, text, "kind");
	check_registers(addr, w, text, &op);
}

/*
 * A branch in a slot, a likely branch, and bal .+8.
 *
 * hazard: delay slot.
 * hazard: bal of the next instruction.
 */
static void check_slots(void)
{
	uint8_t twice[8], likely[8], get_pc[8];
	struct insn in = {0};
	const char *why;

	put_words(twice, 0x10000001, 0x10000001);
	put_words(likely, 0x50850004, 0x24020001);
	put_words(get_pc, MIPS_GET_PC, 0);
	if (mips_decode(t.d, twice, 8, &in))
		complain(0, mips_word(twice), "b; b", "decoded");
	if (!mips_decode(t.d, likely, 8, &in) || in.kind != INSN_BRANCH ||
		insn_effects(&in)->writes & REG_BIT(MIPS_V0) ||
		!(insn_effects(&in)->clobbers & REG_BIT(MIPS_V0)))
		complain(0, mips_word(likely), "beql; li v0,1", "effects");
	if (!mips_decode(t.d, get_pc, 8, &in) || in.kind != INSN_OTHER || in.pc_size ||
		!(insn_effects(&in)->writes & REG_BIT(MIPS_RA)))
		complain(0, mips_word(get_pc), "bal .+8", "kind");
	if (!mips_keep_whole("f", get_pc, 8, &why) || mips_keep_whole("f", likely, 8, &why))
		complain(0, mips_word(get_pc), "bal .+8", "whole");
}

int main(int argc, char **argv)
{
	listing.list_vague = argc > 1 && !strcmp(argv[1], "-v");
	t.d = mips_decoder_new();
	check_slots();
	read_listing(check, check_bundle);
	target_mips.decoder_free(t.d);
	printf("%lu instructions, %lu wrong, %lu vague, %lu with a slot, %lu fields\n", t.insns,
		listing.wrong, listing.vague, t.bundles, t.branches);
	return listing.wrong || !t.branches;
}
