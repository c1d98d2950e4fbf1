/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inputs.h - kinds and contents of input files: objects, archives, scripts
 */
#ifndef LDX_LDWRAP_INPUTS_H
#define LDX_LDWRAP_INPUTS_H

#include "ldwrap/elf_form.h"

typedef VEC(const char *) strings;

/* inputs.c: what the input files are ------------------------------------ */

enum file_kind {
	KIND_NONE, /* cannot be read */
	KIND_REL,  /* ELF: relocatable, */
	KIND_DYN,  /* shared, */
	KIND_ELF,  /* other */
	KIND_ARCHIVE,
	KIND_BITCODE,
	KIND_OTHER, /* a linker script, or data */
};

enum {
	TRAIT_GCC_LTO = 1, /* gcc's intermediate code, alone or beside machine code */
	TRAIT_SPLIT_STACK = 2,
	TRAIT_ZDEBUG = 4,	/* .zdebug_*, which LLD does not read any more */
	TRAIT_LARGE_COMMON = 8, /* SHN_X86_64_LCOMMON, which LLD does not know */
	TRAIT_BITCODE = 16,	/* LLVM's intermediate code */
	TRAIT_VERSIONS = 32,	/* NAME and NAME@@VERSION, at two places */
};

struct bytes {
	const uint8_t *p;
	size_t n;
};

enum file_kind file_kind(const char *path);
enum file_kind bytes_kind(struct bytes b);
bool file_map(const char *path, struct bytes *b); /* false: errno says why */
void file_unmap(struct bytes b);
bool bytes_write(int fd, struct bytes b);	   /* likewise */
bool file_write(const char *path, struct bytes b); /* likewise */

/* e_machine; 0 if it is no ELF file of a known form. */
uint16_t elf_machine(struct bytes b, struct elf_form *f);

/* TRAIT_* of a relocatable object or of bitcode; damaged ones have fewer. */
unsigned object_traits(struct bytes b);
bool object_defines(struct bytes b, const char *symbol); /* as LLD prints its name */

enum section_kind {
	SECTION_OTHER, /* not loaded, empty, or one that a combining link may merge with others */
	SECTION_CODE,
	SECTION_DATA,
	SECTION_KINDS,
};

enum section_kind section_kind(const char *name, uint32_t type, uint64_t flags, uint64_t size);

/*
 * Calls fn for each section of an object that is not SECTION_OTHER.  signature is that of its
 * COMDAT group; NULL: it is in none.  False: the object is damaged.
 */
struct input_section {
	enum section_kind kind;
	const char *name, *signature;
	uint64_t size;
};
bool object_sections(struct bytes b, void (*fn)(void *ctx, const struct input_section *s),
	void *ctx);

/*
 * Gives a section of an ELF file another name of the same length (or the same name, to see whether
 * it exists).  False: there is no such section.
 */
bool section_rename(const char *path, const char *from, const char *to);

/* The part behind the last slash. */
const char *base_name(const char *path);

/* crt1.o, crtbegin.o and the like, which are not rewritten. */
bool is_crt_file(const char *path);

/* convert.c: changes of objects before they are joined ---------------------------- */

/*
 * Appends an object to to, in which sections compressed in GNU's old format (.zdebug_*) are in the
 * gABI's, SHF_COMPRESSED.
 */
void object_renew(struct buf *to, struct bytes b);

/* Makes the symbols a relocatable object defines hidden, in place. */
void object_hide(uint8_t *p, size_t n);
/* Those of a file with other names than these; false: it cannot be changed. */
bool object_hide_but(const char *path, const struct strmap *names);

/* Makes its COMDAT groups, of which links have one of each name, plain ones, in place. */
void object_part_groups(uint8_t *p, size_t n);
bool object_has_groups(struct bytes b);

/* Adds the names to which an object refers and which it does not define.  They are a's. */
void object_references(struct bytes b, struct arena *a, strings *names);

/* Does it refer to one of the names, which it does not define? */
bool object_refers_to(struct bytes b, const strings *names);

/*
 * --wrap, as GNU ld and gold understand it: in the object that b ends in, undefined references to
 * NAME become references to __wrap_NAME.  (References to __real_NAME are left to the last link.)
 */
void object_wrap(struct buf *b, const strings *names);

/*
 * Writes an object to another file, in which a symbol that it refers to has another name, and the
 * visibility of its definition.  False: it cannot.
 */
bool object_refer(const char *path, const char *name, const char *as, const char *to);

/*
 * LLD takes a definition of NAME@@VERSION for one of NAME, and so loses one where the object
 * defines NAME elsewhere, mostly as that of an older version.  object_part_versions() gives such
 * symbols other names, in place, and object_join_versions() restores these in a file; false: it
 * cannot be written.  all: another object may define NAME too.
 */
bool object_has_versions(struct bytes b, bool all);
void object_part_versions(uint8_t *p, size_t n, bool all);
bool object_join_versions(const char *path);

/*
 * Large common symbols (psABI for x86-64, 4.2: SHN_X86_64_LCOMMON) become common ones, in place;
 * their names are added to found.  object_large_commons() makes those of a file large again; false:
 * it cannot be written.
 */
void object_small_commons(struct arena *a, uint8_t *p, size_t n, strings *found);
bool object_has_large_commons(struct bytes b);
bool object_large_commons(const char *path, const strings *names);

/*
 * Applies the relocations of a type, of fields that hold an address of 4 bytes, to hidden symbols
 * that are absolute, in a file of 64 bits: these are ldx's.  False: it cannot.
 */
bool object_bind(const char *path, uint32_t type);

/* archive.c: members of regular and thin archives ------------------------ */

struct member {
	const char *name;  /* as linkers trace it */
	struct bytes data; /* in the mapped archive, or the file that a thin one names */
	bool taken;
	uint32_t next; /* 1 + the number of the next member with this base name; 0: none */
};
struct namesakes {
	uint32_t first; /* 1 + the number of a member, in front of which all are taken */
	uint32_t n;	/* how many there are */
};
struct archive {
	const char *path;
	struct bytes file; /* mapped */
	bool thin;
	VEC(struct member) members;
	struct strmap names;	    /* base name -> 1 + its index in same */
	VEC(struct namesakes) same; /* members of one base name */
};

/*
 * NULL: it is no archive or a damaged one.  Members of a thin archive whose file is missing have no
 * data.  Names are in a; members and data are valid until archive_free(), which accepts NULL.
 */
struct archive *archive_open(struct arena *a, const char *path);
void archive_free(struct archive *ar);

/* The file of a member of a thin archive, which is named relative to the archive's directory. */
const char *archive_thin_path(struct arena *a, const char *archive, const char *name);

/* An archive without a table of symbols, one member after the other.  False: errno says why. */
struct archive_out {
	int fd;
	uint64_t size;
};
bool archive_create(struct archive_out *o, const char *path);
bool archive_add(struct archive_out *o, const char *name, struct bytes data);
bool archive_close(struct archive_out *o);

/* script.c: linker scripts, with those that they include ------------------------- */

struct cmdline;

/*
 * Why the object files cannot be combined before a link with this script: it selects them by name.
 * NULL: they can.
 */
const char *script_problem(struct arena *a, const struct cmdline *c, const char *path);

/* Adds to found the values that the script assigns to symbols. */
void script_expressions(struct arena *a, const struct cmdline *c, const char *path, strings *found);

/*
 * For a link with the combined object: a script that names objects as inputs is written to copy
 * without them.  Returns copy, or path if the script names none.
 */
const char *script_without_objects(struct arena *a, const struct cmdline *c, const char *path,
	const char *copy);

#endif
