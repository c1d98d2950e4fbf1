/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.c - decoding, checked by a disassembler
 *
 * Lengths and effects come from the tables of form.c and effect.c.  For each new form capstone
 * must decode an instruction of the same length with the same general registers; where capstone
 * does not (it is older than most of AVX-512) LLVM must.  A form that neither confirms is no
 * instruction.  Results are cached by form: a program has millions of instructions, but only
 * some ten thousand forms.
 */
#include "targets/x86_64/x86_64.h"
#include "targets/disassembler.h"
#include "targets/platform.h"

#include <capstone/capstone.h>
#include <stdlib.h>

/* The bytes in front of displacement and immediate, and the variant as the last byte. */
struct key {
	uint64_t lo, hi;
};

/* Two of them share a cache line. */
struct entry {
	_Alignas(32) struct key key;
	uint8_t len; /* 0: free; NO_INSN: a form that is no instruction */
	uint8_t form[sizeof(struct insn) -
		offsetof(struct insn, effects)]; /* all but off and rel */
};

enum { MEMO_START = 1 << 12, NO_INSN = 255 };

struct decoder {
	csh cs;
	cs_insn *ci;
	struct disassembler *llvm; /* NULL: not needed yet */
	struct entry *memo;
	size_t n, cap; /* cap: a power of two */
};

static struct entry *memo_alloc(size_t n)
{
	struct entry *memo = aligned_alloc(32, array_bytes(n, sizeof *memo));

	if (!memo)
		fatal("out of memory");
	memset(memo, 0, n * sizeof *memo);
	return memo;
}

/* The first instruction that a process decodes makes capstone sort its tables. */
static void prepare_capstone(struct decoder *d)
{
	const uint8_t nop = 0x90, *at = &nop;
	size_t left = 1;
	uint64_t addr = 0;

	cs_disasm_iter(d->cs, &at, &left, &addr, d->ci);
}

struct decoder *x86_decoder_new(void)
{
	struct decoder *d = calloc(1, sizeof *d);

	if (!d)
		fatal("out of memory");
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &d->cs) != CS_ERR_OK)
		fatal("cannot start capstone");
	cs_option(d->cs, CS_OPT_DETAIL, CS_OPT_ON);
	d->ci = cs_malloc(d->cs);
	d->cap = MEMO_START;
	d->memo = memo_alloc(d->cap);
	if (!d->ci)
		fatal("out of memory");
	prepare_capstone(d);
	return d;
}

void x86_decoder_free(struct decoder *d)
{
	if (!d)
		return;
	cs_free(d->ci, 1);
	cs_close(&d->cs);
	disassembler_free(d->llvm);
	free(d->memo);
	free(d);
}

/* The length of the instruction at p by LLVM, 0: none; text receives its assembly. */
static size_t llvm_length(struct decoder *d, const uint8_t *p, size_t n, char *text, size_t size)
{
	uint8_t copy[16] = {0};

	if (!d->llvm)
		d->llvm = disassembler_new(&platform_x86_64);
	n = n < 15 ? n : 15;
	memcpy(copy, p, n);
	return disassembler_text(d->llvm, copy, n, 0, text, size);
}

/*
 * The register with a name as in assembly, without its %; -1: one that is not tracked.
 * High bytes have the number of their whole register, vectors of any length the same one.
 */
static int reg_number(const char *s, size_t n)
{
	static const char legacy[][3] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
	int r = 0;

	if (n >= 4 && n <= 5 && s[0] >= 'x' && s[0] <= 'z' && s[1] == 'm' && s[2] == 'm') {
		r = n == 4 ? s[3] - '0' : (s[3] - '0') * 10 + (s[4] - '0');
		return r < 32 ? XMM0 + r : -1;
	}
	if (n >= 2 && s[0] == 'r' && s[1] >= '0' && s[1] <= '9') {
		for (s++, n--; n && *s >= '0' && *s <= '9'; s++, n--)
			r = r * 10 + (*s - '0');
		return n == 0 || (n == 1 && strchr("dwb", *s)) ? r : -1;
	}
	if (n == 3 && (s[0] == 'r' || s[0] == 'e') && s[1] != 'i')
		s++, n--;
	for (r = 0; r < 8; r++) {
		if (n == 2 && !memcmp(s, legacy[r], 2))
			return r;
		if (n == 2 && r < 4 && s[0] == legacy[r][0] && (s[1] == 'l' || s[1] == 'h'))
			return r;
		if (n == 3 && r >= 4 && !memcmp(s, legacy[r], 2) && s[2] == 'l')
			return r;
	}
	return -1;
}

