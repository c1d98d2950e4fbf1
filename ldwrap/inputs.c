/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inputs.c - kinds and contents of input files
 *
 * Just enough of ELF to choose a way to link.  The linker reports damaged files.
 */
#include "ldwrap/inputs.h"

#include "ldwrap/lld.h"
#include "ldwrap/sections.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_map(const char *path, struct bytes *b)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	*b = (struct bytes){0};
	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size) {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED)
			*b = (struct bytes){p, (size_t)st.st_size};
	}
	close(fd);
	return b->p;
}

void file_unmap(struct bytes b)
{
	if (b.p)
		munmap((void *)b.p, b.n);
}

bool bytes_write(int fd, struct bytes b)
{
	size_t done = 0;
	for (ssize_t k; done < b.n; done += (size_t)k)
		if ((k = write(fd, b.p + done, b.n - done)) <= 0)
			break;
	return done == b.n;
}

bool file_write(const char *path, struct bytes b)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	bool whole = bytes_write(fd, b);
	return !close(fd) && whole;
}

/* e_type of an ELF file of any class and byte order; ET_NONE if it is none. */
static unsigned elf_type(struct bytes b)
{
	if (b.n < EI_NIDENT + 4 || memcmp(b.p, ELFMAG, SELFMAG))
		return ET_NONE;
	return b.p[EI_DATA] == ELFDATA2MSB ? b.p[17] : b.p[16];
}

enum file_kind bytes_kind(struct bytes b)
{
	if (b.n >= 8 && (!memcmp(b.p, "!<arch>\n", 8) || !memcmp(b.p, "!<thin>\n", 8)))
		return KIND_ARCHIVE;
	if (b.n >= 4 && (!memcmp(b.p, "BC\xc0\xde", 4) || !memcmp(b.p, "\xde\xc0\x17\x0b", 4)))
		return KIND_BITCODE;
	if (b.n < 4 || memcmp(b.p, ELFMAG, SELFMAG))
		return KIND_OTHER;
	switch (elf_type(b)) {
	case ET_REL: return KIND_REL;
	case ET_DYN: return KIND_DYN;
	default: return KIND_ELF;
	}
}

