/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - counters of a thread's own, at the cost of shared ones
 *
 * A counter is incremented at %gs:counter.  Where the %gs base is 0,
 * as when a program starts, that is the counter itself.  A thread with cells of
 * its own has as its base the distance from the program's cells to its own: no
 * register, no load, and no code that has to wait for the thread to be set up.
 *
 * A new thread inherits the base of its creator.  It is noticed before it counts:
 * where the libc is linked in statically, behind the system call that made it;
 * else at the entry of the first function of the program it runs, which it can
 * only know by its address: such functions check cell 0, the owner's thread
 * pointer.
 *
 * Cells are slots of the profile like a process's, so that nothing is left to do
 * when a thread ends.  Its cells go to the next new thread, which counts on.
 */
#include "runtime/rt.h"
#include "runtime/sys.h"

#include <asm/errno.h>
#include <asm/prctl.h>
#include <signal.h>
#include <sys/mman.h>

/* Cells of threads other than the first, in lists of a page. */
struct region {
	uint64_t base;		/* what %gs is for its owner */
	long tid;
};
struct region_page {
	struct region_page *next;
	uint64_t n;
	struct region r[(LDX_PAGE - 16) / sizeof(struct region)];
};

uint32_t __ldx_threads;
static struct region_page first;
static uint32_t lock;

static uint64_t gs_base(void)
{
	uint64_t base = 0;
	sys_arch_prctl(ARCH_GET_GS, (uint64_t)&base);
	return base;
}

/* ELF Handling for Thread-Local Storage, 3.4.2: %fs:0 holds the thread pointer itself. */
static uint64_t thread_pointer(void)
{
	uint64_t self;
	__asm__ volatile("mov %%fs:0, %0" : "=r"(self));
	return self;
}

static uint64_t *cells_at(uint64_t base)
{
	return (uint64_t *)((uint64_t)__ldx_cells() + base);
}

static bool has_checks(void)
{
	return __ldx_info.flags & LDX_INFO_CHECKS;
}

void __ldx_threads_begin(void)
{
	__ldx_threads = __ldx_info.flags & LDX_INFO_THREADS ? 1 : 0;
}

uint64_t *__ldx_threads_cells(void)
{
	return __ldx_threads ? cells_at(gs_base()) : __ldx_cells();
}

/* Whose the cells are.  In a static program a thread may have no thread pointer, or not yet. */
static uint64_t owner(long tid)
{
	return has_checks() ? thread_pointer() : (uint64_t)tid;
}

void __ldx_threads_own(void)
{
	if (__ldx_threads)
		*cells_at(gs_base()) = owner(sys_gettid());
}

/* The other threads are gone, and their cells, which are still mapped, are the parent's. */
uint64_t *__ldx_threads_child(void)
{
	if (!__ldx_threads)
		return __ldx_cells();
	for (struct region_page *p = &first; p; p = p->next)
		p->n = 0;
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	return __ldx_threads_cells();
}

/* The cells of a thread that has ended, or NULL. */
static struct region *region_free(long pid)
{
	for (struct region_page *p = &first; p; p = p->next)
		for (uint64_t i = 0; i < p->n; i++)
			if (sys_tgkill(pid, p->r[i].tid, 0) == -ESRCH)
				return &p->r[i];
	return NULL;
}

static struct region *region_add(void)
{
	struct region_page *p = &first;
	while (p->n == sizeof p->r / sizeof p->r[0]) {
		if (!p->next) {
			long r = sys_mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (sys_failed(r))
				return NULL;
			p->next = (struct region_page *)r;
		}
		p = p->next;
	}
	uint64_t *cells = __ldx_more_cells();
	/* The kernel takes no base beyond the half of the addresses that is the user's. */
	if (!cells || cells < __ldx_cells())
		return NULL;
	struct region *r = &p->r[p->n++];
	r->base = (uint64_t)cells - (uint64_t)__ldx_cells();
	return r;
}

static void region_take(uint64_t self, long pid, long tid)
{
	struct region *r = region_free(pid);
	if (!r)
		r = region_add();
	if (!r)
		return; /* goes on in its creator's cells */
	r->tid = tid;
	*cells_at(r->base) = self;
	sys_arch_prctl(ARCH_SET_GS, r->base);
}

/*
 * The first thread, and the child of a vfork, which shares its parent's cells as it
 * shares its memory, are told by their thread number.
 */
void __ldx_threads_check(void)
{
	if (!(__ldx_info.flags & LDX_INFO_THREADS))
		return;
	long pid = sys_getpid(), tid = sys_gettid();
	if (pid == tid && !has_checks())
		return;
	uint64_t self = owner(tid), *cells = cells_at(gs_base());
	if (*cells == self)
		return;
	if (pid == tid) {
		*cells = self;
		return;
	}
	uint64_t all = ~(uint64_t)0, old;
	sys_sigmask(SIG_BLOCK, &all, &old);
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		sys_yield();
	region_take(self, pid, tid);
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	sys_sigmask(SIG_SETMASK, &old, NULL);
}

void __ldx_noticed(void)
{
	__ldx_child();
	__ldx_threads_check();
}
