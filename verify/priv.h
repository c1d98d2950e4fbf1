/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priv.h - what the files of the verifier share
 *
 *	verify.c	sections, symbols, data; the order of the passes
 *	runs.c	functions in another order
 *	align.c	which old instruction is which new one; the code that is claimed stands between them
 *	claim.c	inserted code at its place, as it is claimed
 *	prove.c	what inserted code does
 *	flow.c	where control can go
 *	live.c	what is live where code was inserted
 *	sums.c	places that are found by a distance from code
 *	sizes.c	code whose length is a number
 *	code.c	where the references in code lead
 *	map.c	what each counter stands for, and what runs it
 *	edges.c	the map's edges
 *	cells.c	what the counters and the map are found by
 *	held.c	counters in registers
 *	unwind.c	.eh_frame and the exception tables
 *	rows.c	the rows of .eh_frame, also for inserted code
 *	debug.c	debug information, with files of its own: debug.h
 *
 * x is an old offset, y a new one; a and b are the old and the new object.
 */
#ifndef LDX_VERIFY_PRIV_H
#define LDX_VERIFY_PRIV_H

#include "reloc/meta/eh.h"
#include "targets/target.h"
#include "verify/verify.h"

/* insn.kind of a byte that is no instruction, and of a no-op that a relocation changes */
enum { KIND_RAW = INSN_KINDS, KIND_CHANGED };
enum { NO_INSN = UINT32_MAX };

/* What inserted code is for: as in struct claim, but what is done to held counters by its kind. */
enum pattern_kind {
	PATTERN_COUNT,
	PATTERN_FORK, /* may be entered from above only */
	PATTERN_THREAD,
	PATTERN_SKIP,	/* jumps over inserted code */
	PATTERN_POISON, /* overwrites what is dead */
	PATTERN_BEGIN,	/* a register holds a counter from here */
	PATTERN_END,
	PATTERN_HELD, /* something else is done to it */
};
enum { PATTERN_BYTES = 64, PATTERN_RELS = 4, PATTERN_MOVES = 8 };

/*
 * Inserted code, apart from where it is and which counter it is about: all that follows has been
 * found by executing it.
 */
struct pattern {
	uint8_t kind;		/* enum pattern_kind */
	uint8_t hold, by;	/* enum hold, 0: none; the other register, or the number */
	uint8_t reg;		/* 1 + the register that holds the counter; 0: memory does */
	bool proved;		/* it does what is claimed */
	bool shared, by_thread; /* where everybody's counters are; where each thread's are */
	regset need;		/* what it changes, and must be dead */
	struct stack_move stack[PATTERN_MOVES];
	uint32_t nstack, n, nrel;
	uint8_t bytes[PATTERN_BYTES];	/* relocated fields are 0 */
	struct reloc rel[PATTERN_RELS]; /* where from the first byte; addends from the counter's */
	const struct pattern *next;	/* of those with the same hash */
};

/*
 * Old instructions from first on, up to the next run's, that keep their order.  The last real one
 * ends at end, and no-ops are from there to stop, where another run begins, or the section ends.
 */
struct vrun {
	uint32_t first;
	uint32_t start, end, stop; /* new */
};

/*
 * A code section.  Its instructions are insn[first .. first + n); lo and hi have
 * n + 1 elements, one for each instruction and one for the section's end.
 * No-ops are not matched one by one: those in front of an instruction share its lo
 * and hi.  What led to an old instruction may lead to any boundary in [lo, hi].
 */
struct vtext {
	const struct section *a, *b;
	uint32_t first, n;
	struct vrun *run;    /* in the old order */
	struct vrun **order; /* in the new one */
	uint32_t nrun;
	uint32_t *lo;	  /* end of the instruction before (and before no-ops), new */
	uint32_t *hi;	  /* the instruction itself, new */
	uint64_t *bound;  /* new offsets where an instruction or inserted code begins */
	uint64_t *start;  /* old offsets where functions begin, by their symbols */
	uint64_t *named;  /* old offsets of symbols of functions, or that may be such */
	uint64_t *ends;	  /* old offsets where functions end, by their symbols */
	uint64_t *called; /* old offsets that calls lead to */
	uint64_t *loose;  /* old offsets behind functions, or of symbols of other types */
	uint64_t *raw;	  /* as start, of functions with bytes that are no instructions */
	uint8_t *used;	  /* new relocations that belong to inserted code */
	bool broken;	  /* not aligned: nothing more is said about it */
	uint8_t rigid;	  /* 1 + is_rigid(); 0: not asked yet */
};

struct vsite {
	uint32_t text, insn, at; /* insn: NO_INSN at the section's end; at: new offset */
	uint32_t end;
	int64_t counter; /* PATTERN_COUNT, _BEGIN, _END: offset from __ldx_counters */
	uint32_t to;	 /* PATTERN_SKIP: where it leads, new */
	const struct pattern *pattern;
};

