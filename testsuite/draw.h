/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw.h - random numbers of a test program, and fields changed by them
 */
#ifndef LDX_TESTSUITE_DRAW_H
#define LDX_TESTSUITE_DRAW_H

#include <stdint.h>

/* Not 0. */
static uint64_t draw_state = 1;

static inline void draw_seed(uint64_t seed)
{
	draw_state = seed * 0x9e3779b97f4a7c15u | 1;
}

/* Less than below; 0 where below is.  xorshift64 (Marsaglia, Xorshift RNGs, 2003). */
static inline uint64_t draw(uint64_t below)
{
	draw_state ^= draw_state << 13;
	draw_state ^= draw_state >> 7;
	draw_state ^= draw_state << 17;
	return below ? draw_state % below : 0;
}

/* Another value of a field of that many bits: an extreme, a small one, or one near now. */
static inline uint64_t draw_value(uint64_t now, unsigned bits)
{
	switch (draw(10)) {
	case 0: return 0;
	case 1: return 1;
	case 2: return ~(uint64_t)0;
	case 3: return (uint64_t)1 << (bits - 1);
	case 4: return ((uint64_t)1 << (bits - 1)) - 1;
	case 5: return now + 1;
	case 6: return now - 1;
	case 7: return now ^ (uint64_t)1 << draw(bits);
	case 8: return now + draw(64) - 32;
	default: return draw(256);
	}
}

/* Change the field of size bytes at p, little endian: to other, or to what draw_value() says. */
static inline void draw_field(uint8_t *p, unsigned size, const uint64_t *other)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * i;
	v = other ? *other : draw_value(v, 8 * size);
	for (unsigned i = 0; i < size; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

#endif
