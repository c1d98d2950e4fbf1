/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cobertura.c - coverage as Cobertura's XML, which GitLab, Jenkins and Azure DevOps read
 *
 * A package is a directory, a class a file: http://cobertura.sourceforge.net/xml/coverage-04.dtd
 */
#include "report/figures/coverage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* XML cannot contain control characters and some of Unicode. */
static void put_text(FILE *out, const char *s)
{
	for (const char *p = s; *p; s = p) {
		int32_t c = take_character(&p);
		if (c == '&' || c == '<' || c == '>' || c == '"')
			fprintf(out, "&#%d;", (int)c);
		else if (c == NO_CHARACTER || !is_harmless(c) || c == 0xfffe || c == 0xffff)
			fputs("\xef\xbf\xbd", out);
		else
			fwrite(s, 1, (size_t)(p - s), out);
	}
}

static void put_attribute(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	put_text(out, text);
	fputc('"', out);
}

/* Rounded down, so that only complete coverage is 1. */
static void put_rate(FILE *out, const char *name, struct cover_part p)
{
	uint64_t rate = p.found ? 10000 * (uint64_t)p.hit / p.found : 10000;
	fprintf(out, " %s=\"%" PRIu64 ".%04" PRIu64 "\"", name, rate / 10000, rate % 10000);
}

static void put_rates(FILE *out, const struct cover_sum *s)
{
	put_rate(out, "line-rate", s->lines);
	put_rate(out, "branch-rate", s->branches);
	fputs(" complexity=\"0\"", out);
}

/* A condition is a jump; its coverage is that of its edges. */
static void put_conditions(const struct cover_branch *b, size_t n, FILE *out)
{
	for (size_t i = 0, k; i < n; i += k) {
		struct cover_part p = {0};
		for (k = 0; i + k < n && b[i + k].jump == b[i].jump; k++)
			p.hit += b[i + k].count != 0;
		p.found = k;
		fprintf(out,
			"       <condition number=\"%" PRIu32
			"\" type=\"%s\" coverage=\"%u%%\"/>\n",
			b[i].jump, k > 2 ? "switch" : "jump", cover_permille(p) / 10);
	}
}

static void put_line(const struct cover_line *l, const struct cover_branch *b, size_t n, FILE *out)
{
	struct cover_part p = {.found = n};
	fprintf(out, "      <line number=\"%" PRIu32 "\" hits=\"%" PRIu64 "\" branch=\"%s\"",
		l->number, l->count, n ? "true" : "false");
	if (!n) {
		fputs("/>\n", out);
		return;
	}
	for (size_t i = 0; i < n; i++)
		p.hit += b[i].count != 0;
	fprintf(out, " condition-coverage=\"%u%% (%zu/%zu)\">\n      <conditions>\n",
		cover_permille(p) / 10, p.hit, p.found);
	put_conditions(b, n, out);
	fputs("      </conditions>\n      </line>\n", out);
}

static void put_lines(const struct cover_file *f, FILE *out)
{
	for (size_t i = 0, next = 0, n; i < f->line.n; i++, next += n) {
		const struct cover_line *l = &f->line.v[i];
		while (next < f->branch.n && f->branch.v[next].line < l->number)
			next++;
		for (n = 0; next + n < f->branch.n && f->branch.v[next + n].line == l->number;)
			n++;
		put_line(l, f->branch.n ? &f->branch.v[next] : NULL, n, out);
	}
}

static void put_methods(const struct cover_file *f, bool mangled, FILE *out)
{
	for (size_t i = 0; i < f->func.n; i++) {
		const struct cover_func *g = &f->func.v[i];
		struct cover_part p = {1, g->run};
		if (!cover_func_has_line(g))
			continue;
		fputs("      <method", out);
		put_attribute(out, "name", mangled ? g->name : demangled(g->name));
		fputs(" signature=\"\"", out);
		put_rate(out, "line-rate", p);
		put_rate(out, "branch-rate", p);
		fprintf(out,
			" complexity=\"0\"><lines><line number=\"%" PRIu32 "\" hits=\"%" PRIu64
			"\" branch=\"false\"/></lines></method>\n",
			g->line, g->known ? g->calls : 1);
	}
}

