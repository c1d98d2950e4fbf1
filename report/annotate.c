/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotate.c - a function's original instructions with their counts
 *
 * They are decoded in the instrumented program, where the map says each block
 * now begins.  Code that ldx put in between them is left out; it is known by the
 * counters it refers to.
 */
#include "report/views.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More than any inserted sequence has instructions. */
enum { WINDOW = 8 };

/* The next instructions of a block. */
struct stream {
	const struct program *p;
	const char *object; /* its path, NULL for the program itself */
	csh cs;
	cs_insn *insn[WINDOW];
	size_t n;
	const uint8_t *code;
	size_t left;
	uint64_t address;
	const struct map_func *func;	    /* the one being shown */
	const struct map_func **by_address; /* all functions */
};

static void stream_fill(struct stream *s)
{
	while (s->n < WINDOW && s->left &&
		cs_disasm_iter(s->cs, &s->code, &s->left, &s->address, s->insn[s->n]))
		s->n++;
}

static void stream_drop(struct stream *s, size_t k)
{
	for (; k; k--) {
		cs_insn *first = s->insn[0];
		memmove(s->insn, s->insn + 1, (WINDOW - 1) * sizeof *s->insn);
		s->insn[WINDOW - 1] = first;
		s->n--;
	}
	stream_fill(s);
}

static const cs_x86_op *operand(const struct stream *s, size_t i, unsigned k)
{
	const cs_x86 *x = i < s->n ? &s->insn[i]->detail->x86 : NULL;
	return x && k < x->op_count ? &x->operands[k] : NULL;
}

static bool is_counter(const struct stream *s, const cs_x86_op *o, const cs_insn *in)
{
	if (!o || o->type != X86_OP_MEM || o->mem.base != X86_REG_RIP)
		return false;
	uint64_t a = in->address + in->size + (uint64_t)o->mem.disp;
	return a >= s->p->counters && a < s->p->counters_end;
}

/* lea disp(%reg),%reg */
static bool is_step(const struct stream *s, size_t i, x86_reg reg, int64_t disp)
{
	const cs_x86_op *dst = operand(s, i, 0), *src = operand(s, i, 1);
	return src && s->insn[i]->id == X86_INS_LEA && dst->reg == reg && src->mem.base == reg &&
	       src->mem.index == X86_REG_INVALID && src->mem.disp == disp;
}

static bool is_one(const struct stream *s, size_t i, unsigned id, x86_reg reg)
{
	const cs_x86_op *o = operand(s, i, 0);
	return o && s->insn[i]->id == id && o->type == X86_OP_REG && o->reg == reg;
}

/* inc counter; movb $1,mark; or mov counter,%reg; lea 1(%reg),%reg; mov %reg,counter */
static size_t count_length(const struct stream *s, size_t i)
{
	const cs_x86_op *o = operand(s, i, 0), *load = operand(s, i, 1);
	if (!o)
		return 0;
	if (s->insn[i]->id == X86_INS_MOV && load && load->type == X86_OP_IMM && o->size == 1 &&
		is_counter(s, o, s->insn[i]))
		return 1;
	if (s->insn[i]->id == X86_INS_INC && is_counter(s, o, s->insn[i]))
		return 1;
	if (s->insn[i]->id != X86_INS_MOV || o->type != X86_OP_REG ||
		!is_counter(s, load, s->insn[i]) || !is_step(s, i + 1, o->reg, 1))
		return 0;
	const cs_x86_op *store = operand(s, i + 2, 0);
	return store && is_counter(s, store, s->insn[i + 2]) ? 3 : 0;
}

/* How many of the next instructions ldx has put there. */
static size_t inserted(const struct stream *s)
{
	size_t n = count_length(s, 0);
	if (n || !is_step(s, 0, X86_REG_RSP, -128) || !is_one(s, 1, X86_INS_PUSH, X86_REG_RAX))
		return n;
	n = count_length(s, 2);
	if (!n || !is_one(s, 2 + n, X86_INS_POP, X86_REG_RAX) ||
		!is_step(s, 3 + n, X86_REG_RSP, 128))
		return 0;
	return n + 4;
}

static int compare_address(const void *a, const void *b)
{
	const struct map_func *x = *(const struct map_func *const *)a;
	const struct map_func *y = *(const struct map_func *const *)b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x > y) - (x < y);
}

/* The function that is entered at address, or NULL. */
static const struct map_func *func_at(const struct stream *s, uint64_t address)
{
	size_t from = 0, to = s->p->map.nfuncs;
	while (from < to) {
		size_t mid = from + (to - from) / 2;
		if (s->by_address[mid]->address < address)
			from = mid + 1;
		else
			to = mid;
	}
	return from < s->p->map.nfuncs && s->by_address[from]->address == address
		       ? s->by_address[from]
		       : NULL;
}

/* The block of f that a branch to address leads to: its inserted code comes first. */
static const struct map_block *block_at(
	const struct stream *s, const struct map_func *f, uint64_t address)
{
	const struct map_block *found = NULL;
	for (size_t i = f->block; i < f->block + f->nblocks; i++) {
		const struct map_block *b = &s->p->map.block[i];
		if (b->address >= address && (!found || b->address < found->address))
			found = b;
	}
	return found && address >= f->address ? found : NULL;
}

