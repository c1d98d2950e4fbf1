/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner.c - executes single instructions
 *
 *	runner TRIALS OUTCOMES [SEEN]
 *
 * A signal handler sets all registers, which are there when it returns; what comes behind the
 * instruction, or it itself, ends in a signal again.  SEEN: where the emulator says what memory the
 * instruction accessed.  Compiled for the CPU in question, static.
 */
#define _GNU_SOURCE
#include "trial.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static const struct trial *trial;
static struct outcome *outcome;
static struct seen *seen;
static long ntrials, now = -1, alarmed = -1;
static uint8_t may[REGIONS][2];

#if defined __x86_64__
#include <asm/prctl.h>
#include <cpuid.h>
#include <elf.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
static const uint8_t trap[] = {0xcc};
enum { XSTATE_BV = 512, SW_BYTES = 464, AVX = 2, AVX512 = 5 };
static const int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI,
	REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
static unsigned component[8];
static uint8_t own[2 * PAGE];

/* What the thread pointer points at is where its address is known, and restored each time. */
static void prepare(void)
{
	uint8_t *base, *copy = (uint8_t *)FS_BASE;
	const Elf64_Phdr *ph = (const Elf64_Phdr *)getauxval(AT_PHDR);
	size_t below = 0;
	unsigned a, c, d;

	for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
		if (ph[i].p_type == PT_TLS)
			below = (ph[i].p_memsz + ph[i].p_align - 1) & -ph[i].p_align;
	for (unsigned i = AVX; i < 8; i++) {
		component[i] = 0;
		if (__get_cpuid_max(0, NULL) >= 0xd)
			__cpuid_count(0xd, i, a, component[i], c, d);
	}
	__asm__("mov %%fs:0, %0" : "=r"(base));
	mmap(copy - PAGE, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);
	memcpy(copy - below, base - below, below);
	memcpy(copy, base, 1024);
	memcpy(copy, &copy, sizeof copy);
	memcpy(copy + 16, &copy, sizeof copy);
	memcpy(own, copy - PAGE, sizeof own);
	syscall(SYS_arch_prctl, ARCH_SET_FS, FS_BASE);
	syscall(SYS_arch_prctl, ARCH_SET_GS, GS_BASE);
}

/* QEMU 7.2 leaves the direction flag as it was. */
static void restore(void)
{
	__asm__ volatile("cld");
	memcpy((uint8_t *)FS_BASE - PAGE, own, sizeof own);
}

static uint64_t features(uint8_t *fx)
{
	uint64_t f = 0;
	uint32_t magic;

	memcpy(&magic, fx + SW_BYTES, 4);
	if (magic == 0x46505853)
		memcpy(&f, fx + SW_BYTES + 8, 8);
	return f & 0xe4;
}

static void get(ucontext_t *u, struct state *s)
{
	uint8_t *fx = (uint8_t *)u->uc_mcontext.fpregs;
	uint64_t has = features(fx), here = 0;

	for (int i = 0; i < 16; i++)
		s->reg[i] = (uint64_t)u->uc_mcontext.gregs[order[i]];
	s->flags = (uint64_t)u->uc_mcontext.gregs[REG_EFL];
	s->pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
	memset(s->vector, 0, sizeof s->vector);
	if (has)
		memcpy(&here, fx + XSTATE_BV, 8);
	for (int i = 0; i < 16; i++) {
		memcpy(s->vector[i], fx + 160 + 16 * i, 16);
		if (has & here & 4)
			memcpy(s->vector[i] + 16, fx + component[AVX] + 16 * i, 16);
		if (has & here & 0x40)
			memcpy(s->vector[i] + 32, fx + component[6] + 32 * i, 32);
		if (has & here & 0x80)
			memcpy(s->vector[16 + i], fx + component[7] + 64 * i, 64);
	}
}

