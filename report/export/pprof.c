/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof.c - instructions by line and inlined frames, in pprof's format
 *
 * A message of type perftools.profiles.Profile (github.com/google/pprof, proto/profile.proto),
 * compressed by gzip.  A sample is one place in the source with the functions into which it was
 * inlined, and as far as one function made all calls of another the places of these calls.
 */
#include "report/figures/callers.h"
#include "report/figures/insns.h"
#include "report/figures/source.h"
#include "report/figures/views.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Fields of the messages. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	VALUE_TYPE = 1,
	VALUE_UNIT = 2,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	MAPPING_ID = 1,
	MAPPING_START = 2,
	MAPPING_LIMIT = 3,
	MAPPING_FILE = 5,
	MAPPING_HAS = 7, /* 7 to 10: functions, files, lines, inlined frames */
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_LINE = 5,
};

/* Adjacent instructions of one place. */
struct location {
	size_t object;
	uint64_t address, insns, count;
	size_t frame, frames;  /* in writer.frame */
	size_t chain, callers; /* in writer.chain: the innermost call first */
};

struct frame {
	uint64_t function, line;
};

struct writer {
	const struct run *run;
	const struct program *p;
	struct source **source; /* by object */
	struct callers *callers;
	struct strmap strings, functions, sites;
	uint64_t nstrings, nfunctions;
	struct buf string, function, out; /* encoded */
	VEC(struct frame) frame;
	VEC(struct location) location; /* of samples */
	VEC(struct location) site;     /* of calls: numbered behind these */
	VEC(size_t) chain;	       /* numbers of sites */
	size_t first;		       /* of the function's in chain */
};

/* Protocol Buffers encoding: varints, and fields with a length. */
static void put_field(struct buf *b, unsigned field, uint64_t value)
{
	if (!value)
		return;
	buf_uleb(b, field << 3);
	buf_uleb(b, value);
}

static void put_bytes(struct buf *b, unsigned field, const void *p, size_t n)
{
	buf_uleb(b, field << 3 | 2);
	buf_uleb(b, n);
	buf_put(b, p, n);
}

/* Frees the message. */
static void put_message(struct buf *b, unsigned field, struct buf *message)
{
	put_bytes(b, field, message->v, message->n);
	free(message->v);
	*message = (struct buf){0};
}

/* The number of a string, which is borrowed; "" is 0. */
static uint64_t string(struct writer *w, const char *s)
{
	if (!s || !*s)
		return 0;
	uint64_t *slot = strmap_slot(&w->strings, s);
	if (!*slot) {
		*slot = ++w->nstrings;
		put_bytes(&w->string, PROFILE_STRING, s, strlen(s));
	}
	return *slot;
}

static uint64_t function(struct writer *w, const char *name, const char *file, uint32_t line)
{
	struct buf f = {0};
	uint64_t *slot = strmap_slot(&w->functions,
		new_string("%s|%s|%u", name, file ? file : "", (unsigned)line));
	if (*slot)
		return *slot;
	*slot = ++w->nfunctions;
	put_field(&f, FUNCTION_ID, w->nfunctions);
	put_field(&f, FUNCTION_NAME, string(w, demangled(name)));
	put_field(&f, FUNCTION_SYSTEM_NAME, string(w, name));
	put_field(&f, FUNCTION_FILE, string(w, file));
	put_field(&f, FUNCTION_LINE, line);
	put_message(&w->function, PROFILE_FUNCTION, &f);
	return w->nfunctions;
}

static struct source *source_of(const struct writer *w, const struct program *p)
{
	return w->source[p - w->run->v];
}

/* The frames of an instruction of function of. */
static void add_frames(struct writer *w, const struct map_func *of, const struct source_frame *v,
	size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct source_func *f = v[i].func;
		bool own = i + 1 == n;
		const char *name = own || !f ? of->name : f->name;
		uint64_t number = function(w, name, f ? f->file : NULL, f ? f->line : 0);
		vec_push(&w->frame, ((struct frame){number, v[i].line}));
	}
	if (!n)
		vec_push(&w->frame, ((struct frame){function(w, of->name, of->file, 0), 0}));
}

/* Of several calls by one function no line is known. */
static size_t site_of(struct writer *w, const struct caller *c)
{
	const struct source_frame *v = NULL;
	size_t object = (size_t)(c->p - w->run->v), first = w->frame.n;
	uint64_t address = c->address ? c->address : c->f->address;
	uint64_t *slot =
		strmap_slot(&w->sites, new_string("%zu|%llx", object, (unsigned long long)address));
	if (*slot)
		return *slot - 1;
	size_t n = c->address ? source_frames(source_of(w, c->p), address, &v) : 0;
	add_frames(w, c->f, v, n);
	vec_push(&w->site,
		((struct location){.object = object,
			.address = address,
			.frame = first,
			.frames = w->frame.n - first}));
	*slot = w->site.n;
	return w->site.n - 1;
}

static void add_chain(struct writer *w, const struct map_func *f)
{
	const struct caller *c = only_caller(w->callers, w->p, f);
	w->first = w->chain.n;
	for (unsigned depth = 0; c && depth < CALLERS_DEEPEST; depth++) {
		vec_push(&w->chain, site_of(w, c));
		c = only_caller(w->callers, c->p, c->f);
	}
}

static bool same_frames(const struct writer *w, size_t from, size_t a, size_t b)
{
	const struct frame *x = w->frame.v + from, *y = w->frame.v + a;
	return !memcmp(x, y, (b - a) * sizeof *x);
}

