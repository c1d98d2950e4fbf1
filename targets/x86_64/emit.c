/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - the micro-operations of x86-64; see targets/micro.h
 */
#include "targets/x86_64/x86_64.h"

/* Opcodes op %reg,rm, which change rm. */
enum { ADD = 0x01, SUB = 0x29, MOV = 0x89 };

/* Opcodes of two vector registers, which change the first. */
enum { PCMPEQD = 0x76, PSRLQ = 0x73, PXOR = 0xef, PSUBQ = 0xfb };

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

/* Append these bytes and a relocated field of 32 bits. */
static void put_field(struct code *c, const void *bytes, uint32_t n, struct reloc r)
{
	static const uint8_t zero[4];

	code_put(c, bytes, n);
	code_reloc(c, r);
	code_put(c, zero, sizeof zero);
}

/* An operation of two 64-bit registers, which may change the second. */
static void put_op(struct code *c, uint8_t opcode, unsigned from, unsigned to)
{
	uint8_t op[] = {(uint8_t)(0x48 | from >> 3 << 2 | to >> 3), opcode,
		(uint8_t)(0xc0 | (from & 7) << 3 | (to & 7))};

	code_put(c, op, sizeof op);
}

/* 66 REX.W 0F 6E/7E: movq between a vector and a general register (Intel SDM volume 2). */
static void put_movq(struct code *c, bool to_vector, unsigned xmm, unsigned reg)
{
	uint8_t rex = (uint8_t)(0x48 | xmm >> 3 << 2 | reg >> 3);
	uint8_t movq[] = {0x66, rex, 0x0f, to_vector ? 0x6e : 0x7e,
		(uint8_t)(0xc0 | (xmm & 7) << 3 | (reg & 7))};

	code_put(c, movq, sizeof movq);
}

/*
 * An SSE instruction of map 0F: its mandatory prefix, then its opcode, register, and what is behind
 * that, of which rm is a register, too.
 */
static void put_sse(struct code *c, uint8_t prefix, uint8_t opcode, unsigned reg, unsigned rm)
{
	uint8_t rex = (uint8_t)(0x40 | reg >> 3 << 2 | rm >> 3);
	uint8_t op[] = {0x0f, opcode, (uint8_t)(0xc0 | (reg & 7) << 3 | (rm & 7))};

	code_put(c, &prefix, 1);
	if (rex != 0x40)
		code_put(c, &rex, 1);
	code_put(c, op, sizeof op);
}

/* An operation of two vector registers, which changes the first. */
static void put_vectors(struct code *c, uint8_t opcode, unsigned to, unsigned by)
{
	put_sse(c, 0x66, opcode, to, by);
}

static unsigned xmm_of(unsigned reg)
{
	return reg - XMM0;
}

/* Registers ------------------------------------------------------------ */

/* xor %reg,%reg, which changes the flags, or mov $0,%reg; both of 32 bits. */
static void set_zero(struct code *c, unsigned reg, bool flags_dead)
{
	uint8_t low = reg & 7, high = (uint8_t)(reg >> 3);
	uint8_t xor
		[] = {(uint8_t)(0x40 | high << 2 | high), 0x31, (uint8_t)(0xc0 | low << 3 | low)};
	uint8_t mov[] = {0x41, (uint8_t)(0xb8 | low), 0, 0, 0, 0};

	if (flags_dead)
		code_put(c, high ? xor : xor+1, high ? sizeof xor : sizeof xor -1);
	else
		code_put(c, high ? mov : mov + 1, high ? sizeof mov : sizeof mov - 1);
}

static void set(struct code *c, unsigned reg, int32_t n, regset dead)
{
	unsigned xmm = xmm_of(reg);

	if (reg < XMM0)
		set_zero(c, reg, !(X86_STATUS & ~dead));
	else
		put_vectors(c, n ? PCMPEQD : PXOR, xmm, xmm);
}

static void move(struct code *c, unsigned to, unsigned from)
{
	if (to >= XMM0)
		put_movq(c, true, xmm_of(to), from);
	else if (from >= XMM0)
		put_movq(c, false, xmm_of(from), to);
	else
		put_op(c, MOV, from, to);
}

