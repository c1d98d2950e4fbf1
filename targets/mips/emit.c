/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - the micro-operations of MIPS; see targets/micro.h
 *
 * There are no flags.  In o32 a counter is two words; the high one is incremented when the low one
 * becomes 0:
 *
 *		lui base,%hi; lw n,LOW(base); addiu n,n,1; bnez n,1f; sw n,LOW(base)
 *		lw n,HIGH(base); addiu n,n,1; sw n,HIGH(base); 1:
 *
 * A register holds the low word of what is to be added, and carries as soon as it becomes 0.  In
 * n64 a counter is one word, of 64 bits.
 *
 * There is no pc-relative address either.  Position-independent code adds a distance, which is a
 * word of the code, to the return address of a call of what is behind that word:
 *
 *		move temp,$ra; bal 1f; nop; .word counter - .; 1: lw base,0($ra); addu base,base,$ra
 *		move $ra,temp
 */
#include "targets/mips/mips.h"

/* Instructions with all registers $0; those of a whole register. */
enum {
	ADDIU = MIPS_WORD == 8 ? 0x64000000 : 0x24000000,
	ADDU = MIPS_WORD == 8 ? 0x2d : 0x21,
	BAL_OVER_WORD = 0x04110002,
	BEQ = 0x10000000,
	BNE = 0x14000000,
	CFC1_FCSR = 0x4440f800,
	CTC1_FCSR = 0x44c0f800,
	DSLL = 0x38,
	JALR = 0x0000f809,
	JR = 0x00000008,
	LBU = 0x90000000,
	LDC1 = 0xd4000000,
	LL = MIPS_WORD == 8 ? 0xd0000000 : 0xc0000000,
	LOAD = MIPS_WORD == 8 ? 0xdc000000 : 0x8c000000,
	LUI = 0x3c000000,
	MFHI = 0x10,
	MFLO = 0x12,
	MTC1 = MIPS_WORD == 8 ? 0x44a00000 : 0x44800000, /* dmtc1 */
	MTHI = 0x11,
	MTLO = 0x13,
	LW = 0x8c000000,
	OR = 0x00000025,
	ORI = 0x34000000,
	SB = 0xa0000000,
	SDC1 = 0xf4000000,
	SC = MIPS_WORD == 8 ? 0xf0000000 : 0xe0000000,
	STORE = MIPS_WORD == 8 ? 0xfc000000 : 0xac000000,
	RDHWR_V1 = 0x7c03e83b,
	SLTIU = 0x2c000000,
	SLTU = 0x0000002b,
	SRA = MIPS_WORD == 8 ? 0x3b : 0x03,
	SRL = 0x02,
	SUBU = MIPS_WORD == 8 ? 0x2f : 0x23,
};
enum { RS = 21, RT = 16, RD = 11, SA = 6 };
enum { LOW = MIPS_BIG && MIPS_WORD == 4 ? 4 : 0, HIGH = 4 - LOW }; /* words of a counter */

/* Registers ------------------------------------------------------------ */

static void set(struct code *c, unsigned reg, int32_t n, regset dead)
{
	(void)dead;
	mips_code(c, ADDIU | reg << RT | (uint16_t)n);
}

static void move(struct code *c, unsigned to, unsigned from)
{
	mips_code(c, OR | from << RS | to << RD);
}

static void add(struct code *c, unsigned reg, int32_t n, regset dead)
{
	(void)dead;
	mips_code(c, ADDIU | reg << RS | reg << RT | (uint16_t)n);
	if (reg == MIPS_SP)
		code_lower_stack(c, -n);
}

static void subtract(struct code *c, unsigned reg, unsigned by)
{
	mips_code(c, SUBU | reg << RS | by << RT | reg << RD);
}

static void shift(struct code *c, unsigned reg, unsigned by)
{
	mips_code(c, SRA | reg << RT | reg << RD | by << SA);
}

/* The stack pointer stays a multiple of this. */
enum { SLOT = 2 * MIPS_WORD };

