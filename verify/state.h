/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - the two objects, what is known of their code, and the records that the passes share
 *
 *	verify.c	sections, symbols; the order of the passes
 *	fail.c	messages
 *	places.c	where something is in the old and the new code
 *	landing.c	where a reference may lead in the new code
 *	sites.c	inserted code, by the instruction behind it
 *	branches.c	direct branches and calls
 *	data.c	relocations of data
 *	runs.c	functions in another order
 *	align.c	match old instructions with new ones, and claimed code between them
 *	claim.c	compare inserted code with its claim
 *	prove.c	execute inserted code
 *	given.c	what routines must be given by it
 *	flow.c	control flow of the old code
 *	follow.c	what is stated where blocks begin, in one pass over a function
 *	endless.c	functions that never return
 *	changes.c	registers that calls of functions change
 *	live.c	liveness where code was inserted
 *	sums.c	sums of a code address and a number
 *	sizes.c	code whose length is a number
 *	words.c		jump tables of words with relocations
 *	scaled.c	jump tables without relocations; their new forms: scaled_check.c
 *	values.c	what registers hold that make the targets of jumps by these
 *	code.c	targets of references in code
 *	halves.c	which halves make an address of code
 *	map.c	what each counter counts, and which control runs it
 *	edges.c	the map's edges
 *	cells.c	descriptions of the counters and the map
 *	held.c	counters in registers
 *	base.c	registers with the high part of counters' addresses
 *	unwind.c	FDEs and exception tables
 *	rows.c	unwind rows, also for inserted code
 *	frames.c	the FDEs that these compare
 *	debug.c	debug information, with files of its own: debug.h
 *
 * x is an old offset, y a new one; a and b are the old and the new object.
 */
#ifndef LDX_VERIFY_STATE_H
#define LDX_VERIFY_STATE_H

#include "reloc/meta/eh.h"
#include "targets/target.h"
#include "verify/verify.h"

/* insn.kind of a raw byte, and of a no-op with a relocation */
enum { KIND_RAW = INSN_KINDS, KIND_CHANGED };

enum { NO_INSN = UINT32_MAX, FIELD = 4 }; /* FIELD: bytes of a relocated field of code */

/* What inserted code does: enum claim_kind, with CLAIM_HELD divided by enum hold. */
enum pattern_kind {
	PATTERN_COUNT,
	PATTERN_FORK, /* must be entered by falling through only */
	PATTERN_THREAD,
	PATTERN_SKIP,	/* jumps over inserted code */
	PATTERN_POISON, /* overwrites what is dead */
	PATTERN_BEGIN,	/* a register holds a counter from here */
	PATTERN_END,
	PATTERN_HELD,  /* changes a register that holds a counter: HOLD_FETCH, _DISTANCE, _DIVIDE */
	PATTERN_BASE,  /* only sets the register base - 1 */
	PATTERN_LEAVE, /* jumps to where the branch in front of the inserted code led */
	PATTERN_CALL,  /* does what a tool has asked for */
	PATTERN_RELAY, /* jumps to where branches led that lead there */
};

enum { PATTERN_BYTES = 1024, PATTERN_RELS = 24, PATTERN_MOVES = 128, PATTERN_LISTS = 1 << 14 };

/* Symbols of relocations of patterns: CODE_SYM + the label's number. */
enum { CODE_SYM = 0xc0000000, PATTERN_LABELS = 2 * CALL_ARGS };

/* Inserted code without its place and counter.  prove_pattern() sets proved to stack, and nstack.
 */
