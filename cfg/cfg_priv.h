/* SPDX-License-Identifier: Apache-2.0 */
/* cfg_priv.h - shared by the files of cfg/ only */
#ifndef LDX_CFG_PRIV_H
#define LDX_CFG_PRIV_H

#include "cfg/flow.h"
#include "cfg/refs.h"

/* How a label is referred to: this decides where control may come from. */
enum label {
	LABEL_BRANCH, /* a branch of its own function */
	LABEL_PAD,    /* an unwind table, or a branch into the instruction before */
	LABEL_ENTRY,  /* a symbol or a call */
	LABEL_TAKEN,  /* code or data that takes its address: indirect jumps and calls */
};
void cfg_label(struct cfg *g, uint32_t sec, uint64_t off, enum label how); /* by any thread */
/* False: that is no more than was held. */
bool cfg_hold(struct code_section *c, struct lump lump);
void cfg_opaque_section(struct code_section *c, enum opaque why, uint64_t off); /* in one piece */
void cfg_opaque(struct func *f, enum opaque why, uint64_t off); /* the first reason stays */
/* Does a piece that was found hold f? */
bool is_held(const struct cfg *g, uint32_t f);
/*
 * Does p hold function f?  No-ops are held with the code on both sides: control that comes to them
 * falls into the code behind them.
 */
bool lump_holds(const struct cfg *g, const struct code_section *c, const struct lump *p,
	uint32_t f);

/*
 * Reasons that threads find in parallel.  The first one is kept, so they are queued:
 * make_opaque() calls cfg_hold() or cfg_opaque() for each in order, and frees the queue.
 */
struct opaque_part {
	bool func;
	uint32_t number; /* of the function or the text section */
	struct lump lump;
};
typedef VEC(struct opaque_part) opaque_parts;
void list_lump(opaque_parts *v, uint32_t text, struct lump lump);
void list_opaque_section(opaque_parts *v, uint32_t text, enum opaque why, uint64_t off);
void list_opaque_func(opaque_parts *v, uint32_t func, enum opaque why, uint64_t off);
void make_opaque(struct cfg *g, opaque_parts *v);

bool block_continues(const struct block *b); /* control may fall through its end */
/*
 * exclusive.c: mark instructions between load-exclusives and their stores as INSN_GLUED.  After
 * check_relocs().
 */
void glue_exclusives(struct cfg *g, const struct code_section *c, opaque_parts *v);
/* parts.c: the first of two instructions that together load a register does not read it. */
void join_load_parts(struct cfg *g, const struct code_section *c);
/*
 * List as opaque the functions that may use a part of an address that two instructions make
 * together (target.join) for more than that.
 */
void list_shared_parts(const struct cfg *g, const struct code_section *c, opaque_parts *v);
/*
 * By block, CSR, the blocks that control comes from by branches and by falling through.
 * The caller frees both.
 */
void find_preds(const struct cfg *g, uint32_t **first, uint32_t **pred);
typedef VEC(uint32_t) block_vec;

/* returns.c: may the dynamic linker bind references to s to a definition in another object? */
bool is_preemptible(const struct symbol *s);

/*
 * callee.c: which sections are from a static C library?  Is a function from one?  Is s defined by
 * the C library, shared or static?
 */
void find_libc(struct cfg *g);
bool in_libc(const struct cfg *g, uint32_t func);
bool is_libcs(const struct cfg *g, const struct symbol *s);
/* Is s loaded, and not from a static C library?  Unwind tables refer to all code; they do not
 * count. */
bool may_refer(const struct cfg *g, const struct section *s);

/* The union of bits[symbol] over all symbols that sections of may_refer() refer to. */
unsigned referred_bits(const struct cfg *g, const uint8_t *bits);
/* May unknown code call f, by its address or from outside by its name?  After cfg_liveness(). */
bool called_from_anywhere(const struct cfg *g, const struct func *f);
/* Is the address of a label inside f taken?  Then the indirect jumps of f may lead there. */
bool has_inner_label(const struct cfg *g, const struct func *f);

/* callee.c: what the standards say of a function with this name; the same if s is that function */
enum callee callee_by_name(const char *name);
enum callee callee_by_symbol(const struct cfg *g, const struct symbol *s);
/*
 * Is it one of the compiler's functions for operations that the CPU does not have (gccint, "The GCC
 * low-level runtime library"), not for stacks in parts?
 */
