/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export.c - ldxprof export: all counts, in formats that other programs read
 */
#include "report/common/output.h"
#include "report/verbs/verbs.h"

#include <inttypes.h>
#include <string.h>

static void put_key(FILE *out, const char *key, const char *value)
{
	fprintf(out, "\"%s\":", key);
	put_json(out, value);
	fputc(',', out);
}

static void put_number(FILE *out, const char *key, uint64_t n)
{
	fprintf(out, "\"%s\":%" PRIu64 ",", key, n);
}

/* A number, or null if it is not known. */
static void put_count(FILE *out, const char *key, bool known, uint64_t n)
{
	if (known)
		fprintf(out, "\"%s\":%" PRIu64 "", key, n);
	else
		fprintf(out, "\"%s\":null", key);
}

static void put_block(const struct program *p, const struct map_block *b, FILE *out)
{
	uint64_t count;
	bool known = block_count(p, b, &count);
	fputs("\n   {", out);
	put_number(out, "offset", b->offset);
	put_number(out, "length", b->length);
	put_number(out, "instructions", b->insns);
	put_count(out, "address", map_is_placed(b), b->address);
	fprintf(out, ",\"entry\":%s,\"call\":%s,", b->flags & LDX_BLOCK_ENTRY ? "true" : "false",
		b->flags & LDX_BLOCK_CALL ? "true" : "false");
	fprintf(out, "\"executed\":%s,", !known ? "null" : count ? "true" : "false");
	put_count(out, "count", known && !map_has_marks(&p->map), count);
	fputc('}', out);
}

static void put_end(const char *key, uint64_t block, FILE *out)
{
	if (block)
		put_number(out, key, block - 1);
	else
		fprintf(out, "\"%s\":null,", key);
}

static void put_edge(const struct program *p, const struct map_edge *e, FILE *out)
{
	uint64_t count;
	bool known = edge_count(p, e, &count);
	fputs("\n   {", out);
	put_end("from", e->from, out);
	put_end("to", e->to, out);
	put_count(out, "count", known, count);
	fputc('}', out);
}

static void put_func(const struct program *p, const struct map_func *f, FILE *out)
{
	struct func_sum s = func_sum(p, f);
	const char *plain = demangled(f->name);
	fputs("\n  {", out);
	put_key(out, "name", f->name);
	if (plain != f->name)
		put_key(out, "demangled", plain);
	put_key(out, "section", f->section);
	put_key(out, "file", f->file);
	put_key(out, "input", f->input);
	put_number(out, "offset", f->offset);
	put_number(out, "size", f->size);
	put_number(out, "address", f->address);
	if (f->flags & LDX_FUNC_OPAQUE)
		put_key(out, "opaque", f->reason);
	put_count(out, "calls", s.calls_known, s.calls);
	fputc(',', out);
	put_count(out, "instructions", s.insns_known, s.insns);
	fputs(",\"blocks\":[", out);
	for (size_t i = 0; i < f->nblocks; i++) {
		if (i)
			fputc(',', out);
		put_block(p, &p->map.block[f->block + i], out);
	}
	fputs("],\"edges\":[", out);
	for (size_t i = 0; !map_has_marks(&p->map) && i < f->nedges; i++) {
		if (i)
			fputc(',', out);
		put_edge(p, &p->map.edge[f->edge + i], out);
	}
	fputs("]}", out);
}

static void put_object(const struct program *p, const char *key, FILE *out)
{
	put_key(out, key, p->path);
	fprintf(out, "\"build\":\"%016" PRIx64 "\",\"mode\":\"%s\",", p->map.build,
		mode_name(p->map.mode));
	put_number(out, "processes", p->profile.runs);
	put_number(out, "unfinished", p->profile.unfinished);
	put_number(out, "lost", p->profile.lost);
	put_number(out, "lost_threads", p->profile.lost_threads);
	fputs("\n \"functions\":[", out);
	for (size_t i = 0, n = 0; i < p->map.nfuncs; i++) {
		if (!func_linked(p, &p->map.func[i]))
			continue;
		if (n++)
			fputc(',', out);
		put_func(p, &p->map.func[i], out);
	}
	fputs("\n ]", out);
}