/* Registers in AT&T text, `%' before each. */
static regset text_regs(const char *s)
{
	regset set = 0;

	while ((s = strchr(s, '%'))) {
		size_t n = strspn(++s, "abcdefghijklmnopqrstuvwxyz0123456789");
		int r = reg_number(s, n);

		if (r >= 0)
			set |= REG_BIT(r);
		s += n;
	}
	return set;
}

static regset capstone_reg(csh cs, unsigned reg)
{
	const char *name = reg ? cs_reg_name(cs, reg) : NULL;
	int r = name ? reg_number(name, strlen(name)) : -1;

	return r < 0 ? 0 : REG_BIT(r);
}

static regset capstone_regs(const struct decoder *d)
{
	const cs_x86 *x = &d->ci->detail->x86;
	regset set = 0;

	for (int i = 0; i < x->op_count; i++) {
		const cs_x86_op *op = &x->operands[i];

		if (op->type == X86_OP_REG)
			set |= capstone_reg(d->cs, op->reg);
		if (op->type == X86_OP_MEM)
			set |= capstone_reg(d->cs, op->mem.base) |
				capstone_reg(d->cs, op->mem.index);
	}
	return set;
}

/*
 * Instructions that neither disassembler knows: VIA's rep xsha512, of the length of xsha1
 * (f3 0f a6 c8) and xsha256 (f3 0f a6 d0).
 */
static bool is_known(const struct x86_form *f)
{
	return f->enc == X86_LEGACY && f->map == X86_0F && f->op == 0xa6 && f->pp == X86_F3 &&
		f->modrm == 0xe0;
}

/* Are the registers that the disassembler names those of the tables' operands? */
static bool same_regs(const struct effects *e, regset named, regset seen)
{
	return !(named & ~seen) && !(seen & ~(e->reads | e->clobbers));
}

static bool confirm(struct decoder *d, const uint8_t *p, size_t n, const struct x86_form *f,
	struct insn *in, struct effects *e, regset named)
{
	const uint8_t *at = p;
	size_t left = n < 15 ? n : 15;
	uint64_t addr = 0;
	char text[256];
	regset seen;

	if (cs_disasm_iter(d->cs, &at, &left, &addr, d->ci) && d->ci->size == f->len) {
		seen = capstone_regs(d);
		if (in->kind == INSN_NOP || in->flags & INSN_VAGUE || same_regs(e, named, seen))
			return true;
	}
	if (llvm_length(d, p, n, text, sizeof text) == f->len) {
		seen = text_regs(text);
		if (in->kind != INSN_NOP && !same_regs(e, named, seen))
			x86_vague(in, e);
		return true;
	}
	return is_known(f);
}

/* A %gs prefix, or rdgsbase or wrgsbase, f3 0f ae /1 and /3 (Intel SDM volume 2). */
static bool uses_thread_base(const uint8_t *p, const struct x86_form *f)
{
	static const uint8_t prefixes[] = {0x65, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x66, 0x67, 0xf0,
		0xf2, 0xf3};

	for (unsigned i = 0; i < f->len && memchr(prefixes, p[i], sizeof prefixes); i++)
		if (p[i] == 0x65)
			return true;
	return f->enc == X86_LEGACY && f->map == X86_0F && f->op == 0xae && f->pp == X86_F3 &&
		form_mod(f) == 3 && (form_ext(f) == 1 || form_ext(f) == 3);
}

/*
 * Continues elsewhere, in another mode: from interrupts (uiret, eretu, erets, rsm), in enclaves
 * (enclv, encls, enclu) and other machines (vmlaunch, vmresume, vmrun, tdcall, seamret, seamops,
 * seamcall, skinit, getsec).
 */
