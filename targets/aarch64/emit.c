/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - the micro-operations of AArch64; see targets/micro.h
 *
 * Nothing but scramble_flags() changes a flag.  A counter's address takes two instructions, and an
 * increment at least two more; an atomic one is a loop of ldxr and stxr, which every processor has,
 * and which a signal handler makes start again.
 */
#include "targets/aarch64/aarch64.h"

/* Instructions with all registers x0 (Arm ARM, C6.2). */
enum {
	ADD = 0x8b000000,
	ADD_IMM = 0x91000000,
	ADD_HIGH = 1 << 22,
	ADRP = 0x90000000,
	ASR = 0x9340fc00,
	B = 0x14000000,
	BL = 0x94000000,
	BTI_JC = 0xd50324df,
	CBNZ = 0xb5000000,
	CBNZ_W = 0x35000000,
	CBZ = 0xb4000000,
	FMOV_D = 0x1e604000,
	FMOV_D_X = 0x9e670000,
	FMOV_X_D = 0x9e660000,
	ADD_LSR = 0x8b400000,
	LDR = 0xf9400000,
	LDRB = 0x39400000,
	LDP_Q = 0xad400000,
	LDR_Q = 0x3dc00000,
	LDXR = 0xc85f7c00,
	POP_PAIR = 0xa8c103e0,
	PUSH_PAIR = 0xa9bf03e0,
	MOV = 0xaa0003e0,
	MOVI_2D = 0x6f00e400,
	MOVK = 0xf2800000,
	MOVN = 0x92800000,
	MOVZ = 0xd2800000,
	MRS_FPCR = 0xd53b4400,
	MRS_FPSR = 0xd53b4420,
	MRS_NZCV = 0xd53b4200,
	MRS_TPIDR = 0xd53bd040,
	MSR_FPCR = 0xd51b4400,
	MSR_FPSR = 0xd51b4420,
	MSR_NZCV = 0xd51b4200,
	POP = 0xf84107e0,
	PUSH = 0xf81f0fe0,
	STP_Q = 0xad000000,
	STR = 0xf9000000,
	STRB = 0x39000000,
	STR_Q = 0x3d800000,
	STXR = 0xc8007c00,
	SUB = 0xcb000000,
	SUB_D = 0x7ee08400,
	SUB_IMM = 0xd1000000,
};

/* Registers ------------------------------------------------------------ */

static bool is_vector(unsigned reg)
{
	return reg >= REG_VECTOR;
}

/* A register's number in an instruction. */
static uint32_t field_of(unsigned reg)
{
	return is_vector(reg) ? reg - REG_VECTOR : reg;
}

/* movi: bytes of ones where a bit of n is set, of zeros elsewhere */
static void set_vector(struct code *c, unsigned reg, uint32_t n)
{
	code_u32(c, MOVI_2D | (n >> 5 & 7) << 16 | (n & 31) << 5 | field_of(reg));
}

static void set(struct code *c, unsigned reg, int32_t n, regset dead)
{
	(void)dead;
	if (is_vector(reg)) {
		set_vector(c, reg, (uint32_t)n);
		return;
	}
	if (n != (n < 0 ? -1 : n & 0xffff))
		bug("a constant of more than 16 bits");
	code_u32(c, n < 0 ? MOVN | reg : MOVZ | (uint32_t)n << 5 | reg);
}

static void move(struct code *c, unsigned to, unsigned from)
{
	uint32_t between = is_vector(from) ? FMOV_X_D : FMOV_D_X;

	if (!is_vector(to) && !is_vector(from))
		code_u32(c, MOV | from << 16 | to);
	else
		code_u32(c,
			(is_vector(to) && is_vector(from) ? FMOV_D : between) |
				field_of(from) << 5 | field_of(to));
}

static void add(struct code *c, unsigned reg, int32_t n, regset dead)
{
	uint32_t size = (uint32_t)(n < 0 ? -n : n);

	(void)dead;
	if (size >> 12)
		bug("a constant of more than 12 bits");
	code_u32(c, (n < 0 ? SUB_IMM : ADD_IMM) | size << 10 | reg << 5 | reg);
	if (reg == A64_SP)
		code_lower_stack(c, -n);
}

