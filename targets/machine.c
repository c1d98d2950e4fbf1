/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.c - the memory of a machine; see machine.h
 */
#include "targets/machine.h"

static uint8_t first_value(const struct machine *m, uint64_t at)
{
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

uint64_t machine_load(const struct machine *m, uint64_t at, unsigned n)
{
	uint64_t value = 0;
	while (n--) {
		unsigned i = find_byte(m, at + n);
		value = value << 8 | (i < m->nbytes ? m->byte[i].now : first_value(m, at + n));
	}
	return value;
}

void machine_store(struct machine *m, uint64_t at, unsigned n, uint64_t value)
{
	for (; n--; at++, value >>= 8) {
		unsigned i = find_byte(m, at);
		if (i == sizeof m->byte / sizeof *m->byte) {
			m->bad = true;
			return;
		}
		if (i == m->nbytes) {
			m->byte[i].at = at;
			m->byte[i].old = first_value(m, at);
			m->nbytes++;
		}
		m->byte[i].now = (uint8_t)value;
	}
}