static void push(struct code *c, unsigned reg)
{
	add(c, MIPS_SP, -SLOT, 0);
	mips_code(c, STORE | MIPS_SP << RS | reg << RT);
}

static void pop(struct code *c, unsigned reg)
{
	mips_code(c, LOAD | MIPS_SP << RS | reg << RT);
	add(c, MIPS_SP, SLOT, 0);
}

/* HI and LO: mthi, mtlo, mult, div and the like of SPECIAL; madd, msub and mul of SPECIAL2. */
static bool changes_products(uint32_t w)
{
	uint32_t function = w & 0x3f;

	if (w >> 26 == 0x1c)
		return function < 6;
	return w >> 26 == 0 && (function == 0x11 || function == 0x13 || (function & 0x38) == 0x18);
}

static bool changes_rest(const uint8_t *p, unsigned len)
{
	return changes_products(mips_word(p)) || (len > 4 && changes_products(mips_word(p + 4)));
}

static void push_rest(struct code *c, unsigned reg)
{
	mips_code(c, MFHI | reg << RD);
	push(c, reg);
	mips_code(c, MFLO | reg << RD);
	push(c, reg);
}

static void pop_rest(struct code *c, unsigned reg)
{
	pop(c, reg);
	mips_code(c, MTLO | reg << RS);
	pop(c, reg);
	mips_code(c, MTHI | reg << RS);
}

/* Floating point ------------------------------------------------------- */

/*
 * In o32 an even register is saved, of 64 bits: with the odd one, or, where that is another of 64
 * bits, without it, which routines do not change.
 */
static regset wide_ones(regset vectors)
{
	const regset even = (regset)0x55555555 << REG_VECTOR;

	return MIPS_WORD == 8 ? vectors : (vectors | vectors >> 1) & even;
}

/* Behind the registers: FCSR. */
static int32_t vectors_size(regset vectors)
{
	return ((int32_t)count_regs(wide_ones(vectors)) * 8 + 8 + SLOT - 1) / SLOT * SLOT;
}

static void put_vectors(struct code *c, regset vectors, uint32_t w)
{
	uint32_t off = 0;

	for (vectors = wide_ones(vectors); vectors; vectors &= vectors - 1, off += 8)
		mips_code(c, w | MIPS_SP << RS | (lowest_reg(vectors) - REG_VECTOR) << RT | off);
}

static void push_vectors(struct code *c, regset vectors, unsigned reg)
{
	int32_t size = vectors_size(vectors);

	add(c, MIPS_SP, -size, 0);
	put_vectors(c, vectors, SDC1);
	mips_code(c, CFC1_FCSR | reg << RT);
	mips_code(c, STORE | MIPS_SP << RS | reg << RT | (uint16_t)(size - 8));
	mips_code(c, CTC1_FCSR | MIPS_ZERO << RT);
}

static void pop_vectors(struct code *c, regset vectors, unsigned reg)
{
	int32_t size = vectors_size(vectors);

	mips_code(c, LOAD | MIPS_SP << RS | reg << RT | (uint16_t)(size - 8));
	mips_code(c, CTC1_FCSR | reg << RT);
	put_vectors(c, vectors, LDC1);
	add(c, MIPS_SP, size, 0);
}

/* In o32, is what it changes in floating point an odd register? */
static const char *unfit(const uint8_t *p, const struct insn *in)
{
	for (unsigned at = 0; MIPS_WORD == 4 && at < in->len; at += 4)
		if (mips_changes_odd(mips_word(p + at)))
			return "an instruction that changes a register $f of an odd number";
	return NULL;
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
	mips_code(c, w);
}

/* reg = the address of sym; changes $ra. */
static void put_address(struct code *c, unsigned reg, uint32_t sym, int64_t off)
{
	mips_code(c, BAL_OVER_WORD);
	mips_code(c, 0);
	code_reloc(c, (struct reloc){.addend = off, .type = MIPS_R_PC32, .sym = sym});
	mips_code(c, 0);
	mips_code(c, LW | MIPS_RA << RS | reg << RT);
	mips_code(c, ADDU | MIPS_RA << RS | reg << RT | reg << RD);
}

