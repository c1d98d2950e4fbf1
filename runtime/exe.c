/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exe.c - the start of a program, which reads its initial stack
 */
#include "runtime/rt.h"

#pragma GCC visibility push(hidden)
RT_ENTRY void __ldx_main(const uintptr_t *stack);
#pragma GCC visibility pop

/* The strings of argv are adjacent, as the kernel writes them. */
static void read_command(struct rt_start *s, char *const *argv, uintptr_t argc)
{
	if (!argc)
		return;
	const char *end = argv[0];
	for (uintptr_t i = 0; i < argc && argv[i] == end; i++)
		end += __ldx_length(end) + 1;
	s->command = argv[0];
	s->command_size = (size_t)(end - argv[0]);
}

void __ldx_main(const uintptr_t *stack)
{
	struct rt_start s = {.file = NULL};
	uintptr_t secure = 1;
	__ldx_early();
	read_command(&s, (char **)(stack + 1), stack[0]);
	const uintptr_t *p = stack + 1 + stack[0] + 1;
	for (; *p; p++) {
		const char *file = __ldx_after((const char *)*p, "LDX_PROFILE_FILE=");
		const char *log = __ldx_after((const char *)*p, "LDX_PROFILE_LOG=");
		const char *test = __ldx_after((const char *)*p, "LDX_TEST=");
		s.file = s.file ? s.file : file;
		s.log = s.log ? s.log : log;
		s.test = s.test ? s.test : test;
	}
	for (p++; *p != AT_NULL; p += 2) {
		switch (*p) {
		case AT_SECURE: secure = p[1]; break;
		case AT_PHDR: s.phdr = (const ElfW(Phdr) *)p[1]; break;
		case AT_PHNUM: s.phnum = p[1]; break;
		case AT_HWCAP2: s.hwcap2 = p[1]; break;
		case AT_RANDOM: s.random = p[1]; break;
		case AT_EXECFN: s.own = (const char *)p[1]; break;
		}
	}
	if (!secure)
		__ldx_begin(&s);
}
