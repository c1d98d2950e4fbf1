/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.h - the data of a page, compressed
 *
 * JSON items are gathered into chunks; a chunk is an array, deflated, in base64, in a script
 * element of its own.  So no name can end the element, and a browser unpacks only the chunks it
 * shows.
 */
#ifndef LDX_REPORT_HTML_PACK_H
#define LDX_REPORT_HTML_PACK_H

#include "base/base.h"

struct pack {
	FILE *out;
	FILE *item; /* the chunk being made; NULL: none */
	char *text;
	size_t size;
	uint32_t chunks;	/* number of chunks, including the one being made */
	uint32_t items;		/* items in that one */
	VEC(uint32_t) items_of; /* by finished chunk: number of items */
};

/* The stream for the next JSON item.  Chunks are numbered from 0. */
FILE *pack_item(struct pack *p);

/* Write the chunk being made, if any; the next item begins another one. */
void pack_flush(struct pack *p);

/* A JSON number; a string of digits if a reader might round it; null if it is not known. */
void pack_number(FILE *out, bool known, uint64_t n);

#endif
