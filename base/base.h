/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h - memory, containers and messages for every folder of ldx
 *
 * ldx is a short-lived process: a link owns one arena, which lives as long as the
 * process.  No single object is freed.
 */
#ifndef LDX_BASE_BASE_H
#define LDX_BASE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Zeroed memory that lives until arena_free().  Never NULL: running out is fatal(). */
struct arena {
	struct arena_chunk *chunks;
	char *next, *end;
};
void *arena_alloc(struct arena *a, size_t size);
void arena_free(struct arena *a);
void arena_join(struct arena *a, struct arena *from); /* moves all memory of from to a */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define arena_new(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define arena_array(a, T, n) ((T *)arena_alloc((a), array_bytes((n), sizeof(T))))

/* n * size; fatal() when that overflows. */
size_t array_bytes(size_t n, size_t size);

/*
 * A growing array: struct { T *v; size_t n, cap; }.  Pointers into v are valid
 * until the next push.  vec_free() leaves an empty vector that can be used again.
 */
#define VEC(T)                                                                                     \
	struct {                                                                                   \
		T *v;                                                                              \
		size_t n, cap;                                                                     \
	}
#define vec_push(vec, ...)                                                                         \
	((vec)->n == (vec)->cap ? (void)((vec)->v = vec_grow((vec)->v, &(vec)->cap, (vec)->n + 1,  \
						 sizeof *(vec)->v))                                \
				: (void)0,                                                         \
		(void)((vec)->v[(vec)->n++] = (__VA_ARGS__)))
/* Make room for n elements in all. */
#define vec_reserve(vec, want)                                                                     \
	((vec)->cap < (want) ? (void)((vec)->v = vec_grow((vec)->v, &(vec)->cap, (want),           \
					      sizeof *(vec)->v))                                   \
			     : (void)0)
#define vec_free(vec) (free((vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0)
void *vec_grow(void *v, size_t *cap, size_t want, size_t size);

/*
 * A stable qsort(), fast on input that is nearly sorted: most lists of a link are built nearly in
 * the order of offsets.
 */
void sort(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *));

/*
 * Binary search: sets i to the first index in [from, to) for which the expression before is false,
 * or to.  It must be true for all smaller indices.
 */
#define BISECT(i, from, to, before)                                                                \
	do {                                                                                       \
		__typeof__(i) lo_ = (from), hi_ = (to);                                            \
		while (lo_ < hi_) {                                                                \
			(i) = lo_ + (hi_ - lo_) / 2;                                               \
			if (before)                                                                \
				lo_ = (i) + 1;                                                     \
			else                                                                       \
				hi_ = (i);                                                         \
		}                                                                                  \
		(i) = lo_;                                                                         \
	} while (0)

/* A growing byte buffer. */
struct buf {
	uint8_t *v;
	size_t n, cap;
	bool big; /* numbers are appended with the most significant byte first */
};
void buf_put(struct buf *b, const void *p, size_t n);
void buf_u8(struct buf *b, uint8_t x);
void buf_u16(struct buf *b, uint16_t x);
void buf_u32(struct buf *b, uint32_t x);
void buf_u64(struct buf *b, uint64_t x);
void buf_uleb(struct buf *b, uint64_t x);
void buf_sleb(struct buf *b, int64_t x);
void buf_str(struct buf *b, const char *s); /* with its terminating NUL */

/*
 * A bounds-checked reader of little-endian numbers, or big-endian ones once big is set.  A read
 * past the end returns 0, leaves the cursor at the end and sets bad; check bad once after a group
 * of reads.
 */
struct reader {
	const uint8_t *start, *p, *end;
	bool bad, big;
};
struct reader reader_make(const void *p, size_t n); /* p NULL: no bytes, whatever n is */
uint8_t read_u8(struct reader *r);
uint16_t read_u16(struct reader *r);
uint32_t read_u32(struct reader *r);
uint64_t read_u64(struct reader *r);
/* bad when the value needs more than 64 bits */
uint64_t read_uleb(struct reader *r);
int64_t read_sleb(struct reader *r);
const char *read_str(struct reader *r); /* NUL-terminated, or bad and "" */
void read_skip(struct reader *r, uint64_t n);
static inline size_t reader_at(const struct reader *r)
{
	return (size_t)(r->p - r->start);
}

