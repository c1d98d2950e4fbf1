// Debug information in files of its own, which are not right after the link: lines and ranges stay.
//# each: -gdwarf-4 -gsplit-dwarf | -gdwarf-5 -gsplit-dwarf | -gdwarf-5 -gsplit-dwarf -ffunction-sections
//# stdout: 15
//# gone: DW_AT_(GNU_)?dwo_
#include <stdio.h>
static int twice(int x)
{
	int y = 0;
	for (int i = 0; i < x; i++)
		if (i & 1)
			y += i;
		else
			y += 2;
	return y;
}
__attribute__((noinline)) int shown(int n)
{
	int v = twice(n);
	return v;
}
int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", shown(argc + 5));
	return 0;
}
