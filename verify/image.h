/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.h - sections of debug information as a linker joins them
 *
 * Both objects are laid out in the same way: a section and its successor are at one address, and
 * what is left undefined has an address, too.  Sections of one name are joined in the old order,
 * and their relocations applied, so that a reader of linked programs can read them.  An address in
 * them says which place of the object it is.
 */
#ifndef LDX_VERIFY_IMAGE_H
#define LDX_VERIFY_IMAGE_H

#include "verify/dwarf.h"
#include "verify/state.h"

enum age { OLD, NEW, AGES };

/* Where the sections of both objects are. */
struct addresses {
	const struct verify *v;
	uint64_t *base[AGES]; /* by section; of one that is not loaded, its offset in the image */
	VEC(struct laid {
		uint64_t base;
		uint32_t sec;
	})
	loaded;		    /* old sections, in ascending order */
	uint64_t gap;	    /* bytes between them */
	uint64_t undefined; /* the address of the first symbol that has none */
};

void addresses_make(struct addresses *l, const struct verify *v);
void addresses_free(struct addresses *l);

/* The place in a loaded section that has this address; false: none. */
bool addresses_place(const struct addresses *l, enum age age, uint64_t address, struct vbase *p);

/* All sections of one name that have a successor, on one age. */
struct image {
	const struct addresses *l;
	enum age age;
	struct dwarf_section s;
	uint8_t *data; /* malloc()ed */
	VEC(struct laid) part;
};

void image_make(struct image *m, const struct addresses *l, enum age age, const char *name);
void image_free(struct image *m);
/*
 * Copy bytes [from, to) of a section to out, with their relocations applied as if that were at an
 * address; 0: what is pc-relative counts from 0.
 */
void image_copy(const struct addresses *l, enum age age, const struct section *s, uint64_t from,
	uint64_t to, uint8_t *out, uint64_t address);

/* The place in the object of what is at off in the image. */
struct vbase image_place(const struct image *m, uint64_t off);

#endif