struct pattern {
	uint8_t kind;	  /* enum pattern_kind */
	uint8_t hold, by; /* enum hold, 0: none; as in struct claim */
	uint8_t reg;	  /* 1 + the register that holds the counter; 0: memory does */
	uint8_t base;	  /* as in struct claim */
	bool makes, plain;
	const struct tool_call *call; /* PATTERN_CALL */
	uint16_t asked;		      /* of that, as in struct claim */
	uint8_t result;		      /* the register, if there is such a predicate */
	/* of that: the instruction whose accesses are arguments; NULL: no argument is one */
	const struct section *of;
	/*
	 * By argument, [0] of the routine, [1] of the predicate: 1 + the number, among the labels
	 * of code in this code, of that whose address it is.
	 */
	uint8_t label[2][CALL_ARGS], nlabel;
	bool proved;		/* it does what is claimed */
	bool shared, by_thread; /* uses the counters of all threads; of the current one */
	regset need;		/* registers that it changes, so they must be dead */
	struct stack_move stack[PATTERN_MOVES];
	/*
	 * Threads find their counters by words: the first byte of this one's, of which the code
	 * itself says the last bits; with a base that is set elsewhere, in its page.  Else 0.
	 */
	uint64_t cell;
	uint32_t nstack, n, nrel;
	struct reloc rel[PATTERN_RELS]; /* offsets from the first byte; addends for counter 0 */
	const struct pattern *next;	/* with the same hash */
	uint8_t bytes[PATTERN_BYTES];	/* n of them */
};

/*
 * Old instructions from first up to the next run's first, which keep their order.  Real ones are in
 * new [start, end), no-ops in [end, stop); stop is the start of a run, or the section's end.
 */
struct vrun {
	uint32_t first;
	uint32_t start, end, stop; /* new */
};

/*
 * A code section.  Its instructions are insn[first .. first + n); lo and hi have
 * n + 1 elements, one for each instruction and one for the section's end.
 * No-ops are not matched one by one: those in front of an instruction share its lo
 * and hi.  A reference to an old instruction may lead to any boundary in [lo, hi].
 */
struct vtext {
	const struct section *a, *b;
	uint32_t first, n;
	struct vrun *run;    /* in the old order */
	struct vrun **order; /* in the new one */
	uint32_t nrun;
	uint32_t *lo;	    /* end of the last instruction before it that is no no-op, new */
	uint32_t *hi;	    /* the instruction itself, new */
	uint64_t *bound;    /* new offsets where an instruction or inserted code begins */
	uint64_t *start;    /* old offsets where functions begin, by their symbols */
	uint64_t *named;    /* old offsets of symbols of functions, and of global untyped symbols */
	uint64_t *ends;	    /* old offsets where functions end, by their symbols */
	uint64_t *called;   /* old offsets of the targets of calls */
	uint64_t *replaced; /* old offsets of functions that lead to routines; NULL: none do */
	uint64_t *loose;    /* old offsets behind functions, or of symbols of other types */
	uint64_t *raw;	    /* as start, of functions with bytes that are no instructions */
	uint8_t *used;	    /* new relocations that belong to inserted code */
	bool broken;	    /* alignment failed: not checked any further */
	uint8_t rigid;	    /* 1 + is_rigid(); 0: not computed yet */
};

struct vsite {
	uint32_t text, insn, at; /* insn: NO_INSN at the section's end; at: new offset */
	uint32_t end;
	int64_t counter; /* PATTERN_COUNT, _BEGIN, _END: offset from __ldx_counters */
	uint32_t to;	 /* PATTERN_SKIP: its target, new; _LEAVE, _RELAY: by its distance */
	const struct pattern *pattern;
};

struct vrelay {
	uint32_t text, at, to;
};

/* What a counter counts, as the static map says; offsets are old ones of text. */
enum vcount_kind {
	COUNTS_NOTHING,
	COUNTS_BLOCK, /* from to end */
	COUNTS_FUNC,  /* the entries of the function at from */
	COUNTS_EDGE,  /* the edge from the block that ends at end to the one at from, by a branch */
	COUNTS_FALL,  /* the same, by falling through */
	COUNTS_TABLE, /* the same, by the entries of a jump table */
	COUNTS_CALLS, /* no count: what calls the function at from, and nothing else, comes there */
	COUNTS_LEAVE, /* the edge out of the function by the branch that ends at end, and at from */
};

