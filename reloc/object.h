/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.h - the combined relocatable object: sections, symbols, relocations
 *
 * Read from an ELF ET_REL file (gABI chapter 4), changed by the passes, written
 * back.  Section and symbol indices are the file's own and never change: a pass
 * may append, or mark a section as dropped, but not renumber.  Every index and
 * offset has been checked when object_read() returns, so no later pass needs to.
 */
#ifndef LDX_RELOC_OBJECT_H
#define LDX_RELOC_OBJECT_H

#include "base/base.h"
#include "reloc/claim.h"

#include <elf.h>

struct addrmap;

/*
 * A symbol's section where it has none; real indices are below these.  From SEC_PROC to
 * SEC_PROC_END they are those of the CPU's psABI, which stay as they are.
 */
enum {
	SEC_UNDEF = 0,
	SEC_PROC = 0xffff0000 | SHN_LOPROC,
	SEC_PROC_END = 0xffff0000 | SHN_HIPROC,
	SEC_ABS = 0xffff0000 | SHN_ABS,
	SEC_COMMON = 0xffff0000 | SHN_COMMON
};

/* The same whatever the file's class, byte order and kind of relocations. */
struct reloc {
	uint64_t off;	    /* of the field, in the section that holds it */
	uint32_t type : 24; /* R_<machine>_*; where a file composes several: the first in the low
			     * byte */
	uint32_t page : 8;  /* enum half_page */
	uint32_t sym;	    /* index into object.sym */
	int64_t addend;	    /* if it is in the field: since fix_check() */
};

/* The page, of 64 kB, of the address that a low half is of: the part that its high half has. */
enum half_page {
	PAGE_KNOWN,  /* it is in the addend */
	PAGE_SOUGHT, /* one of several high halves has it: cfg/halves.h finds which */
	PAGE_NONE,   /* nobody knows.  It is of data, which do not move */
	PAGE_STATED, /* the verifier is told: it is in the addend */
};

/* R_<machine>_NONE in every psABI: a relocation without a field. */
enum { R_NONE = 0, R_UNKNOWN = 0xffffff /* no psABI has this or a larger one */ };

struct symbol {
	const char *name;
	uint64_t value, size; /* value: offset in section sec */
	uint32_t sec;	      /* section index, or SEC_* */
	uint8_t info, other;  /* as in Elf64_Sym */
	bool entered;	      /* the program begins or ends there, whatever its type is */
};

static inline unsigned symbol_type(const struct symbol *s)
{
	return ELF64_ST_TYPE(s->info);
}
static inline unsigned symbol_bind(const struct symbol *s)
{
	return ELF64_ST_BIND(s->info);
}
/* Is it one that assemblers make for themselves, and that means nothing unless it is referred to?
 */
static inline bool symbol_is_temporary(const struct symbol *s)
{
	return symbol_bind(s) == STB_LOCAL && symbol_type(s) == STT_NOTYPE &&
		(!*s->name || !strncmp(s->name, ".L", 2));
}

/* How a relocation's value is computed from S, A and P. */
enum reloc_role {
	ROLE_NONE,   /* no address: *_NONE */
	ROLE_ABS,    /* S + A */
	ROLE_PCREL,  /* S + A - P */
	ROLE_PLT,    /* like PCREL, through a PLT entry if needed: calls */
	ROLE_GOT,    /* address of the GOT entry of S; the label is S, without A */
	ROLE_TLS,    /* thread-local: never code */
	ROLE_SIZE,   /* size of S */
	ROLE_BASE,   /* the GOT's or the image's own address, no symbol (GOTPC) */
	ROLE_GOTREL, /* S + A - GOT */
	ROLE_SUB,    /* minus S + A: see enum reloc_term */
	ROLE_PART,   /* S is the instruction whose relocation says the rest, wherever that is */
	ROLE_UNKNOWN,
};

/*
 * Relocations at one place that are the terms of a difference: S + A is stored, or added to what is
 * there, and S + A of the next one is subtracted.
 */
enum reloc_term { TERM_NONE, TERM_SET, TERM_ADD, TERM_SUB };

struct reloc_info {
	const char *name; /* "R_X86_64_PC32"; NULL: no such type */
	uint8_t size;	  /* bytes of the field, or of the instruction it is in; 0: none */
	enum reloc_role role;
	bool low;  /* a field of low bits of S + A: the rest is in a register that the instruction
		      reads */
	bool high; /* a field of high bits of S + A, or of its GOT entry, to which those of others
		      are added: see fix_check() */
	/*
	 * How the field of a relocation without an addend of its own holds it: as the low bits of
	 * those bytes, signed, without the last shift bits, which are 0.  bits 0: not at all.
	 * Of a term: the bits that hold the difference; 0: a ULEB128 number.
	 */
	uint8_t bits, shift;
	/*
	 * The first bit of the number of the register that the instruction with a high half puts it
	 * in, or with a low half adds it to; 0: halves have addends of their own.
	 */
	uint8_t reg_bit;
	bool callee;   /* no field: S is where the indirect call or jump leads */
	bool calls;    /* of a field that holds an address for calls only */
	bool entry;    /* the instruction finds the GOT by a register, and loads S + A from it if S
			  is global */
	bool composed; /* others apply to the same field, in the file's order */
	uint8_t term;  /* enum reloc_term */
	bool relax;    /* no field: the last link may delete bytes from here on */
	bool aligns;   /* these are no-ops, of addend bytes */
};

