/* clang's table of the places where coverage is recorded: the first of a function is its address, each call is behind its place. */
//# targets: x86_64; clang has its library for no other
//# cc: clang-19
//# each: -fsanitize-coverage=trace-pc-guard,pc-table -O1 | -fsanitize-coverage=trace-pc-guard,pc-table,control-flow -O1 -ffunction-sections
//# stdout: 31 ok
#include <stdint.h>
#include <stdio.h>

struct place {
	uintptr_t pc, entry;
};
static struct place *places;
static unsigned *first, wrong = 1;

__attribute__((no_sanitize("coverage"))) void __sanitizer_cov_trace_pc_guard_init(unsigned *from, unsigned *to)
{
	(void)to;
	first = from;
}

__attribute__((no_sanitize("coverage"))) void __sanitizer_cov_pcs_init(struct place *from, struct place *to)
{
	(void)to;
	places = from;
}

__attribute__((no_sanitize("coverage"))) void __sanitizer_cov_cfs_init(const uintptr_t *from, const uintptr_t *to)
{
	(void)from;
	(void)to;
}

__attribute__((no_sanitize("coverage"))) void __sanitizer_cov_trace_pc_guard(unsigned *guard)
{
	uintptr_t from = (uintptr_t)__builtin_return_address(0), at = places[guard - first].pc;

	wrong += from <= at || from - at > 4000;
}

__attribute__((noinline)) static int sum(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += i % 3 ? i : n % 7 ? 1 : 2;
	return s;
}

__attribute__((no_sanitize("coverage"))) int main(int argc, char **argv)
{
	int s = sum(argc + 9);

	(void)argv;
	for (const struct place *p = places; p->entry & 1 && p->pc == (uintptr_t)sum; p++)
		wrong = wrong == 1 ? 0 : wrong;
	printf("%d %s\n", s, wrong ? "wrong" : "ok");
	return 0;
}
