/* SPDX-License-Identifier: Apache-2.0 */
/*
 * early.c - memory for counters that lie at LDX_CELLS
 *
 * This must run before any code of the program.  The entry point calls __ldx_early(); because a
 * dynamic linker may call the program earlier, so does the IFUNC resolver of early.S.
 *
 * hazard: code before start-up.  IFUNC resolvers, the C library's start and a static PIE's
 * own relocation run before any thread pointer or GOT is there: counters are mapped first,
 * and counted without either.
 */
#include "runtime/rt.h"
#include "runtime/sys.h"

#include <sys/mman.h>

static bool mapped;
uint64_t __ldx_process;

/* With a page in front of them; the address of the cells. */
static long map_at(uintptr_t at, int flag)
{
	long r = sys_mmap((void *)(at ? at - LDX_PAGE : 0), LDX_PAGE + __ldx_cells_size(),
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flag, -1, 0);
	return sys_failed(r) ? r : r + LDX_PAGE;
}

/* The cells in the image, for when a limit forbids more memory. */
static uintptr_t own_cells(void)
{
	if (__ldx_info.spare)
		return (uintptr_t)rt_at(&__ldx_info.spare);
	return __ldx_info.counters ? (uintptr_t)rt_at(&__ldx_info.counters) : LDX_CELLS;
}

/* A kernel that does not know the flag (before Linux 4.17) takes the address for a hint. */
void __ldx_early(void)
{
	if (mapped || !(__ldx_info.flags & LDX_INFO_MAPPED))
		return;
	mapped = true;
	long r = map_at(LDX_CELLS, MAP_FIXED_NOREPLACE);
	if (sys_failed(r))
		r = map_at(0, 0);
	uintptr_t at = sys_failed(r) ? own_cells() : (uintptr_t)r;
	__ldx_process = at - LDX_CELLS;
	__ldx_front = sys_failed(r) ? NULL : (char *)at - LDX_PAGE;
	if (at != LDX_CELLS)
		sys_set_base(at - LDX_CELLS);
	if (__ldx_info.counters && !sys_failed(r))
		__ldx_far = (uint64_t *)at;
}