static void subtract(struct code *c, unsigned reg, unsigned by)
{
	code_u32(c,
		(is_vector(reg) ? SUB_D : SUB) | field_of(by) << 16 | field_of(reg) << 5 |
			field_of(reg));
}

static void shift(struct code *c, unsigned reg, unsigned by)
{
	code_u32(c, ASR | by << 16 | reg << 5 | reg);
}

/* The stack pointer stays a multiple of 16 (AAPCS64, 6.4.5.1). */
enum { SLOT = 16 };

static void push(struct code *c, unsigned reg)
{
	code_u32(c, PUSH | reg);
	code_lower_stack(c, SLOT);
}

static void pop(struct code *c, unsigned reg)
{
	code_u32(c, POP | reg);
	code_lower_stack(c, -SLOT);
}

static void push_pair(struct code *c, unsigned reg, unsigned second)
{
	code_u32(c, PUSH_PAIR | second << 10 | reg);
	code_lower_stack(c, SLOT);
}

static void pop_pair(struct code *c, unsigned reg, unsigned second)
{
	code_u32(c, POP_PAIR | second << 10 | reg);
	code_lower_stack(c, -SLOT);
}

/* movz of one part of 16 bits, then movk of each other one that is not 0 */
static void constant(struct code *c, unsigned reg, uint64_t n)
{
	uint32_t op = MOVZ;

	for (unsigned part = 0; part < 4; part++) {
		uint32_t bits = n >> 16 * part & 0xffff;
		if (bits || (op == MOVZ && part == 3))
			code_u32(c, op | part << 21 | bits << 5 | reg);
		if (bits)
			op = MOVK;
	}
}

/* adrp reg,sym+n; add reg,reg,:lo12:sym+n */
static void address(struct code *c, unsigned reg, uint32_t sym, int64_t n)
{
	code_reloc(c, (struct reloc){.addend = n, .type = R_AARCH64_ADR_PREL_PG_HI21, .sym = sym});
	code_u32(c, ADRP | reg);
	code_reloc(c, (struct reloc){.addend = n, .type = R_AARCH64_ADD_ABS_LO12_NC, .sym = sym});
	code_u32(c, ADD_IMM | reg << 5 | reg);
}

static void from_stack(struct code *c, unsigned reg, int32_t off)
{
	if (off < 0 || off >> 15 || off & 7)
		bug("a slot out of reach");
	code_u32(c, LDR | (uint32_t)off / 8 << 10 | A64_SP << 5 | reg);
}

static void stack_plus(struct code *c, unsigned reg, int32_t off)
{
	if (off < 0 || off >> 12)
		bug("a constant of more than 12 bits");
	code_u32(c, ADD_IMM | (uint32_t)off << 10 | A64_SP << 5 | reg);
}

/* Vectors -------------------------------------------------------------- */

enum { VECTOR = 16, ZERO = 31 };

/* Behind the registers: FPCR and FPSR. */
static int32_t vectors_size(regset vectors)
{
	return (int32_t)count_regs(vectors) * VECTOR + 16;
}

/* Loads or stores by pairs, and the last one alone. */
static void put_vectors(struct code *c, regset vectors, uint32_t pair, uint32_t one)
{
	for (uint32_t at = 0; vectors; vectors &= vectors - 1, at++) {
		unsigned reg = lowest_reg(vectors) - REG_VECTOR;
		if (!(vectors & (vectors - 1))) {
			code_u32(c, one | at << 10 | A64_SP << 5 | reg);
			return;
		}
		vectors &= vectors - 1;
		code_u32(c,
			pair | at << 15 | (lowest_reg(vectors) - REG_VECTOR) << 10 | A64_SP << 5 |
				reg);
		at++;
	}
}

static void push_vectors(struct code *c, regset vectors, unsigned reg)
{
	int32_t size = vectors_size(vectors);
	uint32_t at = (uint32_t)size / 8 - 2;

	add(c, A64_SP, -size, 0);
	put_vectors(c, vectors, STP_Q, STR_Q);
	code_u32(c, MRS_FPCR | reg);
	code_u32(c, STR | at << 10 | A64_SP << 5 | reg);
	code_u32(c, MRS_FPSR | reg);
	code_u32(c, STR | (at + 1) << 10 | A64_SP << 5 | reg);
	code_u32(c, MSR_FPCR | ZERO);
	code_u32(c, MSR_FPSR | ZERO);
}

