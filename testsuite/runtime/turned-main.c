/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that uses libraries of turned.py: turned-main HOW LIB...  With -DSETS it sets the base of %gs
 * in its threads; with -DBARE it names no function by which it might filter system calls.  It prints how
 * many threads have one of the bases that libraries share (runtime/bases.c).
 */
#define _GNU_SOURCE
#include <asm/hwcap2.h>
#include <asm/prctl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 8 };
/* The bases of libraries end below the stack, and libraries are there; a program's own bases lead
 * from the program to there. */
#define BASES_END ((size_t)2 << 40)
static int nlib;
static char **lib;
static unsigned (*work[64])(unsigned);
static unsigned (*threads[64])(int);
static size_t (*thread_base)(void);
static pthread_barrier_t all;
static int bases;

static void *open_lib(const char *path, int i, long space)
{
	void *h = dlmopen(space, path, RTLD_NOW);
	if (!h) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	work[i] = (unsigned (*)(unsigned))dlsym(h, "work");
	threads[i] = (unsigned (*)(int))dlsym(h, "threads");
	thread_base = (size_t (*)(void))dlsym(h, "thread_base");
	return h;
}

static void *run(void *arg)
{
	pthread_barrier_wait(&all);
	for (int i = 0; i < nlib; i++)
		work[i]((unsigned)(size_t)arg);
	size_t base = getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE ? thread_base() : 0;
	/* without a branch, whose counts would depend on the base */
	__atomic_fetch_add(&bases, (base - 1 < BASES_END) & (base % (2 << 20) == 0), __ATOMIC_SEQ_CST);
	pthread_barrier_wait(&all);
	return NULL;
}

/* Threads one after the other, while as many others are in the library. */
static void *run_waves(void *arg)
{
	pthread_t t;
	for (int i = 0; i < 40; i++) {
		pthread_create(&t, NULL, (void *(*)(void *))work[i % nlib], (void *)3);
		work[(i + 1) % nlib]((unsigned)(size_t)arg);
		pthread_join(t, NULL);
	}
	return NULL;
}

/* The first thread in each library but the first one ends; threads that it made use its row. */
static void *run_first(void *arg)
{
	pthread_t t;
	for (int i = 1; i < nlib; i++)
		work[i]((unsigned)(size_t)arg);
	work[0](1);
	pthread_create(&t, NULL, run_waves, arg);
	pthread_join(t, NULL);
	return NULL;
}

/* With another base of %gs in each thread. */
static void *run_gs(void *arg)
{
#ifdef SETS
	syscall(SYS_arch_prctl, ARCH_SET_GS, (size_t)arg << 21);
#endif
	return run(arg);
}

/* The libraries come and go while other threads are in them. */
static void *run_open(void *arg)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	for (int k = 0; k < 5; k++) {
		pthread_mutex_lock(&m);
		void *h = dlopen(lib[0], RTLD_NOW);
		pthread_mutex_unlock(&m);
		((unsigned (*)(unsigned))dlsym(h, "work"))((unsigned)(size_t)arg);
		pthread_mutex_lock(&m);
		dlclose(h);
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

static void *run_fork(void *arg)
{
	pthread_barrier_wait(&all);
	work[0]((unsigned)(size_t)arg);
	pid_t pid = fork();
	if (!pid) {
		work[0](1);
		threads[0](2);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return work[0]((unsigned)(size_t)arg), NULL;
}

static void in_threads(void *(*f)(void *), int n)
{
	pthread_t t[N];
	for (size_t i = 0; i < (size_t)n; i++)
		pthread_create(&t[i], NULL, f, (void *)(i + 1));
	if (f == run || f == run_gs) {
		pthread_barrier_wait(&all);
		pthread_barrier_wait(&all);
	} else if (f == run_fork) {
		pthread_barrier_wait(&all);
	}
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static int is(const char *how, const char *name)
{
	return !strcmp(how, name);
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	nlib = argc - 2;
	lib = argv + 2;
	pthread_barrier_init(&all, NULL, N + 1);
	if (is(how, "open")) {
		in_threads(run_open, N);
		return 0;
	}
	for (int i = 0; i < nlib; i++)
		open_lib(lib[i], i, is(how, "spaces") && i ? LM_ID_NEWLM : LM_ID_BASE);
#ifndef BARE
	if (is(how, "denied") && prctl(65 /* PR_SET_MDWE */, 1L, 0L, 0L, 0L))
		return 77;
#endif
	if (!is(how, "race"))
		work[0](3);
	if (is(how, "one"))
		return 0;
	if (is(how, "made"))
		return threads[0](N) == 1;
	if (is(how, "forked") && !fork()) { /* the child's first thread is the only one */
		work[0](4);
		in_threads(run, N);
		_exit(0);
	}
	if (is(how, "forked"))
		return wait(NULL) < 0;
	in_threads(is(how, "gs")	? run_gs
			: is(how, "forks") ? run_fork
			: is(how, "waves") ? run_waves
			: is(how, "first") ? run_first
					   : run,
		N);
	printf("%d bases\n", bases);
	if (is(how, "killed"))
		raise(SIGKILL);
	return 0;
}
