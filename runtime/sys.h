/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sys.h - system calls of Linux on x86-64, without a libc
 *
 * A result in [-4095, -1] is a negated errno.
 */
#ifndef LDX_RUNTIME_SYS_H
#define LDX_RUNTIME_SYS_H

#include <asm/unistd.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>

static inline long sys_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;
	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

static inline long sys_open(const char *path, int flags, int mode)
{
	return sys_call(__NR_openat, AT_FDCWD, (long)path, flags, mode, 0, 0);
}

static inline long sys_close(int fd)
{
	return sys_call(__NR_close, fd, 0, 0, 0, 0, 0);
}

static inline long sys_read(int fd, void *p, size_t n)
{
	return sys_call(__NR_read, fd, (long)p, (long)n, 0, 0, 0);
}

static inline long sys_pread(int fd, void *p, size_t n, uint64_t at)
{
	return sys_call(__NR_pread64, fd, (long)p, (long)n, (long)at, 0, 0);
}

static inline long sys_pwrite(int fd, const void *p, size_t n, uint64_t at)
{
	return sys_call(__NR_pwrite64, fd, (long)p, (long)n, (long)at, 0, 0);
}

static inline long sys_truncate_fd(int fd, uint64_t size)
{
	return sys_call(__NR_ftruncate, fd, (long)size, 0, 0, 0, 0);
}

static inline long sys_allocate(int fd, uint64_t at, uint64_t n)
{
	return sys_call(__NR_fallocate, fd, 0, (long)at, (long)n, 0, 0);
}

static inline long sys_stat_fd(int fd, struct stat *st)
{
	return sys_call(__NR_fstat, fd, (long)st, 0, 0, 0, 0);
}

static inline long sys_lock(int fd, int cmd, struct flock *l)
{
	return sys_call(__NR_fcntl, fd, cmd, (long)l, 0, 0, 0);
}

static inline long sys_mmap(void *at, size_t n, int prot, int flags, int fd, uint64_t off)
{
	return sys_call(__NR_mmap, (long)at, (long)n, prot, flags, fd, (long)off);
}

static inline long sys_munmap(void *at, size_t n)
{
	return sys_call(__NR_munmap, (long)at, (long)n, 0, 0, 0, 0);
}

static inline long sys_mremap(void *from, size_t n, int flags, void *to)
{
	return sys_call(__NR_mremap, (long)from, (long)n, (long)n, flags, (long)to, 0);
}

static inline long sys_madvise(void *at, size_t n, int advice)
{
	return sys_call(__NR_madvise, (long)at, (long)n, advice, 0, 0, 0);
}

static inline long sys_getpid(void)
{
	return sys_call(__NR_getpid, 0, 0, 0, 0, 0, 0);
}

static inline long sys_gettid(void)
{
	return sys_call(__NR_gettid, 0, 0, 0, 0, 0, 0);
}

static inline long sys_tgkill(long pid, long tid, int sig)
{
	return sys_call(__NR_tgkill, pid, tid, sig, 0, 0, 0);
}

static inline long sys_yield(void)
{
	return sys_call(__NR_sched_yield, 0, 0, 0, 0, 0, 0);
}

/* Sets are 64 bits, as the kernel's. */
static inline long sys_sigmask(int how, const uint64_t *set, uint64_t *old)
{
	return sys_call(__NR_rt_sigprocmask, how, (long)set, (long)old, 8, 0, 0);
}

static inline long sys_arch_prctl(int code, uint64_t addr)
{
	return sys_call(__NR_arch_prctl, code, (long)addr, 0, 0, 0, 0);
}

static inline long sys_getcwd(char *p, size_t n)
{
	return sys_call(__NR_getcwd, (long)p, (long)n, 0, 0, 0, 0);
}

static inline long sys_readlink(const char *path, char *p, size_t n)
{
	return sys_call(__NR_readlink, (long)path, (long)p, (long)n, 0, 0, 0);
}

static inline long sys_uname(void *u)
{
	return sys_call(__NR_uname, (long)u, 0, 0, 0, 0, 0);
}

static inline long sys_getrlimit(int what, struct rlimit *r)
{
	return sys_call(__NR_prlimit64, 0, what, 0, (long)r, 0, 0);
}

static inline int sys_failed(long r)
{
	return r < 0 && r >= -4095;
}

#endif
