/* SPDX-License-Identifier: Apache-2.0 */
/*
 * toolbuild.c - ldxtool build
 *
 * A package is an archive (ar(5)): asks.so, the part that asks for code; CPU-WAY.o, the routines
 * for a CPU and a way in which threads count; report.so, the part that ldxprof loads.
 */
#include "ldwrap/inputs.h"
#include "ldwrap/path.h"
#include "ldwrap/toolbox.h"

#include "targets/platform.h"
#include "targets/target.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

static const char *const common[] = {"-O2", "-Wall", "-Wextra"};
static const char *const hosted[] = {"-shared", "-fPIC", NULL};
/* As the runtime is compiled: runtime/meson.build. */
static const char *const freestanding[] = {"-ffreestanding", "-fPIC", "-fvisibility=hidden",
	"-fno-stack-protector", "-fno-jump-tables", "-fasynchronous-unwind-tables", "-fno-lto",
	"-fomit-frame-pointer", "-Wframe-larger-than=1024", "-Werror=vla", NULL};
/* The same, as a compiler spells it that has -fno-section-anchors, and as others do. */
static const char *const by_gcc[] = {"-fno-merge-constants", "-fno-section-anchors",
	"-Werror=frame-larger-than=1024", NULL};
static const char *const by_clang[] = {"-Werror=frame-larger-than",
	"-Wno-unused-command-line-argument", NULL};
static const char *const to_object[] = {"-c", NULL};
/* A program of the routines alone shows names that they do not define; -g1: in which lines. */
static const char *const to_check[] = {"-DLDX_CHECK", "-g1", "-nostdlib", "-static", "-no-pie",
	"-Wl,-e,0", NULL};

struct building {
	struct arena arena;
	const char *include; /* the folder with ldx/tool.h */
	const char *dir;     /* of temporary files */
	const char *object;  /* the one that is there; NULL: none */
	const char *made;    /* the package, as long as it is not complete */
	const char *wanted;  /* --cpu: names separated by commas; NULL: all that can be made */
	bool gcc;	     /* the compiler of routines is, or has its options */
	struct archive_out out;
};
static struct building building;

/* Also when something is wrong: for fatal(). */
static void remove_temporary(void)
{
	if (building.object)
		unlink(building.object);
	if (building.made)
		unlink(building.made);
	rmdir(building.dir);
}

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = list; (p = strstr(p, word)); p++)
		if ((p == list || p[-1] == ',') && (!p[n] || p[n] == ','))
			return true;
	return false;
}

static void add_words(struct building *w, strings *argv, const char *words)
{
	char *copy = arena_printf(&w->arena, "%s", words), *save = NULL;
	for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save))
		vec_push(argv, p);
}

/* Does the command succeed?  argv ends with NULL from then on. */
static bool succeeds(strings *argv, const posix_spawn_file_actions_t *files)
{
	pid_t pid;
	int status;
	vec_push(argv, NULL);
	int err = posix_spawnp(&pid, argv->v[0], files, NULL, (char *const *)(void *)argv->v,
		environ);
	if (err)
		fatal("cannot start %s: %s", argv->v[0], strerror(err));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void run(strings *argv)
{
	if (!succeeds(argv, NULL))
		fatal("%s failed", argv->v[0]);
	vec_free(argv);
}

static void add(struct building *w, const char *file, const char *member)
{
	struct bytes b;
	if (!file_map(file, &b) || !archive_add(&w->out, member, b))
		fatal("cannot add %s: %s", member, strerror(errno));
	file_unmap(b);
	unlink(file);
}

static const char *temporary(struct building *w, const char *member)
{
	return arena_printf(&w->arena, "%s/%s", w->dir, member);
}

static const char *compiler(void)
{
	const char *cc = getenv("CC");
	return cc && *cc ? cc : "cc";
}

static void push_all(strings *to, const char *const *words)
{
	for (; words && *words; words++)
		vec_push(to, *words);
}

/*
 * Compiles source by a compiler with these flags, which end with NULL, and adds the result; without
 * a name for it, it is removed.
 */
static void compile(struct building *w, const char *cc, const char *const *flags,
	const char *const *more, const char *define, const char *source, const char *member)
{
	strings argv = {0};
	const char *object = temporary(w, member ? member : "checked");
	add_words(w, &argv, cc);
	for (size_t i = 0; i < sizeof common / sizeof *common; i++)
		vec_push(&argv, common[i]);
	push_all(&argv, flags);
	push_all(&argv, more);
	if (define)
		vec_push(&argv, define);
	vec_push(&argv, arena_printf(&w->arena, "-I%s", w->include));
	vec_push(&argv, source);
	vec_push(&argv, "-o");
	vec_push(&argv, object);
	w->object = object;
	run(&argv);
	if (member)
		add(w, object, member);
	else
		unlink(object);
	w->object = NULL;
}

/* A part that runs in ldx or ldxprof. */
static void build_shared(struct building *w, const char *source, const char *member)
{
	compile(w, compiler(), hosted, NULL, NULL, source, member);
}

/* The compiler for a CPU: that of this machine, or a cross compiler; NULL: there is none. */
static const char *compiler_for(struct building *w, const struct platform *p)
{
	char path[PATH_MAX];
	if (!p->triple)
		return compiler();
	const char *cross = arena_printf(&w->arena, "%s-gcc", p->triple);
	return find_program(cross, path) ? cross : NULL;
}

static bool is_gcc(struct building *w, const char *cc)
{
	strings argv = {0};
	posix_spawn_file_actions_t quiet;
	add_words(w, &argv, cc);
	push_all(&argv,
		(const char *const[]){"-fno-section-anchors", "-E", "-x", "c", "/dev/null", NULL});
	if (posix_spawn_file_actions_init(&quiet))
		fatal("out of memory");
	for (int fd = 1; fd <= 2; fd++)
		if (posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_WRONLY, 0))
			fatal("out of memory");
	bool is = succeeds(&argv, &quiet);
	posix_spawn_file_actions_destroy(&quiet);
	vec_free(&argv);
	return is;
}

