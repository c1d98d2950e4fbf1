/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cells.c - the descriptions by which the runtime and ldxprof find the counters and their map
 *
 * The map's header and strings, .ldx.info, and the symbols of the counters must agree with each
 * other, with the inserted code and with the sections that they name.
 */
#include "verify/map.h"
#include "verify/passes.h"
#include "verify/places.h"

#include "runtime/abi.h"

#include <stddef.h>

static const struct section *new_section(const struct verify *v, const char *name)
{
	for (uint32_t i = 1; i < v->b->sec.n; i++)
		if (!v->old[i] && !strcmp(v->b->sec.v[i].name, name))
			return &v->b->sec.v[i];
	return NULL;
}

/*
 * FNV-1a (public domain, Fowler, Noll and Vo) of data, the bytes of s, behind the header;
 * addresses, with relocations, are 0.
 */
static uint64_t checksum(const struct verify *v, const struct section *s, const uint8_t *data)
{
	uint64_t h = 0xcbf29ce484222325;
	const struct reloc *r = s->rel, *end = r + s->nrel;
	for (uint64_t at = sizeof(struct ldx_map_header); at < s->size; at++) {
		while (r < end && (r->type != v->target->made.address || at >= r->off + v->b->word))
			r++;
		h = (h ^ (r < end && at >= r->off ? 0 : data[at])) * 0x100000001b3;
	}
	return h;
}

/* Is the table of inputs here, and does it cover each function once? */
static bool inputs_fit(struct mapread *m, const struct ldx_map_header *h)
{
	bool fit = h->inputs == reader_at(&m->r);
	for (uint64_t left = h->nfuncs; fit && left && !m->r.bad;) {
		uint64_t n = read_uleb(&m->r);
		map_string(m, read_uleb(&m->r));
		fit = n && n <= left;
		left -= n;
	}
	return fit && !m->r.bad;
}

static const struct symbol *find_variable(const struct object *o, const char *tool,
	const char *name)
{
	size_t n = strlen(tool);
	for (size_t i = 1; i < o->sym.n; i++) {
		const char *s = o->sym.v[i].name;
		if (!strncmp(s, "__ldx_", 6) && !strncmp(s + 6, tool, n) && s[6 + n] == '_' &&
			!strcmp(s + 7 + n, name))
			return &o->sym.v[i];
	}
	return NULL;
}

/* The field of a rule behind the struct of .ldx.info. */
static uint64_t rule_field(const struct object *o, const struct section *info, uint64_t rule,
	size_t field)
{
	uint64_t at = sizeof(struct ldx_info) + rule * sizeof(struct ldx_rule) + field * 8;
	return at + 8 <= info->size ? get_word(info->data + at, 8, o->big) : 0;
}

/* The rules behind the struct, with the one without cells; 0: there are none. */
static uint64_t count_rules(const struct object *o, const struct section *info, uint64_t flags)
{
	uint64_t n = 0;
	while (flags & LDX_INFO_RULES && rule_field(o, info, n, 1))
		n++;
	return flags & LDX_INFO_RULES ? n + 1 : 0;
}

/* Are the rules of the variables here, one behind the other, and the same in .ldx.info? */
static bool rules_fit(struct mapread *m, const struct ldx_map_header *h)
{
	const struct section *info = new_section(m->v, ".ldx.info");
	uint64_t n = read_uleb(&m->r), end = 0;
	bool fit = n < LDX_RULES && (!info || info->data);
	for (uint64_t i = 0; i < n && fit && !m->r.bad; i++) {
		uint64_t rule[5];
		for (size_t k = 0; k < 5; k++) {
			rule[k] = read_uleb(&m->r);
			fit &= !info || rule_field(m->v->b, info, i, k) == rule[k];
		}
		fit &= rule[0] >= end && rule[1] && rule[0] + rule[1] <= h->ncounters &&
			rule[2] < LDX_RULE_KINDS;
		end = rule[0] + rule[1];
	}
	return fit && (!info || !n || !rule_field(m->v->b, info, n, 1));
}

