/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86_64_emit.c - the code ldx puts in, and the code it leaves alone
 */
#include "targets/x86_64.h"

#define INC_FLAGS (X86_STATUS & ~REG_BIT(X86_CF))

/* Intel SDM volume 2, NOP: recommended multi-byte sequences. */
static const uint8_t nop[9][9] = {
	{0x90},
	{0x66, 0x90},
	{0x0f, 0x1f, 0x00},
	{0x0f, 0x1f, 0x40, 0x00},
	{0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
	{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
};

void x86_nops(uint8_t *out, size_t n)
{
	while (n) {
		size_t k = n < 9 ? n : 9;

		memcpy(out, nop[k - 1], k);
		out += k;
		n -= k;
	}
}

static void put(struct snippet *c, const void *bytes, uint32_t n)
{
	if (c->n + n > sizeof c->bytes)
		bug("snippet too long");
	memcpy(c->bytes + c->n, bytes, n);
	c->n += n;
}

/* An instruction that ends in a displacement to the counter: its bytes before that. */
static void put_pcrel(
	struct snippet *c, const void *bytes, uint32_t n, uint32_t counter, int64_t off)
{
	static const uint8_t zero[4];

	put(c, bytes, n);
	if (c->nrel == sizeof c->rel / sizeof c->rel[0])
		bug("snippet with too many relocations");
	c->rel[c->nrel++] = (struct reloc){
		.off = c->n, .addend = off - 4, .type = R_X86_64_PC32, .sym = counter};
	put(c, zero, 4);
}

/* mov counter,%reg; lea 1(%reg),%reg; mov %reg,counter */
static void put_lea_count(struct snippet *c, unsigned reg, uint32_t counter, int64_t off)
{
	uint8_t ext = reg & 8 ? 1 : 0, r = reg & 7;
	uint8_t load[] = {(uint8_t)(0x48 | ext << 2), 0x8b, (uint8_t)(0x05 | r << 3)};
	uint8_t store[] = {load[0], 0x89, load[2]};
	uint8_t lea[] = {(uint8_t)(0x48 | ext << 2 | ext), 0x8d, (uint8_t)(0x40 | r << 3 | r), 1};
	uint8_t lea_sib[] = {lea[0], 0x8d, lea[2], 0x24, 1};

	put_pcrel(c, load, sizeof load, counter, off);
	if (r == RSP)
		put(c, lea_sib, sizeof lea_sib);
	else
		put(c, lea, sizeof lea);
	put_pcrel(c, store, sizeof store, counter, off);
}

enum count_kind x86_emit_count(struct snippet *c, uint32_t counter, int64_t off, regset dead)
{
	static const uint8_t incq[] = {0x48, 0xff, 0x05};
	/* lea -128(%rsp),%rsp; push %rax ... pop %rax; lea 128(%rsp),%rsp */
	static const uint8_t save[] = {0x48, 0x8d, 0x64, 0x24, 0x80, 0x50};
	static const uint8_t restore[] = {0x58, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0};

	if (!(INC_FLAGS & ~dead)) {
		put_pcrel(c, incq, sizeof incq, counter, off);
		return COUNT_DIRECT;
	}
	dead &= X86_GPRS & ~(REG_BIT(RSP) | REG_BIT(RBP));
	if (dead) {
		/* %r12 needs a longer lea: take it last. */
		regset easy = dead & ~REG_BIT(R12);

		put_lea_count(c, (unsigned)__builtin_ctzll(easy ? easy : dead), counter, off);
		return COUNT_LEA;
	}
	put(c, save, sizeof save);
	put_lea_count(c, RAX, counter, off);
	put(c, restore, sizeof restore);
	return COUNT_SAVE;
}

void x86_emit_landing(struct snippet *c)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	put(c, endbr64, sizeof endbr64);
}

/*
 * A child's system call returns 0, but so do others: the hook finds out.  The
 * call's return address goes below the red zone.
 */
void x86_emit_fork_check(struct snippet *c, uint32_t hook, regset dead)
{
	/* test %rax,%rax; jne 1f */
	static const uint8_t by_flags[] = {0x48, 0x85, 0xc0, 0x75, 0x12};
	/* mov %rax,%rcx; jrcxz 2f; jmp 1f; 2: */
	static const uint8_t by_rcx[] = {0x48, 0x89, 0xc1, 0xe3, 0x02, 0xeb, 0x12};
	/* xchg %rax,%rcx; jrcxz 2f; xchg %rax,%rcx; jmp 1f; 2: xchg %rax,%rcx */
	static const uint8_t by_xchg[] = {
		0x48, 0x91, 0xe3, 0x04, 0x48, 0x91, 0xeb, 0x14, 0x48, 0x91};
	/* lea -128(%rsp),%rsp; call hook; lea 128(%rsp),%rsp; 1: */
	static const uint8_t call[] = {0x48, 0x8d, 0x64, 0x24, 0x80, 0xe8};
	static const uint8_t back[] = {0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0};

	if (!(X86_STATUS & ~dead))
		put(c, by_flags, sizeof by_flags);
	else if (dead & REG_BIT(RCX))
		put(c, by_rcx, sizeof by_rcx);
	else
		put(c, by_xchg, sizeof by_xchg);
	put_pcrel(c, call, sizeof call, hook, 0);
	c->rel[c->nrel - 1].type = R_X86_64_PLT32;
	put(c, back, sizeof back);
}

enum { NR_CLONE = 56, NR_FORK = 57, NR_VFORK = 58, NR_CLONE3 = 435, NR_X32 = 0x40000000 };

bool x86_may_fork(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n)
{
	const uint8_t *p = n ? text + in[n - 1].off : NULL;
	struct operation op;

	/* int $0x80 has other numbers. */
	if (!n || in[n - 1].len != 2 || p[0] != 0x0f || p[1] != 0x05)
		return true;
	for (uint32_t i = n - 1; i-- > 0;) {
		if (in[i].kind == INSN_CALL || in[i].kind == INSN_CALL_IND)
			return true;
		if (!(in[i].clobbers & REG_BIT(RAX)))
			continue;
		p = text + in[i].off;
		/* xor %eax,%eax: read */
		if (in[i].len == 2 && (p[0] == 0x31 || p[0] == 0x33) && p[1] == 0xc0)
			return false;
		x86_describe(d, p, &in[i], &op);
		if (op.op != OP_IMM)
			return true;
		op.imm &= ~NR_X32;
		return op.imm == NR_CLONE || op.imm == NR_FORK || op.imm == NR_VFORK ||
		       op.imm == NR_CLONE3;
	}
	return true;
}

static bool has_prefix(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

bool x86_keep_whole(const char *name, const uint8_t *p, size_t n, const char **why)
{
	/* mov $__NR_rt_sigreturn,%rax; syscall: unwinders and debuggers compare bytes. */
	static const uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t sigreturn32[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};

	*why = "signal return trampoline";
	if (n >= sizeof sigreturn && !memcmp(p, sigreturn, sizeof sigreturn))
		return true;
	if (n >= sizeof sigreturn32 && !memcmp(p, sigreturn32, sizeof sigreturn32))
		return true;
	if (!name)
		return false;
	if (!strcmp(name, "__restore_rt") || !strcmp(name, "__restore"))
		return true;
	*why = "retpoline thunk";
	if (has_prefix(name, "__llvm_retpoline_") || has_prefix(name, "__x86_indirect_thunk") ||
		has_prefix(name, "__x86_return_thunk") ||
		has_prefix(name, "__x86_indirect_call_thunk"))
		return true;
	*why = "type hash in front of a function";
	return has_prefix(name, "__cfi_");
}
