/*
 * A function that ends with its first instruction, where control never continues: what is inserted behind it is at the end
 * of its unwind entry, and of the section.
 */
//# targets: x86_64; it is counted behind endbr64
//# cflags: -fcf-protection=full -O2
//# stdout: 3
#include <stdio.h>

void never(void);
void (*volatile address)(void) = never;

int main(void)
{
	puts(address ? "3" : "");
	return 0;
}

__attribute__((section(".text.never"))) void never(void)
{
	__builtin_unreachable();
}