struct vcount {
	uint8_t kind;
	bool counted; /* has a counter of its own */
	bool by_next; /* LDX_BLOCK_NEXT */
	bool shared;  /* COUNTS_TABLE: control comes to from by other jumps or from outside, too */
	bool asked;   /* no counter, but what a tool asked for */
	int8_t step;  /* each count changes the induction variable by 2^(step - 1); < 0: down */
	uint32_t text, from, end;
};

/* In front of insn, behind the code inserted there, register reg holds a counter. */
struct vheld {
	uint32_t text, insn;
	uint8_t reg;	 /* 1 + its number */
	uint8_t by;	 /* 1 + the induction variable's that counts instead; 0: reg counts */
	int64_t counter; /* as in struct vsite */
};

/* A direct branch or call within the object. */
enum vbranch_sure {
	VBRANCH_SURE,
	VBRANCH_PREEMPTED, /* or to a definition in another module */
	VBRANCH_CHOSEN,	   /* to the result of the STT_GNU_IFUNC resolver there */
};

struct vbranch {
	uint32_t insn, target;
	uint8_t sure; /* enum vbranch_sure */
};

/* A function whose entries are the sum of these counters, of blocks that end in calls of it. */
struct vcalled {
	uint32_t insn; /* its first */
	VEC(uint64_t) counter;
};

/* Control comes to new offset y, in front of insn. */
struct varrival {
	uint32_t insn, y;
	uint32_t by; /* a jump or branch; NO_INSN: perhaps from anywhere */
};

typedef VEC(struct varrival) varrival_vec;

/* An exception raised by the instructions in [from, to] leads to pad; all are insn numbers. */
struct vpad {
	uint32_t from, to, pad;
};

typedef VEC(struct vpad) vpad_vec;

/* A place in a section. */
struct vbase {
	uint32_t sec;
	uint64_t off;
};

/* A jump table of scaled distances: see scaled.c. */
struct vscaled {
	uint32_t text, jump;
	uint32_t page, name, load, anchor, sum; /* instructions */
	struct vbase table;
	uint64_t base;
	uint32_t n;
	int scale;	       /* of the entries */
	uint8_t size, extends; /* bytes of an entry, and of it that the sum extends; 0: all */
	bool sext;
	bool closed; /* the number of entries is by where the table ends */
	bool proved; /* it is stated that its jump always uses it */
};

/* A table of words, as it is stated: see words.c. */
enum vword_kind { WORD_DISTANCE, WORD_GOT, WORD_POINTER };
struct vtable {
	struct vbase at;
	uint32_t n, base;   /* words; its number in verify.base */
	uint32_t first;	    /* where words that lead to code begin, from `at' on */
	uint8_t kind, size; /* of its words: enum vword_kind; bytes */
};

/* An indirect jump by the table with that number. */
struct vjump {
	uint32_t insn, table;
};

/* The insn that may jump by a table; NO_INSN: code outside of its function may. */
struct vuser {
	struct vbase table;
	uint32_t jump;
};

