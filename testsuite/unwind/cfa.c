/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfa.c - reads .eh_frame as a debugger would
 */
#include "cfa.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum rule { SAME, UNDEFINED, OFFSET, VAL_OFFSET, REGISTER, EXPRESSION, VAL_EXPRESSION };

struct row {
	struct {
		enum rule how;
		int64_t value;
	} reg[NREGS];
	bool cfa_expression;
	uint64_t cfa_reg;
	int64_t cfa_offset;
};

/* A record of .eh_frame; expressions are named by their offset in the section. */
struct bytes {
	const uint8_t *v;
	size_t n, at;		/* n: where the record ends */
	uint64_t address;	/* of the section in the process */
	bool bad;
};

struct cie {
	uint64_t code_align, ra;
	int64_t data_align;
	uint8_t encoding, lsda;
	bool augmented, signal;
	size_t insns, end;
};

struct fde {
	uint64_t start, end;
	size_t at, cie;
};

/* What lies around the stack pointer is read once for each instruction. */
static struct {
	uint64_t at;
	size_t n;
	uint8_t v[8192];
} window;

void peek_window(pid_t pid, uint64_t at)
{
	struct iovec here = {window.v, sizeof window.v}, there = {(void *)at, sizeof window.v};
	ssize_t n = process_vm_readv(pid, &here, 1, &there, 1, 0);
	window.at = at;
	window.n = n > 0 ? (size_t)n : 0;
}

bool peek(pid_t pid, uint64_t at, void *to, size_t n)
{
	struct iovec here = {to, n}, there = {(void *)at, n};
	if (at >= window.at && at - window.at < window.n && n <= window.n - (at - window.at)) {
		memcpy(to, window.v + (at - window.at), n);
		return true;
	}
	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

static uint64_t get(struct bytes *b, size_t n)
{
	uint64_t v = 0;
	if (b->at + n > b->n)
		b->bad = true;
	else
		memcpy(&v, b->v + b->at, n);
	b->at += n;
	return v;
}

static int64_t get_signed(struct bytes *b, size_t n)
{
	unsigned unused = 64 - 8 * (unsigned)n;
	return (int64_t)(get(b, n) << unused) >> unused;
}

static uint64_t uleb(struct bytes *b)
{
	uint64_t v = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint64_t byte = get(b, 1);
		v |= shift < 64 ? (byte & 0x7f) << shift : 0;
		if (!(byte & 0x80))
			return v;
	}
}

static int64_t sleb(struct bytes *b)
{
	uint64_t v = 0;
	for (unsigned shift = 0;;) {
		uint64_t byte = get(b, 1);
		v |= shift < 64 ? (byte & 0x7f) << shift : 0;
		shift += 7;
		if (!(byte & 0x80))
			return (int64_t)(shift < 64 && byte & 0x40 ? v | ~0ull << shift : v);
	}
}

static uint64_t pointer(struct bytes *b, uint8_t encoding, uint64_t datarel)
{
	uint64_t at = b->address + b->at, v;
	switch (encoding & 0x0f) {
	case 0x0: case 0x4: case 0xc: v = get(b, 8); break;
	case 0x1: v = uleb(b); break;
	case 0x2: v = get(b, 2); break;
	case 0x3: v = get(b, 4); break;
	case 0x9: v = (uint64_t)sleb(b); break;
	case 0xa: v = (uint64_t)get_signed(b, 2); break;
	case 0xb: v = (uint64_t)get_signed(b, 4); break;
	default: b->bad = true; return 0;
	}
	switch (encoding & 0x70) {
	case 0x00: return v;
	case 0x10: return v + at;
	case 0x30: return v + datarel;
	default: b->bad = true; return 0;
	}
}

/* Go to the record at offset `at'; false at a terminator or the end. */
static bool open_record(const struct object *o, size_t at, struct bytes *b)
{
	*b = (struct bytes){.v = o->eh_frame, .n = o->eh_size, .at = at, .address = o->eh_address};
	uint64_t size = get(b, 4);
	if (b->bad || !size || size > o->eh_size - b->at)
		return false;
	b->n = b->at + size;
	return true;
}

