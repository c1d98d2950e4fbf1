/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linkage.c - dynamic linkage; see linkage.h
 */
#include "report/read/linkage.h"

#include "base/base.h"
#include "targets/platform.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

struct linking {
	const struct program *p;
	const struct platform *on;
	Elf *e; /* stays open, because it owns the names */
	VEC(struct slot) slot;
	VEC(struct export) export;
};

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

static int compare_exports(const void *a, const void *b)
{
	const struct export *x = a, *y = b;
	int names = strcmp(x->name, y->name);
	return names ? names : (x->address > y->address) - (x->address < y->address);
}

/* The name of a symbol; the table's header gives its string table. */
static const char *symbol_name(struct linking *l, size_t table, size_t number, GElf_Sym *sym)
{
	GElf_Shdr sh;
	Elf_Scn *s = elf_getscn(l->e, table);
	Elf_Data *d = s ? elf_getdata(s, NULL) : NULL;
	if (!d || !gelf_getshdr(s, &sh) || !gelf_getsym(d, (int)number, sym))
		return NULL;
	return elf_strptr(l->e, sh.sh_link, sym->st_name);
}

static void read_slots(struct linking *l, Elf_Scn *s, const GElf_Shdr *sh)
{
	Elf_Data *d = elf_getdata(s, NULL);
	GElf_Rela r;
	GElf_Sym sym;
	for (int i = 0; d && gelf_getrela(d, i, &r); i++) {
		size_t number = GELF_R_SYM(r.r_info);
		struct slot slot = {.address = r.r_offset};
		if (number)
			slot.name = symbol_name(l, sh->sh_link, number, &sym);
		else if (GELF_R_TYPE(r.r_info) == l->on->relative)
			slot.value = (uint64_t)r.r_addend;
		vec_push(&l->slot, slot);
	}
}

static void read_exports(struct linking *l, size_t table, Elf_Scn *s)
{
	GElf_Sym sym;
	Elf_Data *d = elf_getdata(s, NULL);
	size_t n = d ? d->d_size / gelf_fsize(l->e, ELF_T_SYM, 1, EV_CURRENT) : 0;
	for (size_t i = 1; i < n; i++) {
		const char *name = symbol_name(l, table, i, &sym);
		if (name && sym.st_shndx != SHN_UNDEF && GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			vec_push(&l->export, (struct export){name, sym.st_value});
	}
}

struct linkage linkage_read(const struct program *p)
{
	struct linking l = {.p = p, .on = p->on};
	GElf_Shdr sh;
	l.e = elf_memory((char *)p->file.data, p->file.size);
	for (Elf_Scn *s = NULL; l.on && l.e && (s = elf_nextscn(l.e, s));) {
		if (!gelf_getshdr(s, &sh) || !(sh.sh_flags & SHF_ALLOC))
			continue;
		if (sh.sh_type == SHT_RELA)
			read_slots(&l, s, &sh);
		else if (sh.sh_type == SHT_DYNSYM)
			read_exports(&l, elf_ndxscn(s), s);
	}
	if (l.slot.n)
		qsort(l.slot.v, l.slot.n, sizeof *l.slot.v, compare_slots);
	if (l.export.n)
		qsort(l.export.v, l.export.n, sizeof *l.export.v, compare_exports);
	return (struct linkage){l.slot.v, l.slot.n, l.export.v, l.export.n};
}

const struct slot *linkage_slot(const struct linkage *l, uint64_t address)
{
	struct slot key = {.address = address};
	return l->nslots ? bsearch(&key, l->slot, l->nslots, sizeof key, compare_slots) : NULL;
}

uint64_t linkage_export(const struct linkage *l, const char *name)
{
	size_t i;
	BISECT(i, 0, l->nexports, strcmp(l->export[i].name, name) < 0);
	return i < l->nexports && !strcmp(l->export[i].name, name) ? l->export[i].address : 0;
}
