/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bases.c - what the runtimes of a process's libraries share; see bases.h
 *
 * A base is the distance from a library's counters to the row of a thread.  It is positive, as the
 * kernel sets no negative ones for a debugger (ptrace(2)), and libraries are near the upper end of
 * the addresses; but between them and the stack the kernel leaves a random distance, mostly of
 * hundreds of gigabytes.  The rows of base n of all libraries lie there, as far from each other as
 * the libraries.  The shared memory is below the room for the stack: its address follows from that
 * of the random bytes that the kernel puts there (getauxval(3), AT_RANDOM).
 *
 * A thread inherits the base of its creator.  The first cell of each row is its owner's thread
 * pointer in all libraries that use bases, also in those that the owner has not entered: so each
 * tells the thread from its creator.
 */
#include "runtime/bases.h"
#include "runtime/sys.h"

#include <asm/errno.h>
#include <asm/hwcap2.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/mman.h>

#define BASES_MAGIC 0x313073616278646cULL /* "ldxbas01" */
#define GIGA ((uint64_t)1 << 30)
#define STACK_ROOM (8 * GIGA)
#define ROOM_LEAST (16 * GIGA)
#define ROOM_UNUSED GIGA
#define UNIT ((uint64_t)2 << 20)
enum { BASE_VISITS = 8, MAKING = 1000 };

uint64_t __ldx_base(void)
{
	uint64_t base;
	__asm__ volatile("rdgsbase %0" : "=r"(base));
	return base;
}

/* By what is in front of the instruction, those who look for it know that it is ours. */
void __ldx_base_set(uint64_t base)
{
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80\n\t" /* nopl "ldx!"(%rax) */
			 ".ascii \"ldx!\"\n\t"
			 "wrgsbase %0" ::"a"(base)
			 : "memory");
}

