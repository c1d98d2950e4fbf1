/* SPDX-License-Identifier: Apache-2.0 */
/* facts_symbols.c - facts about symbols and their versions; see facts.h */
#include "ldwrap/facts.h"

#include "targets/platform.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

/* Symbols ----------------------------------------------------------------------- */

static void symbol_at(const struct reading *r, const struct symbols *from, uint64_t i, Elf64_Sym *s)
{
	elf_sym(r->im.form, from->p + i * ELF_SIZE(r->im.form, Sym), s);
}

static const char *name_of(const struct symbols *from, const Elf64_Sym *s)
{
	return s->st_name < from->size ? from->names + s->st_name : "";
}

static const char *of_number(struct arena *a, const char *const *names, size_t n, unsigned x)
{
	return x < n && names[x] ? names[x] : arena_printf(a, "%u", x);
}

static const char *type_name(struct arena *a, unsigned type)
{
	static const char *const names[] = {[STT_NOTYPE] = "untyped",
		[STT_OBJECT] = "object",
		[STT_FUNC] = "function",
		[STT_SECTION] = "section",
		[STT_FILE] = "file",
		[STT_COMMON] = "common",
		[STT_TLS] = "thread-local object",
		[STT_GNU_IFUNC] = "indirect function"};
	return of_number(a, names, sizeof names / sizeof *names, type);
}

static const char *binding_name(struct arena *a, unsigned binding)
{
	static const char *const names[] = {[STB_LOCAL] = "local",
		[STB_GLOBAL] = "global",
		[STB_WEAK] = "weak",
		[STB_GNU_UNIQUE] = "unique"};
	return of_number(a, names, sizeof names / sizeof *names, binding);
}

static const char *visibility_name(unsigned visibility)
{
	static const char *const names[] = {[STV_DEFAULT] = "",
		[STV_INTERNAL] = " internal",
		[STV_HIDDEN] = " hidden",
		[STV_PROTECTED] = " protected"};
	return names[visibility];
}

static bool is_code(const struct reading *r, const Elf64_Sym *s)
{
	return s->st_shndx < r->im.sh.n && r->im.sh.v[s->st_shndx].sh_flags & SHF_EXECINSTR;
}

