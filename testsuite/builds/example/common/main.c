/* SPDX-License-Identifier: Apache-2.0 */
/* prog N: N added up one by one. */
#include <stdio.h>
#include <stdlib.h>

int add(int a, int b);

int main(int argc, char **argv)
{
	int sum = 0;
	int n = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 0; i < n; i++)
		sum = add(sum, 1);
	printf("%d\n", sum);
	return 0;
}
