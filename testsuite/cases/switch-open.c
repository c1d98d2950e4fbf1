// A jump by table leads to its function's labels only: what targets of indirect calls read is not
// live in front of it.
//# targets: riscv64; it names a register
//# each: -O2 | -O2 -static
//# stdout: 1836
#include <stdio.h>
__attribute__((noipa)) static long reads(void)
{
	long x;
	__asm__ volatile("mv %0, t1" : "=r"(x));
	return x & 0;
}
static long (*volatile call)(void) = reads;
struct item {
	int *p;
	signed char kind;
};
struct stack {
	int top, bottom;
	struct item *item;
};
static struct item none;
__attribute__((noipa)) static int leaf(const struct stack *s, int i)
{
	i = i < 0 ? s->top + i : s->bottom + i;
	const struct item *t = i < 0 || i >= s->top ? &none : s->item + i;
	switch (t->kind) {
	case 0: return 3;
	case 1: return 1;
	case 2: return 7;
	case 3: return 9;
	case 4: return 11;
	case 5: return 2;
	case 6: return *t->p == 4 ? 5 : 6;
	default: return 4;
	}
}
int main(void)
{
	struct item item[9];
	struct stack s = {9, 2, item};
	int sum = (int)call();
	for (int i = 0; i < 9; i++)
		item[i] = (struct item){&s.top, (signed char)i};
	for (int i = 0; i < 360; i++)
		sum += leaf(&s, i % 20 - 10);
	printf("%d\n", sum);
}
