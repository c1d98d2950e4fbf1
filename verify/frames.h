/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames.h - the FDEs of an object, as the library reads them
 *
 * Records are told apart here, by their lengths.  Each FDE goes to the reader with its CIE, so that
 * memory is needed for one of them only.
 */
#ifndef LDX_VERIFY_FRAMES_H
#define LDX_VERIFY_FRAMES_H

#include "verify/image.h"

/* Offsets are into s. */
struct frame {
	const struct section *s;
	uint64_t off, body, end; /* of its record; body: behind the CIE's offset */
	uint64_t cie, cie_body, cie_end;
	struct dwarf_file *file; /* has its rows */
	bool known;		 /* the reader can read it */
	struct dwarf_frame f;
	struct vbase code;  /* its start */
	struct vbase table; /* its exception table; sec 0: none */
	bool early;	    /* it starts one byte before its function */
	bool foreign;	    /* its exception table may not have gcc's format */
};

/* A cursor over all .eh_frame, or .debug_frame, sections of an object. */
struct frames {
	const struct verify *v;
	const struct addresses *where;
	enum age age;
	bool debug;
	struct dwarf_file *file;
	const char *triple; /* of the CPU */
	uint32_t sec;
	uint64_t pos;
	struct buf bytes;
};

struct frames frames_open(const struct verify *v, const struct addresses *where, enum age age,
	bool debug);
/* The next FDE whose code is in the object; false: none. */
bool frames_next(struct frames *c, struct frame *f);
void frames_close(struct frames *c);

#endif
