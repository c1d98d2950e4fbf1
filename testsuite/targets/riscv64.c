/* SPDX-License-Identifier: Apache-2.0 */
/*
 * riscv64.c - compare the RISC-V decoder with a disassembly
 *
 * Reads what `objdump -dw --show-raw-insn' prints on standard input.  Of each instruction the kind,
 * where direct branches lead, the general registers, those that are written, and constant operands
 * must be what the text says; what the cache answers must equal what is found without it; auipc and
 * the jalr behind it must be one instruction; and branches encoded anew, in each of their lengths,
 * must lead where they did.  -v lists the vague ones.  Status 1: they differ.
 */
#include "targets/riscv64/riscv64.h"
#include "testsuite/targets/listing.h"

#include <elf.h>

static struct {
	struct decoder *d;
	unsigned long insns, pairs, branches, constants;
} t;

static enum insn_kind kind_of(const char *s)
{
	static const char *const branches[] = {"beq", "bne", "blt", "bge", "bltu", "bgeu", "beqz",
		"bnez", "blez", "bgez", "bltz", "bgtz", "bgt", "ble", "bgtu", "bleu", NULL};
	static const struct {
		const char *word;
		enum insn_kind kind;
	} kinds[] = {{"j", INSN_JUMP}, {"jal", INSN_CALL}, {"jalr", INSN_CALL_IND},
		{"jr", INSN_JUMP_IND}, {"ret", INSN_RET}, {"ecall", INSN_SYSCALL},
		{"ebreak", INSN_TRAP}, {"unimp", INSN_TRAP}, {"nop", INSN_NOP}};

	if (is_one_of(s, branches))
		return INSN_BRANCH;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (is(s, kinds[i].word))
			return kinds[i].kind;
	return INSN_OTHER;
}

static int reg_of(const char *s, size_t n)
{
	for (int r = 1; r < REG_FLAG; r++)
		if (strlen(target_riscv64.reg_name[r]) == n &&
			!memcmp(s, target_riscv64.reg_name[r], n))
			return r;
	return -1;
}

/* Does the first operand say what is written?  Not of stores. */
static bool writes_first(const char *s, const struct insn *in)
{
	static const char *const not [] = {"sb", "sh", "sw", "sd", "fsh", "fsw", "fsd", "fence",
		"csrw", "csrs", "csrc", "fscsr", "fsrm", "fsflags", NULL};

	return in->kind == INSN_OTHER && !is_one_of(s, not );
}

/* Does the branch, at a distance that needs length len, get it, lead there and name its relocation?
 */
static bool is_sound(const struct insn *in, const uint8_t *p, unsigned len, int64_t dist,
	uint32_t type)
{
	uint8_t out[16];

	return rv_branch_len(in, dist, in->len) == len && rv_encode(in, p, len, dist, out) &&
		rv_distance(in, out, len) == dist && rv_branch_reloc(in, len) == type &&
		(len != in->len || rv_same_but_field(in, p, out));
}

/* Likewise for the form that reaches any place. */
static bool is_sound_far(const struct insn *in, const uint8_t *p, int64_t dist)
{
	uint8_t out[16];
	regset changes;
	unsigned len = rv_far_len(in, &changes);

	if (in->len == 8)
		return !len;
	return len && rv_branch_len(in, dist, len) == len && rv_encode(in, p, len, dist, out) &&
		rv_distance(in, out, len) == dist && rv_branch_reloc(in, len) == R_RISCV_CALL_PLT;
}

