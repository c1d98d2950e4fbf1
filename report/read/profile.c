/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - reading, adding and writing profiles
 */
#include "report/read/profile.h"

#include "report/common/output.h"
#include "report/common/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

uint64_t profile_row(uint64_t n)
{
	return (n * 8 + LDX_PAGE - 1) & ~(uint64_t)(LDX_PAGE - 1);
}

bool profile_swapped(const struct input *in)
{
	uint64_t magic = 0;
	if (in->size >= sizeof magic)
		memcpy(&magic, in->data, sizeof magic);
	return magic == __builtin_bswap64(LDX_PROFILE_MAGIC);
}

static uint64_t number(bool swapped, uint64_t x)
{
	return swapped ? __builtin_bswap64(x) : x;
}

/* All 0 if the file is too short. */
static void get_header(const struct input *in, struct ldx_profile_header *h)
{
	bool swapped = profile_swapped(in);
	*h = (struct ldx_profile_header){0};
	if (in->size < sizeof *h)
		return;
	memcpy(h, in->data, sizeof *h);
	h->magic = number(swapped, h->magic);
	h->build = number(swapped, h->build);
	h->end = number(swapped, h->end);
	h->stopped = number(swapped, h->stopped);
}

static void get_slot(const struct input *in, const uint8_t *slot, struct ldx_slot_header *s)
{
	memcpy(s, slot, sizeof *s);
	uint64_t *field[] = {&s->used, &s->pid, &s->build, &s->ncounters, &s->size, &s->runs,
		&s->lost, &s->flags, &s->lost_threads, &s->unfinished};
	for (size_t i = 0; i < sizeof field / sizeof field[0] && profile_swapped(in); i++)
		*field[i] = number(true, *field[i]);
}

void profile_header(const struct input *in, struct ldx_profile_header *h)
{
	get_header(in, h);
	if (in->size < LDX_PAGE || h->magic != LDX_PROFILE_MAGIC)
		die("%s: not a profile of ldx", in->path);
	if (h->end < LDX_PAGE || h->end % LDX_PAGE)
		die("%s: the header of the profile is damaged", in->path);
	if (h->end > in->size)
		die("%s: the profile is truncated: it has %zu of %lu bytes", in->path, in->size,
			(unsigned long)h->end);
	h->program[sizeof h->program - 1] = '\0';
	h->command[sizeof h->command - 1] = '\0';
}

/* Does the slot have one or more whole rows?  Without counters it has none. */
static bool has_rows(const struct ldx_slot_header *s)
{
	uint64_t rows = s->size - LDX_PAGE, n = s->ncounters;
	return n ? n <= rows / 8 && rows % profile_row(n) == 0 : !rows;
}

/* The slot at *at, which is advanced behind it; NULL: it is damaged. */
static const uint8_t *try_slot(const struct input *in, const struct ldx_profile_header *h,
	uint64_t *at, struct ldx_slot_header *s)
{
	const uint8_t *slot = in->data + *at;
	get_slot(in, slot, s);
	if (s->size < LDX_PAGE || s->size > h->end - *at || s->size % LDX_PAGE ||
		(s->build && !has_rows(s)))
		return NULL;
	s->object[sizeof s->object - 1] = '\0';
	*at += s->size;
	return slot;
}

const uint8_t *profile_next_slot(const struct input *in, const struct ldx_profile_header *h,
	uint64_t *at, struct ldx_slot_header *s)
{
	if (*at == h->end)
		return NULL;
	const uint8_t *slot = try_slot(in, h, at, s);
	if (!slot)
		die("%s: the slot at %lu of the profile is damaged", in->path, (unsigned long)*at);
	return slot;
}

const struct profile *profile_find(const struct profile_set *p, uint64_t build)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].build == build)
			return &p->v[i];
	return NULL;
}

static struct profile *object_of(struct profile_set *p, const struct ldx_slot_header *s,
	const struct rules *rules)
{
	struct profile *o = (struct profile *)profile_find(p, s->build);
	if (o)
		return o;
	p->v = realloc(p->v, (p->n + 1) * sizeof *p->v);
	if (!p->v)
		die("out of memory");
	o = &p->v[p->n++];
	*o = (struct profile){.build = s->build,
		.ncounters = s->ncounters,
		.marks = s->flags & LDX_SLOT_MARKS};
	memcpy(o->object, s->object, sizeof o->object);
	o->count = NEW_ARRAY(uint64_t, o->ncounters);
	o->rules = NEW_ARRAY(struct rules, 1);
	memcpy(o->rules->rule, rules->rule, sizeof rules->rule);
	o->rules->n = rules->n;
	return o;
}