static void pop_vectors(struct code *c, regset vectors, unsigned reg)
{
	int32_t size = vectors_size(vectors);

	from_stack(c, reg, size - 16);
	code_u32(c, MSR_FPCR | reg);
	from_stack(c, reg, size - 8);
	code_u32(c, MSR_FPSR | reg);
	put_vectors(c, vectors, LDP_Q, LDR_Q);
	add(c, A64_SP, size, 0);
}

/* SVE and SME: by bits 28 to 25 (Arm ARM, C4.1). */
static bool keeps_more(const uint8_t *p)
{
	uint32_t w = get_u32(p), group = a64_bits(w, 25, 4);

	return group == 2 || (group == 0 && w >> 31);
}

static const char *unfit(const uint8_t *p, const struct insn *in)
{
	(void)in;
	return keeps_more(p) ? "an SVE or SME instruction" : NULL;
}

/* Counters ------------------------------------------------------------- */

static unsigned take(regset *regs)
{
	unsigned reg = lowest_reg(*regs);

	*regs &= *regs - 1;
	return reg;
}

static void put_part(struct code *c, uint32_t w, uint32_t type, const struct counter_addressing *to,
	int64_t off)
{
	code_reloc(c, (struct reloc){.addend = off, .type = type, .sym = to->sym});
	code_u32(c, w);
}

/* A thread's counters are reached from the words of the row by 12 bits, which count words. */
enum { ROW_BITS = 15 };

static uint32_t in_page(int64_t off)
{
	return (uint32_t)off & ((1u << ROW_BITS) - 1);
}

/* A load or store of register value by the address that is made in base. */
static void put_access(struct code *c, uint32_t w, unsigned value, unsigned base,
	const struct counter_addressing *to, int64_t off)
{
	uint32_t type = w == STRB || w == LDRB ? R_AARCH64_LDST8_ABS_LO12_NC
					       : R_AARCH64_LDST64_ABS_LO12_NC;

	if (to->row)
		code_u32(c, w | in_page(off) / 8 << 10 | base << 5 | value);
	else
		put_part(c, w | base << 5 | value, type, to, off);
}

static void put_page(struct code *c, unsigned reg, const struct counter_addressing *to, int64_t off)
{
	put_part(c, ADRP | reg, R_AARCH64_ADR_PREL_PG_HI21, to, off);
}

static void put_row_part(struct code *c, uint32_t w, uint32_t type, uint32_t sym, uint32_t word)
{
	code_reloc(c, (struct reloc){.addend = 8 * (int64_t)word, .type = type, .sym = sym});
	code_u32(c, w);
}

/* mrs reg,tpidr_el0; ldr reg,[reg,:tprel_lo12:row+8*word] */
static void put_row(struct code *c, unsigned reg, const struct counter_addressing *to, int64_t off)
{
	uint32_t word = row_word(&a64_micro, to, off), high = 1u << (ROW_BITS - 12);
	uint32_t more = ((uint32_t)(off >> ROW_BITS) - word) * high;

	code_u32(c, MRS_TPIDR | reg);
	if (to->row_far)
		put_row_part(c, ADD_IMM | ADD_HIGH | reg << 5 | reg, R_AARCH64_TLSLE_ADD_TPREL_HI12,
			to->row, word);
	put_row_part(c, LDR | reg << 5 | reg, R_AARCH64_TLSLE_LDST64_TPREL_LO12_NC, to->row, word);
	for (uint32_t part; more; more -= part) {
		part = more < 0xfff ? more : 0xfff;
		code_u32(c, ADD_IMM | ADD_HIGH | part << 10 | reg << 5 | reg);
	}
}

/* The page of a counter. */
static void put_base(struct code *c, unsigned reg, const struct counter_addressing *to, int64_t off)
{
	if (to->row)
		put_row(c, reg, to, off);
	else
		put_page(c, reg, to, off);
}

/* The whole address in at, which may be base. */
static void put_whole(struct code *c, unsigned at, unsigned base,
	const struct counter_addressing *to, int64_t off)
{
	uint32_t high = in_page(off) >> 12, low = in_page(off) & 0xfff;

	if (!to->row) {
		put_part(c, ADD_IMM | base << 5 | at, R_AARCH64_ADD_ABS_LO12_NC, to, off);
		return;
	}
	code_u32(c, ADD_IMM | low << 10 | base << 5 | at);
	if (high)
		code_u32(c, ADD_IMM | ADD_HIGH | high << 10 | at << 5 | at);
}