/* lea n(%reg),%reg: a base of %rsp or %r12 needs a SIB byte (Intel SDM volume 2, table 2-5). */
static void put_lea(struct code *c, unsigned reg, int32_t n)
{
	uint8_t low = reg & 7, high = (uint8_t)(reg >> 3), sib = 0x24, disp[4];
	bool brief = n == (int8_t)n;
	uint8_t lea[] = {(uint8_t)(0x48 | high << 2 | high), 0x8d,
		(uint8_t)((brief ? 0x40 : 0x80) | low << 3 | low)};

	put_u32(disp, (uint32_t)n);
	code_put(c, lea, sizeof lea);
	if (low == RSP)
		code_put(c, &sib, 1);
	code_put(c, disp, brief ? 1 : sizeof disp);
}

static void add(struct code *c, unsigned reg, int32_t n, regset dead)
{
	uint8_t inc[] = {(uint8_t)(0x48 | reg >> 3), 0xff, (uint8_t)(0xc0 | (reg & 7))};

	if (n == 1 && !(X86_STATUS & ~dead))
		code_put(c, inc, sizeof inc);
	else
		put_lea(c, reg, n);
	if (reg == RSP)
		code_lower_stack(c, -n);
}

static void subtract(struct code *c, unsigned reg, unsigned by)
{
	if (reg >= XMM0)
		put_vectors(c, PSUBQ, xmm_of(reg), xmm_of(by));
	else
		put_op(c, SUB, by, reg);
}

static void shift(struct code *c, unsigned reg, unsigned by)
{
	uint8_t sar[] = {(uint8_t)(0x48 | reg >> 3), 0xc1, (uint8_t)(0xf8 | (reg & 7)),
		(uint8_t)by};

	code_put(c, sar, sizeof sar);
}

/* push and pop of a register, by the opcode of the one or the other with %rax. */
static void put_stack_op(struct code *c, uint8_t opcode, unsigned reg)
{
	uint8_t op[] = {0x41, (uint8_t)(opcode | (reg & 7))};

	code_put(c, reg < R8 ? op + 1 : op, reg < R8 ? 1 : sizeof op);
}

static void push(struct code *c, unsigned reg)
{
	put_stack_op(c, 0x50, reg);
	code_lower_stack(c, 8);
}

static void pop(struct code *c, unsigned reg)
{
	put_stack_op(c, 0x58, reg);
	code_lower_stack(c, -8);
}

/* mov $n,%reg: zero-extended from 32 bits, sign-extended from 32 bits, or of 64 bits. */
static void constant(struct code *c, unsigned reg, uint64_t n)
{
	uint8_t high = (uint8_t)(reg >> 3), low = reg & 7, bytes[8];
	uint8_t brief[] = {0x41, (uint8_t)(0xb8 | low)};
	uint8_t extended[] = {(uint8_t)(0x48 | high), 0xc7, (uint8_t)(0xc0 | low)};
	uint8_t whole[] = {(uint8_t)(0x48 | high), (uint8_t)(0xb8 | low)};

	put_u64(bytes, n);
	if (n <= UINT32_MAX)
		code_put(c, brief + !high, sizeof brief - !high);
	else if (n == (uint64_t)(int32_t)n)
		code_put(c, extended, sizeof extended);
	else
		code_put(c, whole, sizeof whole);
	code_put(c, bytes, n <= UINT32_MAX || n == (uint64_t)(int32_t)n ? 4 : 8);
}

/* lea sym+n(%rip),%reg */
static void address(struct code *c, unsigned reg, uint32_t sym, int64_t n)
{
	uint8_t lea[] = {(uint8_t)(0x48 | reg >> 3 << 2), 0x8d, (uint8_t)(0x05 | (reg & 7) << 3)};

	put_field(c, lea, sizeof lea,
		(struct reloc){.addend = n - 4, .type = R_X86_64_PC32, .sym = sym});
}

/* An instruction on register reg and memory at off(%rsp). */
static void put_on_stack(struct code *c, uint8_t opcode, unsigned reg, int32_t off)
{
	bool brief = off == (int8_t)off;
	uint8_t op[] = {(uint8_t)(0x48 | reg >> 3 << 2), opcode,
		(uint8_t)((brief ? 0x44 : 0x84) | (reg & 7) << 3), 0x24};
	uint8_t disp[4];

	put_u32(disp, (uint32_t)off);
	code_put(c, op, sizeof op);
	code_put(c, disp, brief ? 1 : sizeof disp);
}

static void from_stack(struct code *c, unsigned reg, int32_t off)
{
	put_on_stack(c, 0x8b, reg, off);
}

static void stack_plus(struct code *c, unsigned reg, int32_t off)
{
	put_on_stack(c, 0x8d, reg, off);
}

/* Vectors -------------------------------------------------------------- */

