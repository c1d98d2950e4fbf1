/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - read the static map; does control run the counters that it names?
 *
 * The static map says what each counter counts.  Control that comes to an instruction, by falling
 * through or by a reference, must run the counters of the block that begins there and of the edge
 * it came by, and no others.
 */
#include "verify/branches.h"
#include "verify/inserted.h"
#include "verify/flow.h"
#include "verify/landing.h"
#include "verify/map.h"
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/sites.h"

#include "runtime/abi.h"

#include <stdlib.h>

static void set_count(struct mapread *m, uint64_t number, struct vcount c)
{
	if (number >= m->v->count.n || c.text == UINT32_MAX)
		m->r.bad = true;
	else if (m->v->count.v[number].kind != COUNTS_NOTHING)
		vfail(m->v, m->s, 0, "counter %llu counts two things", (unsigned long long)number);
	else
		m->v->count.v[number] = c;
}

static uint64_t next_counter(struct mapread *m)
{
	m->last_counter += 1 + read_sleb(&m->r);
	m->lowest = m->last_counter < m->lowest ? m->last_counter : m->lowest;
	m->highest = m->last_counter > m->highest ? m->last_counter : m->highest;
	return (uint64_t)m->last_counter;
}

/* Read a function's address: its text, and *y, its new offset. */
static uint32_t read_text(struct mapread *m, uint64_t *y)
{
	struct verify *v = m->v;
	uint64_t at = reader_at(&m->r) + (v->b->big ? 8 - v->b->word : 0), symoff;
	read_u64(&m->r);
	if (m->rel == m->s->nrel || m->s->rel[m->rel].off > at)
		return UINT32_MAX;
	const struct reloc *r = &m->s->rel[m->rel++];
	if (r->off < at || r->type != v->target->made.address)
		m->r.bad = true;
	const struct section *b = reloc_target(v->b, r, &symoff);
	const struct vtext *t = b ? text_at(v, v->old[b->index]) : NULL;
	*y = b ? symoff + (uint64_t)r->addend : 0;
	return t ? (uint32_t)(t - v->text.v) : UINT32_MAX;
}

/* How many instructions of the CPU is insn k? */
static unsigned insn_weight(const struct verify *v, uint32_t k)
{
	unsigned longest = v->target->insn_size;
	return longest && v->insn.v[k].len > longest ? 2 : 1;
}

/*
 * Are the n instructions of the CPU from insn *k on contiguous in the new code, at *y?  Advances
 * *k and *y.
 */
static bool is_run(const struct verify *v, const struct vtext *t, uint32_t *k, uint64_t n,
	uint64_t *y)
{
	for (; n; n -= insn_weight(v, *k), ++*k) {
		const struct insn *in = &v->insn.v[*k];
		uint32_t i = *k - t->first;
		if (n < insn_weight(v, *k))
			return false;
		if (is_padding(in)) {
			*y += in->len;
			continue;
		}
		if (t->hi[i] != *y)
			return false;
		*y += new_end(t, *k) - t->hi[i];
	}
	return true;
}

/* Check the runs of block c: insns instructions from y on; those that no run has are padding. */
static void read_runs(struct mapread *m, const struct vcount *c, uint64_t insns, uint64_t y,
	bool apart)
{
	const struct verify *v = m->v;
	const struct vtext *t = c->text == UINT32_MAX ? NULL : &v->text.v[c->text];
	uint32_t k = t ? insn_at(v, t, c->from) : 0;
	uint32_t last = t ? insn_at(v, t, c->end) : 0;
	uint64_t left = 0;
	for (uint32_t i = k; i < last; i++)
		left += insn_weight(v, i);
	bool good = !t || left == insns;
	left = insns;
	for (uint64_t runs = apart ? read_uleb(&m->r) : 1; runs && !m->r.bad; runs--) {
		uint64_t n = apart ? read_uleb(&m->r) : insns;
		good = good && n <= left && (!t || t->broken || is_run(v, t, &k, n, &y));
		left -= good ? n : 0;
		y += apart ? read_uleb(&m->r) : 0;
	}
	for (; t && !t->broken && good && k < last; k++)
		good = is_padding(&v->insn.v[k]);
	if (!good)
		vfail(m->v, m->s, 0,
			"wrong places for the instructions of the block from 0x%x to 0x%x", c->from,
			c->end);
}