/* lui, ori; of 64 bits, each further half of a word shifted in */
static void constant(struct code *c, unsigned reg, uint64_t n)
{
	uint32_t low = (uint32_t)n;

	if (MIPS_WORD == 8 && n != (uint64_t)(int32_t)n) {
		constant(c, reg, (uint64_t)((int64_t)n >> 16));
		mips_code(c, DSLL | reg << RT | reg << RD | 16 << SA);
	} else if (n == (uint64_t)(int16_t)n || (MIPS_WORD == 4 && low == (uint32_t)(int16_t)n)) {
		mips_code(c, ADDIU | reg << RT | (uint16_t)n);
		return;
	} else {
		mips_code(c, LUI | reg << RT | low >> 16);
	}
	if (n & 0xffff)
		mips_code(c, ORI | reg << RS | reg << RT | (n & 0xffff));
}

static void from_stack(struct code *c, unsigned reg, int32_t off)
{
	mips_code(c, LOAD | MIPS_SP << RS | reg << RT | (uint16_t)off);
}

static void stack_plus(struct code *c, unsigned reg, int32_t off)
{
	mips_code(c, ADDIU | MIPS_SP << RS | reg << RT | (uint16_t)off);
}

/* How the counter off bytes behind the first is addressed. */
struct place {
	const struct counter_addressing *to;
	int64_t off;
	unsigned base;
};

/* A load or store of the word at part, LOW or HIGH; or of byte 0. */
static void put_access(struct code *c, uint32_t w, unsigned value, const struct place *p,
	unsigned part)
{
	w |= p->base << RS | value << RT;
	if (p->to->pic)
		mips_code(c, w | part);
	else
		put_part(c, w, R_MIPS_LO16, p->to, p->off + part);
}

/* Makes the base of accesses to these parts; temp is changed. */
static struct place put_base(struct code *c, const struct counter_addressing *to, int64_t off,
	unsigned part, unsigned base, unsigned temp)
{
	if (to->base) {
		/* base is made */
	} else if (to->pic) {
		move(c, temp, MIPS_RA);
		put_address(c, base, to->sym, off);
		move(c, MIPS_RA, temp);
	} else {
		put_part(c, LUI | base << RT, R_MIPS_HI16, to, off + part);
	}
	return (struct place){.to = to, .off = off, .base = base};
}

static uint32_t put_branch(struct code *c, uint32_t w, uint32_t slot)
{
	mips_code(c, w);
	mips_code(c, slot);
	return c->bytes.n - 8;
}

static void land(struct code *c, uint32_t branch)
{
	uint8_t *at = small_v(&c->bytes) + branch;

	mips_put(at, mips_word(at) | ((c->bytes.n - branch) / 4 - 1));
}

enum { ONE = ADDIU | 1 };

static bool adds_number(uint32_t change)
{
	return change >> 26 == ADDIU >> 26;
}

static uint32_t changed(uint32_t change, unsigned to, unsigned from)
{
	return change | from << RS | to << (adds_number(change) ? RT : RD);
}

/* part += 1 atomically; value becomes 1. */
static void put_one_atomically(struct code *c, const struct place *p, unsigned part, unsigned value)
{
	uint32_t start = c->bytes.n;

	put_access(c, LL, value, p, part);
	mips_code(c, changed(ONE, value, value));
	put_access(c, SC, value, p, part);
	put_branch(c, BEQ | value << RS | (uint16_t)((start - c->bytes.n) / 4 - 1), 0);
}

/*
 * Increment both words: the thread that wraps the low one increments the high one.
 *
 *	1: ll n,LOW(base); addiu n,n,1; bnez n,2f; sc n,LOW(base); beqz n,1b; nop
 *	increment HIGH(base), after which n is 1; 2: beqz n,1b; nop
 */
