/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forms.h - decoders of instructions of one word: LLVM's disassembler, and decoded forms
 *
 * A form is a word without the bits of an immediate operand, where any value of these makes the
 * same instruction.  Each form is decoded once.
 */
#ifndef LDX_TARGETS_FORMS_H
#define LDX_TARGETS_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decoder;
struct insn;
struct platform;

/* Sets *record for a word; false: it is no instruction. */
typedef bool form_decode_fn(struct decoder *d, uint32_t word, void *record);

/* record: the size of what decode() sets. */
struct decoder *forms_decoder(const struct platform *p, form_decode_fn *decode, size_t record);
void forms_free(struct decoder *d);

/* The assembly text of n bytes; false: LLVM does not decode them as one instruction. */
bool forms_text(struct decoder *d, const uint8_t *bytes, size_t n, char *text, size_t size);

/* The record of a word's form, until the next call; NULL: the word is no instruction. */
const void *forms_find(struct decoder *d, uint32_t form, uint32_t word);

/* A record of struct insn: what of *in depends on the form; its place is kept.  False: none. */
bool forms_insn(struct decoder *d, uint32_t form, uint32_t word, struct insn *in);

#endif
