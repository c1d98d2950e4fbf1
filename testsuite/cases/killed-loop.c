/* Killed in loops that count in registers: by induction variables, in arms, in both; some never left before. */
//# each: -O1 -DHOW=0 | -O2 -DHOW=0 | -O1 -DHOW=1 | -O2 -DHOW=1 | -O2 -DHOW=2 | -O2 -fPIC -DHOW=2
//# status: 139
//# says.x86_64: 1 call has not returned: the last iterations of its loop may be missing
//# oracle.x86_64: step stays=2 noinsns
//# oracle.emulated: no, the emulator tells nothing of a process that is killed
#define N __attribute__((noinline, noipa))

#ifdef __x86_64__
#define ADD(n, x) asm volatile("add %1,%0" : "+r"(n) : "ir"((long)(x)))
#define ADD1(n) asm volatile("inc %0" : "+r"(n))
#define LESS1(n) asm volatile("dec %0" : "+r"(n))
#else
#define ADD(n, x) asm volatile("" : "=r"(n) : "0"(n + (x)))
#define ADD1(n) ADD(n, 1)
#define LESS1(n) ADD(n, -1)
#endif

struct list { struct list *next; long a; };

/* the pointer is the only way out */
N static long walk(const struct list *l)
{
	long n = 0;
	for (; l != (void *)8; l = l->next)
		ADD(n, 3);
	return n;
}

N static long arms(const struct list *l)
{
	long odd = 0, even = 0;
	while (l != (void *)8) {
		if (l->a & 1)
			ADD1(odd);
		else
			LESS1(even);
		l = l->next;
	}
	return odd ^ even;
}

N static long find(const struct list *const *v, long end)
{
	long n = 0;
	for (long i = 0; i != end; i++)
		ADD(n, v[i]->a);
	return n;
}

int main(void)
{
	static struct list l[20];
	static const struct list *v[] = { l, l + 1, l + 2, (void *)8 };
	for (int i = 0; i < 20; i++)
		l[i] = (struct list){ i == 19 ? (void *)8 : l + i + 1, i };
	if (HOW && walk(l) + arms(l) + find(v, 3) == 77)
		return 1;
	l[18].next = 0;
	return (int)(HOW == 0 ? walk(l) : HOW == 1 ? arms(l) : find(v, 10));
}
