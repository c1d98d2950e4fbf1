/* SPDX-License-Identifier: Apache-2.0 */
/* Relocations and symbols after layout, on an object made here. */
#include "reloc/fix.h"

#include "targets/target.h"

#include <stdlib.h>

static int bad;

static void check(const char *what, int64_t got, int64_t want)
{
	if (got == want)
		return;
	printf("%s: %lld, not %lld\n", what, (long long)got, (long long)want);
	bad++;
}

/*
 * Code of 0x40 bytes.  At 0x10: 2 bytes that fall through, 6 of padding, 7 for
 * the function, 7 for the block; at 0x20 what stands there is 3 longer; at the
 * end 16 bytes belong to whatever comes next.
 */
static struct frag list[] = {
	{.old = 0x00, .new = 0x00, .kind = FRAG_KEPT, .runs = RUNS_OLD},
	{.old = 0x10, .new = 0x10, .kind = FRAG_INSERTED, .runs = RUNS_FALL, .len = 2},
	{.old = 0x10, .new = 0x12, .kind = FRAG_ALIGN, .runs = RUN_PAST, .len = 6},
	{.old = 0x10, .new = 0x18, .kind = FRAG_INSERTED, .runs = RUNS_ENTRY, .len = 7},
	{.old = 0x10, .new = 0x1f, .kind = FRAG_INSERTED, .runs = RUNS_ALL, .len = 7},
	{.old = 0x10, .new = 0x26, .kind = FRAG_KEPT, .runs = RUNS_OLD},
	{.old = 0x20, .new = 0x36, .kind = FRAG_RESIZED, .runs = RUNS_OLD, .len = 5},
	{.old = 0x22, .new = 0x3b, .kind = FRAG_KEPT, .runs = RUNS_OLD},
	{.old = 0x40, .new = 0x59, .kind = FRAG_ALIGN, .runs = RUN_PAST, .len = 16},
	{.old = 0x40, .new = 0x69, .kind = FRAG_KEPT, .runs = RUNS_OLD},
};
static struct addrmap map = {
	.frag = list, .n = sizeof list / sizeof *list, .old_size = 0x40, .new_size = 0x69};
static const uint8_t zeros[0x40];

enum { TEXT = 1, DATA, OTHER };
enum { SYM_TEXT = 1, SYM_FOO, SYM_END, SYM_OTHER, SYM_UNDEF };

static struct object *make(struct arena *a)
{
	struct object *o = arena_new(a, struct object);
	o->arena = a;
	o->path = "test";
	o->machine = EM_X86_64;
	o->reloc_info = target_find(EM_X86_64, 8, false)->reloc_info;
	vec_push(&o->sec, (struct section){.name = ""});
	object_add_section(o,
		&(struct section){.name = ".text",
			.type = SHT_PROGBITS,
			.flags = SHF_ALLOC | SHF_EXECINSTR,
			.size = 0x40,
			.data = zeros,
			.map = &map});
	object_add_section(o,
		&(struct section){.name = ".data",
			.type = SHT_PROGBITS,
			.flags = SHF_ALLOC,
			.size = 0x40,
			.data = zeros});
	object_add_section(o,
		&(struct section){.name = ".rodata",
			.type = SHT_PROGBITS,
			.flags = SHF_ALLOC,
			.size = 0x40,
			.data = zeros});
	vec_push(&o->sym, (struct symbol){.name = ""});
	uint8_t section = ELF64_ST_INFO(STB_LOCAL, STT_SECTION);
	uint8_t func = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	vec_push(&o->sym, (struct symbol){.name = "", .sec = TEXT, .info = section});
	vec_push(&o->sym,
		(struct symbol){.name = "foo",
			.sec = TEXT,
			.info = func,
			.value = 0x10,
			.size = 0x30});
	vec_push(&o->sym, (struct symbol){.name = "end", .sec = TEXT, .info = func, .value = 0x40});
	vec_push(&o->sym, (struct symbol){.name = "", .sec = OTHER, .info = section});
	vec_push(&o->sym, (struct symbol){.name = "undef", .info = func});
	return o;
}

/* Of a field of 4 bytes at the end of an instruction. */
static int64_t pc_addend(const struct object *o, const struct section *s, struct reloc *r,
	enum ref_use use)
{
	r->type = R_X86_64_PC32;
	struct ref ref = fix_ref(o, r, 4, use);
	r->type = R_X86_64_64;
	return fix_ref_reloc(o, s, &ref).addend;
}

