/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit.c - the x86-64 target against tables of expected answers
 *
 * Arguments: the assembler, objcopy, and a file of instructions with what they
 * read and write.
 */
#include "targets/x86_64/x86_64.h"
#include "testsuite/check.h"

#include <stdlib.h>
#include <unistd.h>

static const struct target *const T = &target_x86_64;
static struct decoder *dec;
static struct arena arena;
static const char *as, *objcopy;
static char dir[] = "/tmp/ldx-targets-XXXXXX";

static uint8_t *read_all(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	struct buf b = {0};
	uint8_t chunk[4096];
	size_t k;

	if (!f) {
		perror(path);
		exit(1);
	}
	while ((k = fread(chunk, 1, sizeof chunk, f)))
		buf_put(&b, chunk, k);
	fclose(f);
	*n = b.n;
	return b.v;
}

/*
 * Assemble instructions, one a line; x is a label close by and y one far away.
 * pos[i] is where the i-th starts, pos[n] the end.
 */
static uint8_t *assemble(char *const *insn, size_t n, uint32_t **pos)
{
	FILE *f = fopen(arena_printf(&arena, "%s/a.s", dir), "w");
	uint8_t *text;
	size_t size;

	if (!f)
		exit(1);
	fprintf(f, "\t.text\n");
	for (size_t i = 0; i < n; i++) {
		fprintf(f, ".L%zu:\n\t.set x, .\n\t.set y, . + 1000\n\t%s\n", i, insn[i]);
	}
	fprintf(f, ".L%zu:\n\t.section .pos\n", n);
	for (size_t i = 0; i <= n; i++)
		fprintf(f, "\t.long .L%zu - .L0\n", i);
	fclose(f);
	if (system(arena_printf(&arena,
		    "cd %s && %s -o a.o a.s && %s -O binary -j .text a.o text && "
		    "%s -O binary -j .pos --set-section-flags .pos=alloc a.o pos",
		    dir, as, objcopy, objcopy)))
		exit(1);
	*pos = (uint32_t *)(void *)read_all(arena_printf(&arena, "%s/pos", dir), &size);
	text = read_all(arena_printf(&arena, "%s/text", dir), &size);
	CHECK(size == (*pos)[n], "assembled to %zu bytes, not %u", size, (*pos)[n]);
	return text;
}

/* One instruction; its length in *n. */
static uint8_t *assemble_one(const char *insn, size_t *n)
{
	char *copy = arena_printf(&arena, "%s", insn);
	uint32_t *pos;
	uint8_t *p = assemble(&copy, 1, &pos);

	*n = pos[1];
	return p;
}

static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8",
	"r9", "r10", "r11", "r12", "r13", "r14", "r15"};
static const char *const flag_names[] = {"CF", "PF", "AF", "ZF", "SF", "OF", "DF"};

static regset parse_set(char *s)
{
	regset set = 0;

	for (char *w = strtok(s, " \t"); w; w = strtok(NULL, " \t")) {
		regset bit = 0;

		for (int i = 0; i < 16; i++)
			if (!strcmp(w, names[i]))
				bit = REG_BIT(i);
		for (int i = 0; i < 7; i++)
			if (!strcmp(w, flag_names[i]))
				bit = REG_BIT(X86_CF + i);
		if (!strncmp(w, "xmm", 3))
			bit = REG_BIT(XMM0 + atoi(w + 3));
		if (!strcmp(w, "V"))
			bit = X86_VECTORS;
		if (!strcmp(w, "S"))
			bit = X86_STATUS;
		if (!strcmp(w, "I"))
			bit = X86_STATUS & ~REG_BIT(X86_CF);
		if (!strcmp(w, "all"))
			bit = X86_ALL;
		CHECK(bit, "%s is no register", w);
		set |= bit;
	}
	return set;
}

