/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldx/sys.h - system calls, memory, text and numbers for routines of tools, which have no C library
 *
 * System calls are for routines of events (ldx_at_event() in ldx/tool.h), or rare in others: they
 * take long, and a descriptor that a tool keeps is one that the program does not get.  A negative
 * result is a negated number of <asm/errno.h>.
 */
#ifndef LDX_SYS_H
#define LDX_SYS_H

#include <ldx/analysis.h>

#include <asm/fcntl.h>
#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/mman.h>

/* Of the CPU: sys_call6(). */
#define SYS_BORROWS
#include <call.h>

#define LDX_SYS static inline __attribute__((unused))

/* Any system call: its number is __NR_name. */
LDX_SYS long ldx_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	return sys_call6(number, a, b, c, d, e, f);
}

LDX_SYS long ldx_write(int fd, const void *p, size_t n)
{
	return ldx_syscall(__NR_write, fd, (long)p, (long)n, 0, 0, 0);
}

LDX_SYS long ldx_read(int fd, void *p, size_t n)
{
	return ldx_syscall(__NR_read, fd, (long)p, (long)n, 0, 0, 0);
}

/* flags: O_CREAT and others. */
LDX_SYS int ldx_open(const char *path, int flags, int mode)
{
	return (int)ldx_syscall(__NR_openat, -100 /* AT_FDCWD */, (long)path, flags, mode, 0, 0);
}

LDX_SYS long ldx_close(int fd)
{
	return ldx_syscall(__NR_close, fd, 0, 0, 0, 0, 0);
}

/* n bytes of memory that are 0; NULL: there are none. */
LDX_SYS void *ldx_mmap(size_t n)
{
	int access = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef __NR_mmap
	long at = ldx_syscall(__NR_mmap, 0, (long)n, access, flags, -1, 0);
#else
	long at = ldx_syscall(__NR_mmap2, 0, (long)n, access, flags, -1, 0);
#endif
	return at < 0 && at > -4096 ? NULL : (void *)at;
}

LDX_SYS long ldx_munmap(void *p, size_t n)
{
	return ldx_syscall(__NR_munmap, (long)p, (long)n, 0, 0, 0, 0);
}

LDX_SYS int ldx_getpid(void)
{
	return (int)ldx_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
}

LDX_SYS int ldx_gettid(void)
{
	return (int)ldx_syscall(__NR_gettid, 0, 0, 0, 0, 0, 0);
}

/* Nanoseconds of a clock that is never set: CLOCK_MONOTONIC. */
LDX_SYS uint64_t ldx_clock(void)
{
	long t[2] = {0, 0};
	ldx_syscall(__NR_clock_gettime, 1, (long)t, 0, 0, 0, 0);
	return (uint64_t)t[0] * 1000000000 + (uint64_t)t[1];
}

/*
 * The CPU's clock, which takes a few cycles and no system call: of a constant rate, which is the
 * CPU's business.  x86-64 counts its nominal cycles, MIPS half its cycles, in 32 bits; AArch64 and
 * RISC-V count some nanoseconds, as their kernels let no program count cycles.
 */
LDX_SYS uint64_t ldx_ticks(void)
{
	return sys_ticks();
}

/*
 * LDX_THREAD_NUMBER(name); outside of functions makes a function unsigned long name(void): the
 * number of the thread, from 0 on in the order of the first calls, the same each time.  Threads
 * that do not live at once may have the same number, as may those from the 1024th on.
 */
