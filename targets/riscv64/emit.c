/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - the micro-operations of RISC-V; see targets/micro.h
 *
 * There are no flags.  A counter of a program at a fixed address below 2 GB takes four
 * instructions:
 *
 *		lui base,%hi(c); ld value,%lo(c)(base); addi value,value,1; sd value,%lo(c)(base)
 *
 * Other code makes the address by auipc and addi first.  Both are one field to R_RISCV_CALL_PLT
 * (psABI: "U+I-Type"), which needs no label at the auipc as R_RISCV_PCREL_LO12_I does.  An atomic
 * increment is one amoadd.d.  No relocation here lets the last link delete bytes.
 */
#include "targets/riscv64/riscv64.h"

#include <elf.h>

/* Instructions with all registers zero. */
enum {
	ADD = 0x00000033,
	ADDI = 0x00000013,
	AMOADD_D = 0x0000302f,
	AUIPC = RV_AUIPC,
	CSRRW_FCSR = 0x00301073,
	BEQ = 0x00000063,
	BNE = 0x00001063,
	FLD = 0x00003007,
	FMV_D_X = 0xf2000053,
	FSD = 0x00003027,
	JAL = RV_JAL,
	JALR = RV_JALR,
	LBU = 0x00004003,
	LD = 0x00003003,
	LUI = RV_LUI,
	ORI = 0x00006013,
	SB = 0x00000023,
	SD = 0x00003023,
	SLLI = 0x00001013,
	SRAI = 0x40005013,
	SRLI = 0x00005013,
	SUB = 0x40000033,
};
enum { RD = 7, RS1 = 15, RS2 = 20, IMM = 20 };

/* A number of 12 bits with a sign. */
static uint32_t imm(int32_t n)
{
	if (n != sign_extend((uint64_t)n, 12))
		bug("a constant of more than 12 bits");
	return (uint32_t)n << IMM;
}

/* The same of a store. */
static uint32_t store_imm(int32_t n)
{
	return rv_bits((uint32_t)n, 5, 7) << 25 | rv_bits((uint32_t)n, 0, 5) << 7;
}

/* Registers ------------------------------------------------------------ */

static void set(struct code *c, unsigned reg, int32_t n, regset dead)
{
	(void)dead;
	code_u32(c, ADDI | reg << RD | imm(n));
}

static void move(struct code *c, unsigned to, unsigned from)
{
	code_u32(c, ADDI | from << RS1 | to << RD);
}

static void add(struct code *c, unsigned reg, int32_t n, regset dead)
{
	(void)dead;
	code_u32(c, ADDI | reg << RS1 | reg << RD | imm(n));
	if (reg == RV_SP)
		code_lower_stack(c, -n);
}

static void subtract(struct code *c, unsigned reg, unsigned by)
{
	code_u32(c, SUB | by << RS2 | reg << RS1 | reg << RD);
}

static void shift(struct code *c, unsigned reg, unsigned by)
{
	code_u32(c, SRAI | by << IMM | reg << RS1 | reg << RD);
}

/* The stack pointer stays a multiple of 16 (psABI). */
enum { SLOT = 16 };

static void push(struct code *c, unsigned reg)
{
	add(c, RV_SP, -SLOT, 0);
	code_u32(c, SD | RV_SP << RS1 | reg << RS2);
}

static void pop(struct code *c, unsigned reg)
{
	code_u32(c, LD | RV_SP << RS1 | reg << RD);
	add(c, RV_SP, SLOT, 0);
}

static void push_pair(struct code *c, unsigned reg, unsigned second)
{
	push(c, reg);
	code_u32(c, SD | RV_SP << RS1 | second << RS2 | store_imm(SLOT / 2));
}

static void pop_pair(struct code *c, unsigned reg, unsigned second)
{
	code_u32(c, LD | RV_SP << RS1 | second << RD | imm(SLOT / 2));
	pop(c, reg);
}

/* Counters ------------------------------------------------------------- */

static unsigned take(regset *regs)
{
	unsigned reg = lowest_reg(*regs);

	*regs &= *regs - 1;
	return reg;
}

/* How the counter off bytes behind the first is addressed. */
struct place {
	const struct counter_addressing *to;
	int64_t off;
	unsigned base;
	bool low; /* base has only the high part of the address */
};

static void put_part(struct code *c, uint32_t w, uint32_t type, const struct place *p)
{
	code_reloc(c, (struct reloc){.addend = p->off, .type = type, .sym = p->to->sym});
	code_u32(c, w);
}

