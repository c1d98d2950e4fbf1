/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name.c - the name of the profile
 *
 * The name is kept as an absolute pattern and expanded in each process, so that %p in a forked
 * child is the child's, whatever its current directory.  %t is the same in all of them, and in the
 * libraries of a program.
 */
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/text.h"
#include "runtime/wide.h"

#include <sys/utsname.h>

char __ldx_own[RT_PATH];
bool __ldx_named;
struct ldx_name __ldx_name;
uint64_t __ldx_build;
struct records __ldx_records;

static char path[RT_PATH];
static char exe_name[256];
static char test_name[RT_PATH];

size_t __ldx_length(const char *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}

bool __ldx_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

const char *__ldx_after(const char *s, const char *prefix)
{
	while (*prefix)
		if (*s++ != *prefix++)
			return NULL;
	return s;
}

bool __ldx_records_open(struct records *r, const char *name, char delim)
{
	r->fd = (int)sys_open(name, O_RDONLY | O_CLOEXEC, 0);
	r->delim = delim;
	r->cut = false;
	r->at = r->n = 0;
	return r->fd >= 0;
}

void __ldx_records_close(struct records *r)
{
	sys_close(r->fd);
}

/* Move the rest to the front of the buffer and read more behind it. */
static bool records_fill(struct records *r)
{
	size_t left = r->n - r->at;
	for (size_t i = 0; i < left; i++)
		r->buf[i] = r->buf[r->at + i];
	r->at = 0;
	r->n = left;
	long got = sys_read(r->fd, r->buf + left, sizeof r->buf - 1 - left);
	if (got <= 0)
		return false;
	r->n += (size_t)got;
	return true;
}

char *__ldx_records_next(struct records *r)
{
	for (;;) {
		size_t end = r->at;
		while (end < r->n && r->buf[end] != r->delim)
			end++;
		bool found = end < r->n;
		if (!found && end - r->at < sizeof r->buf - 1 && records_fill(r))
			continue;
		end = found ? end : r->n;
		if (end == r->at && !found)
			return NULL;
		char *record = r->buf + r->at;
		bool rest = r->cut;
		r->buf[end] = '\0';
		r->at = found ? end + 1 : end;
		r->cut = !found;
		if (!rest)
			return record;
	}
}

/* Append s to a pattern, with each % doubled. */
static void put_quoted(struct text *t, const char *s)
{
	for (; *s; s++) {
		put(t, *s);
		if (*s == '%')
			put(t, '%');
	}
}

static void put_hex16(struct text *t, uint64_t x)
{
	for (int shift = 60; shift >= 0; shift -= 4) {
		unsigned digit = wide_digit(x, shift);
		put(t, (char)(digit < 10 ? '0' + digit : 'a' + digit - 10));
	}
}

static void put_host(struct text *t)
{
	struct utsname u;
	if (sys_failed(sys_uname(&u)))
		return;
	for (const char *s = u.nodename; *s; s++)
		put(t, *s == '/' ? '_' : *s);
}

uint64_t __ldx_hex(const char **s)
{
	uint64_t x = 0;
	for (;; (*s)++) {
		char c = **s;
		if (c >= '0' && c <= '9')
			x = x << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			x = x << 4 | (uint64_t)(c - 'a' + 10);
		else
			return x;
	}
}

/* "begin-end perms offset device inode   path": the path if self is inside. */
static char *mapping_path(char *record, uint64_t self, uint64_t *inode)
{
	const char *line = record;
	uint64_t begin = __ldx_hex(&line);
	if (*line++ != '-' || self < begin || self >= __ldx_hex(&line))
		return NULL;
	for (int blanks = 0; *line && blanks < 4; line++)
		blanks += *line == ' ';
	for (*inode = 0; *line >= '0' && *line <= '9'; line++)
		*inode = *inode * 10 + (uint64_t)(*line - '0');
	while (*line && *line != '/')
		line++;
	return *line ? record + (line - record) : NULL;
}

/* inode 0: any */
static bool is_file(const char *name, uint64_t inode)
{
	struct stat st;
	return !sys_failed(sys_stat(name, &st)) && (!inode || st.st_ino == inode);
}

/* The kernel writes the end of a line in a path as \012, but a backslash as it is. */
static void undo_escapes(char *name)
{
	char *to = name;
	bool undo = !is_file(name, 0);
	for (const char *from = name; undo && (*to = *from); to++, from++)
		if (__ldx_after(from, "\\012")) {
			*to = '\n';
			from += 3;
		}
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = __ldx_length(s), m = __ldx_length(end);
	return n >= m && __ldx_same(s + n - m, end);
}

/*
 * The file that is mapped at address.  /proc/self/exe is the dynamic linker if that was run as a
 * program.  A file that was removed has no profile: another file may have its name by now.
 */
static void find_file(char *out, const void *address, const struct rt_start *s)
{
	struct text own = {out, 0, false};
	if (__ldx_records_open(&__ldx_records, "/proc/self/maps", '\n')) {
		char *line, *found = NULL;
		uint64_t inode = 0;
		while (!found && (line = __ldx_records_next(&__ldx_records)))
			found = mapping_path(line, (uintptr_t)address, &inode);
		if (found)
			undo_escapes(found);
		if (found && (!ends_with(found, " (deleted)") || is_file(found, inode)))
			put_text(&own, found);
		__ldx_records_close(&__ldx_records);
	} else if (s->own) {
		if (s->own[0] != '/' && sys_getcwd(path, RT_PATH) > 0 && path[0] == '/') {
			put_text(&own, path);
			put(&own, '/');
		}
		put_text(&own, s->own);
	}
	if (own.full || out[0] != '/')
		out[0] = '\0';
}