static bool read_cie(const struct object *o, size_t at, struct bytes *b, struct cie *c)
{
	char aug[16] = "";
	*c = (struct cie){.lsda = 0xff};
	if (!open_record(o, at, b) || get(b, 4))
		return false;
	uint64_t version = get(b, 1);
	for (size_t i = 0; i < sizeof aug - 1 && (aug[i] = (char)get(b, 1)); i++)
		;
	c->code_align = uleb(b);
	c->data_align = sleb(b);
	c->ra = version == 1 ? get(b, 1) : uleb(b);
	c->augmented = aug[0] == 'z';
	uint64_t size = c->augmented ? uleb(b) : 0;
	c->insns = b->at + size;
	for (const char *p = aug + 1; c->augmented && *p; p++) {
		if (*p == 'R')
			c->encoding = (uint8_t)get(b, 1);
		else if (*p == 'L')
			c->lsda = (uint8_t)get(b, 1);
		else if (*p == 'S')
			c->signal = true;
		else if (*p == 'P') {
			uint8_t enc = (uint8_t)get(b, 1);
			pointer(b, enc & 0x7f, 0);
		} else
			return false;
	}
	c->end = b->n;
	return !b->bad && c->ra == DW_RA;
}

static int cmp_fde(const void *x, const void *y)
{
	const struct fde *a = x, *b = y;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* All FDEs of the section, sorted. */
static void index_fdes(struct object *o)
{
	struct bytes b, unused;
	struct cie c;
	o->fde = NULL;
	o->nfde = 0;
	for (size_t at = 0; at + 4 <= o->eh_size; at = b.n) {
		if (!open_record(o, at, &b)) {
			b.n = at + 4;
			continue;
		}
		size_t field = b.at;
		uint64_t id = get(&b, 4);
		if (!id || id > field || !read_cie(o, field - id, &unused, &c))
			continue;
		struct fde f = {.at = at, .cie = field - id};
		f.start = pointer(&b, c.encoding, 0);
		f.end = f.start + pointer(&b, c.encoding & 0x0f, 0);
		o->fde = realloc(o->fde, (o->nfde + 1) * sizeof *o->fde);
		o->fde[o->nfde++] = f;
	}
	if (o->nfde)
		qsort(o->fde, o->nfde, sizeof *o->fde, cmp_fde);
}

bool object_open(struct object *o, const char *path, uint64_t base)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return false;
	const uint8_t *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED || memcmp(p, ELFMAG, SELFMAG))
		return false;
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)p;
	const Elf64_Phdr *ph = (const Elf64_Phdr *)(p + eh->e_phoff);
	const Elf64_Shdr *sh = (const Elf64_Shdr *)(p + eh->e_shoff);
	uint64_t bias = eh->e_type == ET_EXEC ? 0 : base, end = 0;
	for (unsigned i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_vaddr + ph[i].p_memsz > end)
			end = ph[i].p_vaddr + ph[i].p_memsz;
	*o = (struct object){.start = base, .end = bias + end, .entry = bias + eh->e_entry};
	for (unsigned i = 0; i < eh->e_shnum; i++)
		if (!strcmp((const char *)p + sh[eh->e_shstrndx].sh_offset + sh[i].sh_name,
			    ".eh_frame") && !o->eh_frame) {
			o->eh_frame = p + sh[i].sh_offset;
			o->eh_size = sh[i].sh_size;
			o->eh_address = bias + sh[i].sh_addr;
		}
	index_fdes(o);
	return true;
}

