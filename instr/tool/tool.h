/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.h - tools that users write, in the link: include/ldx/tool.h
 *
 * A tool's instrumentation part is loaded and run in this process; what it asks for is kept as
 * requests, each of which becomes an insertion when its part of the code is planned.  Its routines
 * are an object that the last link takes; a copy of it is made in which the tool's data are cells
 * behind the counters.
 */
#ifndef LDX_INSTR_TOOL_TOOL_H
#define LDX_INSTR_TOOL_TOOL_H

#include "instr/count/spot.h"
#include "instr/plan.h"
#include "runtime/abi.h"

/*
 * Loads the tools of the options and lets them ask; NULL: there are none.  Errors are fatal().
 * returns: as plan_addressing() has made it, or NULL.
 */
struct tools *tools_run(struct plan *p, struct cfg *g, const struct returns *returns);

/*
 * Registers that requests read, which are dead to the program perhaps, are live there from now on.
 */
void tools_want(const struct tools *t, struct cfg *g);

/* The cells behind the counters that the tools need for data, of 8 bytes each. */
uint64_t tools_cells(const struct tools *t);

/* Inserts what was asked for in code sections from first to end, excluding it. */
void tools_insert(struct tools *t, struct plan *p, uint32_t first, uint32_t end, live_vec *live);

/*
 * When the counters' symbols are defined: defines the variables of the tools, whose cells begin
 * behind the counters, and writes the objects with the routines, where the options say.
 */
void tools_write(struct tools *t);

/* When symbols have their new values: defines those by which routines call originals. */
void tools_define(struct tools *t);

/* Calls visit for each variable: at is its offset from the first cell, size its size, in bytes. */
typedef void visit_variable(void *ctx, const char *tool, const char *name, uint64_t at,
	uint64_t size);
void tools_variables(const struct tools *t, visit_variable *visit, void *ctx);

/* The rules of their cells, in this order: runtime/abi.h. */
typedef VEC(struct ldx_rule) rule_vec;
void tools_rules(const struct tools *t, rule_vec *to);

/* Appends what the routines are called with, by number of a claim, and redirections. */
void tools_calls(const struct tools *t, tool_call_vec *to, redirect_vec *redirects);

/* The symbol that reference r, in insn i or in none of section c, names from now on. */
uint32_t tools_symbol(const struct tools *t, const struct code_section *c, uint32_t i,
	const struct ref *r);
/* The function that the runtime tells of what happens to the process; 0: no tool wants to know. */
uint32_t tools_event_symbol(const struct tools *t);

/* For --ldx-stats. */
void tools_print(const struct tools *t, FILE *f);

void tools_free(struct tools *t);

#endif
