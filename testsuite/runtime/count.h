/* SPDX-License-Identifier: Apache-2.0 */
/* Counting as the rewriter's code does it: one instruction. */
#define COUNT(n) __asm__ volatile("incq __ldx_counters+8*%c0(%%rip)" ::"i"(n) : "memory", "cc")
