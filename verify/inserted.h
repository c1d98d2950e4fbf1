/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inserted.h - what the rewriter claims of inserted code (claim.c), and what that does (prove.c)
 */
#ifndef LDX_VERIFY_INSERTED_H
#define LDX_VERIFY_INSERTED_H

#include "verify/state.h"

/* Execute p and set its effects; proved: they are what is claimed, and nothing else. */
void prove_pattern(struct verify *v, struct pattern *p);

/* Does r name a label of code, and not an entry of the GOT?  Then sets *sec and *off. */
bool label_of(const struct verify *v, const struct object *o, const struct reloc *r, int64_t adj,
	uint32_t *sec, uint64_t *off);

/* A cursor over the claims of a text. */
struct claims {
	struct verify *v;
	const struct vtext *t;
	uint32_t text;
	const struct claim *next, *end;
	uint32_t rel; /* the next relocation */
};

struct claims claims_of(struct verify *v, uint32_t text);
/*
 * Take the next claim, whose code is in front of insn: set *site.  False: the code does not do what
 * is claimed.  *landing: it is a landing instruction, and no site.
 */
bool take_claim(struct claims *c, uint32_t insn, struct vsite *site, bool *landing);

/* Labels of code in inserted code, each once, if such are arguments. */
struct vlabels {
	unsigned n;
	struct {
		uint32_t sec;
		uint64_t off;
	} v[PATTERN_LABELS];
};
/* Are addresses of code among the arguments? */
bool names_places(const struct tool_call *call);
/* Its number, which is new if it is; -1: r, of the new object, is about none, or there are many. */
int code_label(const struct verify *v, struct vlabels *labels, const struct reloc *r);

#endif
