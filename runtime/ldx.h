/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldx.h - control of the counters from inside the program
 *
 * Each function acts on the counters of the object that calls it, the program or a shared object,
 * in this process and all its threads.  In an object that was linked without ldx or without
 * counters, they do nothing and return -1, so calls may stay in the program.  They return 0 when
 * done, and -1 when nothing is counted or there is no memory.  Signal handlers may call them.
 */
#ifndef LDX_H
#define LDX_H

#ifdef __cplusplus
extern "C" {
#endif

int __ldx_control_dump(const char *file) __attribute__((weak));
int __ldx_control_reset(void) __attribute__((weak));
int __ldx_control_stop(void) __attribute__((weak));
int __ldx_control_start(void) __attribute__((weak));

/*
 * Write the counts of this process, since its start or ldx_reset(), to a profile of its own called
 * file, in which %p and the like have the same meaning as in LDX_PROFILE_FILE.  Counting continues.
 */
static inline int ldx_dump(const char *file)
{
	return __ldx_control_dump ? __ldx_control_dump(file) : -1;
}

/* Discard the counts of this process so far. */
static inline int ldx_reset(void)
{
	return __ldx_control_reset ? __ldx_control_reset() : -1;
}

/* Stop counting, in this process and in those it forks, until ldx_start(). */
static inline int ldx_stop(void)
{
	return __ldx_control_stop ? __ldx_control_stop() : -1;
}

/* Resume counting. */
static inline int ldx_start(void)
{
	return __ldx_control_start ? __ldx_control_start() : -1;
}

#ifdef __cplusplus
}
#endif

#endif