static void increment_atomically(struct code *c, const struct place *p, unsigned value)
{
	uint32_t start = c->bytes.n, few;

	if (MIPS_WORD == 8) {
		put_one_atomically(c, p, LOW, value);
		return;
	}
	put_access(c, LL, value, p, LOW);
	mips_code(c, changed(ONE, value, value));
	few = c->bytes.n;
	mips_code(c, BNE | value << RS);
	put_access(c, SC, value, p, LOW);
	put_branch(c, BEQ | value << RS | (uint16_t)((start - c->bytes.n) / 4 - 1), 0);
	put_one_atomically(c, p, HIGH, value);
	land(c, few);
	put_branch(c, BEQ | value << RS | (uint16_t)((start - c->bytes.n) / 4 - 1), 0);
}

/* Changes part atomically; value is the new one. */
static void put_atomic(struct code *c, const struct place *p, unsigned part, uint32_t change,
	unsigned value, unsigned temp)
{
	uint32_t start = c->bytes.n;

	put_access(c, LL, value, p, part);
	mips_code(c, changed(change, temp, value));
	put_access(c, SC, temp, p, part);
	put_branch(c, BEQ | temp << RS | (uint16_t)((start - c->bytes.n) / 4 - 1),
		changed(change, value, value));
}

static void put_plain(struct code *c, const struct place *p, unsigned part, uint32_t change,
	unsigned value)
{
	put_access(c, LOAD, value, p, part);
	mips_code(c, changed(change, value, value));
	put_access(c, STORE, value, p, part);
}

/* Branches unless the change, to this value, has wrapped the low word; value is changed. */
static uint32_t put_unless_carry(struct code *c, uint32_t change, unsigned value)
{
	if (change == ONE)
		return put_branch(c, BNE | value << RS, 0);
	if (adds_number(change))
		mips_code(c, SLTIU | value << RS | value << RT | (change & 0xffff));
	else
		mips_code(c, SLTU | value << RS | (change & 31u << RT) | value << RD);
	return put_branch(c, BEQ | value << RS, 0);
}

/* The thread whose change wraps the low word increments the high one. */
static void change_atomically(struct code *c, const struct place *p, uint32_t change,
	unsigned value, unsigned temp)
{
	uint32_t branch;

	put_atomic(c, p, LOW, change, value, temp);
	if (MIPS_WORD == 8)
		return;
	branch = put_unless_carry(c, change, value);
	put_one_atomically(c, p, HIGH, value);
	land(c, branch);
}

static void increment_words(struct code *c, const struct place *p, unsigned value)
{
	uint32_t branch;

	put_access(c, LOAD, value, p, LOW);
	mips_code(c, changed(ONE, value, value));
	branch = c->bytes.n;
	mips_code(c, BNE | value << RS);
	put_access(c, STORE, value, p, LOW);
	put_plain(c, p, HIGH, ONE, value);
	land(c, branch);
}

static void add_words(struct code *c, const struct place *p, uint32_t change, unsigned value)
{
	uint32_t branch;

	put_plain(c, p, LOW, change, value);
	branch = put_unless_carry(c, change, value);
	put_plain(c, p, HIGH, ONE, value);
	land(c, branch);
}

/* change: an instruction of a whole register with empty fields but for its second operand. */
static void put_change(struct code *c, const struct counter_addressing *to, int64_t off,
	uint32_t change, regset temps)
{
	unsigned base = to->base ? to->base - 1u : take(&temps), value = take(&temps);
	struct place p = put_base(c, to, off, LOW, base, value);

	if (to->access == ACCESS_ATOMIC && change == ONE)
		increment_atomically(c, &p, value);
	else if (to->access == ACCESS_ATOMIC)
		change_atomically(c, &p, change, value, take(&temps));
	else if (MIPS_WORD == 8)
		put_plain(c, &p, LOW, change, value);
	else if (change == ONE)
		increment_words(c, &p, value);
	else
		add_words(c, &p, change, value);
}

