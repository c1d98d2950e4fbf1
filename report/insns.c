/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insns.c - the original instructions of a program with their counts; see insns.h
 *
 * They are decoded in the instrumented program, at the addresses that the map gives.
 */
#include "report/insns.h"

#include "targets/platform.h"

#include <capstone/capstone.h>

/* Opened and closed for each function: this costs about as much as decoding ten instructions. */
struct decoder {
	csh cs;
	cs_insn *insn;
};

static void open_decoder(struct decoder *d, const struct program *p)
{
	const struct platform *on = p->on;
	if (!on)
		die("%s: no disassembler for machine %u", p->path, p->map.machine);
	if (cs_open((cs_arch)on->cs_arch, (cs_mode)on->cs_mode, &d->cs) != CS_ERR_OK)
		die("cannot start the disassembler");
	cs_option(d->cs, CS_OPT_DETAIL, CS_OPT_ON);
	cs_option(d->cs, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	d->insn = cs_malloc(d->cs);
}

static void close_decoder(struct decoder *d)
{
	cs_free(d->insn, 1);
	cs_close(&d->cs);
}

/* The callback and its argument. */
struct telling {
	struct decoder d;
	void (*fn)(void *ctx, const struct insn_at *in);
	void *ctx;
	struct insn_at at;
	uint64_t end; /* of the last instruction */
};

/* Reports n instructions from *address on, which is advanced.  False: not all can be decoded. */
static bool tell_run(struct telling *t, uint64_t *address, uint64_t n)
{
	struct insn_at *at = &t->at;
	uint64_t size = 0;
	const uint8_t *code = program_code(at->p, *address, &size);
	size_t left = size;
	for (; n; n--) {
		if (!left || !cs_disasm_iter(t->d.cs, &code, &left, address, t->d.insn))
			return false;
		at->insn = t->d.insn;
		at->address = at->insn->address;
		at->from = t->end <= at->address ? t->end : at->address;
		t->end = *address;
		t->fn(t->ctx, at);
		at->offset += at->insn->size;
		at->number++;
	}
	return true;
}

/* Reports the instructions of the block that are in no run, or that cannot be decoded. */
static void tell_others(struct telling *t)
{
	t->at.insn = NULL;
	t->at.from = t->at.address;
	for (; t->at.number < t->at.b->insns; t->at.number++)
		t->fn(t->ctx, &t->at);
}

static void tell_block(struct telling *t, const struct map_block *b)
{
	struct insn_at *at = &t->at;
	uint64_t address = b->address;
	at->b = b;
	at->number = 0;
	at->offset = b->offset;
	at->address = address;
	at->left_out = false;
	at->known = block_count(at->p, b, &at->count);
	for (struct map_runs r = map_runs(b); map_next_run(&r); address += r.skip) {
		if (tell_run(t, &address, r.insns))
			continue;
		at->address = address;
		tell_others(t);
		return;
	}
	at->left_out = true;
	tell_others(t);
}

void each_insn(const struct program *p, const struct map_func *f,
	void (*fn)(void *ctx, const struct insn_at *in), void *ctx)
{
	struct telling t = {.fn = fn, .ctx = ctx, .at = {.p = p, .f = f}, .end = f->address};
	open_decoder(&t.d, p);
	for (size_t i = f->block; i < f->block + f->nblocks; i++)
		tell_block(&t, &p->map.block[i]);
	close_decoder(&t.d);
}