static char *show_set(regset set)
{
	char *s = arena_printf(&arena, "%s", "");

	for (int i = 0; i < 16; i++)
		if (set & REG_BIT(i))
			s = arena_printf(&arena, "%s %s", s, names[i]);
	for (int i = XMM0; i < XMM0 + 32 && ~set & X86_VECTORS; i++)
		if (set & REG_BIT(i))
			s = arena_printf(&arena, "%s xmm%d", s, i - XMM0);
	if (!(~set & X86_VECTORS))
		s = arena_printf(&arena, "%s V", s);
	for (int i = 0; i < 7; i++)
		if (set & REG_BIT(X86_CF + i))
			s = arena_printf(&arena, "%s %s", s, flag_names[i]);
	return s;
}

static void parse_traits(char *s, struct insn *want)
{
	static const struct {
		const char *name;
		uint8_t kind, flag, pc;
	} traits[] = {
		{"nop", INSN_NOP, 0, 0},
		{"jump", INSN_JUMP, 0, 0},
		{"branch", INSN_BRANCH, 0, 0},
		{"call", INSN_CALL, 0, 0},
		{"jumpind", INSN_JUMP_IND, 0, 0},
		{"callind", INSN_CALL_IND, 0, 0},
		{"ret", INSN_RET, 0, 0},
		{"trap", INSN_TRAP, 0, 0},
		{"syscall", INSN_SYSCALL, 0, 0},
		{"xbegin", INSN_XBEGIN, 0, 0},
		{"mem", 0, INSN_MEM, 0},
		{"landing", 0, INSN_LANDING, 0},
		{"short", 0, INSN_SHORT_ONLY, 0},
		{"lock", 0, INSN_LOCK_SPLIT, 0},
		{"vague", 0, INSN_VAGUE, 0},
		{"operand", 0, INSN_OPERAND_PC, 0},
		{"base", 0, INSN_THREAD_BASE, 0},
		{"pc1", 0, 0, 1},
		{"pc4", 0, 0, 4},
	};

	for (char *w = strtok(s, " \t"); w; w = strtok(NULL, " \t"))
		for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++)
			if (!strcmp(w, traits[i].name)) {
				want->kind |= traits[i].kind;
				want->flags |= traits[i].flag;
				want->pc_size |= traits[i].pc & 15;
			}
}

static void check_effect(const char *text, const uint8_t *p, uint32_t len, const struct insn *want)
{
	const struct effects *does, *wanted = insn_effects(want);
	struct insn in = {0};

	CHECK(T->decode(dec, p, len, &in), "%s: not decoded", text);
	does = insn_effects(&in);
	CHECK(in.len == len, "%s: length %u, not %u", text, in.len, len);
	CHECK(in.kind == want->kind, "%s: kind %u, not %u", text, in.kind, want->kind);
	CHECK(in.flags == want->flags, "%s: flags %#x, not %#x", text, in.flags, want->flags);
	CHECK(in.pc_size == want->pc_size, "%s: pc field of %u bytes", text, in.pc_size);
	CHECK(does->reads == wanted->reads, "%s: reads%s, not%s", text, show_set(does->reads),
		show_set(wanted->reads));
	CHECK(does->writes == wanted->writes, "%s: writes%s, not%s", text, show_set(does->writes),
		show_set(wanted->writes));
	CHECK(does->clobbers == wanted->clobbers, "%s: clobbers%s, not%s", text,
		show_set(does->clobbers), show_set(wanted->clobbers));
	for (uint32_t n = 0; n < len; n++)
		CHECK(!n || !T->decode(dec, p, n, &in), "%s: decoded from %u bytes", text, n);
}

