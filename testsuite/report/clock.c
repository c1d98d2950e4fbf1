/* SPDX-License-Identifier: Apache-2.0 */
/* A clock by which a second passes each time it is read, and nobody has to wait. */
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *t)
{
	static time_t seconds;
	(void)id;
	*t = (struct timespec){.tv_sec = ++seconds};
	return 0;
}
