/* SPDX-License-Identifier: Apache-2.0 */
/*
 * experiment.c - ask the CPU what instructions read and write
 *
 * Reads a disassembly on standard input and executes each form of instruction
 * that only computes or loads or stores, alone, many times, with random
 * registers and flags, its memory operand always the same:
 *
 *	what is not in clobbers must keep its value;
 *	what is in writes must not depend on anything outside reads;
 *	what is in clobbers only may depend on itself besides.
 *
 * Instructions this CPU does not have are left out, and counted.  Status 1: our
 * tables are wrong, or there was too little to test.
 */
#include "disasm.h"
#include "targets/x86_64/x86_64.h"

#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { NREGS = 16, FLAGS = 16, TRIALS = 20, VECTORS = 0xe7, MIDDLE = 4096, OPERAND = 1024 };

/* At an address that fits in 31 bits, so that code reaches it without a register. */
struct area {
	_Alignas(64) uint8_t xsave[8192];
	uint64_t in[NREGS + 1], out[NREGS + 1], rsp;
	uint8_t vector[16][16]; /* what the instruction leaves in them */
	uint8_t stack[4096];
	uint8_t code[4096];
	_Alignas(4096) uint8_t data[2 * MIDDLE]; /* memory operands lie in the middle */
};
static struct area *const area = (struct area *)0x20000000;
static sigjmp_buf escape;
static uint8_t pattern[2 * OPERAND];
static uint64_t seed = 88172645463325252u;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1du;
}

/* EFLAGS bits of our flags, in their order. */
static const uint8_t flag_bit[] = {0, 2, 4, 6, 7, 11, 10};
enum { NFLAGS = sizeof flag_bit };

static uint64_t random_value(void)
{
	switch (rnd() % 8) {
	case 0: return 0;
	case 1: return rnd() % 70;
	case 2: return (uint64_t)-1 << rnd() % 64;
	case 3: return (uint64_t)1 << rnd() % 64;
	default: return rnd();
	}
}

static bool is_set(const uint64_t *state, int bit)
{
	return state[FLAGS] >> flag_bit[bit - X86_CF] & 1;
}

/* New values for the members of set. */
static void randomise(uint64_t *state, regset set)
{
	for (int i = 0; i < NREGS; i++)
		if (set & REG_BIT(i))
			state[i] = random_value();
	for (int i = 0; i < NFLAGS; i++)
		if (set & REG_BIT(X86_CF + i))
			state[FLAGS] = (state[FLAGS] & ~((uint64_t)1 << flag_bit[i])) |
				(rnd() & 1) << flag_bit[i];
	state[FLAGS] |= 2;
}

static bool same(const uint64_t *a, const uint64_t *b, int what)
{
	return what < X86_CF ? a[what] == b[what] : is_set(a, what) == is_set(b, what);
}

static void on_signal(int sig)
{
	siglongjmp(escape, sig);
}

static uint8_t *emit(uint8_t *c, const void *bytes, size_t n)
{
	memcpy(c, bytes, n);
	return c + n;
}

/* An instruction with an absolute 32-bit address behind its n bytes. */
static uint8_t *emit_abs(uint8_t *c, const void *bytes, size_t n, const void *addr)
{
	c = emit(c, bytes, n);
	put_u32(c, (uint32_t)(uintptr_t)addr);
	return c + 4;
}

static uint8_t *emit_mov(uint8_t *c, bool load, int reg, uint64_t *addr)
{
	uint8_t mov[] = {(uint8_t)(0x48 | (reg & 8 ? 4 : 0)), load ? 0x8b : 0x89,
		(uint8_t)(0x04 | (reg & 7) << 3), 0x25};

	return emit_abs(c, mov, sizeof mov, addr);
}

/*
 * A function that loads the state, executes insn and stores the state.  Returns
 * where insn stands.
 */
