/* More of a static glibc: wide characters, regex, time, resolver, threads, qsort, environment. */
/* hazard: signal return code.  Every static program has __restore_rt. */
/* hazard: FDE a byte early. */
/* The locales of this machine are not those of a CPU with the other byte order. */
//# ldflags: -static
//# libs: -pthread
//# stderr: any
//# stdout.mips: 127.0.0.1 4294967295 1 1970 42 4000 abc-xyz
//# stdout.x86_64: 127.0.0.1 5 1 1970 42 4000 abc-xyz
//# stdout.aarch64: 127.0.0.1 5 1 1970 42 4000 abc-xyz
//# stdout.riscv64: 127.0.0.1 5 1 1970 42 4000 abc-xyz
//# oracle: no, threads
//# report: work 4000
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

static int total;

__attribute__((noinline, noipa)) static void work(int *p) { ++*p; }

static void *run(void *arg)
{
	for (int i = 0; i < 1000; i++)
		work(&total);
	return arg;
}

int main(void)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM }, *res = NULL;
	char text[64] = "?";
	wchar_t wide[16];
	regex_t re;
	time_t zero = 0;
	struct tm tm;

	setlocale(LC_ALL, "C.UTF-8");
	if (getaddrinfo("127.0.0.1", "80", &hints, &res) == 0)
		inet_ntop(AF_INET, &((struct sockaddr_in *)res->ai_addr)->sin_addr, text, sizeof text);
	size_t n = mbstowcs(wide, "h\xc3\xa4llo", 16);
	int match = !regcomp(&re, "^a.*z$", REG_EXTENDED) && !regexec(&re, "abcz", 0, NULL, 0);

	gmtime_r(&zero, &tm);
	setenv("LDX_X", "42", 1);
	for (int i = 0; i < 4; i++) {
		pthread_t t;

		pthread_create(&t, NULL, run, NULL);
		pthread_join(t, NULL);
	}
	char *s;

	if (asprintf(&s, "%s-%s", "abc", "xyz") < 0)
		return 1;
	printf("%s %zu %d %d %s %d %s\n", text, n, match, 1900 + tm.tm_year, getenv("LDX_X"), total, s);
	return 0;
}
