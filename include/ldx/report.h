/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldx/report.h - the part of a tool that shows what a program's runs counted
 *
 * It is a shared object that `ldxprof tool NAME PROG' loads, and defines ldx_report:
 *
 *	cc -shared -fPIC NAME.c $(pkg-config --cflags ldx-tool) -o NAME.so
 *
 * Most reports are tables that are only declared: ldxprof finds their rows and values, and writes
 * them as text, tab-separated values, JSON, or beside the source.  What cannot be declared is
 * computed by the tool's function, by walking the program (ldx/program.h).
 */
#ifndef LDX_REPORT_H
#define LDX_REPORT_H

#include <ldx/program.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LDX_REPORT_VERSION 2

/* What a table has a row for.  Columns that name it come by themselves. */
enum ldx_rows {
	LDX_ROWS_ADDED, /* what the tool's function adds: ldx_add_row() */
	LDX_ROW_TOTAL,	/* a single row for all code */
	LDX_ROWS_OBJECTS,
	LDX_ROWS_FUNCTIONS,
	LDX_ROWS_LINES, /* of the source; code that was inlined is where it was written */
	LDX_ROWS_BLOCKS,
	LDX_ROWS_INSNS,
	LDX_ROWS_CALLS, /* call sites: calls, and jumps to other functions */
	LDX_ROWS_KEYS,	/* instructions with the same key, such as their mnemonic */
};

enum ldx_column_kind {
	/* sums over the instructions of a row */
	LDX_EXECUTED, /* how often they were executed; of a call site: its calls */
	LDX_BLOCKS,   /* the same of blocks: each counts at its first instruction */
	LDX_ENTRIES,  /* entries of functions: each counts at the function's first instruction */
	LDX_CODE,     /* how many there are in the code */
	LDX_SUM,      /* of value(i), each time that an instruction is executed */
	/* of the first instruction of a row */
	LDX_FACT, /* value(i), which may be LDX_UNKNOWN */
	LDX_NAME, /* text(i), which may be NULL */
	/* computed from other columns, which are numbers */
	LDX_SHARE, /* column a as a part of its sum over all rows */
	LDX_RATIO, /* column a divided by column b */
	LDX_BAR,   /* column a, drawn; neither in tab-separated values nor in JSON */
	/* of rows that are added */
	LDX_NUMBER,
	LDX_TEXT,
	LDX_ADDRESS, /* a number in hexadecimal */
	LDX_LABEL,   /* a number that is not added up in the last row */
};

struct ldx_column {
	const char *name; /* one word */
	enum ldx_column_kind kind;
	unsigned classes; /* not 0: only instructions of any of these: LDX_CLASS_* */
	uint64_t (*value)(const ldx_insn *i);
	const char *(*text)(const ldx_insn *i);
	unsigned a, b; /* numbers of columns of this table, from 0 */
};

#define LDX_UNSORTED UINT32_MAX

struct ldx_table {
	const char *name;  /* one word */
	const char *title; /* a line; or NULL */
	enum ldx_rows rows;
	const struct ldx_column *columns; /* the last one has no name */
	unsigned sort;	/* the column whose greatest value is shown first, or LDX_UNSORTED */
	unsigned total; /* not 0: text has a last row with the sums of all */
	/* LDX_ROWS_KEYS: the key of an instruction (NULL: it is in no row), and what keys are. */
	const char *(*key)(const ldx_insn *i);
	const char *key_name;
};

struct ldx_report {
	uint32_t version; /* LDX_REPORT_VERSION */
	const char *name;
	const char *summary;		       /* a line, lower case, no full stop */
	const struct ldx_option *options;      /* the last one has no name; or NULL */
	const struct ldx_table *const *tables; /* in the order in which they are shown, then NULL */
	void (*run)(void);		       /* called before tables are shown; or NULL */
	/*
	 * Of a variable with LDX_THREAD_BY(tool): merge the copy `from' of a thread or process with
	 * those before it, which are in `to', both of n words.  Their order is not known.
	 */
	void (*merge)(const char *variable, uint64_t *to, const uint64_t *from, size_t n);
};

/* Each tool defines this. */
extern LDX_API const struct ldx_report ldx_report;

/* For run(). */

/* A value of a row: a text, or a number, which may be LDX_UNKNOWN. */
struct ldx_value {
	uint64_t number;
	const char *text;
};

/*
 * The data of the tool in the object: a variable of its routines (ldx/analysis.h), as
 * *n words of 64 bits, each merged over all threads and processes by its rule.  NULL: there is
 * none. Of a table, entries with the same keys are one, entries without sums are left out, and all
 * but the first are sorted by their keys: there may be more or fewer than the variable has room
 * for.
 */
LDX_API const uint64_t *ldx_variable(const ldx_object *o, const char *name, size_t *n);

/*
 * Where the function is in the file of the object, in which addresses are as nm(1) shows them:
 * those of a process differ by a constant if the object is position-independent, so a tool stores
 * their distances from a known function.  The function that has code at an address, and the block
 * whose code begins there, or behind it if it was inserted; NULL: there is none.
 */
LDX_API uint64_t ldx_func_start(const ldx_func *f);
LDX_API const ldx_func *ldx_func_at(const ldx_object *o, uint64_t address);
LDX_API const ldx_block *ldx_block_at(const ldx_object *o, uint64_t address);

/* The block with this ldx_block_id(); NULL: the linker has removed it, or there is none. */
LDX_API const ldx_block *ldx_find_block(const ldx_object *o, uint32_t id);

/* FILE:LINE of ldx_insn_line(); NULL: it is not known. */
LDX_API const char *ldx_insn_place(const ldx_insn *i);

/* Add a row to a table of LDX_ROWS_ADDED; values of columns that are computed are ignored. */
LDX_API void ldx_add_row(const struct ldx_table *t, const struct ldx_value *values);

/* Print in front of the tables, as printf(3); nothing if the format is not text. */
LDX_API void ldx_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif

#endif
