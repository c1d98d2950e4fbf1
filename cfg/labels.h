/* SPDX-License-Identifier: Apache-2.0 */
/* labels.h - labels of code: where control may come from (labels.c) */
#ifndef LDX_CFG_LABELS_H
#define LDX_CFG_LABELS_H

#include "cfg/refs.h"

/* How a label is referred to: this decides where control may come from. */
enum label {
	LABEL_BRANCH, /* a branch of its own function */
	LABEL_PAD,    /* an unwind table, or a branch into the instruction before */
	LABEL_ENTRY,  /* a symbol or a call */
	LABEL_TAKEN,  /* code or data that takes its address: indirect jumps and calls */
	LABEL_BY_GOT, /* the same, but what is taken is its distance to the GOT */
};

void cfg_label(struct cfg *g, uint32_t sec, uint64_t off, enum label how); /* by any thread */

/* Leaders, entries and taken addresses of all sections */
void label_sections(struct cfg *g); /* by relocations */

void label_probes(struct cfg *g, const struct section *s);
void label_insn(struct cfg *g, struct code_section *c, uint32_t i, const struct ref *r);
void resolve_labels(struct cfg *g, struct code_section *c);

#endif
