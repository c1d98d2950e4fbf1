/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotate.c - a function's original instructions with their counts
 *
 * They are decoded in the instrumented program, where the map says they are now.
 */
#include "report/insns.h"
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
	FILE *out;
	const struct map_block *told; /* whose instructions that are not there have been told */
	const struct map_func *func;  /* the one being shown */
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

static bool is_branch(const cs_insn *in)
{
	for (size_t i = 0; i < in->detail->groups_count; i++)
		if (in->detail->groups[i] == CS_GRP_JUMP || in->detail->groups[i] == CS_GRP_CALL)
			return true;
	return false;
}

/* The operands as text; a branch's target by the name of where it led. */
static void put_operands(const struct listing *s, const cs_insn *in, FILE *out)
{
	uint64_t to = 0;
	bool branch = is_branch(in) && s->on->leads_to(in, &to);
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

static void put_block(const struct listing *s, const struct map_block *b)
{
	fprintf(s->out, "\n%s+0x%" PRIx64 ":\n",
		shown(s->mangled ? s->func->name : demangled(s->func->name)), b->offset);
}

static void put_insn(void *ctx, const struct insn_at *in)
{
	struct listing *s = ctx;
	char count[24] = "-";
	if (!in->number)
		put_block(s, in->b);
	if (!in->insn && s->told == in->b)
		return;
	s->told = in->insn ? NULL : in->b;
	if (in->known && map_has_marks(&s->p->map))
		strcpy(count, in->count ? "yes" : "no");
	else if (in->known)
		snprintf(count, sizeof count, "%" PRIu64, in->count);
	fprintf(s->out, "%18s  %12" PRIx64 ":  ", count, in->address);
	if (in->insn) {
		fputs(in->insn->mnemonic, s->out);
		put_operands(s, in->insn, s->out);
	} else if (in->left_out) {
		fputs("(no-ops for alignment)\n", s->out);
	} else {
		fprintf(s->out, "(%" PRIu64 " instructions that cannot be shown)\n",
			in->b->insns - in->number);
	}
}

static void put_func(struct listing *s, const struct map_func *f, FILE *out)
{
	const char *name = shown(s->mangled ? f->name : demangled(f->name));
	struct func_sum sum = func_sum(s->p, f);
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
	each_insn(s->p, f, put_insn, s);
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
		.mangled = opt->mangled,
		.out = out};
	size_t n = 0;
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
