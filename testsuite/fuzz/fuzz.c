/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.c - what the code under test takes for the system
 *
 * Outside of fuzz_run() everything goes to the real functions: the wrappers also
 * see the calls of the fuzzer and the sanitizers.
 */
#include "fuzz.h"

#include "targets/disassembler.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	/* What a run keeps is given back by fuzz_run(), except in libraries. */
	return "detect_leaks=0:allocator_may_return_null=1";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
	return "print_stacktrace=1";
}

const char *fuzz_no_error;
bool fuzz_running;
static jmp_buf leave;
static char message[8192];

_Noreturn void __real_abort(void);
void fuzz_finding(const char *what)
{
	if (fuzz_running)
		fflush(stderr);
	fuzz_running = false;
	dprintf(2, "finding: %s\n%s", what, message);
	__real_abort();
}

const char *fuzz_message(void)
{
	return message;
}

/* What a run has and has not given back -------------------------------- */

enum kind { FREE, CLOSE, CAPSTONE, DISASSEMBLER, LIBELF };
struct thing {
	uintptr_t p; /* 0: an empty slot; 1: one that was given back */
	enum kind kind;
};
static struct thing *thing;
static size_t nthings, cap;

static size_t slot_of(uintptr_t p)
{
	size_t i = (p >> 4) * 0x9e3779b97f4a7c15 >> 20 & (cap - 1);
	while (thing[i].p && thing[i].p != p)
		i = (i + 1) & (cap - 1);
	return i;
}

void __real_free(void *p);
void *__real_calloc(size_t n, size_t size);

static void grow(void)
{
	struct thing *old = thing;
	size_t n = cap;
	cap = cap ? 2 * cap : 4096;
	thing = __real_calloc(cap, sizeof *thing);
	nthings = 0;
	for (size_t i = 0; i < n; i++)
		if (old[i].p > 1) {
			thing[slot_of(old[i].p)] = old[i];
			nthings++;
		}
	__real_free(old);
}

static void *keep(enum kind kind, void *p)
{
	if (!fuzz_running || !p)
		return p;
	if (2 * nthings >= cap)
		grow();
	struct thing *t = &thing[slot_of((uintptr_t)p)];
	nthings += !t->p;
	*t = (struct thing){(uintptr_t)p, kind};
	return p;
}

static void forget(void *p)
{
	if (!cap || !p)
		return;
	struct thing *t = &thing[slot_of((uintptr_t)p)];
	if (t->p)
		t->p = 1;
}

void fuzz_forget(void *p)
{
	forget(p);
}

/* Descriptors among pointers: these addresses are nobody's. */
static void *fd_thing(int fd)
{
	return (void *)((uintptr_t)fd * 16 + 16);
}

int __real_close(int fd);
cs_err __real_cs_close(csh *h);
void __real_disassembler_free(struct disassembler *d);
int __real_elf_end(Elf *e);

static void give_back(const struct thing *t)
{
	csh h = t->p;
	switch (t->kind) {
	case FREE: __real_free((void *)t->p); break;
	case CLOSE: __real_close((int)(t->p / 16 - 1)); break;
	case CAPSTONE: __real_cs_close(&h); break;
	case DISASSEMBLER: __real_disassembler_free((void *)t->p); break;
	case LIBELF: __real_elf_end((Elf *)t->p); break;
	}
}

static void give_all_back(void)
{
	for (size_t i = 0; i < cap; i++)
		if (thing[i].p > 1)
			give_back(&thing[i]);
	if (cap)
		memset(thing, 0, cap * sizeof *thing);
	nthings = 0;
}

int fuzz_run(void (*fn)(void *arg), void *arg)
{
	static FILE *null;
	FILE *out = stdout, *err = stderr;
	if (!null && !(null = fopen("/dev/null", "w")))
		abort();
	memset(message, 0, sizeof message);
	stdout = null;
	stderr = fmemopen(message, sizeof message - 1, "w");
	if (!stderr)
		abort();
	fuzz_no_error = NULL;
	fuzz_running = true;
	/* longjmp() cannot bring 0. */
	int status = setjmp(leave);
	if (!status)
		fn(arg);
	fuzz_running = false;
	fclose(stderr);
	stdout = out;
	stderr = err;
	give_all_back();
	status = status ? status - 1 : 0;
	if (status && (status != 1 || !strstr(message, "error: ")))
		fuzz_finding("it ends without a message");
	if (status && fuzz_no_error && !getenv("LDX_FUZZ_LENIENT"))
		fuzz_finding(fuzz_no_error);
	return status;
}

/* The C library -------------------------------------------------------- */

_Noreturn void __real_exit(int status);
_Noreturn void __wrap_exit(int status);
_Noreturn void __wrap_exit(int status)
{
	if (fuzz_running)
		longjmp(leave, status + 1);
	__real_exit(status);
}

/* bug() ends so. */
_Noreturn void __wrap_abort(void);
_Noreturn void __wrap_abort(void)
{
	if (fuzz_running)
		fuzz_finding("it aborts");
	__real_abort();
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return keep(FREE, __real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	return keep(FREE, __real_calloc(n, size));
}

void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size)
{
	if (!fuzz_running)
		return __real_realloc(p, size);
	void *q = __real_realloc(p, size);
	if (q)
		forget(p);
	return keep(FREE, q);
}

