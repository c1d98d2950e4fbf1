/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec.c - fuzz target: the codecs on an object whose code is laid out anew at random
 *
 * Code is not decoded: every few bytes parts of drawn lengths go in, as in
 * testsuite/codec.  What the codecs have written they must be able to read.
 */
#include "fuzz.h"

#include "reloc/fix.h"
#include "reloc/meta/codec.h"
#include "targets/target.h"
#include "testsuite/layout.h"

#include <stdlib.h>

/* What code refers to takes a decoder to get right. */
static void fix_sections(struct object *o)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (section_is_code(s) && s->map)
			s->out_rel = arena_new(o->arena, struct reloc);
		else if (s->nrel && !s->dropped && !s->out_rel)
			fix_data_section(o->arena, o, s, NULL, NULL);
	}
}

static void ignore_label(void *ctx, uint32_t sec, uint64_t off, uint64_t len,
	enum unwind_label kind)
{
	(void)ctx;
	(void)sec;
	(void)off;
	(void)len;
	(void)kind;
}

/* in to out, by the codecs; seed 0 changes no code. */
static void recode(const char *in, const char *out, uint64_t seed)
{
	struct arena a = {0};
	struct object *o = object_read(&a, in);
	const struct target *t = target_for(o);
	if (!t)
		fatal("%s: not for this machine", in);
	fix_check(o, t->reloc_info);
	draw_seed(seed);
	unwind_labels(o, ignore_label, NULL);
	for (size_t i = 1; seed && i < o->sec.n; i++)
		if (section_is_code(&o->sec.v[i]) && o->sec.v[i].size)
			lay_out(o, &o->sec.v[i]);
	lsda_rewrite(o);
	eh_frame_rewrite(o);
	debug_rewrite(o);
	fix_sections(o);
	fix_symbols(o);
	object_write(o, out);
	arena_free(&a);
}

static void there_and_again(void *seed)
{
	recode(FUZZ_INPUT, FUZZ_OUTPUT, *(uint8_t *)seed);
	fuzz_no_error = "what the codecs have written they do not read";
	recode(FUZZ_OUTPUT, FUZZ_INPUT, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n < sizeof(Elf64_Ehdr))
		return 0;
	uint8_t seed = data[EI_PAD];
	fuzz_file(FUZZ_INPUT, data, n);
	fuzz_file(FUZZ_OUTPUT, NULL, 0);
	fuzz_run(there_and_again, &seed);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	static const char *const focus[] = {".eh_frame", ".gcc_except", ".debug", ".rela.debug",
		".rela.eh_frame", ".rela.gcc_except", ".sframe", ".llvm", ".stack_sizes", NULL};
	return mutate_elf(data, n, max, seed, focus);
}