/* The address in one register, for code at any address. */
static void put_address(struct code *c, unsigned reg, uint32_t sym, int64_t off, uint32_t second)
{
	code_reloc(c, (struct reloc){.addend = off, .type = R_RISCV_CALL_PLT, .sym = sym});
	code_u32(c, AUIPC | reg << RD);
	code_u32(c, second | reg << RS1);
}

/* Parts of 11 bits, the first one with a sign, each added behind a shift. */
static void constant(struct code *c, unsigned reg, uint64_t n)
{
	enum { PART = 11 };
	int at = 0;

	while (at < 63 && (int64_t)n >> at != sign_extend(n >> at, 12))
		at += PART;
	code_u32(c, ADDI | reg << RD | imm((int32_t)sign_extend(n >> at, 12)));
	for (unsigned zeros = PART; at > 0; zeros += PART) {
		uint32_t bits = n >> (at -= PART) & ((1 << PART) - 1);
		if (!bits && at)
			continue;
		code_u32(c, SLLI | reg << RS1 | reg << RD | zeros << IMM);
		if (bits)
			code_u32(c, ADDI | reg << RS1 | reg << RD | bits << IMM);
		zeros = 0;
	}
}

static void address(struct code *c, unsigned reg, uint32_t sym, int64_t n)
{
	put_address(c, reg, sym, n, ADDI | reg << RD);
}

static void from_stack(struct code *c, unsigned reg, int32_t off)
{
	code_u32(c, LD | RV_SP << RS1 | reg << RD | imm(off));
}

static void stack_plus(struct code *c, unsigned reg, int32_t off)
{
	code_u32(c, ADDI | RV_SP << RS1 | reg << RD | imm(off));
}

/* A thread's counters are reached from the words of the row, in the middle of pages, by 12 bits. */
enum { ROW_BITS = 12, ROW_BIAS = 1 << (ROW_BITS - 1) };

static int32_t from_middle(int64_t off)
{
	return (int32_t)(off & ((1 << ROW_BITS) - 1)) - ROW_BIAS;
}

/*
 * ld reg,%tprel_lo(row+8*word)(tp); temp: for pages without a word.  GNU ld up to 2.40 takes
 * %tprel_hi for a text relocation in a PIE.
 */
static void put_row(struct code *c, unsigned reg, const struct counter_addressing *to, int64_t off,
	unsigned temp)
{
	uint32_t word = row_word(&rv_micro, to, off), more = (uint32_t)(off >> ROW_BITS) - word;

	code_reloc(c,
		(struct reloc){.addend = 8 * (int64_t)word,
			.type = R_RISCV_TPREL_LO12_I,
			.sym = to->row});
	code_u32(c, LD | RV_TP << RS1 | reg << RD);
	if (!more)
		return;
	code_u32(c, LUI | temp << RD | more << ROW_BITS);
	code_u32(c, ADD | temp << RS2 | reg << RS1 | reg << RD);
}

/* base += the rest of the address, of which it has the high part; to: a register for the sum. */
static void put_rest(struct code *c, unsigned to, unsigned base, const struct place *p)
{
	uint32_t w = ADDI | base << RS1 | to << RD;

	if (p->to->row)
		code_u32(c, w | imm(from_middle(p->off)));
	else
		put_part(c, w, R_RISCV_LO12_I, p);
}

/*
 * whole: the whole address is wanted in a register.  temp: another one that a thread's own counters
 * may need.
 */
static struct place put_base(struct code *c, const struct counter_addressing *to, int64_t off,
	unsigned base, unsigned temp, bool whole)
{
	struct place p = {.to = to, .off = off, .base = base, .low = !to->pic && !whole};

	if (to->base)
		return p;
	if (to->row)
		put_row(c, base, to, off, temp);
	else if (to->pic)
		put_address(c, base, to->sym, off, ADDI | base << RD);
	else
		put_part(c, LUI | base << RD, R_RISCV_HI20, &p);
	if (whole && (to->row || !to->pic))
		put_rest(c, base, base, &p);
	return p;
}

