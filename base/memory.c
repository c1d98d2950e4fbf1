/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - memory and containers; see base.h
 */
#include "base/base.h"

#include <stdlib.h>

/* Arena ---------------------------------------------------------------- */

struct arena_chunk {
	struct arena_chunk *next;
};

enum { CHUNK = 1 << 20, ALIGN = 16 };

size_t array_bytes(size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes))
		fatal("out of memory");
	return bytes;
}

void *arena_alloc(struct arena *a, size_t size)
{
	if (size > SIZE_MAX / 2)
		fatal("out of memory");
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if ((size_t)(a->end - a->next) < size || !a->next) {
		size_t want = (size > CHUNK / 4 ? size : CHUNK) + ALIGN;
		struct arena_chunk *c = calloc(1, want);
		if (!c)
			fatal("out of memory");
		c->next = a->chunks;
		a->chunks = c;
		if (size > CHUNK / 4)
			return (char *)c + ALIGN;
		a->next = (char *)c + ALIGN;
		a->end = (char *)c + want;
	}
	void *p = a->next;
	a->next += size;
	return p;
}

void arena_join(struct arena *a, struct arena *from)
{
	struct arena_chunk **last = &from->chunks;
	while (*last)
		last = &(*last)->next;
	*last = a->chunks;
	a->chunks = from->chunks;
	*from = (struct arena){0};
}

void arena_free(struct arena *a)
{
	for (struct arena_chunk *c = a->chunks, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	*a = (struct arena){0};
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *s = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

/* Containers ----------------------------------------------------------- */

void *vec_grow(void *v, size_t *cap, size_t want, size_t size)
{
	size_t n = *cap ? *cap : 16;
	while (n < want)
		n = array_bytes(n, 2);
	v = realloc(v, array_bytes(n, size));
	if (!v)
		fatal("out of memory");
	*cap = n;
	return v;
}

enum { INSERTION = 8, MAX_ELEMENT = 512 };

/* Inserts the first of n elements into the others, which are sorted. */
static void sink(char *v, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	char first[MAX_ELEMENT];
	size_t i = 1;
	while (i < n && cmp(v, v + i * size) > 0)
		i++;
	if (i == 1)
		return;
	memcpy(first, v, size);
	memmove(v, v + size, (i - 1) * size);
	memcpy(v + (i - 1) * size, first, size);
}

/* tmp has room for half of the n elements. */
static void merge_sort(char *v, size_t n, size_t size, int (*cmp)(const void *, const void *),
	char *tmp)
{
	if (n <= INSERTION) {
		for (size_t i = n; i-- > 1;)
			sink(v + (i - 1) * size, n - i + 1, size, cmp);
		return;
	}
	size_t half = n / 2;
	char *right = v + half * size, *end = v + n * size, *out = v;
	merge_sort(v, half, size, cmp, tmp);
	merge_sort(right, n - half, size, cmp, tmp);
	if (cmp(right - size, right) <= 0)
		return;
	memcpy(tmp, v, half * size);
	for (char *left = tmp, *lend = tmp + half * size; left < lend; out += size) {
		bool take_right = right < end && cmp(left, right) > 0;
		memcpy(out, take_right ? right : left, size);
		*(take_right ? &right : &left) += size;
	}
}

void sort(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	if (size > MAX_ELEMENT)
		fatal("elements of %zu bytes are not sorted", size);
	if (n < 2)
		return;
	char *tmp = n > INSERTION ? malloc(n / 2 * size) : NULL;
	if (n > INSERTION && !tmp)
		fatal("out of memory");
	merge_sort(v, n, size, cmp, tmp);
	free(tmp);
}

static uint8_t *buf_room(struct buf *b, size_t n)
{
	if (b->cap - b->n < n)
		b->v = vec_grow(b->v, &b->cap, b->n + n, 1);
	return b->v + b->n;
}

void buf_put(struct buf *b, const void *p, size_t n)
{
	uint8_t *to = buf_room(b, n);
	if (n)
		memcpy(to, p, n);
	b->n += n;
}

static inline void put_number(struct buf *b, uint64_t x, unsigned n)
{
	put_u64(buf_room(b, 8), b->big ? __builtin_bswap64(x) >> (64 - 8 * n) : x);
	b->n += n;
}

void buf_u8(struct buf *b, uint8_t x)
{
	put_number(b, x, 1);
}

void buf_u16(struct buf *b, uint16_t x)
{
	put_number(b, x, 2);
}

void buf_u32(struct buf *b, uint32_t x)
{
	put_number(b, x, 4);
}

void buf_u64(struct buf *b, uint64_t x)
{
	put_number(b, x, 8);
}

void buf_uleb(struct buf *b, uint64_t x)
{
	uint8_t *p = buf_room(b, 10);
	do {
		*p++ = (uint8_t)((x & 0x7f) | (x > 0x7f ? 0x80 : 0));
		x >>= 7;
	} while (x);
	b->n = (size_t)(p - b->v);
}

void buf_sleb(struct buf *b, int64_t x)
{
	for (;;) {
		uint8_t byte = x & 0x7f;
		x >>= 7;
		if ((x == 0 && !(byte & 0x40)) || (x == -1 && (byte & 0x40))) {
			buf_u8(b, byte);
			return;
		}
		buf_u8(b, byte | 0x80);
	}
}

void buf_str(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s) + 1);
}