/*
 * cpu: the folder with what of ldx/sys.h is the CPU's.  Without a way, it is only checked:
 * declared, what is declared to use vectors; or else all other code, which then must not use them.
 */
static void build_routine(struct building *w, const char *source, const struct platform *p,
	const char *cpu, const char *way, const char *define, bool declared)
{
	strings flags = {0};
	push_all(&flags, w->gcc ? by_gcc : by_clang);
	push_all(&flags, p->routine_flags);
	push_all(&flags, way || declared ? NULL : p->check_flags);
	push_all(&flags, way ? to_object : to_check);
	if (!way && !declared)
		vec_push(&flags, arena_printf(&w->arena, "-Wl,-T,%s/ldx/check.ld", w->include));
	vec_push(&flags, arena_printf(&w->arena, "-I%s/ldx/cpu/%s", w->include, cpu));
	vec_push(&flags, NULL);
	compile(w, compiler_for(w, p), freestanding, flags.v, define, source,
		way ? arena_printf(&w->arena, "%s-%s.o", cpu, way) : NULL);
	vec_free(&flags);
}

/* Is each word of --cpu a CPU? */
static void check_cpus(struct building *w)
{
	char *copy = arena_printf(&w->arena, "%s", w->wanted), *save = NULL;
	for (char *p = strtok_r(copy, ",", &save); p; p = strtok_r(NULL, ",", &save)) {
		bool known = false;
		for (size_t i = 0; i < nplatforms; i++) {
			const struct platform *on = platforms[i];
			known |= !strcmp(p, target_find(on->machine, on->word, on->big)->name);
		}
		if (!known)
			fatal("--cpu: there is no CPU %s", p);
	}
}

static bool has_text(const char *file, const char *text)
{
	struct bytes b;
	if (!file_map(file, &b))
		return false;
	bool has = memmem(b.p, b.n, text, strlen(text));
	file_unmap(b);
	return has;
}

static void build_routines(struct building *w, const char *source)
{
	bool declares = has_text(source, "LDX_VECTORS");
	for (size_t i = 0; i < nplatforms; i++) {
		const struct platform *p = platforms[i];
		const struct target *t = target_find(p->machine, p->word, p->big);
		if (w->wanted ? !has_word(w->wanted, t->name) : !compiler_for(w, p))
			continue;
		if (!compiler_for(w, p))
			fatal("there is no %s-gcc", p->triple);
		w->gcc = is_gcc(w, compiler_for(w, p));
		build_routine(w, source, p, t->name, NULL, NULL, false);
		if (declares)
			build_routine(w, source, p, t->name, NULL, NULL, true);
		build_routine(w, source, p, t->name, "alone", NULL, false);
		build_routine(w, source, p, t->name, "shared", "-DLDX_SHARED", false);
		if (t->thread_base)
			build_routine(w, source, p, t->name, "own", "-DLDX_OWN", false);
	}
}

void tool_build(const char *name, const char *output, const char *cpus)
{
	struct building *w = &building;
	w->include = tool_place(&w->arena, "include");
	w->wanted = cpus;
	const char *source = arena_printf(&w->arena, "%s.c", name);
	const char *routines = arena_printf(&w->arena, "%s-routines.c", name);
	const char *report = arena_printf(&w->arena, "%s-report.c", name);
	char *dir = arena_printf(&w->arena, "%s/ldxtool.XXXXXX",
		getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!output)
		output = arena_printf(&w->arena, "%s.ldxtool", name);
	const char *made = arena_printf(&w->arena, "%s.new", output);
	bool asks = !access(source, F_OK), has_routines = !access(routines, F_OK),
	     reports = !access(report, F_OK);
	if (!asks && !reports)
		fatal("there is no %s", source);
	if (cpus)
		check_cpus(w);
	if (!mkdtemp(dir))
		fatal("cannot make a directory: %s", strerror(errno));
	w->dir = dir;
	at_exit_cleanup(remove_temporary);
	if (!archive_create(&w->out, made))
		fatal("cannot write %s: %s", made, strerror(errno));
	w->made = made;
	if (asks)
		build_shared(w, source, "asks.so");
	if (has_routines)
		build_routines(w, routines);
	if (reports)
		build_shared(w, report, "report.so");
	if (!archive_close(&w->out) || rename(made, output))
		fatal("cannot write %s: %s", output, strerror(errno));
	w->made = NULL;
	remove_temporary();
}
