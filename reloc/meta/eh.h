/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eh.h - reading .eh_frame and .debug_frame (LSB Core, "Exception Frames"; DWARF 5, section 6.4)
 *
 * Private to the codecs of the unwind tables.
 */
#ifndef LDX_RELOC_META_EH_H
#define LDX_RELOC_META_EH_H

#include "reloc/meta/recode.h"
#include "reloc/object.h"

/* Pointer encodings: format in the low four bits, what it is relative to above. */
enum {
	EH_ABSPTR = 0x00,
	EH_ULEB = 0x01,
	EH_UDATA2 = 0x02,
	EH_UDATA4 = 0x03,
	EH_UDATA8 = 0x04,
	EH_SLEB = 0x09,
	EH_SDATA2 = 0x0a,
	EH_SDATA4 = 0x0b,
	EH_SDATA8 = 0x0c,
	EH_FORMAT = 0x0f,
	EH_UNSIGNED = 0x07, /* the format without its sign */
	EH_RELATIVE = 0x70,
	EH_ALIGNED = 0x50,
	EH_INDIRECT = 0x80,
	EH_OMIT = 0xff,
};

/* Encoding enc, that of addresses with their size in o. */
uint8_t eh_encoding(const struct object *o, uint8_t enc);
/* Bytes of a value in this encoding; 0 when it has no fixed size. */
unsigned eh_size(uint8_t enc);
/* Read a value of any format, sign-extended where the format is signed. */
uint64_t eh_read(struct reader *r, uint8_t enc);

/* Offsets are into the section that holds the record. */
struct eh_cie {
	uint64_t off, end;
	uint64_t body; /* behind length and id */
	uint64_t code_align;
	int64_t data_align;
	uint64_t cfa; /* the instructions */
	uint8_t fde_enc, lsda_enc;
	bool has_size;	  /* 'z': FDEs have an augmentation length */
	bool signal;	  /* 'S': signal frames */
	bool foreign;	  /* exception tables may not have gcc's format: see knows_format() */
	uint64_t new_off; /* in the output; ~0: not written yet */
};

struct eh_fde {
	uint64_t off, end;
	const struct eh_cie *cie;
	uint64_t pc;   /* offset of pc_begin and pc_range */
	uint64_t aug;  /* offset of the augmentation length */
	uint64_t lsda; /* offset of the LSDA pointer; 0: none */
	uint64_t cfa;  /* offset of the instructions */
	unsigned pc_size;
	const struct reloc *rel;      /* of pc_begin; NULL: its code was discarded */
	struct section *code;	      /* NULL: not in this object */
	uint64_t start, range;	      /* in code */
	bool early;		      /* starts one byte before its function */
	const struct reloc *lsda_rel; /* NULL: no LSDA */
};

struct eh_walk {
	const struct object *o;
	struct section *s;
	bool debug; /* .debug_frame */
	uint64_t pos;
	VEC(struct eh_cie) cie;
	size_t last;	   /* the CIE found last: most FDEs share one */
	uint32_t next;	   /* cursor into s->rel */
	struct eh_fde fde; /* the current one */
	bool ends;	   /* a terminator is behind the last one */
};

/*
 * Does the personality routine that r refers to, or the cell there, read exception tables of gcc's
 * format?  So does none: r NULL.
 */
bool eh_is_gccs(const struct object *o, const struct reloc *r);
bool is_eh_frame(const struct section *s);
bool is_debug_frame(const struct section *s);
void eh_open(struct eh_walk *w, const struct object *o, struct section *s);
/* The next FDE, or NULL at the end.  Both kinds of record are checked. */
const struct eh_fde *eh_next(struct eh_walk *w);
void eh_close(struct eh_walk *w);

/* The new offset of the start of an FDE: what its pc_begin names after layout. */
uint64_t eh_new_start(const struct eh_fde *f);

#endif
