/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.c - reset, stop and start what a profile counts; see control.h
 *
 * The counters of a running process cannot be changed, because it may be about to write an old
 * value plus 1.  So a base slot holds their values.  While the profile counts, each build's base is
 * subtracted from the sum of its slots; while it is stopped, the base is the result itself.
 * Processes write marks but never read them, so marks can be cleared; their base is always added.
 */
#include "report/read/control.h"

#include "report/read/place.h"
#include "report/read/profile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A profile, open for writing. */
struct controlled {
	const char *path;
	int fd;
	struct input in; /* its data may be written */
	struct ldx_profile_header *h;
};

static _Noreturn void cannot_write(const struct controlled *c)
{
	die("cannot write %s: %s", c->path, strerror(errno));
}

static void map_file(struct controlled *c)
{
	struct stat st;
	if (c->in.data)
		munmap((void *)c->in.data, c->in.size);
	if (fstat(c->fd, &st))
		cannot_write(c);
	void *p = st.st_size
		? mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0)
		: MAP_FAILED;
	if (p == MAP_FAILED)
		die("%s: not a profile of ldx", c->path);
	c->in = (struct input){c->path, p, (size_t)st.st_size, c->fd};
	c->h = p;
}

/* Opens and locks a profile.  Processes of the program lock other bytes of the header. */
static struct controlled open_profile(const char *path)
{
	struct controlled c = {.path = path, .fd = open(path, O_RDWR | O_CLOEXEC)};
	struct flock l = {.l_type = F_WRLCK, .l_start = 2, .l_len = 1};
	struct ldx_profile_header h;
	if (c.fd < 0 || fcntl(c.fd, F_OFD_SETLKW, &l))
		cannot_write(&c);
	map_file(&c);
	profile_header(&c.in, &h);
	if (profile_swapped(&c.in))
		die("%s: a profile of a machine with another byte order", path);
	return c;
}

static void close_profile(struct controlled *c)
{
	munmap((void *)c->in.data, c->in.size);
	close(c->fd);
}

static void reserve(struct controlled *c, uint64_t at, uint64_t n)
{
	static const char zeros[LDX_PAGE];
	struct stat st;
	if (!fallocate(c->fd, 0, (off_t)at, (off_t)n))
		return;
	if (errno != EOPNOTSUPP)
		cannot_write(c);
	/* other processes may append at the same time, so only write at the end */
	int fd = open(c->path, O_WRONLY | O_APPEND | O_CLOEXEC);
	while (fd >= 0 && !fstat(fd, &st) && (uint64_t)st.st_size < at + n)
		if (write(fd, zeros, sizeof zeros) <= 0)
			cannot_write(c);
	close(fd);
}

