/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite MODE IN OUT: blocks, edges, cover, functions, none, every (blocks, with a counter in
 * each), threads (blocks, by thread), places (edges, also at exits, behind calls and on edges of
 * tables), ways (places, and no-ops on edges), order (edges, functions in another order), poison
 * (nothing, and registers without a use overwritten), poisoned-ways (that, also on edges), or a
 * number: stress with that seed.  What it claims of inserted code goes to OUT.claims, what it
 * states of the old to OUT.facts and OUT.values.  LDX_STATS: prints statistics.  LDX_EXPLAIN=FUNC:
 * as
 * --ldx-explain does.
 */
#include "instr/rewrite.h"

#include "base/base.h"
#include "runtime/abi.h"
#include "targets/target.h"
#include "testsuite/verify/claims.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct rewrite_options opt = {.mode = LDX_MODE_NONE};
	if (argc != 4)
		return 2;
	if (!strcmp(argv[1], "blocks"))
		opt.mode = LDX_MODE_BLOCKS;
	else if (!strcmp(argv[1], "every"))
		opt.mode = LDX_MODE_BLOCKS, opt.placement = PLACE_EVERY;
	else if (!strcmp(argv[1], "threads"))
		opt.mode = LDX_MODE_BLOCKS, opt.counters = ACCESS_THREAD,
		opt.dynamic = opt.rows = true;
	else if (!strcmp(argv[1], "turned"))
		opt.mode = LDX_MODE_EDGES, opt.counters = ACCESS_TURNED, opt.shared = true;
	else if (!strcmp(argv[1], "edges"))
		opt.mode = LDX_MODE_EDGES, opt.dynamic = true;
	else if (!strcmp(argv[1], "places"))
		opt.mode = LDX_MODE_EDGES, opt.exits = opt.after = opt.tables = true;
	else if (!strcmp(argv[1], "order"))
		opt.mode = LDX_MODE_EDGES, opt.order = true, opt.order_seed = 1;
	else if (!strcmp(argv[1], "cover"))
		opt.mode = LDX_MODE_COVER;
	else if (!strcmp(argv[1], "functions"))
		opt.mode = LDX_MODE_FUNCTIONS;
	else if (!strcmp(argv[1], "ways"))
		opt.mode = LDX_MODE_EDGES, opt.exits = opt.after = opt.tables = opt.edges = true,
		opt.edges_seed = 1;
	else if (!strcmp(argv[1], "poison"))
		opt.poison = true, opt.poison_seed = 1;
	else if (!strcmp(argv[1], "poisoned-ways"))
		opt.edges = true, opt.edges_seed = opt.poison_seed = 1, opt.poison = true;
	else if (strcmp(argv[1], "none") != 0)
		opt.stress = true, opt.stress_seed = strtoull(argv[1], NULL, 0);
	opt.threads = getenv("LDX_THREADS") ? (unsigned)atoi(getenv("LDX_THREADS")) : 0;
	opt.time = getenv("LDX_TIME") != NULL;
	opt.dump = getenv("LDX_DUMP");
	opt.stats = getenv("LDX_STATS") != NULL;
	opt.explain = getenv("LDX_EXPLAIN");
	struct arena a = {0};
	claim_vec claims = {0};
	struct stated stated = {0};
	opt.claims = &claims;
	opt.stated = &stated;
	rewrite_object(&a, argv[2], argv[3], &opt);
	claims_write(argv[3], &claims);
	facts_write(argv[3], &stated);
	return 0;
}
