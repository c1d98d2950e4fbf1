/* SPDX-License-Identifier: Apache-2.0 */
/*
 * afl-routines.c - AFL++'s map and fork server
 *
 * The shared memory is mapped in place of the map, so that a place is found without a pointer. What
 * is executed before the process begins, and without afl-fuzz, is marked in memory of the program.
 */
#include <ldx/sys.h>

enum { MAP = 1 << 20, CONTROL = 198, STATUS = 199 };
/* What the fork server says first: that it has options, and which. */
#define OPTIONS 0x80000001u
#define HAS_SIZE 0x40000000u
enum { PAGE = 4096 };

uint8_t map[MAP] __attribute__((aligned(4096)));

#ifdef __NR_shmat
#define SHMAT(id) ldx_syscall(__NR_shmat, id, 0, 0, 0, 0, 0)
#define SHMDT(at) ldx_syscall(__NR_shmdt, at, 0, 0, 0, 0, 0)
#else
#define SHMAT(id) attach_by_ipc(id)
#define SHMDT(at) ldx_syscall(__NR_ipc, 22, 0, 0, 0, at, 0)
static long attach_by_ipc(long id)
{
	long at, failed = ldx_syscall(__NR_ipc, 21, id, 0, (long)&at, 0, 0);
	return failed ? failed : at;
}
#endif

/* AFL++'s map may be larger, and then only its begin is mapped here. */
static int attach(long id, size_t size)
{
	long at = SHMAT(id);
	if (at < 0 && at > -4096)
		return 0;
	long r = ldx_syscall(__NR_mremap, at, (long)size, (long)size, MREMAP_MAYMOVE | MREMAP_FIXED,
		(long)map, 0);
	SHMDT(at);
	return r == (long)map;
}

/* Each run is a child, which goes on with the program; the parent stays here. */
static void serve(void)
{
	for (;;) {
		int killed, status, pid;
		if (ldx_read(CONTROL, &killed, sizeof killed) != sizeof killed)
			ldx_exit(0);
		pid = ldx_fork();
		if (!pid) {
			ldx_close(CONTROL);
			ldx_close(STATUS);
			return;
		}
		if (pid < 0 || ldx_write(STATUS, &pid, sizeof pid) != sizeof pid ||
			ldx_wait(pid, &status) < 0 ||
			ldx_write(STATUS, &status, sizeof status) != sizeof status)
			ldx_exit(1);
	}
}

LDX_ROUTINE void begin(unsigned long size)
{
	char id[32];
	uint32_t hello = OPTIONS | HAS_SIZE | (uint32_t)((size + 63) / 64 * 64 - 1) << 1;
	if (!ldx_environment("__AFL_SHM_ID", id, sizeof id))
		return;
	/* afl-fuzz has a larger map when it has read the size, and then starts again */
	attach((long)ldx_decimal(id), (size + PAGE - 1) / PAGE * PAGE);
	map[0] = 1;
	if (ldx_write(STATUS, &hello, sizeof hello) == sizeof hello)
		serve();
}
