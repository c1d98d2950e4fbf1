/* Constructors and destructors with priorities, atexit, preinit_array, in two objects. */
//# obj: -DPART2
//# each: -O0 | -O2 -static
//# stdout: pre c101 c150 c200 cA cB main exit dB dA d200 d101
//# oracle: qemu
#include <stdio.h>
#include <stdlib.h>
#define SAY(s) fputs(s, stdout)
#ifdef PART2
__attribute__((constructor(150))) static void c150(void) { SAY("c150 "); }
__attribute__((constructor)) static void cb(void) { SAY("cB "); }
__attribute__((destructor)) static void db(void) { SAY("dB "); }
#else
static void pre(void) { SAY("pre "); }
__attribute__((section(".preinit_array"), used)) static void (*preinit)(void) = pre;
__attribute__((constructor(200))) static void c200(void) { SAY("c200 "); }
__attribute__((constructor(101))) static void c101(void) { SAY("c101 "); }
__attribute__((constructor)) static void ca(void) { SAY("cA "); }
__attribute__((destructor)) static void da(void) { SAY("dA "); }
__attribute__((destructor(101))) static void d101(void) { SAY("d101\n"); }
__attribute__((destructor(200))) static void d200(void) { SAY("d200 "); }
static void at_exit(void) { SAY("exit "); }
int main(void)
{
	atexit(at_exit);
	SAY("main ");
	return 0;
}
#endif