static void find_exe_name(bool counts)
{
	long n = 0;
	if (!counts && (n = sys_readlink("/proc/self/exe", path, RT_PATH - 1)) < 0)
		n = 0;
	path[n] = '\0';
	const char *from = counts ? __ldx_name.program : path;
	const char *base = from;
	for (; *from; from++)
		if (*from == '/')
			base = from + 1;
	size_t i = 0;
	for (; base[i] && i + 1 < sizeof exe_name; i++)
		exe_name[i] = base[i];
	exe_name[i] = '\0';
}

static void copy(char *to, const char *from)
{
	for (size_t i = 0; i + 1 < RT_PATH && (to[i] = from[i]); i++)
		to[i + 1] = '\0';
}

/*
 * Find the object that the profile belongs to: the program if it counts, else this object.  A
 * program that has started knows its name, even if it has been moved since.
 */
static void find_program(const struct rt_start *s)
{
	const struct ldx_info *info = &__ldx_info;
	if (s->entry) {
		info = rt_at(&s->entry->info);
		const struct ldx_name *n = rt_at(&s->entry->name);
		copy(__ldx_name.program, n->program);
		copy(__ldx_name.pattern, n->pattern);
	}
	__ldx_build = info->build;
	if (!__ldx_name.program[0])
		find_file(__ldx_name.program, info, s);
	find_exe_name(s->entry || !s->dso);
	if (info == &__ldx_info)
		copy(__ldx_own, __ldx_name.program);
	else
		find_file(__ldx_own, &__ldx_info, s);
}

/* The pattern given when the program was linked, or NULL. */
static const char *linked_pattern(void)
{
	return __ldx_info.pattern ? rt_at(&__ldx_info.pattern) : NULL;
}

static void put_given(struct text *t, const char *s)
{
	for (; *s; s++)
		if (*s == '%' && s[1] == 't') {
			put_quoted(t, test_name);
			s++;
		} else {
			put(t, *s);
			if (*s == '%' && s[1])
				put(t, *++s);
		}
}

/* The value of a variable, as a part of a file's name. */
static void set_test(const char *value)
{
	copy(test_name, value ? value : "");
	for (char *c = test_name; *c; c++)
		if (*c == '/')
			*c = '_';
}

/* Make the pattern: the user's, or the program's name with .ldxprof added. */
static bool make_pattern(const struct rt_start *s)
{
	struct text t = {__ldx_name.pattern, 0, false};
	const char *given = s->file ? s->file : linked_pattern();
	if (!given) {
		if (!__ldx_name.program[0])
			return false;
		put_quoted(&t, __ldx_name.program);
		put_text(&t, ".ldxprof");
		return !t.full;
	}
	if (given[0] != '/') {
		if (sys_getcwd(path, RT_PATH) <= 0 || path[0] != '/')
			return false;
		put_quoted(&t, path);
		put(&t, '/');
	}
	put_given(&t, given);
	return !t.full;
}

bool __ldx_name_set(const struct rt_start *s)
{
	if (s->file && !s->file[0])
		return __ldx_failed("LDX_PROFILE_FILE is empty", 0);
	__ldx_named = s->file != NULL;
	set_test(s->test);
	find_program(s);
	if (__ldx_name.pattern[0] || make_pattern(s))
		return true;
	__ldx_name.pattern[0] = '\0';
	return __ldx_failed("its name cannot be told", 0);
}

void __ldx_name_expand(struct text *t, const char *pattern)
{
	for (const char *s = pattern; *s; s++) {
		if (*s != '%') {
			put(t, *s);
			continue;
		}
		switch (*++s) {
		case 'p': put_decimal(t, (unsigned long)sys_getpid()); break;
		case 'e': put_text(t, exe_name); break;
		case 'h': put_host(t); break;
		case 't': put_text(t, test_name); break;
		case 'b': put_hex16(t, __ldx_build); break;
		case '%': put(t, '%'); break;
		default: put(t, '%'); s--;
		}
	}
}

/* Is the name another one for each process, or host? */
static bool varies(const char *pattern)
{
	for (; *pattern; pattern++)
		if (*pattern == '%' && (pattern[1] == 'p' || pattern[1] == 'h'))
			return true;
	return false;
}

/* A name is made once, if it is the same for every process: a child writes to few pages then. */
char *__ldx_name_make(bool other)
{
	static bool made;
	struct text t = {path, 0, false};
	if (made && !other)
		return path;
	made = false;
	__ldx_name_expand(&t, __ldx_name.pattern);
	if (other) {
		if (ends_with(path, ".ldxprof"))
			t.n -= 8;
		put(&t, '.');
		put_hex16(&t, __ldx_build);
		put_text(&t, ".ldxprof");
	}
	if (t.full)
		return NULL;
	made = !other && !varies(__ldx_name.pattern);
	return path;
}

bool __ldx_name_given(void)
{
	return __ldx_named || linked_pattern();
}

const char *__ldx_name_made(void)
{
	return path;
}