void view_json(const struct run *run, FILE *out)
{
	fputs("{\"version\":1,\n \"generator\":\"ldx " LDX_VERSION "\",\n ", out);
	put_object(&run->v[0], "program", out);
	fputs(",\n \"libraries\":[", out);
	for (size_t i = 1; i < run->n; i++) {
		fputs(i > 1 ? ",\n {" : "\n {", out);
		put_object(&run->v[i], "path", out);
		fputc('}', out);
	}
	fputs("]}\n", out);
}

static void put_counts(const struct program *p, const char *object, const char *colon,
	bool by_address, FILE *out)
{
	uint64_t count;
	for (size_t i = 0; i < p->map.nfuncs; i++) {
		const struct map_func *f = &p->map.func[i];
		const char *name = shown(f->name);
		for (size_t j = f->block; func_linked(p, f) && j < f->block + f->nblocks; j++) {
			const struct map_block *b = &p->map.block[j];
			if (!block_count(p, b, &count) || (by_address && !map_is_placed(b)))
				continue;
			fprintf(out, "%s%s", object, colon);
			if (by_address)
				fprintf(out, "%" PRIx64 " %" PRIu64 "\n", b->address, count);
			else
				fprintf(out, "%s+0x%" PRIx64 " %" PRIu64 "\n", name, b->offset,
					count);
		}
	}
}

void view_counts(const struct run *run, bool by_address, FILE *out)
{
	put_counts(&run->v[0], "", "", by_address, out);
	for (size_t i = 1; i < run->n; i++)
		put_counts(&run->v[i], shown(run->v[i].path), ":", by_address, out);
}

static bool address;
static const struct option_row options[] = {
	{"address", .help = "in format counts: name blocks by address", .flag = &address},
	{NULL},
};

static void write_counts(const struct run *run, FILE *out)
{
	view_counts(run, address, out);
}

/* X(name, writer, readers) for each format; the first is the default. */
#define EXPORTS(X)                                                                                 \
	X("json", view_json, "everything; see ldxprof(1)")                                         \
	X("counts", write_counts, "a line for each block; ldx --ldx-use-profile")                  \
	X("sample", view_sample, "clang -fprofile-sample-use, rustc, llvm-profdata --sample")      \
	X("afdo", view_afdo, "gcc -fauto-profile")                                                 \
	X("fdata", view_fdata, "llvm-bolt -data, merge-fdata")                                     \
	X("callgrind", view_callgrind, "callgrind_annotate, kcachegrind")                          \
	X("pprof", view_pprof, "go tool pprof, speedscope")                                        \
	X("folded", view_folded, "flamegraph.pl, speedscope")                                      \
	X("gmon", view_gmon, "gprof")                                                              \
	X("drcov", view_drcov, "Lighthouse and other viewers of coverage")                         \
	X("symbol-order", view_symbol_order, "ld.lld --symbol-ordering-file")                      \
	X("call-graph-order", view_call_graph_order, "ld.lld --call-graph-ordering-file")

#define EXPORT_NAME(name, write, readers) name,
#define EXPORT_WRITE(name, write, readers) write,
#define EXPORT_HELP(name, write, readers) "\n  " name ": " readers
static const char *const formats[] = {EXPORTS(EXPORT_NAME) NULL};
static void (*const writers[])(const struct run *run, FILE *out) = {EXPORTS(EXPORT_WRITE)};

/* Has this format nothing of functions that were not executed? */
static bool executed_only(void (*write)(const struct run *run, FILE *out))
{
	return write == view_callgrind || write == view_pprof || write == view_folded;
}

static int run_export(const struct arguments *a)
{
	struct run r;
	if (address && writers[a->format] != write_counts)
		die("--address goes with export --format=counts only");
	arguments_run(&r, a, &verb_export);
	if (!executed_only(writers[a->format]))
		run_flows(&r);
	struct output out = output_open(a->output);
	writers[a->format](&r, out.f);
	output_close(&out);
	return 0;
}

const struct verb verb_export = {
	.name = "export",
	.summary = "write all counts for other programs",
	.synopsis = "[options] PROG [FILE...]",
	.about = "The formats, and the programs that read them:" EXPORTS(EXPORT_HELP),
	.shared = SHARE_OUTPUT | SHARE_RUN,
	.formats = formats,
	.options = options,
	.sums = true,
	.run = run_export,
};