/* What a counter counts, as the static map says; offsets are old ones of text. */
enum vcount_kind {
	COUNTS_NOTHING,
	COUNTS_BLOCK, /* from to end */
	COUNTS_FUNC,  /* the entries of the function at from */
	COUNTS_EDGE,  /* to from: of the block that ends at end */
	COUNTS_FALL,  /* the same, when control falls through */
	COUNTS_TABLE, /* the same, by the entries of a jump table */
};
struct vcount {
	uint8_t kind;
	bool counted; /* by a counter of its own */
	bool by_next; /* LDX_BLOCK_NEXT */
	int8_t step;  /* counted by steps of 2 to the power of step - 1; negative: down */
	uint32_t text, from, end;
};

/* In front of insn, but behind what is inserted there, register reg holds a counter. */
struct vheld {
	uint32_t text, insn;
	uint8_t reg;	 /* 1 + its number */
	uint8_t by;	 /* 1 + the one that counts in its stead; 0: reg itself */
	int64_t counter; /* as of vsite */
};

/* A direct branch or call within the object. */
enum vbranch_sure {
	VBRANCH_SURE,
	VBRANCH_PREEMPTED, /* leads there, or to a definition in another object */
	VBRANCH_CHOSEN,	   /* leads to what the function there chooses: STT_GNU_IFUNC */
};
struct vbranch {
	uint32_t insn, target;
	uint8_t sure; /* enum vbranch_sure */
};

/*
 * The instructions from..to lead to the landing pad, all insn numbers, if they raise an exception.
 */
struct vpad {
	uint32_t from, to, pad;
};
typedef VEC(struct vpad) vpad_vec;

/* A place in a section. */
struct vbase {
	uint32_t sec;
	uint64_t off;
};
int vbase_cmp(const void *a, const void *b); /* for sort() */

/* A unit of a debug section: where it began and begins. */
struct vunit {
	uint32_t sec; /* old */
	uint64_t old, new;
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
	VEC(struct insn) insn;	/* of all texts */
	VEC(struct vsite) site; /* by text and offset */
	VEC(struct vbranch) branch;
	claim_vec claim;		    /* by section and offset */
	const struct pattern *pattern[256]; /* by a hash */
	VEC(uint32_t)
	by_table; /* insns that the map says indirect jumps of their function lead to */
	VEC(struct symbol) name;  /* of places in code, by those */
	bool checks;		  /* new threads have to be looked at where they come in */
	VEC(struct vcount) count; /* by number of the counter */
	VEC(struct vheld) held;	  /* sorted */
	uint64_t *holds;	  /* insns in held; by insn number */
	uint32_t by;		  /* the insn that leads where same_place() is asked, or NO_INSN */
	bool by_entry;		  /* a word that may be an entry of a jump table does */
	uint32_t counters, mapped, forked, poisoned; /* symbols of b; 0: none */
	uint32_t map;				     /* the static map's section in b; 0: none */
	uint32_t cell;				     /* bytes of a counter; 1: they are marks */
	VEC(struct vunit) unit; /* line tables, and units where some have moved; sorted */
	VEC(struct vbase) base; /* places in data that code refers to, sorted */

	/* what the report tells */
	uint64_t failures, unproved;
	uint64_t nbranch, noperand, nreloc, nsymbol, ntable, nfde, nrow, nmoved, nsite_call, nlsda;
	uint64_t ninserted, ndata, ninsn, nskipped;
	uint64_t nline, nentry, nrange, nlost;
};

