/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disassembly.c - instructions as text; see disassembly.h
 *
 * The text is LLVM's, but for targets of branches and addresses of code, which it tells as
 * distances.
 */
#include "report/figures/disassembly.h"

#include "base/base.h"
#include "targets/disassembler.h"
#include "targets/platform.h"
#include "targets/target.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct disassembly {
	const struct program *p;
	struct disassembler *llvm;
	bool mangled;
	char text[DISASSEMBLER_PARTS]; /* of the current instruction */
	const struct map_func **by_address;
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
static const struct map_func *func_at(const struct disassembly *d, uint64_t address)
{
	size_t from = 0, to = d->p->map.nfuncs;
	while (from < to) {
		size_t mid = from + (to - from) / 2;
		if (d->by_address[mid]->address < address)
			from = mid + 1;
		else
			to = mid;
	}
	return from < d->p->map.nfuncs && d->by_address[from]->address == address
		? d->by_address[from]
		: NULL;
}

/* The block of f to which a branch to address leads, maybe to code inserted before it. */
static const struct map_block *block_at(const struct disassembly *d, const struct map_func *f,
	uint64_t address)
{
	const struct map_block *found = NULL;
	for (size_t i = f->block; i < f->block + f->nblocks; i++) {
		const struct map_block *b = &d->p->map.block[i];
		if (b->address >= address && (!found || b->address < found->address))
			found = b;
	}
	return found && address >= f->address ? found : NULL;
}

static const char *name_of(const struct disassembly *d, const struct map_func *f)
{
	return d->mangled ? f->name : demangled(f->name);
}

static bool branches(const struct insn *in)
{
	return in->kind == INSN_JUMP || in->kind == INSN_BRANCH || in->kind == INSN_XBEGIN;
}

/* Is its last operand a distance in the code? */
static bool has_target(const struct insn_at *at)
{
	const struct insn *in = at->insn;
	bool address = in->flags & INSN_OPERAND_PC && at->p->target->form->leads_to;
	return in->pc_size && (branches(in) || in->kind == INSN_CALL || address);
}

/* Print the operands with an address instead of the last one. */
static void put_target(FILE *out, const struct disassembly *d, const struct insn_at *at,
	const char *operands)
{
	const char *space = strrchr(operands, ' ');
	uint64_t to = insn_leads_to(at->p->target, at->insn, at->bytes, at->address);
	const struct map_func *f = func_at(d, to);
	const struct map_block *b = f ? NULL : block_at(d, at->f, to);
	if (space)
		fprintf(out, "%.*s", (int)(space + 1 - operands), operands);
	if (f)
		put_shown(out, name_of(d, f));
	else if (b)
		fprintf(out, "%s+0x%" PRIx64, shown(name_of(d, at->f)), b->offset);
	else
		fprintf(out, "0x%" PRIx64, to);
}

static void put_operands(FILE *out, const struct disassembly *d, const struct insn_at *at)
{
	const char *operands = d->text + strlen(d->text) + 1;
	if (!*operands)
		return;
	fputc(' ', out);
	if (has_target(at))
		put_target(out, d, at, operands);
	else
		fputs(operands, out);
}

const char *insn_mnemonic(struct disassembly *d, const struct insn_at *in)
{
	bool can = in->insn &&
		disassembler_parts(d->llvm, in->bytes, in->size, in->address, d->text);
	return can ? d->text : NULL;
}

const char *put_insn(FILE *out, struct disassembly *d, const struct insn_at *in)
{
	if (insn_mnemonic(d, in)) {
		fputs(d->text, out);
		put_operands(out, d, in);
		return d->text;
	}
	if (in->left_out)
		fputs("(no-ops for alignment)", out);
	else if (in->insn)
		fprintf(out, "(an instruction of %u bytes that cannot be shown)", in->size);
	else
		fprintf(out, "(%" PRIu64 " instructions that cannot be shown)",
			in->b->insns - in->number);
	return NULL;
}

static struct disassembler *open_llvm(const struct program *p)
{
	if (!p->on)
		die("%s: no disassembler for machine %u", p->path, p->map.machine);
	struct disassembler *d = disassembler_new(p->on);
	disassembler_hex(d);
	return d;
}

struct disassembly *disassembly_make(const struct program *p, bool mangled)
{
	struct disassembly *d = new_array(1, sizeof *d);
	*d = (struct disassembly){.p = p, .llvm = open_llvm(p), .mangled = mangled};
	d->by_address = NEW_ARRAY(const struct map_func *, p->map.nfuncs);
	for (size_t i = 0; i < p->map.nfuncs; i++)
		d->by_address[i] = &p->map.func[i];
	qsort(d->by_address, p->map.nfuncs, sizeof *d->by_address, compare_address);
	return d;
}

bool insn_is_branch(const struct insn_at *in, struct branch *br)
{
	const struct map_func *f = in->f;
	uint64_t number = (uint64_t)(in->b - &in->p->map.block[f->block]) + 1, count;
	size_t falls = 0, jumps = 0;
	*br = (struct branch){.known = true};
	if (!in->insn || !in->is_last || (!branches(in->insn) && in->insn->kind != INSN_JUMP_IND))
		return false;
	for (size_t i = f->edge; i < f->edge + f->nedges; i++) {
		const struct map_edge *e = &in->p->map.edge[i];
		if (e->from != number)
			continue;
		br->known &= edge_count(in->p, e, &count);
		bool fall = e->flags & LDX_EDGE_FALL;
		falls += fall;
		jumps += !fall;
		br->taken = add_sat(br->taken, fall ? 0 : count);
		if (!fall && e->to)
			br->to = &in->p->map.block[f->block + e->to - 1];
		br->executed = add_sat(br->executed, count);
	}
	return falls && jumps;
}