/*
 * hazard: HI16 without LO16.  In o32 the addend is in the fields of both, so
 * the pair may need an instruction that does nothing.
 */
static void set_base(struct code *c, const struct counter_addressing *to, int64_t off, unsigned reg,
	bool alone, regset temps)
{
	(void)temps;
	put_part(c, LUI | reg << RT, R_MIPS_HI16, to, off + LOW);
	if (MIPS_WORD == 4 && alone)
		put_part(c, ADDIU | reg << RS | MIPS_ZERO << RT, R_MIPS_LO16, to, off + LOW);
}

static void increment(struct code *c, const struct counter_addressing *to, int64_t off, regset dead)
{
	put_change(c, to, off, ONE, dead & REGSET_GENERAL);
}

static void add_number(struct code *c, const struct counter_addressing *to, int64_t off, int32_t n,
	regset temps)
{
	put_change(c, to, off, ADDIU | (uint32_t)n, temps);
}

static void add_to(struct code *c, const struct counter_addressing *to, int64_t off, unsigned reg,
	regset temps)
{
	put_change(c, to, off, ADDU | reg << RT, temps);
}

/* Of a register with all bits of a counter. */
static void take_from(struct code *c, const struct counter_addressing *to, int64_t off,
	unsigned reg, regset temps)
{
	put_change(c, to, off, SUBU | reg << RT, temps);
}

static uint32_t branch_unless_wrapped(struct code *c, unsigned reg)
{
	return put_branch(c, BNE | reg << RS, 0);
}

static void carry(struct code *c, const struct counter_addressing *to, int64_t off, regset temps)
{
	unsigned base = take(&temps), value = take(&temps);
	struct place p = put_base(c, to, off, HIGH, base, value);

	if (to->access == ACCESS_ATOMIC)
		put_one_atomically(c, &p, HIGH, value);
	else
		put_plain(c, &p, HIGH, ONE, value);
}

static void set_byte(struct code *c, const struct counter_addressing *to, int64_t off, regset temps)
{
	unsigned base = take(&temps), value = take(&temps);
	struct place p = put_base(c, to, off, 0, base, value);

	mips_code(c, ADDIU | value << RT | 1);
	put_access(c, SB, value, &p, 0);
}

static void count_byte(struct code *c, const struct counter_addressing *to, int64_t off,
	regset temps)
{
	unsigned base = take(&temps), value = take(&temps), more = take(&temps);
	struct place p = put_base(c, to, off, 0, base, value);

	put_access(c, LBU, value, &p, 0);
	mips_code(c, ADDIU | value << RS | value << RT | 1);
	mips_code(c, SRL | value << RT | more << RD | 8 << SA);
	mips_code(c, ADDU | value << RS | more << RT | value << RD);
	put_access(c, SB, value, &p, 0);
}

/* Control -------------------------------------------------------------- */

static void enter(struct code *c, uint32_t sym)
{
	put_address(c, MIPS_T9, sym, 0);
	mips_code(c, JALR | MIPS_T9 << RS);
	mips_code(c, 0);
}

static void lead(struct code *c, uint32_t sym)
{
	move(c, MIPS_AT, MIPS_RA);
	put_address(c, MIPS_T9, sym, 0);
	mips_code(c, JR | MIPS_T9 << RS);
	move(c, MIPS_RA, MIPS_AT);
}

static void call(struct code *c, uint32_t sym)
{
	push(c, MIPS_RA);
	push(c, MIPS_T9);
	enter(c, sym);
	pop(c, MIPS_T9);
	pop(c, MIPS_RA);
}

static void jump(struct code *c, uint32_t n)
{
	mips_code(c, BEQ | (n / 4 + 1));
	mips_code(c, 0);
}

static uint32_t branch_unless_zero(struct code *c, regset dead)
{
	(void)dead;
	return branch_unless_wrapped(c, MIPS_V0);
}