/* Makes a base slot as processes make theirs: see ldxprof(5). */
static void append_base(struct controlled *c, const struct profile *p, uint64_t rows)
{
	uint64_t size = LDX_PAGE + rows * profile_row(p->ncounters), at, taken;
	struct ldx_slot_header *s;
	do {
		at = __atomic_load_n(&c->h->end, __ATOMIC_SEQ_CST);
		reserve(c, at, size);
		map_file(c);
		s = (struct ldx_slot_header *)((uint8_t *)c->in.data + at);
		taken = 0;
		bool mine = __atomic_compare_exchange_n(&s->size, &taken, size, false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		uint64_t end = at;
		__atomic_compare_exchange_n(&c->h->end, &end, at + (mine ? size : taken), false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	} while (taken);
	s->ncounters = p->ncounters;
	s->flags = LDX_SLOT_BASE | (p->marks ? LDX_SLOT_MARKS : 0);
	memcpy(s->object, p->object, sizeof s->object);
	rules_write(p->rules, s + 1);
	__atomic_store_n(&s->build, ~p->build, __ATOMIC_RELEASE);
}

/* A slot with the base of this build, of this many rows or more, or NULL; others are emptied. */
static struct ldx_slot_header *find_base(const struct controlled *c, uint64_t build, uint64_t rows)
{
	struct ldx_profile_header h = *c->h;
	struct ldx_slot_header s, *found = NULL;
	uint64_t at = LDX_PAGE;
	for (const uint8_t *slot; (slot = profile_next_slot(&c->in, &h, &at, &s));) {
		if (!(s.flags & LDX_SLOT_BASE) || s.build != ~build)
			continue;
		if (!found && s.size >= LDX_PAGE + rows * profile_row(s.ncounters))
			found = (struct ldx_slot_header *)slot;
		else
			memset((uint8_t *)slot + LDX_PAGE, 0, s.size - LDX_PAGE);
	}
	return found;
}

static void set_base(struct controlled *c, const struct profile *p)
{
	uint64_t rows = profile_rows(p), row = profile_row(p->ncounters);
	struct ldx_slot_header *s = find_base(c, p->build, rows);
	if (!s) {
		append_base(c, p, rows);
		s = find_base(c, p->build, rows);
	}
	memset((uint8_t *)s + LDX_PAGE + rows * row, 0, s->size - LDX_PAGE - rows * row);
	for (uint64_t i = 0; i < rows; i++)
		profile_put_row(p, i, (uint64_t *)((uint8_t *)s + LDX_PAGE + i * row));
}

/* Clear what cannot be subtracted, in the slots of processes. */
static void clear_marks(const struct controlled *c)
{
	struct ldx_profile_header h = *c->h;
	struct ldx_slot_header s;
	struct rules rules;
	uint64_t at = LDX_PAGE;
	for (const uint8_t *slot; (slot = profile_next_slot(&c->in, &h, &at, &s));) {
		if (!s.build || s.flags & LDX_SLOT_BASE ||
			!rules_read(&rules, slot, false, s.ncounters))
			continue;
		uint64_t marks = s.flags & LDX_SLOT_MARKS ? rules_counters(&rules, s.ncounters) : 0;
		for (uint64_t row = LDX_PAGE; s.ncounters && row < s.size;
			row += profile_row(s.ncounters)) {
			memset((uint8_t *)slot + row, 0, marks * 8);
			rules_clear(&rules, (uint64_t *)((uint8_t *)slot + row));
		}
	}
}

/* The present counts of a profile; plain: the sums of its slots without bases. */
static struct profile_set read_values(const char *path, bool plain)
{
	struct profile_set set = {.plain = plain};
	uint64_t build = 0;
	profile_build(path, &build);
	profile_add(&set, path, build);
	return set;
}

/* Set each build's base to its plain sum minus value, the counts that the profile shall have. */
static void set_bases(struct controlled *c, const struct profile_set *value)
{
	struct profile_set sum = read_values(c->path, true);
	for (size_t i = 0; i < sum.n; i++) {
		struct profile *p = &sum.v[i];
		profile_to_base(p, value ? profile_find(value, p->build) : NULL);
		set_base(c, p);
	}
}

void control_reset(const char *path)
{
	struct controlled c = open_profile(path);
	struct profile_set now = read_values(path, false);
	clear_marks(&c);
	if (!c.h->stopped)
		set_bases(&c, NULL);
	for (size_t i = 0; c.h->stopped && i < now.n; i++) {
		profile_clear(&now.v[i]);
		set_base(&c, &now.v[i]);
	}
	close_profile(&c);
}

void control_stop(const char *path)
{
	struct controlled c = open_profile(path);
	struct profile_set now = read_values(path, false);
	for (size_t i = 0; !c.h->stopped && i < now.n; i++)
		set_base(&c, &now.v[i]);
	__atomic_store_n(&c.h->stopped, 1, __ATOMIC_SEQ_CST);
	close_profile(&c);
}

void control_start(const char *path)
{
	struct controlled c = open_profile(path);
	struct profile_set then = read_values(path, false);
	if (c.h->stopped) {
		clear_marks(&c);
		set_bases(&c, &then);
		__atomic_store_n(&c.h->stopped, 0, __ATOMIC_SEQ_CST);
	}
	close_profile(&c);
}

/* Targets ------------------------------------------------------------------------ */

struct found {
	char **v;
	size_t n;
};

static void add_file(struct found *f, const char *path)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->v[i], path))
			return;
	f->v = realloc(f->v, (f->n + 1) * sizeof *f->v);
	if (!f->v)
		die("out of memory");
	f->v[f->n++] = new_string("%s", path);
}

/* "begin-end perms offset device inode   path": a shared mapping that may be written. */
static const char *mapped_file(char *line)
{
	char *perms = strchr(line, ' '), *path = strchr(line, '/');
	line[strcspn(line, "\n")] = '\0';
	return perms && path && perms[2] == 'w' && perms[4] == 's' ? path : NULL;
}

static void find_mapped(const char *pid, struct found *found)
{
	FILE *f = fopen(new_string("/proc/%s/maps", pid), "r");
	char *line = NULL;
	size_t size = 0;
	uint64_t build;
	if (!f)
		die("process %s: %s", pid, errno == ENOENT ? "there is none" : strerror(errno));
	while (getline(&line, &size, f) > 0) {
		const char *path = mapped_file(line);
		if (path && !access(path, R_OK) && profile_build(path, &build))
			add_file(found, path);
	}
	free(line);
	fclose(f);
	if (!found->n)
		die("process %s counts in no profile", pid);
}

static void find_of_program(const char *path, struct found *found)
{
	struct program p;
	struct place pl;
	if (!program_open(&p, path))
		die("%s: %s", path,
			access(path, R_OK) ? strerror(errno)
					   : "no profile, and not instrumented by ldx");
	place_find(&pl, &p);
	for (size_t i = 0; i < pl.n; i++)
		add_file(found, pl.file[i]);
	if (!found->n)
		die("no profile of %s: %s", path, pl.problem);
}

char **control_files(const char *target, size_t *n)
{
	struct found found = {0};
	uint64_t build;
	if (!target[strspn(target, "0123456789")])
		find_mapped(target, &found);
	else if (profile_build(target, &build))
		add_file(&found, target);
	else
		find_of_program(target, &found);
	*n = found.n;
	return found.v;
}