#ifdef LDX_OWN
#define LDX_THREAD_NUMBER(name)                                                                    \
	LDX_THREAD_BY(maximum) uint64_t name##_own[1];                                             \
	static unsigned long name##_last;                                                          \
	LDX_SYS unsigned long name(void)                                                           \
	{                                                                                          \
		if (!ldx_data(name##_own, [0]))                                                    \
			ldx_data(name##_own, [0]) =                                                \
				__atomic_add_fetch(&name##_last, 1, __ATOMIC_RELAXED);             \
		return ldx_data(name##_own, [0]) - 1;                                              \
	}
#else
#define LDX_THREAD_NUMBER(name)                                                                    \
	static uintptr_t name##_thread[1024];                                                      \
	LDX_SYS unsigned long name(void)                                                           \
	{                                                                                          \
		uintptr_t self = sys_thread() + 1;                                                 \
		unsigned long n = 0;                                                               \
		for (; n < 1023; n++) {                                                            \
			uintptr_t at = __atomic_load_n(&name##_thread[n], __ATOMIC_RELAXED);       \
			if (!at)                                                                   \
				__atomic_compare_exchange_n(&name##_thread[n], &at, self, 0,       \
					__ATOMIC_RELAXED, __ATOMIC_RELAXED);                       \
			if (!at || at == self)                                                     \
				break;                                                             \
		}                                                                                  \
		return n;                                                                          \
	}
#endif

/* 0 in the child.  A libc does not know: the process must have one thread, as when it begins. */
LDX_SYS int ldx_fork(void)
{
	return (int)ldx_syscall(__NR_clone, SIGCHLD, 0, 0, 0, 0, 0);
}

LDX_SYS int ldx_wait(int pid, int *status)
{
	return (int)ldx_syscall(__NR_wait4, pid, (long)status, 0, 0, 0, 0);
}

/* End all threads, at once. */
LDX_SYS void ldx_exit(int status)
{
	for (;;)
		ldx_syscall(__NR_exit_group, status, 0, 0, 0, 0, 0);
}

/* Memory and text --------------------------------------------------------- */

/* The compiler must not make a call of memcpy() or the like of a loop with this. */
#define LDX_STEP_(p) __asm__("" : "+r"(p))

LDX_SYS void ldx_copy(void *to, const void *from, size_t n)
{
	const char *q = (const char *)from, *end = q + n;
	for (char *p = (char *)to; q < end; p++, q++) {
		LDX_STEP_(p);
		*p = *q;
	}
}

LDX_SYS void ldx_fill(void *to, int byte, size_t n)
{
	for (char *p = (char *)to, *end = p + n; p < end; p++) {
		LDX_STEP_(p);
		*p = (char)byte;
	}
}

LDX_SYS int ldx_compare(const void *a, const void *b, size_t n)
{
	const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;
	for (; n; n--, p++, q++)
		if (*p != *q)
			return *p < *q ? -1 : 1;
	return 0;
}

LDX_SYS size_t ldx_length(const char *s)
{
	const char *end = s;
	for (; *end; end++)
		LDX_STEP_(end);
	return (size_t)(end - s);
}

/* s behind a prefix, or NULL. */
LDX_SYS const char *ldx_behind(const char *s, const char *prefix)
{
	for (; *prefix; s++, prefix++)
		if (*s != *prefix)
			return NULL;
	return s;
}

/*
 * Writes n in a base from 2 to 16, and a NUL, at to, which has room for 65 bytes.  Returns where
 * the NUL is.
 */
LDX_SYS char *ldx_digits(char *to, uint64_t n, unsigned base)
{
	char text[64], *p = text + sizeof text;
	uint32_t part[4]; /* CPUs of 32 bits do not divide 64 */
	for (int i = 0; i < 4; i++)
		part[i] = (uint32_t)(n >> (48 - 16 * i)) & 0xffff;
	do {
		uint32_t rest = 0;
		for (int i = 0; i < 4; i++) {
			rest = rest << 16 | part[i];
			part[i] = rest / base;
			rest %= base;
		}
		*--p = (char)(rest < 10 ? '0' + rest : 'a' + rest - 10);
	} while (part[0] | part[1] | part[2] | part[3]);
	ldx_copy(to, p, (size_t)(text + sizeof text - p));
	to += text + sizeof text - p;
	*to = 0;
	return to;
}

/* The number that s begins with; 0: none. */
LDX_SYS uint64_t ldx_decimal(const char *s)
{
	uint64_t n = 0;
	for (; *s >= '0' && *s <= '9'; s++)
		n = n * 10 + (uint64_t)(*s - '0');
	return n;
}

LDX_SYS void ldx_print_text(int fd, const char *s)
{
	ldx_write(fd, s, ldx_length(s));
}

LDX_SYS void ldx_print_number(int fd, uint64_t n)
{
	char text[65];
	ldx_digits(text, n, 10);
	ldx_print_text(fd, text);
}

/*
 * The value that a variable of the environment had when the process began, which is cut to size - 1
 * bytes.  False: there is no such variable, or no /proc.
 */
LDX_SYS int ldx_environment(const char *name, char *to, size_t size)
{
	char part[256];
	size_t matched = 0, n = 0, length = ldx_length(name);
	int fd = ldx_open("/proc/self/environ", O_RDONLY, 0), found = 0;
	for (long got; fd >= 0 && !found && (got = ldx_read(fd, part, sizeof part)) > 0;)
		for (long i = 0; i < got && !found; i++) {
			char c = part[i];
			if (matched == length + 1 && c) {
				if (n + 1 < size)
					to[n++] = c;
			} else if (matched == length + 1) {
				found = 1;
			} else if (!c) {
				matched = 0;
			} else if (matched <= length &&
				c == (matched < length ? name[matched] : '=')) {
				matched++;
			} else {
				matched = length + 2; /* to the end of this variable */
			}
		}
	if (fd >= 0)
		ldx_close(fd);
	if (size)
		to[n] = 0;
	return found;
}

/* What compilers call for structures and arrays. */
__attribute__((used)) void *memcpy(void *to, const void *from, size_t n);
__attribute__((used)) void *memset(void *to, int byte, size_t n);
void *memcpy(void *to, const void *from, size_t n)
{
	ldx_copy(to, from, n);
	return to;
}
void *memset(void *to, int byte, size_t n)
{
	ldx_fill(to, byte, n);
	return to;
}

#endif
