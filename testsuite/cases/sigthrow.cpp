// An exception out of a signal handler, through the signal frame and instrumented frames.
//# cc: gcc
//# cflags: -fnon-call-exceptions
//# each: -O0 | -O2
//# stdout: caught 11 unwound 1
//# oracle: step skip=_ZL5faultPVi
#include <csignal>
#include <cstdio>

static int unwound;
struct Guard {
	~Guard() { unwound++; }
};
static void handler(int s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, s);
	sigprocmask(SIG_UNBLOCK, &set, nullptr);
	throw s;
}

[[gnu::noinline]] static int fault(volatile int *p) { return *p; }
[[gnu::noinline]] static int guarded(volatile int *p)
{
	Guard g;
	return fault(p) + 1;
}

int main()
{
	struct sigaction sa = {};

	sa.sa_handler = handler;
	sigaction(SIGSEGV, &sa, nullptr);
	try {
		std::printf("%d\n", guarded(nullptr));
	} catch (int s) {
		std::printf("caught %d unwound %d\n", s, unwound);
	}
}