static void check_field(uint64_t addr, const uint8_t *p, const char *text, const struct insn *in)
{
	bool branch = in->kind == INSN_BRANCH;
	uint8_t out[16];
	uint64_t to;
	int64_t dist = rv_distance(in, p, in->len);

	if (!target_of(text, &to))
		return;
	t.branches++;
	if (addr + (uint64_t)dist != to)
		complain(addr, get_u32(p), text, "target");
	if (!rv_encode(in, p, in->len, dist, out) || memcmp(out, p, in->len))
		complain(addr, get_u32(p), text, "encoding");
	if (in->len == 2 &&
		!is_sound(in, p, 2, branch ? -256 : -2048,
			branch ? R_RISCV_RVC_BRANCH : R_RISCV_RVC_JUMP))
		complain(addr, get_u32(p), text, "compressed form");
	if (!is_sound(in, p, 4, branch ? 4094 : 0xffffe, branch ? R_RISCV_BRANCH : R_RISCV_JAL))
		complain(addr, get_u32(p), text, "plain form");
	if (branch && !is_sound(in, p, 8, 4096, R_RISCV_JAL))
		complain(addr, get_u32(p), text, "long form");
	if (!is_sound_far(in, p, 0x12345678) || !is_sound_far(in, p, -0x7ffff800))
		complain(addr, get_u32(p), text, "far form");
	if (rv_encode(in, p, in->len, branch ? 4096 : 0x100000, out))
		complain(addr, get_u32(p), text, "too far");
}

static void check_registers(uint64_t addr, uint32_t w, const char *text, const struct insn *in)
{
	const struct effects *e = insn_effects(in);
	int first;
	regset named = regs_of(text, reg_of, &first);

	if (is_vague(w, text, in->flags))
		return;
	if (in->kind == INSN_SYSCALL)
		return;
	/* the return address */
	if (named != ((e->reads | e->clobbers) & (named | ~REG_BIT(RV_RA))))
		complain(addr, w, text, "registers");
	if (first >= 0 && writes_first(text, in) && !(e->writes & REG_BIT(first)))
		complain(addr, w, text, "not written");
	bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	if (first >= 0 && !writes_first(text, in) && !call && e->writes & REG_BIT(first))
		complain(addr, w, text, "written");
}

/* The constant in front of (reg), or behind the last comma. */
static bool constant_of(const char *s, long *n)
{
	const char *comma = strrchr(s, ',');
	char *end;

	if (!comma)
		return false;
	*n = strtol(comma + 1, &end, 0);
	return end != comma + 1 && (!*end || *end == '(' || isspace((unsigned char)*end));
}

/* What the analysis of jumps is told of constants. */
static void check_constant(uint64_t addr, const uint8_t *p, const char *text, struct insn *in)
{
	struct operation op;
	long n;

	rv_describe(t.d, p, in, &op);
	bool memory = op.op == OP_LOAD || op.op == OP_STORE, lui = is(text, "lui");
	if (op.pc_rel || !constant_of(text, &n))
		return;
	if (memory || op.op == OP_LEA || op.op == OP_IMM || op.op == OP_SHIFT ||
		op.op == OP_AND_IMM) {
		t.constants++;
		if ((memory || op.op == OP_LEA ? op.disp
				    : lui      ? op.imm >> 12 & 0xfffff
					       : op.imm) != (lui ? n & 0xfffff : n))
			complain(addr, get_u32(p), text, "constant");
	}
}

static void check(uint64_t addr, uint32_t w, const char *text)
{
	struct insn in = {0}, plain = {0};
	uint8_t bytes[4];
	unsigned len = (w & 3) == 3 ? 4 : 2;

	put_u32(bytes, w);
	t.insns++;
	bool ok = rv_decode(t.d, bytes, len, &in);
	if (ok != rv_decode_uncached(t.d, bytes, len, &plain) ||
		(ok && memcmp(&in, &plain, sizeof in)))
		complain(addr, w, text, "cache");
	if (!ok || in.len != len) {
		complain(addr, w, text, "undecoded");
		return;
	}
	if (in.kind != kind_of(text) && !(in.flags & INSN_VAGUE))
		complain(addr, w, text, "kind");
	if (in.pc_size && !(in.flags & INSN_OPERAND_PC))
		check_field(addr, bytes, text, &in);
	check_registers(addr, w, text, &in);
	check_constant(addr, bytes, text, &in);
}