static void test_effects(const char *path)
{
	VEC(char *) insn = {0};
	VEC(struct insn) want = {0};
	FILE *f = fopen(path, "r");
	char *line = NULL, *field[5];
	size_t cap = 0;
	uint32_t *pos;
	uint8_t *text;

	while (f && getline(&line, &cap, f) > 0) {
		char *rest = arena_printf(&arena, "%s", line);
		struct effects e;
		struct insn w = {0};

		rest[strcspn(rest, "\n")] = 0;
		if (*rest == '#')
			continue;
		for (int i = 0; i < 5; i++)
			field[i] = strsep(&rest, "|");
		CHECK(field[4] && !rest, "%s: five fields wanted", field[0]);
		if (!field[4])
			continue;
		vec_push(&insn, field[0]);
		parse_traits(field[1], &w);
		e.reads = parse_set(field[2]);
		e.writes = parse_set(field[3]);
		e.clobbers = e.writes | parse_set(field[4]);
		w.effects = effects_number(&e);
		vec_push(&want, w);
	}
	CHECK(insn.n > 150, "only %zu instructions in %s", insn.n, path);
	text = assemble(insn.v, insn.n, &pos);
	for (size_t i = 0; i < insn.n; i++)
		check_effect(insn.v[i], text + pos[i], pos[i + 1] - pos[i], &want.v[i]);
}

/* No instruction, or one that CPUs disagree about. */
static void test_refused(void)
{
	static const struct {
		uint8_t n, bytes[15];
	} bad[] = {
		{1, {0x06}},
		{1, {0x0f}},
		{2, {0x0f, 0x04}},
		{1, {0x66}},
		{2, {0xc5, 0xf8}},
		{5, {0x66, 0xe8, 0, 0, 0}},
		{6, {0x66, 0xe9, 0, 0, 0, 0}},
		{7, {0x66, 0x0f, 0x84, 0, 0, 0, 0}},
		{3, {0xf0, 0x01, 0xc0}},
		{15,
			{0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
				0x66, 0x66, 0x66}},
		{2, {0xd5, 0x0a}},
		{6, {0x62, 0xfc, 0x7c, 0x08, 0x58, 0xc0}},
	};
	struct insn in;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		CHECK(!T->decode(dec, bad[i].bytes, bad[i].n, &in), "bad[%zu] decoded", i);
}

static void test_branches(void)
{
	static const struct {
		const char *insn;
		int64_t dist;
		unsigned len;
		uint8_t out[12];
	} cases[] = {
		{"jmp x", 10, 2, {0xeb, 8}},
		{"jmp x", 129, 2, {0xeb, 127}},
		{"jmp x", 130, 5, {0xe9, 125}},
		{"jmp x", -126, 2, {0xeb, 0x80}},
		{"jmp x", -127, 5, {0xe9, 0x7c, 0xff, 0xff, 0xff}},
		{"jne x", 1000, 6, {0x0f, 0x85, 0xe2, 3}},
		{".byte 0x3e; jne x", 1000, 7, {0x3e, 0x0f, 0x85, 0xe1, 3}},
		{"bnd jmp x", 1000, 6, {0xf2, 0xe9, 0xe2, 3}},
		{"jmp y", 5, 5, {0xe9}},
		{"call y", -1, 5, {0xe8, 0xfa, 0xff, 0xff, 0xff}},
		{"jrcxz x", 2, 2, {0xe3, 0}},
		{"jrcxz x", 1000, 9, {0xe3, 2, 0xeb, 5, 0xe9, 0xdf, 3}},
		{"jecxz x", 1000, 10, {0x67, 0xe3, 2, 0xeb, 5, 0xe9, 0xde, 3}},
		{"loopne x", -1000, 9, {0xe0, 2, 0xeb, 5, 0xe9, 0x0f, 0xfc, 0xff, 0xff}},
		{"xbegin y", 0x1000, 6, {0xc7, 0xf8, 0xfa, 0x0f}},
	};
	uint8_t out[16];
	struct insn in;
	size_t n;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *s = cases[i].insn;
		uint8_t *p = assemble_one(s, &n);

		CHECK(T->decode(dec, p, n, &in), "%s", s);
		CHECK(T->form->len(&in, cases[i].dist, in.len) == cases[i].len, "%s: len %u", s,
			T->form->len(&in, cases[i].dist, in.len));
		CHECK(T->form->len(&in, cases[i].dist, cases[i].len) == cases[i].len, "%s", s);
		CHECK(T->form->encode(&in, p, cases[i].len, cases[i].dist, out), "%s", s);
		CHECK(!memcmp(out, cases[i].out, cases[i].len), "%s: wrong bytes", s);
		CHECK(T->form->field(&in, cases[i].len) ==
				cases[i].len - (cases[i].len == n && in.pc_size == 1 ? 1 : 4),
			"%s", s);
		CHECK(!T->form->encode(&in, p, cases[i].len, (int64_t)1 << 40, out), "%s", s);
	}
	/* Once long, a branch stays long. */
	uint8_t short_jump[] = {0xeb, 0};
	CHECK(T->decode(dec, short_jump, 2, &in) && T->form->len(&in, 10, 5) == 5, "jump shrinks");
	uint8_t opsize[] = {0x66, 0xeb, 0};
	CHECK(T->decode(dec, opsize, 3, &in) && !T->form->encode(&in, opsize, 3, 3, out),
		"branch with an operand size");
	uint8_t prefixes[15] = {[13] = 0x72};
	memset(prefixes, 0x3e, 13);
	CHECK(T->decode(dec, prefixes, 15, &in) && T->form->encode(&in, prefixes, 15, 20, out),
		"branch of 15 bytes");
	CHECK(!T->form->encode(&in, prefixes, 19, 1000, out), "branch of 19 bytes");
}