static void put_access(struct code *c, uint32_t w, unsigned value, const struct place *p)
{
	bool load = w == LD || w == LBU;

	w |= p->base << RS1 | value << (load ? RD : RS2);
	if (p->to->row)
		code_u32(c, w | (load ? imm(from_middle(p->off)) : store_imm(from_middle(p->off))));
	else if (p->low)
		put_part(c, w, load ? R_RISCV_LO12_I : R_RISCV_LO12_S, p);
	else
		code_u32(c, w);
}

/* The counter becomes its sum with reg, or what change, with the operands still empty, makes. */
static void put_change(struct code *c, const struct counter_addressing *to, int64_t off,
	uint32_t change, regset temps)
{
	bool atomic = to->access == ACCESS_ATOMIC;
	unsigned base = to->base ? to->base - 1u : take(&temps), value = take(&temps);
	struct place p = put_base(c, to, off, base, value, atomic);

	if (atomic && to->base) {
		base = take(&temps);
		put_rest(c, base, to->base - 1u, &p);
	}
	if (atomic) { /* what change makes of zero is added */
		code_u32(c, change | value << RD);
		code_u32(c, AMOADD_D | base << RS1 | value << RS2);
		return;
	}
	put_access(c, LD, value, &p);
	code_u32(c, change | value << RS1 | value << RD);
	put_access(c, SD, value, &p);
}

static void set_base(struct code *c, const struct counter_addressing *to, int64_t off, unsigned reg,
	bool alone, regset temps)
{
	(void)alone;
	put_base(c, to, off, reg, base_temp(&rv_micro, to, off) ? lowest_reg(temps) : reg, false);
}

static void increment(struct code *c, const struct counter_addressing *to, int64_t off, regset dead)
{
	put_change(c, to, off, ADDI | 1 << IMM, dead & REGSET_GENERAL);
}

static void add_number(struct code *c, const struct counter_addressing *to, int64_t off, int32_t n,
	regset temps)
{
	put_change(c, to, off, ADDI | (uint32_t)n << IMM, temps);
}

static void add_to(struct code *c, const struct counter_addressing *to, int64_t off, unsigned reg,
	regset temps)
{
	put_change(c, to, off, ADD | reg << RS2, temps);
}

static void take_from(struct code *c, const struct counter_addressing *to, int64_t off,
	unsigned reg, regset temps)
{
	put_change(c, to, off, SUB | reg << RS2, temps);
}

static void set_byte(struct code *c, const struct counter_addressing *to, int64_t off, regset temps)
{
	unsigned base = take(&temps), value = take(&temps);
	struct place p = put_base(c, to, off, base, value, false);

	code_u32(c, ADDI | value << RD | 1 << IMM);
	put_access(c, SB, value, &p);
}

static void count_byte(struct code *c, const struct counter_addressing *to, int64_t off,
	regset temps)
{
	unsigned base = take(&temps), value = take(&temps), carry = take(&temps);
	struct place p = put_base(c, to, off, base, value, false);

	put_access(c, LBU, value, &p);
	code_u32(c, ADDI | value << RS1 | value << RD | 1 << IMM);
	code_u32(c, SRLI | value << RS1 | carry << RD | 8 << IMM);
	code_u32(c, ADD | carry << RS2 | value << RS1 | value << RD);
	put_access(c, SB, value, &p);
}

/* Floating point ------------------------------------------------------- */

/* Behind the registers: fcsr. */
static int32_t vectors_size(regset vectors)
{
	return ((int32_t)count_regs(vectors) * 8 + 8 + SLOT - 1) / SLOT * SLOT;
}

static uint32_t store_to(uint32_t w, uint32_t off)
{
	return w | RV_SP << RS1 | store_imm((int32_t)off);
}

static void push_vectors(struct code *c, regset vectors, unsigned reg)
{
	uint32_t off = 0;

	add(c, RV_SP, -vectors_size(vectors), 0);
	for (; vectors; vectors &= vectors - 1, off += 8)
		code_u32(c, store_to(FSD | (lowest_reg(vectors) - REG_VECTOR) << RS2, off));
	code_u32(c, CSRRW_FCSR | reg << RD);
	code_u32(c, store_to(SD | reg << RS2, off));
}

static void pop_vectors(struct code *c, regset vectors, unsigned reg)
{
	int32_t size = vectors_size(vectors), off = (int32_t)count_regs(vectors) * 8;

	from_stack(c, reg, off);
	code_u32(c, CSRRW_FCSR | reg << RS1);
	for (off = 0; vectors; vectors &= vectors - 1, off += 8)
		code_u32(c,
			FLD | RV_SP << RS1 | (lowest_reg(vectors) - REG_VECTOR) << RD | imm(off));
	add(c, RV_SP, size, 0);
}