enum { MOVUPS_LOAD = 0x10, MOVUPS_STORE = 0x11, STATE = 0xae, LDMXCSR = 2, STMXCSR = 3 };

/* An instruction of map 0F without prefixes on register or extension reg and memory at off(%rsp).
 */
static void put_0f_on_stack(struct code *c, uint8_t opcode, unsigned reg, int32_t off)
{
	bool brief = off == (int8_t)off;
	uint8_t op[] = {0x44, 0x0f, opcode, (uint8_t)((brief ? 0x44 : 0x84) | (reg & 7) << 3),
		0x24};
	uint8_t disp[4];

	put_u32(disp, (uint32_t)off);
	code_put(c, op + (reg < 8), (uint32_t)(sizeof op - (reg < 8)));
	code_put(c, disp, brief ? 1 : sizeof disp);
}

/* Behind the registers: the old MXCSR, and the one to be loaded. */
static int32_t vectors_size(regset vectors)
{
	return (int32_t)count_regs(vectors) * 16 + 8;
}

static void put_vectors_on_stack(struct code *c, uint8_t opcode, regset vectors)
{
	for (int32_t off = 0; vectors; vectors &= vectors - 1, off += 16)
		put_0f_on_stack(c, opcode, xmm_of(lowest_reg(vectors)), off);
}

/* Without VEX, movups leaves what is above 128 bits as it is (Intel SDM volume 1, 14.10). */
static void push_vectors(struct code *c, regset vectors, unsigned reg)
{
	int32_t size = vectors_size(vectors);
	uint8_t movl[] = {0xc7, 0x84, 0x24}, number[4];

	(void)reg;
	add(c, RSP, -size, 0);
	put_vectors_on_stack(c, MOVUPS_STORE, vectors);
	put_0f_on_stack(c, STATE, STMXCSR, size - 8);
	code_put(c, movl, sizeof movl);
	put_u32(number, (uint32_t)size - 4);
	code_put(c, number, sizeof number);
	put_u32(number, X86_MXCSR);
	code_put(c, number, sizeof number);
	put_0f_on_stack(c, STATE, LDMXCSR, size - 4);
}

static void pop_vectors(struct code *c, regset vectors, unsigned reg)
{
	int32_t size = vectors_size(vectors);

	(void)reg;
	put_0f_on_stack(c, STATE, LDMXCSR, size - 8);
	put_vectors_on_stack(c, MOVUPS_LOAD, vectors);
	add(c, RSP, size, 0);
}

/* Counters ------------------------------------------------------------- */

/*
 * An instruction on a counter: prefix, REX unless 0, opcode, reg as its other operand.  The caller
 * appends the last bytes behind the address; a distance is relative to their end.
 * With an absolute address the processor forwards the last store to the next load without delay;
 * relative to %rip it does not (measured: eight times as fast in a row).  The encoding without
 * %rip is a byte longer (Intel SDM volume 2, 2.2.1.6).
 */
static void put_on_counter(struct code *c, const struct counter_addressing *to, uint8_t rex,
	uint8_t opcode, unsigned reg, int64_t off, int last)
{
	static const uint8_t gs = 0x65;
	bool fixed = to->fixed && !(to->near && to->repeat != REPEAT_SOON);
	uint8_t field = (uint8_t)((reg & 7) << 3);
	uint8_t near[] = {opcode, (uint8_t)(0x05 | field)};
	uint8_t by_address[] = {opcode, (uint8_t)(0x04 | field), 0x25};

	if (to->access == ACCESS_THREAD || (to->moved && fixed))
		code_put(c, &gs, 1);
	if (rex)
		code_put(c, &rex, 1);
	if (fixed)
		put_field(c, by_address, sizeof by_address,
			(struct reloc){.addend = off, .type = R_X86_64_32S, .sym = to->sym_fixed});
	else
		put_field(c, near, sizeof near,
			(struct reloc){.addend = off - 4 - last,
				.type = R_X86_64_PC32,
				.sym = to->sym});
}

enum { IDLE = 0x3e, GS = 0x65, LOCK = 0xf0, IF_EQUAL = 0x74, ALWAYS = 0xeb, COMPARE = 0x3b };

/* n prefixes of %ds, which have no effect. */
static void put_idle(struct code *c, const struct counter_addressing *to, uint32_t n)
{
	static const uint8_t idle[] = {IDLE, IDLE};

	if (to->access == ACCESS_TURNED)
		code_put(c, idle, n);
}

