// gcc's -pg on MIPS passes the return address to _mcount in $1, and code may stand between
//# targets: mips mipsel; others pass it on the stack or as an argument, mips64el has no absolute calls here
//# cc: gcc
//# cflags: -O1 -fno-pie -no-pie -mplt -mno-shared
//# oracle: qemu
//# stdout: 65
// hazard: argument of the profiler.
#include <stdio.h>

asm(".text\n\t.globl work\n\t.type work, @function\nwork:\n\t.set noreorder\n\t.set noat\n\t"
	"move $1, $31\n\tbeqz $4, 1f\n\tnop\n\taddiu $4, $4, 1\n1:\taddiu $sp, $sp, -8\n\t"
	"jal _mcount\n\tnop\n\tjr $31\n\tmove $2, $4\n\t.size work, .-work\n\t.set reorder\n\t.set at");

int work(int n);

int main(void)
{
	int sum = 0;
	for (int i = 0; i <= 10; i++)
		sum += work(i);
	printf("%d\n", sum);
}