enum file_kind file_kind(const char *path)
{
	uint8_t head[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return KIND_NONE;
	struct stat st;
	ssize_t n = -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		n = pread(fd, head, sizeof head, 0);
	close(fd);
	return n < 0 ? KIND_NONE : bytes_kind((struct bytes){head, (size_t)n});
}

uint16_t elf_machine(struct bytes b, struct elf_form *f)
{
	return elf_form(b.p, b.n, f) ? elf_half(*f, b.p + offsetof(Elf64_Ehdr, e_machine)) : 0;
}

unsigned object_traits(struct bytes b)
{
	struct sections s;
	Elf64_Shdr sh;
	unsigned traits = 0;
	if (!sections_open(&s, b))
		return bytes_kind(b) == KIND_BITCODE ? TRAIT_BITCODE : 0;
	for (uint64_t i = 1; section_get(&s, i, &sh); i++) {
		const char *name = header_name(&s, &sh);
		if (!strncmp(name, ".gnu.lto_", 9))
			traits |= TRAIT_GCC_LTO;
		else if (!strcmp(name, ".note.GNU-split-stack"))
			traits |= TRAIT_SPLIT_STACK;
		else if (!strncmp(name, ".zdebug_", 8))
			traits |= TRAIT_ZDEBUG;
	}
	if (object_has_large_commons(b))
		traits |= TRAIT_LARGE_COMMON;
	if (object_has_versions(b, false))
		traits |= TRAIT_VERSIONS;
	return traits;
}

bool section_rename(const char *path, const char *from, const char *to)
{
	struct bytes b;
	struct sections s;
	Elf64_Shdr sh;
	uint64_t index;
	size_t n = strlen(from);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	file_map(path, &b);
	bool found = sections_open(&s, b) && find_section(&s, from, &index, &sh) &&
		pwrite(fd, to, n, (off_t)(s.names + sh.sh_name)) == (ssize_t)n;
	file_unmap(b);
	return !close(fd) && found;
}

/* Symbols --------------------------------------------------------------- */

/* The name of the symbol of that number, or of its section.  NULL: damaged. */
static const char *symbol_name(const struct sections *s, uint64_t table, uint64_t number)
{
	Elf64_Shdr symtab, strtab, sec;
	Elf64_Sym sym;
	size_t size = ELF_SIZE(s->form, Sym);
	if (!section_get(s, table, &symtab) || !section_get(s, symtab.sh_link, &strtab) ||
		!inside(s->file, symtab.sh_offset, symtab.sh_size) ||
		!inside(s->file, strtab.sh_offset, strtab.sh_size) ||
		number >= symtab.sh_size / size)
		return NULL;
	elf_sym(s->form, s->file.p + symtab.sh_offset + number * size, &sym);
	if (!sym.st_name && ELF64_ST_TYPE(sym.st_info) == STT_SECTION)
		return section_get(s, sym.st_shndx, &sec) ? header_name(s, &sec) : NULL;
	const char *names = (const char *)s->file.p + strtab.sh_offset;
	bool good = sym.st_name < strtab.sh_size &&
		memchr(names + sym.st_name, 0, strtab.sh_size - sym.st_name);
	return good ? names + sym.st_name : NULL;
}

/* By section: the number of its COMDAT group; 0: none. */
static uint32_t *find_groups(const struct sections *s)
{
	Elf64_Shdr sh;
	uint32_t *group = calloc(s->n + 1, sizeof *group), word;
	for (uint64_t i = 1; group && section_get(s, i, &sh); i++) {
		if (sh.sh_type != SHT_GROUP || sh.sh_size < 4 ||
			!inside(s->file, sh.sh_offset, sh.sh_size))
			continue;
		word = elf_word(s->form, s->file.p + sh.sh_offset);
		bool comdat = word & GRP_COMDAT;
		for (uint64_t at = 4; comdat && at <= sh.sh_size - 4; at += 4) {
			word = elf_word(s->form, s->file.p + sh.sh_offset + at);
			if (word < s->n)
				group[word] = (uint32_t)i;
		}
	}
	return group;
}

enum section_kind section_kind(const char *name, uint32_t type, uint64_t flags, uint64_t size)
{
	bool merges = (flags & (SHF_MERGE | SHF_EXCLUDE)) || type == SHT_NOTE ||
		(type >= SHT_LOPROC && type <= SHT_HIPROC) || !strcmp(name, ".eh_frame");
	if (!(flags & SHF_ALLOC) || !size || merges)
		return SECTION_OTHER;
	return flags & SHF_EXECINSTR ? SECTION_CODE : SECTION_DATA;
}

bool object_sections(struct bytes b, void (*fn)(void *ctx, const struct input_section *s),
	void *ctx)
{
	struct sections s;
	Elf64_Shdr sh, in;
	if (!sections_open(&s, b))
		return false;
	uint32_t *group = find_groups(&s);
	bool good = group;
	for (uint64_t i = 1; good && section_get(&s, i, &sh); i++) {
		struct input_section found = {.name = header_name(&s, &sh), .size = sh.sh_size};
		found.kind = section_kind(found.name, sh.sh_type, sh.sh_flags, sh.sh_size);
		if (!found.kind)
			continue;
		if (group[i] && section_get(&s, group[i], &in))
			found.signature = symbol_name(&s, in.sh_link, in.sh_info);
		good = found.signature || !group[i];
		if (good)
			fn(ctx, &found);
	}
	free(group);
	return good;
}

/* Does LLD print the name as symbol?  It may be demangled. */
static bool is_called(const char *name, const char *symbol)
{
	if (!strcmp(name, symbol))
		return true;
	if (strncmp(name, "_Z", 2))
		return false;
	char *plain = lld_demangle(name);
	bool same = plain && !strcmp(plain, symbol);
	free(plain);
	return same;
}

struct definition {
	const char *symbol;
	bool found;
};

static void find_definition(void *ctx, const char *name, const Elf64_Sym *sym, size_t at)
{
	struct definition *d = ctx;
	(void)at;
	d->found = d->found || (sym->st_shndx != SHN_UNDEF && is_called(name, d->symbol));
}

bool object_defines(struct bytes b, const char *symbol)
{
	struct sections s;
	struct definition d = {symbol, false};
	if (sections_open(&s, b))
		each_global(&s, find_definition, &d);
	return d.found;
}

struct references {
	struct arena *a;
	strings *names;
};

static void add_reference(void *ctx, const char *name, const Elf64_Sym *sym, size_t at)
{
	struct references *r = ctx;
	(void)at;
	if (sym->st_shndx == SHN_UNDEF)
		vec_push(r->names, arena_printf(r->a, "%s", name));
}

void object_references(struct bytes b, struct arena *a, strings *names)
{
	struct sections s;
	struct references r = {a, names};
	if (sections_open(&s, b))
		each_global(&s, add_reference, &r);
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/*
 * hazard: pieces of one function.  crti.o and crtn.o hold the beginning and the end of one
 * function in .init, and the link puts other pieces between: nothing may pad them.
 *
 * hazard: crtend before the rest.  The unwind terminator of crtend.o must be the last in .eh_frame,
 * and LLD -r puts archive members behind it: start files go to the last link only.
 */
bool is_crt_file(const char *path)
{
	static const char *const names[] = {"crt1.o", "crti.o", "crtn.o", "Scrt1.o", "Mcrt1.o",
		"gcrt1.o", "grcrt1.o", "rcrt1.o", "crtbegin.o", "crtbeginS.o", "crtbeginT.o",
		"crtend.o", "crtendS.o", "crtfastmath.o"};
	const char *base = base_name(path);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(base, names[i]))
			return true;
	return false;
}
