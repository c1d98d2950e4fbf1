/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priv.h - what the files of the verifier share
 *
 *	verify.c	sections, symbols, data; the order of the passes
 *	runs.c	functions in another order
 *	align.c	match old instructions with new ones, and claimed code between them
 *	claim.c	compare inserted code with its claim
 *	prove.c	execute inserted code
 *	flow.c	control flow of the old code
 *	endless.c	functions that never return
 *	live.c	liveness where code was inserted
 *	sums.c	sums of a code address and a number
 *	sizes.c	code whose length is a number
 *	scaled.c	jump tables without relocations
 *	code.c	targets of references in code
 *	halves.c	which halves make an address of code
 *	map.c	what each counter counts, and which control runs it
 *	edges.c	the map's edges
 *	cells.c	descriptions of the counters and the map
 *	held.c	counters in registers
 *	base.c	registers with the high part of counters' addresses
 *	unwind.c	FDEs and exception tables
 *	rows.c	unwind rows, also for inserted code
 *	debug.c	debug information, with files of its own: debug.h
 *
 * x is an old offset, y a new one; a and b are the old and the new object.
 */
#ifndef LDX_VERIFY_PRIV_H
#define LDX_VERIFY_PRIV_H

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
enum { PATTERN_BYTES = 512, PATTERN_RELS = 16, PATTERN_MOVES = 64 };

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
	uint32_t nstack, n, nrel;
	uint8_t bytes[PATTERN_BYTES];
	struct reloc rel[PATTERN_RELS]; /* offsets from the first byte; addends for counter 0 */
	const struct pattern *next;	/* with the same hash */
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
};
int vbase_cmp(const void *a, const void *b); /* for sort() */

