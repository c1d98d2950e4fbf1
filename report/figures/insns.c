/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insns.c - the original instructions of a program with their counts; see insns.h
 *
 * Instructions are decoded in the instrumented program, at the addresses that the map gives.
 */
#include "report/figures/insns.h"

#include "targets/target.h"

/* A new decoder confirms each form of instructions again, which is slow. */
struct decoder *insn_decoder(const struct program *p)
{
	struct program_readers *r = p->readers;
	if (!p->target)
		die("%s: no disassembler for machine %u", p->path, p->map.machine);
	if (!r->decoder)
		r->decoder = p->target->decoder_new();
	return r->decoder;
}

/* The callback and its argument. */
struct telling {
	struct decoder *d;
	void (*fn)(void *ctx, const struct insn_at *in);
	void *ctx;
	struct insn_at at;
	uint64_t last, end; /* the last instruction's address, and where it ends */
};

static void tell(struct telling *t, const struct insn *in, uint8_t size, bool is_last)
{
	struct insn_at *at = &t->at;
	at->insn = in;
	at->size = size;
	at->is_last = is_last;
	at->from = t->end <= at->address ? t->end : at->address;
	t->fn(t->ctx, at);
	t->last = at->address;
	at->bytes += size;
	at->address += size;
	at->offset += size;
	at->number++;
	t->end = at->address;
}

/*
 * A branch is decoded together with its delay slot.  A second part that is a transfer itself is in
 * no slot: the first part stands for the call or jump that both are.
 */
static bool tell_slot(struct telling *t, uint8_t size)
{
	struct insn in;
	bool decoded = t->at.p->target->decode(t->d, t->at.bytes, size, &in);
	if (decoded && (in.kind == INSN_CALL_IND || in.kind == INSN_JUMP_IND))
		in.kind = INSN_OTHER;
	if (decoded)
		tell(t, &in, size, false);
	return decoded;
}

/* Reports the n instructions at the current address.  False: not all can be decoded. */
static bool tell_run(struct telling *t, uint64_t n)
{
	struct insn_at *at = &t->at;
	const struct target *target = at->p->target;
	uint64_t size = 0, end = at->number + n;
	struct insn in;
	at->bytes = program_code(at->p, at->address, &size);
	for (const uint8_t *limit = at->bytes + size; at->number < end;) {
		size_t left = (size_t)(limit - at->bytes);
		if (!left || !target->decode(t->d, at->bytes, left, &in))
			return false;
		bool slot = target->insn_size && in.len > target->insn_size;
		uint8_t len = slot ? target->insn_size : in.len;
		tell(t, &in, len, at->number + 1 + slot == at->b->insns);
		if (slot && !tell_slot(t, in.len - len))
			return false;
	}
	return true;
}

/* Reports the instructions of the block that are in no run, or that cannot be decoded. */
static void tell_others(struct telling *t)
{
	t->at.insn = NULL;
	t->at.size = 0;
	t->at.from = t->at.address;
	for (; t->at.number < t->at.b->insns; t->at.number++)
		t->fn(t->ctx, &t->at);
}

static void tell_block(struct telling *t, const struct map_block *b)
{
	struct insn_at *at = &t->at;
	at->b = b;
	at->number = 0;
	at->offset = b->offset;
	at->address = b->address;
	at->left_out = false;
	at->known = block_count(at->p, b, &at->count);
	t->last = at->address;
	for (struct map_runs r = map_runs(b); map_next_run(&r); at->address += r.skip) {
		if (tell_run(t, r.insns))
			continue;
		tell_others(t);
		return;
	}
	at->address = t->last;
	at->left_out = true;
	tell_others(t);
}

void each_insn(const struct program *p, const struct map_func *f,
	void (*fn)(void *ctx, const struct insn_at *in), void *ctx)
{
	program_flow(p, f);
	struct telling t = {.d = insn_decoder(p),
		.fn = fn,
		.ctx = ctx,
		.at = {.p = p, .f = f},
		.end = f->address};
	for (size_t i = f->block; i < f->block + f->nblocks; i++)
		tell_block(&t, &p->map.block[i]);
}
