/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.c - the output file, and the directory for temporary files
 *
 * The directory is removed even if ldx is killed: a process in a session of its own, the cleaner,
 * makes it, and waits for end of file on a socket whose other end only ldx and the processes it
 * forks hold.  Until then it removes single files whose names ldx sends, because removing large
 * ones takes a while.
 */
#include "ldwrap/output.h"

#include "ldwrap/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *work_dir; /* the one to remove */
static pid_t work_owner, cleaner;
static int to_cleaner = -1; /* the end of the socket that ldx holds */

static void remove_dir(const char *path);

static void remove_entry(const char *dir, int fd, const char *name)
{
	char path[PATH_MAX];
	bool deeper = unlinkat(fd, name, 0) && errno == EISDIR && strcmp(name, ".") &&
		strcmp(name, "..");
	if (deeper && snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path)
		remove_dir(path);
}

/* A linker that is being killed may still make a file: then it is repeated. */
static void remove_dir(const char *path)
{
	for (int i = 0; i < 100; i++) {
		DIR *d = opendir(path);
		for (struct dirent *e; d && (e = readdir(d));)
			remove_entry(path, dirfd(d), e->d_name);
		if (d)
			closedir(d);
		if (!rmdir(path) || errno != ENOTEMPTY)
			return;
		usleep(1000);
	}
}

static void dismiss_cleaner(void)
{
	close(to_cleaner);
	if (cleaner > 0)
		waitpid(cleaner, NULL, 0);
	cleaner = 0;
	to_cleaner = -1;
}

void output_remove(void)
{
	if (!work_dir || getpid() != work_owner)
		return;
	remove_dir(work_dir);
	work_dir = NULL;
	dismiss_cleaner();
}

void output_discard(const struct output *o, const char *file)
{
	size_t n = strlen(o->dir);
	if (to_cleaner >= 0 && !strncmp(file, o->dir, n) && file[n] == '/' &&
		strlen(file) < PATH_MAX)
		send(to_cleaner, file, strlen(file) + 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/*
 * Makes the directory and waits for the end of ldx.  It leaves the process group, which a signal to
 * the job would kill, before it makes the directory, and holds no descriptor on whose end of file
 * another process may wait.
 */
static _Noreturn void clean_up(char *dir, size_t size, int end)
{
	char file[PATH_MAX];
	setsid();
	dup2(end, 0);
	close_range(1, ~0U, 0);
	if (mkdtemp(dir)) {
		bool connected = write(0, dir, size) == (ssize_t)size;
		for (ssize_t n; connected && (n = read(0, file, sizeof file)) != 0;) {
			if (n > 0)
				unlink(file);
			connected = n > 0 || errno == EINTR;
		}
		remove_dir(dir);
	}
	_exit(0);
}

/* Starts the cleaner, which makes the directory.  False: it could not. */
static bool start_cleaner(char *dir, size_t size)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	cleaner = fork();
	if (!cleaner)
		clean_up(dir, size, ends[1]);
	close(ends[1]);
	to_cleaner = ends[0];
	if (cleaner > 0 && read(to_cleaner, dir, size) == (ssize_t)size)
		return true;
	dismiss_cleaner();
	return false;
}

/*
 * The name of the directory for linkers: LLVM writes a file under a temporary name first, in which
 * it replaces each percent sign by a random digit, also in the names of directories.
 */
static const char *plain_name(struct arena *a, const char *dir)
{
	int fd = strchr(dir, '%') ? open(dir, O_PATH | O_DIRECTORY) : -1;
	return fd < 0 ? dir : arena_printf(a, "/proc/self/fd/%d", fd);
}

static const char *make_dir(struct arena *a, const char *parent)
{
	char *dir = arena_printf(a, "%s/.ldx-XXXXXX", parent);
	if (!start_cleaner(dir, strlen(dir)) && !mkdtemp(dir))
		return NULL;
	work_dir = dir;
	work_owner = getpid();
	at_exit_cleanup(output_remove);
	if (mkdir(arena_printf(a, "%s/reference", dir), 0700) ||
		mkdir(arena_printf(a, "%s/output", dir), 0700) ||
		mkdir(arena_printf(a, "%s/object", dir), 0700))
		fatal("cannot make a temporary directory: %s", strerror(errno));
	return plain_name(a, dir);
}

static const char *parent_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return ".";
	return slash == path ? "" : arena_printf(a, "%.*s", (int)(slash - path), path);
}