static void put_class(const struct cover_file *f, bool mangled, FILE *out)
{
	const char *slash = strrchr(f->path, '/');
	fputs("    <class", out);
	put_attribute(out, "name", slash ? slash + 1 : f->path);
	put_attribute(out, "filename", f->path);
	put_rates(out, &f->sum);
	fputs(">\n     <methods>\n", out);
	put_methods(f, mangled, out);
	fputs("     </methods>\n     <lines>\n", out);
	put_lines(f, out);
	fputs("     </lines>\n    </class>\n", out);
}

static size_t folder_length(const struct cover_file *f)
{
	const char *slash = strrchr(f->path, '/');
	return slash ? (size_t)(slash - f->path) : 0;
}

/* By directory, then by path. */
static int compare_folders(const void *a, const void *b)
{
	const struct cover_file *const *x = a, *const *y = b;
	size_t n = folder_length(*x), m = folder_length(*y);
	int d = strncmp((*x)->path, (*y)->path, n < m ? n : m);
	d = d ? d : (n > m) - (n < m);
	return d ? d : strcmp((*x)->path, (*y)->path);
}

/* The files v of one directory. */
static void put_package(const struct cover_file *const *v, size_t n, bool mangled, FILE *out)
{
	struct cover_sum sum = {{0, 0}, {0, 0}, {0, 0}};
	for (size_t i = 0; i < n; i++)
		cover_sum_add(&sum, &v[i]->sum);
	fputs("  <package", out);
	put_attribute(out, "name",
		new_string("%.*s", (int)folder_length(*v), folder_length(*v) ? (*v)->path : ""));
	put_rates(out, &sum);
	fputs(">\n   <classes>\n", out);
	for (size_t i = 0; i < n; i++)
		put_class(v[i], mangled, out);
	fputs("   </classes>\n  </package>\n", out);
}

static bool is_same_folder(const struct cover_file *a, const struct cover_file *b)
{
	size_t n = folder_length(a);
	return n == folder_length(b) && !strncmp(a->path, b->path, n);
}

static void put_packages(const struct coverage *c, bool mangled, FILE *out)
{
	size_t files = 0;
	const struct cover_file **v = NEW_ARRAY(const struct cover_file *, c->nfiles);
	for (size_t i = 0; i < c->nfiles; i++)
		if (cover_file_has_lines(&c->file[i]))
			v[files++] = &c->file[i];
	qsort(v, files, sizeof *v, compare_folders);
	for (size_t i = 0, n; i < files; i += n) {
		for (n = 1; i + n < files && is_same_folder(v[i], v[i + n]);)
			n++;
		put_package(&v[i], n, mangled, out);
	}
	free(v);
}

/* SOURCE_DATE_EPOCH or 0, so that the same profile makes the same file. */
static const char *timestamp(void)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	return epoch && *epoch && strspn(epoch, "0123456789") == strlen(epoch) ? epoch : "0";
}

void coverage_cobertura(const struct coverage *c, const char *root, bool mangled, FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE coverage SYSTEM "
	      "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage",
		out);
	put_rates(out, &c->sum);
	fprintf(out,
		" lines-covered=\"%zu\" lines-valid=\"%zu\" branches-covered=\"%zu\""
		" branches-valid=\"%zu\" version=\"ldx " LDX_VERSION "\" timestamp=\"%s\">\n",
		c->sum.lines.hit, c->sum.lines.found, c->sum.branches.hit, c->sum.branches.found,
		timestamp());
	fputs(" <sources>\n  <source>", out);
	put_text(out, root ? root : ".");
	fputs("</source>\n </sources>\n <packages>\n", out);
	put_packages(c, mangled, out);
	fputs(" </packages>\n</coverage>\n", out);
}