/* Does the block end in a call, if the map says so?  Note where it says that counters are held. */
static void check_flags(struct mapread *m, const struct vcount *c, uint64_t flags)
{
	struct verify *v = m->v;
	const struct vtext *t = c->text == UINT32_MAX ? NULL : &v->text.v[c->text];
	if (!t || t->broken || m->r.bad || c->end <= c->from)
		return;
	uint32_t last = insn_at(v, t, c->end - 1);
	if (is_call(&v->insn.v[last]) != !!(flags & LDX_BLOCK_CALL))
		vfail(v, m->s, 0,
			"the map is wrong about a call at the end of the block from 0x%x to 0x%x",
			c->from, c->end);
	uint32_t first = insn_at(v, t, c->from);
	bit_set(v->begins, first);
	if (flags & LDX_BLOCK_ENTRY)
		bit_set(v->told_entry, first);
	for (uint32_t k = first; flags & LDX_BLOCK_HELD && k <= last; k++)
		bit_set(v->told_held, k);
}

/* Does a symbol, a call or an address name the instruction? */
static bool is_entry(const struct flow *w, const struct vtext *t, uint32_t k)
{
	const struct verify *v = w->v;
	uint64_t x = v->insn.v[k].off;
	bool named = false;
	for (const struct symbol *s = NULL; (s = next_name(v, t, x, s));)
		named |= !symbol_is_temporary(s);
	return named || bit_get(w->addressed, k) || bit_get(t->called, x);
}

/* A call of what follows it: the address is pushed, and control falls in.  Either may be said. */
static bool is_called_next(const struct verify *v, const struct vtext *t, uint32_t k)
{
	const struct vbranch *b = k > t->first && is_call(&v->insn.v[k - 1]) ? branch_at(v, k - 1)
									     : NULL;
	return b && b->target == k;
}

void verify_entries(const struct flow *w)
{
	struct verify *v = w->v;
	for (size_t i = 0; i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		for (uint32_t k = t->first; k < t->first + t->n; k++)
			if (bit_get(v->begins, k) && !t->broken &&
				bit_get(v->told_entry, k) != is_entry(w, t, k) &&
				!is_called_next(v, t, k))
				vfail(v, t->a, v->insn.v[k].off,
					"the map is wrong about an entry of the function here");
	}
}

static void read_block(struct mapread *m, uint32_t text, uint64_t *x, uint64_t *y)
{
	struct vcount c = {.kind = COUNTS_BLOCK, .text = text};
	c.from = (uint32_t)(*x += read_uleb(&m->r));
	c.end = (uint32_t)(*x += read_uleb(&m->r));
	uint64_t insns = read_uleb(&m->r);
	uint64_t at = reader_at(&m->r);
	*y += m->summed ? (uint64_t)(int32_t)read_u32(&m->r) : (uint64_t)read_sleb(&m->r);
	if (m->summed)
		memset(m->summed + at, 0, reader_at(&m->r) - at);
	uint64_t flags = read_uleb(&m->r);
	bool own = flags & LDX_BLOCK_COUNTED;
	if (own)
		set_count(m, next_counter(m), c);
	read_runs(m, &c, insns, *y, flags & LDX_BLOCK_APART);
	if (text != UINT32_MAX &&
		(!is_boundary(m->v, m->v->text.v[text].a->index, c.from) ||
			!is_boundary(m->v, m->v->text.v[text].a->index, c.end)))
		m->r.bad = true;
	check_flags(m, &c, flags);
	m->counts |= own;
	c.counted = own;
	c.by_next = flags & LDX_BLOCK_NEXT;
	c.kind = own ? COUNTS_NOTHING : COUNTS_BLOCK;
	vec_push(&m->block, c);
}