/* What linker scripts define between sections, or labels nothing: it is in the one or the other. */
static bool is_border(const char *name, const Elf64_Sym *s)
{
	static const char *const names[] = {"_end", "end", "_edata", "edata", "_etext", "etext",
		"__etext", "__bss_start", "__bss_start__", "__bss_end__", "_bss_end__", "__end__",
		"__BSS_END__", "__DATA_BEGIN__", "__SDATA_BEGIN__", "__global_pointer$", "_gp",
		"_fbss", "_fdata", "_ftext", "_DYNAMIC", "_GLOBAL_OFFSET_TABLE_",
		"_PROCEDURE_LINKAGE_TABLE_", "__TMC_END__",
		/* gcc's, of tables that are empty without code for other processors */
		"__offload_func_table", "__offload_funcs_end", "__offload_var_table",
		"__offload_vars_end"};
	unsigned type = ELF64_ST_TYPE(s->st_info);
	if ((type != STT_NOTYPE && type != STT_OBJECT) || s->st_size)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Where it is; with the address of what has the same one everywhere. */
static const char *symbol_place(const struct reading *r, const char *name, const Elf64_Sym *s)
{
	if (s->st_shndx != SHN_UNDEF && is_border(name, s))
		return "defined by the linker";
	switch (s->st_shndx) {
	case SHN_UNDEF:
		/* the address of a function of another file, for comparisons */
		return s->st_value ? "undefined, with an address" : "undefined";
	case SHN_ABS: return arena_printf(r->a, "absolute %#" PRIx64, s->st_value);
	case SHN_COMMON: return "common";
	}
	if (s->st_shndx >= r->im.sh.n)
		return arena_printf(r->a, "in section %#x", s->st_shndx);
	return arena_printf(r->a, "in %s", image_section_name(&r->im, &r->im.sh.v[s->st_shndx]));
}

/*
 * All about a symbol but its name and address.  Large programs have many symbols of few kinds, so
 * the words of some are kept.
 */
struct words {
	struct known {
		unsigned char info, other;
		uint16_t section;
		uint64_t size;
		const char *text;
	} known[1024];
};

static const char *symbol_words(const struct reading *r, struct words *w, const char *name,
	const Elf64_Sym *s)
{
	bool sized = s->st_shndx != SHN_UNDEF && !is_code(r, s);
	uint64_t size = sized ? s->st_size : 0;
	struct known *k =
		&w->known[(s->st_info * 31 + s->st_other * 7 + s->st_shndx * 67 + size) % 1024];
	bool keep = s->st_shndx != SHN_ABS && s->st_shndx != SHN_UNDEF && !is_border(name, s);
	if (keep && k->text && k->info == s->st_info && k->other == s->st_other &&
		k->section == s->st_shndx && k->size == size)
		return k->text;
	unsigned other = s->st_other & ~3U;
	bool local = ELF64_ST_BIND(s->st_info) == STB_LOCAL; /* then visibility has no meaning */
	const char *text = arena_printf(r->a, "%s%s %s %s%s%s",
		binding_name(r->a, ELF64_ST_BIND(s->st_info)),
		local ? "" : visibility_name(ELF64_ST_VISIBILITY(s->st_other)),
		type_name(r->a, ELF64_ST_TYPE(s->st_info)), symbol_place(r, name, s),
		size ? arena_printf(r->a, ", size %" PRIu64, size) : "",
		other ? arena_printf(r->a, ", other %#x", other) : "");
	if (keep)
		*k = (struct known){s->st_info, s->st_other, s->st_shndx, size, text};
	return text;
}

const char *fact_symbol_name(const struct reading *r, uint64_t i)
{
	Elf64_Sym s;
	bool hidden;
	if (i >= r->dynamic.n)
		return "";
	symbol_at(r, &r->dynamic, i, &s);
	const char *name = name_of(&r->dynamic, &s);
	const char *version = image_version(&r->im, i, &s, &hidden);
	if (!*version)
		return name;
	/* the loader looks for what is hidden only if the version is named */
	bool one = hidden || s.st_shndx == SHN_UNDEF;
	return arena_printf(r->a, "%s%s%s", name, one ? "@" : "@@", version);
}

/* What no one looks up: labels, also of the processor's ABI, and what stands for sections, files.
 */
static bool is_label(const char *name, const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);
	return type == STT_SECTION || type == STT_FILE || !*name || *name == '$' ||
		!strncmp(name, ".L", 2);
}

/*
 * A stub that the linker puts where a branch does not reach, or where the code at that place needs
 * one: no name of an object's local symbol has an @.  LLD names it __*Thunk_TARGET, or after the
 * erratum and the address.
 */
static bool is_stub(const char *name, const Elf64_Sym *s)
{
	static const char veneer[] = "_veneer", erratum[] = "__CortexA53843419_";
	size_t n = strlen(name), k = sizeof veneer - 1;
	return ELF64_ST_BIND(s->st_info) == STB_LOCAL && ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
		(strchr(name, '@') || (n > k && !strcmp(name + n - k, veneer)) ||
			(!strncmp(name, "__", 2) && strstr(name, "Thunk_")) ||
			!strncmp(name, erratum, sizeof erratum - 1));
}

/* Nothing can define it: gold keeps those to which only dropped debug information refers. */
static bool is_void(const Elf64_Sym *s)
{
	return s->st_shndx == SHN_UNDEF && ELF64_ST_VISIBILITY(s->st_other) == STV_HIDDEN;
}

/* Link-time optimisation names the debug information of each unit. */
static bool is_debug(const struct reading *r, const Elf64_Sym *s)
{
	const Elf64_Shdr *sh = s->st_shndx < r->im.sh.n ? &r->im.sh.v[s->st_shndx] : NULL;
	return s->st_shndx != SHN_UNDEF && sh && !(sh->sh_flags & SHF_ALLOC) &&
		fact_is_debug(image_section_name(&r->im, sh));
}

/*
 * Better names of one address come first: those of functions, which the end of another section is
 * not, global ones, then by the alphabet.
 */
