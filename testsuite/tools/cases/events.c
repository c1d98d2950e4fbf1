/*
 * The process begins and ends, also its forked children, but not one that is killed; threads begin
 * before they run code of the program, and end, however they end.  Strings and numbers are passed.
 */
//# flags: -pthread
#if defined ASKS
#include <ldx/tool.h>

static void instrument(const ldx_object *o)
{
	static const char *const routine[] = {"begin", "end", "child", "start", "stop"};
	(void)o;
	for (unsigned e = LDX_EVENT_BEGIN; e <= LDX_EVENT_THREAD_END; e++) {
		ldx_arg arg[] = {ldx_number(e + 1), ldx_string("string"), ldx_number(1), ldx_number(7)};
		for (int twice = 0; twice < 2; twice++)
			if (!ldx_call(ldx_at_event((enum ldx_event)e), routine[e], 4, arg))
				ldx_fail("%s: %s", routine[e], ldx_refused());
	}
	ldx_arg stack = ldx_stack();
	if (ldx_call(ldx_at_event(LDX_EVENT_BEGIN), "begin", 1, &stack))
		ldx_fail("there is no stack yet");
	if (ldx_add_to(ldx_at_event(LDX_EVENT_BEGIN), "events", 0, 1))
		ldx_fail("there is no code");
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "events", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t events[6];

static void note(unsigned long event, const char *s, unsigned long one, unsigned long seven)
{
	ldx_add(events, [event], s[0] == 's' && s[5] == 'g' && !s[6] && one == 1 && seven == 7);
}
#define NOTES(name)                                                                                \
	LDX_ROUTINE void name(unsigned long e, const char *s, unsigned long a, unsigned long b)    \
	{                                                                                          \
		note(e, s, a, b);                                                                  \
	}
NOTES(begin)
NOTES(end)
NOTES(child)
NOTES(start)
NOTES(stop)
#else
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_key_t key;

static void destroyed(void *value)
{
	(void)value;
}

static void *run(void *how)
{
	pthread_setspecific(key, how);
	if (how == (void *)1)
		pthread_exit(how);
	while (how == (void *)2)
		pause();
	return how;
}

static void threads(void)
{
	for (uintptr_t i = 0; i < 4; i++) {
		pthread_t t;
		pthread_create(&t, NULL, run, (void *)i);
		if (i == 2)
			pthread_cancel(t);
		pthread_join(t, NULL);
	}
}

static void in_child(int how)
{
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		threads();
		if (how == 0)
			exit(0);
		if (how == 1)
			kill(getpid(), SIGKILL);
		quick_exit(0); /* static programs tell it */
	}
	waitpid(child, NULL, 0);
}

/* Emulators that claim to wipe memory in children, and do not, hide forks in static programs. */
static int wipes(void)
{
	int status;
	char *page = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*page = 1;
	madvise(page, 65536, MADV_WIPEONFORK);
	pid_t child = fork();
	if (!child)
		_exit(*page);
	waitpid(child, &status, 0);
	return !status;
}

int main(void)
{
	pthread_key_create(&key, destroyed);
	threads();
	for (int how = 0; how < 3; how++)
		in_child(how);
	/* each routine is called twice; a static program has no base of a dynamic linker */
	int dynamic = getauxval(AT_BASE) != 0, told = wipes() || dynamic;
	printf("events 1 2\nevents 2 %d\n", dynamic ? 4 : told ? 8 : 2);
	printf("events 3 %d\nevents 4 32\nevents 5 32\n", told ? 8 : 0);
	return 0;
}
#endif
