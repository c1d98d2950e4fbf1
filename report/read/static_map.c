/* SPDX-License-Identifier: Apache-2.0 */
/*
 * static_map.c - the static map of an instrumented program, read into tables
 */
#include "report/read/static_map.h"

#include "report/common/util.h"
#include "targets/platform.h"

#include <string.h>

/* The state of reading a map. */
struct map_reader {
	struct static_map *m;
	struct reader c;
	const char *strings;
	uint64_t strings_size;
	int64_t last_counter;
	uint64_t sum; /* FNV-1a so far */
};

/* The state of reading the blocks and edges of a function. */
struct flow_reader {
	const struct static_map *m;
	struct reader c;
	int64_t last_counter;
};

/* An FNV-1a step over n bytes; all of them 0 when p is NULL. */
static void hash(struct map_reader *r, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		r->sum = (r->sum ^ (p ? p[i] : 0)) * 0x100000001b3;
}

static const char *string_at(struct map_reader *r, uint64_t off)
{
	if (off < r->strings_size)
		return r->strings + off;
	r->c.bad = true;
	return "";
}

static int64_t counter_at(const struct static_map *m, struct reader *c, uint64_t number)
{
	/* marks are bytes of the cells */
	if (number < m->ncounters * (map_has_marks(m) ? 8 : 1))
		return (int64_t)number;
	c->bad = true;
	return NO_COUNTER;
}

static int64_t take_counter(struct flow_reader *r)
{
	uint64_t number = (uint64_t)r->last_counter + 1 + (uint64_t)read_sleb(&r->c);
	r->last_counter = (int64_t)number;
	return counter_at(r->m, &r->c, number);
}

static void read_edge(struct flow_reader *r, struct map_edge *e, uint64_t nblocks)
{
	e->from = read_uleb(&r->c);
	e->to = read_uleb(&r->c);
	e->flags = read_uleb(&r->c);
	e->counter = e->flags & LDX_EDGE_COUNTED ? take_counter(r) : NO_COUNTER;
	if (e->from > nblocks || e->to > nblocks || (!e->from && !e->to))
		r->c.bad = true;
}

static void read_runs(struct flow_reader *r, struct map_block *b)
{
	uint64_t left = b->insns;
	b->nruns = read_uleb(&r->c);
	b->runs.p = r->c.p;
	for (uint64_t i = 0; i < b->nruns && !r->c.bad; i++) {
		uint64_t insns = read_uleb(&r->c);
		read_uleb(&r->c);
		if (insns > left)
			r->c.bad = true;
		left -= insns;
	}
	b->runs.end = r->c.p;
}

/* Where the last link may have written it, it has 32 bits. */
static int64_t take_distance(struct flow_reader *r)
{
	return r->m->relaxed ? (int32_t)read_u32(&r->c) : read_sleb(&r->c);
}

static void read_block(struct flow_reader *r, struct map_block *b, uint64_t *end, uint64_t *at)
{
	b->offset = *end + read_uleb(&r->c);
	b->length = read_uleb(&r->c);
	b->insns = read_uleb(&r->c);
	b->address = *at += (uint64_t)take_distance(r);
	b->flags = read_uleb(&r->c);
	b->counter = NO_COUNTER;
	b->nruns = 1;
	if (b->flags & LDX_BLOCK_COUNTED)
		b->counter = take_counter(r);
	if (b->flags & LDX_BLOCK_APART)
		read_runs(r, b);
	*end = b->offset + b->length;
	if (b->offset > INT64_MAX || b->length > INT64_MAX)
		r->c.bad = true;
}

/* Functions are skipped by what is in front of their blocks: so it must be true. */
static void check_counter(const struct static_map *m, const struct map_func *f, int64_t number)
{
	if (number != NO_COUNTER && (number < f->lowest || number - f->lowest >= f->ncounters))
		die("%s: the map is damaged: function %s has other counters", m->path,
			shown(f->name));
}

void static_map_flow(const struct static_map *m, struct map_func *f)
{
	if (f->read)
		return;
	f->read = true;
	struct flow_reader r = {m, reader_make(f->flow, f->flow_size), f->before};
	r.c.big = m->big;
	uint64_t end = 0, at = f->address;
	for (size_t i = 0; i < f->nblocks && !r.c.bad; i++)
		read_block(&r, &m->block[f->block + i], &end, &at);
	for (size_t i = 0; i < f->nedges && !r.c.bad; i++)
		read_edge(&r, &m->edge[f->edge + i], f->nblocks);
	if (r.c.bad || r.c.p != r.c.end)
		die("%s: the map is damaged in function %s", m->path, shown(f->name));
	for (size_t i = 0; i < f->nblocks; i++)
		check_counter(m, f, m->block[f->block + i].counter);
	for (size_t i = 0; i < f->nedges; i++)
		check_counter(m, f, m->edge[f->edge + i].counter);
}

