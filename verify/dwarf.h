/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dwarf.h - a library's reader of debug information, as a table of functions
 *
 * It reads images: sections of one name, joined and with their relocations applied, as a linker
 * makes them (image.h).  Nothing that it reads is the rewriter's or the verifier's code.  The reader
 * is LLVM's, and in a module (ldwrap/dwarf.cpp).
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

struct dwarf_file;
struct dwarf_reader {
	struct dwarf_file *(*open)(const struct dwarf_section *s, size_t n, unsigned word, bool big);
	void (*close)(struct dwarf_file *d);

	/* The line table at off of .debug_line, and its rows.  False: it cannot be read. */
	bool (*lines)(struct dwarf_file *d, uint64_t off, struct dwarf_lines *lines);
	struct dwarf_row (*row)(const struct dwarf_file *d, size_t i);
};
extern const struct dwarf_reader dwarf_reader; /* in the module */

#ifdef __cplusplus
}
#endif

#endif