/* What a section was read as, before differences were put into it: see reloc/diff.h. */
struct as_read {
	const uint8_t *data;
	struct reloc *rel;
	uint32_t *order;
	uint32_t nrel;
};

struct section {
	const char *name;
	uint32_t index;
	uint32_t type;	/* SHT_* */
	uint64_t flags; /* SHF_* */
	uint64_t align, entsize;
	uint64_t at; /* where its contents were in the file */
	uint64_t size;
	uint32_t link, info; /* section or symbol indices, by type (gABI figure 4-12) */
	const uint8_t *data; /* size bytes; NULL when SHT_NOBITS or empty */

	/*
	 * The relocations that apply to this section, sorted by offset (stable:
	 * file order among equal offsets).  rela is the index of the SHT_RELA or
	 * SHT_REL section they came from, 0 if none.
	 */
	struct reloc *rel;
	uint32_t *order; /* their indices in the file's order; NULL: that is by offset */
	uint32_t nrel;
	uint32_t rela;
	const struct as_read *as_read; /* NULL: data and rel are that */

	bool relaxes;	 /* the last link may delete bytes of it: since fix_check() */
	uint32_t group;	 /* the SHT_GROUP section this is a member of, or 0 */
	bool dropped;	 /* not written; nothing kept may refer to it */
	const char *why; /* why it had to be dropped; NULL: nothing is lost with it */
	uint32_t nsplit; /* of .debug_info: units whose references to .dwo files were removed */

	/* Old offset -> new offset; NULL: unchanged. */
	struct addrmap *map;

	/*
	 * What is written when rewritten is set: contents (out; NULL when
	 * out_size is 0) and relocations with final offsets and addends, all
	 * borrowed.  Otherwise what was read.
	 */
	bool rewritten;
	uint8_t *out;
	uint64_t out_size;
	struct reloc *out_rel;
	uint32_t *out_order;
	uint32_t out_nrel;
	claim_vec claims; /* of inserted code, if wanted; malloc()ed */
};

static inline bool section_is_code(const struct section *s)
{
	return s->type == SHT_PROGBITS && (s->flags & SHF_ALLOC) && (s->flags & SHF_EXECINSTR);
}

/* Does it hold relocations? */
static inline bool section_is_rel(const struct section *s)
{
	return s->type == SHT_RELA || s->type == SHT_REL;
}

/* Is it read-only once it is relocated? */
static inline bool section_is_constant(const struct section *s)
{
	return !(s->flags & SHF_WRITE) || !strncmp(s->name, ".data.rel.ro", 12);
}

/* Does it hold contents of the program, as opposed to ELF's own tables? */
bool section_has_contents(const struct section *s);

typedef const struct reloc_info *reloc_info_fn(uint32_t type); /* NULL name: no such type */

/* Places of symbols of code, sorted; empty until object_has_label() is called. */
struct code_labels {
	VEC(struct code_label {
		uint32_t sec;
		uint64_t off;
	})
	v;
	bool known;
};

/*
 * Numbers of local symbols at new offsets begin here; their index in the file is known when it is
 * written.  Only relocations that are to be written have them.
 */
enum { LABEL_SYM = 0x80000000 };
/*
 * PLACE_SYM + a section's index, in relocations of inserted code only: the old offset addend of
 * that section; with PLACE_EXACT the very instruction there, else what its address leads to.
 */
enum { PLACE_SYM = 0x40000000, PLACE_EXACT = 0x20000000 };
#define LABEL_NAME ".Lldx"

/* Such a symbol; rank: how many precede it in the file. */
struct new_label {
	uint64_t off;
	uint32_t sec, rank;
};

struct term_types;
struct labels;

