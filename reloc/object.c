/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.c - what every pass asks of an object; see object.h
 */
#include "reloc/object.h"

#include <pthread.h>
#include <stdlib.h>

uint32_t object_add_section(struct object *o, const struct section *s)
{
	if (o->sec.n >= SEC_PROC)
		fatal("%s: too many sections", o->path);
	uint32_t index = (uint32_t)o->sec.n;
	vec_push(&o->sec, *s);
	o->sec.v[index].index = index;
	return index;
}

uint32_t object_add_symbol(struct object *o, const struct symbol *s)
{
	if (symbol_bind(s) == STB_LOCAL)
		bug("local symbol %s appended", s->name);
	if (o->sym.n >= UINT32_MAX)
		fatal("%s: too many symbols", o->path);
	vec_push(&o->sym, *s);
	return (uint32_t)(o->sym.n - 1);
}

/* Local symbols to be added, and a hash table of their numbers + 1; 0: free.  At most half full. */
struct labels {
	pthread_mutex_t lock;
	VEC(struct new_label) v;
	VEC(uint32_t) at;
};

struct labels *labels_new(struct arena *a)
{
	struct labels *l = arena_new(a, struct labels);
	pthread_mutex_init(&l->lock, NULL);
	return l;
}

static uint32_t *label_slot(const struct labels *l, uint32_t sec, uint64_t off)
{
	size_t k = (off * 0x9e3779b97f4a7c15 ^ (uint64_t)sec * 0xc2b2ae3d27d4eb4f) >> 7;
	for (k %= l->at.n; l->at.v[k]; k = (k + 1) % l->at.n) {
		const struct new_label *have = &l->v.v[l->at.v[k] - 1];
		if (have->sec == sec && have->off == off)
			break;
	}
	return &l->at.v[k];
}

static void grow_labels(struct labels *l)
{
	size_t n = l->at.n ? 2 * l->at.n : 1024;
	vec_reserve(&l->at, n);
	memset(l->at.v, 0, n * sizeof *l->at.v);
	l->at.n = n;
	for (uint32_t i = 0; i < l->v.n; i++)
		*label_slot(l, l->v.v[i].sec, l->v.v[i].off) = i + 1;
}

uint32_t object_label(const struct object *o, uint32_t sec, uint64_t off)
{
	struct labels *l = o->labels;
	pthread_mutex_lock(&l->lock);
	if (l->at.n < 2 * (l->v.n + 1))
		grow_labels(l);
	uint32_t *slot = label_slot(l, sec, off);
	if (!*slot) {
		vec_push(&l->v, (struct new_label){.sec = sec, .off = off});
		*slot = (uint32_t)l->v.n;
	}
	uint32_t number = *slot - 1;
	pthread_mutex_unlock(&l->lock);
	return LABEL_SYM + number;
}

static int place_cmp(const void *a, const void *b)
{
	const struct new_label *x = *(struct new_label *const *)a,
			       *y = *(struct new_label *const *)b;
	if (x->sec != y->sec)
		return x->sec < y->sec ? -1 : 1;
	return x->off < y->off ? -1 : x->off > y->off;
}

const struct new_label *object_labels(const struct object *o, uint32_t *n)
{
	struct labels *l = o->labels;
	VEC(struct new_label *) sorted = {0};
	for (size_t i = 0; i < l->v.n; i++)
		vec_push(&sorted, &l->v.v[i]);
	if (sorted.n)
		sort(sorted.v, sorted.n, sizeof *sorted.v, place_cmp);
	for (size_t i = 0; i < sorted.n; i++)
		sorted.v[i]->rank = (uint32_t)i;
	vec_free(&sorted);
	*n = (uint32_t)l->v.n;
	return l->v.v;
}

struct section *reloc_target(const struct object *o, const struct reloc *r, uint64_t *symoff)
{
	if (r->sym >= LABEL_SYM) {
		const struct new_label *l = &o->labels->v.v[r->sym - LABEL_SYM];
		*symoff = l->off;
		return &o->sec.v[l->sec];
	}
	const struct symbol *s = &o->sym.v[r->sym];
	if (s->sec == SEC_UNDEF || s->sec >= o->sec.n)
		return NULL;
	*symoff = s->value;
	return &o->sec.v[s->sec];
}

