/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bb_addr_map.c - clang's map of basic blocks (LLVM Extensions, SHT_LLVM_BB_ADDR_MAP)
 *
 * For each function: version, features, then ranges of blocks, relative to an address with a
 * relocation; each block has its distance from the end of the previous block, and its size.
 * Inserted code belongs to the block behind it.  Frequencies at the end are copied.
 */
#include "reloc/meta/dwarf.h"

enum { VERSION = 2 };
enum {
	HAS_ENTRY_COUNT = 1,
	HAS_FREQUENCY = 2,
	HAS_PROBABILITY = 4,
	HAS_RANGES = 8,
};

struct blocks {
	struct recode rc;
	struct section *s;
	struct reader r;
};

/*
 * hazard: section of code distances.  .sframe and .llvm_bb_addr_map hold offsets and sizes
 * within functions as numbers.
 */
static void put_block(struct blocks *b, const struct place *base, uint64_t *old, uint64_t *new)
{
	struct reader *r = &b->r;
	uint64_t at = reader_at(r);
	read_uleb(r); /* its number */
	uint64_t field = reader_at(r);
	uint64_t start = *old + read_uleb(r), size = read_uleb(r), rest = reader_at(r);
	read_uleb(r); /* its flags */
	if (r->bad)
		fatal_at(b->s, at, "truncated block");
	uint64_t from = dw_new(base, start, REF_ADDRESS, b->s, at);
	uint64_t to = dw_new(base, start + size, REF_RANGE_END, b->s, at);
	if (from < *new)
		from = *new;
	if (!size || to < from)
		to = from;
	recode_copy(&b->rc, at, field);
	buf_uleb(&b->rc.out, from - *new);
	buf_uleb(&b->rc.out, to - from);
	recode_copy(&b->rc, rest, reader_at(r));
	*old = start + size;
	*new = to;
}

/* A range of blocks; returns how many there are. */
static uint64_t put_range(struct blocks *b)
{
	uint64_t at = reader_at(&b->r);
	struct place base = dw_place(b->rc.o, b->s, at);
	read_u64(&b->r);
	uint64_t n = read_uleb(&b->r), old = 0, new;
	if (b->r.bad || !base.sec || n > b->s->size - at)
		fatal_at(b->s, at, "bad range of blocks");
	recode_copy(&b->rc, at, reader_at(&b->r));
	new = dw_new(&base, 0, REF_ADDRESS, b->s, at);
	for (uint64_t i = 0; i < n; i++)
		put_block(b, &base, &old, &new);
	return n;
}

static void copy_frequencies(struct blocks *b, unsigned features, uint64_t nblocks)
{
	struct reader *r = &b->r;
	uint64_t at = reader_at(r);
	if (features & HAS_ENTRY_COUNT)
		read_uleb(r);
	for (uint64_t i = 0; i < nblocks && !r->bad; i++) {
		if (features & HAS_FREQUENCY)
			read_uleb(r);
		uint64_t n = features & HAS_PROBABILITY ? read_uleb(r) : 0;
		for (; n && !r->bad; n--) {
			read_uleb(r);
			read_uleb(r);
		}
	}
	if (r->bad)
		fatal_at(b->s, at, "truncated frequencies of blocks");
	recode_copy(&b->rc, at, reader_at(r));
}

static void put_function(struct blocks *b)
{
	uint64_t at = reader_at(&b->r), nblocks = 0;
	unsigned version = read_u8(&b->r), features = read_u8(&b->r);
	if (b->r.bad || version != VERSION || features >= 2 * HAS_RANGES)
		fatal_at(b->s, at, "map of blocks of unknown version %u, features 0x%x", version,
			features);
	uint64_t n = features & HAS_RANGES ? read_uleb(&b->r) : 1;
	recode_label(&b->rc, at);
	recode_copy(&b->rc, at, reader_at(&b->r));
	while (n-- && b->r.p < b->r.end)
		nblocks += put_range(b);
	copy_frequencies(b, features, nblocks);
}

void bb_addr_map_rewrite(struct object *o, struct section *s)
{
	struct blocks b = {.rc.o = o, .s = s, .r = reader_make(s->data, s->size)};
	recode_open(&b.rc, s);
	while (b.r.p < b.r.end)
		put_function(&b);
	recode_close(&b.rc);
	recode_finish(&b.rc, s);
}
