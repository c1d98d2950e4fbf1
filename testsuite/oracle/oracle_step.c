/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle_step.c - counts executions of every instruction of a program on the real CPU
 *
 * Single-steps it with ptrace, threads included; forked children too with -f.
 * x86-64 Linux.  Stepping begins at the entry point: in a dynamic C++ program forty
 * times as many instructions belong to the dynamic linker before it.  The program's
 * own code that runs so early (resolvers of IFUNCs, functions that a library's
 * initialisation calls) is not counted.
 *
 *	oracle_step [-f] [-t SECONDS] -o FILE PROGRAM ARGS...
 *
 * Writes to FILE the run-time address of the lowest executable segment, then
 * lines "address count".  Exits as the program does; 124: time limit, 125: own
 * failure.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct thread {
	pid_t pid;
	uint64_t last; /* address of the last instruction seen; 1: a signal in between */
};

static uint64_t low, high, *counts;
static unsigned char *string_insn; /* 0: unknown, 1: no, 2: with a REP prefix */
static struct thread *threads;
static size_t nthreads;
static bool started;
static uint64_t entry;	/* where stepping begins; 0: at once */
static long entry_word; /* what was there before the breakpoint */

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static struct thread *thread_of(pid_t pid)
{
	for (size_t i = 0; i < nthreads; i++)
		if (threads[i].pid == pid)
			return &threads[i];
	threads = realloc(threads, (nthreads + 1) * sizeof *threads);
	if (!threads)
		die("realloc");
	threads[nthreads] = (struct thread){.pid = pid};
	return &threads[nthreads++];
}

static uint64_t auxv(pid_t pid, uint64_t type)
{
	char name[64];
	uint64_t v[2], found = 0;

	snprintf(name, sizeof name, "/proc/%d/auxv", (int)pid);
	int fd = open(name, O_RDONLY);
	if (fd < 0)
		die(name);
	while (!found && read(fd, v, sizeof v) == (ssize_t)sizeof v)
		if (v[0] == type)
			found = v[1];
	close(fd);
	return found;
}

static size_t peek(pid_t pid, uint64_t at, void *to, size_t n)
{
	struct iovec here = {to, n}, there = {(void *)(uintptr_t)at, n};
	ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);

	return got < 0 ? 0 : (size_t)got;
}

/* How far from its link-time addresses the program is: where its entry is. */
static uint64_t bias_of(pid_t pid)
{
	char name[64];
	Elf64_Ehdr eh;

	snprintf(name, sizeof name, "/proc/%d/exe", (int)pid);
	int fd = open(name, O_RDONLY);
	if (fd < 0 || read(fd, &eh, sizeof eh) != (ssize_t)sizeof eh)
		die(name);
	close(fd);
	return auxv(pid, AT_ENTRY) - eh.e_entry;
}

/* The executable segments, from the program headers in memory. */
static void layout(pid_t pid)
{
	Elf64_Phdr p[128];
	uint64_t n = auxv(pid, AT_PHNUM), bias = bias_of(pid);

	if (n > 128)
		n = 128;
	if (peek(pid, auxv(pid, AT_PHDR), p, n * sizeof *p) != n * sizeof *p)
		die("program headers");
	low = UINT64_MAX;
	for (uint64_t i = 0; i < n; i++) {
		if (p[i].p_type != PT_LOAD || !(p[i].p_flags & PF_X))
			continue;
		if (p[i].p_vaddr + bias < low)
			low = p[i].p_vaddr + bias;
		if (p[i].p_vaddr + bias + p[i].p_memsz > high)
			high = p[i].p_vaddr + bias + p[i].p_memsz;
	}
	if (low >= high)
		die("no code");
	counts = calloc(high - low, sizeof *counts);
	string_insn = calloc(high - low, 1);
	if (!counts || !string_insn)
		die("calloc");
}

/* REP MOVS and its kin trap after each iteration; they count once. */
static bool is_rep(pid_t pid, uint64_t at)
{
	unsigned char *known = &string_insn[at - low], b[8] = {0}, c;
	bool prefix = false;
	size_t i = 0;

	if (*known)
		return *known == 2;
	peek(pid, at, b, sizeof b);
	for (; i < 6; i++)
		if (b[i] == 0xf2 || b[i] == 0xf3)
			prefix = true;
		else if (b[i] != 0x66 && b[i] != 0x67 && (b[i] & 0xf0) != 0x40)
			break;
	c = b[i];
	*known = prefix &&
			((c >= 0xa4 && c <= 0xa7) || (c >= 0xaa && c <= 0xaf) ||
				(c >= 0x6c && c <= 0x6f))
		? 2
		: 1;
	return *known == 2;
}

static const size_t RIP = offsetof(struct user_regs_struct, rip);

