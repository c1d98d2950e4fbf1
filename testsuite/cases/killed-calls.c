/* Killed in nested calls: all executed blocks are reported, others with a count of one at most. */
//# each: -O0 | -O1 | -O2 | -O2 -fno-pie -no-pie
//# status: 139
//# oracle.x86_64: step stays=4 noinsns
//# oracle.emulated: no, the emulator tells nothing of a process that is killed
#define N __attribute__((noinline, noipa))

N static long last(const long *p, long n)
{
	if (n & 1)
		asm volatile("" : : "r"(n));
	return *p;
}

N static long work(const long *p, long n)
{
	long s = n;
	for (long i = 0; i < n; i++) {
		if (i & 1)
			s += last(i > 6 ? (long *)8 : p, i);
		else
			asm volatile("" : "+r"(s));
	}
	return s;
}

N static long outer(const long *p, long a, long b)
{
	if (!a)
		return b;
	long s = a > 5 ? work(p, a) * 2 : work(p, b);
	return s > 7 ? s + 1 : s;
}

int main(void)
{
	long one = 1;
	if (outer(&one, 0, 7) != 7)
		return 1;
	if (outer(&one, 1, 2) > 0)
		return (int)outer(&one, 10, 3);
	return 2;
}
