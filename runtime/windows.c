/* SPDX-License-Identifier: Apache-2.0 */
/*
 * windows.c - this library's rows for threads that have bases; see bases.h
 *
 * A row is mapped where its base says when its owner first enters the library, and stays there when
 * that has ended, for the next one, also when the library shares its counters, or is closed.
 */
#include "runtime/bases.h"
#include "runtime/sys.h"

#include <asm/errno.h>
#include <sys/mman.h>

enum { SPARE_SHARE = 4, ROW_FEW = 8 * LDX_PAGE };
enum window { NOTHING, RESERVED, PARENTS, MAPPED };

static uint8_t window[BASES]; /* enum window */
/* Adjacent rows of the profile that are mapped anywhere, and not yet in use. */
static struct {
	uint64_t *cells, n, all;
} spare;

static uint64_t *window_at(const struct bases *b, uint32_t n)
{
	return __ldx_cells() + __ldx_bases_at(b, n) / 8;
}

static uint64_t *next_row(void)
{
	if (!spare.n) {
		uint64_t n = spare.all / SPARE_SHARE + 1;
		spare.cells = __ldx_more_rows(&n);
		if (!spare.cells && n > 1) {
			n = 1;
			spare.cells = __ldx_more_rows(&n);
		}
		spare.n = spare.cells ? n : 0;
		spare.all += spare.n;
		/* a thread touches few pages of a long row */
		if (spare.n && __ldx_cells_size() > ROW_FEW)
			sys_madvise(spare.cells, n * __ldx_cells_size(), MADV_RANDOM);
	}
	return spare.n ? spare.cells : NULL;
}

/*
 * In the first cell of a row that a library has left, where it was closed: what comes to be loaded
 * at its address takes its place.
 */
static uint64_t left_mark(const uint64_t *at)
{
	return 0x7466656c78646cULL ^ (uintptr_t)at ^ __ldx_cells_size() << 48; /* "ldxleft" */
}

/* So that a thread with base n that enters does not pass: memory that is 0, without a row. */
static bool reserve_window(const struct bases *b, uint32_t n)
{
	uint64_t *at = window_at(b, n), size = __ldx_cells_size();
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
		(window[n] == PARENTS ? MAP_FIXED : MAP_FIXED_NOREPLACE);
	if (size > b->step || (uintptr_t)at + size > (uintptr_t)b)
		return false;
	long r = sys_mmap(at, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (r == -EEXIST && __ldx_word_at(at) == left_mark(at))
		r = sys_mmap(at, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0);
	if (!sys_failed(r) && r != (long)at) /* old kernels take the address for a hint */
		sys_munmap((void *)r, size);
	if (r == (long)at)
		window[n] = RESERVED;
	return r == (long)at;
}

bool __ldx_window_pass(const struct bases *b, uint32_t n, uint64_t self)
{
	if (window[n] == MAPPED)
		__atomic_store_n(window_at(b, n), self, __ATOMIC_SEQ_CST);
	return window[n] == MAPPED || window[n] == RESERVED || reserve_window(b, n);
}

bool __ldx_window_own(const struct bases *b, uint32_t n, uint64_t self)
{
	uint64_t *at = window_at(b, n), size = __ldx_cells_size(), *row;
	if (!__ldx_window_pass(b, n, self))
		return false;
	if (window[n] == MAPPED)
		return true;
	if (!(row = next_row()) ||
		sys_failed(sys_mremap(row, size, MREMAP_MAYMOVE | MREMAP_FIXED, at)))
		return false;
	spare.cells += size / 8;
	spare.n--;
	__atomic_store_n(at, self, __ATOMIC_SEQ_CST);
	__atomic_store_n(&window[n], MAPPED, __ATOMIC_SEQ_CST);
	return true;
}

bool __ldx_window_owned(uint32_t n)
{
	return __atomic_load_n(&window[n], __ATOMIC_SEQ_CST) == MAPPED;
}

/*
 * If the process exits, another thread may be here: the kernel may be about to have a page for an
 * access that it made before the code was changed.
 */
void __ldx_windows_leave(const struct bases *b)
{
	uint64_t size = __ldx_cells_size();
	for (uint32_t n = 0; n < BASES; n++) {
		if (window[n] == PARENTS)
			sys_munmap(window_at(b, n), size);
		else if (window[n] != NOTHING)
			__atomic_store_n(window_at(b, n), left_mark(window_at(b, n)),
				__ATOMIC_SEQ_CST);
		window[n] = NOTHING;
	}
	if (spare.n)
		sys_munmap(spare.cells, spare.n * size);
	spare.n = spare.all = 0;
}

void __ldx_windows_child(void)
{
	for (uint32_t n = 0; n < BASES; n++)
		window[n] = window[n] == MAPPED ? PARENTS : window[n];
	spare.n = spare.all = 0;
}
