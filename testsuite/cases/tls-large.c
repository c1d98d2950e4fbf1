/* Thread-local data in the large code model: gcc calls __tls_get_addr as only GNU ld understands. */
/* hazard: TLS sequence. */
/* hazard: GOT counted from a label. */
//# targets: x86_64; only there compilers have this code model
//# cflags: -mcmodel=large -fPIC
//# stdout: 42 2
//# report: add 1
#include <stdio.h>

__thread int counter = 40;
static __thread int own;

__attribute__((noinline)) int add(int n)
{
	counter += n;
	return own += n;
}

int main(void)
{
	int n = add(2);
	printf("%d %d\n", counter, n);
	return 0;
}
