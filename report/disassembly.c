/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disassembly.c - instructions as text; see disassembly.h
 */
#include "report/disassembly.h"

#include "targets/platform.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct disassembly {
	const struct program *p;
	const struct platform *on;
	bool mangled;
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

static bool in_group(const cs_insn *in, unsigned group)
{
	for (size_t i = 0; i < in->detail->groups_count; i++)
		if (in->detail->groups[i] == group)
			return true;
	return false;
}

/* The operands as text; a branch's target by name. */
static void put_operands(FILE *out, const struct disassembly *d, const struct insn_at *at)
{
	const cs_insn *in = at->insn;
	uint64_t to = 0;
	bool branch = (in_group(in, CS_GRP_JUMP) || in_group(in, CS_GRP_CALL)) &&
		d->on->leads_to(in, &to);
	const struct map_func *f = branch ? func_at(d, to) : NULL;
	const struct map_block *b = branch && !f ? block_at(d, at->f, to) : NULL;
	if (in->op_str[0])
		fputc(' ', out);
	if (f)
		put_shown(out, name_of(d, f));
	else if (b)
		fprintf(out, "%s+0x%" PRIx64, shown(name_of(d, at->f)), b->offset);
	else
		fputs(in->op_str, out);
}

void put_insn(FILE *out, const struct disassembly *d, const struct insn_at *in)
{
	if (in->insn) {
		fputs(in->insn->mnemonic, out);
		put_operands(out, d, in);
	} else if (in->left_out) {
		fputs("(no-ops for alignment)", out);
	} else {
		fprintf(out, "(%" PRIu64 " instructions that cannot be shown)",
			in->b->insns - in->number);
	}
}

struct disassembly *disassembly_make(const struct program *p, bool mangled)
{
	struct disassembly *d = new_array(1, sizeof *d);
	*d = (struct disassembly){.p = p, .on = p->on, .mangled = mangled};
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
	if (!in->insn || in->number + 1 != in->b->insns || !in_group(in->insn, CS_GRP_JUMP))
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