/* What the counter of this edge counts; to 0: outside.  A jump's edge is counted before the jump.
 */
static struct vcount edge_count(const struct mapread *m, uint32_t from, uint32_t to, uint64_t flags)
{
	const struct verify *v = m->v;
	struct vcount c = {.kind = COUNTS_EDGE,
		.text = m->block.v[from].text,
		.from = m->block.v[to].from,
		.end = m->block.v[from].end};
	const struct vtext *t = c.text == UINT32_MAX ? NULL : &v->text.v[c.text];
	uint32_t k = t && c.end ? insn_at(v, t, c.end - 1) : NO_INSN;
	bool known = t && k >= t->first && k < t->first + t->n;
	bool branch = known && is_conditional(&v->insn.v[k]);
	if (flags & LDX_EDGE_FALL) {
		c.kind = COUNTS_FALL;
	} else if (branch && !to) {
		c.kind = COUNTS_LEAVE;
		c.from = c.end;
	} else if (known && (!to || v->insn.v[k].kind == INSN_JUMP)) {
		c.kind = COUNTS_BLOCK;
		c.from = v->insn.v[k].off;
	} else if (known && v->insn.v[k].kind == INSN_JUMP_IND) {
		c.kind = COUNTS_TABLE;
	}
	return c;
}

static void read_edge(struct mapread *m)
{
	uint64_t from = read_uleb(&m->r), to = read_uleb(&m->r), flags = read_uleb(&m->r);
	if (from >= m->block.n || to >= m->block.n) {
		m->r.bad = true;
		return;
	}
	vec_push(&m->edge, (struct medge){(uint32_t)from, (uint32_t)to, (uint32_t)flags, 0});
	m->r.bad |= flags & LDX_EDGE_CALLS &&
		(!m->called || from || m->block.v[to].from != m->start || flags != LDX_EDGE_CALLS);
	m->called &= !(flags & LDX_EDGE_CALLS);
	if (m->v->cell == 1)
		m->block.v[to].kind = COUNTS_NOTHING;
	if (!(flags & LDX_EDGE_COUNTED))
		return;
	if (!from) {
		m->r.bad = true;
		return;
	}
	m->block.v[from].kind = m->block.v[to].kind = COUNTS_NOTHING;
	m->counts = true;
	uint64_t number = m->edge.v[m->edge.n - 1].counter = next_counter(m);
	set_count(m, number, edge_count(m, (uint32_t)from, (uint32_t)to, flags));
}

/* Is there a function of this name and section at old offset x, and is it now at y? */
static void check_name(struct mapread *m, uint32_t text, uint64_t x, uint64_t y, const char *name,
	const char *section)
{
	struct verify *v = m->v;
	const struct vtext *t = &v->text.v[text];
	char own[32];
	size_t n = strlen(t->a->name);
	bool found = false;
	for (const struct symbol *s = NULL; (s = next_name(v, t, x, s));)
		found |= !strcmp(s->name, name);
	snprintf(own, sizeof own, "+0x%llx", (unsigned long long)x);
	if (!found)
		found = !strncmp(name, t->a->name, n) && !strcmp(name + n, own);
	if (!found || strcmp(section, t->a->name) != 0)
		vfail(v, m->s, reader_at(&m->r), "the map calls the function at %s+0x%llx %s of %s",
			t->a->name, (unsigned long long)x, name, section);
	if (x > t->a->size || !same_place(v, t->a->index, x, t->b->index, y, USE_ROW))
		vfail(v, m->s, reader_at(&m->r), "the map has a wrong address for function %s",
			name);
}

