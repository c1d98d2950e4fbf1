/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite.c - fuzz target: a relocatable object through the whole of ldx's work on it
 *
 * The input is an object; unused bytes of its header say how it is rewritten.
 * What the rewriter takes must verify: an object that does not is a finding.
 */
#include "fuzz.h"

#include "base/base.h"
#include "instr/rewrite.h"
#include "ldwrap/lld.h"
#include "runtime/abi.h"
#include "targets/stated.h"
#include "targets/target.h"
#include "verify/verify.h"

#include <elf.h>
#include <stdlib.h>

/* e_ident is padded from byte 9 on (gABI, "ELF Identification"). */
enum { PAD_MODE = 9, PAD_COUNTERS, PAD_FLAGS };

static void rewrite(void *arg)
{
	struct rewrite_options *opt = arg;
	claim_vec claims = {0};
	struct stated stated = {0};
	struct arena a = {0};
	lld_find(LDX_LLD_DIR);
	struct verify_options facts = {.atomic = opt->counters == ACCESS_ATOMIC,
		.claims = &claims,
		.stated = &stated,
		.dwarf = lld_dwarf()};
	opt->claims = &claims;
	opt->stated = &stated;
	rewrite_object(&a, FUZZ_INPUT, FUZZ_OUTPUT, opt);
	arena_free(&a);
	fuzz_no_error = "the rewritten object does not verify";
	if (!verify_object(FUZZ_INPUT, FUZZ_OUTPUT, &facts, stderr))
		fatal("the rewritten object does not verify");
	vec_free(&claims);
	stated_free(&stated);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const int modes[] = {LDX_MODE_BLOCKS, LDX_MODE_NONE, LDX_MODE_FUNCTIONS,
		LDX_MODE_EDGES, LDX_MODE_COVER};
	static const int counters[] = {ACCESS_PLAIN, ACCESS_ATOMIC, ACCESS_THREAD};
	if (n < sizeof(Elf64_Ehdr))
		return 0;
	struct rewrite_options opt = {
		.mode = modes[data[PAD_MODE] % 5],
		.counters = counters[data[PAD_COUNTERS] % 3],
		.dynamic = data[PAD_FLAGS] & 1,
		.stress = data[PAD_FLAGS] & 2,
		.stress_seed = data[PAD_FLAGS],
		.stats = true,
		.map = data[PAD_FLAGS] & 4,
		.explain = "f",
	};
	fuzz_file(FUZZ_INPUT, data, n);
	fuzz_file(FUZZ_OUTPUT, NULL, 0);
	fuzz_run(rewrite, &opt);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	static const char *const focus[] = {".text", ".rodata", ".rela", ".eh_frame", ".gcc_except",
		".init_array", ".symtab", ".data", NULL};
	return mutate_elf(data, n, max, seed, focus);
}
