/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.c - a main() for a fuzz target where there is no libFuzzer
 *
 *	replay PATH...		runs each file, and each in each directory, once;
 *				prints what it has to say
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max)
{
	(void)data;
	(void)max;
	return n;
}

static void run_file(const char *path)
{
	struct stat st;
	FILE *f = fopen(path, "rb");
	if (!f || fstat(fileno(f), &st)) {
		perror(path);
		exit(2);
	}
	size_t n = (size_t)st.st_size;
	uint8_t *data = malloc(n ? n : 1);
	printf("%s\n", path);
	fflush(stdout);
	if (!data || fread(data, 1, n, f) != n) {
		perror(path);
		exit(2);
	}
	fclose(f);
	LLVMFuzzerTestOneInput(data, n);
	fputs(fuzz_message(), stdout);
	free(data);
}

int main(int argc, char **argv)
{
	char path[4096];
	for (int i = 1; i < argc; i++) {
		DIR *d = opendir(argv[i]);
		if (!d)
			run_file(argv[i]);
		for (struct dirent *e; d && (e = readdir(d));) {
			if (e->d_name[0] == '.')
				continue;
			snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
			run_file(path);
		}
		if (d)
			closedir(d);
	}
	return 0;
}