static void set(ucontext_t *u, const struct state *s)
{
	uint8_t *fx = (uint8_t *)u->uc_mcontext.fpregs;
	uint64_t has = features(fx), here = 3 | has;
	const uint16_t control = 0x37f;
	const uint32_t mxcsr = 0x1f80;

	for (int i = 0; i < 16; i++)
		u->uc_mcontext.gregs[order[i]] = (long long)s->reg[i];
	u->uc_mcontext.gregs[REG_EFL] = (long long)s->flags;
	u->uc_mcontext.gregs[REG_RIP] = (long long)s->pc;
	memset(fx, 0, 160);
	memcpy(fx, &control, 2);
	memcpy(fx + 24, &mxcsr, 4);
	if (has)
		memcpy(fx + XSTATE_BV, &here, 8);
	for (int i = 0; i < 16; i++) {
		memcpy(fx + 160 + 16 * i, s->vector[i], 16);
		if (has & 4)
			memcpy(fx + component[AVX] + 16 * i, s->vector[i] + 16, 16);
		if (has & 0x40)
			memcpy(fx + component[6] + 32 * i, s->vector[i] + 32, 32);
		if (has & 0x80)
			memcpy(fx + component[7] + 64 * i, s->vector[16 + i], 64);
	}
	if (has & 0x20)
		memcpy(fx + component[AVX512], s->mask, sizeof s->mask);
}

static uint64_t features_of(ucontext_t *u)
{
	return features((uint8_t *)u->uc_mcontext.fpregs);
}
#elif defined __aarch64__
#include <asm/sigcontext.h>
static const uint32_t trap[] = {0xd4200000};

static struct fpsimd_context *vectors(ucontext_t *u)
{
	uint8_t *p = u->uc_mcontext.__reserved;
	struct _aarch64_ctx *c = (struct _aarch64_ctx *)p;

	while (c->magic && c->magic != FPSIMD_MAGIC)
		c = (struct _aarch64_ctx *)(p += c->size);
	return c->magic ? (struct fpsimd_context *)c : NULL;
}

static void get(ucontext_t *u, struct state *s)
{
	struct fpsimd_context *v = vectors(u);

	memcpy(s->reg, u->uc_mcontext.regs, 31 * 8);
	s->reg[31] = u->uc_mcontext.sp;
	s->pc = u->uc_mcontext.pc;
	s->flags = u->uc_mcontext.pstate;
	for (int i = 0; v && i < 32; i++)
		memcpy(s->vector[i], &v->vregs[i], 16);
}

static void set(ucontext_t *u, const struct state *s)
{
	const uint64_t nzcv = UINT64_C(0xf0000000);
	struct fpsimd_context *v = vectors(u);

	memcpy(u->uc_mcontext.regs, s->reg, 31 * 8);
	u->uc_mcontext.sp = s->reg[31];
	u->uc_mcontext.pc = s->pc;
	u->uc_mcontext.pstate = (u->uc_mcontext.pstate & ~nzcv) | (s->flags & nzcv);
	for (int i = 0; v && i < 32; i++)
		memcpy(&v->vregs[i], s->vector[i], 16);
}
#elif defined __riscv
static const uint16_t trap[] = {0x9002};

static void get(ucontext_t *u, struct state *s)
{
	memcpy(s->reg, u->uc_mcontext.__gregs, sizeof s->reg);
	s->reg[0] = 0;
	s->pc = u->uc_mcontext.__gregs[0];
	for (int i = 0; i < 32; i++)
		memcpy(s->vector[i], &u->uc_mcontext.__fpregs.__d.__f[i], 8);
}

static void set(ucontext_t *u, const struct state *s)
{
	memcpy(u->uc_mcontext.__gregs, s->reg, sizeof s->reg);
	u->uc_mcontext.__gregs[0] = s->pc;
	for (int i = 0; i < 32; i++)
		memcpy(&u->uc_mcontext.__fpregs.__d.__f[i], s->vector[i], 8);
	u->uc_mcontext.__fpregs.__d.__fcsr = 0;
}
#else
static const uint32_t trap[] = {0x0000000d};

static void get(ucontext_t *u, struct state *s)
{
	for (int i = 0; i < 32; i++) {
		s->reg[i] = u->uc_mcontext.gregs[i];
		memcpy(s->vector[i], &u->uc_mcontext.fpregs.fp_r.fp_dregs[i], 8);
	}
	s->pc = u->uc_mcontext.pc;
	s->flags = u->uc_mcontext.fpc_csr;
}