bool is_helper(const struct cfg *g, const struct symbol *s);
/*
 * A function of the C library that accesses memory at arguments at, bits 0 to 2, of so many bytes
 * as the product of arguments count; 0: it finds out how many.  NULL: another function.
 */
struct accessor {
	const char *name;
	uint8_t at, count;
};
const struct accessor *callee_accesses(const char *name);
bool name_is_harmless(const char *name); /* names.c: it makes no thread and no process */
/*
 * installs.c: marks the functions that the program installs as signal handlers.  kind, by
 * symbol: NAME_*.  The reason: why it may install others too.
 */
struct reason cfg_handlers(const struct cfg *g, const uint8_t *kind, uint8_t *handler);
/* Is the second argument of the C library's function of this name a handler, or a struct with one?
 */
bool handler_in_address(const char *name);
bool handler_in_struct(const char *name);
/*
 * context.c: may one of these handlers, by function, change the context that it returns to?  By its
 * third argument; or because a function reached from it, but in the C library, finds it on the
 * stack.
 */
struct reason uses_context(const struct cfg *g, const uint8_t *handler);
struct reason finds_context(const struct cfg *g, const uint8_t *handler, const uint8_t *reached);
/* May function s of a library call functions of the program?  libc: it is the C library's. */
bool calls_back(const struct cfg *g, const struct symbol *s, bool libc);
/* May the program install handlers by a system call instruction? */
bool cfg_syscalls_install(const struct cfg *g);
/*
 * The kinds, NAME_*, of the functions that the program may look up by dlsym(3): of those whose
 * names are in functions that call it.  kind: by symbol.
 */
unsigned looked_up_kinds(const struct cfg *g, const uint8_t *kind);
/* Does the program only call the functions of which kind, by symbol, has a bit of which? */
bool names_only_called(const struct cfg *g, const uint8_t *kind, unsigned which);
/* The constant number that the call of syscall(2) at the end of block bl passes; false: unknown. */
bool call_number(const struct cfg *g, const struct block *bl, int64_t *nr);
/* Is name in the sorted array list? */
bool name_listed(const char *name, const char *const *list, size_t n);
#define IS_ONE_OF(name, list) name_listed(name, list, sizeof list / sizeof *list)

/* weights.c: estimate the frequencies of the blocks and edges of w */
void flow_weights(struct flow *w);

/*
 * loops.c; blocks are numbered from 0.  May control that leaves the function at the end of block b
 * come back behind it, although there is no edge?
 */
bool flow_comes_back(const struct flow *w, uint32_t b);
void flow_loops(struct flow *w); /* fills in loop and order */
/* Turns probabilities in edge.freq (of EDGE_IN: frequencies) into frequencies of blocks. */
void flow_spread(struct flow *w);

/* regions.c: where functions and other regions may start, and decoding */

/* An offset where a function or another region may start. */
struct mark {
	uint64_t off, end; /* end: of a sized function; else off */
	uint32_t sym;
	uint8_t rank; /* of several marks at one offset the highest gives the name */
};
enum { RANK_END, RANK_CALL, RANK_OBJECT, RANK_NOTYPE, RANK_FUNC };
typedef VEC(struct mark) mark_vec;

/* Marks by text section, in CSR form: those of section c are v[first[c]..first[c + 1]). */
struct marks {
	mark_vec v;
	uint32_t *first;
};

/*
 * Symbols cut a section into regions.  A region is code when a function symbol or an
 * unwind entry says so, or when code branches, calls or falls into it.  Any other
 * region may be data, and its branches are not followed.
 */
struct region {
	uint64_t off;
	bool code;
	bool data; /* certainly not code: an object, read as data, undecodable */
};
typedef VEC(uint32_t) region_vec;
struct regions {
	VEC(struct region) v;
	uint32_t *first; /* by text, CSR */
	region_vec work; /* code that regions_spread() is to scan */
};

void marks_collect(struct cfg *g, struct marks *m);
void cfg_foreign(struct cfg *g, const struct marks *m);
void list_numbered_funcs(const struct cfg *g, opaque_parts *v);
int mark_cmp(const void *a, const void *b); /* by offset, highest rank first; for sort() */
offset_set hard_starts(struct cfg *g, const struct code_section *c, const struct mark *m, size_t n);
/*
 * Decode all sections.  hard, by section: offsets where decoding starts afresh; bad: where it
 * found no instruction.
 */
