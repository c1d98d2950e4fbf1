/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - compare the output with the reference
 *
 * The same linker made both, so all facts must be the same but for what the runtime adds, which is
 * allowed by name.
 */
#include "ldwrap/facts.h"

#include "runtime/abi.h"

#include <stdlib.h>

struct side {
	struct reading r;
	uint32_t *twin; /* of each fact: the index of the same fact on the other side + 1, or 0 */
	bool row;	/* threads find their counters by a word */
};

/* What the runtime adds --------------------------------------------------------- */

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static bool is_listed(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

/* Is it of the runtime, or of the rewriter?  In mode none only the latter adds any. */
static bool is_ours(const char *name, bool runtime)
{
	return begins(name, ".ldx") || begins(name, ".rela.ldx") || begins(name, ".rel.ldx") ||
		begins(name, "__start_.ldx") || !strcmp(name, "__ldx_tables") ||
		(runtime && (begins(name, "__ldx_") || begins(name, "ldx_")));
}

/*
 * The name of a group of sections, of which joining the objects keeps this symbol, or a constant of
 * an object that has no contents, whose symbols GNU ld leaves out.  Nothing refers to them.
 */
static bool is_constant(const struct fact *f)
{
	return f->kind == FACT_LOCAL && begins(f->value, "local untyped absolute 0");
}

/* Sections of which a program may have none, but the runtime has a part. */
static const char *const usual_sections[] = {".text", ".rodata", ".data", ".bss", ".data.rel.ro",
	".eh_frame", ".eh_frame_hdr", ".init_array", ".fini_array", ".iplt", ".rela.dyn",
	".rel.dyn", ".relr.dyn", ".rela.plt", ".got", ".got.plt", ".plt", NULL};

/* And elements of the dynamic section by which the loader finds them. */
static const char *const usual_tags[] = {"RELA", "RELASZ", "RELAENT", "RELACOUNT", "REL", "RELSZ",
	"RELENT", "RELCOUNT", "RELR", "RELRSZ", "RELRENT", "INIT_ARRAY", "INIT_ARRAYSZ",
	"FINI_ARRAY", "FINI_ARRAYSZ", NULL};

/* Such a section, a part of one that a linker or a script keeps apart, or the relocations of these.
 */
static bool is_usual(const char *name)
{
	size_t skip = begins(name, ".rela.") ? 5 : begins(name, ".rel.") ? 4 : 0;
	for (const char *const *usual = usual_sections; *usual; usual++) {
		size_t n = strlen(*usual);
		if (!strncmp(name + skip, *usual, n) && (!name[skip + n] || name[skip + n] == '.'))
			return true;
	}
	return is_listed(usual_sections, name);
}

/* Of --emit-relocs: those of debug information, which the reference lacks, and of counters. */
static bool is_emitted(const struct fact *f, bool runtime)
{
	return f->kind == FACT_SECTION && (runtime || strstr(f->key, ".debug")) &&
		(begins(f->value, "type 0x4, flags I") || begins(f->value, "type 0x9, flags I"));
}

/* The size and the alignment of a thread-local segment. */
static bool read_tls(const char *value, uint64_t *size, uint64_t *align)
{
	static const char first[] = "R, size ", second[] = ", alignment ";
	char *end;
	if (!begins(value, first))
		return false;
	*size = strtoull(value + sizeof first - 1, &end, 16);
	if (!begins(end, second))
		return false;
	*align = strtoull(end + sizeof second - 1, NULL, 16);
	return true;
}

/* Are there more words, where a thread finds its counters, and padding? */
static bool grows_by_row(const char *from, const char *to)
{
	enum { WORD = 8, MOST = WORD * (LDX_ROW_WORDS + 1) };
	uint64_t x, y, xalign, yalign;
	if (!read_tls(from, &x, &xalign) || !read_tls(to, &y, &yalign))
		return false;
	uint64_t align = xalign > WORD ? xalign : WORD;
	return yalign == align && y >= x && y - x < MOST + 2 * align;
}

/* again: so is the one before it */
static bool may_add(const struct side *s, const struct fact *f, bool again, bool runtime)
{
	if (is_ours(f->key, runtime) || is_constant(f) || is_emitted(f, runtime))
		return true;
	if (!runtime)
		return false;
	switch (f->kind) {
	case FACT_SEGMENT:
		return !strcmp(f->key, "GNU_EH_FRAME") || begins(f->key, "LOAD ") ||
			!strcmp(f->key, "GNU_RELRO") ||
			(s->row && !strcmp(f->key, "TLS") &&
				grows_by_row("R, size 0, alignment 0", f->value));
	case FACT_SECTION: return is_usual(f->key) || (s->row && !strcmp(f->key, ".tdata"));
	case FACT_DYNAMIC: return is_listed(usual_tags, f->key);
	/* GNU ld has one of each section on some CPUs */
	case FACT_SYMBOL: return begins(f->value, "local section");
	/* the names in it are not exported */
	case FACT_LOCAL: return true;
	/* the name of .got, which is not local on MIPS */
	case FACT_GLOBAL: return !strcmp(f->key, "_GLOBAL_OFFSET_TABLE_");
	case FACT_INIT:
	case FACT_RESOLVER:
		return begins(f->value, "__ldx_") || (!again && !strcmp(f->value, FACT_NAMELESS));
	default: return false;
	}
}

/* The section of what a linker script calls an absolute address, or "". */
static const char *address_of(const struct side *s, const struct fact *f)
{
	static const char absolute[] = " absolute 0x";
	const char *at = strstr(f->value, absolute);
	if (!at || (f->kind != FACT_SYMBOL && f->kind != FACT_GLOBAL && f->kind != FACT_LOCAL))
		return "";
	uint64_t addr = strtoull(at + strlen(absolute), NULL, 16);
	const Elf64_Shdr *sh = image_section_at(&s->r.im, addr);
	return sh ? image_section_name(&s->r.im, sh) : "";
}

/* Differences that follow from what is added. */
static bool may_differ(const struct side *s, const struct fact *x, const struct side *t,
	const struct fact *y, bool runtime)
{
	const char *in = address_of(s, x);
	if (*in && !strcmp(in, address_of(t, y)))
		return true;
	if (t->row && x->kind == FACT_SEGMENT && !strcmp(x->key, "TLS") &&
		grows_by_row(x->value, y->value))
		return true;
	/* where the thread-local segment begins */
	if (t->row && x->kind == FACT_LOCAL && !strcmp(x->key, "_TLS_MODULE_BASE_"))
		return true;
	/* that of GNU, because of a resolver */
	return runtime && x->kind == FACT_HEADER && !strcmp(x->key, "OS ABI") &&
		!strcmp(x->value, "0") && !strcmp(y->value, "0x3");
}

/* The user's object refers to a control, which the runtime defines. */
static bool is_no_fact(const struct fact *f)
{
	static const char *const controls[] = {LDX_CONTROLS};
	/* what fills them, relocations by symbols, is compared */
	static const char *const made[] = {".plt.got", ".plt.sec", NULL};
	if (f->kind == FACT_SECTION && is_listed(made, f->key))
		return true;
	const char *by = f->kind == FACT_RELOCATION ? strstr(f->key, " by ") : NULL;
	if (by)
		return is_listed(controls, by + 4);
	return (f->kind == FACT_SYMBOL || f->kind == FACT_GLOBAL || f->kind == FACT_LOCAL) &&
		is_listed(controls, f->key);
}

/* Matching ---------------------------------------------------------------------- */

static uint64_t fact_hash(const struct fact *f)
{
	uint64_t h = 0xcbf29ce484222325 + f->kind;
	for (const char *p = f->key; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3;
	for (const char *p = f->value; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3;
	return h ^ h >> 29;
}

static bool same_fact(const struct fact *x, const struct fact *y)
{
	return x->kind == y->kind && !strcmp(x->key, y->key) && !strcmp(x->value, y->value);
}

/*
 * Finds the twins.  Equal facts of one side are linked in a list, in the order of the file, and
 * taken one by one.
 */
static void match(struct arena *a, struct side *x, struct side *y)
{
	size_t n = x->r.facts.n, size = 16;
	while (size < 2 * n)
		size *= 2;
	uint32_t *first = calloc(size, sizeof *first), *next = calloc(n + 1, sizeof *next);
	x->twin = arena_array(a, uint32_t, n + 1);
	y->twin = arena_array(a, uint32_t, y->r.facts.n + 1);
	for (size_t i = n; i--;) {
		size_t slot = fact_hash(&x->r.facts.v[i]) & (size - 1);
		next[i] = first[slot];
		first[slot] = (uint32_t)i + 1;
	}
	for (size_t k = 0; k < y->r.facts.n; k++) {
		const struct fact *f = &y->r.facts.v[k];
		uint32_t *at = &first[fact_hash(f) & (size - 1)];
		while (*at && !same_fact(&x->r.facts.v[*at - 1], f))
			at = &next[*at - 1];
		if (*at) {
			x->twin[*at - 1] = (uint32_t)k + 1;
			y->twin[k] = *at;
			*at = next[*at - 1];
		}
	}
	free(first);
	free(next);
}

/* Words ------------------------------------------------------------------------- */

static const char *const nouns[FACT_KINDS] = {
	[FACT_HEADER] = "the file's",
	[FACT_SEGMENT] = "the segment",
	[FACT_DYNAMIC] = "the dynamic section's",
	[FACT_DEFINITION] = "the defined version",
	[FACT_NEED] = "the needed version",
	[FACT_SYMBOL] = "the dynamic symbol",
	[FACT_RELOCATION] = "the dynamic relocation",
	[FACT_RESOLVER] = "the resolver of a function in",
	[FACT_GLOBAL] = "the global symbol",
	[FACT_LOCAL] = "the local symbol",
	[FACT_INIT] = "the function in",
	[FACT_NOTE] = "the note",
	[FACT_SECTION] = "the section",
};

static const char *in_words(struct arena *a, const struct fact *f)
{
	return arena_printf(a, "%s %s%s%s%s", nouns[f->kind], f->key, *f->value ? " (" : "",
		f->value, *f->value ? ")" : "");
}

static int compare_facts(const void *a, const void *b)
{
	const struct fact *x = a, *y = b;
	int order = x->kind < y->kind ? -1 : x->kind > y->kind;
	if (!order)
		order = strcmp(x->key, y->key);
	return order ? order : strcmp(x->value, y->value);
}

static void lonely(const struct side *s, fact_vec *found)
{
	for (size_t i = 0; i < s->r.facts.n; i++)
		if (!s->twin[i] && !is_no_fact(&s->r.facts.v[i]))
			vec_push(found, s->r.facts.v[i]);
	sort(found->v, found->n, sizeof *found->v, compare_facts);
}

/* What is on one side only; facts with the same key are one difference. */
static void say_lonely(struct arena *a, const struct side *x, const struct side *y, bool runtime,
	strings *said)
{
	fact_vec u = {0}, v = {0};
	lonely(x, &u);
	lonely(y, &v);
	for (size_t i = 0, k = 0; i < u.n || k < v.n;) {
		const struct fact *p = i < u.n ? &u.v[i] : NULL, *q = k < v.n ? &v.v[k] : NULL;
		bool again = q && k && same_fact(q, q - 1);
		int order = !q		     ? -1
			: !p		     ? 1
			: p->kind != q->kind ? (int)p->kind - (int)q->kind
					     : strcmp(p->key, q->key);
		i += order <= 0;
		k += order >= 0;
		if (!order && may_differ(x, p, y, q, runtime))
			continue;
		if (!order)
			vec_push(said, arena_printf(a, "%s is (%s)", in_words(a, p), q->value));
		else if (order < 0)
			vec_push(said, arena_printf(a, "%s is missing", in_words(a, p)));
		else if (!may_add(y, q, again, runtime))
			vec_push(said, arena_printf(a, "%s is new", in_words(a, q)));
	}
	vec_free(&u);
	vec_free(&v);
}

/* Of ordered kinds the twins follow one another on both sides. */
static void say_orders(struct arena *a, const struct side *x, const struct side *y, strings *said)
{
	uint32_t last[FACT_KINDS] = {0};
	for (size_t i = 0; i < x->r.facts.n; i++) {
		const struct fact *f = &x->r.facts.v[i];
		uint32_t twin = x->twin[i], *before = &last[f->kind];
		if (!twin || !fact_ordered(f->kind))
			continue;
		if (twin < *before)
			vec_push(said,
				arena_printf(a, "%s comes before %s", in_words(a, f),
					in_words(a, &y->r.facts.v[*before - 1])));
		*before = twin;
	}
}

bool check_all(struct arena *a, const char *reference, const char *output, bool runtime, bool row,
	strings *said)
{
	struct side x = {0}, y = {.row = row};
	bool read = facts_read(a, &x.r, reference) && facts_read(a, &y.r, output);
	if (read) {
		match(a, &x, &y);
		say_lonely(a, &x, &y, runtime, said);
		say_orders(a, &x, &y, said);
	}
	facts_free(&x.r);
	facts_free(&y.r);
	return read;
}

const char *check_same(struct arena *a, const char *reference, const char *output, bool runtime,
	bool row)
{
	strings said = {0};
	const char *first = NULL;
	if (!check_all(a, reference, output, runtime, row, &said))
		first = "an output file cannot be read";
	else if (said.n)
		first = said.v[0];
	vec_free(&said);
	return first;
}
