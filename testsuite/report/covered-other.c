/* SPDX-License-Identifier: Apache-2.0 */
/* covered-other.c - another user of covered.h */
#include "covered.h"

int other(int x)
{
	int s = 0;
	for (int i = 0; i < x; i++)
		s += limited(i, 2, 5);
	return s;
}
