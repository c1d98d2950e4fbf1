/* SPDX-License-Identifier: Apache-2.0 */
/* toolnew.c - ldxtool new: the sources of tools/skeleton, in which NAME stands for the tool's */
#include "ldwrap/inputs.h"
#include "ldwrap/toolbox.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const char *const parts[] = {".c", "-routines.c", "-report.c"};
enum { PARTS = sizeof parts / sizeof *parts };

static void check_name(const char *name)
{
	const char *p = name;
	while (isalnum((unsigned char)*p) || *p == '-' || *p == '_')
		p++;
	if (*p)
		fatal("%s: the name of a tool has letters, digits, - and _ only", name);
}

static struct buf with_name(struct bytes text, const char *name)
{
	static const char stands[] = "NAME";
	enum { LENGTH = sizeof stands - 1 };
	struct buf out = {0};
	const uint8_t *p = text.p, *end = p + text.n;
	for (const uint8_t *at; (at = memmem(p, (size_t)(end - p), stands, LENGTH));
		p = at + LENGTH) {
		buf_put(&out, p, (size_t)(at - p));
		buf_put(&out, name, strlen(name));
	}
	buf_put(&out, p, (size_t)(end - p));
	return out;
}

static void write_part(struct arena *a, const char *name, const char *part)
{
	struct bytes text;
	const char *from =
		arena_printf(a, "%s/NAME%s", tool_place(a, LDX_LIBDIR "/skeleton"), part);
	const char *to = arena_printf(a, "%s%s", name, part);
	if (!file_map(from, &text))
		fatal("cannot read %s: %s", from, strerror(errno));
	struct buf out = with_name(text, name);
	int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 || !bytes_write(fd, (struct bytes){out.v, out.n}) || close(fd))
		fatal("cannot write %s: %s", to, strerror(errno));
	printf("%s\n", to);
}

void tool_new(const char *name)
{
	struct arena a = {0};
	check_name(name);
	for (int i = 0; i < PARTS; i++)
		if (!access(arena_printf(&a, "%s%s", name, parts[i]), F_OK))
			fatal("%s%s exists already", name, parts[i]);
	for (int i = 0; i < PARTS; i++)
		write_part(&a, name, parts[i]);
}
