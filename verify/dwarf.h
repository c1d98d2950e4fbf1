/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dwarf.h - a library's reader of debug information, as a table of functions
 *
 * It reads images: sections of one name, joined and with their relocations applied, as a linker
 * makes them (image.h).  Nothing that it reads is the rewriter's or the verifier's code.  The
 * reader is LLVM's, and in a module (ldwrap/dwarf.cpp).
 *
 * What a function fills in stays valid until it is called again.
 */
#ifndef LDX_VERIFY_DWARF_H
#define LDX_VERIFY_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Contents of a section; borrowed while the reader is open. */
struct dwarf_section {
	const char *name; /* ".debug_line" */
	const uint8_t *data;
	size_t size;
};

/* A row of a line table: all registers of the standard's state machine. */
struct dwarf_row {
	uint64_t address;
	uint32_t line, file, column, isa, discriminator, op;
	bool stmt, block, end, prologue_end, epilogue;
};

/* Offsets are into .debug_line: of the table, its program, and the next table. */
struct dwarf_lines {
	uint64_t start, body, end;
	size_t head; /* bytes of the length, with which the table begins */
	size_t n;
	size_t nfile; /* names of files, also of those that the program defines */
};

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A unit of .debug_info: its start, its first entry, and the next unit; head: bytes of its length.
 */
struct dwarf_unit {
	uint64_t start, body, end;
	size_t head;
	unsigned version;
};

/* What the value of an attribute is. */
enum dwarf_class {
	DWARF_OTHER, /* a string, flag, signature, or number of 16 bytes: x is nothing */
	DWARF_ADDRESS,
	DWARF_INDEXED, /* an address of the unit's table */
	DWARF_CONSTANT,
	DWARF_OFFSET,	 /* of another section than the following ones */
	DWARF_LINES,	 /* offset of a line table */
	DWARF_RANGES,	 /* offset of a list of ranges, */
	DWARF_LOCATIONS, /* of locations, */
	DWARF_VIEWS,	 /* of the view numbers of a list of locations */
	DWARF_ENTRY,	 /* offset of an entry of .debug_info */
	DWARF_BLOCK,	 /* bytes of data: an expression */
};

struct dwarf_value {
	uint32_t name, form; /* DW_AT_*, DW_FORM_* */
	enum dwarf_class kind;
	uint64_t off, end; /* of the field */
	uint64_t x;
	const uint8_t *data;
	size_t size;
};

/* tag 0: the end of a list of siblings. */
struct dwarf_entry {
	uint64_t off, end;
	uint32_t tag;
	bool children;
	size_t n;
	const struct dwarf_value *value;
};

/* A range of addresses, and of a location its expression. */
struct dwarf_range {
	uint64_t from, to;
	bool rest; /* the location for all other addresses */
	const uint8_t *data;
	size_t size;
};

/* A set of .debug_aranges for one unit, or a table of lists: its start, header's end, and end. */
struct dwarf_set {
	uint64_t start, body, end;
	size_t head;
	uint64_t unit; /* offset in .debug_info */
	size_t n;
	const struct dwarf_range *range;
};

/* An operation of an expression, up to end. */
struct dwarf_op {
	uint8_t code;
	uint8_t n;
	uint64_t operand[2];
	size_t end;
};

/* An FDE.  Of rows with the same rules, one behind the other, only the first is counted. */
struct dwarf_frame {
	uint64_t start, range;
	uint64_t table; /* address of its exception table, if has_table */
	bool has_table;
	bool signal;  /* it is of signal frames */
	bool set_loc; /* a row has an address of its own */
	size_t n;
};

struct dwarf_file;
struct dwarf_reader {
	struct dwarf_file *(
		*open)(const struct dwarf_section *s, size_t n, unsigned word, bool big);
	void (*close)(struct dwarf_file *d);

	/* The line table at off of .debug_line, and its rows.  False: it cannot be read. */
	bool (*lines)(struct dwarf_file *d, uint64_t off, struct dwarf_lines *lines);
	struct dwarf_row (*row)(const struct dwarf_file *d, size_t i);

	/* The number of units; false: not all can be read. */
	bool (*units)(struct dwarf_file *d, size_t *n);
	/* Unit i, of which entries are read next; false: it cannot be read. */
	bool (*unit)(struct dwarf_file *d, size_t i, struct dwarf_unit *u);
	/* The current unit's next entry. */
	bool (*entry)(struct dwarf_file *d, struct dwarf_entry *e);
	/* The list at off that an entry of the current unit refers to. */
	bool (*list)(struct dwarf_file *d, enum dwarf_class kind, uint64_t off,
		const struct dwarf_range **range, size_t *n);
	/* The table of lists at off of .debug_loclists or .debug_rnglists. */
	bool (*table)(struct dwarf_file *d, enum dwarf_class kind, uint64_t off,
		struct dwarf_set *s);
	/* The set at off of .debug_aranges. */
	bool (*aranges)(struct dwarf_file *d, uint64_t off, struct dwarf_set *s);
	/* The operations of an expression. */
	bool (*ops)(struct dwarf_file *d, const uint8_t *p, size_t size, const struct dwarf_op **op,
		size_t *n);

	/*
	 * The FDE in s, which holds its CIE and itself, as if they were at that address; triple: of
	 * the CPU.  s is .eh_frame or .debug_frame.
	 */
	bool (*frame)(struct dwarf_file *d, const struct dwarf_section *s, uint64_t address,
		const char *triple, struct dwarf_frame *f);
	/* The address of its row i. */
	uint64_t (*row_address)(const struct dwarf_file *d, size_t i);
	/*
	 * Has row k of b the rules of row i of a, when the stack pointer, of that DWARF number, is
	 * down bytes lower?
	 */
	bool (*same_rules)(const struct dwarf_file *a, size_t i, const struct dwarf_file *b,
		size_t k, unsigned stack, uint32_t down);
};
extern const struct dwarf_reader dwarf_reader; /* in the module */

#ifdef __cplusplus
}
#endif

#endif
