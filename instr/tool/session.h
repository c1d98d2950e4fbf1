/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - the tools of a link, and what they have asked for so far: for the files beside it */
#ifndef LDX_INSTR_TOOL_SESSION_H
#define LDX_INSTR_TOOL_SESSION_H

#include "ldx/tool.h"
#include "instr/edges.h"
#include "instr/tool/tool.h"

struct routine {
	const char *name;
	uint32_t sym; /* of the program's object; NO_SYMBOL: nothing calls it */
	uint64_t section, off, size;
	regset changes;	    /* without what the originals that it calls change */
	uint64_t originals; /* that it calls: bits by number in the tool's list */
	uint8_t rest;	    /* as in struct tool_call */
	bool vectors;	    /* LDX_VECTORS: it may change them */
	bool local;	    /* static */
	uint8_t landing;    /* bytes of the landing instruction that it begins with */
	/* It is short and straight: its code, and what that changes without a call; or NULL. */
	const struct tool_body *body;
	regset body_changes;
};

/* What a routine takes the place of, by the name that the tool's object has for it. */
struct original {
	const char *name; /* behind ORIGINAL */
	uint32_t sym; /* of the program's object, which names it; NO_SYMBOL: nothing replaces it */
};
#define ORIGINAL "ldx_original_"

/* A variable of a tool, in the cells behind the counters. */
struct variable {
	const char *name;
	uint64_t size;
	uint32_t symbol; /* of the tool's object */
	uint32_t sym;	 /* of the program's */
	uint64_t off;	 /* from the first of the tool's cells */
	bool process;	 /* the process has one copy */
	/* How copies of it are merged; of a table also how many words of an entry are what. */
	unsigned rule, keys, sums; /* LDX_RULE_* */
};

/* Bytes of all tools' data: a program of 2 GB must have room for them. */
#define DATA_MOST ((uint64_t)1 << 30)
/* The section with the bytes of arguments has this alignment. */
enum { DATA_ALIGN = 64 };

/* Why sites and requests were refused, and the function where the first one was; NULL: none. */
struct refusal {
	const char *why, *first;
	uint64_t n;
};

struct tool {
	const struct tool_use *use;
	void *handle;
	const struct ldx_tool *part; /* in the shared object */
	struct object *o;	     /* with its routines; NULL: it has none */
	VEC(struct routine) routine;
	VEC(struct variable) variable;
	VEC(struct variable) ordinary; /* those of the routines that have been asked for */
	VEC(struct original) original;
	VEC(struct refusal) refusal;
	uint64_t cells; /* of its data */
	uint64_t requests, bytes, pasted;
};

enum { NO_K = UINT32_MAX };

/*
 * In front of instruction k of a block; k is ninsn: behind it, where control falls through; NO_K:
 * on an edge.
 */
struct tool_site {
	uint32_t block, k;
	struct place at;
	uint32_t end;	/* of an edge: of the block's code, where it leaves */
	uint32_t to;	/* of an edge: the block that it leads to, or NO_BLOCK */
	struct way way; /* an edge's */
	bool entry;	/* of a function */
	bool lands;	/* begins with a landing instruction of its own */
	uint8_t passes; /* enum site_values */
	uint8_t event;	/* 1 + LDX_AT_*: at no place, but called by the runtime */
};
enum site_values { PASSES_ARGUMENTS = 1, PASSES_RESULT = 2 };

struct request {
	uint32_t site; /* of tools.site */
	uint32_t tool;
	struct tool_call call;
};

/* A call by the runtime: runtime/abi.h. */
struct event_call {
	unsigned event; /* LDX_AT_* */
	struct tool_call call;
};

/* A word of the data that is an address. */
struct data_word {
	size_t off;
	struct call_arg is;
};

/* Code from off on is of this line; file NULL: of none that is known. */
struct line_row {
	uint32_t sec, line;
	uint64_t off;
	const char *file;
};

struct tools {
	struct plan *p;
	struct cfg *g;
	const regset *kept; /* cfg_kept(); NULL: not asked for yet */
	struct tool *tool;
	size_t n, now; /* the tool that is running */
	VEC(struct tool_site) site;
	VEC(struct request) request; /* sorted by place when all tools have asked */
	VEC(struct event_call) event;
	uint32_t sym_events,
		sym_event; /* the table of these calls, and the function that reads it */
	uint64_t hooked;   /* bit n: what tells LDX_AT_* n is requested, or not needed */
	redirect_vec redirect;
	struct buf data;	    /* strings of arguments */
	VEC(struct data_word) word; /* in them */
	const bool *longer;	    /* by function: see ask.c; NULL: not asked for yet */
	bool *scaled; /* instructions that load from tables of scaled distances; or NULL */
	uint32_t sym_data;
	const char *refused;
	bool tries;	       /* sites that are only looked at: refusals are not noted */
	const struct func *at; /* the function that the running tool looked at last */
	uint32_t *number;      /* by block: its ldx_block_id() */
	struct flow flow;
	struct graph **graph;		   /* by function: made when first asked for */
	struct clock **clock;		   /* the same */
	const struct recursion *recursion; /* NULL: not asked for yet */
	const struct calls *calls;	   /* the same */
	const struct tree *tree;	   /* the same */
	struct disassembler *disassembler;
	VEC(struct line_row) line; /* sorted */
	bool has_lines;		   /* they have been read */
};