/* Little-endian fields in memory, of any alignment. */
static inline uint32_t get_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t get_u64(const uint8_t *p)
{
	return get_u32(p) | (uint64_t)get_u32(p + 4) << 32;
}
static inline void put_u32(uint8_t *p, uint32_t x)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(x >> 8 * i);
}
static inline void put_u64(uint8_t *p, uint64_t x)
{
	put_u32(p, (uint32_t)x);
	put_u32(p + 4, (uint32_t)(x >> 32));
}

/* Of n bytes, 1, 2, 4 or 8, little-endian or big-endian; what does not fit is cut off. */
static inline uint64_t get_word(const uint8_t *p, unsigned n, bool big)
{
	uint64_t x = n == 8 ? get_u64(p) : n == 4 ? get_u32(p) : *p;
	if (n == 2)
		x |= (uint64_t)p[1] << 8;
	return big ? __builtin_bswap64(x) >> (64 - 8 * n) : x;
}
static inline void put_word(uint8_t *p, unsigned n, bool big, uint64_t x)
{
	if (big)
		x = __builtin_bswap64(x) >> (64 - 8 * n);
	if (n == 8)
		put_u64(p, x);
	else if (n == 4)
		put_u32(p, (uint32_t)x);
	else
		for (unsigned i = 0; i < n; i++)
			p[i] = (uint8_t)(x >> 8 * i);
}

/* The low bits of x, 1 to 64 of them, as a signed number. */
static inline int64_t sign_extend(uint64_t x, unsigned bits)
{
	return (int64_t)(x << (64 - bits)) >> (64 - bits);
}

/*
 * A map from strings to 64-bit values, open addressing.  Keys are borrowed.
 * strmap_slot() finds or makes the slot of a key (a new one holds 0); the
 * pointer is valid until the next strmap_slot().  strmap_find(): NULL if absent.
 * strmap_free() leaves an empty map.
 */
struct strmap {
	struct strmap_entry {
		const char *key;
		uint64_t hash, value;
	} * v;
	size_t n, cap;
};
uint64_t *strmap_slot(struct strmap *m, const char *key);
uint64_t *strmap_find(const struct strmap *m, const char *key);
void strmap_free(struct strmap *m);

/* Is name in the sorted array list? */
bool name_listed(const char *name, const char *const *list, size_t n);
#define IS_ONE_OF(name, list) name_listed(name, list, sizeof list / sizeof *list)

/*
 * Messages in the linker's style, `ldx: error: (.text+0x1c): text'; unsafe characters are printed
 * as \xHH.  The stream is stderr unless set.  fatal() runs the functions given to
 * at_exit_cleanup(), last one first, and exits with diag_status.  where, if not NULL, precedes the
 * text.  diag_before, if not NULL, is called before each message.
 */
extern FILE *diag_stream;
extern const char *diag_name; /* the program's: "ldx" unless set */
extern int diag_status;	      /* 1 unless set */
extern void (*diag_before)(void);
_Noreturn void fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void vfatal(const char *where, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * Call fn(arg).  A fatal() in it, in the same thread, ends only that call and prints nothing: its
 * message is returned, in memory of a.  NULL: fn returned.  Changes that fn made are not undone.
 */
const char *attempt(struct arena *a, void (*fn)(void *arg), void *arg);
/* An internal error: prints and aborts. */
_Noreturn void bug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void at_exit_cleanup(void (*fn)(void));

/* Removes empty parts of a path, `.', and `..' with the part before it. */
void simplify_path(char *path);
/* The file of this program, into PATH_MAX bytes, also where there is no /proc.  False: errno says
 * why. */
bool own_path(char *path);

/* The representative of x (union-find); set[i]: the parent of i, or i itself. */
static inline uint32_t union_find(uint32_t *set, uint32_t x)
{
	while (set[x] != x)
		x = set[x] = set[set[x]];
	return x;
}

#endif
