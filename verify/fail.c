/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail.c - messages about what is wrong
 */
#include "verify/state.h"

#include "base/shown.h"

#include <stdarg.h>
#include <stdlib.h>

/* The last function symbol at or before x; slow, for failures only. */
static const char *function_name(const struct verify *v, uint32_t sec, uint64_t x)
{
	const struct symbol *best = NULL;
	for (size_t i = 1; i < v->a->sym.n; i++) {
		const struct symbol *s = &v->a->sym.v[i];
		unsigned type = symbol_type(s);
		if (s->sec == sec && s->value <= x && type != STT_SECTION && type != STT_OBJECT &&
			s->name[0] && (!best || s->value >= best->value))
			best = s;
	}
	return best ? best->name : NULL;
}

void vfail(struct verify *v, const struct section *s, uint64_t x, const char *fmt, ...)
{
	va_list ap;
	char *text;
	if (++v->failures > MAX_SHOWN)
		return;
	fprintf(v->report, "ldx: verify: %s: ", shown(place_name(&v->arena, s, x)));
	const char *name = section_is_code(s) ? function_name(v, s->index, x) : NULL;
	if (name)
		fprintf(v->report, "in function %s: ", shown(name));
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0) {
		put_shown(v->report, text);
		free(text);
	}
	va_end(ap);
	fputc('\n', v->report);
}
