/* A static PIE: counters are used before it has relocated itself. */
/* hazard: code before start-up. */
//# targets: x86_64 aarch64; the C libraries of others have no start file of such programs
//# cflags: -fPIE
//# ldflags: -static-pie
//# stdout: 4950 xyz
//# oracle: qemu
//# oracle.x86_64: skip=__strcmp_avx2,__strncmp_avx2,_dl_relocate_static_pie,__libc_setup_tls,_dl_non_dynamic_init,_dl_aux_init
#include <stdio.h>

static const char *words[] = { "abc", "xyz" };

int main(int argc, char **argv)
{
	int s = 0;

	(void)argv;
	for (int i = 0; i < 100; i++)
		s += i;
	printf("%d %s\n", s, words[argc]);
	return 0;
}
