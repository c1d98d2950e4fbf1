/* SPDX-License-Identifier: Apache-2.0 */
/* relinfo.c - where a CPU's object files are not as the gABI says; see relinfo.h */
#include "targets/relinfo.h"

#include <elf.h>

/* MIPS ELF64 specification, 2.9: r_sym, r_ssym, r_type3, r_type2, r_type. */
bool relinfo_is_bytes(uint16_t machine)
{
	return machine == EM_MIPS;
}