/* May a function whose blocks end at x end at end?  Between the two is only padding. */
static bool ends_at(const struct verify *v, const struct vtext *t, uint64_t x, uint64_t end)
{
	if (!is_boundary(v, t->a->index, end) || x < end)
		return false;
	for (uint32_t k = insn_at(v, t, end), past = insn_at(v, t, x); k < past; k++)
		if (!is_padding(&v->insn.v[k]))
			return false;
	return x == end || x == t->a->size || bit_get(t->start, x);
}

/* Do the instructions [k, last] of a block end in a system call or call that may make a process? */
static bool may_fork(const struct verify *v, const struct vtext *t, uint32_t k, uint32_t last)
{
	const struct insn *in = &v->insn.v[last];
	const struct reloc *r = in->pc_size ? insn_reloc(t, in, in->pc_off) : NULL;
	const struct symbol *s = r ? &v->a->sym.v[r->sym] : NULL;
	if (in->kind == INSN_SYSCALL)
		return syscall_may_fork(v->target, v->decoder, t->a->data, &v->insn.v[k],
			last - k + 1);
	/* functions of the C library that make one without the handlers of pthread_atfork(3) */
	return in->kind == INSN_CALL && s && s->sec == SEC_UNDEF &&
		(!strcmp(s->name, "_Fork") || !strcmp(s->name, "syscall"));
}

/* Note where the function's blocks come back from a call that may have made a process. */
static void find_forks(struct mapread *m)
{
	struct verify *v = m->v;
	const struct vtext *t = m->text == UINT32_MAX ? NULL : &v->text.v[m->text];
	for (uint32_t b = 1; t && !t->broken && !m->r.bad && b < m->block.n; b++) {
		const struct vcount *c = &m->block.v[b];
		uint32_t last = c->end ? insn_at(v, t, c->end - 1) : NO_INSN;
		if (last != NO_INSN && block_at(m, c->end) &&
			may_fork(v, t, insn_at(v, t, c->from), last))
			vec_push(&v->fork, (struct vbranch){.insn = last, .target = m->text});
	}
}

/* What the map says in front of the blocks and edges of a function, for readers that skip them. */
struct flow_head {
	uint64_t end, span; /* where they end */
	int64_t lowest, last;
};

static struct flow_head read_head(struct mapread *m, bool any)
{
	struct flow_head h = {0};
	m->lowest = INT64_MAX;
	m->highest = -1;
	uint64_t size = any ? read_uleb(&m->r) : 0;
	h.span = any ? read_uleb(&m->r) : 0;
	if (h.span) {
		h.lowest = m->last_counter + 1 + read_sleb(&m->r);
		h.last = h.lowest + (int64_t)h.span - 1 - (int64_t)read_uleb(&m->r);
	}
	h.end = reader_at(&m->r) + size;
	return h;
}

static void check_head(struct mapread *m, const struct flow_head *h)
{
	bool counts = m->highest >= m->lowest;
	if (m->r.bad)
		return;
	if (h->end != reader_at(&m->r) || (h->span != 0) != counts ||
		(counts &&
			(h->lowest != m->lowest || h->last != m->last_counter ||
				(int64_t)h->span != m->highest - m->lowest + 1)))
		vfail(m->v, m->s, reader_at(&m->r),
			"the map does not say where a function's blocks end, or which counters they have");
}

static void read_callers(struct mapread *m, uint64_t x)
{
	struct vcalled c = {0};
	for (uint64_t n = read_uleb(&m->r); n && !m->r.bad; n--)
		vec_push(&c.counter, read_uleb(&m->r));
	if (m->text == UINT32_MAX || x >= m->v->text.v[m->text].a->size)
		m->r.bad = true;
	else
		c.insn = insn_at(m->v, &m->v->text.v[m->text], x);
	vec_push(&m->v->called, c);
}