/* What a micro-operation appends is what the assembler makes of the same instructions. */
static void check_micro(const struct code *c, const char *insn)
{
	size_t n;
	uint8_t *p = assemble_one(insn, &n);

	CHECK(c->bytes.n == n && !memcmp(small_v(&c->bytes), p, n), "%s: other bytes", insn);
}

#define MICRO(insn, op, ...)                                                                       \
	do {                                                                                       \
		struct code c;                                                                     \
		code_start(&c);                                                                    \
		T->micro->op(&c, __VA_ARGS__);                                                     \
		check_micro(&c, insn);                                                             \
	} while (0)

static void test_micro(void)
{
	struct counter_addressing gs = {.access = ACCESS_THREAD, .fixed = true},
				  atomic = {.access = ACCESS_ATOMIC};

	MICRO("xor %eax,%eax", set, RAX, 0, X86_STATUS);
	MICRO("xor %r9d,%r9d", set, R9, 0, X86_STATUS);
	MICRO("mov $0,%edx", set, RDX, 0, X86_STATUS & ~REG_BIT(X86_ZF));
	MICRO("mov $0,%r10d", set, R10, 0, 0);
	MICRO("pxor %xmm9,%xmm9", set, XMM8 + 1, 0, 0);
	MICRO("pcmpeqd %xmm15,%xmm15", set, XMM15, -1, 0);
	MICRO("mov %rax,%r11", move, R11, RAX);
	MICRO("mov %r12,%rbx", move, RBX, R12);
	MICRO("movq %r9,%xmm10", move, XMM8 + 2, R9);
	MICRO("movq %xmm8,%rcx", move, RCX, XMM8);
	MICRO("inc %r8", add, R8, 1, X86_STATUS);
	MICRO("lea 1(%r8),%r8", add, R8, 1, 0);
	MICRO("lea 1(%r12),%r12", add, R12, 1, 0);
	MICRO("lea 1(%r13),%r13", add, R13, 1, 0);
	MICRO("lea -128(%rsp),%rsp", add, RSP, -128, 0);
	MICRO("lea 128(%rsp),%rsp", add, RSP, 128, 0);
	MICRO("sub %rdi,%r11", subtract, R11, RDI);
	MICRO("psubq %xmm15,%xmm8", subtract, XMM8, XMM15);
	MICRO("sar $3,%r11", shift, R11, 3);
	MICRO("push %rax", push, RAX);
	MICRO("push %r11", push, R11);
	MICRO("pop %r11", pop, R11);
	MICRO("incq %gs:0", increment, &gs, 0, 0);
	MICRO("addq $1,%gs:0", increment, &gs, 0, X86_STATUS);
	MICRO("lock incq 0(%rip)", increment, &atomic, 0, X86_STATUS);
	MICRO("add %r9,%gs:0", add_to, &gs, 0, R9, 0);
	MICRO("lock sub %rsi,0(%rip)", take_from, &atomic, 0, RSI, 0);
	MICRO("movb $1,%gs:0", set_byte, &gs, 0, 0);
	MICRO("movb $1,0(%rip)", set_byte, &atomic, 0, 0);
	MICRO("lahf; seto %al", save_flags, RAX, 0);
	MICRO("lahf", save_flags, RAX, REG_BIT(X86_OF));
	MICRO("add $127,%al; sahf", restore_flags, RAX, 0);
	MICRO("sahf", restore_flags, RAX, REG_BIT(X86_OF));
	MICRO("jmp . + 2 + 127", jump, 127);
	MICRO("jmp . + 5 + 128", jump, 128);
	MICRO("mov %fs:0,%rcx", thread_pointer, RCX);
	MICRO("mov %fs:0,%r11", thread_pointer, R11);
}

