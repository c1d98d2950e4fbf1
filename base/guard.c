/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c - crashes and exits of others' code; see guard.h */
#include "base/guard.h"

#include "base/base.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static const int deaths[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { DEATHS = sizeof deaths / sizeof *deaths };

static guard_end *volatile running; /* NULL: nothing */
static pid_t owner;		    /* the process in which it runs */

static void died(int sig)
{
	const char *how = sigdescr_np(sig);
	running(how ? how : "signal");
}

/* fatal() ends what runs; it has said why. */
static void said_why(void)
{
	running = NULL;
}

/* Nothing would be said, and the output be empty. */
static void left(void)
{
	if (running && getpid() == owner)
		running(NULL);
}

void guarded(void (*fn)(void *ctx), void *ctx, guard_end *end)
{
	static bool watched;
	static char stack[65536];
	struct sigaction old[DEATHS],
		own = {.sa_handler = died, .sa_flags = SA_ONSTACK | SA_RESETHAND};
	stack_t before;
	sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, &before);
	for (int i = 0; i < DEATHS; i++)
		sigaction(deaths[i], &own, &old[i]);
	if (!watched) {
		at_exit_cleanup(said_why);
		atexit(left);
	}
	watched = true;
	owner = getpid();
	running = end;
	fn(ctx);
	running = NULL;
	for (int i = 0; i < DEATHS; i++)
		sigaction(deaths[i], &old[i], NULL);
	sigaltstack(&before, NULL);
}
