/* A shared library in front of an archive keeps members of it out; one behind it does not. */
/* hazard: archive behind a library. */
//# targets: x86_64; the archives are those of this machine
//# cc: gcc
//# cflags: -O2
//# libs: -lz -l:libz.a -l:libbz2.a -lbz2
//# needs: /usr/lib/x86_64-linux-gnu/libbz2.a
//# stdout: 3610a686 1
#include <bzlib.h>
#include <stdio.h>
#include <zlib.h>

int main(void)
{
	char out[700];
	unsigned n = sizeof out;
	int bad = BZ2_bzBuffToBuffCompress(out, &n, (char *)"hello", 5, 1, 0, 0);

	printf("%lx %d\n", crc32(0, (const Bytef *)"hello", 5), !bad);
	return 0;
}