static uint32_t branch_if_zero(struct code *c, unsigned reg)
{
	return put_branch(c, BEQ | reg << RS, 0);
}

static uint32_t branch_if_equal(struct code *c, unsigned reg, const struct counter_addressing *to,
	int64_t off, regset temps)
{
	unsigned base = take(&temps), value = take(&temps);
	struct place p = put_base(c, to, off, LOW, base, value);

	put_access(c, LOAD, value, &p, LOW);
	return put_branch(c, BEQ | reg << RS | value << RT, 0);
}

static void thread_pointer(struct code *c, unsigned reg)
{
	mips_code(c, (RDHWR_V1 & ~(31u << RT)) | reg << RT);
}

/* Tests ---------------------------------------------------------------- */

static void scramble(struct code *c, unsigned reg, uint32_t n)
{
	if (reg >= REG_VECTOR) {
		mips_code(c, MTC1 | (n & 1 ? MIPS_SP : MIPS_ZERO) << RT | (reg - REG_VECTOR) << RD);
		return;
	}
	mips_code(c, LUI | reg << RT | n >> 16);
	mips_code(c, ORI | reg << RS | reg << RT | (n & 0xffff));
}

static void scramble_flags(struct code *c, uint32_t n, regset dead)
{
	(void)c, (void)n, (void)dead;
}

const struct micro mips_micro = {
	.base_bias = 0x8000,
	.base_bits = 16,
	.slot = SLOT,
	/* in o32 a function makes its own $gp, which its caller restores */
	.enter_changes = REG_BIT(MIPS_RA) | REG_BIT(MIPS_T9) |
		(MIPS_WORD == 4 ? REG_BIT(MIPS_GP) : 0),
	.address_changes = REG_BIT(MIPS_RA),
	.base_regs = MIPS_REGS(MIPS_AT, 15),
	.memory_regs = {[ACCESS_PLAIN] = 2, [ACCESS_ATOMIC] = 3},
	.count_regs = {[ACCESS_PLAIN] = 2, [ACCESS_ATOMIC] = 2},
	.add_most = 0x7fff,
	.set = set,
	.move = move,
	.add = add,
	.subtract = subtract,
	.shift = shift,
	.push = push,
	.pop = pop,
	.constant = constant,
	.address = put_address,
	.from_stack = from_stack,
	.stack_plus = stack_plus,
	.vectors = REGSET_VECTORS,
	.push_vectors = push_vectors,
	.pop_vectors = pop_vectors,
	.vectors_size = vectors_size,
	.float_words = 1,
	.float_regs = 1,
	.vector_bytes = 8,
	.paired = MIPS_WORD == 4,
	.unfit = unfit,
	.operand = mips_operand,
	.operand_reloc = mips_operand_reloc,
	.low_bytes = mips_low_bytes,
	.condition = mips_condition,
	.changes_rest = changes_rest,
	.push_rest = push_rest,
	.pop_rest = pop_rest,
	.rest_slots = 2,
	.increment = increment,
	.add_number = add_number,
	.set_base = set_base,
	.more_regs = {[ACCESS_PLAIN] = 1, [ACCESS_ATOMIC] = 1},
	.add_to = add_to,
	.take_from = take_from,
	.branch_unless_wrapped = MIPS_WORD == 8 ? NULL : branch_unless_wrapped,
	.carry = carry,
	.set_byte = set_byte,
	.count_byte = count_byte,
	.byte_regs = 3,
	.enter = enter,
	.call = call,
	.lead = lead,
	.lead_changes = REG_BIT(MIPS_AT) | REG_BIT(MIPS_T9),
	.jump = jump,
	.branch_unless_zero = branch_unless_zero,
	.branch_if_zero = branch_if_zero,
	.branch_if_equal = branch_if_equal,
	.land = land,
	.thread_pointer = thread_pointer,
	.scramble = scramble,
	.scramble_flags = scramble_flags,
};