static void read_func(struct mapread *m)
{
	uint64_t y = 0;
	uint32_t text = read_text(m, &y);
	const char *name = map_string(m, read_uleb(&m->r)),
		   *section = map_string(m, read_uleb(&m->r));
	map_string(m, read_uleb(&m->r));
	uint64_t x = read_uleb(&m->r), size = read_uleb(&m->r), flags = read_uleb(&m->r);
	uint64_t entry = read_uleb(&m->r);
	if (flags & LDX_FUNC_ENTRY)
		set_count(m, entry - 1,
			(struct vcount){.kind = COUNTS_FUNC,
				.text = text,
				.from = (uint32_t)x,
				.end = (uint32_t)(x + size)});
	const char *why = map_string(m, read_uleb(&m->r));
	if (text != UINT32_MAX)
		check_name(m, text, x, y, name, section);
	if (!(flags & LDX_FUNC_OPAQUE) != !*why || (flags & ~7ull))
		m->r.bad = true;
	uint64_t blocks = read_uleb(&m->r), edges = read_uleb(&m->r);
	uint64_t end = x + size;
	m->block.n = m->edge.n = 0;
	m->counts = false;
	m->text = text;
	m->start = x;
	m->nblocks += blocks;
	m->nedges += edges;
	vec_push(&m->block, (struct vcount){0});
	m->called = flags & LDX_FUNC_CALLED;
	if (m->called)
		read_callers(m, x);
	struct flow_head h = read_head(m, blocks || edges);
	for (uint64_t i = 0; i < blocks && !m->r.bad; i++)
		read_block(m, text, &x, &y);
	if (text != UINT32_MAX && !ends_at(m->v, &m->v->text.v[text], blocks ? x : end, end))
		m->r.bad = true;
	for (uint64_t i = 0; i < edges && !m->r.bad; i++)
		read_edge(m);
	m->r.bad |= m->called; /* has no such edge */
	check_head(m, &h);
	if (!(flags & LDX_FUNC_OPAQUE))
		find_forks(m);
	if (m->v->cell == 8)
		check_edges(m);
	for (size_t i = 1; m->v->cell == 1 && m->counts && i < m->block.n && !m->r.bad; i++)
		if (m->block.v[i].kind != COUNTS_NOTHING)
			vfail(m->v, m->s, 0,
				"no mark or edge says whether the block from 0x%x to 0x%x was "
				"executed",
				m->block.v[i].from, m->block.v[i].end);
}

