/* A thread that no libc made, without a thread pointer, has counters of its own. */
/* hazard: unseen thread start. */
//# targets: x86_64; its system calls are assembly
//# cflags: -O1 -fno-stack-protector -fno-pie -fcf-protection=none
//# ldflags: -nostdlib -static
//# stdout: 400000
//# report: step 400000
//# oracle: atomic
static int first, second, alive = 1;
static char stack[65536] __attribute__((aligned(16)));

static long call(long n, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;

	__asm__ volatile("syscall" : "+a"(n) : "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return n;
}

__attribute__((noinline)) static void step(int *p)
{
	__atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
}

__attribute__((used)) static void run(int *p)
{
	for (int i = 0; i < 200000; i++)
		step(p);
}

__attribute__((used)) static void all(void)
{
	char text[] = "000000\n";
	/* CLONE_VM | FS | FILES | SIGHAND | THREAD | SYSVSEM | CHILD_CLEARTID */
	__asm__ volatile("lea %c2(%%rip), %%r10; mov $56, %%eax; syscall; test %%eax, %%eax; jnz 1f;"
		"lea %c3(%%rip), %%rdi; call run; mov $60, %%eax; syscall; 1:"
		: : "D"(0x250f00L), "S"(stack + sizeof stack), "i"(&alive), "i"(&second), "d"(0L)
		: "rax", "rcx", "r8", "r9", "r10", "r11", "memory");
	run(&first);
	call(202, (long)&alive, 0, 1, 0);
	for (int i = 5, n = first + second; i >= 0; i--, n /= 10)
		text[i] = (char)('0' + n % 10);
	call(1, 1, (long)text, 7, 0);
	call(231, 0, 0, 0, 0);
}

__asm__(".globl _start; .type _start, @function; _start: and $-16, %rsp; call all; hlt;"
	".size _start, .-_start");