/* auipc and what is behind it in the same section. */
static void check_pair(const struct line *l, const struct line *next)
{
	uint64_t addr = l->addr;
	uint32_t first = l->w, second = next->w;
	const char *text = next->text;
	struct insn in = {0};
	uint8_t bytes[8], out[16];

	put_u32(bytes, first);
	put_u32(bytes + 4, second);
	if (rv_op(first) != RV_AUIPC || !rv_decode(t.d, bytes, 8, &in))
		return;
	bool call = is(text, "jalr"),
	     pair = (call || is(text, "jr")) && rv_rs1(second) == rv_rd(first);
	if (pair != (in.len == 8)) {
		complain(addr, second, text, "pair");
		return;
	}
	t.pairs += pair;
	if (!pair)
		return;
	const struct effects *e = insn_effects(&in);
	if (in.kind != (call ? INSN_CALL : INSN_JUMP) || e->reads & REG_BIT(rv_rd(first)) ||
		!(e->writes & REG_BIT(rv_rd(first))) ||
		(call && !(e->writes & REG_BIT(rv_rd(second)))))
		complain(addr, second, text, "effects of a pair");
	if (!is_sound(&in, bytes, 8, -0x12345678, R_RISCV_CALL_PLT) ||
		rv_encode(&in, bytes, 8, 0x7ffff800, out))
		complain(addr, second, text, "distance of a pair");
}

/*
 * hazard: exclusive pair.
 * Calls by the other link register: what is called may keep any register.
 */
static void check_special(void)
{
	static const uint8_t pair[] = {0x2f, 0xa5, 0x05, 0x10, /* lr.w a0, (a1) */
		0x2f, 0xa6, 0xa5, 0x18};		       /* sc.w a2, a0, (a1) */
	static const uint8_t tls[] = {0xe7, 0x82, 0x05, 0x00}; /* jalr t0, a1 */
	static const uint8_t save[] = {0x97, 0x02, 0, 0, 0xe7, 0x82, 0x02, 0}; /* call t0, f */
	static const uint8_t stub[] = {0x93, 0x08, 0xb0, 0x08, 0x73, 0, 0, 0};
	struct insn in = {0};
	const char *why;

	if (rv_exclusive(pair, 4) != EXCLUSIVE_LOAD ||
		rv_exclusive(pair + 4, 4) != EXCLUSIVE_STORE ||
		rv_exclusive(tls, 4) != EXCLUSIVE_NOT)
		complain(0, get_u32(pair), "lr", "exclusive");
	if (!rv_decode(t.d, tls, 4, &in) || in.kind != INSN_CALL_IND ||
		insn_effects(&in)->reads != (RV_ALL | REGSET_VECTORS) ||
		!(insn_effects(&in)->writes & REG_BIT(RV_T0)))
		complain(0, get_u32(tls), "jalr t0,a1", "effects");
	if (!rv_decode(t.d, save, 8, &in) || in.kind != INSN_CALL || in.len != 8 ||
		insn_effects(&in)->reads != (RV_ALL | REGSET_VECTORS))
		complain(0, get_u32(save), "call t0,f", "effects");
	if (!rv_keep_whole("f", stub, 8, &why) || rv_keep_whole("f", save, 8, &why))
		complain(0, get_u32(stub), "li a7,139; ecall", "whole");
}

int main(int argc, char **argv)
{
	listing.list_vague = argc > 1 && !strcmp(argv[1], "-v");
	t.d = rv_decoder_new();
	check_special();
	read_listing(check, check_pair);
	target_riscv64.decoder_free(t.d);
	printf("%lu instructions, %lu wrong, %lu vague, %lu pairs, %lu fields, %lu constants\n",
		t.insns, listing.wrong, listing.vague, t.pairs, t.branches, t.constants);
	return listing.wrong || !t.branches || !t.pairs || !t.constants;
}
