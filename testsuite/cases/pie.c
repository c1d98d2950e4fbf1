/* Position independent and position dependent programs, with and without full RELRO. */
/* hazard: relaxed GOT load. */
//# each: -fPIE | -fno-pie -no-pie | -fPIE -pie -Wl,-z,now | -fno-plt -Wl,-z,relro
//# stdout: 5 7 main
#include <stdio.h>
#include <string.h>

static int (*volatile length)(const char *) = (int (*)(const char *))strlen;
static int seven(void) { return 7; }
static int (*table[])(void) = { seven };
static const char *const names[] = { __FILE__, "main" };

int main(void)
{
	printf("%d %d %s\n", length("12345"), table[0](), names[1]);
	return 0;
}