static uint64_t ip_of(pid_t pid)
{
	return (uint64_t)ptrace(PTRACE_PEEKUSER, pid, RIP, 0);
}

/* Have a dynamic program stop at its entry point; a static one begins there. */
static void await_entry(pid_t pid)
{
	if (!auxv(pid, AT_BASE))
		return;
	entry = auxv(pid, AT_ENTRY);
	entry_word = ptrace(PTRACE_PEEKTEXT, pid, entry, 0);
	if (ptrace(PTRACE_POKETEXT, pid, entry, (entry_word & ~0xffl) | 0xcc))
		die("entry point");
}

static bool at_entry(pid_t pid, int sig)
{
	if (!entry || sig != SIGTRAP || ip_of(pid) != entry + 1)
		return false;
	if (ptrace(PTRACE_POKETEXT, pid, entry, entry_word) ||
		ptrace(PTRACE_POKEUSER, pid, RIP, entry))
		die("entry point");
	return true;
}

static bool inside(uint64_t ip)
{
	return ip >= low && ip < high;
}

/* An instruction was reached: it is about to run. */
static void step(struct thread *t, bool event)
{
	uint64_t ip = ip_of(t->pid);

	if (!event && inside(ip) && !(t->last == ip && is_rep(t->pid, ip)))
		counts[ip - low]++;
	t->last = ip;
}

/*
 * A signal is about to be delivered.  An instruction that was counted as
 * reached but has not run (an asynchronous signal) is taken back.
 */
static void before_signal(struct thread *t, int sig)
{
	siginfo_t si;
	bool fault = sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL;

	if (ptrace(PTRACE_GETSIGINFO, t->pid, 0, &si) == 0 && !(fault && si.si_code > 0)) {
		uint64_t ip = ip_of(t->pid);

		if (inside(ip) && t->last == ip && counts[ip - low])
			counts[ip - low]--;
	}
	t->last = 1;
}

/* One stop of one thread; returns the signal to go on with, -1: it goes on already. */
static int stopped(pid_t pid, pid_t first, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;
	struct thread *t = thread_of(pid);

	if (event == PTRACE_EVENT_EXEC) {
		if (started && pid == first && low) {
			/* the program replaced itself: no counting any more */
			ptrace(PTRACE_DETACH, pid, 0, 0);
			return -1;
		}
		if (!started) {
			layout(pid);
			await_entry(pid);
			started = !entry;
		}
		if (started)
			return 0;
	}
	started = started || at_entry(pid, sig);
	if (!started) {
		ptrace(PTRACE_CONT, pid, 0, sig == SIGSTOP || sig == SIGTRAP ? 0 : sig);
		return -1;
	}
	if (!event && sig != SIGTRAP && !(sig == SIGSTOP && !t->last)) {
		before_signal(t, sig);
		return sig;
	}
	step(t, event != 0);
	return 0;
}

static pid_t start(char **argv, bool follow)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
		die("waitpid");
	ptrace(PTRACE_SETOPTIONS, pid, 0,
		PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL |
			(follow ? PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK : 0));
	ptrace(PTRACE_CONT, pid, 0, 0);
	return pid;
}

/* Step everything until nothing is left; returns the exit status of the first process. */
static int follow_all(pid_t first, double limit)
{
	time_t begin = time(NULL);
	uint64_t stops = 0;
	int status, result = 125;

	for (;;) {
		pid_t pid = waitpid(-1, &status, __WALL);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			return result;
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (pid == first)
				result = WIFEXITED(status) ? WEXITSTATUS(status)
							   : 128 + WTERMSIG(status);
			continue;
		}
		int sig = stopped(pid, first, status);
		if ((++stops & 0xfffff) == 0 && difftime(time(NULL), begin) > limit) {
			fprintf(stderr, "oracle_step: time limit\n");
			kill(first, SIGKILL);
			return 124;
		}
		if (sig >= 0)
			ptrace(PTRACE_SINGLESTEP, pid, 0, sig);
	}
}

int main(int argc, char **argv)
{
	const char *out = NULL;
	bool follow = false;
	double limit = 1e9;
	int c;

	while ((c = getopt(argc, argv, "+fo:t:")) != -1)
		if (c == 'f')
			follow = true;
		else if (c == 'o')
			out = optarg;
		else if (c == 't')
			limit = atof(optarg);
	if (!out || optind >= argc)
		return 125;
	int result = follow_all(start(argv + optind, follow), limit);
	FILE *f = fopen(out, "w");
	if (!f)
		die(out);
	fprintf(f, "%" PRIx64 "\n", low);
	for (uint64_t i = 0; i < high - low; i++)
		if (counts[i])
			fprintf(f, "%" PRIx64 " %" PRIu64 "\n", low + i, counts[i]);
	if (fclose(f))
		die(out);
	return result;
}
