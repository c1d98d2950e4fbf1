/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotate.c - a function's original instructions with their counts
 *
 * They are decoded in the instrumented program, where the map says they are now.
 */
#include "report/views.h"
#include "targets/platform.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The functions of one object. */
struct listing {
	const struct program *p;
	const struct platform *on;
	const char *object; /* its path, NULL for the program itself */
	bool mangled;	    /* names as they are in the program */
	csh cs;
	cs_insn *insn;			    /* the current one */
	const struct map_func *func;	    /* the one being shown */
	const struct map_func **by_address; /* all functions */
};

static int compare_address(const void *a, const void *b)
{
	const struct map_func *x = *(const struct map_func *const *)a;
	const struct map_func *y = *(const struct map_func *const *)b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x > y) - (x < y);
}

/* The function that is entered at address, or NULL. */
static const struct map_func *func_at(const struct listing *s, uint64_t address)
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
static const struct map_block *block_at(const struct listing *s, const struct map_func *f,
	uint64_t address)
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
static void put_operands(const struct listing *s, FILE *out)
{
	const cs_insn *in = s->insn;
	uint64_t to = 0;
	bool branch =
		(cs_insn_group(s->cs, in, CS_GRP_JUMP) || cs_insn_group(s->cs, in, CS_GRP_CALL)) &&
		s->on->leads_to(in, &to);
	const struct map_func *f = branch ? func_at(s, to) : NULL;
	const struct map_block *b = branch && !f ? block_at(s, s->func, to) : NULL;
	if (in->op_str[0])
		fputc(' ', out);
	if (f)
		put_shown(out, s->mangled ? f->name : demangled(f->name));
	else if (b)
		fprintf(out, "%s+0x%" PRIx64,
			shown(s->mangled ? s->func->name : demangled(s->func->name)), b->offset);
	else
		fputs(in->op_str, out);
	fputc('\n', out);
}

/* n instructions from *address on, which moves behind them.  Returns how many there were. */
static uint64_t put_run(struct listing *s, uint64_t *address, uint64_t n, const char *count,
	FILE *out)
{
	uint64_t size = 0, shown = 0;
	const uint8_t *code = program_code(s->p, *address, &size);
	size_t left = size;
	for (; shown < n && left && cs_disasm_iter(s->cs, &code, &left, address, s->insn);
		shown++) {
		fprintf(out, "%18s  %12" PRIx64 ":  %s", count, s->insn->address,
			s->insn->mnemonic);
		put_operands(s, out);
	}
	return shown;
}

static void put_insns(struct listing *s, const struct map_block *b, const char *count, FILE *out)
{
	uint64_t address = b->address, left = b->insns;
	for (struct map_runs r = map_runs(b); map_next_run(&r); address += r.skip) {
		uint64_t shown = put_run(s, &address, r.insns, count, out);
		left -= shown;
		if (shown == r.insns)
			continue;
		fprintf(out,
			"%18s  %12" PRIx64 ":  (%" PRIu64 " instructions that cannot be shown)\n",
			count, address, left);
		return;
	}
	if (left)
		fprintf(out, "%18s  %12" PRIx64 ":  (no-ops for alignment)\n", count, address);
}

static void put_func(struct listing *s, const struct map_func *f, FILE *out)
{
	const char *name = shown(s->mangled ? f->name : demangled(f->name));
	struct func_sum sum = func_sum(s->p, f);
	char text[24];
	uint64_t count;
	s->func = f;
	fprintf(out, "%s", name);
	if (s->object)
		fprintf(out, " in %s", shown(s->object));
	if (f->file[0])
		fprintf(out, " (%s)", shown(f->file));
	fputs(":", out);
	if (sum.calls_known)
		fprintf(out, " calls %" PRIu64, sum.calls);
	if (sum.insns_known)
		fprintf(out, "%s instructions %" PRIu64 ",", sum.calls_known ? "," : "", sum.insns);
	if (sum.counted)
		fprintf(out, " blocks executed %zu of %zu", sum.covered, sum.counted);
	if (f->flags & LDX_FUNC_OPAQUE)
		fprintf(out, "%s not taken apart: %s",
			sum.calls_known || sum.insns_known || sum.counted ? ";" : "",
			shown(f->reason));
	fputs("\n", out);
	for (size_t i = f->block; i < f->block + f->nblocks; i++) {
		const struct map_block *b = &s->p->map.block[i];
		bool known = block_count(s->p, b, &count);
		snprintf(text, sizeof text, "%" PRIu64, count);
		if (map_has_marks(&s->p->map))
			strcpy(text, count ? "yes" : "no");
		fprintf(out, "\n%s+0x%" PRIx64 ":\n", name, b->offset);
		put_insns(s, b, known ? text : "-", out);
	}
	fputc('\n', out);
}

/* A name may be given as it is, as it is printed, and demangled. */
static bool is_called(const struct map_func *f, const char *name)
{
	return !strcmp(f->name, name) || !strcmp(shown(f->name), name) ||
		!strcmp(demangled(f->name), name);
}

/* How many functions of one object are called name. */
static size_t show_functions(const struct program *p, const char *object,
	const struct view_options *opt, const char *name, FILE *out)
{
	struct listing s = {.p = p,
		.on = platform_find(p->map.machine),
		.object = object,
		.mangled = opt->mangled};
	size_t n = 0;
	if (!s.on)
		die("%s: no disassembler for machine %u", p->path, p->map.machine);
	if (cs_open((cs_arch)s.on->cs_arch, (cs_mode)s.on->cs_mode, &s.cs) != CS_ERR_OK)
		die("cannot start the disassembler");
	cs_option(s.cs, CS_OPT_DETAIL, CS_OPT_ON);
	cs_option(s.cs, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	s.insn = cs_malloc(s.cs);
	s.by_address = NEW_ARRAY(const struct map_func *, p->map.nfuncs);
	for (size_t i = 0; i < p->map.nfuncs; i++)
		s.by_address[i] = &p->map.func[i];
	qsort(s.by_address, p->map.nfuncs, sizeof *s.by_address, compare_address);
	for (size_t i = 0; i < p->map.nfuncs; i++) {
		const struct map_func *f = &p->map.func[i];
		if (!func_linked(p, f) || !is_called(f, name))
			continue;
		put_func(&s, f, out);
		n++;
	}
	cs_free(s.insn, 1);
	cs_close(&s.cs);
	free(s.by_address);
	return n;
}

void view_function(const struct run *run, const struct view_options *opt, const char *name,
	FILE *out)
{
	size_t n = 0;
	for (size_t i = 0; i < run->n; i++)
		n += show_functions(&run->v[i], i ? run->v[i].path : NULL, opt, name, out);
	if (!n)
		die("%s: no function %s", run->v[0].path, name);
}