/* change: the instruction that changes the counter, with empty register fields. */
static void put_change(struct code *c, const struct counter_addressing *to, int64_t off,
	uint32_t change, regset temps)
{
	unsigned base = to->base ? to->base - 1u : take(&temps), value = take(&temps), failed, at;

	if (!to->base)
		put_base(c, base, to, off);
	if (to->access != ACCESS_ATOMIC) {
		put_access(c, LDR, value, base, to, off);
		code_u32(c, change | value << 5 | value);
		put_access(c, STR, value, base, to, off);
		return;
	}
	failed = take(&temps);
	at = to->base ? take(&temps) : base;
	put_whole(c, at, base, to, off);
	code_u32(c, LDXR | at << 5 | value);
	code_u32(c, change | value << 5 | value);
	code_u32(c, STXR | failed << 16 | at << 5 | value);
	code_u32(c, CBNZ_W | (-3u & 0x7ffff) << 5 | failed);
}

static void set_base(struct code *c, const struct counter_addressing *to, int64_t off, unsigned reg,
	bool alone, regset temps)
{
	(void)alone, (void)temps;
	put_base(c, reg, to, off);
}

static void increment(struct code *c, const struct counter_addressing *to, int64_t off, regset dead)
{
	put_change(c, to, off, ADD_IMM | 1 << 10, dead & REGSET_GENERAL);
}

static void add_number(struct code *c, const struct counter_addressing *to, int64_t off, int32_t n,
	regset temps)
{
	put_change(c, to, off, ADD_IMM | (uint32_t)n << 10, temps);
}

static void add_to(struct code *c, const struct counter_addressing *to, int64_t off, unsigned reg,
	regset temps)
{
	put_change(c, to, off, ADD | reg << 16, temps);
}

static void take_from(struct code *c, const struct counter_addressing *to, int64_t off,
	unsigned reg, regset temps)
{
	put_change(c, to, off, SUB | reg << 16, temps);
}

static void set_byte(struct code *c, const struct counter_addressing *to, int64_t off, regset temps)
{
	unsigned base = take(&temps), value = take(&temps);

	put_page(c, base, to, off);
	code_u32(c, MOVZ | 1 << 5 | value);
	put_access(c, STRB, value, base, to, off);
}

static void count_byte(struct code *c, const struct counter_addressing *to, int64_t off,
	regset temps)
{
	unsigned base = take(&temps), value = take(&temps);

	put_page(c, base, to, off);
	put_access(c, LDRB, value, base, to, off);
	code_u32(c, ADD_IMM | 1 << 10 | value << 5 | value);
	code_u32(c, ADD_LSR | value << 16 | 8 << 10 | value << 5 | value);
	put_access(c, STRB, value, base, to, off);
}

/* Control -------------------------------------------------------------- */

static void save_flags(struct code *c, unsigned reg, regset dead)
{
	(void)dead;
	code_u32(c, MRS_NZCV | reg);
}

static void restore_flags(struct code *c, unsigned reg, regset dead)
{
	(void)dead;
	code_u32(c, MSR_NZCV | reg);
}

static void enter(struct code *c, uint32_t sym)
{
	code_reloc(c, (struct reloc){.type = R_AARCH64_CALL26, .sym = sym});
	code_u32(c, BL);
}

static void lead(struct code *c, uint32_t sym)
{
	code_reloc(c, (struct reloc){.type = R_AARCH64_JUMP26, .sym = sym});
	code_u32(c, B);
}

static void call(struct code *c, uint32_t sym)
{
	push(c, A64_LR);
	enter(c, sym);
	pop(c, A64_LR);
}

static void jump(struct code *c, uint32_t n)
{
	code_u32(c, B | (n / 4 + 1));
}

static void landing(struct code *c)
{
	code_u32(c, BTI_JC);
}

static uint32_t put_branch(struct code *c, uint32_t w)
{
	code_u32(c, w);
	return c->bytes.n - 4;
}

static uint32_t branch_unless_zero(struct code *c, regset dead)
{
	(void)dead;
	return put_branch(c, CBNZ | A64_X0);
}