static void put_lock(struct code *c, const struct counter_addressing *to)
{
	static const uint8_t lock = LOCK;

	if (to->access == ACCESS_ATOMIC)
		code_put(c, &lock, 1);
	put_idle(c, to, 2);
}

/*
 * ds ds REX opcode modrm field: the first becomes lock, the second gs.  That one is the last,
 * because some decoders let a later prefix of %ds cancel an earlier one of %gs.
 * ds REX cmp modrm field je: ds becomes gs, je jmp.
 */
bool x86_turn(const uint8_t *field, struct turn *turn)
{
	static const struct turn check = {.at = 4,
					 .byte = {{-4, {IDLE, GS, GS, IDLE}},
						 {4, {IF_EQUAL, IF_EQUAL, IF_EQUAL, ALWAYS}}}},
				 change = {.at = -5,
					 .byte = {{-5, {IDLE, IDLE, LOCK, LOCK}},
						 {-4, {IDLE, GS, GS, IDLE}}}};
	bool checks = field[-2] == COMPARE;

	*turn = checks ? check : change;
	return field[-4] == IDLE && (checks ? field[4] == IF_EQUAL : field[-5] == IDLE);
}

/*
 * [gs|lock|ds ds] incq keeps CF; addq $1 does not, and is a byte longer.  With an absolute address
 * addq is faster in a short loop (measured: the loop takes 1.5 times its time, with incq 2.8
 * times), and takes a third of incq's time in long straight code (relative to %rip as much).
 */
static void increment(struct code *c, const struct counter_addressing *to, int64_t off, regset dead)
{
	static const uint8_t one = 1;

	put_lock(c, to);
	if (!(dead & REG_BIT(X86_CF)) || !to->fixed || to->repeat == REPEAT_RARELY) {
		put_on_counter(c, to, 0x48, 0xff, 0, off, 0);
		return;
	}
	put_on_counter(c, to, 0x48, 0x83, 0, off, 1);
	code_put(c, &one, 1);
}

/* addq $n, sign-extended from 8 or 32 bits */
static void add_number(struct code *c, const struct counter_addressing *to, int64_t off, int32_t n,
	regset temps)
{
	bool brief = n >= INT8_MIN && n <= INT8_MAX;
	uint8_t bytes[4];

	(void)temps;
	put_u32(bytes, (uint32_t)n);
	put_lock(c, to);
	put_on_counter(c, to, 0x48, brief ? 0x83 : 0x81, 0, off, brief ? 1 : sizeof bytes);
	code_put(c, bytes, brief ? 1 : sizeof bytes);
}

static void add_to(struct code *c, const struct counter_addressing *to, int64_t off, unsigned reg,
	regset temps)
{
	(void)temps;
	put_lock(c, to);
	put_on_counter(c, to, (uint8_t)(0x48 | reg >> 3 << 2), ADD, reg, off, 0);
}

static void take_from(struct code *c, const struct counter_addressing *to, int64_t off,
	unsigned reg, regset temps)
{
	(void)temps;
	put_lock(c, to);
	put_on_counter(c, to, (uint8_t)(0x48 | reg >> 3 << 2), SUB, reg, off, 0);
}

/* [gs] movb $1,counter: relative to %rip it takes more time in straight code (measured). */
static void set_byte(struct code *c, const struct counter_addressing *to, int64_t off, regset temps)
{
	static const uint8_t one = 1;

	(void)temps;
	put_on_counter(c, to, 0, 0xc6, 0, off, 1);
	code_put(c, &one, 1);
}

/* addb $1,byte; adcb $0,byte */
static void count_byte(struct code *c, const struct counter_addressing *to, int64_t off,
	regset temps)
{
	(void)temps;
	for (uint8_t n = 2; n-- > 0;) {
		put_on_counter(c, to, 0, 0x80, n ? 0 : 2, off, 1);
		code_put(c, &n, 1);
	}
}

/* lahf, and seto %al unless OF is dead: sahf sets the others (Intel SDM volume 2). */
static void save_flags(struct code *c, unsigned reg, regset dead)
{
	static const uint8_t save[] = {0x9f, 0x0f, 0x90, 0xc0};

	(void)reg; /* %rax, the only holder */
	code_put(c, save, dead & REG_BIT(X86_OF) ? 1 : sizeof save);
}

/* add $127,%al; sahf: 1 + 127 overflows, 0 + 127 does not. */
static void restore_flags(struct code *c, unsigned reg, regset dead)
{
	static const uint8_t restore[] = {0x04, 0x7f, 0x9e};
	uint32_t from = dead & REG_BIT(X86_OF) ? 2 : 0;

	(void)reg;
	code_put(c, restore + from, sizeof restore - from);
}

