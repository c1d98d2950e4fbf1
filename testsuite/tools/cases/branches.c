/*
 * Whether branches are taken, where indirect ones lead, where functions return to, what is stored and
 * loaded: all as edges, arguments and the program say.
 */
//# flags: -O2 -fno-inline -fno-optimize-sibling-calls -fno-tree-vectorize -fno-toplevel-reorder
#if defined ASKS
#include <ldx/tool.h>
#include <stdio.h>
#include <string.h>

static void must(bool asked, const ldx_insn *i)
{
	if (!asked)
		ldx_fail("%s: %s", ldx_insn_text(i), ldx_refused());
}

static void ask_branch(const ldx_insn *i, unsigned id)
{
	ldx_arg arg[] = {ldx_number(id), ldx_branch_taken(i)};
	must(ldx_call(ldx_before(i), "branch", 2, arg), i);
}

static void ask_edges(const ldx_func *f)
{
	for (const ldx_edge *e = NULL; (e = ldx_next_edge(f, e));)
		if (ldx_edge_kind(e) == LDX_EDGE_TAKEN && ldx_block_end(ldx_edge_from(e)) == LDX_END_BRANCH) {
			ldx_arg id = ldx_number(ldx_block_id(ldx_edge_from(e)) & 63);
			if (!ldx_call(ldx_at_edge(e), "edge", 1, &id))
				ldx_fail("%s", ldx_refused());
		}
}

static void ask(const ldx_func *f, const ldx_block *b, const ldx_insn *i)
{
	const char *name = ldx_func_name(f);
	unsigned class = ldx_insn_class(i);
	ldx_arg call[] = {ldx_target(i), ldx_call_arg(1), ldx_target(i), ldx_target(i)};
	ldx_arg ret = ldx_target(i);
	if (!strcmp(name, "work1") && class & LDX_CLASS_BRANCH)
		ask_branch(i, ldx_block_id(b) & 63);
	if (!strcmp(name, "work2") && class & LDX_CLASS_CALL && class & LDX_CLASS_INDIRECT)
		must(ldx_call(ldx_before(i), "call", 4, call), i);
	if (!strncmp(name, "leaf", 4) && class & LDX_CLASS_RETURN)
		must(ldx_call(ldx_before(i), "leave", 1, &ret), i);
	for (unsigned n = 0; !strcmp(name, "work3") && n < ldx_insn_accesses(i); n++) {
		ldx_arg value = ldx_access_value(i, n);
		bool stores = ldx_access_kind(i, n) & LDX_ACCESS_WRITE;
		if (!(class & (LDX_CLASS_RETURN | LDX_CLASS_JUMP | LDX_CLASS_BRANCH)))
			must(ldx_call(stores ? ldx_before(i) : ldx_after(i), stores ? "store" : "load", 1,
				     &value), i);
	}
}

static void instrument(const ldx_object *o)
{
	ldx_arg back = ldx_return_address(), is = ldx_call_arg(0);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		if (!strncmp(ldx_func_name(f), "leaf", 4) && !ldx_call(ldx_at_entry(f), "enter", 1, &back))
			ldx_fail("%s", ldx_refused());
		if (!strcmp(ldx_func_name(f), "told") && !ldx_call(ldx_at_entry(f), "tell", 1, &is))
			ldx_fail("%s", ldx_refused());
		if (!strcmp(ldx_func_name(f), "work1"))
			ask_edges(f);
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
				ask(f, b, i);
	}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "branches", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t differ[64], some[3], wrong[4], calls[1], stored[1], loaded[1], back[1];

