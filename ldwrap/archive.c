/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.c - the members of regular and thin archives
 *
 * The format is that of ar(5) with the GNU tables of long names; BSD's `#1/N'
 * names are read as well, and written, because they need no table.
 */
#include "ldwrap/inputs.h"

#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* A decimal field padded with blanks. */
static bool field(const char *p, size_t n, uint64_t *value)
{
	size_t i = 0;
	for (*value = 0; i < n && p[i] >= '0' && p[i] <= '9'; i++)
		*value = *value * 10 + (uint64_t)(p[i] - '0');
	for (size_t k = i; k < n; k++)
		if (p[k] != ' ')
			return false;
	return i > 0;
}

/* The name at off in the table of long names: up to "/\n", or "\n" in some thin archives. */
static const char *long_name(struct arena *a, struct bytes table, uint64_t off)
{
	if (off >= table.n)
		return NULL;
	const char *p = (const char *)table.p + off;
	const char *end = memchr(p, '\n', table.n - off);
	if (!end)
		return NULL;
	size_t n = (size_t)(end - p);
	if (n && p[n - 1] == '/')
		n--;
	return arena_printf(a, "%.*s", (int)n, p);
}

/* The name ends in front of the first slash, also where ar P has put a path there. */
static const char *short_name(struct arena *a, const char *p)
{
	size_t n = sizeof((struct ar_hdr *)0)->ar_name;
	const char *slash = memchr(p, '/', n);
	if (slash)
		n = (size_t)(slash - p);
	while (n && p[n - 1] == ' ')
		n--;
	return arena_printf(a, "%.*s", (int)n, p);
}

const char *archive_thin_path(struct arena *a, const char *archive, const char *name)
{
	const char *slash = strrchr(archive, '/');
	return *name != '/' && slash
		? arena_printf(a, "%.*s/%s", (int)(slash - archive), archive, name)
		: name;
}

static struct bytes thin_data(struct arena *a, const char *archive, const char *name)
{
	struct bytes b;
	file_map(archive_thin_path(a, archive, name), &b);
	return b;
}

struct reading {
	struct arena *arena;
	struct archive *archive;
	struct bytes file, names;
};

/* One member; *at moves behind it.  False: damaged. */
static bool read_member(struct reading *r, size_t *at)
{
	struct ar_hdr h;
	uint64_t size, off;
	if (r->file.n - *at < sizeof h)
		return false;
	memcpy(&h, r->file.p + *at, sizeof h);
	*at += sizeof h;
	if (memcmp(h.ar_fmag, ARFMAG, 2) || !field(h.ar_size, sizeof h.ar_size, &size))
		return false;
	bool table = h.ar_name[0] == '/' && (h.ar_name[1] < '0' || h.ar_name[1] > '9');
	bool inside = table || !r->archive->thin;
	if (inside && size > r->file.n - *at)
		return false;
	struct bytes data = {r->file.p + *at, inside ? size : 0};
	if (inside)
		*at += size + (size & 1);
	if (!memcmp(h.ar_name, "// ", 3))
		r->names = data;
	if (table)
		return true;

	struct member m = {.data = data};
	if (h.ar_name[0] == '/') {
		/* GNU ar leaves a slash in the last column at times: "/206           /". */
		if (h.ar_name[sizeof h.ar_name - 1] == '/')
			h.ar_name[sizeof h.ar_name - 1] = ' ';
		if (!field(h.ar_name + 1, sizeof h.ar_name - 1, &off))
			return false;
		m.name = long_name(r->arena, r->names, off);
	} else if (!memcmp(h.ar_name, "#1/", 3)) {
		if (!field(h.ar_name + 3, sizeof h.ar_name - 3, &off) || off > data.n)
			return false;
		m.name = arena_printf(r->arena, "%.*s", (int)off, (const char *)data.p);
		m.data = (struct bytes){data.p + off, data.n - off};
	} else {
		m.name = short_name(r->arena, h.ar_name);
	}
	if (!m.name)
		return false;
	if (r->archive->thin)
		m.data = thin_data(r->arena, r->archive->path, m.name);
	vec_push(&r->archive->members, m);
	return true;
}

static void find_namesakes(struct archive *ar)
{
	for (size_t i = ar->members.n; i-- > 0;) {
		struct member *m = &ar->members.v[i];
		uint64_t *slot = strmap_slot(&ar->names, base_name(m->name));
		if (!*slot) {
			vec_push(&ar->same, (struct namesakes){0});
			*slot = ar->same.n;
		}
		struct namesakes *s = &ar->same.v[*slot - 1];
		m->next = s->first;
		s->first = (uint32_t)i + 1;
		s->n++;
	}
}

struct archive *archive_open(struct arena *a, const char *path)
{
	struct reading r = {.arena = a, .archive = arena_new(a, struct archive)};
	bool sound = file_map(path, &r.file) && bytes_kind(r.file) == KIND_ARCHIVE;
	*r.archive =
		(struct archive){.path = path, .file = r.file, .thin = sound && r.file.p[2] == 't'};
	for (size_t at = SARMAG; sound && at < r.file.n;)
		sound = read_member(&r, &at);
	if (!sound) {
		archive_free(r.archive);
		return NULL;
	}
	find_namesakes(r.archive);
	return r.archive;
}

void archive_free(struct archive *ar)
{
	if (!ar)
		return;
	for (size_t i = 0; ar->thin && i < ar->members.n; i++)
		file_unmap(ar->members.v[i].data);
	file_unmap(ar->file);
	vec_free(&ar->members);
	vec_free(&ar->same);
	strmap_free(&ar->names);
}

/* Writing ----------------------------------------------------------------- */

static bool put(struct archive_out *o, const void *p, size_t n)
{
	o->size += n;
	return bytes_write(o->fd, (struct bytes){p, n});
}

bool archive_create(struct archive_out *o, const char *path)
{
	*o = (struct archive_out){open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), 0};
	return o->fd >= 0 && put(o, ARMAG, SARMAG);
}

/* NULs behind the name make the object begin where its fields are aligned. */
bool archive_add(struct archive_out *o, const char *name, struct bytes data)
{
	enum { SIZE = sizeof(struct ar_hdr), FIELD = 8 };
	static const char zeros[FIELD];
	char head[2 * SIZE];
	size_t n = strlen(name), pad = -(o->size + SIZE + n) % FIELD;
	if (snprintf(head, sizeof head, "#1/%-13zu%-12d%-6d%-6d%-8s%-10zu" ARFMAG, n + pad, 0, 0, 0,
		    "644", n + pad + data.n) != SIZE) {
		errno = EFBIG;
		return false;
	}
	return put(o, head, SIZE) && put(o, name, n) && put(o, zeros, pad) &&
		put(o, data.p, data.n) && put(o, "\n", data.n % 2);
}

bool archive_close(struct archive_out *o)
{
	return !close(o->fd);
}
