/* An instrumented library that is opened, used, closed and opened again. */
//# lib: libplug.so -DLIB
//# libs: -ldl
//# stdout: 12 12 1
//# report: plug 2
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef LIB
static int calls;
int plug(int x);
__attribute__((noinline)) static int inner(int x) { return x * 2 + calls * 0; }
int plug(int x)
{
	calls++;
	return inner(x);
}
#else
static int use(const char *path)
{
	void *h = dlopen(path, RTLD_NOW);
	int (*f)(int) = h ? (int (*)(int))dlsym(h, "plug") : NULL;
	int r = f ? f(6) : -1;

	if (h)
		dlclose(h);
	return r;
}

int main(int argc, char **argv)
{
	char path[4096];

	(void)argc;
	snprintf(path, sizeof path, "%.*s/libplug.so", (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
	int a = use(path), b = use(path);

	printf("%d %d %d\n", a, b, dlsym(RTLD_DEFAULT, "plug") == NULL);
	return 0;
}
#endif