/* Is the table of variables here, and is each a symbol at its place behind the counters? */
static bool variables_fit(struct mapread *m, const struct ldx_map_header *h)
{
	const struct object *o = m->v->b;
	bool fit = h->variables == reader_at(&m->r);
	uint64_t all = read_uleb(&m->r);
	for (uint64_t n = all; fit && n && !m->r.bad; n--) {
		const char *tool = map_string(m, read_uleb(&m->r));
		const char *name = map_string(m, read_uleb(&m->r));
		uint64_t at = read_uleb(&m->r), size = read_uleb(&m->r);
		const struct symbol *s = find_variable(o, tool, name);
		fit = s && s->value >= at && at + size <= h->ncounters * 8 &&
			(s->sec == SEC_ABS ? s->value == LDX_CELLS + at : s->value == at);
	}
	return fit && (!all || rules_fit(m, h)) && !m->r.bad;
}

void check_header(struct mapread *m, const struct ldx_map_header *h)
{
	struct verify *v = m->v;
	const struct section *s = m->s;
	bool fit = inputs_fit(m, h) && variables_fit(m, h);
	uint64_t end = reader_at(&m->r);
	if (!fit || h->magic != LDX_MAP_MAGIC || h->header_size != sizeof *h ||
		h->size != s->size || h->machine != v->a->machine || h->mode > LDX_MODE_COVER ||
		h->nblocks != m->nblocks || h->nedges != m->nedges || h->strings != end)
		vfail(v, s, 0, "the map's header does not say what is in the map");
	else if (h->build != checksum(v, s, m->summed ? m->summed : s->data))
		vfail(v, s, 0, "the map's checksum is wrong");
	else if (end >= s->size || s->data[end] || s->data[s->size - 1])
		vfail(v, s, end, "the map's strings are damaged");
	bool counts = false;
	for (size_t i = 0; i < v->count.n; i++) /* other cells may be the data of tools */
		counts |= v->count.v[i].kind != COUNTS_NOTHING;
	if (counts ? h->mode == LDX_MODE_NONE : m->nedges && h->mode != LDX_MODE_COVER)
		vfail(v, s, 0, "the map's mode does not agree with its counters and edges");
}

bool read_map_header(const struct object *o, const struct section *s, struct ldx_map_header *h)
{
	struct reader r = section_reader(o, s, s->size);
	h->magic = read_u32(&r);
	h->header_size = read_u32(&r);
	uint64_t *wide[] = {&h->build, &h->ncounters, &h->nfuncs, &h->nblocks, &h->nedges,
		&h->strings, &h->size};
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
		*wide[i] = read_u64(&r);
	h->mode = read_u32(&r);
	h->machine = read_u32(&r);
	h->inputs = read_u64(&r);
	h->variables = read_u64(&r);
	return !r.bad;
}

const char *map_string(struct mapread *m, uint64_t off)
{
	uint64_t base = m->strings;
	if (base >= m->s->size || off >= m->s->size - base || (off && m->s->data[base + off - 1])) {
		m->r.bad = true;
		return "";
	}
	return (const char *)m->s->data + base + off;
}

/* .ldx.info -------------------------------------------------------------- */

/* Do the flags agree with the inserted code? */
static bool flags_fit(const struct verify *v, const struct ldx_map_header *h, uint64_t flags)
{
	uint64_t all = LDX_INFO_THREADS | LDX_INFO_CHECKS | LDX_INFO_MAPPED | LDX_INFO_MARKS |
		LDX_INFO_AHEAD | LDX_INFO_ENDS | LDX_INFO_RULES | LDX_INFO_TURNS;
	bool threads = flags & LDX_INFO_THREADS, fit = !(flags & ~all);
	for (size_t i = 0; i < v->site.n; i++) {
		const struct pattern *p = v->site.v[i].pattern;
		if (p->kind == PATTERN_THREAD)
			fit &= (flags & (LDX_INFO_CHECKS | LDX_INFO_TURNS)) != 0;
		else if (p->call && p->call->does == DOES_COUNT_BYTE)
			fit &= p->shared;
		else if ((p->kind == PATTERN_COUNT && !p->hold) || p->kind == PATTERN_END ||
			p->kind == PATTERN_BASE || (p->call && p->call->does > DOES_LEAD))
			fit &= threads ? p->by_thread : p->shared;
	}
	bool moved = v->mapped || v->b->sym.v[v->counters].sec == SEC_ABS;
	return fit && !(flags & LDX_INFO_TURNS) == !v->opt.turned &&
		!(flags & LDX_INFO_MAPPED) == !moved &&
		!(flags & LDX_INFO_MARKS) == (h->mode != LDX_MODE_COVER) &&
		(threads || !(flags & (LDX_INFO_CHECKS | LDX_INFO_AHEAD)));
}

