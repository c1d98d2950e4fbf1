/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfa.h - call-frame programs (DWARF 5, section 6.4)
 *
 * Private to the codecs of the unwind tables.
 */
#ifndef LDX_RELOC_META_CFA_H
#define LDX_RELOC_META_CFA_H

#include "reloc/meta/recode.h"

/* The program of an FDE.  Offsets are into the section that holds it, or into code. */
struct cfa {
	const struct section *place; /* the section that holds the program */
	bool big;		     /* its byte order */
	const struct section *code;
	uint64_t start;		     /* of the code */
	uint64_t new_start, new_end; /* of the code after layout */
	uint64_t code_align;
	int64_t data_align;
	uint64_t first, first_end; /* the CIE's instructions */
	uint8_t enc;		   /* of DW_CFA_set_loc's operand */
};

/*
 * Append instructions [from, to) of the open input, without padding at their end:
 * the same rows after layout, and rows for inserted code that moves the stack pointer.
 */
void cfa_recode(struct recode *rc, const struct cfa *c, uint64_t from, uint64_t to);

/* What cfa.c and cfa_stack.c share -------------------------------------- */

enum {
	CFA_ADVANCE = 0x40, /* the high two bits; the low six are the operand */
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_HIGH = 0xc0,
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_ADVANCE8 = 0x1d, /* DW_CFA_MIPS_advance_loc8 */
	CFA_GNU_OFFSET_EXTENDED = 0x2f,
};

/* One instruction. */
struct cfi {
	uint8_t op; /* without an operand in its low bits */
	uint64_t at, end;
	uint64_t arg[2]; /* signed ones as two's complement; a block: where its length is */
};
/* The next instruction; false at the end, or when r is bad. */
bool cfi_read(struct reader *r, const struct cfa *c, struct cfi *i);

/* The expressions of a row's rules: of registers with smaller numbers, and of the CFA. */
enum { CFI_REGS = 128, CFI_CFA = CFI_REGS, CFI_RULES };

/* What a row must record to be written for another stack pointer. */
struct cfi_row {
	uint64_t reg; /* the CFA, unless it has an expression */
	int64_t off;
	uint64_t expr[CFI_RULES]; /* the instruction that set it; 0: no expression */
};
struct cfi_rows {
	struct cfi_row now, first; /* first: the CIE's */
	VEC(struct cfi_row) saved;
};

void cfi_rows_open(struct cfi_rows *rows, const struct cfa *c);
void cfi_rows_step(struct cfi_rows *rows, const struct cfa *c, const struct cfi *i);
void cfi_rows_close(struct cfi_rows *rows);

/* Is a rule of the row relative to the stack pointer? */
bool cfi_row_on_stack(const struct cfa *c, const struct cfi_row *row);
/* Append instructions that change the row to one for a stack pointer down bytes lower. */
void cfi_row_put(struct recode *rc, const struct cfa *c, const struct cfi_row *row, uint32_t down);

#endif
