/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutate OBJECT [CASES [SEED]]: damage an object in one to three fields of its
 * headers, symbols, relocations or groups, or cut it short, and read and write
 * it.  Each case must end with status 0 or 1; built with sanitizers, so that a
 * wrong access ends otherwise.
 */
#include "reloc/object.h"
#include "testsuite/draw.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A sanitizer's report must not look like ldx's own exit status. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "exitcode=99:detect_leaks=0";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
	return "exitcode=99";
}

struct field {
	size_t off;
	unsigned size;
};

static VEC(struct field) fields;
static uint8_t *good;
static size_t good_size;

static void add_fields(size_t off, const char *sizes)
{
	for (; *sizes; sizes++) {
		unsigned size = (unsigned)(*sizes - '0');
		vec_push(&fields, (struct field){off, size});
		off += size;
	}
}

static void find_fields(void)
{
	const Elf64_Ehdr *eh = (const void *)good;
	const Elf64_Shdr *sh = (const void *)(good + eh->e_shoff);
	add_fields(0, "11111111");
	add_fields(16, "2248884222222");
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		add_fields(eh->e_shoff + i * sizeof *sh, "4488884488");
		const char *entry = sh[i].sh_type == SHT_SYMTAB ? "411288"
			: sh[i].sh_type == SHT_RELA		? "8448"
			: sh[i].sh_type == SHT_GROUP		? "4"
								: NULL;
		for (size_t at = 0; entry && at < sh[i].sh_size; at += sh[i].sh_entsize)
			add_fields(sh[i].sh_offset + at, entry);
	}
}

static void damage(uint8_t *p)
{
	for (uint64_t n = 1 + draw(3); n; n--) {
		struct field f = fields.v[draw(fields.n)];
		uint64_t near = draw(2) ? draw(40) : good_size - draw(64);
		draw_field(p + f.off, f.size, draw(6) ? NULL : &near);
	}
}

static void write_file(const char *path, const uint8_t *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, p, n) != (ssize_t)n || close(fd))
		fatal("cannot write %s", path);
}

static _Noreturn void child(const char *in, const char *out)
{
	struct arena a = {0};
	diag_stream = fopen("/dev/null", "w");
	object_write(object_read(&a, in), out);
	_exit(0);
}

static bool run(const char *in, const char *out)
{
	pid_t pid = fork();
	if (!pid)
		child(in, out);
	int status;
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		fatal("cannot fork");
	return WIFEXITED(status) && WEXITSTATUS(status) <= 1;
}

static void read_good(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END))
		fatal("cannot read %s", path);
	good_size = (size_t)ftell(f);
	good = malloc(good_size);
	rewind(f);
	if (!good || fread(good, 1, good_size, f) != good_size)
		fatal("cannot read %s", path);
	fclose(f);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		fatal("usage: mutate OBJECT [CASES [SEED]]");
	unsigned long cases = argc > 2 ? strtoul(argv[2], NULL, 0) : 1000, bad = 0;
	draw_seed(argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
	read_good(argv[1]);
	find_fields();
	char dir[] = "/tmp/ldx-mutate.XXXXXX", in[64], out[64];
	if (!mkdtemp(dir))
		fatal("cannot make a directory");
	snprintf(in, sizeof in, "%s/in.o", dir);
	snprintf(out, sizeof out, "%s/out.o", dir);
	uint8_t *p = malloc(good_size);
	for (unsigned long i = 0; i < cases; i++) {
		memcpy(p, good, good_size);
		size_t n = draw(20) ? good_size : draw(good_size);
		damage(p);
		write_file(in, p, n);
		if (!run(in, out) && ++bad)
			printf("case %lu: crash\n", i);
	}
	unlink(in);
	unlink(out);
	rmdir(dir);
	printf("%lu cases, %lu bad\n", cases, bad);
	return bad != 0;
}
