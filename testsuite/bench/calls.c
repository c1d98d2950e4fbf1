/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - what compilers' instrumentation calls, doing what the routines of probe-routines.c do
 */
#include <stdint.h>

#define PLAIN __attribute__((no_instrument_function, no_sanitize("coverage")))

static uint64_t executed[4096];

void __sanitizer_cov_trace_pc_guard_init(uint32_t *from, uint32_t *to) PLAIN;
void __sanitizer_cov_trace_pc_guard(uint32_t *guard) PLAIN;
void __cyg_profile_func_enter(void *function, void *from) PLAIN;
void __cyg_profile_func_exit(void *function, void *from) PLAIN;

void __sanitizer_cov_trace_pc_guard_init(uint32_t *from, uint32_t *to)
{
	for (uint32_t n = 0; from + n < to; n++)
		from[n] = n % 4096;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
	executed[*guard]++;
}

void __cyg_profile_func_enter(void *function, void *from)
{
	(void)from;
	executed[(uintptr_t)function / 16 % 4096]++;
}

void __cyg_profile_func_exit(void *function, void *from)
{
	(void)from;
	executed[(uintptr_t)function / 16 % 4096]++;
}