/* The operands as text; a branch's target by the name of where it led. */
static void put_operands(const struct stream *s, const cs_insn *in, bool mangled, FILE *out)
{
	const cs_x86_op *o = operand(s, 0, 0);
	bool branch =
		o && o->type == X86_OP_IMM &&
		(cs_insn_group(s->cs, in, CS_GRP_JUMP) || cs_insn_group(s->cs, in, CS_GRP_CALL));
	const struct map_func *f = branch ? func_at(s, (uint64_t)o->imm) : NULL;
	const struct map_block *b = branch && !f ? block_at(s, s->func, (uint64_t)o->imm) : NULL;
	if (in->op_str[0])
		fputc(' ', out);
	if (f)
		fputs(mangled ? f->name : demangled(f->name), out);
	else if (b)
		fprintf(out, "%s+0x%" PRIx64, mangled ? s->func->name : demangled(s->func->name),
			b->offset);
	else
		fputs(in->op_str, out);
	fputc('\n', out);
}

static void put_insns(
	struct stream *s, const struct map_block *b, const char *count, bool mangled, FILE *out)
{
	uint64_t left = 0;
	s->code = program_code(s->p, b->address, &left);
	s->left = left;
	s->address = b->address;
	s->n = 0;
	stream_fill(s);
	for (uint64_t i = 0; i < b->insns; i++) {
		for (size_t k; (k = inserted(s));)
			stream_drop(s, k);
		if (!s->n) {
			fprintf(out,
				"%18s  %12" PRIx64 ":  (%" PRIu64
				" instructions that cannot be shown)\n",
				count, s->address, b->insns - i);
			return;
		}
		fprintf(out, "%18s  %12" PRIx64 ":  %s", count, s->insn[0]->address,
			s->insn[0]->mnemonic);
		put_operands(s, s->insn[0], mangled, out);
		stream_drop(s, 1);
	}
}

static void put_func(struct stream *s, const struct map_func *f, bool mangled, FILE *out)
{
	const char *name = mangled ? f->name : demangled(f->name);
	struct func_sum sum = func_sum(s->p, f);
	char text[24];
	uint64_t count;
	s->func = f;
	fprintf(out, "%s", name);
	if (s->object)
		fprintf(out, " in %s", s->object);
	if (f->file[0])
		fprintf(out, " (%s)", f->file);
	fputs(":", out);
	if (sum.calls_known)
		fprintf(out, " calls %" PRIu64, sum.calls);
	if (sum.insns_known)
		fprintf(out, "%s instructions %" PRIu64 ",", sum.calls_known ? "," : "", sum.insns);
	if (sum.counted)
		fprintf(out, " blocks executed %zu of %zu", sum.covered, sum.counted);
	if (f->flags & LDX_FUNC_OPAQUE)
		fprintf(out, "%s not taken apart: %s",
			sum.calls_known || sum.insns_known || sum.counted ? ";" : "", f->reason);
	fputs("\n", out);
	for (size_t i = f->block; i < f->block + f->nblocks; i++) {
		const struct map_block *b = &s->p->map.block[i];
		bool known = block_count(s->p, b, &count);
		snprintf(text, sizeof text, "%" PRIu64, count);
		if (map_has_marks(&s->p->map))
			strcpy(text, count ? "yes" : "no");
		fprintf(out, "\n%s+0x%" PRIx64 ":\n", name, b->offset);
		put_insns(s, b, known ? text : "-", mangled, out);
	}
	fputc('\n', out);
}

/* How many functions of one object are called name. */
static size_t show_functions(const struct program *p, const char *object,
	const struct view_options *opt, const char *name, FILE *out)
{
	struct stream s = {.p = p, .object = object};
	size_t n = 0;
	if (p->map.machine != EM_X86_64)
		die("%s: no disassembler for machine %u", p->path, p->map.machine);
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &s.cs) != CS_ERR_OK)
		die("cannot start the disassembler");
	cs_option(s.cs, CS_OPT_DETAIL, CS_OPT_ON);
	cs_option(s.cs, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	for (size_t i = 0; i < WINDOW; i++)
		s.insn[i] = cs_malloc(s.cs);
	s.by_address = NEW_ARRAY(const struct map_func *, p->map.nfuncs);
	for (size_t i = 0; i < p->map.nfuncs; i++)
		s.by_address[i] = &p->map.func[i];
	qsort(s.by_address, p->map.nfuncs, sizeof *s.by_address, compare_address);
	for (size_t i = 0; i < p->map.nfuncs; i++) {
		const struct map_func *f = &p->map.func[i];
		const char *plain = demangled(f->name);
		if (!func_linked(p, f) || (strcmp(f->name, name) && strcmp(plain, name)))
			continue;
		put_func(&s, f, opt->mangled, out);
		n++;
	}
	for (size_t i = 0; i < WINDOW; i++)
		cs_free(s.insn[i], 1);
	cs_close(&s.cs);
	free(s.by_address);
	return n;
}

void view_function(
	const struct run *run, const struct view_options *opt, const char *name, FILE *out)
{
	size_t n = 0;
	for (size_t i = 0; i < run->n; i++)
		n += show_functions(&run->v[i], i ? run->v[i].path : NULL, opt, name, out);
	if (!n)
		die("%s: no function %s", run->v[0].path, name);
}
