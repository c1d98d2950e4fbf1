/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.h - what a page shows, packed into it
 *
 * Items of JSON are gathered into chunks; a chunk is an array, deflated, as base64, in a script
 * element of its own.  So no name can end the element, and a browser unpacks only what is looked
 * at.
 */
#ifndef LDX_REPORT_HTML_PACK_H
#define LDX_REPORT_HTML_PACK_H

#include "base/base.h"

struct pack {
	FILE *out;
	FILE *item; /* the chunk being made; NULL: none */
	char *text;
	size_t size;
	uint32_t chunks;	/* written, with the one being made */
	uint32_t items;		/* in that one */
	VEC(uint32_t) items_of; /* by chunk, of those that are full: how many */
};

/* Where the next item is to be written: JSON.  Chunks are numbered from 0. */
FILE *pack_item(struct pack *p);

/* Write the chunk being made, if any: what follows is in another one. */
void pack_flush(struct pack *p);

/* A JSON number; a string of digits where a reader might round it; null where it is not known. */
void pack_number(FILE *out, bool known, uint64_t n);

#endif