/* Files in /dev are never replaced, whatever /dev/stdout leads to. */
static bool is_special(const char *path)
{
	struct stat st;
	if (!strncmp(path, "/dev/", 5) && strncmp(path, "/dev/shm/", 9))
		return !lstat(path, &st);
	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static bool is_in_place(const char *path, enum output_habit habit)
{
	struct stat st, link;
	if (is_special(path))
		return true;
	if (habit == OUTPUT_REPLACED || lstat(path, &link))
		return false;
	if (stat(path, &st))
		return S_ISLNK(link.st_mode);
	return habit == OUTPUT_OVERWRITTEN || !st.st_size;
}

bool output_open(struct arena *a, struct output *o, const char *path, enum output_habit habit)
{
	struct stat st;
	const char *tmp = getenv("TMPDIR");
	o->path = path;
	o->habit = habit;
	bool there = !stat(path, &st);
	/* GNU ld does not write into pipes, in which it cannot seek */
	if (there && (S_ISDIR(st.st_mode) || (S_ISFIFO(st.st_mode) && habit == OUTPUT_FILLED)))
		return false;
	o->in_place = is_in_place(path, habit);
	if (!is_special(path)) {
		o->dir = make_dir(a, parent_of(a, path));
		if (o->dir)
			return true;
		/* in a read-only directory a file may still be writable */
		if (access(path, W_OK))
			return false;
		o->in_place = true;
	}
	o->dir = make_dir(a, tmp && *tmp ? tmp : "/tmp");
	if (!o->dir)
		fatal("cannot make a temporary directory: %s", strerror(errno));
	return true;
}

static bool replaces_old(const struct output *o)
{
	struct stat st;
	return o->habit != OUTPUT_OVERWRITTEN && !is_special(o->path) && !lstat(o->path, &st);
}

void output_stand_in(struct output *o, const char *file)
{
	int fd = replaces_old(o) ? open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0777) : -1;
	/* an empty file would be filled */
	o->stood_in = fd >= 0 && write(fd, "", 1) == 1;
	if (fd >= 0)
		close(fd);
}

void output_reject(const struct output *o, const char *file)
{
	if (o->stood_in && access(file, F_OK))
		unlink(o->path);
}

static bool copy(int from, int to)
{
	uint8_t chunk[16384];
	ssize_t n;
	while ((n = read(from, chunk, sizeof chunk)) > 0)
		if (!bytes_write(to, (struct bytes){chunk, (size_t)n}))
			return false;
	return n == 0;
}

static mode_t executable_mode(const struct output *o, mode_t mode, mode_t mask)
{
	switch (o->habit) {
	case OUTPUT_FILLED: return mode | (0111 & ~mask);
	case OUTPUT_FILLED_READ: return (mode | (mode & 0444) >> 2) & ~mask;
	case OUTPUT_REPLACED:
	case OUTPUT_OVERWRITTEN: break;
	}
	return 0777 & ~mask;
}

static int open_through(const struct output *o)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
	int to = open(o->path, flags, 0777);
	char *real = to < 0 && errno == ETXTBSY && o->habit == OUTPUT_OVERWRITTEN
		? realpath(o->path, NULL)
		: NULL;
	if (real && !unlink(real))
		to = open(real, flags, 0777);
	free(real);
	if (to < 0)
		fatal("cannot open output file %s: %s", o->path, strerror(errno));
	return to;
}

static void write_through(const struct output *o, const char *file)
{
	struct stat st;
	int from = open(file, O_RDONLY | O_CLOEXEC);
	int to = open_through(o);
	if (from < 0 || !copy(from, to))
		fatal("cannot write %s: %s", o->path, strerror(errno));
	mode_t mask = umask(0);
	umask(mask);
	if (!fstat(to, &st) && S_ISREG(st.st_mode))
		fchmod(to, executable_mode(o, st.st_mode & 07777, mask));
	if (close(to))
		fatal("cannot write %s: %s", o->path, strerror(errno));
	close(from);
}

/*
 * The old output is moved to the directory, and removed with it: when a file is renamed to the name
 * of another one, some file systems wait until it is on the disk.
 */
void output_install(const struct output *o, const char *file)
{
	if (access(file, F_OK))
		return; /* the linker has written something else */
	if (o->in_place)
		write_through(o, file);
	else if (!renameat2(AT_FDCWD, file, AT_FDCWD, o->path, RENAME_EXCHANGE))
		output_discard(o, file);
	else if (rename(file, o->path))
		write_through(o, file); /* it is another user's, in a directory such as /tmp */
}

void output_keep(const char *from, const char *to)
{
	if (access(from, R_OK))
		return;
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (in < 0 || out < 0 || !copy(in, out) || close(out))
		fatal("cannot write %s: %s", to, strerror(errno));
	close(in);
}
