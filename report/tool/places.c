/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.c - the code at an address of a program
 *
 * Code that was inserted in front of a block belongs to the block: labels lead to it.
 */
#include "report/tool/walk.h"

#include <ldx/report.h>
#include <stdlib.h>

uint64_t ldx_func_start(const ldx_func *f)
{
	return f->f->address;
}

static int compare_starts(const void *a, const void *b)
{
	const ldx_func *x = *(const ldx_func *const *)a, *y = *(const ldx_func *const *)b;
	if (x->f->address != y->f->address)
		return x->f->address < y->f->address ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void sort_functions(ldx_object *o)
{
	o->placed = NEW_ARRAY(const ldx_func *, o->p->map.nfuncs);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		o->placed[o->nplaced++] = f;
	qsort(o->placed, o->nplaced, sizeof *o->placed, compare_starts);
}

/* Where the code that is known to be the function's ends. */
static uint64_t end_of(const ldx_func *f)
{
	const struct map_block *b = &f->object->p->map.block[f->f->block];
	uint64_t end = f->f->address + (f->f->nblocks ? 0 : f->f->size);
	for (size_t i = 0; i < f->f->nblocks; i++)
		if (map_is_placed(&b[i]) && b[i].address + b[i].length > end)
			end = b[i].address + b[i].length;
	return end;
}

const ldx_func *ldx_func_at(const ldx_object *object, uint64_t address)
{
	ldx_object *o = (ldx_object *)object; /* tools only read it */
	size_t i;
	if (!o->placed)
		sort_functions(o);
	BISECT(i, 0, o->nplaced, o->placed[i]->f->address <= address);
	const ldx_func *f = i ? o->placed[i - 1] : NULL;
	while (f && i > 1 && o->placed[i - 2]->f->address == f->f->address)
		f = o->placed[--i - 1];
	return f && (address < end_of(f) || address == f->f->address) ? f : NULL;
}

const ldx_block *ldx_block_at(const ldx_object *o, uint64_t address)
{
	const ldx_func *f = ldx_func_at(o, address);
	const ldx_block *found = NULL;
	for (const ldx_block *b = NULL; f && (b = ldx_next_block(f, b));)
		if (map_is_placed(b->b) && b->b->address >= address &&
			(!found || b->b->address < found->b->address))
			found = b;
	return found;
}
