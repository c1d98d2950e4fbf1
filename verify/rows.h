/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - unwind rows, landing pads, and inserted code that moves the stack pointer
 */
#ifndef LDX_VERIFY_ROWS_H
#define LDX_VERIFY_ROWS_H

#include "verify/state.h"

struct frame;

/* All landing pads of the old code, by from and to. */
void find_pads(struct verify *v, vpad_vec *pads);

/* A cursor over sites that move the stack pointer, by offset. */
struct vmoving {
	const struct vsite *site, *last;
};

/* Those of the code from x of old section sec on whose code is in new [start, end). */
struct vmoving moving_sites(const struct verify *v, uint32_t sec, uint64_t x, uint64_t start,
	uint64_t end);

static inline bool moving_left(const struct vmoving *m)
{
	return m->site < m->last;
}

void moving_next(struct vmoving *m);

/* Compare the rows of two FDEs. */
void verify_rows(struct verify *v, const struct frame *a, const struct frame *b);

#endif
