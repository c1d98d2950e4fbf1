/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object that counts: 0: its initialiser, 1: object_work(), 2: its finaliser. */
#include "count.h"

void object_work(long n);

__attribute__((constructor(101))) static void init(void)
{
	COUNT(0);
}

__attribute__((destructor)) static void fini(void)
{
	COUNT(2);
}

void object_work(long n)
{
	while (n--)
		COUNT(1);
}