struct object {
	struct arena *arena;
	const char *path;
	uint16_t machine;	   /* EM_* */
	reloc_info_fn *reloc_info; /* its relocation types: fix_check() sets it */
	uint8_t word;		   /* bytes of an address: 4 (ELFCLASS32) or 8 (ELFCLASS64) */
	bool big;		   /* most significant byte first (ELFDATA2MSB) */
	bool halves;		   /* it has halves of addresses without addends of their own */
	bool type_bytes;	   /* r_info is not one number: see targets/relinfo.h */
	uint8_t osabi, abiversion;
	uint32_t eflags;
	uint64_t shoff;		 /* where the section headers were in the file */
	uint32_t nread;		 /* sections that were read */
	VEC(struct section) sec; /* [0] is the null section */
	VEC(uint32_t)
	part;				/* the first section of each part for parallel();
					 * at the end the number of sections read */
	VEC(struct symbol) sym;		/* [0] is the null symbol */
	uint32_t nlocal;		/* symbols below this index are local */
	struct code_labels *label;	/* of object_has_label() */
	struct labels *labels;		/* of object_label() */
	const struct term_types *terms; /* of differences; NULL: its CPU has none */
	const char **input;		/* by section: the user's file that it is from, or NULL:
					 * not known; NULL: not known for any */
	uint32_t symtab;		/* index of the SHT_SYMTAB section; 0: the file has none */
	uint32_t shstrtab;		/* index of the section that holds the sections' names */

	/* the file, kept mapped while the object lives */
	void *file;
	size_t file_size;
};

/*
 * Read a relocatable object.  fatal() with the section at fault when the file
 * is not a sound ET_REL.  Everything is borrowed from the mapped file or allocated in a.
 */
struct object *object_read(struct arena *a, const char *path);

/* The sizes of its section headers, symbols and relocations, and of the file's header. */
static inline size_t elf_file_size(const struct object *o)
{
	return o->word == 8 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}
static inline size_t elf_header_size(const struct object *o)
{
	return o->word == 8 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}
static inline size_t elf_symbol_size(const struct object *o)
{
	return o->word == 8 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}
static inline size_t elf_reloc_size(const struct object *o, bool rela)
{
	return (rela ? 3u : 2u) * o->word;
}

/* Append; name and contents are borrowed.  They return the new index. */
uint32_t object_add_section(struct object *o, const struct section *s);
uint32_t object_add_symbol(struct object *o, const struct symbol *s); /* a global one */

/*
 * The number of a local symbol at new offset off of section sec, which is added if there is none
 * yet.  Thread-safe.
 */
uint32_t object_label(const struct object *o, uint32_t sec, uint64_t off);

/*
 * These symbols, by their number - LABEL_SYM; *n: how many there are.  Sets their ranks, which do
 * not depend on the order in which they were added.  Not thread-safe.
 */
const struct new_label *object_labels(const struct object *o, uint32_t *n);

/*
 * Write the object with the sections' new contents, in the class, byte order and kind of
 * relocations that it was read in.  Where nothing has changed, the file is the same.  fatal() when
 * it cannot be written; it is then incomplete, and the caller's to remove.
 */
void object_write(struct object *o, const char *path);

/* The section a reloc's symbol is defined in, and the symbol's offset there; NULL if none. */
struct section *reloc_target(const struct object *o, const struct reloc *r, uint64_t *symoff);

/*
 * Is there a symbol of a function, or an untyped one, at this place?  The first call sorts the
 * symbols that exist then.  Not thread-safe.
 */
bool object_has_label(const struct object *o, uint32_t sec, uint64_t off);

/* Called by object_read(). */
struct labels *labels_new(struct arena *a);

/* Index of the first reloc of s at or after off; s->nrel if none. */
uint32_t section_first_reloc(const struct section *s, uint64_t off);

/*
 * Sort n relocations, which are in the file's order, by offset.  Returns their order in the file:
 * see section.order.
 */
uint32_t *relocs_sort(struct arena *a, struct reloc *v, uint32_t n);

/* Which of the combined files a section is from; find() is thread-safe. */
struct origins {
	/*
	 * The input file, by the user's name for it, of byte *off of section number sec; *off
	 * becomes the offset in that file's section.  NULL: not known.
	 */
	const char *(*find)(void *ctx, uint32_t sec, uint64_t *off);
	/*
	 * By section of the object: the file, as its user calls it, that it is from; NULL: not
	 * known.  Cheap.  NULL: not known for any code.
	 */
	const char **(*inputs)(void *ctx, const struct object *o);
	/* Is the file temporary, made for this link only, so that its name differs each time? */
	bool (*temporary)(void *ctx, const char *file);
	void *ctx;
	bool losses; /* reasons for dropped sections will be printed: see object_attempt() */
};

/*
 * Set the origins by which messages name places in the object that is read next; NULL, before that
 * object is freed, unsets them.
 */
void object_origins(const struct origins *from);
void object_is_read(const struct object *o); /* called by object_read() */

/*
 * attempt() at a step that o can do without.  As find() is slow, the message names input files only
 * if losses is set.
 */
const char *object_attempt(struct object *o, void (*fn)(void *arg), void *arg);

/* FILE:(SECTION+0xOFF), or without FILE: as linkers name it. */
const char *place_name(struct arena *a, const struct section *sec, uint64_t off);
/* FILE:(SECTION), likewise: the whole section. */
const char *section_name(struct arena *a, const struct section *sec);

/* fatal(), where it concerns byte off of a section, which is named by place_name(). */
_Noreturn void fatal_at(const struct section *sec, uint64_t off, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