static uint32_t branch_if_zero(struct code *c, unsigned reg)
{
	return put_branch(c, CBZ | reg);
}

static uint32_t branch_if_equal(struct code *c, unsigned reg, const struct counter_addressing *to,
	int64_t off, regset temps)
{
	unsigned base = take(&temps), value = take(&temps);

	put_base(c, base, to, off);
	put_access(c, LDR, value, base, to, off);
	subtract(c, value, reg);
	return put_branch(c, CBZ | value);
}

static void land(struct code *c, uint32_t branch)
{
	uint8_t *at = small_v(&c->bytes) + branch;

	put_u32(at, get_u32(at) | (c->bytes.n - branch) / 4 << 5);
}

static void thread_pointer(struct code *c, unsigned reg)
{
	code_u32(c, MRS_TPIDR | reg);
}

/* Tests ---------------------------------------------------------------- */

static void scramble(struct code *c, unsigned reg, uint32_t n)
{
	if (is_vector(reg)) {
		set_vector(c, reg, n);
		return;
	}
	code_u32(c, MOVZ | (n & 0xffff) << 5 | reg);
	code_u32(c, MOVK | 1 << 21 | n >> 16 << 5 | reg);
	if (n & 1)
		code_u32(c, MOVK | 3 << 21 | (n >> 8 & 0xffff) << 5 | reg);
}

/* cmp xzr,xzr; ccmp xzr,#0,#n,ne: the condition is false, and the flags become n. */
static void scramble_flags(struct code *c, uint32_t n, regset dead)
{
	if (A64_FLAGS & ~dead)
		return;
	code_u32(c, 0xeb1f03ff);
	code_u32(c, 0xfa401be0 | (n & 15));
}

/* Registers 24 and up are nobody's over a call, by AAPCS64's variants for vectors either. */
const struct micro a64_micro = {
	.hold_vectors = A64_VECTORS(24, 30),
	.hold_unit = A64_VECTORS(31, 31),
	.base_bits = 12,
	.slot = SLOT,
	.enter_changes = REG_BIT(A64_LR),
	.flag_holders = A64_REGS(A64_X0, A64_IP1),
	.base_regs = A64_REGS(A64_X0, A64_IP1),
	.memory_regs = {[ACCESS_PLAIN] = 2, [ACCESS_ATOMIC] = 3},
	.count_regs = {[ACCESS_PLAIN] = 2, [ACCESS_ATOMIC] = 3},
	.add_most = 0xfff,
	.set = set,
	.move = move,
	.add = add,
	.subtract = subtract,
	.shift = shift,
	.push = push,
	.pop = pop,
	.push_pair = push_pair,
	.pop_pair = pop_pair,
	.constant = constant,
	.address = address,
	.from_stack = from_stack,
	.stack_plus = stack_plus,
	.vectors = REGSET_VECTORS,
	.push_vectors = push_vectors,
	.pop_vectors = pop_vectors,
	.vectors_size = vectors_size,
	.float_words = 2,
	.float_regs = 1,
	.vector_bytes = VECTOR,
	.unfit = unfit,
	.keeps_more = keeps_more,
	.keeps_more_other = 0x80, /* STO_AARCH64_VARIANT_PCS (AAELF64, 5.6.1) */
	.operand = a64_operand,
	.operand_reloc = a64_operand_reloc,
	.low_bytes = a64_low_bytes,
	.condition = a64_condition,
	.increment = increment,
	.add_number = add_number,
	.set_base = set_base,
	.more_regs = {[ACCESS_PLAIN] = 1, [ACCESS_ATOMIC] = 3},
	.base_pic = true,
	.row_near = 1 << 12,
	.row_most = 1 << 24,
	.row_bits = ROW_BITS,
	.add_to = add_to,
	.take_from = take_from,
	.set_byte = set_byte,
	.count_byte = count_byte,
	.byte_regs = 2,
	.save_flags = save_flags,
	.restore_flags = restore_flags,
	.enter = enter,
	.call = call,
	.lead = lead,
	.jump = jump,
	.landing = landing,
	.branch_unless_zero = branch_unless_zero,
	.branch_if_zero = branch_if_zero,
	.branch_if_equal = branch_if_equal,
	.land = land,
	.thread_pointer = thread_pointer,
	.scramble = scramble,
	.scramble_flags = scramble_flags,
};