static uint8_t *build(const uint8_t *insn, size_t n)
{
	static const uint8_t enter[] = {0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57};
	static const uint8_t leave[] = {0xfc, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d,
		0x5b, 0xc3};
	static const uint8_t mask[] = {0xb8, VECTORS, 0, 0, 0, 0x31, 0xd2};
	static const uint8_t xrstor[] = {0x48, 0x0f, 0xae, 0x2c, 0x25};
	static const uint8_t push_mem[] = {0xff, 0x34, 0x25}, pop_mem[] = {0x8f, 0x04, 0x25};
	uint8_t *c = emit(area->code, enter, sizeof enter), *at;

	c = emit(c, mask, sizeof mask);
	c = emit_abs(c, xrstor, sizeof xrstor, area->xsave);
	c = emit_mov(c, false, RSP, &area->rsp);
	c = emit_abs(c, push_mem, sizeof push_mem, &area->in[FLAGS]);
	*c++ = 0x9d;
	for (int i = 0; i < NREGS; i++)
		c = emit_mov(c, true, i, &area->in[i]);
	at = c;
	c = emit(c, insn, n);
	for (uint8_t i = 0; i < 16; i++) {
		uint8_t movups[] = {i & 8 ? 0x44 : 0x40, 0x0f, 0x11, (uint8_t)(0x04 | (i & 7) << 3),
			0x25};
		c = emit_abs(c, movups, sizeof movups, area->vector[i]);
	}
	for (int i = 0; i < NREGS; i++)
		c = emit_mov(c, false, i, &area->out[i]);
	c = emit_mov(c, true, RSP, &area->rsp);
	*c++ = 0x9c;
	c = emit_abs(c, pop_mem, sizeof pop_mem, &area->out[FLAGS]);
	emit(c, leave, sizeof leave);
	return at;
}

/* Let the memory operand of the instruction at p be our data: its constant part. */
static void aim_constant(const struct x86_form *f, uint8_t *p)
{
	uint64_t target = (uint64_t)(uintptr_t)(area->data + MIDDLE);

	if (f->map == X86_1B && f->enc == X86_LEGACY && (f->op & 0xfc) == 0xa0) {
		memcpy(p + f->imm_off, &target, f->imm_size);
		return;
	}
	if (!form_is_mem(f))
		return;
	if (form_is_rip(f))
		target -= (uint64_t)(uintptr_t)(p + f->len);
	else if (form_base(f) >= 0 || form_index(f) >= 0)
		target = 0;
	memcpy(p + f->disp_off, &target, f->disp_size);
}

/* The registers of its address; any alignment a vector may want is kept. */
static void aim_registers(const struct x86_form *f, uint64_t *state)
{
	uint64_t target = (uint64_t)(uintptr_t)(area->data + MIDDLE);
	int base = form_base(f), index = form_index(f);
	unsigned scale = f->has_sib ? 1u << (f->sib >> 6) : 1;

	if (index >= 0 && base == index) {
		state[base] = target / (64 * (scale + 1)) * 64;
	} else if (index >= 0 && base < 0) {
		state[index] = target / scale;
	} else if (base >= 0) {
		if (index >= 0)
			target -= (state[index] = rnd() % 8 * 64) * scale;
		state[base] = target;
	}
}

static void run(const uint64_t *in, uint64_t *out)
{
	memcpy(area->data + MIDDLE - OPERAND, pattern, sizeof pattern);
	memcpy(area->in, in, sizeof area->in);
	((void (*)(void))(uintptr_t)area->code)();
	memcpy(out, area->out, sizeof area->out);
}

/*
 * Flags the SDM leaves undefined: some CPUs keep them.  What counts as written
 * all the same is checked against this list, not against the CPU.
 */
static regset undefined_flags(const struct x86_form *f)
{
	regset af = REG_BIT(X86_AF), of = REG_BIT(X86_OF), pf = REG_BIT(X86_PF);
	regset sf = REG_BIT(X86_SF), zf = REG_BIT(X86_ZF), cf = REG_BIT(X86_CF);
	unsigned op = f->op;

	if (f->enc == X86_VEX)
		return af | pf | sf;
	if (f->map == X86_1B) {
		if ((op & 0xfe) == 0xc0 || (op & 0xfe) == 0xd0)
			return af | of | (form_ext(f) == 4 || form_ext(f) == 5 ? cf : 0);
		if (op == 0xf6 || op == 0xf7)
			return form_ext(f) >= 6	   ? X86_STATUS
				: form_ext(f) >= 4 ? sf | zf | af | pf
						   : af;
		if (op == 0x69 || op == 0x6b)
			return sf | zf | af | pf;
		return op < 0x40 || op == 0x80 || op == 0x81 || op == 0x83 || op == 0x84 ||
				op == 0x85 || op == 0xa8 || op == 0xa9
			? af
			: 0;
	}
	if (f->map != X86_0F)
		return 0;
	switch (op) {
	case 0xa3:
	case 0xab:
	case 0xb3:
	case 0xbb:
	case 0xba: return of | sf | af | pf;
	case 0xa4:
	case 0xac: return af | of | (form_opsize(f) == 2 ? X86_STATUS : 0);
	case 0xbc:
	case 0xbd: return of | sf | af | pf | cf;
	case 0xaf: return sf | zf | af | pf;
	}
	return 0;
}