/* Old and new offset of a unit of a debug section. */
struct vunit {
	uint32_t sec; /* old */
	uint64_t old, new;
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
	VEC(struct vbranch) fork;	    /* insns that may make a process; target: their text */
	claim_vec claim;		    /* by section and offset */
	const struct pattern *pattern[256]; /* by a hash */
	VEC(uint32_t)
	by_table;		  /* targets of indirect jumps, by the map's edges */
	VEC(struct symbol) name;  /* symbols of code, by section and value */
	bool checks;		  /* functions where threads may start must have a PATTERN_THREAD */
	VEC(struct vcount) count; /* by number of the counter */
	VEC(struct vcount) asked; /* by number of opt.calls: the places */
	varrival_vec *arrival;	  /* NULL: no code relies on a base register */
	VEC(struct vheld) held;	  /* sorted */
	uint64_t *holds;	  /* insns in held; by insn number */
	uint32_t by;		  /* the insn whose target same_place() judges, or NO_INSN */
	bool leads_nowhere;	  /* same_place() judges a reference by which no control comes */
	bool by_entry;		  /* same_place() judges a possible entry of a jump table */
	uint32_t by_jump;	  /* the same: the only jump by that table, or NO_INSN */
	VEC(struct vuser) user;	  /* by table */
	VEC(struct vscaled) scaled; /* by jump */
	struct pairs *pairs;	    /* of halves: see halves.c */
	uint64_t *scaled_part;	    /* their loads, sums and anchors */
	uint64_t *scaled_load;	    /* their loads */
	bool alone;		    /* nothing else counts while an increment is executed */
	uint32_t tables;	    /* symbol of b: new tables; 0: none */
	uint32_t counters, mapped, forked, poisoned; /* symbols of b; 0: none */
	uint32_t map;				     /* the static map's section in b; 0: none */
	uint32_t cell;				     /* bytes of a counter; 1: they are marks */
	VEC(struct vunit) unit; /* line tables, and units of sections whose size changed; sorted */
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

void vfail(struct verify *v, const struct section *s, uint64_t x, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

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

/* Number of the instruction that covers x; first + n at the section's end. */
uint32_t insn_at(const struct verify *v, const struct vtext *t, uint64_t x);

/* The branch whose code sites in front of insn k end in PATTERN_LEAVE; NO_INSN: there is none. */
uint32_t leaving_branch(const struct verify *v, const struct vtext *t, uint32_t k);

/* How a reference uses a place in code. */
enum use {
	USE_ENTER,  /* a call, or its address is taken */
	USE_BRANCH, /* a branch within the function, a table's entry, or a landing pad */
	USE_ROW,    /* start of what debug information describes */
	USE_READ,   /* the very instruction: its bytes may be read */
	USE_END,    /* end of a range */
	USE_PAST,   /* end of a scope, which may include code inserted behind it for falling through
		     */
};
/* Does y in new section b stand for x in old section a?  Any two sections. */
bool same_place(const struct verify *v, uint32_t a, uint64_t x, uint32_t b, uint64_t y,
	enum use use);

/* Section and offset of S + A + adj; false: not in the object. */
bool place_of(const struct object *o, const struct reloc *r, int64_t adj, uint32_t *sec,
	uint64_t *off);
/* Does an old instruction begin at x, or the section end there? */
bool is_boundary(const struct verify *v, uint32_t sec, uint64_t x);
/* The place in data that relocation r of code refers to. */
bool data_named(const struct verify *v, const struct reloc *r, struct vbase *base);
/* The same, if the data may hold tables of relocated words. */
bool refers_to(const struct verify *v, const struct reloc *r, struct vbase *base);
/* The last place in data section s at or before off that code refers to: a table's base. */
bool table_base(const struct verify *v, const struct section *s, uint64_t off, uint64_t *base);

/* The table of a jump: its address, and the distance of the only word that is used, or -1. */
struct vtable {
	struct vbase at;
	int64_t word;
};
/*
 * jumps.c: the table whose words indirect jump `jump' leads to, if the instructions from `from' on,
 * where nothing but the first is led to, compute its target from such a word.
 */
bool find_vtable(const struct verify *v, const struct vtext *t, uint32_t from, uint32_t jump,
	struct vtable *table);
/* The only jump by this table, as far as the map was read; NO_INSN: there may be several. */
uint32_t jump_by(const struct verify *v, struct vbase table);
/* A cursor over the words of a table that may be used. */
struct vwords {
	struct vtable table;
	uint64_t x;   /* the next word, */
	uint32_t rel; /* and its relocation */
};
struct vwords vtable_words(const struct verify *v, const struct vtable *table);
/* The next one's target, in code; false: there is none in front of the next place referred to. */
bool vtable_next(const struct verify *v, struct vwords *w, uint32_t *sec, uint64_t *to);
/* The target of the word at the cursor, if the table goes on there.  False: not in code. */
bool vtable_word(const struct verify *v, const struct vwords *w, uint32_t *sec, uint64_t *to);

/* Find the runs of all decoded texts. */
void verify_runs(struct verify *v);
/* Does a run, other than the first, begin with insn k?  *before: its predecessor in old order. */
bool follows_run(const struct vtext *t, uint32_t k, const struct vrun **before);
/* The old start of the first run that begins behind old offset x; false: none does. */
bool run_behind(const struct verify *v, const struct vtext *t, uint64_t x, uint64_t *start);
/* Do the runs that begin inside of old [x, end) begin inside of new [y, nend), and no others? */
bool same_runs(const struct verify *v, uint32_t sec, uint64_t x, uint64_t end, uint64_t y,
	uint64_t nend);
/* New end of old instruction k, which is no no-op. */
uint32_t new_end(const struct vtext *t, uint32_t k);
/* The registers that the new form of branch k changes, and the old one does not. */
regset form_changes(const struct verify *v, const struct vtext *t, uint32_t k);

/* Decode and align all code. */
void verify_align(struct verify *v);

/*
 * Is q instruction in, with bytes p, in the form of its length whose label a relocation names
 * because it is far away?
 */
bool is_far_form(const struct target *t, const struct insn *in, const uint8_t *p, const uint8_t *q);

/* The jump tables of scaled distances in the old code; the one of this jump, or NULL. */
void find_scaled(struct verify *v);
const struct vscaled *scaled_at(const struct verify *v, uint32_t jump);
/* The instruction that entry k leads to; NO_INSN: the end of the section. */
uint32_t scaled_target(const struct verify *v, const struct vscaled *s, uint32_t k);
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
 * Is the new code at y instruction k, a load, in the form of LEN_OWN bytes that makes the address
 * of a new table, too?
 */
bool reads_own(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y);
/* If k has that form: the register that is changed besides. */
regset own_changes(const struct verify *v, const struct vtext *t, uint32_t k);
/* Are these the relocations that it has? */
bool has_own_relocs(const struct verify *v, const struct vtext *t, uint32_t k,
	const struct reloc *first, const struct reloc *second);
void verify_scaled(struct verify *v);

/* The target of an instruction's pc-relative field; rel: its relocation or NULL. */
bool insn_target(const struct verify *v, const struct vtext *t, const struct insn *in,
	const struct reloc *rel, uint32_t *sec, uint64_t *x);
/* The same of instruction k in the new code, where it is not longer. */
bool new_target(const struct verify *v, const struct vtext *t, uint32_t k, uint32_t *sec,
	uint64_t *y);
/* Is relocation r pc-relative? */
bool is_pc_relative(const struct verify *v, const struct reloc *r);
/* What the map says a counter counts; COUNTS_NOTHING if it is not in the map. */
const struct vcount *counted(const struct verify *v, int64_t counter);
/* What must run the code of a site, if that counts or calls a routine; else NULL. */
const struct vcount *site_count(const struct verify *v, const struct vsite *s);
/* Compute v->held; check its instructions, and the edges by which control falls through. */
void verify_held(struct verify *v);
/* Control that v->by leads to y, in front of insn k, is noted for verify_bases(). */
void note_arrival(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y);
/* Does each increment that relies on a base register find its base there?  After all others. */
void verify_bases(struct verify *v);
/* Does control that v->by leads to y, in front of insn k, arrive in k's state (held.c)? */
bool holds_well(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y);
/* The first instruction from k on that is no no-op. */
uint32_t behind_padding(const struct verify *v, const struct vtext *t, uint32_t k);
/* The first of the no-ops in front of k, or k. */
uint32_t before_padding(const struct verify *v, const struct vtext *t, uint32_t k);
/* May control fall through to insn k, perhaps over no-ops? */
bool falls_in(const struct verify *v, const struct vtext *t, uint32_t k);
/* The first site of insn k or of a later one. */
const struct vsite *first_site(const struct verify *v, uint32_t text, uint32_t k);
/* Is r, of an old section s, the first term of a difference from a place in s? */
bool is_difference(const struct verify *v, const struct section *s, const struct reloc *r);
/* Of an old relocation that names the instruction with the rest of an address: the one there. */
const struct reloc *whole_reloc(const struct verify *v, const struct reloc *r);
/* The relocation off bytes into in, or NULL. */
const struct reloc *insn_reloc(const struct vtext *t, const struct insn *in, unsigned off);
/* The relocation that says where indirect call or jump in leads, or NULL. */
const struct reloc *callee_of(const struct verify *v, const struct vtext *t, const struct insn *in);
/* The same of any call or jump in. */
const struct reloc *target_reloc(const struct verify *v, const struct vtext *t,
	const struct insn *in);
/* Does the code lead to a routine in place of a function? */
static inline bool leads_to_routine(const struct pattern *p)
{
	return p->call && p->call->does == DOES_LEAD;
}
/*
 * Relocation q, the successor of r, with the symbol that it had before a routine took the place of
 * that.  calls: control follows r.  Fails if it should have another symbol.
 */
const struct reloc *without_redirect(struct verify *v, const struct section *a,
	const struct reloc *r, const struct reloc *q, bool calls);
/* Insn k as a direct branch or call; as a jump or branch with VBRANCH_SURE; NULL if it is none. */
const struct vbranch *branch_at(const struct verify *v, uint32_t k);
const struct vbranch *branch_of(const struct verify *v, uint32_t k);
/* Did [from, to) move as one piece, with nothing inserted in it or in front of it? */
bool is_unmoved(const struct verify *v, const struct vtext *t, uint64_t from, uint64_t to);
/* Is the section unchanged in size and offsets (or broken)? */
bool is_rigid(struct verify *v, uint32_t text);
/* Find direct branches and calls; check liveness where code was inserted. */
void verify_branches(struct verify *v);
void verify_live(struct verify *v);
/* The header of static map s; false: it is too short. */
struct ldx_map_header;
bool read_map_header(const struct object *o, const struct section *s, struct ldx_map_header *h);
/* Read the static map; check that each counter has one place, and what falling through runs. */
void verify_map(struct verify *v);
/* Check .ldx.info and the symbols of the counters. */
void verify_cells(struct verify *v);
/* Does control that enters at y, in front of insn k, run the counters that the map has for it? */
bool runs_well(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y, enum use use);
/* A high or low half of an address, that does not say which other one belongs to it. */
static inline bool is_half(const struct verify *v, const struct reloc *r)
{
	const struct reloc_info *info = v->target->reloc_info(r->type);
	return v->target->half_reg && (info->high || info->low);
}
/* Is r the high half of an address, or of a page that the GOT has for a local symbol? */
bool is_high(const struct verify *v, const struct reloc *r);

/* Find the addresses of low halves of the old code; then (verify_halves()) check the new ones. */
void pair_halves(struct verify *v);
void note_half(struct verify *v, const struct vtext *t, const struct reloc *r,
	const struct reloc *q);
void verify_halves(struct verify *v);
void verify_code(struct verify *v);
/* Relocation r of data (or of data in text) against its successor q. */
/* Is the symbol of relocation q of the new object a label that the rewriter added? */
bool is_new_label(const struct verify *v, const struct reloc *q);
void verify_data_reloc(struct verify *v, const struct section *s, const struct reloc *r,
	const struct reloc *q);
void verify_unwind(struct verify *v);
void verify_debug_frame(struct verify *v);
/* All landing pads of the old code, by from and to. */
void find_pads(struct verify *v, vpad_vec *pads);

/* A cursor over sites that move the stack pointer, by offset. */
struct vmoving {
	const struct vsite *site, *last;
};
/* Those of the code from x of old section sec on whose code is in new [start, end). */
struct vmoving moving_sites(const struct verify *v, uint32_t sec, uint64_t x, uint64_t start,
	uint64_t end);
static inline bool moving_left(const struct vmoving *m)
{
	return m->site < m->last;
}
void moving_next(struct vmoving *m);

/* Compare the rows of FDE fa in section ea with those of fb in eb. */
void verify_rows(struct verify *v, const struct section *ea, const struct eh_fde *fa,
	const struct section *eb, const struct eh_fde *fb);
/* Is the section of a format that verify_debug() checks? */
bool is_debug_format(const struct section *s);
void verify_debug(struct verify *v);
bool same_bytes(const struct section *a, const struct section *b);
/* Are n bytes equal, but for the addends in fields, which are compared with relocations? */
bool same_range(const struct verify *v, const struct section *a, uint64_t from, uint64_t n,
	const struct section *b, uint64_t nfrom);
/* Are the relocations of [from, to) in a the same as those from nfrom on in b? */
bool same_relocs(const struct section *a, uint64_t from, uint64_t to, const struct section *b,
	uint64_t nfrom);

/* Execute p and set its effects; proved: they are what is claimed, and nothing else. */
void prove_pattern(struct verify *v, struct pattern *p);
/* Does r name a label of code, and not an entry of the GOT?  Then sets *sec and *off. */
bool label_of(const struct verify *v, const struct object *o, const struct reloc *r, int64_t adj,
	uint32_t *sec, uint64_t *off);

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

/* A table of addresses of instructions that are patched, or trap: each names that very one. */
bool lists_places(const struct section *s);

#endif
