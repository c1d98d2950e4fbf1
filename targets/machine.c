/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.c - the memory of a machine; see machine.h
 */
#include "targets/machine.h"

static uint8_t first_value(const struct machine *m, uint64_t at)
{
	if (at - m->start < m->ncode) {
		m->loaded[at - m->start] = 1;
		return m->code[at - m->start];
	}
	uint64_t x = (at + m->seed) * 0x9e3779b97f4a7c15u;
	return (uint8_t)(x >> 56 ^ x >> 23);
}

static unsigned find_byte(const struct machine *m, uint64_t at)
{
	unsigned i = 0;
	while (i < m->nbytes && m->byte[i].at != at)
		i++;
	return i;
}

static void note(const struct machine *m, struct machine_access a)
{
	struct machine_log *log = m->log;
	if (!log)
		return;
	log->full |= log->n == sizeof log->v / sizeof *log->v;
	if (!log->full)
		log->v[log->n++] = a;
}

uint64_t machine_load(const struct machine *m, uint64_t at, unsigned n)
{
	uint64_t value = 0;
	for (unsigned k = 0; k < n; k++) {
		uint64_t a = m->big ? at + k : at + n - 1 - k;
		unsigned i = find_byte(m, a);
		value = value << 8 | (i < m->nbytes ? m->byte[i].now : first_value(m, a));
	}
	note(m, (struct machine_access){.at = at, .value = value, .size = (uint8_t)n});
	return value;
}

static void store_byte(struct machine *m, uint64_t at, uint8_t value)
{
	unsigned i = find_byte(m, at);
	if (i == sizeof m->byte / sizeof *m->byte || at - m->start < m->ncode) {
		m->bad = true;
		return;
	}
	if (i == m->nbytes) {
		m->byte[i].at = at;
		m->byte[i].old = first_value(m, at);
		m->nbytes++;
	}
	m->byte[i].now = value;
}

void machine_store(struct machine *m, uint64_t at, unsigned n, uint64_t value)
{
	uint64_t low = value & (UINT64_MAX >> (64 - 8 * n));
	note(m,
		(struct machine_access){.at = at,
			.value = low,
			.size = (uint8_t)n,
			.stores = true});
	for (unsigned k = 0; k < n; k++)
		store_byte(m, at + k, (uint8_t)(value >> 8 * (m->big ? n - 1 - k : k)));
}
