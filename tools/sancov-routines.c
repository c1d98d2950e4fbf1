/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sancov-routines.c - counters for libFuzzer, and what was compared since an input began
 *
 * libFuzzer's functions may use vectors, so none is called where code compares: what differs is
 * remembered, and told when the function that is fuzzed has returned.
 */
#include <ldx/analysis.h>

LDX_ROUTINE void executed(uint8_t *counter)
{
	++*counter;
}

enum { SEEN = 256 };
static struct {
	uint64_t a, b;
	unsigned size;
} seen[SEEN];

static void remember(unsigned size, uint64_t a, uint64_t b)
{
	uint32_t hash = (uint32_t)((a ^ b) ^ (a ^ b) >> 32) * 2654435761u;
	unsigned i = hash >> 24 & (SEEN - 1);
	if (a == b)
		return;
	seen[i].a = a;
	seen[i].b = b;
	seen[i].size = size;
}

LDX_ROUTINE void compare(unsigned long size, unsigned long a, unsigned long b)
{
	remember((unsigned)size, a, b);
}

LDX_ROUTINE void compare_memory(unsigned long size, unsigned long a, const void *p)
{
	typedef struct {
		uint16_t two;
	} __attribute__((packed)) two;
	typedef struct {
		uint32_t four;
	} __attribute__((packed)) four;
	typedef struct {
		uint64_t eight;
	} __attribute__((packed)) eight;
	uint64_t b = size == 1 ? *(const uint8_t *)p
		: size == 2    ? ((const two *)p)->two
		: size == 4    ? ((const four *)p)->four
			       : ((const eight *)p)->eight;
	remember((unsigned)size, a, b);
}

typedef void init(void *, void *);
static void (*trace1)(uint8_t, uint8_t), (*trace2)(uint16_t, uint16_t);
static void (*trace4)(uint32_t, uint32_t), (*trace8)(uint64_t, uint64_t);

/* called: of sancov.c; place: two words of each counter. */
LDX_ROUTINE void begin(const uint64_t *called, uint8_t *counters, uint64_t *place, unsigned long n)
{
	typedef uintptr_t __attribute__((may_alias)) word;
	word *pc = (word *)place;
	for (unsigned long k = 0; k < n; k++) { /* what is written has been read */
		uintptr_t at = ldx_word(&place[2 * k]), flags = (uintptr_t)place[2 * k + 1];
		pc[2 * k] = at;
		pc[2 * k + 1] = flags;
	}
	trace1 = (void (*)(uint8_t, uint8_t))ldx_word(&called[2]);
	trace2 = (void (*)(uint16_t, uint16_t))ldx_word(&called[3]);
	trace4 = (void (*)(uint32_t, uint32_t))ldx_word(&called[4]);
	trace8 = (void (*)(uint64_t, uint64_t))ldx_word(&called[5]);
	((init *)ldx_word(&called[0]))(counters, counters + n);
	((init *)ldx_word(&called[1]))(pc, pc + 2 * n);
}

int original(const uint8_t *data, size_t size) LDX_ORIGINAL("LLVMFuzzerTestOneInput");

LDX_ROUTINE int run_one(const uint8_t *data, size_t size)
{
	int result = original(data, size);
	for (unsigned i = 0; i < SEEN; i++) {
		switch (seen[i].size) {
		case 1: trace1((uint8_t)seen[i].a, (uint8_t)seen[i].b); break;
		case 2: trace2((uint16_t)seen[i].a, (uint16_t)seen[i].b); break;
		case 4: trace4((uint32_t)seen[i].a, (uint32_t)seen[i].b); break;
		case 8: trace8(seen[i].a, seen[i].b); break;
		default: break;
		}
		seen[i].size = 0;
	}
	return result;
}
