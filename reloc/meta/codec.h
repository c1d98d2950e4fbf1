/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec.h - formats that hold code addresses or distances without relocations
 *
 * After layout, when every code section that changed has its map, each codec
 * rewrites the sections of its format: it sets rewritten, out, out_size and map
 * (old offset -> new offset of the section itself, so that references into it
 * are fixed by the same path as references into code).  A codec that has put the
 * relocations right too leaves out_rel set; for all other sections that is
 * reloc/fix.c's to do.
 *
 * Unwind tables are executed: one whose contents are not sound is fatal_at(),
 * naming the offset.  Debug information is not, and no linker looks into it: what
 * is not sound there, or cannot be said of the new code, costs the section (and
 * those that go with it), never the link.
 */
#ifndef LDX_RELOC_META_CODEC_H
#define LDX_RELOC_META_CODEC_H

#include "reloc/object.h"

/*
 * Code labels that exist only in unwind tables, found before layout: landing
 * pads (LSDA) and function starts (FDE pc_begin), and the len bytes of code from which exceptions
 * lead to a landing pad.  label() is called once for each; for others len is 0.
 */
enum unwind_label { LABEL_LANDING_PAD, LABEL_FDE_START, LABEL_CAUGHT };
void unwind_labels(const struct object *o,
	void (*label)(void *ctx, uint32_t sec, uint64_t off, uint64_t len, enum unwind_label kind),
	void *ctx);

/* .gcc_except_table* : before eh_frame_rewrite(), which refers to it. */
void lsda_rewrite(struct object *o);

/* .eh_frame: all of them become one, the first; the others are dropped. */
void eh_frame_rewrite(struct object *o);

/*
 * .debug_*, .sframe, .llvm_bb_addr_map and the like.  A section that cannot be put
 * right is dropped and says why; nothing that stays refers to it any more.
 */
void debug_rewrite(struct object *o);

#endif