/* A symbol that the old object has not; 0: there is none. */
static uint32_t find_new_symbol(const struct verify *v, const char *name)
{
	for (size_t i = v->a->sym.n; i < v->b->sym.n; i++)
		if (!strcmp(v->b->sym.v[i].name, name))
			return (uint32_t)i;
	return 0;
}

/* The symbol of the cells in the image; *near: inserted code counts in these, no spare ones. */
static uint32_t find_cells(struct verify *v, const struct ldx_map_header *h, bool *near)
{
	const struct section *map = &v->b->sec.v[v->map], *cells = new_section(v, ".ldx.counters");
	uint32_t sym = v->counters;
	*near = cells && v->b->sym.v[sym].sec == cells->index;
	uint32_t spare = find_new_symbol(v, "__ldx_spare");
	sym = *near || !spare ? sym : spare;
	const struct symbol *s = &v->b->sym.v[sym];
	if (!cells || s->sec != cells->index || s->value || cells->type != SHT_NOBITS ||
		cells->flags != (SHF_ALLOC | SHF_WRITE) || cells->align != LDX_PAGE ||
		cells->size % LDX_PAGE || cells->size / 8 < h->ncounters)
		vfail(v, cells ? cells : map, s->value, "wrong section or symbol of the counters");
	const struct symbol *mapped = &v->b->sym.v[v->mapped ? v->mapped : v->counters];
	if ((!*near || v->mapped) && (mapped->sec != SEC_ABS || mapped->value != LDX_CELLS))
		vfail(v, map, 0, "the counters are mapped at another address");
	return sym;
}

/* The default name of the profile, if there is one, follows the struct and the rules. */
static bool pattern_fits(const struct verify *v, const struct section *s,
	const struct ldx_info *info)
{
	uint64_t behind = sizeof *info +
		count_rules(v->b, s, info->flags) * sizeof(struct ldx_rule);
	if (!info->pattern)
		return s->size == behind;
	return info->pattern == (int64_t)(behind - offsetof(struct ldx_info, pattern)) &&
		s->size > behind &&
		strnlen((const char *)s->data + behind, s->size - behind) == s->size - behind - 1;
}

static bool has_symbol(const struct verify *v, const struct section *s, const char *name)
{
	uint32_t i = find_new_symbol(v, name);
	return i && v->b->sym.v[i].sec == s->index;
}

static void read_info(const struct object *o, const struct section *s, struct ldx_info *info)
{
	struct reader r = section_reader(o, s, s->size);
	info->magic = read_u64(&r);
	info->build = read_u64(&r);
	info->ncounters = read_u64(&r);
	info->counters = (int64_t)read_u64(&r);
	info->flags = read_u64(&r);
	info->pattern = (int64_t)read_u64(&r);
	info->spare = (int64_t)read_u64(&r);
	info->events = (int64_t)read_u64(&r);
}

/*
 * Are the eight bytes at field of section s the distance of symbol cells from themselves?  A
 * relocation of fewer bytes is of the low ones.
 */
static bool is_distance(const struct verify *v, const struct section *s, uint32_t n, uint64_t field,
	uint32_t cells)
{
	uint32_t type = v->target->made.subtract, each = type ? 2 : 1;
	const struct reloc *r = s->rel + n * each;
	int64_t low = v->b->big ? 8 - v->b->word : 0;
	if (s->nrel < (n + 1) * each || r[0].off != field + (uint64_t)low ||
		r[0].type != v->target->made.distance || r[0].sym != cells || r[0].addend != low)
		return false;
	const struct symbol *own = type ? &v->b->sym.v[r[1].sym] : NULL;
	return !own ||
		(r[1].off == field && r[1].type == type && own->sec == s->index &&
			own->value + (uint64_t)r[1].addend == field);
}

