/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.c - which counts are taken, and which follow, on random graphs
 *
 * Frames walk through a random graph of blocks, and some stay in calls.  Of what
 * ldxprof then computes no block may be told too seldom, and none more than once too often
 * for each frame that stays; edges, of which many cannot be counted here, also as much too
 * seldom.  A branching is compared with the best of all there are.
 */
#include "instr/count/branching.h"
#include "instr/count/choose.h"
#include "report/read/solve.h"

#include <stdlib.h>

enum { GRAPHS = 40000, BRANCHINGS = 20000 };
enum { MOST_BLOCKS = 9, MOST_EDGES = 64, MOST_NODES = 6, MOST_ARCS = 11 };

static uint64_t seed = 1;
static unsigned failures;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* What solve.c needs of ldxprof. */
void *new_array(size_t n, size_t size)
{
	void *v = calloc(n + 1, size);
	if (!v)
		abort();
	return v;
}

bool map_has_marks(const struct static_map *m)
{
	return m->mode == LDX_MODE_COVER;
}

/* They are here. */
void static_map_flow(const struct static_map *m, struct map_func *f)
{
	(void)m;
	(void)f;
}

/* Graphs ---------------------------------------------------------------- */

struct run {
	struct flow w;
	struct static_map m;
	struct block code[MOST_BLOCKS];
	struct map_block block[MOST_BLOCKS];
	struct map_edge edge[MOST_EDGES];
	uint64_t blocks[MOST_BLOCKS], edges[MOST_EDGES]; /* how often they are executed */
	uint64_t cells[MOST_BLOCKS + MOST_EDGES];
	uint64_t stay;
};

static void add_edge(struct flow *w, uint32_t from, uint32_t to)
{
	struct edge e = {.from = from,
		.to = to,
		.freq = (float)below(100) / 10,
		.cost = below(3) ? 1 + (float)below(3) : -1};
	if (from == NO_BLOCK || to == NO_BLOCK)
		e.cost = -1;
	vec_push(&w->edge, e);
}

static void random_graph(struct flow *w, struct block *code)
{
	uint32_t n = 1 + below(MOST_BLOCKS);
	for (uint32_t b = 0; b < n; b++)
		code[b].end = below(2) ? END_CALL : END_BRANCH;
	w->block.n = w->edge.n = 0;
	add_edge(w, NO_BLOCK, 0);
	for (uint32_t b = 1; b < n; b++)
		if (!below(6))
			add_edge(w, NO_BLOCK, b);
	for (uint32_t b = 0; b < n; b++) {
		uint32_t ways = 1 + below(3), to[3];
		struct flow_block fb = {.edge = (uint32_t)w->edge.n,
			.nedge = ways,
			.freq = (float)below(100) / 10,
			.cost = 1 + (float)below(3)};
		for (uint32_t i = 0; i < ways; i++) {
			to[i] = below(n + 1);
			add_edge(w, b, to[i] == n ? NO_BLOCK : to[i]);
		}
		vec_push(&w->block, fb);
	}
}

static const struct edge *random_entry(const struct flow *w)
{
	uint32_t n = 0;
	while (w->edge.v[n].from == NO_BLOCK)
		n++;
	return &w->edge.v[below(n)];
}

/* One frame, from where it enters to where it leaves or stays; false: it does neither soon. */
static bool walk(struct run *r, bool may_stay)
{
	const struct edge *e = random_entry(&r->w);
	for (uint32_t steps = 0; steps < 2000; steps++) {
		r->edges[e - r->w.edge.v]++;
		if (e->to == NO_BLOCK)
			return true;
		r->blocks[e->to]++;
		bool stays = may_stay ? !below(8) : steps > 1000;
		if (stays && r->code[e->to].end == END_CALL) {
			r->stay++;
			return true;
		}
		const struct flow_block *fb = &r->w.block.v[e->to];
		e = &r->w.edge.v[fb->edge + below(fb->nedge)];
	}
	return false;
}

static void walk_or_not(struct run *r, bool may_stay)
{
	struct run before;
	memcpy(before.blocks, r->blocks, sizeof before.blocks);
	memcpy(before.edges, r->edges, sizeof before.edges);
	if (walk(r, may_stay))
		return;
	memcpy(r->blocks, before.blocks, sizeof before.blocks);
	memcpy(r->edges, before.edges, sizeof before.edges);
}

static int64_t counter(struct run *r, uint8_t state, uint64_t n)
{
	if (state != COUNT_COUNTED)
		return NO_COUNTER;
	r->cells[r->m.ncounters] = n;
	return (int64_t)r->m.ncounters++;
}

