/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols.c - local functions of the symbol table, to distinguish functions of one name
 */
#include "report/read/symbols.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

static int compare_places(const struct local_symbol *x, const struct local_symbol *y)
{
	return (x->address > y->address) - (x->address < y->address);
}

/* By name and file. */
static int compare_file(const void *a, const void *b)
{
	const struct local_symbol *x = a, *y = b;
	int names = strcmp(x->name, y->name), files = strcmp(x->file, y->file);
	return names ? names : files ? files : compare_places(x, y);
}

static int compare_address(const void *a, const void *b)
{
	const struct local_symbol *x = a, *y = b;
	int places = compare_places(x, y);
	return places ? places : strcmp(x->name, y->name);
}

static bool same_name(const struct local_symbols *s, size_t i, size_t j)
{
	return j < s->n && !strcmp(s->v[i].name, s->v[j].name);
}

static void number(struct local_symbols *s)
{
	qsort(s->v, s->n, sizeof *s->v, compare_file);
	for (size_t i = 0; i < s->n; i++) {
		bool again = i && same_name(s, i, i - 1), more = same_name(s, i, i + 1);
		s->v[i].alone = !again && !more;
		s->v[i].number = again && !strcmp(s->v[i].file, s->v[i - 1].file)
			? s->v[i - 1].number + 1
			: 1;
	}
	qsort(s->v, s->n, sizeof *s->v, compare_address);
}

static void read_symbols(struct local_symbols *s, Elf *e, Elf_Scn *section, uint32_t names)
{
	Elf_Data *d = elf_getdata(section, NULL);
	GElf_Sym sym;
	const char *file = "";
	size_t n = d ? d->d_size / gelf_fsize(e, ELF_T_SYM, 1, EV_CURRENT) : 0;
	s->v = NEW_ARRAY(struct local_symbol, n);
	for (size_t i = 0; i < n && gelf_getsym(d, (int)i, &sym); i++) {
		const char *name = elf_strptr(e, names, sym.st_name);
		if (!name || GELF_ST_BIND(sym.st_info) != STB_LOCAL)
			continue;
		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			file = name;
		if (GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_shndx != SHN_UNDEF)
			s->v[s->n++] = (struct local_symbol){name, file, sym.st_value, 0, false};
	}
}

struct local_symbols local_symbols(const struct program *p)
{
	struct local_symbols s = {0};
	GElf_Shdr sh;
	/* stays open, because it owns the names */
	Elf *e = elf_memory((char *)p->file.data, p->file.size);
	for (Elf_Scn *c = NULL; e && (c = elf_nextscn(e, c));)
		if (gelf_getshdr(c, &sh) && sh.sh_type == SHT_SYMTAB)
			read_symbols(&s, e, c, sh.sh_link);
	if (!s.v)
		die("%s: no symbol table, which distinguishes functions of one name", p->path);
	number(&s);
	return s;
}

const struct local_symbol *local_symbol(const struct local_symbols *s, const struct map_func *f)
{
	struct local_symbol key = {.name = f->name, .address = f->address};
	return s->n ? bsearch(&key, s->v, s->n, sizeof *s->v, compare_address) : NULL;
}