/* In the checksum, distances that the last link may have written count as zeros. */
static void hash_flow(struct map_reader *r, const struct map_func *f)
{
	struct reader c = reader_make(f->flow, f->flow_size);
	c.big = r->m->big;
	const uint8_t *from = c.p;
	for (size_t i = 0; i < f->nblocks && r->m->relaxed && !c.bad; i++) {
		for (int k = 0; k < 3; k++)
			read_uleb(&c);
		hash(r, from, (size_t)(c.p - from));
		hash(r, NULL, 4);
		read_u32(&c);
		from = c.p;
		uint64_t flags = read_uleb(&c);
		if (flags & LDX_BLOCK_COUNTED)
			read_sleb(&c);
		for (uint64_t n = flags & LDX_BLOCK_APART ? read_uleb(&c) : 0; n && !c.bad; n--) {
			read_uleb(&c);
			read_uleb(&c);
		}
	}
	hash(r, from, (size_t)(c.end - from));
}

static void read_callers(struct map_reader *r, struct map_func *f)
{
	if (!(f->flags & LDX_FUNC_CALLED))
		return;
	f->ncallers = read_uleb(&r->c);
	f->callers = r->c.p;
	for (uint64_t i = 0; i < f->ncallers && !r->c.bad; i++)
		counter_at(r->m, &r->c, read_uleb(&r->c));
}

/* What is in front of the blocks and edges, which are skipped. */
static void read_flow_head(struct map_reader *r, struct map_func *f)
{
	bool any = f->nblocks || f->nedges;
	f->flow_size = any ? read_uleb(&r->c) : 0;
	f->ncounters = any ? (int64_t)read_uleb(&r->c) : 0;
	f->before = r->last_counter;
	if (f->ncounters) {
		f->lowest = counter_at(r->m, &r->c,
			(uint64_t)r->last_counter + 1 + (uint64_t)read_sleb(&r->c));
		int64_t highest =
			counter_at(r->m, &r->c, (uint64_t)f->lowest + (uint64_t)f->ncounters - 1);
		r->last_counter = counter_at(r->m, &r->c, (uint64_t)highest - read_uleb(&r->c));
		r->c.bad |= highest < f->lowest;
	}
	f->flow = r->c.p;
	if (f->flow_size > (uint64_t)(r->c.end - r->c.p))
		r->c.bad = true;
	else
		r->c.p += f->flow_size;
}

static void read_func(struct map_reader *r, struct map_func *f, size_t *nblocks, size_t *nedges)
{
	const uint8_t *from = r->c.p;
	f->address = read_u64(&r->c);
	if (r->c.bad)
		return;
	hash(r, NULL, 8);
	f->name = string_at(r, read_uleb(&r->c));
	f->section = string_at(r, read_uleb(&r->c));
	f->file = string_at(r, read_uleb(&r->c));
	f->offset = read_uleb(&r->c);
	f->size = read_uleb(&r->c);
	f->flags = read_uleb(&r->c);
	uint64_t entry = read_uleb(&r->c);
	f->entry = f->flags & LDX_FUNC_ENTRY ? counter_at(r->m, &r->c, entry - 1) : NO_COUNTER;
	f->reason = string_at(r, read_uleb(&r->c));
	f->nblocks = read_uleb(&r->c);
	f->nedges = read_uleb(&r->c);
	f->block = *nblocks;
	f->edge = *nedges;
	if (f->nblocks > r->m->nblocks - *nblocks || f->nedges > r->m->nedges - *nedges) {
		r->c.bad = true;
		return;
	}
	*nblocks += f->nblocks;
	*nedges += f->nedges;
	read_callers(r, f);
	read_flow_head(r, f);
	if (r->c.bad)
		return;
	hash(r, from + 8, (size_t)(f->flow - from) - 8);
	hash_flow(r, f);
}

static void read_inputs(struct map_reader *r)
{
	size_t done = 0;
	while (done < r->m->nfuncs && !r->c.bad) {
		uint64_t n = read_uleb(&r->c);
		const char *name = string_at(r, read_uleb(&r->c));
		if (!n || n > r->m->nfuncs - done)
			r->c.bad = true;
		for (; n && !r->c.bad; n--)
			r->m->func[done++].input = name;
	}
}

/* Returns the cells that they take. */
static uint64_t read_variables(struct map_reader *r)
{
	uint64_t n = read_uleb(&r->c), end = 0, first = UINT64_MAX;
	if (n > (uint64_t)(r->c.end - r->c.p) / 4) {
		r->c.bad = true;
		return 0;
	}
	r->m->variable = NEW_ARRAY(struct map_variable, n);
	for (; r->m->nvariables < n && !r->c.bad; r->m->nvariables++) {
		struct map_variable *x = &r->m->variable[r->m->nvariables];
		x->tool = string_at(r, read_uleb(&r->c));
		x->name = string_at(r, read_uleb(&r->c));
		x->at = read_uleb(&r->c);
		x->size = read_uleb(&r->c);
		if (x->at > r->m->ncounters * 8 || x->size > r->m->ncounters * 8 - x->at)
			r->c.bad = true;
		first = x->at < first ? x->at : first;
		end = x->at + x->size > end ? x->at + x->size : end;
	}
	return n ? (end - first) / 8 + n : 0;
}