static int label_cmp(const void *a, const void *b)
{
	const struct code_label *x = a, *y = b;
	if (x->sec != y->sec)
		return x->sec < y->sec ? -1 : 1;
	return x->off < y->off ? -1 : x->off > y->off;
}

static void find_labels(const struct object *o, struct code_labels *l)
{
	for (size_t i = 1; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		unsigned type = symbol_type(s);
		if (type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC)
			vec_push(&l->v, (struct code_label){s->sec, s->value});
	}
	if (l->v.n)
		sort(l->v.v, l->v.n, sizeof *l->v.v, label_cmp);
	l->known = true;
}

bool object_has_label(const struct object *o, uint32_t sec, uint64_t off)
{
	struct code_label key = {sec, off};
	struct code_labels *l = o->label;
	if (!l->known)
		find_labels(o, l);
	return l->v.n && bsearch(&key, l->v.v, l->v.n, sizeof key, label_cmp);
}

uint32_t section_first_reloc(const struct section *s, uint64_t off)
{
	uint32_t i;
	BISECT(i, 0, s->nrel, s->rel[i].off < off);
	return i;
}

static int reloc_cmp(const void *a, const void *b)
{
	const struct reloc *x = a, *y = b;
	return x->off < y->off ? -1 : x->off > y->off;
}

uint32_t *relocs_sort(struct arena *a, struct reloc *v, uint32_t n)
{
	uint32_t i = 1;
	while (i < n && v[i - 1].off <= v[i].off)
		i++;
	if (i >= n)
		return NULL;
	/* sorted once more with their numbers in place of their addends */
	uint32_t *order = arena_array(a, uint32_t, n);
	struct reloc *key = arena_array(a, struct reloc, n);
	for (i = 0; i < n; i++)
		key[i] = (struct reloc){.off = v[i].off, .addend = i};
	sort(key, n, sizeof *key, reloc_cmp);
	for (i = 0; i < n; i++)
		order[key[i].addend] = i;
	sort(v, n, sizeof *v, reloc_cmp);
	return order;
}

bool section_has_contents(const struct section *s)
{
	switch (s->type) {
	case SHT_NULL:
	case SHT_SYMTAB:
	case SHT_STRTAB:
	case SHT_RELA:
	case SHT_REL:
	case SHT_GROUP:
	case SHT_SYMTAB_SHNDX: return false;
	default: return true;
	}
}

/* The origins of one object at a time. */
static struct {
	const struct object *o;
	const struct origins *from;
} named;

void object_origins(const struct origins *from)
{
	named.o = NULL;
	named.from = from;
}

void object_is_read(const struct object *o)
{
	if (named.from && !named.o)
		named.o = o;
}

const char *object_attempt(struct object *o, void (*fn)(void *arg), void *arg)
{
	const struct origins *from = named.from;
	if (from && !from->losses)
		named.from = NULL;
	const char *why = attempt(o->arena, fn, arg);
	named.from = from;
	return why;
}

static bool is_named(const struct section *sec)
{
	const struct object *o = named.o;
	return named.from && o && sec->index < o->sec.n && sec == &o->sec.v[sec->index];
}

/* FILE: of a place, or nothing; *off becomes its offset in the section of that file. */
static const char *file_name(struct arena *a, const struct section *sec, uint64_t *off)
{
	const char *file = is_named(sec) ? named.from->find(named.from->ctx, sec->index, off)
					 : NULL;
	return file ? arena_printf(a, "%s:", file) : "";
}

const char *place_name(struct arena *a, const struct section *sec, uint64_t off)
{
	const char *file = file_name(a, sec, &off);
	return arena_printf(a, "%s(%s+0x%llx)", file, sec->name, (unsigned long long)off);
}

const char *section_name(struct arena *a, const struct section *sec)
{
	uint64_t off = 0;
	return arena_printf(a, "%s(%s)", file_name(a, sec, &off), sec->name);
}

void fatal_at(const struct section *sec, uint64_t off, const char *fmt, ...)
{
	struct arena a = {0};
	va_list ap;
	va_start(ap, fmt);
	vfatal(place_name(&a, sec, off), fmt, ap);
}
