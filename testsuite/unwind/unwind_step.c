/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_step - is the call frame information right at every instruction?
 *
 *	unwind_step [-n STEPS] [-a] [-v] PROGRAM [ARG...]
 *
 * Runs the program one instruction at a time with a shadow stack of its calls:
 * where each return address lies and what it is.  At every instruction of the
 * program and its libraries the frames found through .eh_frame are compared with
 * it, three deep, and to the end now and then.  In its libraries one instruction
 * of 64 is enough, but with -a.  Prints where they differ (the first place, or all
 * with -v), and at last the totals; code without frame information is only counted.
 * Signals, longjmp and exceptions are followed; programs that change stacks are not
 * for it.  When the program starts a thread, that is what is looked at from then on.
 * Exit status: 0 all right, 1 not, 2 no result.
 */
#include "cfa.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* %rbx, %rbp, %r12 to %r15 (psABI, 3.2.1), by their DWARF numbers */
enum { NSAVED = 6 };
static const uint8_t preserved[NSAVED] = {3, 6, 12, 13, 14, 15};

enum { DEEP = 1 << 14, MAXOBJECTS = 64, OFTEN = 3, ALL_EVERY = 997, LIBRARY = 64 };

/* A return address on the program's stack, or the frame the kernel made for a signal. */
struct call {
	uint64_t slot, ret;
	uint64_t saved[NSAVED];	/* the registers that calls preserve */
};

static pid_t first, pid;	/* the program, and its thread that is looked at */
static struct call shadow[DEEP];
static size_t depth;
static struct object object[MAXOBJECTS];
static size_t nobject;
static bool verbose, libraries;
static unsigned long steps, frames, without, wrong;

static void fail(const char *what)
{
	fprintf(stderr, "unwind_step: %s: %s\n", what, strerror(errno));
	exit(2);
}

static bool is_mapped(uint64_t pc)
{
	for (size_t i = 0; i < nobject; i++)
		if (object[i].start <= pc && pc < object[i].end)
			return true;
	return false;
}

/* All ELF files the process has mapped now. */
static void read_maps(void)
{
	char path[64], line[4096], file[4096];
	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	FILE *f = fopen(path, "r");
	if (!f)
		fail(path);
	while (fgets(line, sizeof line, f) && nobject < MAXOBJECTS) {
		unsigned long start, offset;
		if (sscanf(line, "%lx-%*x %*s %lx %*s %*s %4095s", &start, &offset, file) == 3 &&
			!offset && *file == '/' && !is_mapped(start))
			nobject += object_open(&object[nobject], file, start);
	}
	fclose(f);
}

/* The program is what was mapped first; its own code is what is of interest. */
static bool in_program(uint64_t pc)
{
	return nobject && object[0].start <= pc && pc < object[0].end;
}

/* Whether the instruction is a call, as far as its first bytes say. */
static bool is_call(const uint8_t *p)
{
	while (*p == 0x66 || *p == 0xf2 || *p == 0x3e || *p == 0x67 || *p == 0x64 ||
		(*p & 0xf0) == 0x40)
		p++;
	return *p == 0xe8 || (*p == 0xff && (p[1] >> 3 & 7) == 2);
}

static void read_frame(const struct user_regs_struct *u, struct frame *f)
{
	const uint64_t reg[NREGS] = {u->rax, u->rdx, u->rcx, u->rbx, u->rsi, u->rdi, u->rbp, u->rsp,
		u->r8, u->r9, u->r10, u->r11, u->r12, u->r13, u->r14, u->r15, u->rip};
	memcpy(f->reg, reg, sizeof reg);
	memset(f->known, true, sizeof f->known);
	f->interrupted = true;
}

static void complain(uint64_t pc, const char *what, size_t n, uint64_t is, uint64_t should)
{
	if (!wrong++ || verbose)
		printf("pc %#lx: frame %zu: %s: %#lx, not %#lx\n", (unsigned long)pc, n, what,
			(unsigned long)is, (unsigned long)should);
}

/* Whether the caller's registers are those it had when it made the call. */
static bool check_saved(uint64_t pc, size_t n, const struct frame *f, const struct call *c)
{
	for (unsigned i = 0; i < NSAVED; i++) {
		unsigned r = preserved[i];
		if (f->known[r] && f->reg[r] != c->saved[i]) {
			complain(pc, "a preserved register", n, f->reg[r], c->saved[i]);
			return false;
		}
	}
	return true;
}

/* Compares the frames from here on with the calls that are open. */
static void check(const struct user_regs_struct *u, size_t most)
{
	struct frame f;
	uint64_t slot;
	read_frame(u, &f);
	for (size_t n = 0; n < most && n < depth; n++) {
		const struct call *c = &shadow[depth - 1 - n];
		enum unwind how = unwind_step(pid, object, nobject, &f, &slot);
		if (how == NO_FDE || how == NO_CALLER) {
			without += !n;
			return;
		}
		frames++;
		if (how == BAD_CFI)
			complain(u->rip, "not readable", n, 0, c->ret);
		else if (f.reg[DW_RA] != c->ret)
			complain(u->rip, "return address", n, f.reg[DW_RA], c->ret);
		else if (slot != c->slot)
			complain(u->rip, "its place", n, slot, c->slot);
		else if (check_saved(u->rip, n, &f, c))
			continue;
		return;
	}
}

