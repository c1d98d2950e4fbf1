/* A static program with all of glibc instrumented: printf, malloc, locale, stdio to exit. */
//# ldflags: -static
//# stdout: 3.14 abc 1000000
//# oracle: qemu
//# oracle.x86_64: skip=__strcmp_avx2,__strncmp_avx2,__libc_setup_tls,_dl_non_dynamic_init,_dl_aux_init
//# report: twice 100
//# opaque:
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline, noipa)) static int twice(int x) { return 2 * x; }

int main(void)
{
	char *s = malloc(2000000);
	int n = 0;

	setlocale(LC_ALL, "");
	for (int i = 0; i < 100; i++)
		n += twice(i) & 1;
	memset(s, 'a', 1000000 + n);
	s[1000000] = 0;
	printf("%.2f %s %zu\n", 3.14159, "abc", strlen(s));
	free(s);
	return 0;
}