/* Control -------------------------------------------------------------- */

static void enter(struct code *c, uint32_t sym)
{
	put_address(c, RV_RA, sym, 0, JALR | RV_RA << RD);
}

static void lead(struct code *c, uint32_t sym)
{
	put_address(c, RV_T1, sym, 0, JALR);
}

static void call(struct code *c, uint32_t sym)
{
	push(c, RV_RA);
	enter(c, sym);
	pop(c, RV_RA);
}

static void jump(struct code *c, uint32_t n)
{
	code_u32(c, rv_with_distance(JAL, RV_FORM_J, n + 4));
}

static uint32_t put_branch(struct code *c, uint32_t w)
{
	code_u32(c, w);
	return c->bytes.n - 4;
}

static uint32_t branch_unless_zero(struct code *c, regset dead)
{
	(void)dead;
	return put_branch(c, BNE | RV_A0 << RS1);
}

static uint32_t branch_if_zero(struct code *c, unsigned reg)
{
	return put_branch(c, BEQ | reg << RS1);
}

static uint32_t branch_if_equal(struct code *c, unsigned reg, const struct counter_addressing *to,
	int64_t off, regset temps)
{
	unsigned base = take(&temps), value = take(&temps);
	struct place p = put_base(c, to, off, base, value, false);

	put_access(c, LD, value, &p);
	return put_branch(c, BEQ | reg << RS1 | value << RS2);
}

static void land(struct code *c, uint32_t branch)
{
	uint8_t *at = small_v(&c->bytes) + branch;

	put_u32(at, rv_with_distance(get_u32(at), RV_FORM_B, c->bytes.n - branch));
}

static void thread_pointer(struct code *c, unsigned reg)
{
	move(c, reg, RV_TP);
}

/* Tests ---------------------------------------------------------------- */

static void scramble(struct code *c, unsigned reg, uint32_t n)
{
	if (reg >= REG_VECTOR) {
		code_u32(c, FMV_D_X | (n & 1 ? RV_SP : RV_ZERO) << RS1 | (reg - REG_VECTOR) << RD);
		return;
	}
	code_u32(c, LUI | reg << RD | (n & 0xfffff000));
	code_u32(c, ORI | reg << RS1 | reg << RD | n << IMM);
	if (n & 1)
		code_u32(c, SLLI | reg << RS1 | reg << RD | (n >> 8 & 31) << IMM);
}

static void scramble_flags(struct code *c, uint32_t n, regset dead)
{
	(void)c, (void)n, (void)dead;
}

const struct micro rv_micro = {
	.base_bias = 0x800,
	.base_bits = 12,
	.slot = SLOT,
	.enter_changes = REG_BIT(RV_RA),
	.base_regs = RV_ALL & ~(RV_REGS(RV_SP, RV_TP)),
	.memory_regs = {[ACCESS_PLAIN] = 2, [ACCESS_ATOMIC] = 2},
	.count_regs = {[ACCESS_PLAIN] = 2, [ACCESS_ATOMIC] = 2},
	.add_most = 0x7ff,
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
	.float_words = 1,
	.float_regs = 1,
	.vector_bytes = 8,
	.operand = rv_operand,
	.operand_reloc = rv_operand_reloc,
	.low_bytes = rv_low_bytes,
	.condition = rv_condition,
	.increment = increment,
	.add_number = add_number,
	.set_base = set_base,
	.row_near = 1 << 11,
	.row_most = 1 << 11,
	.row_bits = ROW_BITS,
	.row_bias = ROW_BIAS,
	.row_temps = 1,
	.row_brief = true,
	.more_regs = {[ACCESS_PLAIN] = 1, [ACCESS_ATOMIC] = 2},
	.add_to = add_to,
	.take_from = take_from,
	.set_byte = set_byte,
	.count_byte = count_byte,
	.byte_regs = 3,
	.enter = enter,
	.call = call,
	.lead = lead,
	.lead_changes = REG_BIT(RV_T1),
	.jump = jump,
	.branch_unless_zero = branch_unless_zero,
	.branch_if_zero = branch_if_zero,
	.branch_if_equal = branch_if_equal,
	.land = land,
	.thread_pointer = thread_pointer,
	.scramble = scramble,
	.scramble_flags = scramble_flags,
};