void decode_sections(struct cfg *g, const offset_set *hard, mark_vec *bad);
uint32_t region_at(const struct regions *rs, uint32_t text, uint64_t off);
void regions_cut(struct cfg *g, struct regions *rs, uint32_t text, const struct mark *m, size_t n,
	const uint64_t *hard);
/* From unwind tables: landing pads are labels, functions are code. */
void regions_unwind(struct cfg *g, struct regions *rs);
/* Scan all code: its targets are labels, and the regions that hold them are code too. */
void regions_spread(struct cfg *g, struct regions *rs);
void regions_unproved(struct cfg *g, const struct regions *rs, uint32_t text);
enum block_end end_of(const struct insn *in);
unsigned symbol_rank(const struct target *t, const struct symbol *s);

/* labels.c: leaders, entries and taken addresses of all sections */
void label_sections(struct cfg *g); /* by relocations */
void label_probes(struct cfg *g, const struct section *s);
void label_insn(struct cfg *g, struct code_section *c, uint32_t i, const struct ref *r);
void resolve_labels(struct cfg *g, struct code_section *c);
bool is_metadata(const struct section *s);

/* tables.c: found when code is decoded, proved when blocks are cut */

/* An address in data that an instruction refers to. */
struct point {
	uint32_t sec;
	uint64_t off;
	uint32_t text;
	uint64_t insn_off;
};
typedef VEC(struct point) point_vec;
void collect_points(const struct cfg *g, point_vec *pts); /* sorted */
void tables_find(struct cfg *g);
void tables_prove(struct cfg *g);
/* The first index in g->table_ref of an instruction at or behind off of code section code. */
size_t table_ref_from(const struct cfg *g, uint32_t code, uint64_t off);
/* The relative table whose base the instruction at off of code section code names, or NO_TABLE. */
enum { NO_TABLE = UINT32_MAX };
uint32_t relative_table_at(const struct cfg *g, uint32_t code, uint64_t off);
/* Does a word of the table lead to block b? */
bool table_leads_to(const struct cfg *g, uint32_t table, uint32_t b);
/* The indices of instructions of f: from *first to the returned one. */
size_t func_table_refs(const struct cfg *g, const struct func *f, size_t *first);

/*
 * jumps.c: classify the indirect jumps of all functions.  A computed jump makes its function
 * opaque; the block of a jump that uses a table ends in END_TABLE from here, and is in
 * g->table_jump if it is known which one.  uses, by function: whether it has such a jump.
 */
void jumps_judge(struct cfg *g, bool *uses);

/*
 * noreturn.c: does block bl end in a call of a function that never returns: a library function, by
 * the standards, or after find_noreturn() one of the object?
 */
bool never_returns(const struct cfg *g, const struct block *bl);
void find_noreturn(struct cfg *g);

/*
 * calls.c: the registers that the call, or the jump out of the function, at the end of block bl may
 * read and change, by the psABI or by the code of the functions that it leads to.
 *
 * hazard: register kept over a call.
 */
struct call_use {
	regset reads, changes;
};
struct call_use call_use(const struct cfg *g, const struct block *bl);

/* Finds the functions that may be given a static chain.  first: of find_preds(). */
void chain_find(struct cfg *g, const uint32_t *first);
/* The static chain, if a call or jump to block b, or (NO_BLOCK) to any, may pass one. */
regset chain_passed(const struct cfg *g, uint32_t b);

/* sums.c: what a number is added to, and what the sum may be, stays together */
void sums_find(struct cfg *g);

/* opaque.c: each looks for one reason, at one section */
void list_opaque_at(const struct cfg *g, const struct code_section *c, uint64_t off,
	enum opaque why, opaque_parts *v);
/* Is off reached otherwise than by its address?  *r caches what was found of one function. */
struct reached {
	uint32_t func; /* or NO_FUNC */
	VEC(bool) block;
};
bool control_reaches(const struct cfg *g, const struct code_section *t, uint64_t off,
	struct reached *r);
void list_data_references(const struct cfg *g, const struct code_section *c, opaque_parts *v);
void list_kept_funcs(const struct cfg *g, const struct code_section *c, opaque_parts *v);
void list_computing_links(const struct cfg *g, const struct code_section *c, opaque_parts *v);
void list_labels_inside(const struct cfg *g, const struct code_section *c, opaque_parts *v);
void check_relocs(const struct cfg *g, struct code_section *c, opaque_parts *v);
void hold_lumps(struct cfg *g, struct code_section *c);

#endif