static bool changes_mode(const struct x86_form *f)
{
	static const struct {
		uint8_t pp, modrm;
	} groups[] = {{X86_F3, 0xec}, {X86_F3, 0xca}, {X86_F2, 0xca}, {X86_NP, 0xc0},
		{X86_NP, 0xcf}, {X86_NP, 0xd7}, {X86_NP, 0xc2}, {X86_NP, 0xc3}, {X86_NP, 0xd8},
		{X86_66, 0xcc}, {X86_66, 0xcd}, {X86_66, 0xce}, {X86_66, 0xcf}, {X86_NP, 0xde}};

	if (f->enc != X86_LEGACY || f->map != X86_0F)
		return false;
	for (size_t i = 0; f->op == 0x01 && i < sizeof groups / sizeof groups[0]; i++)
		if (f->pp == groups[i].pp && f->modrm == groups[i].modrm)
			return true;
	return f->op == 0x37 || f->op == 0xaa;
}

static bool decode_form(struct decoder *d, const uint8_t *p, size_t n, const struct x86_form *f,
	struct insn *in)
{
	struct effects e;
	regset named;

	if (changes_mode(f))
		return false;
	x86_effects(f, in, &e, &named);
	if (p[0] == 0xf0)
		in->flags |= INSN_LOCK_SPLIT;
	if (uses_thread_base(p, f))
		in->flags |= INSN_THREAD_BASE;
	if (!confirm(d, p, n, f, in, &e, named))
		return false;
	in->effects = effects_number(&e);
	return true;
}

bool x86_decode_uncached(struct decoder *d, const uint8_t *p, size_t n, struct insn *in)
{
	struct x86_form f;

	return x86_parse(p, n, &f) && decode_form(d, p, n, &f, in);
}

/* No head is a prefix of another one, so the padding is not ambiguous. */
static struct key make_key(unsigned head, unsigned variant, const uint8_t *p, size_t n)
{
	struct key k;
	uint8_t bytes[16] = {0};

	if (n < 16) {
		memcpy(bytes, p, head);
		p = bytes;
	}
	memcpy(&k, p, 16);
	if (head < 8) {
		k.lo &= ((uint64_t)1 << 8 * head) - 1;
		k.hi = 0;
	} else {
		k.hi &= ((uint64_t)1 << 8 * (head - 8)) - 1;
	}
	k.hi |= (uint64_t)variant << 56;
	return k;
}

static size_t hash(struct key k)
{
	uint64_t x = (k.lo ^ k.hi * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;

	return (size_t)(x ^ x >> 32);
}

static struct entry *memo_slot(struct entry *memo, size_t cap, struct key k)
{
	size_t i = hash(k) & (cap - 1);

	while (memo[i].len && (memo[i].key.lo != k.lo || memo[i].key.hi != k.hi))
		i = (i + 1) & (cap - 1);
	return &memo[i];
}

static void memo_grow(struct decoder *d)
{
	struct entry *memo = memo_alloc(d->cap * 2);

	for (size_t i = 0; i < d->cap; i++)
		if (d->memo[i].len)
			*memo_slot(memo, d->cap * 2, d->memo[i].key) = d->memo[i];
	free(d->memo);
	d->memo = memo;
	d->cap *= 2;
}

/* The slow path: new forms, and those that the fast path does not handle. */
static struct entry *look_up(struct decoder *d, const uint8_t *p, size_t n)
{
	struct x86_form f;
	struct insn in;
	struct entry *e;
	struct key k;

	if (!x86_parse(p, n, &f))
		return NULL;
	k = make_key(f.head, f.variant, p, n);
	e = memo_slot(d->memo, d->cap, k);
	if (e->len)
		return e;
	if (d->n * 2 >= d->cap) {
		memo_grow(d);
		e = memo_slot(d->memo, d->cap, k);
	}
	e->key = k;
	e->len = decode_form(d, p, n, &f, &in) ? in.len : NO_INSN;
	memcpy(e->form, (uint8_t *)&in + offsetof(struct insn, effects), sizeof e->form);
	d->n++;
	return e;
}

bool x86_decode(struct decoder *d, const uint8_t *p, size_t n, struct insn *in)
{
	unsigned head = n >= 16 ? x86_head(p) : 0;
	struct entry *e = NULL;

	if (head)
		e = memo_slot(d->memo, d->cap, make_key(head, 0, p, n));
	if (!e || !e->len)
		e = look_up(d, p, n);
	if (!e || e->len == NO_INSN)
		return false;
	memcpy((uint8_t *)in + offsetof(struct insn, effects), e->form, sizeof e->form);
	return true;
}