static bool is_locked(int fd, uint64_t at)
{
	struct flock l = {.l_type = F_WRLCK, .l_start = (off_t)at, .l_len = 1};
	return !fcntl(fd, F_OFD_GETLK, &l) && l.l_type != F_UNLCK;
}

static bool is_used(const struct ldx_slot_header *s)
{
	return s->used & LDX_SLOT_USED;
}

/*
 * Processes of this slot that ended without leaving main, except the owner if it runs.  The owner
 * may change while this is computed.
 */
static uint64_t find_unfinished(const struct input *in, const uint8_t *slot)
{
	const volatile struct ldx_slot_header *s = (const volatile struct ldx_slot_header *)slot;
	bool swapped = profile_swapped(in), running;
	uint64_t n, runs, open = number(swapped, LDX_SLOT_OPEN);
	do {
		n = s->unfinished;
		runs = s->runs;
		running = s->used & open && is_locked(in->fd, (uint64_t)(slot - in->data));
	} while (n != s->unfinished || runs != s->runs);
	n = number(swapped, n);
	return n && running ? n - 1 : n;
}

/*
 * Other counts are derived from counters, so a sum of another value would be no use.  The first
 * cell may be no counter, but an address.
 */
static void add_count(struct profile *p, uint64_t i, uint64_t count, uint64_t times,
	const char *path)
{
	uint64_t more, sum = 0;
	bool fits = !__builtin_mul_overflow(count, times, &more) &&
		!__builtin_add_overflow(p->count[i], more, &sum);
	if (!fits && i)
		die("%s: a sum of its counts does not fit in 64 bits", path);
	p->count[i] = fits ? sum : UINT64_MAX;
}

/* The owner may be counting, so each counter is read once, atomically. */
static void add_counts(struct profile *p, const struct ldx_slot_header *s, const uint8_t *slot,
	const struct input *in)
{
	bool swapped = profile_swapped(in);
	uint64_t row = profile_row(p->ncounters), n = rules_counters(p->rules, p->ncounters);
	for (uint64_t at = LDX_PAGE; row && at < s->size; at += row) {
		const volatile uint64_t *count = (const volatile uint64_t *)(slot + at);
		for (uint64_t i = 0; i < n; i++)
			if (p->marks)
				p->count[i] |= count[i];
			else
				add_count(p, i, number(swapped, count[i]), 1, in->path);
		rules_add(p->rules, p->count, count, swapped);
	}
}

/* Subtract the counts of a base slot; marks are added. */
static void take_counts(struct profile *p, const struct ldx_slot_header *s, const uint8_t *slot,
	const struct input *in)
{
	bool swapped = profile_swapped(in);
	uint64_t row = profile_row(p->ncounters), n = rules_counters(p->rules, p->ncounters);
	for (uint64_t at = LDX_PAGE; row && at < s->size; at += row) {
		const volatile uint64_t *count = (const volatile uint64_t *)(slot + at);
		for (uint64_t i = 0; i < n; i++) {
			uint64_t base = number(swapped, count[i]);
			if (p->marks)
				p->count[i] |= count[i];
			else
				p->count[i] = p->count[i] > base ? p->count[i] - base : 0;
		}
		rules_take(p->rules, p->count, count, swapped);
	}
}

static void add_slot(struct profile *p, const struct ldx_slot_header *s, uint64_t unfinished)
{
	p->runs = add_sat(p->runs, s->runs);
	p->lost = add_sat(p->lost, s->lost);
	p->lost_threads = add_sat(p->lost_threads, s->lost_threads);
	p->unfinished = add_sat(p->unfinished, unfinished);
}

static bool is_base(const struct ldx_slot_header *s)
{
	return s->flags & LDX_SLOT_BASE;
}

