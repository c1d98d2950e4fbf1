/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.c - the file of the profile of a program or shared object
 */
#include "report/read/place.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/*
 * A name made from a pattern: for messages, for glob(3), and for fnmatch(3), whose patterns can be
 * more exact.  In the last two all parts that do not depend on the process are quoted.
 */
enum form { FORM_PLAIN, FORM_GLOB, FORM_MATCH };
struct name {
	FILE *f;
	enum form form;
	bool many; /* something depends on the process */
};

static void put_text(struct name *n, const char *s)
{
	for (; *s; s++) {
		if (n->form != FORM_PLAIN && ispunct((unsigned char)*s) && *s != '/')
			fputc('\\', n->f);
		fputc(*s, n->f);
	}
}

/* As a part of a file's name. */
static void put_part(struct name *n, const char *text)
{
	for (; *text; text++)
		put_text(n, *text == '/' ? "_" : (char[]){*text, '\0'});
}

static void put_host(struct name *n)
{
	struct utsname u;
	if (!uname(&u))
		put_part(n, u.nodename);
}

static void put_escape(struct name *n, char what, const struct program *p, const char *path)
{
	static const char *const number[] = {"%p", "[0-9]*", "+([0-9])"};
	const char *test = getenv("LDX_TEST");
	const char text[] = {'%', what, '\0'};
	bool unknown = (what == 'e' && p->library) || (what == 't' && !test);
	n->many |= what == 'p' || unknown;
	if (unknown) {
		fputs(n->form == FORM_PLAIN ? text : "*", n->f);
		return;
	}
	switch (what) {
	case 'p': fputs(number[n->form], n->f); break;
	case 'e': put_text(n, strrchr(path, '/') + 1); break;
	case 't': put_part(n, test); break;
	case 'h': put_host(n); break;
	case 'b': fprintf(n->f, "%016lx", (unsigned long)p->map.build); break;
	default: put_text(n, what == '%' ? "%" : text);
	}
}

/* The name that the runtime makes from a pattern. */
static char *expand(const struct program *p, const char *path, const char *pattern, enum form form,
	bool *many)
{
	char *text;
	size_t size;
	struct name n = {.f = open_memstream(&text, &size), .form = form};
	for (const char *s = pattern; n.f && *s; s++) {
		if (*s == '%' && s[1])
			put_escape(&n, *++s, p, path);
		else
			put_text(&n, (char[]){*s, '\0'});
	}
	if (!n.f || fclose(n.f))
		die("out of memory");
	*many = n.many;
	return text;
}

/* The pattern with the build added to the name. */
static char *other_pattern(const struct program *p, const char *pattern)
{
	size_t n = strlen(pattern);
	if (n >= 8 && !strcmp(pattern + n - 8, ".ldxprof"))
		n -= 8;
	return new_string("%.*s.%016lx.ldxprof", (int)n, pattern, (unsigned long)p->map.build);
}

/* The pattern for the object at path, which is absolute; NULL: no profile is written. */
static char *find_pattern(const struct program *p, const char *path)
{
	const char *given = getenv("LDX_PROFILE_FILE");
	given = given ? given : p->pattern;
	if (given && *given == '/')
		return new_string("%s", given);
	const char *base = given ? getcwd(NULL, 0) : path;
	if (!base || (given && !*given))
		return NULL;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	for (; f && *base; base++)
		fputs(*base == '%' ? "%%" : (char[]){*base, '\0'}, f);
	if (!f || fclose(f))
		die("out of memory");
	return given ? new_string("%s/%s", text, given) : new_string("%s.ldxprof", text);
}

/* The profiles of this build among the files that a pattern names. */
static void add_files(struct place *pl, const struct program *p, const char *path,
	const char *pattern)
{
	glob_t g;
	bool many;
	char *match = expand(p, path, pattern, FORM_MATCH, &many);
	if (glob(expand(p, path, pattern, FORM_GLOB, &many), 0, NULL, &g))
		return;
	char **file = NEW_ARRAY(char *, pl->n + g.gl_pathc);
	if (pl->n)
		memcpy(file, pl->file, pl->n * sizeof *file);
	pl->file = file;
	for (size_t i = 0; i < g.gl_pathc; i++)
		if (!fnmatch(match, g.gl_pathv[i], FNM_PATHNAME | FNM_EXTMATCH) &&
			profile_look(g.gl_pathv[i], p->map.build).state == PROFILE_OWN)
			pl->file[pl->n++] = new_string("%s", g.gl_pathv[i]);
	globfree(&g);
}

/* Why there may be no profile. */
static char *find_reason(const struct program *p, const char *name)
{
	struct stat st;
	char *dir = new_string("%s", name);
	strrchr(dir, '/')[1] = '\0';
	if (access(dir, W_OK | X_OK) && errno != ENOENT)
		return new_string("there is no %s, and it cannot be made: %s", name,
			strerror(errno));
	if (p->library)
		return new_string("there is no %s; programs linked by ldx that run it have its "
				  "counts in their own profiles: name one",
			name);
	if (!stat(p->path, &st) && (st.st_mode & (S_ISUID | S_ISGID)))
		return new_string("there is no %s; it leaves none when it runs with the rights of "
				  "another user",
			name);
	return new_string("there is no %s; run the program first, or name the profile, if "
			  "LDX_PROFILE_FILE was set when it ran",
		name);
}

/* Why the file is no profile of this build. */
static char *find_problem(const struct program *p, const char *name, struct profile_look l)
{
	switch (l.state) {
	case PROFILE_UNREADABLE: return new_string("%s: %s", name, l.why);
	case PROFILE_EMPTY: return new_string("%s is empty: nothing has counted in it", name);
	case PROFILE_ALIEN: return new_string("%s is not a profile of ldx", name);
	case PROFILE_OTHER:
		return new_string("%s is of build %016lx, not %016lx", name, (unsigned long)l.build,
			(unsigned long)p->map.build);
	default: return find_reason(p, name);
	}
}

static void find_at(struct place *pl, const struct program *p, const char *path)
{
	bool many;
	char *pattern = find_pattern(p, path);
	*pl = (struct place){.problem = "LDX_PROFILE_FILE is empty, so that none is written"};
	if (!pattern)
		return;
	char *other = other_pattern(p, pattern);
	pl->name = expand(p, path, pattern, FORM_PLAIN, &many);
	add_files(pl, p, path, pattern);
	if (many || !pl->n)
		add_files(pl, p, path, other);
	struct profile_look l = profile_look(pl->name, p->map.build);
	pl->problem = find_problem(p, pl->name, l);
	if (l.state != PROFILE_ALIEN && l.state != PROFILE_OTHER)
		return;
	pl->taken = pl->problem;
	pl->name = expand(p, path, other, FORM_PLAIN, &many);
	l = profile_look(pl->name, p->map.build);
	pl->problem = new_string("%s, and %s", pl->taken,
		l.state == PROFILE_NONE ? new_string("there is no %s", pl->name)
					: find_problem(p, pl->name, l));
}

void place_find(struct place *pl, const struct program *p)
{
	char *real = realpath(p->path, NULL);
	find_at(pl, p, real ? real : p->path);
	if (!p->map.ncounters)
		pl->problem =
			new_string("nothing in it is counted (mode %s)", mode_name(p->map.mode));
}
