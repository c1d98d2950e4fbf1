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

#include <stdlib.h>

static uint64_t state;

static uint32_t draw(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

/* The new contents do not matter: nothing reads them. */
static void lay_out(struct object *o, struct section *s)
{
	static const uint8_t runs[] = {RUNS_FALL, RUN_PAST, RUNS_ENTRY, RUNS_ALL, RUNS_OLD};
	VEC(struct frag) list = {0};
	uint64_t size = 0;
	for (uint64_t off = 0, next; off < s->size; off = next) {
		uint32_t len[5] = {0};
		next = off + 1 + draw(12);
		if (next > s->size)
			next = s->size;
		len[0] = draw(3);
		len[1] = draw(4) ? 0 : draw(16);
		len[2] = draw(4) ? 0 : draw(300);
		len[3] = draw(8);
		for (size_t i = 0; i < 5; size += len[i++])
			vec_push(&list,
				(struct frag){.old = off,
					.new = size,
					.runs = runs[i],
					.kind = runs[i] == RUNS_OLD ? FRAG_KEPT : FRAG_INSERTED});
		size += next - off;
	}
	uint32_t tail = draw(20);
	vec_push(&list,
		(struct frag){.old = s->size, .new = size, .runs = RUN_PAST, .kind = FRAG_ALIGN});
	size += tail;
	vec_push(&list, (struct frag){.old = s->size, .new = size, .runs = RUNS_OLD});
	s->map = arena_new(o->arena, struct addrmap);
	*s->map = (struct addrmap){.frag = list.v,
		.n = list.n,
		.old_size = s->size,
		.new_size = size};
	s->rewritten = true;
	s->out = arena_alloc(o->arena, size);
	s->out_size = size;
}

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
	const struct target *t = target_find(o->machine);
	if (!t)
		fatal("%s: not for this machine", in);
	fix_check(o, t->reloc_info);
	state = seed;
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
