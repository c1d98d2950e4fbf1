/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects.c - numbers for the effects of instructions; see insn.h
 *
 * The table only grows, in chunks that do not move: threads may read entries while others are
 * added.
 */
#include "targets/target.h"

#include <pthread.h>
#include <stdlib.h>

struct effects *effects_chunk[EFFECTS_CHUNKS];

static struct {
	pthread_mutex_t lock;
	uint32_t n;
	uint32_t *slot; /* 1 + a number, by hash; 0: free */
	size_t cap;	/* a power of two, or 0 */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct effects *effects_of(uint32_t number)
{
	return &effects_chunk[number / EFFECTS_CHUNK][number % EFFECTS_CHUNK];
}

static uint32_t *find_slot(const struct effects *e)
{
	const regset set[] = {e->reads, e->writes, e->clobbers};
	uint64_t h = 0;
	for (unsigned k = 0; k < sizeof set / sizeof *set; k++)
		h = ((h ^ (uint64_t)set[k]) * 0x9e3779b97f4a7c15u ^
			    (uint64_t)(set[k] >> REG_FLAG)) *
			0x9e3779b97f4a7c15u;
	size_t i = h >> 32 & (table.cap - 1);
	while (table.slot[i] && memcmp(effects_of(table.slot[i] - 1), e, sizeof *e))
		i = (i + 1) & (table.cap - 1);
	return &table.slot[i];
}

/* Make room for one more; false: out of memory. */
static bool make_room(void)
{
	struct effects **chunk = &effects_chunk[table.n / EFFECTS_CHUNK];
	if (!*chunk && !(*chunk = calloc(EFFECTS_CHUNK, sizeof **chunk)))
		return false;
	if (table.n * 2 < table.cap)
		return true;
	free(table.slot);
	table.cap = table.cap ? table.cap * 2 : (size_t)EFFECTS_CHUNK * 2;
	table.slot = calloc(table.cap, sizeof *table.slot);
	if (!table.slot)
		return false;
	for (uint32_t k = 0; k < table.n; k++)
		*find_slot(effects_of(k)) = k + 1;
	return true;
}

uint32_t effects_number(const struct effects *e)
{
	uint32_t number = 0;
	pthread_mutex_lock(&table.lock);
	bool room = table.n < EFFECTS_CHUNK * EFFECTS_CHUNKS && make_room();
	if (room) {
		uint32_t *slot = find_slot(e);
		if (!*slot) {
			*effects_of(table.n) = *e;
			*slot = ++table.n;
		}
		number = *slot - 1;
	}
	pthread_mutex_unlock(&table.lock);
	if (!room)
		fatal("out of memory for the effects of instructions");
	return number;
}
