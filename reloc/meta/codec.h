/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec.h - formats that hold code addresses or distances without relocations
 *
 * After layout, when every code section that changed has its map, each codec
 * rewrites the sections of its format: it sets rewritten, out, out_size and map
 * (old offset -> new offset of the section itself, so that references into it are fixed in
 * the same way as references into code).  A codec that has corrected the relocations too
 * sets out_rel; reloc/fix.c does that for all other sections.
 *
 * Unwind tables are used at run time: unsound contents are fatal_at(), with the offset.  Debug
 * information is not, and linkers do not read it: where it is unsound, or cannot describe
 * the new code, the section is dropped (with those that depend on it), and the link goes on.
 */
#ifndef LDX_RELOC_META_CODEC_H
#define LDX_RELOC_META_CODEC_H

#include "reloc/map.h"
#include "reloc/object.h"

/*
 * Code labels in unwind tables, found before layout: landing pads (LSDA), function starts (FDE
 * pc_begin), ranges of len bytes whose exceptions lead to a landing pad, and ranges with an
 * exception table of a format that is not known. label() is called once for each, for a
 * pad directly before its range; except for ranges len is 0.
 */
enum unwind_label { LABEL_LANDING_PAD, LABEL_FDE_START, LABEL_CAUGHT, LABEL_FOREIGN };
void unwind_labels(const struct object *o,
	void (*label)(void *ctx, uint32_t sec, uint64_t off, uint64_t len, enum unwind_label kind),
	void *ctx);

/* .gcc_except_table* : before eh_frame_rewrite(), which refers to it. */
void lsda_rewrite(struct object *o);

/* .eh_frame: all of them become one, the first; the others are dropped. */
void eh_frame_rewrite(struct object *o);

/*
 * Before layout: code that debug information describes by two places, where a table or entry has no
 * space for more.  Functions between the two may change their order, the first and the last must
 * not.
 */
void debug_spans(struct object *o,
	void (*span)(void *ctx, uint32_t sec, const struct map_span *span), void *ctx);

/*
 * Before layout: calls row for each row of the line tables: code from offset off of section sec on
 * is of this line, up to the next row.  file is NULL at the end of a sequence of rows, or if it is
 * not known; it is relative to the compiler's folder if the table has not that (before DWARF 5).
 * Tables that are not sound are left out from there on.
 */
typedef void line_visitor(void *ctx, uint32_t sec, uint64_t off, const char *file, uint32_t line);
void debug_rows(struct object *o, line_visitor *row, void *ctx);

/*
 * .debug_*, .sframe, .llvm_bb_addr_map and the like.  A section that cannot be corrected is
 * dropped, and records why; no remaining section refers to it.
 */
void debug_rewrite(struct object *o);

#endif
