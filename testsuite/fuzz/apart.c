/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apart.c - memory of its own for each thing the linker's side reads or makes
 *
 * An arena and a mapped file put things side by side, where a sanitizer does not
 * see a step from one into the next.
 */
#include "fuzz.h"

#include "reloc/object.h"
#include "targets/target.h"

#include <stdlib.h>

void *__real_arena_alloc(struct arena *a, size_t size);
void *__wrap_arena_alloc(struct arena *a, size_t size);
void *__wrap_arena_alloc(struct arena *a, size_t size)
{
	void *p = fuzz_running && size < SIZE_MAX / 2 ? calloc(1, size) : NULL;
	return p ? p : __real_arena_alloc(a, size);
}

/* Effects of instructions are kept from one input to the next. */
uint32_t __real_effects_number(const struct effects *e);
uint32_t __wrap_effects_number(const struct effects *e);
uint32_t __wrap_effects_number(const struct effects *e)
{
	bool running = fuzz_running;
	fuzz_running = false;
	uint32_t number = __real_effects_number(e);
	fuzz_running = running;
	return number;
}

struct object *__real_object_read(struct arena *a, const char *path);
struct object *__wrap_object_read(struct arena *a, const char *path);
struct object *__wrap_object_read(struct arena *a, const char *path)
{
	struct object *o = __real_object_read(a, path);
	for (size_t i = 1; fuzz_running && i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		uint8_t *copy = s->data ? malloc(s->size) : NULL;
		if (!copy)
			continue;
		memcpy(copy, s->data, s->size);
		s->data = copy;
	}
	return o;
}