/* The tools that ask now: the functions of ldx/tool.h have no such argument. */
extern struct tools *asking;

/* The tool that asks now is wrong. */
_Noreturn void end_by_tool(const char *what);
_Noreturn void tool_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Reads the object with a tool's routines. */
void routines_read(struct tools *t, struct tool *tool);
/* The routine gets a body if it may be pasted: see paste.c. */
void body_read(const struct tools *t, const struct tool *tool, struct routine *r);
/* Of a call or jump itself, not of what is in its delay slot; NULL: it has none. */
const struct reloc *reloc_of_jump(const struct target *t, const struct section *s,
	const struct insn *in);
/*
 * The symbol of the program's object for one of the tool's; NO_SYMBOL: only the tool can name it,
 * as what is static.
 */
uint32_t tool_symbol(const struct tools *t, const struct tool *tool, uint32_t sym);
/* For what requests name and the verifier reads, when the arena of the object is gone. */
extern struct arena kept_calls;
const struct routine *routine_find(struct tools *t, struct tool *tool, const char *name);
const struct variable *variable_find(const struct tool *tool, const char *name);
/* One of the routines, without LDX_THREAD. */
const struct variable *ordinary_find(struct tools *t, struct tool *tool, const char *name);
/* How code without a routine addresses it, as if it were the first counter. */
struct counter_addressing variable_addressing(const struct tools *t, uint32_t sym);
struct counter_addressing ordinary_addressing(const struct tools *t, uint32_t sym);
/* What it changes, the originals that it calls included but for those in keep. */
regset routine_changes(const struct tools *t, const struct routine *r, uint64_t keep);
/* The name that the program's object has for something of the tool. */
const char *linked_name(const struct tools *t, const struct tool *tool, const char *name);
/* The original of that name in the tool's object; NULL: its routines do not call it. */
struct original *original_find(struct tool *tool, const char *name);
void routines_write(const struct tools *t, struct tool *tool);
void variables_define(const struct tools *t, const struct tool *tool, uint64_t cell);

/* For --ldx-stats. */
void note_refusal(const char *why);
/* No site: ldx_refused() says why. */
ldx_site site_refused(const char *why);
/* Why nothing is inserted in the function; NULL: it may be. */
const char *left_out(const struct func *f);
/* For ldx_at_block(). */
ldx_site site_in_block(uint32_t b);
/* In front of instruction k of block b, and where control falls through behind the block. */
ldx_site site_before(uint32_t b, uint32_t k, uint8_t passes);
ldx_site site_behind(uint32_t b, uint8_t passes);

/* Sets *out; returns why there is no such argument at this site, or NULL. */
const char *argument_convert(const struct tool_site *s, const ldx_arg *a, struct call_arg *out);
/* Is the argument one of an instruction? */
bool argument_of_insn(const ldx_arg *a);

/* A hidden symbol of another object in the last link. */
uint32_t outside_symbol(const struct tools *t, const char *name);

/* When all tools have asked: the table's symbol.  When sections are added: the table. */
void events_name(struct tools *t);
void events_write(const struct tools *t);
/* The relocations, two at most, of a word of a new section that is the distance to an argument. */
struct reloc *address_relocs(const struct tools *t, const uint32_t *symbol,
	const struct call_arg *a, uint32_t sec, uint64_t off, struct reloc *r);

/* Handles of ldx/program.h are pointers into the cfg. */
static inline const struct func *func_of(const ldx_func *f)
{
	return asking->at = (const struct func *)(const void *)f;
}
static inline const struct block *block_of(const ldx_block *b)
{
	const struct block *bl = (const struct block *)(const void *)b;
	asking->at = &asking->g->func.v[bl->func];
	return bl;
}
static inline const struct insn *insn_of(const ldx_insn *i)
{
	return (const struct insn *)(const void *)i;
}

static inline const struct edge *edge_of(const ldx_edge *e)
{
	return (const struct edge *)(const void *)e;
}
static inline const struct exit *exit_of(const ldx_exit *x)
{
	return (const struct exit *)(const void *)x;
}

static inline const ldx_func *func_handle(const struct func *f)
{
	return (const ldx_func *)(const void *)f;
}
static inline uint32_t func_number(const ldx_func *f)
{
	return (uint32_t)(func_of(f) - asking->g->func.v);
}
static inline uint32_t block_number(const ldx_block *b)
{
	return (uint32_t)(block_of(b) - asking->g->block.v);
}
/* NULL for NO_BLOCK. */
static inline const ldx_block *block_handle(uint32_t b)
{
	return b == NO_BLOCK ? NULL : (const ldx_block *)(const void *)&asking->g->block.v[b];
}

/* The number of the block that has an instruction, and its section. */
uint32_t block_with(const struct cfg *g, const struct insn *in);
const struct code_section *section_with(const struct insn *in);

#endif