/* Is the map's most significant byte first?  Its magic number tells. */
static bool read_header(const char *path, struct ldx_map_header *h, const uint8_t *data)
{
	struct reader c = reader_make(data, sizeof *h);
	c.big = read_u32(&c) != LDX_MAP_MAGIC;
	c.p = data;
	h->magic = read_u32(&c);
	/* "ap" and a number, in either order of bytes */
	if (h->magic != LDX_MAP_MAGIC && (!memcmp(data, "ap", 2) || !memcmp(data + 2, "pa", 2)))
		die("%s was linked by another version of ldx, whose maps this ldxprof does not read",
			path);
	if (h->magic != LDX_MAP_MAGIC)
		die("%s: not a map of ldx", path);
	h->header_size = read_u32(&c);
	h->build = read_u64(&c);
	h->ncounters = read_u64(&c);
	h->nfuncs = read_u64(&c);
	h->nblocks = read_u64(&c);
	h->nedges = read_u64(&c);
	h->strings = read_u64(&c);
	h->size = read_u64(&c);
	h->mode = read_u32(&c);
	h->machine = read_u32(&c);
	h->inputs = read_u64(&c);
	h->variables = read_u64(&c);
	return c.big;
}

static void check_header(const char *path, const struct ldx_map_header *h, size_t n)
{
	if (h->size > n)
		die("%s: the map is truncated", path);
	/* a function takes at least 18 bytes, a block 5, an edge 3; cell 0 may be no counter */
	if (h->header_size < sizeof *h || h->header_size > h->inputs || h->inputs > h->strings ||
		h->strings >= h->size || h->nfuncs > (h->strings - h->header_size) / 18 ||
		h->nblocks > (h->strings - h->header_size) / 5 ||
		h->nedges > (h->strings - h->header_size) / 3 || h->ncounters > UINT64_MAX / 64)
		die("%s: the header of the map is damaged", path);
}

void static_map_read(struct static_map *m, const char *path, const uint8_t *data, size_t n)
{
	struct ldx_map_header h;
	struct map_reader r = {.m = m, .last_counter = -1, .sum = 0xcbf29ce484222325};
	if (n < sizeof h)
		die("%s: the map is truncated", path);
	bool big = read_header(path, &h, data);
	check_header(path, &h, n);
	*m = (struct static_map){.build = h.build,
		.ncounters = h.ncounters,
		.mode = h.mode,
		.machine = h.machine,
		.nfuncs = h.nfuncs,
		.nblocks = h.nblocks,
		.nedges = h.nedges,
		.path = path,
		.big = big,
		.relaxed = platform_relaxes((uint16_t)h.machine)};
	m->func = NEW_ARRAY(struct map_func, m->nfuncs);
	m->block = NEW_ARRAY(struct map_block, m->nblocks);
	m->edge = NEW_ARRAY(struct map_edge, m->nedges);
	r.c = reader_make(data + h.header_size, h.inputs - h.header_size);
	r.c.big = big;
	r.strings = (const char *)data + h.strings;
	r.strings_size = h.size - h.strings;
	if (r.strings[r.strings_size - 1])
		die("%s: the strings of the map are damaged", path);
	size_t nblocks = 0, nedges = 0;
	for (size_t i = 0; i < m->nfuncs && !r.c.bad; i++)
		read_func(&r, &m->func[i], &nblocks, &nedges);
	if (r.c.p != data + h.inputs)
		r.c.bad = true;
	hash(&r, data + h.inputs, h.size - h.inputs);
	r.c.end = data + h.strings;
	read_inputs(&r);
	if (r.c.p != data + h.variables)
		r.c.bad = true;
	uint64_t cells = read_variables(&r);
	/* cell 0 may be no counter */
	if (h.ncounters > 1 + cells + h.nfuncs + h.nblocks * 2 + h.nedges)
		r.c.bad = true;
	if (r.c.bad || nblocks != m->nblocks || nedges != m->nedges)
		die("%s: the map is damaged", path);
	if (r.sum != h.build)
		die("%s: the map is damaged: its checksum is %016lx, not %016lx", path,
			(unsigned long)r.sum, (unsigned long)h.build);
}

struct map_runs map_runs(const struct map_block *b)
{
	return (struct map_runs){.rest = b->runs, .left = b->nruns, .insns = b->insns};
}

bool map_next_run(struct map_runs *r)
{
	if (!r->left)
		return false;
	r->left--;
	if (r->rest.p) {
		r->insns = read_uleb(&r->rest);
		r->skip = read_uleb(&r->rest);
	}
	return true;
}

bool map_is_placed(const struct map_block *b)
{
	return b->nruns;
}

bool map_has_marks(const struct static_map *m)
{
	return m->mode == LDX_MODE_COVER;
}

const char *mode_name(uint32_t mode)
{
	static const char *const name[] = {"none", "functions", "blocks", "edges", "cover"};
	return mode < sizeof name / sizeof name[0] ? name[mode] : "unknown";
}
