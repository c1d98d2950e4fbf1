/* SPDX-License-Identifier: Apache-2.0 */
/* facts_relocs.c - facts about dynamic relocations, initialisers and finalisers; see facts.h */
#include "ldwrap/facts.h"

#include "targets/platform.h"
#include "targets/relinfo.h"

#include <inttypes.h>
#include <stdlib.h>

/* The words of initialisers and finalisers of one section. */
struct array {
	const Elf64_Shdr *sh;
	const char *name;
	struct slot {
		uint64_t addr;
		const char *symbol; /* of another file; or NULL */
	} * slots;
	uint64_t n;
};
typedef VEC(struct array) array_vec;

static bool is_array(const char *name, uint32_t type)
{
	return type == SHT_PREINIT_ARRAY || type == SHT_INIT_ARRAY || type == SHT_FINI_ARRAY ||
		!strcmp(name, ".ctors") || !strcmp(name, ".dtors");
}

static void find_arrays(struct reading *r, array_vec *found)
{
	const struct image *im = &r->im;
	unsigned word = im->form.word;
	for (size_t i = 1; i < im->sh.n; i++) {
		const Elf64_Shdr *sh = &im->sh.v[i];
		struct array x = {.sh = sh, .name = image_section_name(im, sh)};
		struct reader d = image_section(im, sh);
		if (!(sh->sh_flags & SHF_ALLOC) || !is_array(x.name, sh->sh_type))
			continue;
		x.n = (uint64_t)(d.end - d.p) / word;
		x.slots = arena_array(r->a, struct slot, x.n);
		for (uint64_t k = 0; k < x.n; k++)
			x.slots[k].addr = word == 8 ? read_u64(&d) : read_u32(&d);
		vec_push(found, x);
	}
}

static void facts_of_array(struct reading *r, const struct array *x)
{
	uint64_t none = r->im.form.word == 8 ? UINT64_MAX : UINT32_MAX;
	for (uint64_t k = 0; k < x->n; k++) {
		if (x->slots[k].symbol)
			fact_add(r, FACT_INIT, x->name, x->slots[k].symbol);
		else if (!x->slots[k].addr || x->slots[k].addr == none)
			fact_add(r, FACT_INIT, x->name, x->slots[k].addr ? "-1" : "0");
		else
			fact_add_function(r, FACT_INIT, x->name, x->slots[k].addr);
	}
}

/* Relocations ------------------------------------------------------------------------ */

struct relocations {
	array_vec arrays;
	bool resolvers, behind; /* of this table: some were seen; others followed */
};

static void set_slot(struct relocations *all, uint64_t place, unsigned word, struct slot value)
{
	for (size_t i = 0; i < all->arrays.n; i++) {
		struct array *x = &all->arrays.v[i];
		uint64_t k = (place - x->sh->sh_addr) / word;
		if (place >= x->sh->sh_addr && k < x->n)
			x->slots[k] = value;
	}
}

static const char *section_at(const struct reading *r, uint64_t addr)
{
	const Elf64_Shdr *sh = image_section_at(&r->im, addr);
	return sh ? image_section_name(&r->im, sh) : "no section";
}

static void fact_of_relocation(struct reading *r, struct relocations *all, const Elf64_Rela *rel,
	bool rela)
{
	uint32_t type = ELF64_R_TYPE(rel->r_info);
	const char *symbol = fact_symbol_name(r, ELF64_R_SYM(rel->r_info));
	unsigned word = r->im.form.word;
	if (r->on && type && type == r->on->irelative) {
		all->resolvers = true;
		fact_add_function(r, FACT_RESOLVER, section_at(r, rel->r_offset),
			(uint64_t)rel->r_addend);
		return;
	}
	all->behind |= all->resolvers;
	if (*symbol || (rela && r->on && type == r->on->relative))
		set_slot(all, rel->r_offset, word,
			(struct slot){(uint64_t)rel->r_addend, *symbol ? symbol : NULL});
	/* the runtime and the map have relocations by the load address too */
	if (!*symbol && (!type || (r->on && type == r->on->relative)))
		return;
	fact_add(r, FACT_RELOCATION,
		arena_printf(r->a, "of type %u by %s", type, *symbol ? symbol : "no symbol"),
		arena_printf(r->a, "in %s%s", section_at(r, rel->r_offset),
			*symbol && rel->r_addend
				? arena_printf(r->a, ", addend %#" PRIx64, (uint64_t)rel->r_addend)
				: ""));
}

static void facts_of_table(struct reading *r, struct relocations *all, const Elf64_Shdr *sh)
{
	const struct image *im = &r->im;
	struct reader d = image_section(im, sh);
	bool rela = sh->sh_type == SHT_RELA, bytes = relinfo_is_bytes(im->eh.e_machine);
	size_t size = rela ? ELF_SIZE(im->form, Rela) : ELF_SIZE(im->form, Rel);
	Elf64_Rela rel;
	all->resolvers = all->behind = false;
	for (; (size_t)(d.end - d.p) >= size; d.p += size) {
		elf_rela(im->form, rela, bytes, d.p, &rel);
		fact_of_relocation(r, all, &rel, rela);
	}
	/* a resolver may use what another relocation fills in */
	if (all->behind)
		fact_add(r, FACT_RELOCATION, "behind resolvers",
			arena_printf(r->a, "in %s", image_section_name(im, sh)));
}

void facts_of_relocations(struct reading *r)
{
	const struct image *im = &r->im;
	struct relocations all = {0};
	find_arrays(r, &all.arrays);
	for (size_t i = 1; i < im->sh.n; i++) {
		const Elf64_Shdr *sh = &im->sh.v[i];
		if (sh->sh_flags & SHF_ALLOC && (sh->sh_type == SHT_RELA || sh->sh_type == SHT_REL))
			facts_of_table(r, &all, sh);
	}
	for (size_t i = 0; i < all.arrays.n; i++)
		facts_of_array(r, &all.arrays.v[i]);
	vec_free(&all.arrays);
}
