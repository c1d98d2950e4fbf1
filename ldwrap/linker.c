/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linker.c - choosing the real linker, and running it
 */
#include "ldwrap/ldwrap.h"

#include "ldwrap/lld.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* The environment -------------------------------------------------------- */

/* Removes the elements that match from a list in the environment. */
static void unlist(const char *name, const char *separators,
	bool (*match)(const char *, size_t, const void *), const void *arg)
{
	const char *list = getenv(name);
	if (!list)
		return;
	struct buf kept = {0};
	for (const char *p = list; *p;) {
		size_t n = strcspn(p, separators);
		if (n && !match(p, n, arg)) {
			if (kept.n)
				buf_u8(&kept, (uint8_t)separators[0]);
			buf_put(&kept, p, n);
		}
		p += n + (p[n] != 0);
	}
	buf_u8(&kept, 0);
	if (kept.n > 1)
		setenv(name, (char *)kept.v, 1);
	else
		unsetenv(name);
	vec_free(&kept);
}

static bool is_wrapper(const char *p, size_t n, const void *arg)
{
	size_t len = strlen(arg);
	return n >= len && !memcmp(p + n - len, arg, len);
}

static bool is_dir(const char *p, size_t n, const void *arg)
{
	while (n > 1 && p[n - 1] == '/')
		n--;
	return strlen(arg) == n && !memcmp(p, arg, n);
}

void forget_interception(const struct installation *p)
{
	unsetenv("LDX_RUN");
	unlist("LD_PRELOAD", ": ", is_wrapper, "/ldxwrap.so");
	unlist("COMPILER_PATH", ":", is_dir, p->bindir);
}

/* Choosing -------------------------------------------------------------- */

/* Where there is no linker that ldx could replace, LLD, which is part of it, links. */
void linker_wanted(struct link *l, const char *argv0)
{
	if (l->set.linker)
		l->linker = linker_named(l, l->set.linker);
	else if (linker_replaced(l, argv0, &l->linker))
		return;
	else if (linker_named_by(argv0))
		fatal("the linker %s stands for is not installed", argv0);
	else
		l->linker = (struct linker){.kind = LINKER_LLD};
}

/* Running --------------------------------------------------------------- */

/* LLD in a process of ours. */
struct own_link {
	const strings *argv;
	bool llvm;
};

static int run_lld(void *arg, int out, int err)
{
	const struct own_link *own = arg;
	return lld_link(own->llvm, own->argv->n - 1, own->argv->v, out, err);
}

/* Are there options for LLVM?  gcc's for its plugin are none. */
static bool asks_llvm(const struct cmdline *c)
{
	static const char *const gcc[] = {"-fresolution=", "-pass-through="};
	for (size_t i = 0; i < c->items.n; i++) {
		const struct item *it = &c->items.v[i];
		if (it->opt == OPT_mllvm)
			return true;
		if (it->opt == OPT_plugin_opt && *it->value == '-' &&
			strncmp(it->value, gcc[0], strlen(gcc[0])) != 0 &&
			strncmp(it->value, gcc[1], strlen(gcc[1])) != 0)
			return true;
	}
	return false;
}

/* Quotes a word for a response file. */
static void put_quoted(FILE *f, const char *word)
{
	fputc('"', f);
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			fputc('\\', f);
		fputc(*word, f);
	}
	fputs("\"\n", f);
}

/* Passes a long command line in a response file, because execve() has a limit. */
static void shorten(struct link *l, strings *argv)
{
	size_t size = 0;
	for (size_t i = 0; i < argv->n; i++)
		size += strlen(argv->v[i]) + 1 + sizeof(char *);
	if (size < 1 << 20)
		return;
	const char *path = in_dir(l, "arguments");
	FILE *f = fopen(path, "w");
	for (size_t i = 1; f && i < argv->n; i++)
		put_quoted(f, argv->v[i]);
	if (!f || fclose(f))
		fatal("cannot write %s: %s", path, strerror(errno));
	argv->n = 1;
	vec_push(argv, arena_printf(&l->arena, "@%s", path));
}

void linker_start(struct link *l, struct child *c, const struct linker *k, strings *argv,
	bool lines, struct child_result *r)
{
	if (k->path)
		shorten(l, argv);
	linker_tell(l, k);
	vec_push(argv, NULL);
	if (k->path)
		child_start_exec(c, r, k->path, argv->v, lines);
	else
		child_start(c, r, run_lld, &(struct own_link){argv, l->llvm || asks_llvm(&l->cmd)});
	argv->n--;
}

bool linker_lacks_llvm(struct link *l, const struct linker *k, const struct child_result *r)
{
	bool lacks = !k->path && !l->llvm && r->status == LLD_LACKS_LLVM;
	l->llvm = l->llvm || lacks;
	return lacks;
}

void linker_run(struct link *l, const struct linker *k, strings *argv, struct child_result *r)
{
	struct child c;
	do {
		linker_start(l, &c, k, argv, false, r);
		child_wait(&c);
	} while (linker_lacks_llvm(l, k, r));
}

/* The user's words as they were, unless an @file has options of ldx. */
static void users_words(const struct cmdline *c, char **user, strings *argv)
{
	bool own = false;
	for (size_t i = 0; i < c->items.n; i++)
		own |= item_class(&c->items.v[i]) == CLASS_ldx;
	if (!own) {
		for (user++; *user; user++)
			vec_push(argv, *user);
		return;
	}
	for (size_t i = 0; i < c->items.n; i++) {
		const struct item *it = &c->items.v[i];
		for (int k = 0; k < 2 && it->raw[k] && item_class(it) != CLASS_ldx; k++)
			vec_push(argv, it->raw[k]);
	}
}

_Noreturn void linker_become(struct link *l, const struct linker *k)
{
	strings argv = {0};
	vec_push(&argv, k->path ? k->path : LLD_NAME);
	users_words(&l->cmd, l->argv, &argv);
	vec_push(&argv, NULL);
	signals_release();
	fflush(NULL);
	if (!k->path)
		_exit(lld_link(true, argv.n - 1, argv.v, 1, 2));
	linker_tell(l, k);
	execv(k->path, (char *const *)argv.v);
	fatal("cannot run %s: %s", k->path, strerror(errno));
}
