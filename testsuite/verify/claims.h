/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claims.h - what a rewriter claims, in a file beside its object: one claim on a line
 */
#include "reloc/claim.h"

#include <inttypes.h>
#include <stdio.h>

static inline FILE *claims_open(const char *object, const char *mode)
{
	char name[4096];
	snprintf(name, sizeof name, "%s.claims", object);
	FILE *f = fopen(name, mode);
	if (!f)
		fatal("cannot open %s", name);
	return f;
}

static inline void claims_write(const char *object, const claim_vec *all)
{
	FILE *f = claims_open(object, "w");
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
	FILE *f = claims_open(object, "r");
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