/* The object of the slot, added to p if it is new; NULL: none, or none that is asked for. */
static struct profile *object_in(struct profile_set *p, const struct input *in,
	const struct ldx_profile_header *h, const uint8_t *slot, struct ldx_slot_header *s)
{
	struct rules rules;
	if (!s->build)
		return NULL;
	s->build = is_base(s) ? ~s->build : s->build;
	if (h->build != p->build && s->build != p->build)
		return NULL;
	if (!rules_read(&rules, slot, profile_swapped(in), s->ncounters))
		die("%s: the rules of build %016lx are damaged", in->path, (unsigned long)s->build);
	struct profile *o = object_of(p, s, &rules);
	if (o->marks != (bool)(s->flags & LDX_SLOT_MARKS))
		die("%s: build %016lx has marks and counters", in->path, (unsigned long)s->build);
	if (o->ncounters != s->ncounters)
		die("%s: build %016lx has %lu counters, not %lu", in->path, (unsigned long)s->build,
			(unsigned long)s->ncounters, (unsigned long)o->ncounters);
	if (!rules_same(o->rules, &rules))
		die("%s: build %016lx has different rules", in->path, (unsigned long)s->build);
	return o;
}

/* The slots of processes, or the bases. */
static bool add_slots(struct profile_set *p, const struct input *in,
	const struct ldx_profile_header *h, bool bases)
{
	struct ldx_slot_header s;
	struct profile *o;
	bool stopped = h->stopped && !p->plain, found = false;
	uint64_t at = LDX_PAGE;
	for (const uint8_t *slot; (slot = profile_next_slot(in, h, &at, &s));) {
		if (is_base(&s) != bases || !(o = object_in(p, in, h, slot, &s)))
			continue;
		if (bases && !stopped) {
			take_counts(o, &s, slot, in);
		} else if (bases || (is_used(&s) && !stopped)) {
			add_counts(o, &s, slot, in);
		}
		if (!bases)
			add_slot(o, &s, find_unfinished(in, slot));
		found = true;
	}
	return found;
}

bool profile_add(struct profile_set *p, const char *path, uint64_t build)
{
	struct input in;
	struct ldx_profile_header h = {0};
	if (!input_open(&in, path))
		return false;
	profile_header(&in, &h);
	p->build = build;
	if (!add_slots(p, &in, &h, false) && h.build != build)
		die("%s: the profile is of build %016lx, not %016lx", path, (unsigned long)h.build,
			(unsigned long)build);
	if (!p->plain)
		add_slots(p, &in, &h, true);
	if (!p->files++) {
		bool own = h.build == build;
		memcpy(p->program, own ? h.program : p->v[0].object, sizeof p->program);
		memcpy(p->command, h.command, own ? sizeof p->command : 0);
	}
	input_close(&in);
	return true;
}

static void add_times(struct profile *to, const struct profile *from, uint64_t times,
	const char *path)
{
	for (uint64_t i = 0; i < rules_counters(to->rules, to->ncounters); i++)
		if (to->marks)
			to->count[i] |= times ? from->count[i] : 0;
		else
			add_count(to, i, from->count[i], times, path);
	rules_add_times(to->rules, to->count, from->rules, from->count, times);
	to->runs = add_sat(to->runs, mul_sat(from->runs, times));
	to->lost = add_sat(to->lost, mul_sat(from->lost, times));
	to->lost_threads = add_sat(to->lost_threads, mul_sat(from->lost_threads, times));
	to->unfinished = add_sat(to->unfinished, mul_sat(from->unfinished, times));
}

/* The object in p to which o is added; both must have the same layout. */
static struct profile *object_like(struct profile_set *p, const struct profile *o, const char *path)
{
	struct ldx_slot_header s = {.build = o->build,
		.ncounters = o->ncounters,
		.flags = o->marks ? LDX_SLOT_MARKS : 0};
	memcpy(s.object, o->object, sizeof s.object);
	struct profile *to = object_of(p, &s, o->rules);
	if (to->marks != o->marks || to->ncounters != o->ncounters ||
		!rules_same(to->rules, o->rules))
		die("%s: build %016lx is not what it is in other profiles", path,
			(unsigned long)o->build);
	return to;
}