void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return keep(FREE, __real_aligned_alloc(align, size));
}

void __wrap_free(void *p);
void __wrap_free(void *p)
{
	if (fuzz_running)
		forget(p);
	__real_free(p);
}

int __real_vasprintf(char **s, const char *fmt, va_list ap);
int __wrap_vasprintf(char **s, const char *fmt, va_list ap);
int __wrap_vasprintf(char **s, const char *fmt, va_list ap)
{
	int n = __real_vasprintf(s, fmt, ap);
	if (n >= 0)
		keep(FREE, *s);
	return n;
}

/* Files ---------------------------------------------------------------- */

static struct file {
	const char *name;
	int fd;
} files[4];

static struct file *find_file(const char *name)
{
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (files[i].name && !strcmp(files[i].name, name))
			return &files[i];
	return NULL;
}

void fuzz_file(const char *name, const void *data, size_t n)
{
	struct file *f = find_file(name);
	for (size_t i = 0; !f; i++) {
		if (!files[i].name) {
			f = &files[i];
			*f = (struct file){name, memfd_create(name, MFD_CLOEXEC)};
		}
	}
	if (ftruncate(f->fd, 0) || pwrite(f->fd, data, n, 0) != (ssize_t)n)
		fuzz_finding("the fuzzer cannot write a file");
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
	char name[64];
	if (fuzz_running && strcmp(path, "/dev/null")) {
		const struct file *f = find_file(path);
		if (!f) {
			errno = ENOENT;
			return -1;
		}
		/* Opened anew: with a position of its own. */
		snprintf(name, sizeof name, "/proc/self/fd/%d", f->fd);
		path = name;
	}
	int fd = __real_open64(path, flags, 0600);
	if (fd >= 0)
		keep(CLOSE, fd_thing(fd));
	return fd;
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
	if (fuzz_running)
		forget(fd_thing(fd));
	return __real_close(fd);
}

/* A copy on the heap, so that the byte behind the end is not there to be read. */
void *__real_mmap64(void *addr, size_t n, int prot, int flags, int fd, off64_t off);
void *__wrap_mmap64(void *addr, size_t n, int prot, int flags, int fd, off64_t off);
void *__wrap_mmap64(void *addr, size_t n, int prot, int flags, int fd, off64_t off)
{
	if (!fuzz_running || fd < 0)
		return __real_mmap64(addr, n, prot, flags, fd, off);
	void *p = __wrap_malloc(n);
	if (!p || pread(fd, p, n, off) != (ssize_t)n)
		return MAP_FAILED;
	return p;
}

int __real_munmap(void *p, size_t n);
int __wrap_munmap(void *p, size_t n);
int __wrap_munmap(void *p, size_t n)
{
	if (!fuzz_running)
		return __real_munmap(p, n);
	__wrap_free(p);
	return 0;
}

/* Libraries ------------------------------------------------------------ */

cs_err __real_cs_open(cs_arch arch, cs_mode mode, csh *h);
cs_err __wrap_cs_open(cs_arch arch, cs_mode mode, csh *h);
cs_err __wrap_cs_open(cs_arch arch, cs_mode mode, csh *h)
{
	cs_err e = __real_cs_open(arch, mode, h);
	if (e == CS_ERR_OK)
		keep(CAPSTONE, (void *)*h);
	return e;
}

cs_err __wrap_cs_close(csh *h);
cs_err __wrap_cs_close(csh *h)
{
	forget((void *)*h);
	return __real_cs_close(h);
}

/* What cs_free() frees was made by two calls of malloc() in the library. */
cs_insn *__real_cs_malloc(csh h);
cs_insn *__wrap_cs_malloc(csh h);
cs_insn *__wrap_cs_malloc(csh h)
{
	cs_insn *in = __real_cs_malloc(h);
	if (in)
		keep(FREE, in->detail);
	return keep(FREE, in);
}

void __real_cs_free(cs_insn *in, size_t n);
void __wrap_cs_free(cs_insn *in, size_t n);
void __wrap_cs_free(cs_insn *in, size_t n)
{
	forget(in->detail);
	forget(in);
	__real_cs_free(in, n);
}

struct disassembler *__real_disassembler_new(const struct platform *p);
struct disassembler *__wrap_disassembler_new(const struct platform *p);
struct disassembler *__wrap_disassembler_new(const struct platform *p)
{
	return keep(DISASSEMBLER, __real_disassembler_new(p));
}

void __wrap_disassembler_free(struct disassembler *d);
void __wrap_disassembler_free(struct disassembler *d)
{
	forget(d);
	__real_disassembler_free(d);
}

Elf *__real_elf_memory(char *p, size_t n);
Elf *__wrap_elf_memory(char *p, size_t n);
Elf *__wrap_elf_memory(char *p, size_t n)
{
	return keep(LIBELF, __real_elf_memory(p, n));
}

Elf *__real_elf_begin(int fd, Elf_Cmd cmd, Elf *ref);
Elf *__wrap_elf_begin(int fd, Elf_Cmd cmd, Elf *ref);
Elf *__wrap_elf_begin(int fd, Elf_Cmd cmd, Elf *ref)
{
	return keep(LIBELF, __real_elf_begin(fd, cmd, ref));
}

int __wrap_elf_end(Elf *e);
int __wrap_elf_end(Elf *e)
{
	forget(e);
	return __real_elf_end(e);
}