void vfail(struct verify *v, const struct section *s, uint64_t x, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static inline bool bit_get(const uint64_t *s, uint64_t i)
{
	return s[i >> 6] >> (i & 63) & 1;
}
static inline void bit_set(uint64_t *s, uint64_t i)
{
	s[i >> 6] |= (uint64_t)1 << (i & 63);
}

/* A no-op, which may come and go. */
static inline bool is_padding(const struct insn *in)
{
	return in->kind == INSN_NOP && !(in->flags & INSN_LANDING);
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

/* Number of the instruction that covers x; first + n at the section's end. */
uint32_t insn_at(const struct verify *v, const struct vtext *t, uint64_t x);

/* How something refers to code. */
enum use {
	USE_ENTER,  /* called, or an address stands for it */
	USE_BRANCH, /* control goes there from within a function, or by an unwinder */
	USE_ROW,    /* debug information describes what begins there */
	USE_READ,   /* the bytes there are read */
	USE_END,    /* something ends there */
	USE_PAST,   /* a scope ends there, perhaps with code that is run in falling out of it */
};
/* Does y in new section b stand for x in old section a?  Any two sections. */
bool same_place(const struct verify *v, uint32_t a, uint64_t x, uint32_t b, uint64_t y,
	enum use use);

/* Section and offset of S + A + adj; false: not in the object. */
bool place_of(const struct object *o, const struct reloc *r, int64_t adj, uint32_t *sec,
	uint64_t *off);
/* Does an old instruction begin at x, or the section end there? */
bool is_boundary(const struct verify *v, uint32_t sec, uint64_t x);
/* The place that relocation r of code refers to, in data that may hold tables. */
bool refers_to(const struct verify *v, const struct reloc *r, struct vbase *base);
/* The last place in data section s at or before off that code refers to: a table's base. */
bool table_base(const struct verify *v, const struct section *s, uint64_t off, uint64_t *base);

/* Find the runs of all texts, which are decoded. */
void verify_runs(struct verify *v);
/* Does a run begin with insn k?  Then *before is the one in front of it in the old order. */
bool follows_run(const struct vtext *t, uint32_t k, const struct vrun **before);
/* Where old instruction k ends now, which is no no-op. */
uint32_t new_end(const struct vtext *t, uint32_t k);

/* Decode and align all code. */
void verify_align(struct verify *v);

/* Where the pc-relative field of an instruction leads; rel: its relocation or NULL. */
bool insn_target(const struct verify *v, const struct vtext *t, const struct insn *in,
	const struct reloc *rel, uint32_t *sec, uint64_t *x);
/* What a counter counts, as the map says; one that it does not know counts nothing. */
const struct vcount *counted(const struct verify *v, int64_t counter);
/* The insns before which registers hold counters; then all that falls into them or out of them. */
void verify_held(struct verify *v);
/* Does what comes to y, in front of insn k, hold there what it should? */
bool holds_well(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y);
/* The instruction in front of which inserted code among the no-ops at k is run. */
uint32_t behind_padding(const struct verify *v, const struct vtext *t, uint32_t k);
/* The first of the no-ops in front of k, or k. */
uint32_t before_padding(const struct verify *v, const struct vtext *t, uint32_t k);
/* Control may come to insn k from the instruction in front of it and of no-ops. */
bool falls_in(const struct verify *v, const struct vtext *t, uint32_t k);
/* The first site in front of insn k or behind it. */
const struct vsite *first_site(const struct verify *v, uint32_t text, uint32_t k);
/* The relocation off bytes into in, or NULL. */
const struct reloc *insn_reloc(const struct vtext *t, const struct insn *in, unsigned off);
/* The direct branch or call that insn k is; where it branches to, if that is known; else NULL. */
const struct vbranch *branch_at(const struct verify *v, uint32_t k);
const struct vbranch *branch_of(const struct verify *v, uint32_t k);
/* Is the whole section as it was, or not aligned? */
bool is_rigid(struct verify *v, uint32_t text);
/* Direct branches and calls; what is live where code was inserted. */
void verify_branches(struct verify *v);
void verify_live(struct verify *v);
/* Read the static map; each counter of it has one place, and what falls in runs the right ones. */
void verify_map(struct verify *v);
/* What the runtime is told of the counters. */
void verify_cells(struct verify *v);
/* Does control that comes to y, in front of insn k, run the counters it should, and no others? */
bool runs_well(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y, enum use use);
void verify_code(struct verify *v);
/* Relocation r of data (or of data in text) against its successor q. */
void verify_data_reloc(struct verify *v, const struct section *s, const struct reloc *r,
	const struct reloc *q);
void verify_unwind(struct verify *v);
void verify_debug_frame(struct verify *v);
/* All landing pads of the old code, in the order of what leads there. */
void find_pads(struct verify *v, vpad_vec *pads);

/* Sites, in the order of their offsets, that move the stack pointer. */
struct vmoving {
	const struct vsite *site, *last;
};
/* Those in [start, end) of what stands at x of old section sec, and behind that. */
struct vmoving moving_sites(const struct verify *v, uint32_t sec, uint64_t x, uint64_t start,
	uint64_t end);
static inline bool moving_left(const struct vmoving *m)
{
	return m->site < m->last;
}
void moving_next(struct vmoving *m);

/* The rows of FDE fa in section ea against those of fb in eb. */
void verify_rows(struct verify *v, const struct section *ea, const struct eh_fde *fa,
	const struct section *eb, const struct eh_fde *fb);
/* Does a pass of verify_debug() understand this section, whatever its contents? */
bool is_debug_format(const struct section *s);
void verify_debug(struct verify *v);
bool same_bytes(const struct section *a, const struct section *b);
/* [from, to) of a and what begins at nfrom in b: the same relocations? */
bool same_relocs(const struct section *a, uint64_t from, uint64_t to, const struct section *b,
	uint64_t nfrom);

/* Execute p, and set what it does; proved: that is what is claimed, and nothing else. */
void prove_pattern(struct verify *v, struct pattern *p);

/* A place in the new code of a text, and what is claimed from there on. */
struct claims {
	struct verify *v;
	const struct vtext *t;
	uint32_t text;
	const struct claim *next, *end;
	uint32_t rel; /* the next relocation */
};
struct claims claims_of(struct verify *v, uint32_t text);
/*
 * The code that is claimed next, in front of insn: set *site.  False: it is not what is claimed.
 * *landing: it is one, and no site.
 */
bool take_claim(struct claims *c, uint32_t insn, struct vsite *site, bool *landing);

#endif