static void test_may_fork(void)
{
	static const struct {
		const char *code;
		bool fork;
	} cases[] = {
		{"mov $1,%eax\nsyscall", false},
		{"mov $57,%eax\nsyscall", true},
		{"mov $58,%rax\nmov %rdi,%rsi\nsyscall", true},
		{"xor %eax,%eax\nsyscall", false},
		{"mov %rdi,%rax\nsyscall", true},
		{"mov $435,%eax\nsyscall", true},
		{"mov $56,%eax\nsyscall", true},
		{"mov $1,%eax\nint $0x80", true},
		{"mov $2,%eax\nmov $3,%al\nsyscall", true},
		{"syscall", true},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct insn in[8] = {0};
		uint32_t n = 0;
		size_t size;
		uint8_t *p = assemble_one(cases[i].code, &size);

		for (uint32_t at = 0; at < size; at += in[n++].len) {
			CHECK(T->decode(dec, p + at, size - at, &in[n]), "%s", cases[i].code);
			in[n].off = at;
		}
		CHECK(syscall_may_fork(T, dec, p, in, n) == cases[i].fork, "may_fork: %s",
			cases[i].code);
	}
}

static void test_nops(void)
{
	uint8_t out[64];
	struct insn in;

	for (size_t n = 0; n <= 60; n++) {
		size_t at = 0, count = 0;

		T->nops(out, n);
		for (; at < n; at += in.len, count++)
			if (!T->decode(dec, out + at, n - at, &in) || in.kind != INSN_NOP)
				break;
		CHECK(at == n && count == (n + 8) / 9, "%zu bytes of no-ops", n);
	}
}

