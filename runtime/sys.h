/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sys.h - system calls of Linux, without a libc
 *
 * A negative result is a negated errno; addresses in user space are never negative.
 */
#ifndef LDX_RUNTIME_SYS_H
#define LDX_RUNTIME_SYS_H

#include "runtime/abi.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

/*
 * sys_call6(), and what else is the CPU's.  SYS_SHORTER: sys_call0() to sys_call4(), for less code.
 * SYS_SIGNALS: bits of a set of signals.  SYS_PAIRS: registers have 32 bits.
 * SYS_DISTANCE: what is there of a relative address.
 * SYS_STAT: the kernel writes a struct sys_stat, of which sys_stat_result() makes what is needed.
 * SYS_MEMORY: how memset() and memcpy() are defined, where gcc calls them.  SYS_BORROWS: another
 * object of the runtime defines them.
 * SYS_DEBUG: where the dynamic linker's list of objects is, by an entry of the dynamic section.
 * SYS_BASE: sys_set_base() sets the base of a thread's counters.
 */
#include "call.h"
#ifndef SYS_DISTANCE
#define SYS_DISTANCE int64_t
#endif

#ifndef SYS_SHORTER
static inline long sys_call4(long nr, long a, long b, long c, long d)
{
	return sys_call6(nr, a, b, c, d, 0, 0);
}

static inline long sys_call3(long nr, long a, long b, long c)
{
	return sys_call6(nr, a, b, c, 0, 0, 0);
}

static inline long sys_call2(long nr, long a, long b)
{
	return sys_call6(nr, a, b, 0, 0, 0, 0);
}

static inline long sys_call1(long nr, long a)
{
	return sys_call6(nr, a, 0, 0, 0, 0, 0);
}

static inline long sys_call0(long nr)
{
	return sys_call6(nr, 0, 0, 0, 0, 0, 0);
}
#endif

#if defined SYS_MEMORY && !defined SYS_BORROWS
/* What gcc calls for structures and arrays: the program's own may be counted, or not usable yet. */
SYS_MEMORY void *memset(void *to, int byte, size_t n)
{
	for (char *p = to; n; n--)
		*p++ = (char)byte;
	return to;
}

SYS_MEMORY void *memcpy(void *to, const void *from, size_t n)
{
	const char *q = from;
	for (char *p = to; n; n--)
		*p++ = *q++;
	return to;
}
#endif

#ifndef SYS_BASE
/* No counters are found by a base. */
static inline long sys_set_base(uint64_t distance)
{
	return (long)distance;
}
#endif

static inline long sys_open(const char *path, int flags, int mode)
{
	return sys_call4(__NR_openat, AT_FDCWD, (long)path, flags, mode);
}

static inline long sys_close(int fd)
{
	return sys_call1(__NR_close, fd);
}

static inline long sys_read(int fd, void *p, size_t n)
{
	return sys_call3(__NR_read, fd, (long)p, (long)n);
}

/* A number of 64 bits in two registers, as in memory; the first one's number is even. */
#define SYS_PAIR(x)                                                                                \
	(long)((x) >> (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 32 : 0)),                          \
		(long)((x) >> (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 0 : 32))

static inline long sys_pread(int fd, void *p, size_t n, uint64_t at)
{
#ifdef SYS_PAIRS
	return sys_call6(__NR_pread64, fd, (long)p, (long)n, 0, SYS_PAIR(at));
#else
	return sys_call4(__NR_pread64, fd, (long)p, (long)n, (long)at);
#endif
}

static inline long sys_pwrite(int fd, const void *p, size_t n, uint64_t at)
{
#ifdef SYS_PAIRS
	return sys_call6(__NR_pwrite64, fd, (long)p, (long)n, 0, SYS_PAIR(at));
#else
	return sys_call4(__NR_pwrite64, fd, (long)p, (long)n, (long)at);
#endif
}

static inline long sys_write(int fd, const void *p, size_t n)
{
	return sys_call3(__NR_write, fd, (long)p, (long)n);
}

/* Append at the current end of the file, atomically. */
static inline long sys_append(int fd, const void *p, size_t n)
{
	struct iovec v = {(void *)p, n};
	return sys_call6(__NR_pwritev2, fd, (long)&v, 1, 0, 0, RWF_APPEND);
}

static inline long sys_mkdir(const char *path, int mode)
{
	return sys_call3(__NR_mkdirat, AT_FDCWD, (long)path, mode);
}

static inline long sys_nanosleep(const struct timespec *t)
{
	return sys_call2(__NR_nanosleep, (long)t, 0);
}

static inline long sys_truncate_fd(int fd, uint64_t size)
{
#ifdef SYS_PAIRS
	return sys_call4(__NR_ftruncate64, fd, 0, SYS_PAIR(size));
#else
	return sys_call2(__NR_ftruncate, fd, (long)size);
#endif
}