void __ldx_lock_take(uint32_t *lock)
{
	uint32_t free = 0;
	if (__atomic_compare_exchange_n(lock, &free, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	while (__atomic_exchange_n(lock, 2, __ATOMIC_SEQ_CST))
		sys_futex(lock, FUTEX_WAIT_PRIVATE, 2);
}

void __ldx_lock_give(uint32_t *lock)
{
	if (__atomic_exchange_n(lock, 0, __ATOMIC_SEQ_CST) == 2)
		sys_futex(lock, FUTEX_WAKE_PRIVATE, 1);
}

/* Room from top on, up to b, if it is enough: an eighth of it for the distances between libraries
 * and top. */
static void divide(struct bases *b, uint64_t top)
{
	uint64_t room = (uintptr_t)b > top ? (uintptr_t)b - top : 0;
	if (room < ROOM_LEAST)
		return;
	b->first = room / 8 < 64 * GIGA ? room / 8 : 64 * GIGA;
	b->step = (room - ROOM_UNUSED - b->first) / BASES;
	b->step = b->step < GIGA ? b->step : GIGA;
	b->first &= ~(UNIT - 1);
	b->step &= ~(UNIT - 1);
}

uint64_t __ldx_word_at(const void *at)
{
	uint64_t word = 1;
	int fd = (int)sys_open("/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return 1;
	if (sys_pread(fd, &word, sizeof word, (uintptr_t)at) != sizeof word)
		word = 1;
	sys_close(fd);
	return word;
}

static struct bases *make(struct bases *b, uint64_t top)
{
	long r = sys_mmap(b, sizeof *b, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (sys_failed(r) || r != (long)b) {
		if (!sys_failed(r))
			sys_munmap((void *)r, sizeof *b);
		return NULL;
	}
	size_t kept = offsetof(struct bases, pid);
	if (!sys_failed(sys_madvise((char *)b + kept, sizeof *b - kept, MADV_WIPEONFORK)))
		divide(b, top);
	b->pid = (uint64_t)sys_getpid();
	__atomic_store_n(&b->magic, BASES_MAGIC, __ATOMIC_SEQ_CST);
	return b;
}

/* NULL: the kernel lets programs set no bases. */
static struct bases *place_of(const struct rt_start *s)
{
	if (!(s->hwcap2 & HWCAP2_FSGSBASE) || s->random < STACK_ROOM + GIGA)
		return NULL;
	return (struct bases *)((s->random & ~(uint64_t)(LDX_PAGE - 1)) - STACK_ROOM);
}

struct bases *__ldx_bases_find(const struct rt_start *s)
{
	unsigned char resident;
	struct bases *b = place_of(s);
	if (!b || sys_failed(sys_mincore(b, LDX_PAGE, &resident)) ||
		__ldx_word_at(&b->magic) != BASES_MAGIC)
		return NULL;
	return b->step ? b : NULL;
}

struct bases *__ldx_bases_attach(const struct rt_start *s)
{
	uint64_t top = s->loader > (uintptr_t)__ldx_cells() ? s->loader : (uintptr_t)__ldx_cells();
	struct bases *b = place_of(s);
	if (!b)
		return NULL;
	uint64_t magic = make(b, top + ROOM_UNUSED / 16) ? BASES_MAGIC : 0;
	for (int i = 0; i < MAKING && !magic && !(magic = __ldx_word_at(&b->magic)); i++)
		sys_yield(); /* it is being made */
	return magic == BASES_MAGIC && b->step ? b : NULL;
}

bool __ldx_bases_join(struct bases *b, const struct member *m)
{
	for (struct member *to = b->member; to < b->member + MEMBERS; to++)
		if (!to->used) {
			to->turn = m->turn;
			to->row = m->row;
			to->give_up = m->give_up;
			__atomic_store_n(&to->used, 1, __ATOMIC_SEQ_CST);
			return true;
		}
	return false;
}

void __ldx_bases_leave(struct bases *b, const struct member *m)
{
	for (struct member *to = b->member; to < b->member + MEMBERS; to++)
		if (to->used && to->row == m->row)
			__atomic_store_n(&to->used, 0, __ATOMIC_SEQ_CST);
}

uint64_t __ldx_bases_at(const struct bases *b, uint32_t n)
{
	return b->first + n * b->step;
}

uint32_t __ldx_bases_number(const struct bases *b, uint64_t base)
{
	uint64_t n = base < b->first ? BASES : (base - b->first) / b->step;
	return n < BASES && __ldx_bases_at(b, (uint32_t)n) == base ? (uint32_t)n : BASES;
}

bool __ldx_bases_begin(struct bases *b)
{
	bool good = true;
	for (struct member *m = b->member; m < b->member + MEMBERS && !b->n; m++)
		good &= !m->used || m->turn();
	return good;
}

/* The owner had this thread's pointer, and so has ended, or the kernel says so. */
static bool base_is_free(const struct bases *b, const struct base_owner *o, uint64_t self)
{
	return !o->bad &&
		(!o->tid || o->self == self || sys_tgkill((long)b->pid, o->tid, 0) == -ESRCH);
}

static uint32_t find_base(struct bases *b, uint64_t self)
{
	for (uint32_t n = 0; n < b->n; n++)
		if (b->owner[n].self == self && !b->owner[n].bad)
			return n;
	for (uint32_t i = 0; i < BASE_VISITS && i < b->n; i++) {
		uint32_t n = b->next++ % b->n;
		if (base_is_free(b, &b->owner[n], self))
			return n;
	}
	if (b->n < BASES)
		return b->n++;
	for (uint32_t n = 0; n < b->n; n++)
		if (base_is_free(b, &b->owner[n], self))
			return n;
	return BASES;
}

static bool own_rows(struct bases *b, uint32_t n, uint64_t self)
{
	for (struct member *m = b->member; m < b->member + MEMBERS; m++)
		if (m->used && !m->row(n, self))
			return false;
	return true;
}

uint32_t __ldx_bases_take(struct bases *b, uint64_t self)
{
	for (int i = 0; i < BASE_VISITS; i++) {
		uint32_t n = find_base(b, self);
		if (n == BASES)
			break;
		struct base_owner *o = &b->owner[n];
		o->self = self;
		o->tid = (int32_t)sys_gettid();
		if (own_rows(b, n, self))
			return n;
		o->bad = true;
	}
	return BASES;
}

bool __ldx_bases_give_up(struct bases *b)
{
	bool good = true;
	b->off = 1;
	for (struct member *m = b->member; m < b->member + MEMBERS; m++)
		good &= !m->used || m->give_up();
	return good;
}