static void name_functions(struct reading *r, const Elf64_Sym *s, const char *name)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);
	size_t i;
	if (type == STT_OBJECT || type == STT_TLS || s->st_shndx == SHN_UNDEF)
		return;
	BISECT(i, 0, r->unnamed.n, r->unnamed.v[i].addr < s->st_value);
	int rank = 1 + (ELF64_ST_BIND(s->st_info) != STB_LOCAL) +
		2 * (type == STT_FUNC || type == STT_GNU_IFUNC);
	for (; i < r->unnamed.n && r->unnamed.v[i].addr == s->st_value; i++) {
		struct unnamed *u = &r->unnamed.v[i];
		if (rank > u->rank || (rank == u->rank && strcmp(name, u->name) < 0)) {
			u->name = name;
			u->rank = rank;
		}
	}
}

static int compare_addresses(const void *a, const void *b)
{
	const struct unnamed *x = a, *y = b;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* What has a name and an extent, which another name of the same address therefore shares. */
static bool has_extent(const struct reading *r, const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);
	return s->st_size && s->st_shndx != SHN_UNDEF && s->st_shndx < r->im.sh.n &&
		(type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT ||
			type == STT_TLS);
}

/* The first name of each address that other files or objects can refer to. */
struct owner {
	uint64_t addr;
	uint16_t section;
	const char *name;
};
typedef VEC(struct owner) owner_vec;

static int compare_owners(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;
	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* full: their names with versions; NULL: those of the table. */
static owner_vec list_owners(const struct reading *r, const struct symbols *from,
	const char *const *full)
{
	owner_vec owners = {0};
	Elf64_Sym s;
	for (uint64_t i = 1; i < from->n; i++) {
		symbol_at(r, from, i, &s);
		if (ELF64_ST_BIND(s.st_info) != STB_LOCAL && has_extent(r, &s))
			vec_push(&owners,
				((struct owner){s.st_value, s.st_shndx,
					full ? full[i] : name_of(from, &s)}));
	}
	sort(owners.v, owners.n, sizeof *owners.v, compare_owners);
	return owners;
}

/* The words of a symbol; with its first other name, so that each name is one of the same thing. */
static const char *with_owner(const struct reading *r, const owner_vec *owners, const char *name,
	const Elf64_Sym *s, const char *words)
{
	const struct owner at = {s->st_value, s->st_shndx, ""};
	size_t i;
	if (!has_extent(r, s))
		return words;
	BISECT(i, 0, owners->n, compare_owners(&owners->v[i], &at) < 0);
	bool shared = i < owners->n && owners->v[i].addr == at.addr &&
		owners->v[i].section == at.section && strcmp(owners->v[i].name, name) != 0;
	return shared ? arena_printf(r->a, "%s, the same as %s", words, owners->v[i].name) : words;
}

static void facts_of_table(struct reading *r, struct words *w)
{
	owner_vec owners = list_owners(r, &r->table, NULL);
	Elf64_Sym s;
	sort(r->unnamed.v, r->unnamed.n, sizeof *r->unnamed.v, compare_addresses);
	for (uint64_t i = 1; i < r->table.n; i++) {
		symbol_at(r, &r->table, i, &s);
		const char *name = name_of(&r->table, &s);
		if (is_label(name, &s) || is_stub(name, &s) || is_void(&s) || is_debug(r, &s))
			continue;
		name_functions(r, &s, name);
		fact_add(r, ELF64_ST_BIND(s.st_info) == STB_LOCAL ? FACT_LOCAL : FACT_GLOBAL, name,
			with_owner(r, &owners, name, &s, symbol_words(r, w, name, &s)));
	}
	vec_free(&owners);
	for (size_t i = 0; i < r->unnamed.n; i++)
		r->facts.v[r->unnamed.v[i].fact].value = r->unnamed.v[i].name ? r->unnamed.v[i].name
									      : FACT_NAMELESS;
}

void facts_of_symbols(struct reading *r)
{
	const char **names = arena_array(r->a, const char *, r->dynamic.n + 1);
	struct words w = {0};
	Elf64_Sym s;
	for (uint64_t i = 1; i < r->dynamic.n; i++)
		names[i] = fact_symbol_name(r, i);
	owner_vec owners = list_owners(r, &r->dynamic, names);
	vec_reserve(&r->facts, r->facts.n + r->dynamic.n + r->table.n);
	for (uint64_t i = 1; i < r->dynamic.n; i++) {
		symbol_at(r, &r->dynamic, i, &s);
		fact_add(r, FACT_SYMBOL, names[i],
			with_owner(r, &owners, names[i], &s,
				symbol_words(r, &w, name_of(&r->dynamic, &s), &s)));
	}
	vec_free(&owners);
	facts_of_table(r, &w);
}

/* Versions ------------------------------------------------------------------------ */

/* The members of Elf*_Verdef, Verdaux, Verneed and Vernaux are the same in both classes. */
static void facts_of_definition(struct reading *r, struct reader v, uint64_t next_name)
{
	const struct image *im = &r->im;
	read_skip(&v, offsetof(Elf64_Verdef, vd_flags));
	unsigned flags = read_u16(&v), index = read_u16(&v), n = read_u16(&v);
	const char *parents = "", *name = "";
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *p = image_at(im, next_name, sizeof(Elf64_Verdaux));
		if (!p)
			break;
		const char *text = image_string(im, elf_word(im->form, p));
		if (i)
			parents = arena_printf(r->a, "%s, after %s", parents, text);
		else
			name = text;
		next_name += elf_word(im->form, p + offsetof(Elf64_Verdaux, vda_next));
	}
	/* that of the file is the soname, or else its name, or as some linkers do, the whole path
	 */
	if (flags & VER_FLG_BASE)
		name = base_name(name);
	fact_add(r, FACT_DEFINITION, name,
		arena_printf(r->a, "flags %#x, index %u%s", flags, index, parents));
}