static const struct fde *find_fde(const struct object *o, uint64_t pc)
{
	size_t lo = 0, hi = o->nfde;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (o->fde[mid].start <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && pc < o->fde[lo - 1].end ? &o->fde[lo - 1] : NULL;
}

static bool set_rule(struct row *r, uint64_t reg, enum rule how, int64_t value)
{
	if (reg < NREGS) {
		r->reg[reg].how = how;
		r->reg[reg].value = value;
	}
	return true;
}

/* An expression in place: its offset is kept, its bytes are passed over. */
static int64_t block(struct bytes *b)
{
	size_t at = b->at;
	uint64_t size = uleb(b);
	b->at += size;
	return (int64_t)at;
}

/* The instructions that have an operand in the low six bits, but for advance. */
static bool short_insn(struct bytes *b, const struct cie *c, struct row *r, const struct row *first,
		       uint8_t op)
{
	uint64_t reg = op & 0x3f;
	if (op >> 6 == 2)
		return set_rule(r, reg, OFFSET, (int64_t)uleb(b) * c->data_align);
	if (reg < NREGS)
		r->reg[reg] = first->reg[reg];
	return true;
}

static bool rule_insn(struct bytes *b, const struct cie *c, struct row *r, const struct row *first,
		      uint8_t op)
{
	uint64_t reg;
	switch (op) {
	case 0x0d: r->cfa_reg = uleb(b); return true;
	case 0x0e: r->cfa_offset = (int64_t)uleb(b); return true;
	case 0x13: r->cfa_offset = sleb(b) * c->data_align; return true;
	case 0x2e: uleb(b); return true; /* GNU_args_size */
	case 0x0f: r->cfa_expression = true; r->cfa_offset = block(b); return true;
	case 0x0c: case 0x12:
		r->cfa_expression = false;
		r->cfa_reg = uleb(b);
		r->cfa_offset = op == 0x0c ? (int64_t)uleb(b) : sleb(b) * c->data_align;
		return true;
	}
	reg = uleb(b);
	switch (op) {
	case 0x05: return set_rule(r, reg, OFFSET, (int64_t)uleb(b) * c->data_align);
	case 0x06: return short_insn(b, c, r, first, (uint8_t)(0xc0 | reg));
	case 0x07: return set_rule(r, reg, UNDEFINED, 0);
	case 0x08: return set_rule(r, reg, SAME, 0);
	case 0x09: return set_rule(r, reg, REGISTER, (int64_t)uleb(b));
	case 0x10: return set_rule(r, reg, EXPRESSION, block(b));
	case 0x11: return set_rule(r, reg, OFFSET, sleb(b) * c->data_align);
	case 0x14: return set_rule(r, reg, VAL_OFFSET, (int64_t)uleb(b) * c->data_align);
	case 0x15: return set_rule(r, reg, VAL_OFFSET, sleb(b) * c->data_align);
	case 0x16: return set_rule(r, reg, VAL_EXPRESSION, block(b));
	default: return false;
	}
}

/* Executes instructions up to the row that holds for pc. */
static bool execute(struct bytes *b, size_t end, const struct cie *c, struct row *r, uint64_t loc,
		    uint64_t pc)
{
	struct row first = *r, saved[8];
	size_t depth = 0;
	while (b->at < end && !b->bad) {
		uint8_t op = (uint8_t)get(b, 1);
		uint64_t advance = 0;
		if (op >> 6 == 1)
			advance = op & 0x3f;
		else if (op >= 2 && op <= 4)
			advance = get(b, 1u << (op - 2));
		else if (op == 0x01)
			return false; /* set_loc: no compiler writes it here */
		else if (op == 0x0a && depth < 8)
			saved[depth++] = *r;
		else if (op == 0x0b && depth)
			*r = saved[--depth];
		else if (op >> 6)
			short_insn(b, c, r, &first, op);
		else if (op && !rule_insn(b, c, r, &first, op))
			return false;
		loc += advance * c->code_align;
		if (loc > pc)
			break;
	}
	return !b->bad;
}

/* The operators gcc, glibc and the linkers use in .eh_frame. */
static bool evaluate(pid_t pid, struct bytes *b, int64_t at, const struct frame *f, uint64_t *top)
{
	uint64_t stack[16] = {*top}, x;
	size_t n = 1, end;
	b->at = (size_t)at;
	end = uleb(b);
	end += b->at;
	while (b->at < end && !b->bad && n < 15) {
		uint8_t op = (uint8_t)get(b, 1);
		if (op >= 0x30 && op <= 0x4f)
			stack[n++] = op - 0x30u;
		else if (op >= 0x70 && op <= 0x70 + DW_RA)
			stack[n++] = f->reg[op - 0x70] + (uint64_t)sleb(b);
		else if (op == 0x08 || op == 0x0a || op == 0x0c)
			stack[n++] = get(b, 1u << (op - 8) / 2);
		else if (op == 0x06) {
			if (!peek(pid, stack[n - 1], &stack[n - 1], 8))
				return false;
		} else if (op == 0x23)
			stack[n - 1] += uleb(b);
		else if (n < 2)
			return false;
		else {
			x = stack[--n];
			uint64_t *y = &stack[n - 1];
			switch (op) {
			case 0x1a: *y &= x; break;
			case 0x1c: *y -= x; break;
			case 0x22: *y += x; break;
			case 0x24: *y <<= x; break;
			case 0x2a: *y = (int64_t)*y >= (int64_t)x; break;
			default: return false;
			}
		}
	}
	*top = stack[n - 1];
	return !b->bad;
}

static bool caller_reg(pid_t pid, struct bytes *b, const struct row *r, const struct frame *f,
		       unsigned i, uint64_t cfa, uint64_t *v, uint64_t *slot)
{
	int64_t value = r->reg[i].value;
	uint64_t at = cfa + (uint64_t)value;
	switch (r->reg[i].how) {
	case REGISTER: *v = f->reg[value % NREGS]; return true;
	case VAL_OFFSET: *v = at; return true;
	case SAME: *v = f->reg[i]; return true;
	case UNDEFINED: return false;
	case OFFSET: break;
	case EXPRESSION: case VAL_EXPRESSION:
		*v = at = cfa;
		if (!evaluate(pid, b, value, f, &at))
			return false;
		if (r->reg[i].how == VAL_EXPRESSION) {
			*v = at;
			return true;
		}
	}
	*slot = at;
	return peek(pid, at, v, 8);
}

static enum unwind apply(pid_t pid, struct bytes *b, const struct row *r, struct frame *f,
			 uint64_t *slot)
{
	struct frame up = *f;
	uint64_t cfa = f->reg[r->cfa_reg % NREGS] + (uint64_t)r->cfa_offset, where = 0;
	if (r->reg[DW_RA].how == UNDEFINED)
		return NO_CALLER;
	if (r->cfa_expression) {
		cfa = 0;
		if (!evaluate(pid, b, r->cfa_offset, f, &cfa))
			return BAD_CFI;
	}
	up.reg[DW_RSP] = cfa;
	for (unsigned i = 0; i < NREGS; i++) {
		where = 0;
		if (i == DW_RSP && r->reg[i].how == SAME)
			continue;
		up.known[i] = caller_reg(pid, b, r, f, i, cfa, &up.reg[i], &where);
		if (i == DW_RA)
			*slot = where;
	}
	*f = up;
	return f->known[DW_RA] ? UNWOUND : BAD_CFI;
}

enum unwind unwind_step(pid_t pid, const struct object *o, size_t n, struct frame *f,
			uint64_t *slot)
{
	struct bytes b, fde;
	struct cie c;
	struct row r = {.reg[DW_RA] = {UNDEFINED, 0}};
	uint64_t pc = f->reg[DW_RA] - !f->interrupted;
	const struct fde *e = NULL;
	for (; n && !e; n--, o++)
		if (o->start <= pc && pc < o->end && !(e = find_fde(o, pc)))
			return NO_FDE;
	if (!e)
		return NO_FDE;
	o--;
	if (!read_cie(o, e->cie, &b, &c) || !open_record(o, e->at, &fde))
		return BAD_CFI;
	get(&fde, 4);
	pointer(&fde, c.encoding, 0);
	pointer(&fde, c.encoding & 0x0f, 0);
	if (c.augmented) {
		uint64_t skip = uleb(&fde);
		fde.at += skip;
	}
	b.at = c.insns;
	if (fde.bad || !execute(&b, c.end, &c, &r, 0, UINT64_MAX) ||
		!execute(&fde, fde.n, &c, &r, e->start, pc))
		return BAD_CFI;
	fde.n = o->eh_size;
	f->interrupted = c.signal;
	return apply(pid, &fde, &r, f, slot);
}