static const char *reg_name(int what)
{
	static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
	static const char *const flags[] = {"CF", "PF", "AF", "ZF", "SF", "OF", "DF"};

	return what < NREGS ? names[what] : what < X86_CF ? "a vector" : flags[what - X86_CF];
}

/* Where its value in front of the instruction is. */
static uint8_t *saved_vector(int reg)
{
	return area->xsave + 160 + 16 * (reg - XMM0);
}

/* NULL when a trial shows nothing wrong; *what names the register or flag. */
static const char *trial(const struct x86_form *f, const struct insn *in, int *what)
{
	const struct effects *e = insn_effects(in);
	regset undefined = undefined_flags(f);
	uint64_t a[NREGS + 1] = {0}, b[NREGS + 1], out_a[NREGS + 1], out_b[NREGS + 1];
	uint8_t vector[16][16], saved[16][16];

	randomise(a, X86_ALL);
	aim_registers(f, a);
	run(a, out_a);
	for (*what = 0; *what < X86_CF + NFLAGS;
		*what += *what == NREGS - 1 ? X86_CF - NREGS + 1 : 1)
		if (!(e->clobbers & REG_BIT(*what)) && !same(a, out_a, *what))
			return "changed, not in clobbers";
	/* Intel SDM volume 1, 10.5.1: where fxsave keeps them, xsave does */
	for (*what = XMM0; *what <= XMM15; ++*what)
		if (!(e->clobbers & REG_BIT(*what)) &&
			memcmp(area->vector[*what - XMM0], saved_vector(*what), 16) != 0)
			return "changed, not in clobbers";
	memcpy(b, a, sizeof a);
	memcpy(vector, area->vector, sizeof vector);
	memcpy(saved, saved_vector(XMM0), sizeof saved);
	randomise(b, X86_ALL & ~e->reads);
	for (int i = XMM0; i <= XMM15; i++)
		for (int k = 0; !(e->reads & REG_BIT(i)) && k < 16; k++)
			saved_vector(i)[k] = (uint8_t)rnd();
	run(b, out_b);
	memcpy(saved_vector(XMM0), saved, sizeof saved);
	for (*what = XMM0; *what <= XMM15; ++*what)
		if (e->writes & REG_BIT(*what) &&
			memcmp(area->vector[*what - XMM0], vector[*what - XMM0], 16) != 0)
			return "depends on what is not in reads";
	for (*what = 0; *what < X86_CF + NFLAGS;
		*what += *what == NREGS - 1 ? X86_CF - NREGS + 1 : 1)
		if (e->writes & ~undefined & REG_BIT(*what) && !same(out_a, out_b, *what))
			return "depends on what is not in reads";
	for (*what = 0; *what < X86_CF + NFLAGS;
		*what += *what == NREGS - 1 ? X86_CF - NREGS + 1 : 1) {
		if (!(e->clobbers & ~e->writes & ~undefined & REG_BIT(*what)))
			continue;
		memcpy(b, a, sizeof a);
		randomise(b, X86_ALL & ~e->reads & ~REG_BIT(*what));
		run(b, out_b);
		if (!same(out_a, out_b, *what))
			return "depends on what is not in reads (partly written)";
	}
	return NULL;
}

