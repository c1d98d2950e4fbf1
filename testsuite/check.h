/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - conditions that a test program checks, and what it says of them at its end
 */
#ifndef LDX_TESTSUITE_CHECK_H
#define LDX_TESTSUITE_CHECK_H

#include <stdio.h>

static unsigned failures, tests;

#define CHECK(cond, ...)                                                                           \
	do {                                                                                       \
		tests++;                                                                           \
		if (!(cond)) {                                                                     \
			printf("%s:%d: ", __FILE__, __LINE__);                                     \
			printf(__VA_ARGS__);                                                       \
			printf("\n");                                                              \
			failures++;                                                                \
		}                                                                                  \
	} while (0)

/* main()'s result. */
static int check_report(void)
{
	printf("%u tests, %u failures\n", tests, failures);
	return failures != 0;
}

#endif