static void facts_of_definitions(struct reading *r)
{
	const struct image *im = &r->im;
	uint64_t addr = image_value(im, DT_VERDEF);
	for (uint64_t n = image_value(im, DT_VERDEFNUM); n; n--) {
		const uint8_t *p = image_at(im, addr, sizeof(Elf64_Verdef));
		if (!p)
			break;
		struct reader v = reader_make(p, sizeof(Elf64_Verdef));
		v.big = im->form.big;
		facts_of_definition(r, v,
			addr + elf_word(im->form, p + offsetof(Elf64_Verdef, vd_aux)));
		uint32_t next = elf_word(im->form, p + offsetof(Elf64_Verdef, vd_next));
		if (!next)
			break;
		addr += next;
	}
}

static void facts_of_need(struct reading *r, const char *file, uint64_t addr, unsigned n)
{
	const struct image *im = &r->im;
	for (; n; n--) {
		const uint8_t *p = image_at(im, addr, sizeof(Elf64_Vernaux));
		if (!p)
			break;
		unsigned flags = elf_half(im->form, p + offsetof(Elf64_Vernaux, vna_flags));
		fact_add(r, FACT_NEED,
			arena_printf(r->a, "%s of %s",
				image_string(im,
					elf_word(im->form, p + offsetof(Elf64_Vernaux, vna_name))),
				file),
			arena_printf(r->a, "flags %#x", flags));
		addr += elf_word(im->form, p + offsetof(Elf64_Vernaux, vna_next));
	}
}

void facts_of_versions(struct reading *r)
{
	const struct image *im = &r->im;
	uint64_t addr = image_value(im, DT_VERNEED);
	facts_of_definitions(r);
	for (uint64_t n = image_value(im, DT_VERNEEDNUM); n; n--) {
		const uint8_t *p = image_at(im, addr, sizeof(Elf64_Verneed));
		if (!p)
			break;
		facts_of_need(r,
			image_string(im, elf_word(im->form, p + offsetof(Elf64_Verneed, vn_file))),
			addr + elf_word(im->form, p + offsetof(Elf64_Verneed, vn_aux)),
			elf_half(im->form, p + offsetof(Elf64_Verneed, vn_cnt)));
		uint32_t next = elf_word(im->form, p + offsetof(Elf64_Verneed, vn_next));
		if (!next)
			break;
		addr += next;
	}
}