static inline long sys_allocate(int fd, uint64_t at, uint64_t n)
{
#ifdef SYS_PAIRS
	return sys_call6(__NR_fallocate, fd, 0, SYS_PAIR(at), SYS_PAIR(n));
#else
	return sys_call4(__NR_fallocate, fd, 0, (long)at, (long)n);
#endif
}

static inline long sys_stat_fd(int fd, struct stat *st)
{
#ifdef SYS_PAIRS
	return sys_call2(__NR_fstat64, fd, (long)st);
#elif defined SYS_STAT
	struct sys_stat k;
	return sys_stat_result(sys_call2(__NR_fstat, fd, (long)&k), &k, st);
#else
	return sys_call2(__NR_fstat, fd, (long)st);
#endif
}

static inline long sys_stat(const char *path, struct stat *st)
{
#ifdef SYS_PAIRS
	return sys_call4(__NR_fstatat64, AT_FDCWD, (long)path, (long)st, 0);
#elif defined SYS_STAT
	struct sys_stat k;
	return sys_stat_result(sys_call4(__NR_newfstatat, AT_FDCWD, (long)path, (long)&k, 0), &k,
		st);
#else
	return sys_call4(__NR_newfstatat, AT_FDCWD, (long)path, (long)st, 0);
#endif
}

static inline long sys_lock(int fd, int cmd, struct flock *l)
{
#ifdef SYS_PAIRS
	return sys_call3(__NR_fcntl64, fd, cmd, (long)l);
#else
	return sys_call3(__NR_fcntl, fd, cmd, (long)l);
#endif
}

static inline long sys_mmap(void *at, size_t n, int prot, int flags, int fd, uint64_t off)
{
#ifdef SYS_PAIRS
	return sys_call6(__NR_mmap2, (long)at, (long)n, prot, flags, fd, (long)(off / LDX_PAGE));
#else
	return sys_call6(__NR_mmap, (long)at, (long)n, prot, flags, fd, (long)off);
#endif
}

static inline long sys_mprotect(void *at, size_t n, int prot)
{
	return sys_call3(__NR_mprotect, (long)at, (long)n, prot);
}

static inline long sys_munmap(void *at, size_t n)
{
	return sys_call2(__NR_munmap, (long)at, (long)n);
}

static inline long sys_mremap(void *from, size_t n, int flags, void *to)
{
	return sys_call6(__NR_mremap, (long)from, (long)n, (long)n, flags, (long)to, 0);
}

/* A second address for n bytes of a shared mapping: mremap(2). */
static inline long sys_mremap_copy(void *from, size_t n)
{
	return sys_call6(__NR_mremap, (long)from, 0, (long)n, MREMAP_MAYMOVE, 0, 0);
}

static inline long sys_madvise(void *at, size_t n, int advice)
{
	return sys_call3(__NR_madvise, (long)at, (long)n, advice);
}

static inline long sys_mincore(void *at, size_t n, unsigned char *resident)
{
	return sys_call3(__NR_mincore, (long)at, (long)n, (long)resident);
}

static inline long sys_getpid(void)
{
	return sys_call0(__NR_getpid);
}

static inline long sys_gettid(void)
{
	return sys_call0(__NR_gettid);
}

static inline long sys_tgkill(long pid, long tid, int sig)
{
	return sys_call3(__NR_tgkill, pid, tid, sig);
}

static inline long sys_yield(void)
{
	return sys_call0(__NR_sched_yield);
}

static inline long sys_futex(uint32_t *at, int op, uint32_t value)
{
	return sys_call4(__NR_futex, (long)at, op, value, 0);
}

/* A set as the kernel has it. */
struct sys_signals {
	uint64_t set[SYS_SIGNALS / 64];
};

static inline struct sys_signals sys_all_signals(void)
{
	struct sys_signals all;
	for (unsigned i = 0; i < SYS_SIGNALS / 64; i++)
		all.set[i] = ~(uint64_t)0;
	return all;
}

static inline long sys_sigmask(int how, const struct sys_signals *set, struct sys_signals *old)
{
	return sys_call4(__NR_rt_sigprocmask, how, (long)set, (long)old, SYS_SIGNALS / 8);
}

static inline long sys_getcwd(char *p, size_t n)
{
	return sys_call2(__NR_getcwd, (long)p, (long)n);
}

static inline long sys_readlink(const char *path, char *p, size_t n)
{
#ifdef __NR_readlink
	return sys_call3(__NR_readlink, (long)path, (long)p, (long)n);
#else
	return sys_call4(__NR_readlinkat, AT_FDCWD, (long)path, (long)p, (long)n);
#endif
}

static inline long sys_uname(void *u)
{
	return sys_call1(__NR_uname, (long)u);
}

static inline long sys_getrlimit(int what, struct rlimit *r)
{
	return sys_call4(__NR_prlimit64, 0, what, 0, (long)r);
}

static inline int sys_failed(long r)
{
	return r < 0;
}

#endif
