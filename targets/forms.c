/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forms.c - decoders of instructions of one word; see forms.h
 */
#include "targets/forms.h"

#include "base/base.h"
#include "targets/disassembler.h"
#include "targets/insn.h"
#include "targets/platform.h"

#include <stdlib.h>

enum { SLOTS = 1 << 12, NO_INSN = UINT32_MAX };

struct slot {
	uint32_t form;
	uint32_t record; /* number of its record from 1; 0: free; NO_INSN */
};

struct decoder {
	struct disassembler *llvm;
	form_decode_fn *decode;
	struct slot *slot;
	size_t n, cap; /* cap: a power of two */
	size_t size;   /* of a record */
	VEC(uint8_t) records;
};

static struct slot *new_slots(size_t n)
{
	struct slot *slot = calloc(n, sizeof *slot);
	if (!slot)
		fatal("out of memory");
	return slot;
}

struct decoder *forms_decoder(const struct platform *p, form_decode_fn *decode, size_t record)
{
	struct decoder *d = calloc(1, sizeof *d);
	if (!d)
		fatal("out of memory");
	d->llvm = disassembler_new(p);
	d->decode = decode;
	d->size = record;
	d->cap = SLOTS;
	d->slot = new_slots(d->cap);
	return d;
}

void forms_free(struct decoder *d)
{
	if (!d)
		return;
	disassembler_free(d->llvm);
	vec_free(&d->records);
	free(d->slot);
	free(d);
}

bool forms_text(struct decoder *d, const uint8_t *bytes, size_t n, char *text, size_t size)
{
	return disassembler_text(d->llvm, bytes, n, 0, text, size) == n;
}

static struct slot *find_slot(struct slot *slot, size_t cap, uint32_t form)
{
	size_t i = (form * 0x9e3779b97f4a7c15u) >> 32 & (cap - 1);
	while (slot[i].record && slot[i].form != form)
		i = (i + 1) & (cap - 1);
	return &slot[i];
}

static void grow(struct decoder *d)
{
	struct slot *slot = new_slots(d->cap * 2);
	for (size_t i = 0; i < d->cap; i++)
		if (d->slot[i].record)
			*find_slot(slot, d->cap * 2, d->slot[i].form) = d->slot[i];
	free(d->slot);
	d->slot = slot;
	d->cap *= 2;
}

/* Returns the number of the new record. */
static uint32_t add(struct decoder *d, uint32_t word)
{
	size_t at = d->records.n;
	vec_reserve(&d->records, at + d->size);
	memset(d->records.v + at, 0, d->size);
	if (!d->decode(d, word, d->records.v + at))
		return NO_INSN;
	d->records.n += d->size;
	return (uint32_t)(d->records.n / d->size);
}

const void *forms_find(struct decoder *d, uint32_t form, uint32_t word)
{
	struct slot *s = find_slot(d->slot, d->cap, form);
	if (!s->record) {
		if (d->n * 2 >= d->cap) {
			grow(d);
			s = find_slot(d->slot, d->cap, form);
		}
		*s = (struct slot){.form = form, .record = add(d, word)};
		d->n++;
	}
	return s->record == NO_INSN ? NULL : d->records.v + (s->record - 1) * d->size;
}

bool forms_insn(struct decoder *d, uint32_t form, uint32_t word, struct insn *in)
{
	const struct insn *known = forms_find(d, form, word);
	uint32_t off = in->off, ref = in->ref;
	if (!known)
		return false;
	*in = *known;
	in->off = off;
	in->ref = ref;
	return true;
}
