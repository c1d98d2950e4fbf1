// The hint that an indirect call leads to a local function names this by its section and an addend.
//
// hazard: hint with an addend.
//# targets: mips64el; REL has no addend without a field
//# stdout: 90
//# report: twice 10
#include <stdio.h>

__asm__(".section .text.both, \"ax\"\n\t"
	".set push\n\t.set noreorder\n\t"
	".ent other\n\t.type other, @function\n"
	"other:\tbeqz $4, 1f\n\tnop\n\tjr $31\n\tli $2, 1\n"
	"1:\tjr $31\n\tli $2, 2\n\t"
	".end other\n\t.size other, . - other\n\t"
	".ent twice\n\t.type twice, @function\n"
	"twice:\tjr $31\n\taddu $2, $4, $4\n\t"
	".end twice\n\t.size twice, . - twice\n\t"
	".set pop\n\t.previous");
__attribute__((visibility("hidden"))) int twice(int n);

__attribute__((noinline, noipa)) static int call(int n)
{
	register int arg __asm__("$4") = n, result __asm__("$2");
	register int (*to)(int) __asm__("$25") = twice;
	__asm__ volatile(".set push\n\t.set noreorder\n\t"
			 ".reloc 1f, R_MIPS_JALR, .text.both + 24\n"
			 "1:\tjalr $25\n\tnop\n\t.set pop"
			 : "=r"(result), "+r"(to), "+r"(arg)
			 :
			 : "$31", "memory");
	return result;
}

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += call(i);
	return printf("%d\n", sum) < 0;
}