struct reader reader_make(const void *p, size_t n)
{
	static const uint8_t nothing[1];
	const uint8_t *start = p ? p : nothing;
	return (struct reader){.start = start, .p = start, .end = start + (p ? n : 0)};
}

static uint64_t read_number(struct reader *r, size_t n)
{
	if ((size_t)(r->end - r->p) < n) {
		r->bad = true;
		r->p = r->end;
		return 0;
	}
	uint64_t x = 0;
	for (size_t i = 0; i < n; i++)
		x |= (uint64_t)r->p[i] << 8 * (r->big ? n - 1 - i : i);
	r->p += n;
	return x;
}

uint8_t read_u8(struct reader *r)
{
	return (uint8_t)read_number(r, 1);
}

uint16_t read_u16(struct reader *r)
{
	return (uint16_t)read_number(r, 2);
}

uint32_t read_u32(struct reader *r)
{
	return (uint32_t)read_number(r, 4);
}

uint64_t read_u64(struct reader *r)
{
	return read_number(r, 8);
}

uint64_t read_uleb(struct reader *r)
{
	uint64_t x = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t b = read_u8(r);
		uint64_t low = b & 0x7f;
		if (shift >= 64 ? low != 0 : (low << shift) >> shift != low)
			r->bad = true;
		else if (shift < 64)
			x |= low << shift;
		if (!(b & 0x80) || r->bad)
			return r->bad ? 0 : x;
	}
}

int64_t read_sleb(struct reader *r)
{
	uint64_t x = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t b = read_u8(r);
		if (shift < 64)
			x |= (uint64_t)(b & 0x7f) << shift;
		bool negative = shift > 63 ? x >> 63 : b & 0x40;
		if (shift >= 63 && (b & 0x7f) != (negative ? 0x7f : 0))
			r->bad = true;
		if (r->bad)
			return 0;
		if (b & 0x80)
			continue;
		if (shift + 7 < 64 && (b & 0x40))
			x |= ~(uint64_t)0 << (shift + 7);
		return (int64_t)x;
	}
}

const char *read_str(struct reader *r)
{
	const uint8_t *nul = memchr(r->p, 0, (size_t)(r->end - r->p));
	if (!nul) {
		r->bad = true;
		r->p = r->end;
		return "";
	}
	const char *s = (const char *)r->p;
	r->p = nul + 1;
	return s;
}

void read_skip(struct reader *r, uint64_t n)
{
	if ((uint64_t)(r->end - r->p) < n) {
		r->bad = true;
		r->p = r->end;
	} else {
		r->p += n;
	}
}

/* FNV-1a (public domain, Fowler, Noll and Vo). */
static uint64_t hash_str(const char *s)
{
	uint64_t h = 0xcbf29ce484222325;
	while (*s)
		h = (h ^ (uint8_t)*s++) * 0x100000001b3;
	return h;
}

/* Hashes are compared first: strings may not be in the cache. */
static struct strmap_entry *strmap_probe(const struct strmap *m, const char *key, uint64_t hash)
{
	size_t i = hash & (m->cap - 1);
	while (m->v[i].key && (m->v[i].hash != hash || strcmp(m->v[i].key, key)))
		i = (i + 1) & (m->cap - 1);
	return &m->v[i];
}

static void strmap_grow(struct strmap *m)
{
	struct strmap old = *m;
	m->cap = old.cap ? old.cap * 2 : 64;
	m->v = calloc(m->cap, sizeof *m->v);
	if (!m->v)
		fatal("out of memory");
	for (size_t i = 0; i < old.cap; i++)
		if (old.v[i].key)
			*strmap_probe(m, old.v[i].key, old.v[i].hash) = old.v[i];
	free(old.v);
}

uint64_t *strmap_slot(struct strmap *m, const char *key)
{
	uint64_t hash = hash_str(key);
	if (m->n * 2 >= m->cap)
		strmap_grow(m);
	struct strmap_entry *e = strmap_probe(m, key, hash);
	if (!e->key) {
		e->key = key;
		e->hash = hash;
		m->n++;
	}
	return &e->value;
}

uint64_t *strmap_find(const struct strmap *m, const char *key)
{
	if (!m->n)
		return NULL;
	struct strmap_entry *e = strmap_probe(m, key, hash_str(key));
	return e->key ? &e->value : NULL;
}

void strmap_free(struct strmap *m)
{
	free(m->v);
	*m = (struct strmap){0};
}

static int name_cmp(const void *key, const void *elem)
{
	return strcmp(key, *(const char *const *)elem);
}

bool name_listed(const char *name, const char *const *list, size_t n)
{
	return bsearch(name, list, n, sizeof *list, name_cmp) != NULL;
}
