/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aarch64.c - compare the AArch64 decoder with a disassembly
 *
 * Reads what `objdump -dw --show-raw-insn' prints on standard input.  Of each instruction the kind,
 * where direct branches and pc-relative operands lead, the general registers, and those that are
 * written must be what the text says; what the cache answers must equal what is found without it;
 * and branches encoded anew must be what they were.  -v lists the vague ones.  Status 1: they
 * differ.
 */
#include "targets/aarch64/aarch64.h"
#include "testsuite/targets/listing.h"

static struct {
	struct decoder *d;
	unsigned long insns, data, branches;
} t;

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static enum insn_kind kind_of(const char *s)
{
	static const struct {
		const char *word;
		enum insn_kind kind;
	} kinds[] = {{"bl", INSN_CALL}, {"blr", INSN_CALL_IND}, {"blraaz", INSN_CALL_IND},
		{"br", INSN_JUMP_IND}, {"ret", INSN_RET}, {"retaa", INSN_RET}, {"retab", INSN_RET},
		{"cbz", INSN_BRANCH}, {"cbnz", INSN_BRANCH}, {"tbz", INSN_BRANCH},
		{"tbnz", INSN_BRANCH}, {"svc", INSN_SYSCALL}, {"brk", INSN_TRAP},
		{"udf", INSN_TRAP}, {"hlt", INSN_TRAP}, {"nop", INSN_NOP}};

	if (is(s, "b"))
		return s[1] == '.' && strncmp(s, "b.al", 4) ? INSN_BRANCH : INSN_JUMP;
	if (is(s, "ret") && s[3]) /* by another register than x30 */
		return INSN_JUMP_IND;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (is(s, kinds[i].word))
			return kinds[i].kind;
	return INSN_OTHER;
}

/* Of "x7", "w7", "sp", "d7", "v7.4s"; -1: another word. */
static int reg_of(const char *s, size_t n)
{
	char *end;

	if ((n == 2 && begins(s, "sp")) || (n == 3 && begins(s, "wsp")))
		return A64_SP;
	if (n > 1 && strchr("bhsdqv", *s) && isdigit((unsigned char)s[1])) {
		long v = strtol(s + 1, &end, 10);
		return v < 32 && (end == s + n || *end == '.') ? REG_VECTOR + (int)v : -1;
	}
	if (n < 2 || n > 3 || (*s != 'x' && *s != 'w') || !isdigit((unsigned char)s[1]))
		return -1;
	long r = strtol(s + 1, &end, 10);
	return end == s + n && r < 31 ? (int)r : -1;
}

/* Does the first operand say what is written?  Not of stores, comparisons and branches. */
static bool writes_first(const char *s, const struct insn *in)
{
	static const char *const not [] = {"st", "cmp", "cmn", "ccm", "tst", "cb", "tb", "msr",
		"prf", "cas", "swp", "ldadd", "ldset", "ldclr", "ldeor", "lds", "ldu", "br", "bl",
		"ret", "dc", "ic", "at", "tlbi", "sys", "b", "fcmp", "rmif", "setf", "dup", "wfet",
		"wfit"};

	if (begins(s, "bic") || begins(s, "bf") || is(s, "ldsr"))
		return true;
	if (begins(s, "ldrs") || begins(s, "ldurs"))
		return true;
	for (size_t i = 0; i < sizeof not / sizeof not [0]; i++)
		if (begins(s, not [i]))
			return false;
	return in->kind == INSN_OTHER;
}

/* Does it keep a part of its vector operand, or read it? */
static bool keeps_part(const char *s)
{
	static const char *const words[] = {"fmla", "fmls", "mla", "mls", "smla", "smls", "umla",
		"umls", "sqdmla", "sqdmls", "sqrdmla", "sqrdmls", "saba", "uaba", "sadalp",
		"uadalp", "bsl", "bit", "bif", "ins", "tbx", "sri", "sli", "ssra", "usra", "srsra",
		"ursra", "suqadd", "usqadd", "aes", "sha", "sdot", "udot", "usdot", "sudot",
		"bfdot", "bfm", "fcmla"};
	const char *open = strchr(s, '['), *comma = strchr(s, ',');

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (begins(s, words[i]))
			return true;
	if ((is(s, "orr") || is(s, "bic")) && strchr(s, '#'))
		return true;
	size_t n = strcspn(s, " \t");
	return (n && s[n - 1] == '2') || (open && comma && open < comma);
}

/* What is always written is, whatever the rest of the text says, and what is read is told. */
static void check_vectors(uint64_t addr, uint32_t w, const char *text, const struct effects *e,
	int first)
{
	bool stores = begins(text, "st") || begins(text, "fcmp") || begins(text, "fccmp");
	regset writes = e->writes & REGSET_VECTORS;

	if (stores ? writes : writes && keeps_part(text) && !(w >> 28 & 1 && w >> 24 & 1))
		complain(addr, w, text, "always written");
	if (first >= REG_VECTOR && !stores && !(e->clobbers & REG_BIT(first)))
		complain(addr, w, text, "not changed");
	bool pair = begins(text, "ldp") || begins(text, "ldnp");
	if (!pair && writes & ~(first >= 0 ? REG_BIT(first) : 0))
		complain(addr, w, text, "another register is written");
}

static void check_field(uint64_t addr, const uint8_t *p, const char *text, const struct insn *in)
{
	uint8_t out[16];
	uint64_t to;
	int64_t dist = a64_distance(in, p, 4);

	/* of a relocated one, whose field is 0, objdump tells the symbol */
	if (!target_of(text, &to) || is(text, "adrp") || !dist)
		return;
	t.branches++;
	if (addr + (uint64_t)dist != to)
		complain(addr, get_u32(p), text, "target");
	if (!a64_encode(in, p, 4, dist, out) || memcmp(out, p, 4))
		complain(addr, get_u32(p), text, "encoding");
	if (in->kind != INSN_BRANCH)
		return;
	/* hazard: branch of 32 kB. */
	if (a64_branch_len(in, (int64_t)1 << 25, 4) != 8 ||
		!a64_encode(in, p, 8, (int64_t)1 << 25, out) ||
		a64_distance(in, out, 8) != (int64_t)1 << 25)
		complain(addr, get_u32(p), text, "long form");
}

static void check_registers(uint64_t addr, uint32_t w, const char *text, const struct insn *in)
{
	const struct effects *e = insn_effects(in);
	int first;
	regset named = regs_of(text, reg_of, &first);

	if (is_vague(w, text, in->flags))
		return;
	if (named & ~(e->reads | e->clobbers))
		complain(addr, w, text, "registers");
	/* of some forms only the registers are known: all may be read and changed, and the flags */
	if ((e->reads & e->clobbers & A64_FLAGS) == A64_FLAGS && in->flags & INSN_MEM)
		return;
	check_vectors(addr, w, text, e, first);
	if (first >= 0 && first < REG_VECTOR && writes_first(text, in) &&
		!(e->writes & REG_BIT(first)))
		complain(addr, w, text, "not written");
}

static void check(uint64_t addr, uint32_t w, const char *text)
{
	struct insn in = {0}, plain = {0};
	uint8_t bytes[4];

	put_u32(bytes, w);
	bool ok = a64_decode(t.d, bytes, 4, &in);
	t.insns++;
	if (ok != a64_decode_uncached(t.d, bytes, 4, &plain) ||
		(ok && memcmp(&in, &plain, sizeof in)))
		complain(addr, w, text, "cache");
	if (begins(text, ".inst") || begins(text, ".word") || strstr(text, "undefined")) {
		t.data++;
		return;
	}
	if (!ok) {
		complain(addr, w, text, "undecoded");
		return;
	}
	if (in.kind != kind_of(text) && !(in.flags & INSN_VAGUE))
		complain(addr, w, text, "kind");
	if (in.pc_size)
		check_field(addr, bytes, text, &in);
	check_registers(addr, w, text, &in);
}

/* hazard: exclusive pair. */
static void check_exclusive(void)
{
	const uint8_t pair[] = {0x20, 0x7c, 0x5f, 0x88, /* ldxr w0, [x1] */
		0x20, 0x7c, 0x02, 0x88};		/* stxr w2, w0, [x1] */
	const char *why;

	if (a64_exclusive(pair, 4) != EXCLUSIVE_LOAD ||
		a64_exclusive(pair + 4, 4) != EXCLUSIVE_STORE || a64_keep_whole("f", pair, 8, &why))
		complain(0, get_u32(pair), "ldxr", "exclusive");
}

int main(int argc, char **argv)
{
	listing.list_vague = argc > 1 && !strcmp(argv[1], "-v");
	t.d = a64_decoder_new();
	check_exclusive();
	read_listing(check, NULL);
	target_aarch64.decoder_free(t.d);
	printf("%lu instructions, %lu wrong, %lu vague, %lu data, %lu fields\n", t.insns,
		listing.wrong, listing.vague, t.data, t.branches);
	return listing.wrong || !t.branches;
}