bool profile_add_times(struct profile_set *p, const char *path, uint64_t build, uint64_t times)
{
	struct profile_set one = {.plain = p->plain};
	if (times == 1)
		return profile_add(p, path, build);
	if (!profile_add(&one, path, build))
		return false;
	p->build = build;
	for (size_t i = 0; i < one.n; i++) {
		add_times(object_like(p, &one.v[i], path), &one.v[i], times, path);
		free(one.v[i].count);
	}
	free(one.v);
	if (!p->files++) {
		memcpy(p->program, one.program, sizeof p->program);
		memcpy(p->command, one.command, sizeof p->command);
	}
	return true;
}

struct profile_look profile_look(const char *path, uint64_t build)
{
	struct input in;
	struct ldx_profile_header h = {0};
	const char *why = input_try(&in, path);
	if (why && in.fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return (struct profile_look){.state = PROFILE_NONE};
	if (why)
		return (struct profile_look){.state = PROFILE_UNREADABLE, .why = why};
	get_header(&in, &h);
	input_close(&in);
	if (!in.size)
		return (struct profile_look){.state = PROFILE_EMPTY};
	if (h.magic != LDX_PROFILE_MAGIC)
		return (struct profile_look){.state = PROFILE_ALIEN};
	return (struct profile_look){.state = h.build == build ? PROFILE_OWN : PROFILE_OTHER,
		.build = h.build};
}

bool profile_build(const char *path, uint64_t *build)
{
	struct input in;
	struct ldx_profile_header h = {0};
	if (!input_open(&in, path))
		return false;
	get_header(&in, &h);
	*build = h.build;
	input_close(&in);
	return h.magic == LDX_PROFILE_MAGIC;
}

const char *profile_program(const char *path)
{
	struct input in;
	struct ldx_profile_header h = {0};
	if (!input_open(&in, path))
		return NULL;
	get_header(&in, &h);
	input_close(&in);
	h.program[sizeof h.program - 1] = '\0';
	return h.magic == LDX_PROFILE_MAGIC ? new_string("%s", h.program) : NULL;
}

uint64_t profile_rows(const struct profile *p)
{
	return p->ncounters ? rules_rows(p->rules) : 0;
}

void profile_put_row(const struct profile *p, uint64_t row, uint64_t *to)
{
	memset(to, 0, p->ncounters * 8);
	if (!row)
		memcpy(to, p->count, rules_counters(p->rules, p->ncounters) * 8);
	rules_put(p->rules, p->count, row, to);
}

void profile_clear(struct profile *p)
{
	memset(p->count, 0, p->ncounters * 8);
	rules_forget(p->rules);
}

void profile_to_base(struct profile *p, const struct profile *value)
{
	for (uint64_t i = 0; i < rules_counters(p->rules, p->ncounters); i++) {
		uint64_t keep = value ? value->count[i] : 0;
		p->count[i] = p->marks ? keep : p->count[i] - keep;
	}
	rules_to_base(p->rules, p->count, value ? value->rules : NULL, value ? value->count : NULL);
}

static uint64_t slot_size(const struct profile *p)
{
	return LDX_PAGE + profile_rows(p) * profile_row(p->ncounters);
}

static void write_slot(const struct profile *p, FILE *f)
{
	static union {
		struct ldx_slot_header s;
		char bytes[LDX_PAGE];
	} page;
	uint64_t *row = calloc(1, profile_row(p->ncounters) + 1);
	if (!row)
		die("out of memory");
	page.s = (struct ldx_slot_header){.used = LDX_SLOT_USED,
		.build = p->build,
		.ncounters = p->ncounters,
		.size = slot_size(p),
		.runs = p->runs,
		.lost = p->lost,
		.lost_threads = p->lost_threads,
		.unfinished = p->unfinished,
		.flags = p->marks ? LDX_SLOT_MARKS : 0};
	memcpy(page.s.object, p->object, sizeof page.s.object);
	memset(&page.s + 1, 0, LDX_PAGE - sizeof page.s);
	rules_write(p->rules, &page.s + 1);
	fwrite(page.bytes, LDX_PAGE, 1, f);
	for (uint64_t i = 0; i < profile_rows(p); i++) {
		profile_put_row(p, i, row);
		fwrite(row, 1, profile_row(p->ncounters), f);
	}
	free(row);
}

static void write_all(const struct profile_set *p, FILE *f)
{
	static char page[LDX_PAGE];
	struct ldx_profile_header h = {.magic = LDX_PROFILE_MAGIC,
		.build = p->build,
		.end = LDX_PAGE};
	memcpy(h.program, p->program, sizeof h.program);
	memcpy(h.command, p->command, sizeof h.command);
	for (size_t i = 0; i < p->n; i++)
		h.end += slot_size(&p->v[i]);
	fwrite(&h, sizeof h, 1, f);
	fwrite(page, LDX_PAGE - sizeof h, 1, f);
	for (size_t i = 0; i < p->n; i++)
		write_slot(&p->v[i], f);
}

void profile_write(const struct profile_set *p, const char *path)
{
	struct output out = output_open(path);
	write_all(p, out.f);
	output_close(&out);
}

static void put_command(FILE *out, const struct ldx_profile_header *h)
{
	for (const char *s = h->command; s < h->command + sizeof h->command && *s;) {
		if (s != h->command)
			fputc(' ', out);
		put_shown(out, s);
		s += strlen(s) + 1;
	}
}

/* How many slots an object has in a file, and in what state. */
struct usage {
	size_t slots, used, live;
};

static struct usage find_usage(const struct input *in, const struct ldx_profile_header *h,
	uint64_t build)
{
	struct usage u = {0};
	struct ldx_slot_header s;
	for (uint64_t at = LDX_PAGE, from = at; profile_next_slot(in, h, &at, &s); from = at) {
		if (s.build != build)
			continue;
		u.slots++;
		u.used += is_used(&s);
		u.live += is_locked(in->fd, from);
	}
	return u;
}

static bool has_slots(const struct input *in, const struct ldx_profile_header *h)
{
	return in->size >= LDX_PAGE && h->end >= LDX_PAGE && h->end % LDX_PAGE == 0 &&
		h->end <= in->size;
}

bool profile_brief(const char *path, struct profile_brief *b)
{
	struct input in;
	struct ldx_profile_header h = {0};
	if (input_try(&in, path))
		return false;
	get_header(&in, &h);
	*b = (struct profile_brief){.build = h.build, .damaged = !has_slots(&in, &h)};
	memcpy(b->program, h.program, sizeof b->program);
	b->program[sizeof b->program - 1] = '\0';
	struct ldx_slot_header s;
	for (uint64_t at = LDX_PAGE, from = at;
		h.magic == LDX_PROFILE_MAGIC && !b->damaged && at < h.end; from = at) {
		if (!try_slot(&in, &h, &at, &s)) {
			b->damaged = true;
		} else if (s.build == h.build) {
			b->runs = add_sat(b->runs, s.runs);
			b->running += is_locked(in.fd, from);
		}
	}
	input_close(&in);
	return h.magic == LDX_PROFILE_MAGIC;
}

void profile_info(const char *path, FILE *out)
{
	struct input in;
	struct ldx_profile_header h = {0};
	struct profile_set p = {0};
	if (!input_open(&in, path))
		die("cannot open %s: %s", path, strerror(ENOENT));
	profile_header(&in, &h);
	profile_add(&p, path, h.build);
	fprintf(out, "program:   ");
	put_shown(out, h.program);
	fprintf(out, "\ncommand:   ");
	put_command(out, &h);
	fprintf(out, "\nbuild:     %016lx\n", (unsigned long)h.build);
	if (h.stopped)
		fprintf(out, "state:     stopped\n");
	for (size_t i = 0; i < p.n; i++) {
		const struct profile *o = &p.v[i];
		struct usage u = find_usage(&in, &h, o->build);
		fprintf(out, "\nobject:    ");
		put_shown(out, o->object);
		fprintf(out, "\nbuild:     %016lx\n%s  %lu\n", (unsigned long)o->build,
			o->marks ? "cells:   " : "counters:", (unsigned long)o->ncounters);
		fprintf(out, "slots:     %zu, %zu in use, %zu of running processes\n", u.slots,
			u.used, u.live);
		fprintf(out, "processes: %lu", (unsigned long)o->runs);
		if (o->unfinished)
			fprintf(out, ", %lu ended without leaving main",
				(unsigned long)o->unfinished);
		fprintf(out, "\nlost:      %lu", (unsigned long)o->lost);
		if (o->lost_threads)
			fprintf(out, ", and %lu threads", (unsigned long)o->lost_threads);
		fputc('\n', out);
	}
	input_close(&in);
}