static void set(ucontext_t *u, const struct state *s)
{
	for (int i = 1; i < 32; i++)
		u->uc_mcontext.gregs[i] = s->reg[i];
	for (int i = 0; i < 32; i++)
		memcpy(&u->uc_mcontext.fpregs.fp_r.fp_dregs[i], s->vector[i], 8);
	u->uc_mcontext.pc = s->pc;
	u->uc_mcontext.fpc_csr = (unsigned)s->flags;
	/* QEMU 7.2 does not take it from there */
	__asm__ volatile("ctc1 %0, $31" : : "r"((unsigned)s->flags));
}
#endif
#ifndef __x86_64__
static void prepare(void)
{
}
static void restore(void)
{
}
static uint64_t features_of(ucontext_t *u)
{
	(void)u;
	return 0;
}
#endif

static void protect(int r, int page, int how)
{
	static const int prot[] = {PROT_NONE, PROT_READ, 0, PROT_READ | PROT_WRITE};

	if (may[r][page] == how)
		return;
	mprotect((void *)(uintptr_t)(MIDDLE(r) - (uint64_t)(page ? 0 : PAGE)), PAGE, prot[how]);
	may[r][page] = (uint8_t)how;
}

static void open_all(void)
{
	for (int r = 0; r < REGIONS; r++)
		for (int page = 0; page < 2; page++)
			protect(r, page, MAY_WRITE);
}

static void answer(int sig, siginfo_t *si, ucontext_t *u)
{
	struct outcome *o = &outcome[now];

	open_all();
	get(u, &o->after);
	o->signal = (uint64_t)sig;
	o->fault = (uint64_t)(uintptr_t)si->si_addr;
	o->features = features_of(u);
	for (int r = 0; r < REGIONS; r++)
		memcpy(o->window[r], (void *)(uintptr_t)(MIDDLE(r) - WINDOW / 2), WINDOW);
	if (seen)
		memcpy(&o->seen, seen, sizeof *seen);
}

static void begin(ucontext_t *u)
{
	const struct trial *t = &trial[now];

	for (int r = 0; r < REGIONS; r++) {
		memcpy((void *)(uintptr_t)(MIDDLE(r) - WINDOW / 2), t->window[r], WINDOW);
		protect(r, 0, t->may[r][0]);
		protect(r, 1, t->may[r][1]);
	}
	set(u, &t->before);
	if (seen)
		seen->n = 0;
}

static void on_signal(int sig, siginfo_t *si, void *context)
{
	restore();
	if (sig == SIGALRM && (now < 0 || alarmed != now)) {
		alarmed = now;
		return;
	}
	if (now >= 0)
		answer(sig, si, context);
	if (++now == ntrials)
		_exit(0);
	begin(context);
}

static void *map_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDWR);
	struct stat st;
	void *p;

	if (fd < 0 || fstat(fd, &st))
		_exit(3);
	*size = (size_t)st.st_size;
	p = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		_exit(3);
	return p;
}

static void put_code(void)
{
	size_t size = TRIALS * SLOT + PAGE;
	uint8_t *code = mmap((void *)(uintptr_t)CODE, size, PROT_READ | PROT_WRITE,
		MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		_exit(3);
	for (size_t i = 0; i < size; i += sizeof trap)
		memcpy(code + i, trap, sizeof trap);
	for (long i = 0; i < ntrials; i++)
		memcpy(code + i * SLOT, trial[i].code, trial[i].len);
	mprotect(code, size, PROT_READ | PROT_EXEC);
	__builtin___clear_cache((char *)code, (char *)code + size);
}

int main(int argc, char **argv)
{
	static const int signals[] = {SIGUSR1, SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS,
		SIGALRM};
	static uint8_t stack[1 << 18];
	struct itimerval each = {{1, 0}, {1, 0}};
	stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction sa = {.sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	size_t size;

	if (argc < 3)
		return 2;
	trial = map_file(argv[1], &size);
	ntrials = (long)(size / sizeof *trial);
	outcome = map_file(argv[2], &size);
	if (argc > 3)
		seen = map_file(argv[3], &size);
	put_code();
	for (int r = 0; r < REGIONS; r++)
		if (mmap((void *)(uintptr_t)(MIDDLE(r) - 2 * PAGE), 4 * PAGE,
			    PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0) == MAP_FAILED)
			return 3;
	memset(may, MAY_WRITE, sizeof may);
	prepare();
	sigaltstack(&alternative, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		sigaction(signals[i], &sa, NULL);
	setitimer(ITIMER_REAL, &each, NULL);
	kill(getpid(), SIGUSR1);
	return 4;
}