/* Has operands we cannot aim, or answers differently each time. */
static bool is_excluded(const struct x86_form *f)
{
	unsigned op = f->op;

	if (f->has_sib && form_index(f) < 0 && f->map == X86_0F38 && f->enc != X86_LEGACY)
		return true; /* perhaps a vector of addresses */
	if (f->prefixes & X86_PSEG)
		return true;
	if (f->map == X86_0F)
		return op == 0xf7 ||
			(f->enc == X86_LEGACY &&
				(op == 0x01 || op == 0x31 || op == 0x33 || op == 0xa0 ||
					op == 0xa8 || op == 0xa1 || op == 0xa9 || op == 0xa2 ||
					op == 0xae || op == 0x02 || op == 0x03 ||
					(op == 0xc7 && form_ext(f) != 1) ||
					(form_is_mem(f) &&
						(op == 0xa3 || op == 0xab || op == 0xb3 ||
							op == 0xbb)))) ||
			(f->enc == X86_VEX && op == 0xae);
	if (f->map != X86_1B || f->enc != X86_LEGACY)
		return f->map == X86_0F38 && op >= 0xf8;
	return (op >= 0x50 && op <= 0x5f) || op == 0x68 || op == 0x6a ||
		(op >= 0x6c && op <= 0x6f) || (op >= 0x8e && op <= 0x8f) || op == 0x9c ||
		op == 0x9d || (op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf) ||
		op == 0xc8 || op == 0xc9 || op == 0xd7 || (op == 0xff && form_ext(f) == 6);
}

/* 0: fine or left out, 1: wrong; *sig: SIGILL if the CPU does not know it. */
static int experiment(const struct disasm_line *l, const struct x86_form *f, const struct insn *in,
	int *sig)
{
	const char *wrong;
	volatile int i;
	int what;

	aim_constant(f, build(l->bytes, in->len));
	for (i = 0, *sig = 0; i < TRIALS && *sig != SIGILL; i++) {
		*sig = sigsetjmp(escape, 1);
		if (*sig && *sig != SIGSEGV)
			continue; /* a division, perhaps: no result to look at */
		what = 0;
		wrong = *sig ? "(or another) faults" : trial(f, in, &what);
		if (!wrong)
			continue;
		printf("%s %s:", reg_name(what), wrong);
		for (int k = 0; k < in->len; k++)
			printf(" %02x", l->bytes[k]);
		printf("  %s\n", l->text);
		return 1;
	}
	return 0;
}

static void set_up(void)
{
	static const int signals[] = {SIGILL, SIGFPE, SIGSEGV, SIGTRAP, SIGBUS};
	static uint8_t stack[65536];
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack};
	unsigned a, b, c, d;

	if (mmap(area, sizeof *area, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != area)
		exit(77);
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		exit(77);
	sigaltstack(&ss, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		sigaction(signals[i], &sa, NULL);
	for (size_t i = 0; i < sizeof pattern; i++)
		pattern[i] = (uint8_t)rnd();
	/* Vector and mask registers: random, but the same for all runs. */
	__asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	for (unsigned i = 160; i < 416; i++)
		area->xsave[i] = (uint8_t)rnd();
	area->xsave[512] = VECTORS & (uint8_t)a & ~1;
	area->xsave[25] = 0x1f, area->xsave[24] = 0x80; /* MXCSR: all masked */
	for (unsigned part = 2; part < 8; part++) {
		unsigned size, off;

		if (!(VECTORS & a >> 0 & 1u << part))
			continue;
		__cpuid_count(0xd, part, size, off, c, d);
		for (unsigned i = 0; i < size; i++)
			area->xsave[off + i] = (uint8_t)rnd();
	}
}

int main(void)
{
	struct decoder *d = target_x86_64.decoder_new();
	struct strmap seen = {0};
	struct arena arena = {0};
	struct disasm_line l;
	unsigned long tested = 0, wrong = 0, refused = 0;
	bool gap;

	set_up();
	while (disasm_next(stdin, &l, &gap)) {
		struct x86_form f;
		struct insn in = {0};
		char key[40];
		int sig, at = 0;

		if (l.data || !x86_parse(l.bytes, l.len, &f) || is_excluded(&f))
			continue;
		if (!target_x86_64.decode(d, l.bytes, l.len, &in) || in.len != l.len)
			continue;
		if (in.flags & INSN_VAGUE || (in.kind != INSN_OTHER && in.kind != INSN_NOP))
			continue;
		for (int i = 0; i < f.head; i++)
			at += snprintf(key + at, sizeof key - (size_t)at, "%02x", l.bytes[i]);
		if (strmap_find(&seen, key))
			continue;
		*strmap_slot(&seen, arena_printf(&arena, "%s", key)) = 1;
		wrong += (unsigned)experiment(&l, &f, &in, &sig);
		refused += sig == SIGILL;
		tested++;
	}
	printf("%lu forms executed, %lu not known to this CPU, %lu wrong\n", tested, refused,
		wrong);
	return wrong || tested < 100;
}
