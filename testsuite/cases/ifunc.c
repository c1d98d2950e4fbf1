/* IFUNC: resolvers run before all other code, in dynamic and static programs. */
/* hazard: code before start-up. */
//# targets: x86_64 aarch64 riscv64; MIPS has no IFUNC
//# each: | -static | -fno-pie -no-pie
//# each.x86_64: -static-pie -fPIE
//# each.aarch64: -static-pie -fPIE
//# stdout: 30 3
//# oracle: qemu
#include <stdio.h>

static int resolved = 1;
static int triple(int x) { return 3 * x; }
static int twice(int x) { return 2 * x; }
static int (*resolve(void))(int) { return resolved ? triple : twice; }
int times(int) __attribute__((ifunc("resolve")));
static int (*volatile pointer)(int) = times;

int main(void)
{
	printf("%d %d\n", times(10), pointer(1));
	return 0;
}