static void add_insn(void *ctx, const struct insn_at *in)
{
	struct writer *w = ctx;
	const struct source_frame *v;
	size_t first = w->frame.n;
	if (!in->known || !in->count)
		return;
	size_t found = source_frames(source_of(w, w->p), in->address, &v);
	add_frames(w, in->f, v, found);
	size_t n = w->frame.n - first;
	struct location *last = w->location.n ? &w->location.v[w->location.n - 1] : NULL;
	if (last && last->count == in->count && last->frames == n && last->chain == w->first &&
		same_frames(w, last->frame, first, first + n)) {
		last->insns = add_sat(last->insns, in->count);
		w->frame.n = first;
		return;
	}
	vec_push(&w->location,
		((struct location){(size_t)(w->p - w->run->v), in->address, in->count, in->count,
			first, n, w->first, w->chain.n - w->first}));
}

static void put_function(struct writer *w, const struct map_func *f)
{
	if (!func_linked(w->p, f) || !func_sum(w->p, f).run)
		return;
	add_chain(w, f);
	each_insn(w->p, f, add_insn, w);
}

static void put_location(struct writer *w, const struct location *l, uint64_t id)
{
	struct buf location = {0};
	put_field(&location, LOCATION_ID, id);
	put_field(&location, LOCATION_MAPPING, l->object + 1);
	put_field(&location, LOCATION_ADDRESS, l->address);
	for (size_t k = l->frame; k < l->frame + l->frames; k++) {
		struct buf line = {0};
		put_field(&line, LINE_FUNCTION, w->frame.v[k].function);
		put_field(&line, LINE_LINE, w->frame.v[k].line);
		put_message(&location, LOCATION_LINE, &line);
	}
	put_message(&w->out, PROFILE_LOCATION, &location);
}

static void put_sample(struct writer *w, const struct location *l, uint64_t id)
{
	struct buf sample = {0}, values = {0}, ids = {0};
	buf_uleb(&ids, id);
	for (size_t k = l->chain; k < l->chain + l->callers; k++)
		buf_uleb(&ids, w->location.n + w->chain.v[k] + 1);
	put_message(&sample, SAMPLE_LOCATION, &ids);
	buf_uleb(&values, l->count);
	buf_uleb(&values, l->insns);
	put_message(&sample, SAMPLE_VALUE, &values);
	put_message(&w->out, PROFILE_SAMPLE, &sample);
}

static void put_type(struct writer *w, const char *type)
{
	struct buf b = {0};
	put_field(&b, VALUE_TYPE, string(w, type));
	put_field(&b, VALUE_UNIT, string(w, "count"));
	put_message(&w->out, PROFILE_SAMPLE_TYPE, &b);
}

static void put_mapping(struct writer *w, size_t i)
{
	struct buf b = {0};
	const struct program *p = &w->run->v[i];
	uint64_t limit = 0;
	for (size_t k = 0; k < p->nsegments; k++)
		if (p->segment[k].address + p->segment[k].size > limit)
			limit = p->segment[k].address + p->segment[k].size;
	put_field(&b, MAPPING_ID, i + 1);
	put_field(&b, MAPPING_LIMIT, limit);
	put_field(&b, MAPPING_FILE, string(w, p->path));
	for (unsigned has = 0; has < 4; has++)
		put_field(&b, MAPPING_HAS + has, 1);
	put_message(&w->out, PROFILE_MAPPING, &b);
}

/* The gzip header has no time, so the same counts give the same file. */
static void write_compressed(const struct buf *b, const char *path, FILE *out)
{
	static uint8_t chunk[1 << 16];
	z_stream z = {.next_in = b->v, .avail_in = (uInt)b->n};
	enum { GZIP = 16 };
	if (b->n > UINT32_MAX ||
		deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, 8,
			Z_DEFAULT_STRATEGY) != Z_OK)
		die("%s: the profile cannot be compressed", path);
	int state;
	do {
		z.next_out = chunk;
		z.avail_out = sizeof chunk;
		state = deflate(&z, Z_FINISH);
		fwrite(chunk, 1, sizeof chunk - z.avail_out, out);
	} while (state == Z_OK);
	deflateEnd(&z);
}

void view_pprof(const struct run *run, FILE *out)
{
	struct writer w = {.run = run};
	run_need_counts(run);
	put_bytes(&w.string, PROFILE_STRING, "", 0);
	put_type(&w, "executions");
	put_type(&w, "instructions");
	w.callers = callers_find(run);
	w.source = NEW_ARRAY(struct source *, run->n);
	for (size_t i = 0; i < run->n; i++)
		w.source[i] = source_open(&run->v[i]);
	for (size_t i = 0; i < run->n; i++) {
		w.p = &run->v[i];
		put_mapping(&w, i);
		for (size_t k = 0; k < w.p->map.nfuncs; k++)
			put_function(&w, &w.p->map.func[k]);
	}
	for (size_t i = 0; i < w.location.n; i++) {
		put_location(&w, &w.location.v[i], i + 1);
		put_sample(&w, &w.location.v[i], i + 1);
	}
	for (size_t i = 0; i < w.site.n; i++)
		put_location(&w, &w.site.v[i], w.location.n + i + 1);
	buf_put(&w.out, w.function.v, w.function.n);
	buf_put(&w.out, w.string.v, w.string.n);
	write_compressed(&w.out, run->v[0].path, out);
}
