/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfg.h - the object's code as functions, blocks and edges
 *
 * cfg_build() decodes every code section, finds all code labels (symbols, relocations, branches,
 * unwind tables, jump tables), cuts the code into functions and blocks and decides which functions
 * are understood.  The others are opaque: each moves as one piece.  No byte changes here.  Offsets
 * are offsets into the original sections; insns, blocks and functions are numbered over the whole
 * object, in the order of sections and offsets.
 */
#ifndef LDX_CFG_CFG_H
#define LDX_CFG_CFG_H

#include "reloc/object.h"
#include "targets/target.h"

/* Why a function is opaque: it moves as one piece, and nothing is inserted in it. */
enum opaque {
	OPAQUE_NOT,
	OPAQUE_UNDECODED, /* bytes that do not decode: mostly data in text */
	OPAQUE_MIDDLE,	  /* a reference into the middle of an instruction */
	OPAQUE_DATA,	  /* code reads the section's own bytes: data in text */
	OPAQUE_JUMP,	  /* an indirect jump or call to a computed address */
	OPAQUE_TABLE,	  /* a jump-table entry does not name the start of an instruction */
	OPAQUE_REFERENCE, /* a pc-relative word in data may refer to a label in it */
	OPAQUE_KEEP,	  /* its bytes are compared, or it changes its return address */
	OPAQUE_RELOC,	  /* a relocation whose meaning is not known */
	OPAQUE_DISTANCE,  /* a number without relocation is its distance from code, or its size */
	OPAQUE_HELD,	  /* stays in one piece with code that cannot be moved apart */
	OPAQUE_FAR,	  /* with counters, a branch of it would not reach its target */
	OPAQUE_READ,	  /* its bytes are read or written, by way of its address */
	OPAQUE_REASONS
};
extern const char *const opaque_text[OPAQUE_REASONS];

/* A set of offsets in one section. */
typedef uint64_t *offset_set;
static inline bool set_has(const uint64_t *s, uint64_t off)
{
	return s[off >> 6] >> (off & 63) & 1;
}
static inline void set_add(uint64_t *s, uint64_t off)
{
	s[off >> 6] |= (uint64_t)1 << (off & 63);
}
static inline void set_remove(uint64_t *s, uint64_t off)
{
	s[off >> 6] &= ~((uint64_t)1 << (off & 63));
}
/* The first member of s in (from, to); to if none. */
static inline uint64_t set_next(const uint64_t *s, uint64_t from, uint64_t to)
{
	for (uint64_t i = from + 1; i < to; i = (i | 63) + 1) {
		uint64_t some = s[i >> 6] >> (i & 63);
		if (!some)
			continue;
		i += (unsigned)__builtin_ctzll(some);
		return i < to ? i : to;
	}
	return to;
}

