/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wide.h - numbers of 64 bits that processes share, on CPUs of 32 bits too
 *
 * Those have no atomic operation on 64 bits without a library: the low half is changed, and the
 * high one stays 0.  So profiles have less than 4 GB there.
 */
#ifndef LDX_RUNTIME_WIDE_H
#define LDX_RUNTIME_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#if UINTPTR_MAX > UINT32_MAX

#define WIDE_MAX ((uint64_t)1 << 48)

static inline uint64_t wide_load(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

/* The same, without order. */
static inline void wide_add(uint64_t *p, uint64_t n)
{
	__atomic_fetch_add(p, n, __ATOMIC_RELAXED);
}

static inline bool wide_exchange(uint64_t *p, uint64_t *from, uint64_t to)
{
	return __atomic_compare_exchange_n(p, from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* For a number that was 0, and that readers compare with x. */
static inline void wide_publish(uint64_t *p, uint64_t x)
{
	__atomic_store_n(p, x, __ATOMIC_RELEASE);
}

static inline unsigned wide_digit(uint64_t x, int shift)
{
	return x >> shift & 15;
}

#else

#define WIDE_MAX ((uint64_t)1 << 32)

static inline uint32_t *wide_half(const uint64_t *p, bool high)
{
	return (uint32_t *)p + (high == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__));
}

static inline uint64_t wide_load(const uint64_t *p)
{
	return __atomic_load_n(wide_half(p, false), __ATOMIC_SEQ_CST);
}

static inline void wide_add(uint64_t *p, uint64_t n)
{
	__atomic_fetch_add(wide_half(p, false), (uint32_t)n, __ATOMIC_RELAXED);
}

static inline bool wide_exchange(uint64_t *p, uint64_t *from, uint64_t to)
{
	uint32_t old = (uint32_t)*from;
	bool done = __atomic_compare_exchange_n(wide_half(p, false), &old, (uint32_t)to, false,
		__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	*from = old;
	return done;
}

static inline void wide_publish(uint64_t *p, uint64_t x)
{
	*wide_half(p, true) = (uint32_t)(x >> 32);
	__atomic_store_n(wide_half(p, false), (uint32_t)x, __ATOMIC_RELEASE);
}

static inline unsigned wide_digit(uint64_t x, int shift)
{
	uint32_t half = shift >= 32 ? (uint32_t)(x >> 32) : (uint32_t)x;
	return half >> (shift & 31) & 15;
}

#endif

#endif
