/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export.c - ldxprof export: all counts, in formats that other programs read
 */
#include "report/common/json.h"
#include "report/common/output.h"
#include "report/verbs/verbs.h"

#include <inttypes.h>
#include <string.h>

static void put_block(const struct program *p, const struct map_block *b, struct json *j)
{
	uint64_t count = 0;
	bool known = block_count(p, b, &count);
	json_line(j, 3);
	json_object(j, NULL);
	json_number(j, "offset", b->offset);
	json_number(j, "length", b->length);
	json_number(j, "instructions", b->insns);
	json_known(j, "address", map_is_placed(b), b->address);
	json_bool(j, "entry", b->flags & LDX_BLOCK_ENTRY);
	json_bool(j, "call", b->flags & LDX_BLOCK_CALL);
	if (known)
		json_bool(j, "executed", count);
	else
		json_null(j, "executed");
	json_known(j, "count", known && !map_has_marks(&p->map), count);
	json_end(j);
}

static void put_edge(const struct program *p, const struct map_edge *e, struct json *j)
{
	uint64_t count = 0;
	bool known = edge_count(p, e, &count);
	json_line(j, 3);
	json_object(j, NULL);
	json_known(j, "from", e->from, e->from - 1);
	json_known(j, "to", e->to, e->to - 1);
	json_known(j, "count", known, count);
	json_end(j);
}

static void put_func(const struct program *p, const struct map_func *f, struct json *j)
{
	struct func_sum s = func_sum(p, f);
	const char *plain = demangled(f->name);
	json_line(j, 2);
	json_object(j, NULL);
	json_text(j, "name", f->name);
	if (plain != f->name)
		json_text(j, "demangled", plain);
	json_text(j, "section", f->section);
	json_text(j, "file", f->file);
	json_text(j, "input", f->input);
	json_number(j, "offset", f->offset);
	json_number(j, "size", f->size);
	json_number(j, "address", f->address);
	if (f->flags & LDX_FUNC_OPAQUE)
		json_text(j, "opaque", f->reason);
	json_known(j, "calls", s.calls_known, s.calls);
	json_known(j, "instructions", s.insns_known, s.insns);
	json_array(j, "blocks");
	for (size_t i = 0; i < f->nblocks; i++)
		put_block(p, &p->map.block[f->block + i], j);
	json_end(j);
	json_array(j, "edges");
	for (size_t i = 0; !map_has_marks(&p->map) && i < f->nedges; i++)
		put_edge(p, &p->map.edge[f->edge + i], j);
	json_end(j);
	json_end(j);
}

static void put_object(const struct program *p, const char *key, struct json *j)
{
	json_text(j, key, p->path);
	json_print(j, "build", "\"%016" PRIx64 "\"", p->map.build);
	json_text(j, "mode", mode_name(p->map.mode));
	json_number(j, "processes", p->profile.runs);
	json_number(j, "unfinished", p->profile.unfinished);
	json_number(j, "lost", p->profile.lost);
	json_number(j, "lost_threads", p->profile.lost_threads);
	json_line(j, 1);
	json_array(j, "functions");
	for (size_t i = 0; i < p->map.nfuncs; i++)
		if (func_linked(p, &p->map.func[i]))
			put_func(p, &p->map.func[i], j);
	json_line(j, 1);
	json_end(j);
}

void view_json(const struct run *run, FILE *out)
{
	struct json j = json_to(out);
	json_object(&j, NULL);
	json_number(&j, "version", 1);
	json_line(&j, 1);
	json_text(&j, "generator", "ldx " LDX_VERSION);
	json_line(&j, 1);
	put_object(&run->v[0], "program", &j);
	json_line(&j, 1);
	json_array(&j, "libraries");
	for (size_t i = 1; i < run->n; i++) {
		json_line(&j, 1);
		json_object(&j, NULL);
		put_object(&run->v[i], "path", &j);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	fputc('\n', out);
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

struct export_options {
	bool address;
};
static const struct option_row options[] = {
	{"address", .help = "in format counts: name blocks by address",
		OPTION_FLAG(struct export_options, address)},
	{NULL},
};

static void write_counts(const struct run *run, FILE *out)
{
	view_counts(run, false, out);
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
	const struct export_options *o = a->own;
	struct run r;
	if (o->address && writers[a->format] != write_counts)
		die("--address goes with export --format=counts only");
	arguments_run(&r, a, &verb_export);
	if (!executed_only(writers[a->format]))
		run_flows(&r);
	struct output out = output_open(a->output);
	if (o->address)
		view_counts(&r, true, out.f);
	else
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
	.own_size = sizeof(struct export_options),
	.sums = true,
	.run = run_export,
};