static struct counts solve(struct run *r)
{
	struct map_func f = {.nblocks = r->w.block.n,
		.nedges = r->w.edge.n,
		.ncounters = MOST_BLOCKS + MOST_EDGES};
	struct counts c;
	r->m = (struct static_map){.mode = LDX_MODE_EDGES,
		.func = &f,
		.nfuncs = 1,
		.block = r->block,
		.nblocks = f.nblocks,
		.edge = r->edge,
		.nedges = f.nedges};
	for (size_t b = 0; b < f.nblocks; b++)
		r->block[b] = (struct map_block){
			.counter = counter(r, r->w.block.v[b].state, r->blocks[b]),
			.flags = r->w.block.v[b].by_next ? LDX_BLOCK_NEXT : 0};
	for (size_t i = 0; i < f.nedges; i++) {
		const struct edge *e = &r->w.edge.v[i];
		r->edge[i] = (struct map_edge){e->from == NO_BLOCK ? 0 : e->from + 1,
			e->to == NO_BLOCK ? 0 : e->to + 1,
			(e->state == COUNT_UNKNOWN ? LDX_EDGE_UNKNOWN : 0u) |
				(e->by_next ? LDX_EDGE_NEXT : 0u),
			counter(r, e->state, r->edges[i])};
	}
	solve_counts(&r->m, r->cells, &c);
	return c;
}

static void compare(const struct run *r, const struct counts *c, enum choice choice)
{
	static const char *const name[] = {"blocks", "edges", "every"};
	bool bad = c->unsolved;
	for (size_t b = 0; b < r->w.block.n; b++)
		bad |= c->block[b] < r->blocks[b] || c->block[b] > r->blocks[b] + r->stay;
	for (size_t i = 0; i < r->w.edge.n; i++) {
		const struct edge *e = &r->w.edge.v[i];
		if (e->state == COUNT_UNKNOWN)
			continue;
		bad |= c->edge[i] + r->stay < r->edges[i] || c->edge[i] > r->edges[i] + r->stay;
	}
	if (!bad)
		return;
	failures++;
	printf("%s: %zu blocks, %zu edges, %llu frames that stay: wrong counts\n", name[choice],
		r->w.block.n, r->w.edge.n, (unsigned long long)r->stay);
	for (size_t b = 0; b < r->w.block.n; b++)
		printf("  block %zu: executed %llu times, told %llu\n", b,
			(unsigned long long)r->blocks[b], (unsigned long long)c->block[b]);
}

static void test_graphs(void)
{
	struct run r = {0};
	struct cfg g = {.block = {r.code, MOST_BLOCKS, MOST_BLOCKS}};
	r.w.g = &g;
	for (uint32_t k = 0; k < GRAPHS; k++) {
		enum choice choice = (enum choice)(k % 3);
		random_graph(&r.w, r.code);
		memset(r.blocks, 0, sizeof r.blocks);
		memset(r.edges, 0, sizeof r.edges);
		r.stay = 0;
		for (uint32_t n = below(9); n--;)
			walk_or_not(&r, k & 1);
		flow_choose(&r.w, choice);
		struct counts c = solve(&r);
		compare(&r, &c, choice);
		free(c.block);
		free(c.edge);
		free(c.block_known);
		free(c.edge_known);
	}
	flow_free(&r.w);
}

/* Branchings ------------------------------------------------------------ */

/* The weight of the arcs in the set; < 0: two leave one node, or there is a cycle. */
static double sum_of(const struct weighted_arc *arc, uint32_t n, uint32_t set)
{
	uint32_t next[MOST_NODES] = {0};
	double sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!(set >> i & 1))
			continue;
		if (next[arc[i].from])
			return -1;
		next[arc[i].from] = arc[i].to + 1;
		sum += arc[i].weight;
	}
	for (uint32_t u = 0; u < MOST_NODES; u++) {
		uint32_t v = u;
		for (uint32_t steps = 0; next[v]; steps++, v = next[v] - 1)
			if (steps > MOST_NODES)
				return -1;
	}
	return sum;
}

static void test_branchings(void)
{
	for (uint32_t k = 0; k < BRANCHINGS; k++) {
		struct weighted_arc arc[MOST_ARCS + MOST_NODES];
		uint32_t nodes = 2 + below(MOST_NODES - 1), n = 1 + below(MOST_ARCS), set = 0;
		bool taken[MOST_ARCS + MOST_NODES];
		double best = 0;
		for (uint32_t i = 0; i < n; i++)
			arc[i] =
				(struct weighted_arc){1 + below(nodes - 1), below(nodes), below(9)};
		for (uint32_t u = 1; u < nodes; u++)
			arc[n + u - 1] = (struct weighted_arc){u, 0, 0};
		max_branching(nodes, arc, n + nodes - 1, taken);
		for (uint32_t i = 0; i < n; i++)
			set |= (uint32_t)taken[i] << i;
		for (uint32_t s = 0; s < 1u << n; s++) {
			double sum = sum_of(arc, n, s);
			best = sum > best ? sum : best;
		}
		if (sum_of(arc, n, set) != best) {
			printf("branching %u: %g, the best is %g\n", k, sum_of(arc, n, set), best);
			failures++;
		}
	}
}

int main(void)
{
	test_graphs();
	test_branchings();
	printf("%d graphs, %d branchings, %u failures\n", GRAPHS, BRANCHINGS, failures);
	return failures != 0;
}
