/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relinfo.h - where a CPU's object files are not as the gABI says
 *
 * What reads and writes objects needs it; nothing here is about code.
 */
#ifndef LDX_TARGETS_RELINFO_H
#define LDX_TARGETS_RELINFO_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Is r_info of its 64-bit files not one number, but a symbol of 4 bytes and then, byte by byte, up
 * to three types, the last one first?
 */
bool relinfo_is_bytes(uint16_t machine);

#endif