static int name_cmp(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	if (x->sec != y->sec)
		return x->sec < y->sec ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

static void find_names(struct verify *v)
{
	for (size_t i = 1; i < v->a->sym.n; i++)
		if (*v->a->sym.v[i].name && text_at(v, v->a->sym.v[i].sec))
			vec_push(&v->name, v->a->sym.v[i]);
	if (v->name.n)
		sort(v->name.v, v->name.n, sizeof *v->name.v, name_cmp);
}

static void read_map(struct verify *v, const struct section *s)
{
	struct mapread m = {.v = v, .s = s, .last_counter = -1};
	struct ldx_map_header h;
	m.r = section_reader(v->b, s, s->size);
	if (!read_map_header(v->b, s, &h)) {
		vfail(v, s, 0, "the map is too short");
		return;
	}
	m.strings = h.strings;
	if (v->a->terms) /* the last link may write distances, which count as zeros */
		m.summed = memcpy(arena_alloc(&v->arena, s->size), s->data, s->size);
	find_names(v);
	read_skip(&m.r, sizeof h);
	for (uint64_t i = 0; i < h.ncounters * 8 / v->cell && i < s->size; i++)
		vec_push(&v->count, (struct vcount){0});
	for (uint64_t i = 0; i < h.nfuncs && !m.r.bad; i++)
		read_func(&m);
	if (m.r.bad || m.rel < s->nrel)
		vfail(v, s, reader_at(&m.r), "the map is damaged");
	else
		check_header(&m, &h);
	vec_free(&m.block);
	vec_free(&m.edge);
}

/* Are there only no-ops between insns i and k of one text? */
static bool only_padding(const struct verify *v, uint32_t i, uint32_t k)
{
	uint32_t to = i > k ? i : k;
	for (i = i < k ? i : k; i < to; i++)
		if (!is_padding(&v->insn.v[i]))
			return false;
	return true;
}

/*
 * Since no-ops come and go, inserted code among them may be in front of any of them.  Assign it to
 * the instruction that the map gives for its counter, or that of the next site.
 */
static void assign_sites(struct verify *v)
{
	for (size_t i = v->site.n; i-- > 0;) {
		struct vsite *s = &v->site.v[i];
		const struct vsite *next = i + 1 < v->site.n && s[1].text == s->text ? s + 1 : NULL;
		const struct vtext *t = &v->text.v[s->text];
		uint32_t want = next ? next->insn : NO_INSN;
		if (s->insn != NO_INSN &&
			(s->pattern->kind == PATTERN_BEGIN || s->pattern->kind == PATTERN_END ||
				s->pattern->kind == PATTERN_POISON ||
				s->pattern->kind == PATTERN_SKIP ||
				s->pattern->kind == PATTERN_LEAVE ||
				s->pattern->kind == PATTERN_RELAY || s->pattern->makes))
			want = behind_padding(v, t, s->insn);
		const struct vcount *c = site_count(v, s);
		if (c && c->text == s->text)
			want = c->from < t->a->size ? insn_at(v, t, c->from) : want;
		if (want > (next ? next->insn : NO_INSN))
			want = next->insn;
		if (s->insn != NO_INSN && want < t->first + t->n && only_padding(v, s->insn, want))
			s->insn = want;
	}
	/* code that leads elsewhere ends in its own site, which stays with it */
	for (size_t i = 1; i < v->site.n; i++) {
		struct vsite *s = &v->site.v[i];
		const struct vcount *before = site_count(v, s - 1);
		if (before && before->kind == COUNTS_LEAVE && s->pattern->kind == PATTERN_LEAVE &&
			s->text == s[-1].text && s->insn != NO_INSN &&
			only_padding(v, s[-1].insn, s->insn))
			s->insn = s[-1].insn;
	}
}

/* Paths ---------------------------------------------------------------- */

static bool is_behind_call(const struct verify *v, const struct vtext *t, uint32_t k)
{
	k = before_padding(v, t, k);
	uint8_t kind = k > t->first ? v->insn.v[k - 1].kind : KIND_RAW;
	return kind == INSN_CALL || kind == INSN_CALL_IND;
}

/* The instruction behind a site, and behind no-ops there. */
static uint32_t insn_behind(const struct verify *v, const struct vsite *s)
{
	const struct vtext *t = &v->text.v[s->text];
	return s->insn == NO_INSN ? t->first + t->n : behind_padding(v, t, s->insn);
}

/* Check what falls to the instruction behind sites s[0 .. n): all but redirected code must run. */
static void check_fall(struct verify *v, const struct vsite *s, size_t n)
{
	const struct vtext *t = &v->text.v[s->text];
	uint32_t k = insn_behind(v, s);
	uint64_t y = s->at;
	if (t->broken || !falls_in(v, t, k))
		return;
	for (size_t i = 0; i < n; i++) {
		bool end = s[i].insn == NO_INSN;
		uint32_t x = end ? (uint32_t)t->a->size : v->insn.v[s[i].insn].off;
		bool runs = s[i].at >= y;
		const struct vcount *c = site_count(v, &s[i]);
		if (s[i].pattern->kind == PATTERN_SKIP && runs)
			y = s[i].to;
		if (leads_elsewhere(&s[i]) && runs)
			vfail(v, t->a, x, "control from above leaves as by a branch");
		/* a call in front of a function that is replaced does not return */
		bool ends = c && c->kind == COUNTS_CALLS && !end && is_behind_call(v, t, k);
		if (c && !ends && !falls_right(c, x, runs))
			vfail(v, t->a, x, "control from above %s %s %llu",
				runs ? "runs" : "does not run",
				s[i].pattern->call ? "call" : "counter",
				(unsigned long long)s[i].counter /
					(s[i].pattern->call ? 1 : v->cell));
	}
}

/* Is site s where its counter c, by the map, may be counted? */
static bool is_near(const struct verify *v, const struct vsite *s, const struct vcount *c)
{
	const struct vtext *t = &v->text.v[s->text];
	uint32_t x = s->insn == NO_INSN ? (uint32_t)t->a->size : v->insn.v[s->insn].off;
	if (c->kind == COUNTS_NOTHING || c->text != s->text)
		return false;
	return is_redirected(c) || c->kind == COUNTS_FALL ? x == c->from
							  : x >= c->from && x <= c->end;
}

/* Does the label that q of inserted code names belong to the instruction in of section s? */
static bool same_operand(const struct verify *v, const struct section *s, const struct insn *in,
	const struct reloc *q)
{
	uint32_t sec, nsec;
	uint64_t x, y, end = in->off + (uint64_t)in->len;
	if (!label_of(v, v->b, q, field_end(v, q, q->off + FIELD), &nsec, &y))
		return true;
	for (uint32_t i = section_first_reloc(s, in->off); i < s->nrel && s->rel[i].off < end;
		i++) {
		const struct reloc *r = &s->rel[i];
		bool part = v->target->reloc_info(r->type)->role == ROLE_PART;
		if (label_of(v, v->a, r, field_end(v, r, end), &sec, &x) &&
			(same_place(v, sec, x, nsec, y, USE_READ) ||
				(!part && same_place(v, sec, x, nsec, y, USE_ENTER))))
			return true;
	}
	return false;
}

/* Are the labels in code that makes arguments of an instruction's accesses that one's? */
static bool same_operands(const struct verify *v, const struct vsite *s)
{
	const struct vtext *t = &v->text.v[s->text];
	const struct tool_call *c = &v->opt.calls->v[s->counter];
	uint32_t k = insn_at(v, t, c->of);
	if (!s->pattern->of)
		return true;
	if (k == t->first + t->n || v->insn.v[k].off != c->of)
		return false;
	for (uint32_t i = section_first_reloc(t->b, s->at);
		i < t->b->nrel && t->b->rel[i].off < s->end; i++)
		if (!same_operand(v, t->a, &v->insn.v[k], &t->b->rel[i]))
			return false;
	return true;
}

/* Are the labels in code that gives addresses of code those that were asked for? */
static bool same_labels(const struct verify *v, const struct vsite *s)
{
	const struct section *b = v->text.v[s->text].b;
	const struct tool_call *c = &v->opt.calls->v[s->counter];
	struct vlabels labels = {0};
	for (uint32_t i = section_first_reloc(b, s->at); i < b->nrel && b->rel[i].off < s->end; i++)
		code_label(v, &labels, &b->rel[i]);
	for (unsigned predicate = 0; c; predicate++, c = c->when)
		for (unsigned k = 0; k < c->nargs; k++) {
			const struct call_arg *a = &c->arg[k];
			unsigned n = s->pattern->label[predicate][k];
			if (a->gives == GIVES_PLACE &&
				(!n || n > labels.n ||
					!same_place(v, a->sym, (uint64_t)a->number,
						labels.v[n - 1].sec, labels.v[n - 1].off,
						a->exact ? USE_READ : USE_ENTER)))
				return false;
		}
	return true;
}

/* Does each call that was asked for stand where it should, once? */
static void check_calls(struct verify *v)
{
	uint64_t *seen = arena_array(&v->arena, uint64_t, v->asked.n / 64 + 1);
	for (size_t i = 0; i < v->site.n; i++) {
		const struct vsite *s = &v->site.v[i];
		const struct section *sec = v->text.v[s->text].a;
		uint64_t x = s->insn == NO_INSN ? sec->size : v->insn.v[s->insn].off;
		if (!s->pattern->call)
			continue;
		const struct vcount *c = site_count(v, s);
		bool leads = leads_to_routine(s->pattern);
		if (!is_near(v, s, c) || leads != (c->kind == COUNTS_CALLS) ||
			(leads && c->from != x) || bit_get(seen, (uint64_t)s->counter))
			vfail(v, sec, x, "call %llu, which was asked for elsewhere",
				(unsigned long long)s->counter);
		bool places = names_places(s->pattern->call);
		if (places ? !same_labels(v, s) : !same_operands(v, s))
			vfail(v, sec, x, "call %llu has the address of something else",
				(unsigned long long)s->counter);
		bit_set(seen, (uint64_t)s->counter);
	}
	for (size_t i = 0; i < v->asked.n; i++)
		if (!bit_get(seen, i))
			vfail(v, v->text.v[v->asked.v[i].text].a, v->asked.v[i].from,
				"call %zu, which was asked for, is missing", i);
}

static void check_sites(struct verify *v)
{
	uint64_t *seen = arena_array(&v->arena, uint64_t, v->count.n / 64 + 1);
	for (size_t i = 0; i < v->site.n; i++) {
		const struct vsite *s = &v->site.v[i];
		const struct section *sec = v->text.v[s->text].a;
		uint64_t x = s->insn == NO_INSN ? sec->size : v->insn.v[s->insn].off;
		uint64_t n = (uint64_t)s->counter / v->cell;
		if (s->pattern->kind != PATTERN_COUNT)
			continue;
		if (!is_near(v, s, counted(v, s->counter)))
			vfail(v, sec, x,
				"inserted code counts in cell %llu, which is another place's",
				(unsigned long long)n);
		else if (bit_get(seen, n))
			vfail(v, sec, x, "inserted code counts in cell %llu, as other code does",
				(unsigned long long)n);
		else
			bit_set(seen, n);
	}
	for (size_t i = 0; i < v->count.n; i++)
		if (v->count.v[i].kind != COUNTS_NOTHING && !bit_get(seen, i))
			vfail(v, v->text.v[v->count.v[i].text].a, v->count.v[i].from,
				"no code counts in cell %zu, which the map has for this place", i);
}

/* A new process must call the hook before it counts anything, if any process may be made. */
static void check_forks(struct verify *v)
{
	for (size_t i = 0; v->forked && i < v->fork.n; i++) {
		uint32_t k = v->fork.v[i].insn + 1, text = v->fork.v[i].target;
		const struct vtext *t = &v->text.v[text];
		const struct vsite *s = first_site(v, text, k), *end = v->site.v + v->site.n;
		uint32_t last = behind_padding(v, t, k);
		while (s < end && s->text == text && s->insn <= last &&
			s->pattern->kind != PATTERN_FORK &&
			(!site_count(v, s) || is_redirected(site_count(v, s))))
			s++;
		if (!t->broken &&
			(s == end || s->text != text || s->insn > last ||
				s->pattern->kind != PATTERN_FORK))
			vfail(v, t->a, v->insn.v[k - 1].off,
				"a process that begins here counts for the one that made it");
	}
}

static int user_cmp(const void *a, const void *b)
{
	const struct vuser *x = a, *y = b;
	return vbase_cmp(&x->table, &y->table);
}

void verify_map(struct verify *v)
{
	v->told_held = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	v->told_entry = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	v->begins = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	if (v->map)
		read_map(v, &v->b->sec.v[v->map]);
	if (v->user.n)
		sort(v->user.v, v->user.n, sizeof *v->user.v, user_cmp);
	verify_cells(v);
	assign_sites(v);
	check_sites(v);
	check_calls(v);
	check_forks(v);
	for (size_t i = 0, k; i < v->site.n; i = k) {
		for (k = i + 1; k < v->site.n && v->site.v[k].text == v->site.v[i].text &&
			insn_behind(v, &v->site.v[k]) == insn_behind(v, &v->site.v[i]);
			k++)
			;
		check_fall(v, &v->site.v[i], k - i);
	}
}
