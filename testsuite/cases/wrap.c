/* --wrap, --defsym, -u and -e: each applies once, not once for each link ldx makes. */
//# obj: -DPART2
//# ldflags: -Wl,--wrap=get -Wl,--defsym=other=real_other -Wl,-u,keep
//# stdout: 11 6
#include <stdio.h>
int get(void);
int __real_get(void);
int __wrap_get(void);
int other(void);
#ifdef PART2
int get(void) { return 1; }
int real_other(void);
int real_other(void) { return 6; }
int keep(void);
int keep(void) { return 0; }
#else
int __wrap_get(void) { return __real_get() + 10; }
int main(void)
{
	printf("%d %d\n", get(), other());
	return 0;
}
#endif