/* set_add(), while other threads add to the set and none reads it. */
static inline void set_add_shared(uint64_t *s, uint64_t off)
{
	uint64_t bit = (uint64_t)1 << (off & 63);
	if (!(__atomic_load_n(&s[off >> 6], __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(&s[off >> 6], bit, __ATOMIC_RELAXED);
}

/*
 * Bytes of a section whose distances from each other may be numbers: the functions that have some
 * of them move as one piece, with nothing inserted between them or in front of the first one.
 */
struct lump {
	uint64_t from, to;
	enum opaque why;
	uint64_t why_off;
	uint32_t by; /* the function that depends on the distances; NO_FUNC: the one at why_off */
};

struct code_section {
	struct section *sec;
	uint32_t insn, ninsn; /* the first of its insns, and how many */
	uint32_t func, nfunc;
	uint32_t block, nblock;
	offset_set starts;     /* starts of instructions */
	offset_set leaders;    /* starts of blocks */
	offset_set taken;      /* labels whose address is taken: targets of unknown jumps */
	offset_set addressed;  /* those that an address leads to, not only a distance to the GOT */
	offset_set entries;    /* symbols and call targets */
	offset_set pads;       /* landing pads; labels behind an instruction that a branch splits */
	offset_set catching;   /* starts of ranges whose exceptions are caught; NULL: none */
	offset_set anchors;    /* scaled.h: instructions that make a base; NULL: not found yet */
	bool may_be_based;     /* it has relocations that may be in g->based */
	VEC(struct lump) lump; /* in the order found; none is part of an earlier one */
	uint32_t reasons;      /* of all pieces that were found: bits 1 << enum opaque */
};

enum block_end {
	END_FALL, /* the next block begins at a label */
	END_JUMP,
	END_BRANCH,
	END_CALL,  /* the next block follows when the call returns */
	END_TABLE, /* indirect jump whose targets are known */
	END_LEAVE, /* indirect jump out of the function, or to an address-taken label */
	END_RET,
	END_TRAP,
	END_SYSCALL,
};

enum { NO_BLOCK = UINT32_MAX, NO_FUNC = UINT32_MAX, NO_INSN = UINT32_MAX, NO_SYMBOL = 0 };

struct block {
	uint32_t insn, ninsn;
	uint32_t func;
	uint32_t target; /* block that the last insn branches to or calls, or NO_BLOCK */
	uint32_t fall;	 /* the block that control falls through to, or NO_BLOCK */
	uint8_t end;	 /* enum block_end */
	bool gap;	 /* padding between functions: not code, has no count */
	bool entry;	 /* begins at an entry of the function */
	bool astray;	 /* the last insn leads to code, but to no known block */
	bool entered;	 /* has predecessors other than branches of its function */
	bool shared;	 /* branches of other functions lead here */
	bool computed;	 /* the last insn jumps to a computed address */
	bool by_address; /* it jumps to an address that constant data holds */
	bool chosen;	 /* the last insn calls or jumps indirectly, or to an IFUNC */
	/* set by cfg_liveness(): */
	bool elsewhere;		  /* another object may preempt the target */
	bool ends;		  /* the call at its end does not return */
	bool open;		  /* an indirect call or jump from anywhere may lead here */
	regset live_in, live_out; /* after cfg_liveness() */
};

struct func {
	uint32_t text;
	uint32_t sym;	     /* best symbol at its start, or NO_SYMBOL */
	uint64_t start, end; /* end: of its code, without padding */
	uint32_t block, nblock;
	uint32_t by_table, nby_table; /* in cfg.by_table: where all its tables lead */
	bool labelled; /* it has jump tables, and the address of a label in it is taken */
	enum opaque why;
	uint64_t why_off;
	uint32_t lump;	    /* 1 + the first piece of its section that holds it; 0: none does */
	bool tied;	    /* a piece holds it and the function in front of it */
	bool is_code;	    /* has a function symbol, or is called */
	bool falls_in;	    /* control may fall into it from the function before */
	bool leads_to_sum;  /* it jumps to an address that may be a sum, not by a table */
	bool start_named;   /* a word of data may name its first instruction, and not its entry */
	bool thread_base;   /* an instruction of it is INSN_THREAD_BASE */
	bool never_returns; /* no call of it returns */
	bool replaced;	    /* a routine of a tool takes its place: calls of it lead there */
	/* after cfg_liveness(): */
	bool keeps_stack; /* its stack pointer is used as in compiled code, and its return address
			   * not accessed */
	regset written;	  /* registers that its instructions may change */
	regset wanted;	  /* registers that are never scratch in it: tools read them */
	regset ret_live;  /* live when it returns, beyond the psABI's */
};
/* Is block b, or NO_BLOCK, one of f?  Padding behind f is not, though its block names f. */
static inline bool func_has_block(const struct func *f, uint32_t b)
{
	return b - f->block < f->nblock;
}

/* A run of jump-table entries: relocations rel..rel + n of section sec. */
struct table {
	uint32_t sec;
	uint64_t base;	 /* offset in sec that entries are relative to, and start at */
	uint32_t rel, n; /* relocations of sec: first and number */
	uint8_t step;	 /* each entry has so many of them: 2 are the terms of label - base */
	bool relative;	 /* entries hold label - base; else the label's address */
	bool proved;	 /* a jump that uses it has been recognised */
	uint32_t jump;	 /* the block that alone jumps by it, or NO_BLOCK */
};

/* An instruction that refers to the start of a possible table. */
struct table_ref {
	uint32_t text;
	uint64_t off; /* of the instruction */
	uint32_t table;
};

/*
 * A block that ends in a jump by one table of several that its function refers to, or (table
 * NO_TABLE) by one of scaled distances.
 */
struct table_jump {
	uint32_t block, table;
	uint32_t by_table, nby_table; /* in cfg.by_table: where that leads */
};
typedef VEC(struct table_jump) table_jump_vec;

/* Padding in front of an aligned label: [from, to) are no-ops. */
struct padding {
	uint32_t text;
	uint64_t from, to;
	uint32_t align;
};

/*
 * A pc-relative relocation of an operand whose register holds the address of a label in the same
 * section: the field has the distance from there.
 */
struct based_field {
	uint32_t text;
	uint64_t off, label;
};

/* A landing pad in another section than the code whose exceptions lead there: pads.h. */
struct pad {
	uint32_t sec, pad_sec;
	uint64_t off, pad_off;
	uint32_t func, pad_func;
};

struct scaled_table;
struct stated;
struct cfg {
	struct arena *arena;
	struct object *obj;
	const struct target *target;
	const struct outside *outside; /* reloc/outside.h: of the libraries; borrowed; or NULL */
	bool has_liveness;	       /* cfg_liveness() was called */
	bool shared;		       /* other objects may preempt global symbols at run time */
	regset *wanted;		       /* by block: registers that tools read there; NULL: none */
	regset *kept;		       /* by function: see cfg_kept() */
	struct stated *stated;	       /* as in struct cfg_options */
	bool *of_libc;		       /* by section: is it from a static C library? */
	struct decoder **decoder;      /* by worker: cfg_decoder() */

	VEC(struct code_section) text;
	VEC(uint32_t) part; /* first section of each unit of parallel work, then text.n */
	uint32_t *text_of;  /* section index -> index into code, + 1; 0: no code */
	struct {
		struct insn *v; /* with gaps between parts */
	} insn;
	VEC(struct func) func;
	VEC(struct block) block;
	VEC(struct table) table;
	VEC(struct table_ref) table_ref; /* sorted by code, off */
	VEC(struct scaled_table) scaled; /* scaled.h: sorted by jump */
	bool *chain_read;	     /* by function: it may be given a static chain; chain_find() */
	bool chain_open;	     /* so may one whose address is taken */
	table_jump_vec table_jump;   /* sorted by block */
	VEC(uint32_t) by_table;	     /* blocks, by function or table_jump; each once */
	VEC(struct padding) padding; /* sorted by code, from */
	VEC(struct pad) pad;	     /* sorted by func */
	VEC(struct based_field) based; /* sorted by code, off */
};

/* All are borrowed. */
struct cfg_options {
	const struct outside *outside; /* reloc/outside.h; or NULL */
	bool shared;		       /* other objects may preempt global symbols at run time */
	const bool *far;       /* by function: it is to be opaque, as OPAQUE_FAR; NULL: none */
	struct stated *stated; /* where what is found is stated; or NULL */
};
struct cfg *cfg_build(struct arena *a, struct object *o, const struct target *t,
	const struct cfg_options *opt);

/* Look up by section and offset; NULL or NO_* if there is none. */
struct code_section *cfg_section(const struct cfg *g, uint32_t sec);
uint32_t cfg_func_at(const struct cfg *g, const struct code_section *c,
	uint64_t off); /* covering */
uint32_t cfg_block_at(const struct cfg *g, const struct code_section *c,
	uint64_t off); /* starting */
uint32_t cfg_insn_at(const struct cfg *g, const struct code_section *c,
	uint64_t off); /* covering; UINT32_MAX */

/* The decoder of a worker of parallel(). */
struct decoder *cfg_decoder(const struct cfg *g, unsigned worker);

/* The functions of part k of the code: from *first to the one returned. */
uint32_t cfg_part_funcs(const struct cfg *g, size_t k, uint32_t *first);

/* The code of an insn; its bytes; its end. */
static inline const uint8_t *insn_bytes(const struct code_section *c, const struct insn *in)
{
	return c->sec->data + in->off;
}
static inline uint64_t insn_end(const struct insn *in)
{
	return (uint64_t)in->off + in->len;
}

/* The table that relocation rel of section sec is an entry of, or NULL. */
const struct table *cfg_table_of(const struct cfg *g, uint32_t sec, uint32_t rel);

/*
 * Calls visit once for each block that the jump at the end of block b may lead to by a table: by
 * its own, or by any of its function where it is not known by which.
 */
void cfg_table_targets(const struct cfg *g, uint32_t b, void (*visit)(void *, uint32_t), void *ctx);
/*
 * Why those entries that lead the jump at the end of block b to block to cannot lead it to a place
 * of their own; NULL: they can.
 */
const char *cfg_entries_held(const struct cfg *g, uint32_t b, uint32_t to);

/* Does f begin at a symbol of function type? */
bool is_function_symbol(const struct cfg *g, const struct func *f);

/* Name for messages: the symbol's, or section+offset; from the arena. */
const char *func_name(const struct cfg *g, const struct func *f);

#endif
