/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.h - the pass over sections that hold no code
 */
#ifndef LDX_INSTR_DATA_H
#define LDX_INSTR_DATA_H

struct cfg;
struct layout;

/*
 * Give each section that no other pass has rewritten relocations that follow what they name; it
 * keeps its bytes.  After all passes that rewrite whole sections.
 */
void data_rewrite(const struct cfg *g, const struct layout *lay);

#endif
