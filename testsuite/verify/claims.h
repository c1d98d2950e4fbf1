/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claims.h - what a rewriter claims, and the facts that it states, in files beside its object: one
 * claim, fact or value on a line
 */
#include "reloc/claim.h"
#include "targets/stated.h"

#include <inttypes.h>
#include <stdio.h>

static inline FILE *beside_open(const char *object, const char *end, const char *mode)
{
	char name[4096];
	snprintf(name, sizeof name, "%s.%s", object, end);
	FILE *f = fopen(name, mode);
	if (!f)
		fatal("cannot open %s", name);
	return f;
}

static inline void claims_write(const char *object, const claim_vec *all)
{
	FILE *f = beside_open(object, "claims", "w");
	for (size_t i = 0; i < all->n; i++) {
		const struct claim *c = &all->v[i];
		fprintf(f, "%u %u %u %" PRId64 " %u %u %u %u %u %u %u %u\n", c->sec, c->at, c->len,
			c->counter, c->kind, c->hold, c->reg, c->by, c->base, c->makes, c->plain,
			c->asked);
	}
	fclose(f);
}

static inline void claims_read(const char *object, claim_vec *all)
{
	FILE *f = beside_open(object, "claims", "r");
	struct claim c;
	uint8_t makes, plain;
	while (fscanf(f, "%u %u %u %" SCNd64 " %hhu %hhu %hhu %hhu %hhu %hhu %hhu %hu", &c.sec,
		       &c.at, &c.len, &c.counter, &c.kind, &c.hold, &c.reg, &c.by, &c.base, &makes,
		       &plain, &c.asked) == 12) {
		c.makes = makes;
		c.plain = plain;
		vec_push(all, c);
	}
	fclose(f);
}

static inline void values_write(const char *object, const struct stated *all)
{
	FILE *f = beside_open(object, "values", "w");
	for (size_t i = 0; i < all->held.n; i++) {
		const struct held_at *h = &all->held.v[i];
		fprintf(f, "held %u %u %u %d %u\n", h->sec, h->off, h->n, h->place, h->holds);
	}
	for (size_t i = 0; i < all->sum.n; i++) {
		const struct sum_at *s = &all->sum.v[i];
		fprintf(f, "sum %u %u %d %d %u %u\n", s->sec, s->off, s->lo, s->hi, s->kind,
			s->flags);
	}
	for (size_t i = 0; i < all->sums.n; i++) {
		const struct sums_at *s = &all->sums.v[i];
		fprintf(f, "sums %u %u %u %u\n", s->sec, s->off, s->sum, s->regs);
	}
	for (size_t i = 0; i < all->half.n; i++)
		fprintf(f, "half %u %u %u\n", all->half.v[i].sec, all->half.v[i].off,
			all->half.v[i].high);
	for (size_t i = 0; i < all->table.n; i++) {
		const struct table_at *t = &all->table.v[i];
		fprintf(f, "table %u %u %u %u %u %u %u %u %d %d\n", t->sec, t->page, t->name,
			t->load, t->anchor, t->sum, t->jump, t->n, t->closed, t->proved);
	}
	for (size_t i = 0; i < all->words.n; i++)
		fprintf(f, "words %u %u %u\n", all->words.v[i].sec, all->words.v[i].off,
			all->words.v[i].n);
	for (size_t i = 0; i < all->jump.n; i++)
		fprintf(f, "jump %u %u %u\n", all->jump.v[i].sec, all->jump.v[i].off,
			all->jump.v[i].words);
	for (size_t i = 0; i < all->endless.n; i++)
		fprintf(f, "endless %u %u\n", all->endless.v[i].sec, all->endless.v[i].off);
	for (size_t i = 0; i < all->changes.n; i++) {
		const struct changes_at *c = &all->changes.v[i];
		fprintf(f, "changes %u %u %" PRIx64 ":%" PRIx64 "\n", c->sec, c->off,
			(uint64_t)(c->set >> 64), (uint64_t)c->set);
	}
	fclose(f);
}

static inline void values_read(const char *object, struct stated *all)
{
	FILE *f = beside_open(object, "values", "r");
	struct held_at h = {0};
	struct half_at half;
	struct sum_at sum = {0};
	struct sums_at sums;
	struct table_at t;
	struct words_at x;
	struct jump_at j;
	struct place_at p;
	unsigned closed, proved;
	uint64_t w[2];
	char line[256];
	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "held %u %u %u %hd %hhu", &h.sec, &h.off, &h.n, &h.place,
			    &h.holds) == 5)
			vec_push(&all->held, h);
		if (sscanf(line, "sum %u %u %d %d %hhu %hhu", &sum.sec, &sum.off, &sum.lo, &sum.hi,
			    &sum.kind, &sum.flags) == 6)
			vec_push(&all->sum, sum);
		if (sscanf(line, "sums %u %u %u %u", &sums.sec, &sums.off, &sums.sum, &sums.regs) ==
			4)
			vec_push(&all->sums, sums);
		if (sscanf(line, "half %u %u %u", &half.sec, &half.off, &half.high) == 3)
			vec_push(&all->half, half);
		if (sscanf(line, "words %u %u %u", &x.sec, &x.off, &x.n) == 3)
			vec_push(&all->words, x);
		if (sscanf(line, "jump %u %u %u", &j.sec, &j.off, &j.words) == 3)
			vec_push(&all->jump, j);
		if (sscanf(line, "endless %u %u", &p.sec, &p.off) == 2)
			vec_push(&all->endless, p);
		if (sscanf(line, "changes %u %u %" SCNx64 ":%" SCNx64, &p.sec, &p.off, &w[0],
			    &w[1]) == 4)
			vec_push(&all->changes,
				((struct changes_at){p.sec, p.off, (regset)w[0] << 64 | w[1]}));
		if (sscanf(line, "table %u %u %u %u %u %u %u %u %u %u", &t.sec, &t.page, &t.name,
			    &t.load, &t.anchor, &t.sum, &t.jump, &t.n, &closed, &proved) != 10)
			continue;
		t.closed = closed;
		t.proved = proved;
		vec_push(&all->table, t);
	}
	fclose(f);
}

enum { HALF = 64 };

static inline void facts_write(const char *object, const struct stated *all)
{
	FILE *f = beside_open(object, "facts", "w");
	for (size_t i = 0; i < all->at.n; i++) {
		const struct fact_at *at = &all->at.v[i];
		const struct fact *x = &all->fact.v[at->fact];
		const regset set[] = {x->use, x->pass, x->ret};
		fprintf(f, "%u %u", at->sec, at->off);
		for (int k = 0; k < 3; k++)
			fprintf(f, " %" PRIx64 ":%" PRIx64, (uint64_t)(set[k] >> HALF),
				(uint64_t)set[k]);
		fputc('\n', f);
	}
	fclose(f);
	values_write(object, all);
}

static inline void facts_read(const char *object, struct stated *all)
{
	FILE *f = beside_open(object, "facts", "r");
	uint64_t w[6];
	uint32_t sec, off;
	while (fscanf(f,
		       "%u %u %" SCNx64 ":%" SCNx64 " %" SCNx64 ":%" SCNx64 " %" SCNx64 ":%" SCNx64,
		       &sec, &off, &w[0], &w[1], &w[2], &w[3], &w[4], &w[5]) == 8) {
		struct fact x = {.use = (regset)w[0] << HALF | w[1],
			.pass = (regset)w[2] << HALF | w[3],
			.ret = (regset)w[4] << HALF | w[5]};
		stated_add(all, sec, off, &x);
	}
	fclose(f);
	values_read(object, all);
}
