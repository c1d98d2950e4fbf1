/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gmon.c - counts in gprof's format: gmon.out, see binutils' gmon_out.h
 *
 * Addresses are those of the instrumented program, on which gprof is run.  The histogram has
 * instructions instead of samples of time.
 */
#include "report/figures/calls.h"
#include "report/figures/insns.h"
#include "report/figures/views.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum {
	GMON_VERSION = 1,
	TAG_HISTOGRAM = 0,
	TAG_ARC = 1,
	TAG_BLOCKS = 2,
	BIN = 2, /* bytes of code: gprof's precision in finding functions */
	BIN_MAX = UINT16_MAX,
};

struct histogram {
	const struct program *p;
	uint64_t low, high;
	uint64_t *bin;
	uint64_t *start; /* of functions, sorted */
	uint64_t limit;	 /* the start of the next function */
};

static size_t bins(const struct histogram *h)
{
	return (size_t)((h->high - h->low) / BIN);
}

static void find_code(struct histogram *h)
{
	h->low = UINT64_MAX;
	for (const struct segment *s = h->p->segment; s < h->p->segment + h->p->nsegments; s++) {
		if (!s->executable)
			continue;
		h->low = s->address < h->low ? s->address : h->low;
		h->high = s->address + s->size > h->high ? s->address + s->size : h->high;
	}
	h->low = h->low < h->high ? h->low / BIN * BIN : h->high;
	h->high = (h->high + BIN - 1) / BIN * BIN;
}

/* A bin in which a function begins belongs to it, even if the one before it ends there. */
static void add_insn(void *ctx, const struct insn_at *in)
{
	struct histogram *h = ctx;
	uint64_t at = in->address / BIN, end = h->limit / BIN;
	if (at == end && at > in->f->address / BIN)
		at--;
	if (!in->known || in->address < h->low || in->address >= h->high)
		return;
	uint64_t *bin = &h->bin[at - h->low / BIN];
	*bin = add_sat(*bin, in->count);
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static void fill_bins(struct histogram *h)
{
	const struct static_map *m = &h->p->map;
	size_t k;
	h->bin = NEW_ARRAY(uint64_t, bins(h) + 1);
	h->start = NEW_ARRAY(uint64_t, m->nfuncs + 1);
	for (size_t i = 0; i < m->nfuncs; i++)
		h->start[i] = m->func[i].address;
	h->start[m->nfuncs] = UINT64_MAX;
	qsort(h->start, m->nfuncs, sizeof *h->start, compare_addresses);
	for (size_t i = 0; i < m->nfuncs; i++) {
		BISECT(k, 0, m->nfuncs, h->start[k] <= m->func[i].address);
		h->limit = h->start[k];
		if (func_linked(h->p, &m->func[i]))
			each_insn(h->p, &m->func[i], add_insn, h);
	}
	free(h->start);
}

/* A unit is a power of 1000 instructions; a bin holds up to BIN_MAX / rate units. */
struct unit {
	const char *name;
	char letter;
	double size;
	uint32_t rate;
};

static struct unit find_unit(const struct histogram *h)
{
	static const struct unit units[] = {{"instructions", 'i', 1, 1},
		{"Kinstructions", 'K', 1e3, 0}, {"Minstructions", 'M', 1e6, 0},
		{"Ginstructions", 'G', 1e9, 0}, {"Tinstructions", 'T', 1e12, 0},
		{"Pinstructions", 'P', 1e15, 0}};
	uint64_t most = 0;
	for (size_t i = 0; i < bins(h); i++)
		most = h->bin[i] > most ? h->bin[i] : most;
	size_t k = 0;
	while (k + 1 < sizeof units / sizeof *units &&
		(double)most / units[k].size > (double)BIN_MAX)
		k++;
	struct unit u = units[k];
	double rate = k ? (double)BIN_MAX / ((double)most / u.size) : 1;
	u.rate = rate < 1 ? 1 : rate > UINT32_MAX ? UINT32_MAX : (uint32_t)rate;
	return u;
}

/* Rounding errors are carried to the next bin, so that functions keep their sums. */
static void put_bins(const struct histogram *h, const struct unit *u, struct buf *b)
{
	double carry = 0;
	for (size_t i = 0; i < bins(h); i++) {
		if (!h->bin[i]) {
			buf_u16(b, 0);
			continue;
		}
		double exact = (double)h->bin[i] / u->size * u->rate + carry;
		uint16_t n = exact < 0.5	  ? 0
			: exact > (double)BIN_MAX ? BIN_MAX
						  : (uint16_t)(exact + 0.5);
		carry = exact - n;
		buf_u16(b, n);
	}
}

static void put_histogram(const struct program *p, struct buf *b)
{
	struct histogram h = {.p = p};
	char name[15] = "";
	find_code(&h);
	fill_bins(&h);
	struct unit u = find_unit(&h);
	memcpy(name, u.name, strlen(u.name));
	buf_u8(b, TAG_HISTOGRAM);
	buf_u64(b, h.low);
	buf_u64(b, h.high);
	buf_u32(b, (uint32_t)bins(&h));
	buf_u32(b, u.rate);
	buf_put(b, name, sizeof name);
	buf_u8(b, (uint8_t)u.letter);
	put_bins(&h, &u, b);
}

static void put_arc(struct buf *b, uint64_t from, uint64_t to, uint64_t count)
{
	if (!count)
		return;
	buf_u8(b, TAG_ARC);
	buf_u64(b, from);
	buf_u64(b, to);
	buf_u32(b, count < UINT32_MAX ? (uint32_t)count : UINT32_MAX);
}

/* gprof's format has no indirect calls without a callee, so these are left out. */
static void put_arcs(const struct run *run, struct buf *b)
{
	const struct program *p = &run->v[0];
	struct calls calls = calls_find(run, false);
	for (const struct call *c = calls.v; c < calls.v + calls.n; c++)
		if (c->p == p && c->to_in == p && c->to && c->known)
			put_arc(b, c->address, c->to->address, c->count);
}

static void put_blocks(const struct program *p, struct buf *b)
{
	struct buf blocks = {0};
	uint32_t n = 0;
	uint64_t count;
	for (size_t i = 0; i < p->map.nfuncs; i++) {
		const struct map_func *f = &p->map.func[i];
		const struct map_block *v = &p->map.block[f->block];
		for (size_t k = 0; func_linked(p, f) && k < f->nblocks; k++) {
			if (!map_is_placed(&v[k]) || !block_count(p, &v[k], &count))
				continue;
			buf_u64(&blocks, v[k].address);
			buf_u64(&blocks, count < UINT32_MAX ? count : UINT32_MAX);
			n++;
		}
	}
	buf_u8(b, TAG_BLOCKS);
	buf_u32(b, n);
	buf_put(b, blocks.v, blocks.n);
	free(blocks.v);
}

void view_gmon(const struct run *run, FILE *out)
{
	struct buf b = {0};
	run_need_counts(run);
	buf_put(&b, "gmon", 4);
	buf_u32(&b, GMON_VERSION);
	buf_put(&b, (const uint8_t[12]){0}, 12);
	put_histogram(&run->v[0], &b);
	put_arcs(run, &b);
	put_blocks(&run->v[0], &b);
	fwrite(b.v, 1, b.n, out);
	free(b.v);
}
