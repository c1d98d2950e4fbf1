/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldx.h - control of the counters from inside the program
 *
 * Each function acts on the counters of the object that calls it, the program or a shared object,
 * in this process and all its threads.  In what was not linked by ldx, or without counters, they do
 * nothing and return -1; so a program may call them always.  They return 0 when done, and -1 when
 * nothing is counted or there is no memory.  They may be called in signal handlers.
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
 * Write what this process has counted, since it began or since ldx_reset(), to a profile of its
 * own: file, in which %p and the like stand for what they do in LDX_PROFILE_FILE.  Counting goes
 * on.
 */
static inline int ldx_dump(const char *file)
{
	return __ldx_control_dump ? __ldx_control_dump(file) : -1;
}

/* Take back what this process has counted. */
static inline int ldx_reset(void)
{
	return __ldx_control_reset ? __ldx_control_reset() : -1;
}

/* From here on nothing is counted, in this process and in those it forks, */
static inline int ldx_stop(void)
{
	return __ldx_control_stop ? __ldx_control_stop() : -1;
}

/* until here. */
static inline int ldx_start(void)
{
	return __ldx_control_start ? __ldx_control_start() : -1;
}

#ifdef __cplusplus
}
#endif

#endif
