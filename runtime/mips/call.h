/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h - how Linux is called on MIPS: syscall(2)
 *
 * In o32 the fifth and the sixth argument are on the stack, behind the room of four.  $7 is not 0
 * in case of an error, and $2 its number.
 */
#ifndef LDX_RUNTIME_CALL_H
#define LDX_RUNTIME_CALL_H

#include <asm/unistd.h>
#include <stddef.h>
#include <stdint.h>

/* GNU ld extends no sign when it writes a distance of 32 bits. */
#define SYS_DISTANCE int32_t
enum { SYS_SIGNALS = 128 };

#ifdef __mips64

static inline long sys_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r2 __asm__("$2") = nr;
	register long r4 __asm__("$4") = a;
	register long r5 __asm__("$5") = b;
	register long r6 __asm__("$6") = c;
	register long r7 __asm__("$7") = d;
	register long r8 __asm__("$8") = e;
	register long r9 __asm__("$9") = f;
	__asm__ volatile("syscall"
			 : "+r"(r2), "+r"(r7), "+r"(r8), "+r"(r9)
			 : "r"(r4), "r"(r5), "r"(r6)
			 : "$1", "$3", "$10", "$11", "$12", "$13", "$14", "$15", "$24", "$25", "hi",
			 "lo", "memory");
	return r7 ? -r2 : r2;
}

#ifndef LDX_SYS_H
/* What the kernel writes is not the C library's struct stat. */
#define SYS_STAT
struct sys_stat {
	uint32_t dev, pad0[3];
	uint64_t ino;
	uint32_t mode, nlink, uid, gid, rdev, pad1[3];
	int64_t size;
	uint32_t time[6], blksize, pad2;
	uint64_t blocks;
};

static inline long sys_stat_result(long result, const struct sys_stat *from, struct stat *to)
{
	to->st_dev = from->dev;
	to->st_ino = from->ino;
	to->st_mode = from->mode;
	to->st_size = from->size;
	return result;
}
#endif

#else

#define SYS_PAIRS

static inline long sys_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r2 __asm__("$2") = nr;
	register long r4 __asm__("$4") = a;
	register long r5 __asm__("$5") = b;
	register long r6 __asm__("$6") = c;
	register long r7 __asm__("$7") = d;
	__asm__ volatile(".set push\n\t"
			 ".set noreorder\n\t"
			 "addiu $29, $29, -32\n\t"
			 "sw %[e], 16($29)\n\t"
			 "sw %[f], 20($29)\n\t"
			 "syscall\n\t"
			 "addiu $29, $29, 32\n\t"
			 ".set pop"
			 : "+r"(r2), "+r"(r7)
			 : "r"(r4), "r"(r5), "r"(r6), [e] "r"(e), [f] "r"(f)
			 : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24",
			 "$25", "hi", "lo", "memory");
	return r7 ? -r2 : r2;
}

#endif

/*
 * The dynamic linker's list is where a pointer in the program says: at an address that is relative
 * to the entry of the dynamic section, or is constant.
 */
#define SYS_DEBUG(d)                                                                               \
	((d)->d_tag == DT_MIPS_RLD_MAP_REL                                                         \
			? *(const struct r_debug **)((uintptr_t)(d) + (d)->d_un.d_val)             \
			: (d)->d_tag == DT_MIPS_RLD_MAP && !base                                   \
			? *(const struct r_debug **)(d)->d_un.d_ptr                                \
			: NULL)

#ifndef LDX_SYS_H /* tools have their own */
/*
 * gcc calls memset() and memcpy() as global functions, which GNU ld demands of what is in the GOT
 * for calls.
 */
#define SYS_MEMORY __attribute__((externally_visible, visibility("hidden")))
void *memset(void *to, int byte, size_t n) __asm__("__ldx_memset");
void *memcpy(void *to, const void *from, size_t n) __asm__("__ldx_memcpy");
#endif

/* The register CC, of 32 bits: MIPS32 Architecture for Programmers, volume II, RDHWR. */
static inline uint64_t sys_ticks(void)
{
	unsigned long n;
	__asm__ volatile(".set push; .set mips32r2; rdhwr %0, $2; .set pop" : "=r"(n));
	return (uint32_t)n;
}

static inline uintptr_t sys_thread(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}

#endif