static void test_addends(const struct object *o)
{
	const struct section *s = &o->sec.v[OTHER], debug = {.name = ".debug_info"};
	struct reloc r = {.sym = SYM_TEXT, .addend = 0x10, .type = R_X86_64_64};
	check("section entry", fix_reloc(o, s, &r, REF_ADDRESS).addend, 0x18);
	check("section branch", fix_reloc(o, s, &r, REF_BRANCH).addend, 0x1f);
	check("section at", fix_reloc(o, s, &r, REF_EXACT).addend, 0x26);
	check("section end", fix_reloc(o, s, &r, REF_RANGE_END).addend, 0x10);
	r.addend = 0x10 - 4;
	check("section pc-relative", pc_addend(o, s, &r, REF_ADDRESS), 0x18 - 4);
	r.addend = 0x40;
	check("end of section", fix_reloc(o, s, &r, REF_ADDRESS).addend, 0x59);
	r.addend = 0x45;
	check("behind the section", fix_reloc(o, &debug, &r, REF_ADDRESS).addend, 0x5e);
	r = (struct reloc){.sym = SYM_FOO, .type = R_X86_64_64};
	check("symbol", fix_reloc(o, s, &r, REF_ADDRESS).addend, 0);
	check("symbol branch", fix_reloc(o, s, &r, REF_BRANCH).addend, 7);
	r.addend = 4;
	check("symbol + 4", fix_reloc(o, s, &r, REF_ADDRESS).addend, 0x26 + 4 - 0x18);
	r.addend = 0x14;
	check("symbol + 0x14", fix_reloc(o, s, &r, REF_ADDRESS).addend, 0x36 + 3 + 4 - 0x18);
	r.addend = -4;
	check("call", pc_addend(o, s, &r, REF_ADDRESS), -4);
	r = (struct reloc){.sym = SYM_END, .type = R_X86_64_64};
	check("end symbol", fix_reloc(o, s, &r, REF_ADDRESS).addend, 0);
	r = (struct reloc){.sym = SYM_OTHER, .addend = 0x17, .type = R_X86_64_64};
	check("unchanged section", fix_reloc(o, s, &r, REF_ADDRESS).addend, 0x17);
	r = (struct reloc){.sym = SYM_UNDEF, .addend = -4};
	check("undefined symbol", pc_addend(o, s, &r, REF_ADDRESS), -4);
	r = (struct reloc){.sym = SYM_FOO, .addend = 4, .type = R_X86_64_GOTPCREL};
	check("GOT entry", fix_reloc(o, s, &r, REF_ADDRESS).addend, 4);
	struct ref ref = fix_ref(o, &r, 0, REF_ADDRESS);
	check("label of a GOT entry", ref.sec == TEXT && ref.off == 0x10, 1);
	r.type = R_X86_64_GOTPC32;
	check("label of the GOT", fix_ref(o, &r, 0, REF_ADDRESS).sec, 0);
}

/* Number 1 is an entry of a table that starts 8 bytes before it. */
static struct ref table_ref(const void *ctx, const struct section *s, uint32_t rel)
{
	const struct reloc *r = &s->rel[rel];
	return rel == 1 ? fix_ref(ctx, r, -8, REF_TABLE) : fix_ref(ctx, r, 0, REF_ADDRESS);
}

static void test_data(struct object *o)
{
	struct section *s = &o->sec.v[DATA];
	struct reloc rel[] = {
		{.off = 0x00, .addend = 0x20, .type = R_X86_64_64, .sym = SYM_TEXT},
		{.off = 0x18, .addend = 0x10 + 8, .type = R_X86_64_PC32, .sym = SYM_TEXT},
		{.off = 0x20, .addend = 0x20, .type = R_X86_64_SIZE64, .sym = SYM_TEXT},
	};
	s->rel = rel;
	s->nrel = 3;
	vec_push(&o->part, DATA);
	vec_push(&o->part, DATA + 1);
	fix_check(o, target_find(EM_X86_64, 8, false)->reloc_info);
	fix_data_section(o->arena, o, s, table_ref, o);
	check("relocations", s->out_nrel, 3);
	check("absolute", s->out_rel[0].addend, 0x36);
	check("table entry", s->out_rel[1].addend, 0x1f + 8);
	check("size", s->out_rel[2].addend, 0x20);
	check("contents", s->rewritten && s->out_size == 0x40 && s->out == s->data, 1);
	s->nrel = 0;
}

static void test_symbols(struct object *o)
{
	fix_symbols(o);
	check("section symbol", (int64_t)o->sym.v[SYM_TEXT].value, 0);
	check("function", (int64_t)o->sym.v[SYM_FOO].value, 0x18);
	check("function size", (int64_t)o->sym.v[SYM_FOO].size, 0x59 - 0x18);
	check("symbol at the end", (int64_t)o->sym.v[SYM_END].value, 0x59);
	check("without size", (int64_t)o->sym.v[SYM_END].size, 0);
}

int main(void)
{
	struct arena a = {0};
	struct object *o = make(&a);
	test_addends(o);
	test_data(o);
	test_symbols(o);
	printf("%d bad\n", bad);
	return bad != 0;
}
