/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock FILE r|w FROM LENGTH: opens the file for reading (or writing), locks a part of it, prints
 * "locked" and stays so until it is killed.  LENGTH 0: to the end, wherever that will be.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	int reads = argv[2][0] == 'r', fd = open(argv[1], reads ? O_RDONLY : O_RDWR);
	struct flock l = {.l_type = reads ? F_RDLCK : F_WRLCK, .l_start = atol(argv[3]),
		.l_len = atol(argv[4])};
	if (fd < 0 || fcntl(fd, F_OFD_SETLK, &l))
		return 1;
	puts("locked");
	fflush(stdout);
	for (;;)
		pause();
}