/* Control -------------------------------------------------------------- */

static void call(struct code *c, uint32_t sym)
{
	static const uint8_t opcode = 0xe8;

	put_field(c, &opcode, 1, (struct reloc){.addend = -4, .type = R_X86_64_PLT32, .sym = sym});
}

static void lead(struct code *c, uint32_t sym)
{
	static const uint8_t opcode = 0xe9;

	put_field(c, &opcode, 1, (struct reloc){.addend = -4, .type = R_X86_64_PLT32, .sym = sym});
}

static void jump(struct code *c, uint32_t n)
{
	uint8_t near[5] = {0xe9}, brief[2] = {0xeb, (uint8_t)n};

	put_u32(near + 1, n);
	if (n <= INT8_MAX)
		code_put(c, brief, sizeof brief);
	else
		code_put(c, near, sizeof near);
}

static void landing(struct code *c)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	code_put(c, endbr64, sizeof endbr64);
}

/* Append these bytes; the one last bytes from the end is a branch's distance. */
static uint32_t put_branch(struct code *c, const uint8_t *bytes, uint32_t n, uint32_t last)
{
	code_put(c, bytes, n);
	return c->bytes.n - last;
}

static uint32_t branch_unless_zero(struct code *c, regset dead)
{
	/* test %rax,%rax; jne 1f */
	static const uint8_t by_flags[] = {0x48, 0x85, 0xc0, 0x75, 0};
	/* mov %rax,%rcx; jrcxz 2f; jmp 1f; 2: */
	static const uint8_t by_rcx[] = {0x48, 0x89, 0xc1, 0xe3, 0x02, 0xeb, 0};
	/* xchg %rax,%rcx; jrcxz 2f; xchg %rax,%rcx; jmp 1f; 2: xchg %rax,%rcx */
	static const uint8_t by_xchg[] = {0x48, 0x91, 0xe3, 0x04, 0x48, 0x91, 0xeb, 0, 0x48, 0x91};

	if (!(X86_STATUS & ~dead))
		return put_branch(c, by_flags, sizeof by_flags, 1);
	if (dead & REG_BIT(RCX))
		return put_branch(c, by_rcx, sizeof by_rcx, 1);
	return put_branch(c, by_xchg, sizeof by_xchg, 3);
}

/* test %reg,%reg; je 1f, by 32 bits: see land() */
static uint32_t branch_if_zero(struct code *c, unsigned reg)
{
	uint8_t code[] = {(uint8_t)(reg < R8 ? 0x48 : 0x4d), 0x85,
		(uint8_t)(0xc0 | (reg & 7) << 3 | (reg & 7)), 0x0f, 0x84, 0, 0, 0, 0};
	return put_branch(c, code, sizeof code, 4);
}

/* cmp counter,%reg; je 1f */
static uint32_t branch_if_equal(struct code *c, unsigned reg, const struct counter_addressing *to,
	int64_t off, regset temps)
{
	static const uint8_t je[] = {0x74, 0};

	(void)temps;
	put_idle(c, to, 1);
	put_on_counter(c, to, (uint8_t)(0x48 | reg >> 3 << 2), COMPARE, reg, off, 0);
	return put_branch(c, je, sizeof je, 1);
}

static void land(struct code *c, uint32_t branch)
{
	uint8_t *at = small_v(&c->bytes) + branch;
	uint32_t n = c->bytes.n - (branch + 1);

	if (at[-1] == 0x84) { /* of branch_if_zero() */
		put_u32(at, n - 3);
		return;
	}
	if (n > INT8_MAX)
		bug("branch over too much inserted code");
	*at = (uint8_t)n;
}

/* mov %fs:0,%reg: the psABI's thread pointer (ELF Handling for Thread-Local Storage, 3.4.2). */
static void thread_pointer(struct code *c, unsigned reg)
{
	uint8_t low = reg & 7, high = (uint8_t)(reg >> 3);
	uint8_t mov[9] = {0x64, (uint8_t)(0x48 | high << 2), 0x8b, (uint8_t)(0x04 | low << 3),
		0x25}; /* absolute: Intel SDM volume 2, 2.2.1.3 */

	code_put(c, mov, sizeof mov);
}

/* Tests ---------------------------------------------------------------- */