static void test_describe(void)
{
	/* clang-format off */
	static const struct {
		const char *insn;
		struct operation want;
	} cases[] = {
		{"jmp *0x1234(,%rax,8)", {OP_JUMP_MEM, -1, -1, -1, RAX, 8, false, 0x1234, 0, 3, 0, 4, 0, 8, false, 0, false, false}},
		{"notrack jmp *0x1234(,%rax,8)", {OP_JUMP_MEM, -1, -1, -1, RAX, 8, false, 0x1234, 0, 4, 0, 4, 0, 8, false, 0, false, false}},
		{"notrack jmp *%rdx", {OP_JUMP_REG, -1, RDX, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"jmp *%r11", {OP_JUMP_REG, -1, R11, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"call *%rax", {OP_CALL_REG, -1, RAX, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"call *8(%rax)", {OP_CALL_MEM, -1, -1, RAX, -1, 1, false, 8, 0, 2, 0, 1, 0, 8, false, 0, false, false}},
		{"jmp *(%rdx,%rax,8)", {OP_JUMP_MEM, -1, -1, RDX, RAX, 8, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"mov 0x1234(,%rcx,8),%rcx", {OP_LOAD, RCX, -1, -1, RCX, 8, false, 0x1234, 0, 4, 0, 4, 0, 8, false, 0, false, false}},
		{"lea 0x40(%rip),%rdx", {OP_LEA, RDX, -1, -1, -1, 1, true, 0x40, 0, 3, 0, 4, 0, 0, false, 0, false, false}},
		{"lea (%r11,%rcx,1),%rcx", {OP_LEA, RCX, -1, R11, RCX, 1, false, 0, 0, 0, 0, 0, 0, 0, false, 0, false, false}},
		{"lea (%r10,%rcx,8),%r10", {OP_LEA, R10, -1, R10, RCX, 8, false, 0, 0, 0, 0, 0, 0, 0, false, 0, false, false}},
		{"movslq (%rdx,%rax,4),%rax", {OP_LOAD, RAX, -1, RDX, RAX, 4, false, 0, 0, 0, 0, 0, 0, 4, true, 0, false, false}},
		{"mov (%rdx,%rax,1),%eax", {OP_LOAD, RAX, -1, RDX, RAX, 1, false, 0, 0, 0, 0, 0, 0, 4, false, 0, false, false}},
		{"cltq", {OP_SEXT, RAX, RAX, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 4, false, 0, false, false}},
		{"movslq %ecx,%rdx", {OP_SEXT, RDX, RCX, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 4, false, 0, false, false}},
		{"add %rdx,%rax", {OP_ADD, RAX, RDX, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"add (%rax,%rdx,8),%rax", {OP_ADD_LOAD, RAX, -1, RAX, RDX, 8, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"sub %rdx,%rax", {OP_SUB, RAX, RDX, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"and %rdx,%rax", {OP_AND, RAX, RDX, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"or %rax,%r9", {OP_OR, R9, RAX, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"sbb %rax,%rax", {OP_MASK, RAX, -1, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"sbb %rdx,%rax", {OP_OTHER, -1, -1, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 0, false, 0, false, false}},
		{"add %edx,%eax", {OP_OTHER, -1, -1, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 0, false, 0, false, false}},
		{"movabs $0x1122334455667788,%rdx", {OP_IMM, RDX, -1, -1, -1, 1, false, 0, 0x1122334455667788, 0, 2, 0, 8, 8, false, 0, false, false}},
		{"mov $0x1234,%r9d", {OP_IMM, R9, -1, -1, -1, 1, false, 0, 0x1234, 0, 2, 0, 4, 4, false, 0, false, false}},
		{"mov $-2,%eax", {OP_IMM, RAX, -1, -1, -1, 1, false, 0, 0xfffffffe, 0, 1, 0, 4, 4, false, 0, false, false}},
		{"movq $-2,%rax", {OP_IMM, RAX, -1, -1, -1, 1, false, 0, -2, 0, 3, 0, 4, 8, false, 0, false, false}},
		{"cmp $6,%eax", {OP_CMP_IMM, RAX, -1, -1, -1, 1, false, 0, 6, 0, 2, 0, 1, 4, false, 0, false, false}},
		{"cmp $90,%dil", {OP_CMP_IMM, RDI, -1, -1, -1, 1, false, 0, 90, 0, 3, 0, 1, 1, false, 0, false, false}},
		{"and $15,%ecx", {OP_AND_IMM, RCX, -1, -1, -1, 1, false, 0, 15, 0, 2, 0, 1, 4, false, 0, false, false}},
		{"test %ecx,%ecx", {OP_TEST, RCX, RCX, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 4, false, 0, false, false}},
		{"test $1,%bl", {OP_TEST, RBX, -1, -1, -1, 1, false, 0, 1, 0, 2, 0, 1, 1, false, 0, false, false}},
		{"test $1,%bh", {OP_OTHER, -1, -1, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 0, false, 0, false, false}},
		{"test $4,%eax", {OP_TEST, RAX, -1, -1, -1, 1, false, 0, 4, 0, 1, 0, 4, 4, false, 0, false, false}},
		{"test $1,(%rax)", {OP_OTHER, -1, -1, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 0, false, 0, false, false}},
		{"xor %ecx,%ecx", {OP_IMM, RCX, -1, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"xor %edx,%ecx", {OP_OTHER, -1, -1, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 0, false, 0, false, false}},
		{"shl $6,%ecx", {OP_SHIFT, RCX, -1, -1, -1, 1, false, 0, 6, 0, 2, 0, 1, 4, false, 0, false, false}},
		{"mov %edi,%eax", {OP_MOVE, RAX, RDI, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 4, false, 0, false, false}},
		{"mov %rdi,%r12", {OP_MOVE, R12, RDI, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"movzbl %dil,%edi", {OP_MOVE, RDI, RDI, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 1, false, 0, false, false}},
		{"movzbl (%rdi),%edi", {OP_LOAD, RDI, -1, RDI, -1, 1, false, 0, 0, 0, 0, 0, 0, 1, false, 0, false, false}},
		{"movzwl 2(%rdi),%edi", {OP_LOAD, RDI, -1, RDI, -1, 1, false, 2, 0, 3, 0, 1, 0, 2, false, 0, false, false}},
		{"push %r9", {OP_PUSH, -1, R9, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"mov %rax,8(%rsp)", {OP_STORE, -1, RAX, RSP, -1, 1, false, 8, 0, 4, 0, 1, 0, 8, false, 0, false, false}},
		{"mov %fs:8,%rax", {OP_OTHER, -1, -1, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 0, false, 0, false, false}},
		{"pop %rax", {OP_POP, RAX, -1, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"pop %r12", {OP_POP, R12, -1, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"cmovne %rdx,%r9", {OP_SELECT, R9, RDX, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"cmovne (%rdx),%rax", {OP_OTHER, -1, -1, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 0, false, 0, false, false}},
		{"add $16,%rax", {OP_LEA, RAX, -1, RAX, -1, 1, false, 16, 0, 3, 0, 1, 0, 8, false, 0, false, false}},
		{"add $0x1234,%rax", {OP_LEA, RAX, -1, RAX, -1, 1, false, 0x1234, 0, 2, 0, 4, 0, 8, false, 0, false, false}},
		{"sub $0x1234,%rax", {OP_LEA, RAX, -1, RAX, -1, 1, false, -0x1234, 0, 0, 0, 0, 0, 8, false, 0, false, false}},
		{"add $0x1234,%eax", {OP_OTHER, -1, -1, -1, -1, 1, false, 0, 0, 0, 0, 0, 0, 0, false, 0, false, false}},
	};
	/* clang-format on */
	struct operation op;
	struct insn in;
	size_t n;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct operation *w = &cases[i].want;
		uint8_t *p = assemble_one(cases[i].insn, &n);

		CHECK(T->decode(dec, p, n, &in), "%s", cases[i].insn);
		T->describe(dec, p, &in, &op);
		CHECK(op.op == w->op && op.dst == w->dst && op.src == w->src, "%s: %d %d %d",
			cases[i].insn, op.op, op.dst, op.src);
		CHECK(op.base == w->base && op.index == w->index && op.scale == w->scale &&
				op.pc_rel == w->pc_rel,
			"%s: address", cases[i].insn);
		CHECK(op.disp == w->disp && op.disp_off == w->disp_off &&
				op.disp_size == w->disp_size,
			"%s: displacement", cases[i].insn);
		CHECK(op.imm == w->imm && op.imm_off == w->imm_off && op.imm_size == w->imm_size,
			"%s: immediate %lld at %u", cases[i].insn, (long long)op.imm, op.imm_off);
		CHECK(op.size == w->size && op.sext == w->sext, "%s: size %u", cases[i].insn,
			op.size);
	}
}

/* The TLS sequences; want: a bit for each pair of neighbours that must stay together. */
static void check_glued(const char *code, unsigned want, struct reloc *rel, uint32_t nrel)
{
	struct symbol sym[] = {{.name = ""}, {.name = "x"}, {.name = "__tls_get_addr"}};
	struct object o = {.sym = {.v = sym, .n = 3, .cap = 3}};
	struct section s = {.name = ".text", .rel = rel, .nrel = nrel};
	struct insn a, b;
	size_t n;

	s.data = assemble_one(code, &n);
	s.size = n;
	a.off = 0;
	CHECK(T->decode(dec, s.data, n, &a), "%s", code);
	for (unsigned i = 0; a.off + a.len < n; i++, a = b) {
		b.off = a.off + a.len;
		CHECK(T->decode(dec, s.data + b.off, n - b.off, &b), "%s at %u", code, b.off);
		CHECK(T->glued(&o, &s, &a, &b) == (want >> i & 1), "%s: pair %u", code, i);
	}
}

static void test_glued(void)
{
	struct reloc gd[] = {{.off = 4, .addend = -4, .type = R_X86_64_TLSGD, .sym = 1},
		{.off = 12, .addend = -4, .type = R_X86_64_PLT32, .sym = 2}};
	struct reloc ld[] = {{.off = 3, .addend = -4, .type = R_X86_64_TLSLD, .sym = 1},
		{.off = 8, .addend = -4, .type = R_X86_64_PLT32, .sym = 2}};
	struct reloc noplt[] = {{.off = 4, .addend = -4, .type = R_X86_64_TLSGD, .sym = 1},
		{.off = 12, .addend = -4, .type = R_X86_64_GOTPCRELX, .sym = 2}};
	struct reloc large[] = {{.off = 3, .addend = -4, .type = R_X86_64_TLSGD, .sym = 1},
		{.off = 9, .addend = 0, .type = R_X86_64_PLTOFF64, .sym = 2}};

	check_glued(".byte 0x66; lea 0(%rip),%rdi; .word 0x6666; rex64 call .; nop", 1, gd, 2);
	check_glued("lea 0(%rip),%rdi; call .; nop", 1, ld, 2);
	check_glued(".byte 0x66; lea 0(%rip),%rdi; .byte 0x66; rex64 call *0(%rip); nop", 1, noplt,
		2);
	check_glued("lea 0(%rip),%rdi; movabs $0,%rax; add %rbx,%rax; call *%rax; nop", 7, large,
		2);
	check_glued("lea 0(%rip),%rdi; movabs $0,%rax; add %rbx,%rax; call *%rax; nop", 0, NULL, 0);
}

static void test_keep_whole(void)
{
	static const uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05, 0xc3};
	static const uint8_t plain[] = {0xc3};
	const char *why = NULL;

	CHECK(T->keep_whole("x", sigreturn, sizeof sigreturn, &why) && why, "sigreturn bytes");
	CHECK(T->keep_whole("__restore_rt", plain, 1, &why), "__restore_rt");
	CHECK(T->keep_whole("__llvm_retpoline_r11", plain, 1, &why), "retpoline");
	CHECK(T->keep_whole("__x86_indirect_thunk_rax", plain, 1, &why), "thunk");
	CHECK(T->keep_whole("__cfi_f", plain, 1, &why), "kcfi");
	CHECK(!T->keep_whole("f", plain, 1, &why), "a plain function");
	CHECK(!T->keep_whole(NULL, plain, 1, &why), "a function without a name");
}

static void test_facts(void)
{
	CHECK(target_find(EM_X86_64, 8, false) == T && !target_find(EM_386, 4, false),
		"target_find");
	CHECK(!strcmp(T->reloc_info(R_X86_64_PC32)->name, "R_X86_64_PC32"), "reloc name");
	CHECK(T->reloc_info(R_X86_64_64)->size == 8, "reloc size");
	CHECK(!T->reloc_info(39)->name && !T->reloc_info(12345)->name, "reloc names");
}

int main(int argc, char **argv)
{
	if (argc != 4 || !mkdtemp(dir))
		return 2;
	as = argv[1];
	objcopy = argv[2];
	dec = T->decoder_new();
	test_facts();
	test_effects(argv[3]);
	test_refused();
	test_branches();
	test_micro();
	test_may_fork();
	test_nops();
	test_describe();
	test_glued();
	test_keep_whole();
	if (system(arena_printf(&arena, "rm -rf %s", dir)))
		failures++;
	T->decoder_free(dec);
	return check_report();
}
