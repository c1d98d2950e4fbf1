/* SPDX-License-Identifier: Apache-2.0 */
/*
 * so.c - the start of a shared object, when the program starts or at a dlopen()
 *
 * Not every libc passes the arguments to initialisers, and the program may have
 * overwritten or moved its environment, so both are read from /proc.
 */
#include "runtime/rt.h"
#include "runtime/sys.h"

static char file[RT_PATH], log_file[RT_PATH], test[RT_PATH], command[2048];
static char handle; /* only its address counts */

/* The struct ldx_entry in front of the entry point, if the program has counters. */
static const struct ldx_entry *find_entry(const struct rt_start *s, uintptr_t entry)
{
	uintptr_t base = 0;
	const struct ldx_entry *e = (const struct ldx_entry *)(entry - sizeof *e);
	for (size_t i = 0; s->phdr && i < s->phnum; i++)
		if (s->phdr[i].p_type == PT_PHDR)
			base = (uintptr_t)s->phdr - s->phdr[i].p_vaddr;
	for (size_t i = 0; s->phdr && i < s->phnum; i++) {
		const ElfW(Phdr) *p = &s->phdr[i];
		uintptr_t off = (uintptr_t)e - base - p->p_vaddr;
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_R) || p->p_filesz < sizeof *e ||
			off > p->p_filesz - sizeof *e || e->magic != LDX_ENTRY_MAGIC)
			continue;
		const struct ldx_info *info = rt_at(&e->info);
		return info->magic == LDX_INFO_MAGIC && info->ncounters ? e : NULL;
	}
	return NULL;
}

/* Read the auxiliary vector.  False: unreadable, or the process has elevated privileges. */
static bool read_auxv(struct rt_start *s)
{
	ElfW(auxv_t) av[64];
	int fd = (int)sys_open("/proc/self/auxv", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	long n = sys_read(fd, av, sizeof av);
	sys_close(fd);
	uintptr_t secure = 1, entry = 0;
	for (long i = 0; i < n / (long)sizeof av[0]; i++) {
		switch (av[i].a_type) {
		case AT_SECURE: secure = av[i].a_un.a_val; break;
		case AT_PHDR: s->phdr = (const ElfW(Phdr) *)av[i].a_un.a_val; break;
		case AT_PHNUM: s->phnum = av[i].a_un.a_val; break;
		case AT_ENTRY: entry = av[i].a_un.a_val; break;
		case AT_BASE: s->loader = av[i].a_un.a_val; break;
		case AT_RANDOM: s->random = av[i].a_un.a_val; break;
		case AT_HWCAP2: s->hwcap2 = av[i].a_un.a_val; break;
		}
	}
	s->entry = find_entry(s, entry);
	return !secure;
}

/* NULL, or a copy of a variable's value; *fits is false when it is too long. */
static const char *copy_value(const char *value, char *to, bool *fits)
{
	for (size_t i = 0; value && (to[i] = value[i]); i++)
		if (i + 2 == RT_PATH) {
			*fits = false;
			return NULL;
		}
	return value ? to : NULL;
}

static bool read_environ(struct rt_start *s)
{
	bool fits = true;
	if (!__ldx_records_open(&__ldx_records, "/proc/self/environ", '\0'))
		return true;
	for (char *r; fits && (r = __ldx_records_next(&__ldx_records));) {
		if (!s->file)
			s->file = copy_value(__ldx_after(r, "LDX_PROFILE_FILE="), file, &fits);
		if (!s->log)
			s->log = copy_value(__ldx_after(r, "LDX_PROFILE_LOG="), log_file, &fits);
		if (!s->test)
			s->test = copy_value(__ldx_after(r, "LDX_TEST="), test, &fits);
	}
	__ldx_records_close(&__ldx_records);
	return fits;
}

static void read_command(struct rt_start *s)
{
	int fd = (int)sys_open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	long n = sys_read(fd, command, sizeof command - 1);
	sys_close(fd);
	s->command = command;
	s->command_size = n > 0 ? (size_t)n : 0;
}

static void __ldx_loaded(void)
{
	struct rt_start s = {.dso = &handle};
	if (!read_auxv(&s) || !read_environ(&s))
		return;
	read_command(&s);
	__ldx_begin(&s);
}

static void __ldx_unloaded(void)
{
	__ldx_ended();
	__ldx_threads_end();
	__ldx_atfork_end(&handle);
}

/* Runs before the initialisers of the object itself.  The comparison knows it by its name. */
__attribute__((section(".init_array.00000"), used)) static void (*const init)(void) = __ldx_loaded;
__attribute__((section(".fini_array.00000"), used)) static void (*const fini)(
	void) = __ldx_unloaded;
