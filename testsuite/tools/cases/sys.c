/* What ldx/sys.h has: system calls, memory, text and numbers, in a routine that has no C library. */
#if defined ASKS
#include <ldx/tool.h>

static void instrument(const ldx_object *o)
{
	ldx_arg text = ldx_string("LDX_TEST_VALUE");
	(void)o;
	ldx_set_size("seen", 12 * sizeof(uint64_t));
	if (!ldx_call(ldx_at_event(LDX_EVENT_BEGIN), "begin", 1, &text))
		ldx_fail("%s", ldx_refused());
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "sys", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/sys.h>

LDX_THREAD uint64_t seen[1];
struct big {
	char text[80];
};

static int shown(uint64_t n, unsigned base, const char *want)
{
	struct big text = {"xxxx"}, copy;
	char *end = ldx_digits(text.text, n, base);
	copy = text;
	return *end == 0 && (size_t)(end - text.text) == ldx_length(want) &&
		!ldx_compare(copy.text, want, ldx_length(want) + 1);
}

LDX_ROUTINE void begin(const char *name)
{
	char value[16];
	char *memory = ldx_mmap(100000);
	ldx_add(seen, [0], memory && !memory[0] && !memory[99999]);
	ldx_fill(memory, 7, 100000);
	ldx_add(seen, [1], memory[0] == 7 && memory[99999] == 7);
	ldx_add(seen, [2], ldx_munmap(memory, 100000) == 0);
	ldx_add(seen, [3], shown(0, 10, "0") && shown(UINT64_MAX, 10, "18446744073709551615"));
	ldx_add(seen, [4], shown(0xfedcba9876543210, 16, "fedcba9876543210") && shown(5, 2, "101"));
	ldx_add(seen, [5], ldx_decimal("4294967296x"));
	ldx_add(seen, [6], ldx_getpid() > 0 && ldx_getpid() == ldx_gettid());
	uint64_t before = ldx_clock();
	ldx_add(seen, [7], before > 1000000 && ldx_clock() >= before);
	ldx_add(seen, [8], ldx_behind("prefix", "pre")[0] == 'f' && !ldx_behind("pre", "prefix"));
	ldx_add(seen, [9], !ldx_environment(name, value, sizeof value) && !value[0] &&
			ldx_environment("PATH", value, 2) && value[0] && !value[1]);
	int fd = ldx_open("/dev/null", O_RDWR, 0);
	ldx_add(seen, [10], fd > 2 && ldx_write(fd, "x", 1) == 1 && !ldx_read(fd, value, 1) &&
			ldx_close(fd) == 0 && ldx_close(fd) == -9);
	int status = 0, child = ldx_fork();
	if (!child)
		ldx_exit(3);
	ldx_add(seen, [11], ldx_wait(child, &status) == child && status == 3 << 8);
}
#else
#include <stdio.h>

int main(void)
{
	for (int i = 0; i < 12; i++)
		printf("seen %d %llu\n", i, i == 5 ? 1ULL << 32 : 1);
	return 0;
}
#endif