/* mov $n,%reg: sign-extended to 64 bits. */
static void put_number(struct code *c, unsigned reg, uint32_t n)
{
	uint8_t mov[7] = {(uint8_t)(0x48 | reg >> 3), 0xc7, (uint8_t)(0xc0 | (reg & 7))};

	put_u32(mov + 3, n);
	code_put(c, mov, sizeof mov);
}

/* pcmpeqd %xmm,%xmm; psrlq $n,%xmm: ones below zeros. */
static void put_ones(struct code *c, unsigned xmm, uint32_t n)
{
	uint8_t by = n % 64;

	put_vectors(c, PCMPEQD, xmm, xmm);
	put_sse(c, 0x66, PSRLQ, 2, xmm);
	code_put(c, &by, 1);
}

/* cmp $n,%reg or, one time in four, cmp %reg,%reg, by which ZF and PF are set. */
static void put_comparison(struct code *c, unsigned reg, uint32_t n, bool same)
{
	uint8_t high = (uint8_t)(reg >> 3), low = reg & 7;
	uint8_t number[7] = {(uint8_t)(0x40 | high), 0x81, (uint8_t)(0xf8 | low)};
	uint8_t itself[] = {(uint8_t)(0x40 | high << 2 | high), 0x39,
		(uint8_t)(0xc0 | low << 3 | low)};

	put_u32(number + 3, n);
	if (same)
		code_put(c, itself, sizeof itself);
	else
		code_put(c, number, sizeof number);
}

static void scramble(struct code *c, unsigned reg, uint32_t n)
{
	if (reg >= XMM0)
		put_ones(c, xmm_of(reg), n);
	else
		put_number(c, reg, n);
}

/*
 * Set flags by one instruction: all; or, by inc of a dead register, all but CF; or CF alone.
 * inc of 0x7fffffff sets OF, and of -1 sets ZF.
 */
static void scramble_flags(struct code *c, uint32_t n, regset dead)
{
	regset regs = dead & X86_GPRS & ~(REG_BIT(RSP) | REG_BIT(RBP));
	unsigned reg = regs ? lowest_reg(regs) : RSP;
	uint8_t inc[] = {(uint8_t)(0x40 | reg >> 3), 0xff, (uint8_t)(0xc0 | (reg & 7))};
	uint8_t carry = n & 1 ? 0xf9 : 0xf8; /* stc, clc */

	if (!(X86_STATUS & ~dead)) {
		put_comparison(c, reg, n, n % 4 == 0);
	} else if (!(INC_FLAGS & ~dead) && regs) {
		if (n % 4 < 2)
			put_number(c, reg, n & 1 ? 0x7fffffff : UINT32_MAX);
		code_put(c, inc, sizeof inc);
	} else if (dead & REG_BIT(X86_CF)) {
		code_put(c, &carry, 1);
	}
}

const struct micro x86_micro = {
	.hold_vectors = X86_SPARE & ~REG_BIT(XMM15),
	.hold_unit = REG_BIT(XMM15),
	.vectors = X86_SSE,
	.count_flags = INC_FLAGS,
	.add_flags = X86_STATUS,
	.test_flags = X86_STATUS,
	.add_least = INT32_MIN,
	.add_most = INT32_MAX,
	.flag_holders = REG_BIT(RAX),
	.base_regs = X86_GPRS & ~(REG_BIT(RSP) | REG_BIT(RBP) | REG_BIT(R12) | REG_BIT(R13)),
	.red_zone = 128, /* psABI, 3.2.2 */
	.slot = 8,
	.set = set,
	.move = move,
	.add = add,
	.subtract = subtract,
	.shift = shift,
	.push = push,
	.pop = pop,
	.constant = constant,
	.address = address,
	.from_stack = from_stack,
	.stack_plus = stack_plus,
	.push_vectors = push_vectors,
	.pop_vectors = pop_vectors,
	.vectors_size = vectors_size,
	.float_begins = {X86_MXCSR},
	.float_words = 1,
	.vector_bytes = 16,
	.unfit = x86_unfit,
	.operand = x86_operand,
	.operand_reloc = x86_operand_reloc,
	.low_bytes = x86_low_bytes,
	.condition = x86_condition,
	.fold_body = x86_fold_body,
	.shrink_body = x86_shrink_body,
	.body_uses = x86_body_uses,
	.rename_body = x86_rename_body,
	.increment = increment,
	.add_number = add_number,
	.add_to = add_to,
	.take_from = take_from,
	.set_byte = set_byte,
	.count_byte = count_byte,
	.save_flags = save_flags,
	.restore_flags = restore_flags,
	.enter = call,
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
