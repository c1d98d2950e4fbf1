/* SPDX-License-Identifier: Apache-2.0 */
/* covered.h - code that is compiled into several places */

static inline int limited(int x, int least, int most)
{
	if (x < least)
		return least;
	return x > most ? most : x;
}

int other(int x);
