/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linkage.h - dynamic linkage: the words that the dynamic linker fills in, and exported functions
 */
#ifndef LDX_REPORT_LINKAGE_H
#define LDX_REPORT_LINKAGE_H

#include "report/read/program.h"

/* A word that the dynamic linker fills in. */
struct slot {
	uint64_t address;
	const char *name; /* the symbol whose address it gets; NULL: none */
	uint64_t value;	  /* of a relative relocation: the address in this object; else 0 */
};

/* A function to which other objects may be bound. */
struct export
{
	const char *name;
	uint64_t address;
};

struct linkage {
	struct slot *slot; /* by address */
	size_t nslots;
	struct export *export; /* by name */
	size_t nexports;
};

/* Empty if the object has no dynamic section.  Names point into the object. */
struct linkage linkage_read(const struct program *p);

const struct slot *linkage_slot(const struct linkage *l, uint64_t address); /* or NULL */
uint64_t linkage_export(const struct linkage *l, const char *name); /* its address; 0: none */

#endif
