/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.c - work in a process of its own
 *
 * LLD can be called once in a process and may exit or crash, and the rewriter may give up anywhere:
 * each runs in a forked child, whose output comes back through two pipes.
 */
#include "ldwrap/child.h"

#include "ldwrap/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* Signals --------------------------------------------------------------- */

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
enum { NSIGNALS = sizeof ending_signals / sizeof *ending_signals };

static volatile sig_atomic_t caught;
static sigset_t held, before;

static void on_signal(int sig)
{
	caught = sig;
}

static void ignore(int sig)
{
	(void)sig;
}

void signals_hold(void)
{
	sigemptyset(&held);
	for (int i = 0; i < NSIGNALS; i++) {
		struct sigaction old, sa = {.sa_handler = on_signal};
		sigemptyset(&sa.sa_mask);
		sigaction(ending_signals[i], NULL, &old);
		if (old.sa_handler == SIG_IGN)
			continue;
		sigaction(ending_signals[i], &sa, NULL);
		sigaddset(&held, ending_signals[i]);
	}
	sigprocmask(SIG_BLOCK, &held, &before);
	/* the limit of file sizes is an error like others, but for linkers: these are new programs
	 */
	signal(SIGXFSZ, ignore);
}

void signals_release(void)
{
	for (int i = 0; i < NSIGNALS; i++)
		if (sigismember(&held, ending_signals[i]))
			signal(ending_signals[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void signals_check(void)
{
	sigset_t pending;
	sigpending(&pending);
	for (int i = 0; i < NSIGNALS && !caught; i++)
		if (sigismember(&held, ending_signals[i]) &&
			sigismember(&pending, ending_signals[i]))
			caught = ending_signals[i];
	if (!caught)
		return;
	output_remove();
	signals_release();
	raise(caught);
	_exit(128 + caught);
}

/* The child's side ------------------------------------------------------ */

static void in_child(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signals_release();
}

static int diag_fd;

static ssize_t diag_write(void *cookie, const char *p, size_t n)
{
	(void)cookie;
	size_t left = n;
	while (left) {
		ssize_t k = write(diag_fd, p, left);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return (ssize_t)(n - left);
		p += k;
		left -= (size_t)k;
	}
	return (ssize_t)n;
}

/* Messages go to the pipe without a buffer, because the child may end anywhere. */
static void redirect_messages(int fd)
{
	diag_fd = fd;
	diag_stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = diag_write});
	if (diag_stream)
		setvbuf(diag_stream, NULL, _IONBF, 0);
}

/* The parent's side ----------------------------------------------------- */

/* Reads what is there.  False at the end of the stream. */
static bool drain(int fd, struct buf *b)
{
	char chunk[16384];
	ssize_t n = read(fd, chunk, sizeof chunk);
	if (n > 0)
		buf_put(b, chunk, (size_t)n);
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* enough may be NULL: then it reads until the child has closed both. */
bool child_writes(struct child *c, bool (*enough)(const struct buf *out, void *arg), void *arg)
{
	struct pollfd p[2] = {{.events = POLLIN}, {.events = POLLIN}};
	struct buf *b[2] = {&c->r->out, &c->r->err};
	for (int i = 0; i < 2; i++)
		p[i].fd = c->ended[i] ? -1 : c->fd[i];
	while (p[0].fd >= 0 || p[1].fd >= 0) {
		int n = ppoll(p, 2, NULL, &before);
		if (caught && !c->stopped) {
			kill(c->pid, SIGTERM);
			c->stopped = true;
		}
		for (int i = 0; i < 2; i++) {
			if (n > 0 && p[i].fd >= 0 && p[i].revents && !drain(p[i].fd, b[i]))
				p[i].fd = -1;
			c->ended[i] = p[i].fd < 0;
		}
		if (enough && !c->ended[0] && enough(&c->r->out, arg))
			return true;
	}
	return false;
}

static void read_kept(int fd, struct buf *b)
{
	if (fd < 0)
		return;
	lseek(fd, 0, SEEK_SET);
	while (drain(fd, b))
		;
	close(fd);
}

static void reap(struct child *c)
{
	int status;
	struct rusage use;
	if (c->fd[0] >= 0)
		close(c->fd[0]);
	if (c->fd[1] >= 0)
		close(c->fd[1]);
	while (wait4(c->pid, &status, 0, &use) < 0)
		if (errno != EINTR)
			fatal("cannot wait for a process: %s", strerror(errno));
	read_kept(c->kept[0], &c->r->out);
	read_kept(c->kept[1], &c->r->err);
	c->r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	c->r->peak = use.ru_maxrss;
	buf_u8(&c->r->out, 0);
	buf_u8(&c->r->err, 0);
	signals_check();
}

void child_wait(struct child *c)
{
	child_writes(c, NULL, NULL);
	reap(c);
}

static void make_pipes(int out[2], int err[2])
{
	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		fatal("cannot make a pipe: %s", strerror(errno));
}

static pid_t split(void)
{
	fflush(stdout);
	fflush(stderr);
	pid_t pid = fork();
	if (pid < 0)
		fatal("cannot make a process: %s", strerror(errno));
	return pid;
}

void child_start(struct child *c, struct child_result *r, int (*fn)(void *arg, int out, int err),
	void *arg)
{
	int out[2], err[2];
	pid_t parent = getpid();
	*r = (struct child_result){0};
	make_pipes(out, err);
	pid_t pid = split();
	if (!pid) {
		in_child(parent);
		close(out[0]);
		close(err[0]);
		redirect_messages(err[1]);
		int status = fn(arg, out[1], err[1]);
		fflush(NULL);
		_exit(status);
	}
	*c = (struct child){.pid = pid, .fd = {out[0], err[0]}, .kept = {-1, -1}, .r = r};
	close(out[1]);
	close(err[1]);
}

void child_run(struct child_result *r, int (*fn)(void *arg, int out, int err), void *arg)
{
	struct child c;
	child_start(&c, r, fn, arg);
	child_wait(&c);
}

static _Noreturn void execute(const char *path, const char *const *argv, const int kept[2])
{
	dup2(kept[0], 1);
	dup2(kept[1], 2);
	execv(path, (char *const *)argv);
	dprintf(2, "ldx: error: cannot run %s: %s\n", path, strerror(errno));
	_exit(1);
}

/* A terminal of which nothing is changed on the way: tty[0] reads what is written to tty[1]. */
static bool make_terminal(int tty[2])
{
	struct termios raw;
	char name[64];
	tty[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	tty[1] = -1;
	if (tty[0] >= 0 && !grantpt(tty[0]) && !unlockpt(tty[0]) &&
		!ptsname_r(tty[0], name, sizeof name))
		tty[1] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (tty[1] >= 0 && !tcgetattr(tty[1], &raw)) {
		cfmakeraw(&raw);
		if (!tcsetattr(tty[1], TCSANOW, &raw))
			return true;
	}
	close(tty[0]);
	close(tty[1]);
	return false;
}

static int make_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	if (fd < 0)
		fatal("cannot catch the output of a process: %s", strerror(errno));
	return fd;
}

/* The program holds the terminal, or a pipe to which nobody writes, until it has ended. */
void child_start_exec(struct child *c, struct child_result *r, const char *path,
	const char *const *argv, bool lines)
{
	int life[2], kept[2] = {-1, make_file("err")};
	pid_t parent = getpid();
	*r = (struct child_result){0};
	lines = lines && make_terminal(life);
	if (!lines) {
		kept[0] = make_file("out");
		if (pipe2(life, O_CLOEXEC))
			fatal("cannot make a pipe: %s", strerror(errno));
	}
	pid_t pid = split();
	if (!pid) {
		in_child(parent);
		if (!lines)
			fcntl(life[1], F_SETFD, 0);
		execute(path, argv, (int[2]){lines ? life[1] : kept[0], kept[1]});
	}
	*c = (struct child){.pid = pid,
		.fd = {life[0], -1},
		.ended = {false, true},
		.kept = {kept[0], kept[1]},
		.r = r};
	close(life[1]);
}

void child_exec(struct child_result *r, const char *path, const char *const *argv)
{
	struct child c;
	child_start_exec(&c, r, path, argv, false);
	child_wait(&c);
}

const char *child_crash_text(const struct child_result *r)
{
	static const char *const words[] = {"internal error, aborting at",
		"PLEASE submit a bug report"};
	const char *text = (char *)r->err.v, *at = NULL;
	for (size_t i = 0; i < sizeof words / sizeof *words && !at; i++)
		at = strstr(text, words[i]);
	while (at && at > text && at[-1] != '\n')
		at--;
	return at;
}

const char *child_death(const struct child_result *r)
{
	switch (r->status) {
	case 128 + SIGBUS:
		return "it was killed by SIGBUS; it maps its output: is there space left on the "
		       "disk?";
	case 128 + SIGXFSZ: return "it was killed by SIGXFSZ: the file size limit is too low";
	case 128 + SIGKILL: return "it was killed by SIGKILL; is there memory left?";
	case 128 + SIGSEGV: return "it crashed (SIGSEGV)";
	case 128 + SIGABRT: return "it aborted (SIGABRT)";
	default: break;
	}
	if (r->status > 128)
		return "it was killed by a signal";
	return r->status && child_crash_text(r) ? "it crashed" : NULL;
}
