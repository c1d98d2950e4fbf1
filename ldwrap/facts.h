/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.h - what a linked file is to the kernel, the dynamic loader, debuggers and other files
 *
 * A fact is a kind, a key and a value in words, all of which are the same in two links of the same
 * program, whatever code was inserted: no address, no size of code, no debug information.
 */
#ifndef LDX_LDWRAP_FACTS_H
#define LDX_LDWRAP_FACTS_H

#include "ldwrap/image.h"

enum fact_kind {
	FACT_HEADER,
	FACT_SEGMENT,
	FACT_DYNAMIC,	 /* an element of the dynamic section */
	FACT_DEFINITION, /* a version that the file defines */
	FACT_NEED,	 /* a version that it needs */
	FACT_SYMBOL,	 /* a dynamic symbol */
	FACT_RELOCATION, /* a dynamic relocation, but for those by the load address alone */
	FACT_RESOLVER,	 /* the function of an R_*_IRELATIVE */
	FACT_GLOBAL,	 /* a symbol of .symtab that is not local */
	FACT_LOCAL,
	FACT_INIT, /* an initialiser or finaliser */
	FACT_NOTE,
	FACT_SECTION,
	FACT_KINDS
};

struct fact {
	enum fact_kind kind;
	const char *key, *value; /* of the file, or of the arena */
};
typedef VEC(struct fact) fact_vec;

/* Names and values of symbols, of the dynamic linker's table or of .symtab. */
struct symbols {
	const uint8_t *p;
	uint64_t n;
	const char *names; /* size bytes, the last of them 0 */
	uint64_t size;
};

struct platform;
struct reading {
	struct arena *a;
	struct image im;
	const struct platform *on; /* NULL: not known */
	fact_vec facts;
	struct symbols table, dynamic;
	/* facts whose value is the name of the function at an address */
	VEC(struct unnamed {
		uint64_t addr;
		size_t fact;
		const char *name;
		int rank;
	})
	unnamed;
};

#define FACT_NAMELESS "(no name)" /* the value of a function that .symtab does not name */

/* Reads the facts of a file, each kind in the order of the file.  False: it is no ELF file. */
bool facts_read(struct arena *a, struct reading *r, const char *path);
void facts_free(struct reading *r);

/* Does the order of the facts of a kind matter? */
bool fact_ordered(enum fact_kind kind);

/* The parts of facts_read(), and what they share. */
void fact_add(struct reading *r, enum fact_kind kind, const char *key, const char *value);
void fact_add_function(struct reading *r, enum fact_kind kind, const char *key, uint64_t addr);
void facts_of_versions(struct reading *r);
void facts_of_symbols(struct reading *r);
void facts_of_relocations(struct reading *r);
void facts_of_sections(struct reading *r);
/* A section of debug information, which the reference lacks, or about the file itself? */
bool fact_is_debug(const char *name);
const char *fact_hex(struct arena *a, struct reader *r, uint64_t n); /* the next n bytes */
const char *fact_symbol_name(const struct reading *r, uint64_t i);   /* dynamic, with @version */

#endif
