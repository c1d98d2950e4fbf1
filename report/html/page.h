/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h - a profile as one HTML file
 *
 * page.html, page.css and the .js files are the page; its data is JSON, compressed by pack.h: an
 * item for each function (code.c), an item for each source file (files.c), and an index of all
 * (page.c), which the page reads first.
 */
#ifndef LDX_REPORT_HTML_PAGE_H
#define LDX_REPORT_HTML_PAGE_H

#include "base/base.h"
#include "report/figures/calls.h"
#include "report/figures/coverage.h"
#include "report/figures/figures.h"
#include "report/html/pack.h"
#include "report/figures/source.h"
#include "report/common/text.h"
#include "report/tool/session.h"

struct page_options {
	struct text_folders folders; /* of sources */
	bool without_source;
	bool executed;		     /* without the code of functions that were not executed */
	const struct run *old;	     /* to compare with; NULL: none */
	struct session *const *tool; /* tools that have run, whose tables are shown */
	size_t ntools;
};

void page_write(const struct run *run, const struct page_options *o, FILE *out);

/* Shared by the files that write the page. */

enum { PAGE_NONE = UINT32_MAX };

struct page_func {
	const struct program *p;
	const struct map_func *f;
	const char *name;    /* demangled */
	uint32_t file, line; /* where it is declared; PAGE_NONE, 0: not known */
	struct func_sum sum;
	double inclusive; /* see calls_inclusive() */
};

struct page_file {
	const char *path;
	const struct cover_file *cover; /* NULL: no code has lines of this file */
};

/* Instructions that were executed in code of a line. */
struct page_line {
	uint32_t file, number;
	uint32_t func; /* a function with such code */
	uint64_t insns;
};

/* An operation of the processor, by its mnemonic. */
struct opcode {
	const char *name;
	bool jumps, calls;    /* it jumps; it calls or returns */
	uint64_t code, count; /* how many there are, and how many were executed */
};

struct page {
	const struct run *run;
	const struct page_options *opt;
	struct pack pack;
	struct calls calls; /* by caller */
	struct inclusive inclusive;
	struct source **source; /* by object */
	uint32_t *by_callee;	/* calls of functions of the run, sorted by callee */
	uint32_t **func_of;	/* by object and number in the map: index in func, or PAGE_NONE */
	VEC(struct page_func) func; /* linked functions, by object as in the map */
	VEC(struct page_file) file;
	VEC(struct page_line) line;
	void *file_tree;
	struct strmap opcode_of; /* by name: its index in opcode */
	VEC(struct opcode *) opcode;
	struct coverage coverage;
	uint32_t code_from, files_from; /* chunks */
	bool executed_only;		/* it has no code of functions that were not executed */
};

/* The number of the file, which is added if it is new; PAGE_NONE for NULL and "". */
uint32_t page_file(struct page *g, const char *path);

/* code.c: an item for each function; fills line and opcode. */
void page_put_code(struct page *g);
/* files.c: an item for each file; line is sorted. */
void page_put_files(struct page *g);

#endif