static void push(uint64_t slot, uint64_t ret, const struct user_regs_struct *u)
{
	if (depth == DEEP)
		fail("too deep");
	shadow[depth++] = (struct call){
		slot, ret, {u->rbx, u->rbp, u->r12, u->r13, u->r14, u->r15}};
}

/* What the instruction at pc did to the calls that are open. */
static void follow(const struct user_regs_struct *old, const struct user_regs_struct *new)
{
	uint8_t code[16] = {0};
	uint64_t ret;
	while (depth && shadow[depth - 1].slot < new->rsp)
		depth--;
	if (!peek(pid, old->rip, code, 15))
		return;
	if (is_call(code) && new->rsp == old->rsp - 8 && peek(pid, new->rsp, &ret, 8) &&
		ret > old->rip && ret <= old->rip + 15)
		push(new->rsp, ret, new);
}

/*
 * A handler was entered: its return address leads to the restorer, above which
 * lies the frame with the pc that was interrupted (Linux: ucontext, gregs).
 */
static void follow_signal(const struct user_regs_struct *old, const struct user_regs_struct *new)
{
	enum { UCONTEXT_RIP = 8 + 40 + 16 * 8 };
	uint64_t restorer, pc;
	if (!peek(pid, new->rsp, &restorer, 8) ||
		!peek(pid, new->rsp + UCONTEXT_RIP, &pc, 8))
		return;
	push(new->rsp + UCONTEXT_RIP, pc, old);
	push(new->rsp, restorer, new);
}

/* What the dynamic linker does first is of no interest. */
static void run_to(uint64_t pc)
{
	struct user_regs_struct u;
	int status;
	long word = ptrace(PTRACE_PEEKTEXT, pid, pc, 0);
	ptrace(PTRACE_POKETEXT, pid, pc, (word & ~0xff) | 0xcc);
	if (ptrace(PTRACE_CONT, pid, 0, 0) || waitpid(pid, &status, 0) < 0 ||
		!WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, pid, 0, &u) || u.rip != pc + 1)
		fail("entry point");
	ptrace(PTRACE_POKETEXT, pid, pc, word);
	u.rip = pc;
	ptrace(PTRACE_SETREGS, pid, 0, &u);
}

/* Two processes that take turns wait for each other least on one CPU. */
static void stay_on_one_cpu(void)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
}

static void start(char **argv)
{
	int status;
	stay_on_one_cpu();
	first = pid = fork();
	if (!pid) {
		personality(ADDR_NO_RANDOMIZE);
		setenv("LD_BIND_NOW", "1", 1);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(*argv, argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
		fail(*argv);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE);
	read_maps();
	run_to(object[0].entry);
}

/*
 * The thread that pid has just made takes its place.  A popf that was stepped over
 * has made the trap flag pid's own: the kernel does not take that one back.
 */
static void follow_thread(void)
{
	enum { TRAP_FLAG = 1 << 8 };
	struct user_regs_struct u;
	unsigned long made;
	int status;
	ptrace(PTRACE_GETREGS, pid, 0, &u);
	u.eflags &= ~(unsigned long)TRAP_FLAG;
	ptrace(PTRACE_SETREGS, pid, 0, &u);
	if (ptrace(PTRACE_GETEVENTMSG, pid, 0, &made) || ptrace(PTRACE_DETACH, pid, 0, 0))
		fail("new thread");
	pid = (pid_t)made;
	if (waitpid(pid, &status, __WALL) < 0 || !WIFSTOPPED(status))
		fail("new thread");
	depth = 0;
}

/* Steps until the program or the thread ends; the program's exit status. */
static int trace(unsigned long most)
{
	struct user_regs_struct old, new;
	int status, sig = 0;
	ptrace(PTRACE_GETREGS, pid, 0, &old);
	for (; steps < most; steps++) {
		if (!is_mapped(old.rip))
			read_maps();
		peek_window(pid, old.rsp);
		if (libraries || steps % LIBRARY == 0 || in_program(old.rip))
			check(&old, steps % ALL_EVERY ? OFTEN : DEEP);
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, sig) || waitpid(pid, &status, __WALL) < 0)
			fail("step");
		if (!WIFSTOPPED(status)) {
			if (pid != first && waitpid(first, &status, 0) < 0)
				fail("wait");
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		}
		if (status >> 16 == PTRACE_EVENT_CLONE) {
			follow_thread();
			ptrace(PTRACE_GETREGS, pid, 0, &old);
			continue;
		}
		ptrace(PTRACE_GETREGS, pid, 0, &new);
		if (sig && new.rip != old.rip && new.rsp + 128 < old.rsp)
			follow_signal(&old, &new);
		else
			follow(&old, &new);
		sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		old = new;
	}
	kill(first, SIGKILL);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long most = 1000000;
	int opt;
	while ((opt = getopt(argc, argv, "+an:v")) != -1) {
		if (opt == 'n')
			most = strtoul(optarg, NULL, 0);
		else if (opt == 'a')
			libraries = true;
		else if (opt == 'v')
			verbose = true;
		else
			return 2;
	}
	if (optind == argc)
		return 2;
	start(argv + optind);
	int status = trace(most);
	fprintf(stderr, "unwind_step: %lu instructions, %lu without frames, %lu frames, %lu wrong; status %d\n",
		steps, without, frames, wrong, status);
	return wrong ? 1 : 0;
}