/* Do threads begin with words that lead to the program's own counters? */
static void check_row(struct verify *v)
{
	const struct symbol *s = &v->b->sym.v[v->row];
	const struct section *sec = &v->b->sec.v[s->sec < v->b->sec.n ? s->sec : 0];
	const struct micro *m = v->target->micro;
	bool fit = v->row_words && v->row_words <= LDX_ROW_WORDS && !v->old[sec->index] &&
		sec->type == SHT_PROGBITS && sec->flags == (SHF_ALLOC | SHF_WRITE | SHF_TLS) &&
		sec->align == 8 && !(sec->size % 8) && sec->nrel == v->row_words && !s->value;
	for (uint32_t i = 0; fit && i < v->row_words; i++) {
		const struct reloc *r = &sec->rel[i];
		fit = r->off == 8 * i && r->type == v->target->made.address &&
			r->sym == v->counters &&
			r->addend == (int64_t)((uint64_t)i << m->row_bits) + m->row_bias;
	}
	for (uint64_t i = 0; fit && i < sec->size; i++)
		fit = !sec->data[i];
	if (!fit)
		vfail(v, sec, 0, "threads do not begin with the program's counters");
}

static void check_info(struct verify *v, const struct ldx_map_header *h)
{
	const struct section *s = new_section(v, ".ldx.info");
	struct ldx_info info;
	bool near;
	uint32_t cells = find_cells(v, h, &near);
	if (!s || !has_symbol(v, s, "__ldx_info") || s->size < sizeof info || !s->data) {
		vfail(v, &v->b->sec.v[v->map], 0,
			".ldx.info is missing, too short or without its symbol");
		return;
	}
	read_info(v->b, s, &info);
	uint32_t event = find_new_symbol(v, "__ldx_event");
	if (v->b->sec.v[s->rela].type == SHT_REL) { /* the addends are in the fields */
		*(near ? &info.counters : &info.spare) -= s->nrel ? s->rel[0].addend : 0;
		info.events -= s->nrel > 1 ? s->rel[1].addend : 0;
	}
	if (info.magic != LDX_INFO_MAGIC || info.build != h->build ||
		info.ncounters != h->ncounters || info.counters || info.spare || info.events ||
		!pattern_fits(v, s, &info))
		vfail(v, s, 0, ".ldx.info does not agree with the map");
	else if (!flags_fit(v, h, info.flags))
		vfail(v, s, offsetof(struct ldx_info, flags),
			"the flags do not agree with the inserted "
			"code: 0x%llx",
			(unsigned long long)info.flags);
	uint64_t field = near ? offsetof(struct ldx_info, counters)
			      : offsetof(struct ldx_info, spare);
	if (!is_distance(v, s, 0, field, cells))
		vfail(v, s, 0, ".ldx.info does not refer to the counters");
	if (s->nrel != (event ? 2u : 1u) * (v->target->made.subtract ? 2u : 1u) ||
		(event && !is_distance(v, s, 1, offsetof(struct ldx_info, events), event)))
		vfail(v, s, 0, ".ldx.info does not refer to what is told of events");
	if (v->row)
		check_row(v);
	v->checks = info.flags & (LDX_INFO_CHECKS | LDX_INFO_TURNS);
	const struct section *turns = new_section(v, ".ldx.turns");
	if (!turns != !(info.flags & LDX_INFO_TURNS) ||
		(turns && (!turns->data || !has_symbol(v, turns, "__ldx_turns"))))
		vfail(v, s, 0, ".ldx.turns is missing, without its symbol, or not wanted");
	else if (turns)
		verify_turns(v);
}

void verify_cells(struct verify *v)
{
	struct ldx_map_header h;
	if (!v->map || !read_map_header(v->b, &v->b->sec.v[v->map], &h))
		return;
	if (v->counters)
		check_info(v, &h);
	else if (h.mode != LDX_MODE_NONE)
		vfail(v, &v->b->sec.v[v->map], 0,
			"the map's mode counts, and there are no counters");
}
