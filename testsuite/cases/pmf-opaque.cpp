// A member function that is not understood: bit 0 of a pointer to it stays 0 with code in front of it.
// hazard: odd function address.
//# targets: x86_64
//# opaque: _ZN1A1bEv
//# stdout: 7 5
#include <cstdio>

struct A {
	int x;
	int b();
	int c();
};
int A::c() { return x + 1; }
asm(".text\n\t.p2align 4\n\t.globl _ZN1A1bEv\n\t.type _ZN1A1bEv, @function\n"
    "_ZN1A1bEv: mov (%rdi), %eax\n\tlea 1f(%rip), %rcx\n\tmov %eax, %edx\n\tand $1, %edx\n"
    "\tlea (%rcx,%rdx,4), %rcx\n\tjmp *%rcx\n1:\tnop\n\tnop\n\tnop\n\tnop\n\tadd $3, %eax\n\tret\n"
    "\t.size _ZN1A1bEv, . - _ZN1A1bEv");
[[gnu::noipa]] static int call(A *a, int (A::*p)()) { return (a->*p)(); }

int main()
{
	A a{4};

	std::printf("%d %d\n", call(&a, &A::b), call(&a, &A::c));
}
