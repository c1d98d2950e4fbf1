/* SPDX-License-Identifier: Apache-2.0 */
/* step.c - what the steps of a link share: its files, its messages, what its start files say */
#include "ldwrap/ldwrap.h"

#include "targets/platform.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

const char *in_dir(struct link *l, const char *name)
{
	return arena_printf(&l->arena, "%s/%s", l->out.dir, name);
}

/* A file of ours of which linkers speak, and the user's. */
struct renamed {
	const char *ours, *users;
};

/* The first of the names in text; p is NULL: there is none. */
static const struct renamed *find_renamed(const struct renamed *names, const char *text,
	const char **p)
{
	const struct renamed *found = NULL;
	*p = NULL;
	for (; names->ours; names++) {
		const char *at = names->users ? strstr(text, names->ours) : NULL;
		if (at && (!*p || at < *p)) {
			*p = at;
			found = names;
		}
	}
	return found;
}

void print_text(const struct link *l, const char *text, FILE *f)
{
	char wrapper[PATH_MAX];
	const char *dir = l->out.dir ? l->out.dir : "";
	snprintf(wrapper, sizeof wrapper, "%s/" LTO_WRAPPER_NAME, dir);
	const struct renamed names[] = {{wrapper, *dir ? gcc_lto_wrapper(&l->cmd) : NULL},
		{l->ref, l->out.path}, {NULL, NULL}};
	const char *p;
	for (const struct renamed *r; (r = find_renamed(names, text, &p));
		text = p + strlen(r->ours)) {
		fwrite(text, 1, (size_t)(p - text), f);
		fputs(r->users, f);
	}
	fputs(text, f);
	fflush(f);
}

/* Lines beside the error: GNU ld reads debug information to say where it is. */
static bool is_aside(const char *line, size_t n)
{
	static const char *const words[] = {"warning: ", ": in function `",
		"NOTE: ", "DWARF error: "};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (memmem(line, n, words[i], strlen(words[i])))
			return true;
	return false;
}

const char *first_reason(const char *text)
{
	const char *first = NULL;
	for (const char *p = text, *eol; *p; p = *eol ? eol + 1 : eol) {
		eol = strchrnul(p, '\n');
		size_t n = (size_t)(eol - p);
		if (!n || is_aside(p, n))
			continue;
		const char *error = memmem(p, n, "error: ", 7);
		if (error)
			return error + 7;
		first = first ? first : p;
	}
	return first ? first : text;
}

const char *step_failure(struct link *l, const char *step, const struct child_result *r)
{
	const char *text = first_reason((char *)r->err.v), *death = child_death(r);
	if (death)
		return arena_printf(&l->arena, "%s failed: %s", step, death);
	return arena_printf(&l->arena, "%s failed: %.*s", step, (int)strcspn(text, "\n"), text);
}

bool output_matters(const struct link *l)
{
	const struct cmdline *c = &l->cmd;
	bool versions = l->shared || cmdline_has(c, OPT_version_script) ||
		cmdline_has(c, OPT_default_symver);
	return l->replaced != LINKER_BFD && versions && !cmdline_has(c, OPT_soname) &&
		!l->out.in_place;
}

void output_take(const struct link *l, const char *file)
{
	if (output_matters(l) && !access(l->out.path, F_OK) && rename(l->out.path, file))
		fatal("cannot rename %s: %s", l->out.path, strerror(errno));
}

/*
 * Where the counters may be.  A program that is loaded below 1 GB stays below 2 GB with all
 * inserted code.  In a position-independent program the entry point maps them, or an IFUNC
 * resolver, which only glibc's dynamic linker is known to call.
 */
static enum cells best_cells(const struct link *l)
{
	const struct headers *h = &l->headers;
	const struct platform *on = l->platform;
	/* elsewhere no instruction has the address of a counter */
	if (l->shared || !h->end || !target_find(on->machine, on->word, on->big)->thread_base)
		return CELLS_NEAR;
	if (!h->moves)
		return h->end < (uint64_t)1 << 30 ? CELLS_LOW : CELLS_NEAR;
	if (h->interp && !h->glibc)
		return CELLS_NEAR;
	return CELLS_MAPPED;
}

enum cells choose_cells(const struct link *l)
{
	enum cells best = best_cells(l), most = (enum cells)l->set.rewrite.cells;
	if (most == CELLS_LOW && best > most)
		return CELLS_NEAR; /* of what moves, no counter has a constant address in the output
				    */
	return best < most ? best : most;
}

bool has_crt_file(const struct link *l)
{
	for (size_t i = 0; i < l->cmd.items.n; i++)
		if (l->cmd.items.v[i].opt == OPT_FILE && is_crt_file(l->cmd.items.v[i].value))
			return true;
	return false;
}

bool has_start_files(const struct link *l)
{
	static const enum opt others[] = {OPT_script, OPT_entry, OPT_init, OPT_fini};
	bool crt1 = false, crti = false;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (cmdline_has(&l->cmd, others[i]))
			return false;
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		bool crt = it->opt == OPT_FILE && is_crt_file(it->value);
		crt1 |= crt && strstr(it->value, "crt1.o");
		crti |= crt && strstr(it->value, "crti.o");
	}
	return crt1 && crti;
}

bool tells_end(const struct link *l)
{
	return has_start_files(l) && (!l->platform->no_fini || l->headers.interp);
}