LDX_ROUTINE void branch(unsigned long id, unsigned long taken)
{
	ldx_add(differ, [id], taken);
	ldx_data(some, [taken < 2 ? taken : 2]) = 1;
}
LDX_ROUTINE void edge(unsigned long id)
{
	ldx_add(differ, [id], -1ul);
#if __SIZEOF_POINTER__ == 4
	ldx_add(differ, [id], (uint64_t)-1 << 32);
#endif
}
LDX_ROUTINE void call(unsigned long target, unsigned long function, unsigned long third,
	unsigned long fourth)
{
	ldx_add(calls, [0], 1);
	ldx_add(wrong, [0], target != function || third != function || fourth != function);
}
LDX_ROUTINE void enter(unsigned long to)
{
	ldx_data(back, [0]) = to;
}
LDX_ROUTINE void leave(unsigned long to)
{
	ldx_add(wrong, [1], to != ldx_data(back, [0]));
}
LDX_ROUTINE void tell(unsigned long to)
{
	ldx_add(wrong, [2], to != ldx_data(back, [0]));
}
LDX_ROUTINE void store(unsigned long value)
{
	ldx_add(stored, [0], value);
}
LDX_ROUTINE void load(unsigned long value)
{
	ldx_add(loaded, [0], value);
}
#else
#include <stdio.h>

struct mixed {
	unsigned char c;
	signed char sc;
	unsigned short s;
	short ss;
	int i;
	unsigned long l;
};

__attribute__((noipa)) int work1(long a, long b, unsigned long c, int d)
{
	int n = 0;
	if (a < b)
		n += 1;
	else if (a == b)
		n += __builtin_expect(d > 0, 1) ? d : 3;
	for (unsigned long k = 0; k < c; k++) {
		if (k & 4)
			n ^= d;
		if (d >= 0 && (long)k <= a)
			n += 5;
		__asm__ volatile("" : "+r"(n));
	}
	if (!d || a > 100)
		n--;
	return n;
}
static unsigned long now;
__attribute__((noipa)) void told(unsigned long to)
{
	now = to;
}
__attribute__((noipa)) long leaf1(long n, void *self)
{
	return n + (self != 0);
}
__attribute__((noipa)) long leaf2(long n, void *self)
{
	return n * 2 - (self != 0);
}
__attribute__((noipa)) long leaf3(long n, void *self)
{
	told((unsigned long)__builtin_return_address(0));
	return n + (self != 0);
}
typedef long function(long, void *);
function *volatile table[3] = {leaf1, leaf2, leaf3};
__attribute__((noipa)) long work2(unsigned i)
{
	function *f = table[i % 3];
	return f(i, (void *)f) + table[0](i, (void *)leaf1);
}
__attribute__((noipa)) void work3(volatile struct mixed *p, volatile struct mixed *q)
{
	q->c = p->c;
	q->sc = p->sc;
	q->s = p->s;
	q->ss = p->ss;
	q->i = p->i;
	q->l = p->l;
}

int main(void)
{
	unsigned long loads = 0;
	struct mixed p = {0}, q;
	long sum = 0;
	for (int i = 0; i < 60; i++) {
		sum += work1(i % 7 - 3, i % 5 - 2, i % 9, i % 4 - 1) + work2(i);
		p = (struct mixed){i * 3, -i, i * 999, -i * 77, -i * 65537, i * 123456789ul};
		work3(&p, &q);
		loads += p.c + (unsigned char)p.sc + p.s + (unsigned short)p.ss;
		loads += p.l;
		loads += (unsigned)p.i;
	}
	fprintf(stderr, "%ld %lu\n", sum, now);
	for (int i = 0; i < 64; i++)
		printf("differ %d 0\n", i);
	puts("some 0 1\nsome 1 1\nsome 2 0\nwrong 0 0\nwrong 1 0\nwrong 2 0\ncalls 0 120");
	unsigned long long all = 0;
	for (int i = 0; i < 60; i++) {
		p = (struct mixed){i * 3, -i, i * 999, -i * 77, -i * 65537, i * 123456789ul};
		all += (unsigned long long)p.c + (unsigned char)p.sc + p.s + (unsigned short)p.ss +
			(unsigned)p.i + p.l;
	}
	printf("stored 0 %llu\nloaded 0 %llu\n", all, all);
	return loads == 7;
}
#endif
