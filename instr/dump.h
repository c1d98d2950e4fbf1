/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump.h - what --ldx-dump prints of the plan and of the layout; see cfg/dump.h
 */
#ifndef LDX_INSTR_DUMP_H
#define LDX_INSTR_DUMP_H

struct layout;
struct plan;

/* loops and plan, for the functions that p->opt->dump asks for. */
void dump_plan(const struct plan *p);
void dump_layout(const struct plan *p, const struct layout *lay);

#endif