struct verify {
	struct arena arena;
	struct object *a, *b;
	const struct target *target;
	struct decoder *decoder;
	FILE *report;
	struct verify_options opt;
	uint32_t *pair;	   /* old section -> new section, 0: dropped */
	uint32_t *old;	   /* new section -> old section, 0: new */
	uint32_t *text_of; /* old section -> text + 1 */
	VEC(struct vtext) text;
	VEC(struct insn) insn;	  /* of all texts */
	VEC(struct vsite) site;	  /* by text and offset */
	VEC(struct vrelay) relay; /* sites of PATTERN_RELAY, by text and new offset */
	VEC(struct vbranch) branch;
	VEC(struct vbranch) fork; /* insns that may make a process; target: their text */
	claim_vec claim;	  /* by section and offset */
	const struct pattern *pattern[PATTERN_LISTS]; /* by a hash */
	VEC(uint32_t)
	by_table;		 /* targets of indirect jumps, by the map's edges */
	VEC(struct symbol) name; /* symbols of code, by section and value */
	bool checks;		 /* functions where threads may start must have a PATTERN_THREAD */
	VEC(struct vcalled) called;
	VEC(struct vcount) count;   /* by number of the counter */
	VEC(struct vcount) asked;   /* by number of opt.calls: the places */
	varrival_vec *arrival;	    /* NULL: no code relies on a base register */
	VEC(struct vheld) held;	    /* sorted */
	uint64_t *holds;	    /* insns in held; by insn number */
	uint64_t *told_held;	    /* by insn number: in blocks that are held by the map */
	uint64_t *begins;	    /* by insn number: the first ones of its blocks */
	uint64_t *told_entry;	    /* of these, the entries by the map */
	VEC(struct vuser) user;	    /* by table */
	VEC(struct vscaled) scaled; /* by jump */
	VEC(struct vtable) table;   /* by place */
	VEC(struct vjump) jump;	    /* by insn */
	struct pairs *pairs;	    /* of halves: see halves.c */
	uint64_t *scaled_part;	    /* their loads, sums and anchors */
	uint64_t *scaled_load;	    /* their loads */
	bool alone;		    /* nothing else counts while an increment is executed */
	uint32_t tables;	    /* symbol of b: new tables; 0: none */
	uint32_t counters, mapped, forked, poisoned, row; /* symbols of b; 0: none */
	uint64_t row_at;	/* the farthest from the thread pointer that row may begin */
	uint32_t row_words;	/* the number of words there */
	uint32_t map;		/* the static map's section in b; 0: none */
	uint32_t cell;		/* bytes of a counter; 1: they are marks */
	VEC(struct vbase) base; /* places in data that code refers to, sorted */

	/* for the report */
	uint64_t failures, unproved;
	uint64_t nbranch, noperand, nreloc, nsymbol, ntable, nfde, nrow, nmoved, nsite_call, nlsda;
	uint64_t ninserted, ndata, ninsn, nskipped;
	uint64_t nline, nentry, nrange, nlost;
};

/* A reader of a section of object o. */
static inline struct reader section_reader(const struct object *o, const struct section *s,
	uint64_t size)
{
	struct reader r = reader_make(s->data, size);
	r.big = o->big;
	return r;
}

static inline uint64_t read_word(struct reader *r, unsigned size)
{
	return size == 8 ? read_u64(r) : read_u32(r);
}

static inline bool bit_get(const uint64_t *s, uint64_t i)
{
	return s[i >> 6] >> (i & 63) & 1;
}

static inline void bit_clear(uint64_t *s, uint64_t i)
{
	s[i >> 6] &= ~((uint64_t)1 << (i & 63));
}

static inline void bit_set(uint64_t *s, uint64_t i)
{
	s[i >> 6] |= (uint64_t)1 << (i & 63);
}

static inline bool is_call(const struct insn *in)
{
	return in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
}

/* A no-op that the rewriter may add or drop. */
static inline bool is_padding(const struct insn *in)
{
	return in->kind == INSN_NOP && !(in->flags & INSN_LANDING);
}

static inline bool is_conditional(const struct insn *in)
{
	return in->kind == INSN_BRANCH || in->kind == INSN_XBEGIN;
}

static inline bool is_none(const struct verify *v, const struct reloc *r)
{
	return v->target->reloc_info(r->type)->role == ROLE_NONE;
}

static inline struct vtext *text_at(const struct verify *v, uint32_t sec)
{
	uint32_t t = sec < v->a->sec.n ? v->text_of[sec] : 0;
	return t ? &v->text.v[t - 1] : NULL;
}

/* A message about x of section s (fail.c); it is shown if it is one of the first MAX_SHOWN. */
enum { MAX_SHOWN = 20 };
void vfail(struct verify *v, const struct section *s, uint64_t x, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
