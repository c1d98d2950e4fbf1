/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.h - jump tables: of words (jumps.c), and of scaled distances (scaled.c, ends.c)
 */
#ifndef LDX_VERIFY_TABLES_H
#define LDX_VERIFY_TABLES_H

#include "verify/state.h"

/* What is stated of jump k; or NULL. */
const struct vjump *jump_at(const struct verify *v, uint32_t k);
/* The table by whose words jump `jump' leads, as it is stated; NULL: it is not known. */
const struct vtable *table_at(const struct verify *v, uint32_t jump);

/* What a register or a word of the frame has of a table: enum holds, 0: nothing; and its number in
 * verify.base. */
struct vword {
	uint8_t holds;
	uint32_t table;
};

/* Has that table distances, not pointers? */
bool has_distances(const struct verify *v, uint32_t table);

/* What an instruction makes of what its operands have. */
struct vword_operands {
	struct vword base, index, src, dst;
};
struct vword word_made(const struct verify *v, const struct vtext *t, const struct insn *in,
	const struct operation *op, const struct vword_operands *of);

/* The only jump by this table, as far as the map was read; NO_INSN: there may be several. */
uint32_t jump_by(const struct verify *v, struct vbase table);

/* A cursor over the words of a table that may be used. */
struct vwords {
	const struct vtable *table;
	uint64_t x;	/* the next word, */
	uint32_t rel;	/* and its relocation */
	uint64_t stray; /* code refers to this place in it, where no other table is */
};

struct vwords vtable_words(const struct verify *v, const struct vtable *table);
/* The next one's target, in code; false: there is none in front of the next place referred to. */
bool vtable_next(const struct verify *v, struct vwords *w, uint32_t *sec, uint64_t *to);

/* The target of the word at the cursor, if the table goes on there.  False: not in code. */
bool vtable_word(const struct verify *v, const struct vwords *w, uint32_t *sec, uint64_t *to);

/* The registers that the new form of branch k changes, and the old one does not. */
regset form_changes(const struct verify *v, const struct vtext *t, uint32_t k);

/* The table of scaled distances that this jump uses, or NULL. */
const struct vscaled *scaled_at(const struct verify *v, uint32_t jump);
/* The instruction that entry k leads to; NO_INSN: the end of the section. */
uint32_t scaled_target(const struct verify *v, const struct vscaled *s, uint32_t k);

/* Is instruction k relocated by the place of data, or (low) by its low bits? */
bool names_place(const struct verify *v, const struct vtext *t, uint32_t k, bool low,
	struct vbase *to);
/* scaled_check.c: do both name the same new table, or none? */
bool same_new_name(const struct verify *v, const struct vtext *t, uint32_t a, uint32_t b);

uint64_t scaled_label_of(const struct verify *v, const struct vscaled *s, uint32_t k);

/* ends.c: where such tables may end */
struct vrange {
	uint32_t sec;
	uint64_t from, to;
};

struct vends {
	VEC(struct vbase) sure;	 /* symbols in data, and tables */
	VEC(struct vbase) named; /* what code refers to */
	VEC(struct vrange) func;
};

void vends_find(struct vends *e, const struct verify *v);
void vends_free(struct vends *e);
/* The number of entries of s, at most most; 0: not known. */
uint32_t vends_count(const struct vends *e, const struct verify *v, const struct vscaled *s,
	uint32_t most);

bool is_scaled_part(const struct verify *v, uint32_t k);
/* Is new what instruction k, which uses such a table, becomes if that has words? */
bool reads_words(const struct verify *v, const struct vtext *t, uint32_t k, const uint8_t *new);

/*
 * Is the new code at y instruction k, a load, in the form of read_own() that makes the address
 * of a new table, too?
 */
bool reads_own(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y);

/* If k has that form: the register that is changed besides. */
regset own_changes(const struct verify *v, const struct vtext *t, uint32_t k);

/* Are these the relocations that it has? */
bool has_own_relocs(const struct verify *v, const struct vtext *t, uint32_t k,
	const struct reloc *first, const struct reloc *second);

#endif
