/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapt.c - what the last link's objects say of the whole program
 *
 * Linkers merge the flags of all inputs and their notes about the stack and about properties of the
 * program (Linux Extensions to gABI, 2.1), and what they make of a missing note differs.  The
 * reference has what comes of the user's inputs.  If ldx's objects say just that, nothing else can
 * come of them.
 */
#include "ldwrap/image.h"
#include "ldwrap/sections.h"
#include "targets/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char stack_note[] = ".note.GNU-stack";

/* Sections of which linkers make one, besides those of the platform. */
static const struct statement general[] = {{".note.gnu.property", SHT_NOTE, SHF_ALLOC},
	{".gnu.attributes", SHT_GNU_ATTRIBUTES, 0}};
enum { GENERAL = sizeof general / sizeof *general, STATEMENTS = GENERAL + PLATFORM_STATEMENTS };

static const struct statement *statement(const struct link *l, size_t i)
{
	return i < GENERAL ? &general[i] : &l->platform->statements[i - GENERAL];
}

/* An object that is being changed: n bytes, with room for more behind them. */
struct edit {
	struct sections s;
	uint8_t *p;
	size_t n;
};

static void put_header(struct edit *e, uint64_t index, const Elf64_Shdr *sh)
{
	elf_put_shdr(e->s.form, e->p + e->s.shoff + index * ELF_SIZE(e->s.form, Shdr), sh);
}

/* Appends bytes, aligned to 8; returns where they are. */
static uint64_t append(struct edit *e, const void *bytes, size_t n)
{
	uint64_t at = e->n = (e->n + 7) / 8 * 8;
	if (n)
		memcpy(e->p + e->n, bytes, n);
	e->n += n;
	return at;
}

/* The headers are written again behind the file, with one more, and so are the names. */
static void add_section(struct edit *e, Elf64_Shdr *sh, const char *name)
{
	struct sections *s = &e->s;
	Elf64_Shdr names;
	uint64_t table = 0;
	while (section_get(s, ++table, &names) && names.sh_offset != s->names)
		;
	names.sh_offset = append(e, e->p + s->names, s->names_size);
	memcpy(e->p + e->n, name, strlen(name) + 1);
	e->n += strlen(name) + 1;
	sh->sh_name = (Elf64_Word)s->names_size;
	names.sh_size = s->names_size + strlen(name) + 1;
	s->shoff = append(e, e->p + s->shoff, s->n * ELF_SIZE(s->form, Shdr));
	e->n += ELF_SIZE(s->form, Shdr);
	put_header(e, table, &names);
	put_header(e, s->n++, sh);
	elf_put_sections(s->form, e->p, s->shoff, s->n);
}

/* .p NULL: the object is to have no such section. */
static void set_statement(struct edit *e, const struct statement *what, struct bytes says)
{
	uint64_t index;
	Elf64_Shdr sh;
	bool has = find_section(&e->s, what->name, &index, &sh);
	if (!has)
		sh = (Elf64_Shdr){.sh_type = what->type,
			.sh_flags = what->flags,
			.sh_addralign = e->s.form.word};
	if (!says.p)
		sh.sh_type = SHT_NULL;
	sh.sh_offset = append(e, says.p, says.n);
	sh.sh_size = says.n;
	if (has)
		put_header(e, index, &sh);
	else if (says.n)
		add_section(e, &sh, what->name);
}

/* The contents of the section; none: .p is NULL. */
static struct bytes statement_of(struct bytes file, const struct statement *what)
{
	struct sections s;
	uint64_t index;
	Elf64_Shdr sh;
	if (!sections_open(&s, file) || !find_section(&s, what->name, &index, &sh) ||
		!inside(file, sh.sh_offset, sh.sh_size))
		return (struct bytes){0};
	return (struct bytes){file.p + sh.sh_offset, sh.sh_size};
}

static bool differs(struct bytes own, struct bytes says)
{
	return own.n != says.n || (own.p && !says.p) || (own.n && memcmp(own.p, says.p, own.n));
}

static void forget_stack(struct edit *e)
{
	uint64_t index;
	Elf64_Shdr sh;
	if (!find_section(&e->s, stack_note, &index, &sh))
		return;
	sh.sh_type = SHT_NULL;
	put_header(e, index, &sh);
}

/* Only GNU ld and gold read the notes about the stack. */
static bool must_forget_stack(const struct link *l)
{
	return !l->headers.stack && is_binutils(&l->linker);
}

/* Symbols that are behind the others once more. */
static void repeat_symbols(struct edit *e, struct bytes again)
{
	Elf64_Shdr sh;
	size_t n = again.n / ELF_SIZE(e->s.form, Sym);
	for (uint64_t i = 1; again.n && section_get(&e->s, i, &sh); i++) {
		bool indexes = sh.sh_type == SHT_SYMTAB_SHNDX;
		if ((!indexes && sh.sh_type != SHT_SYMTAB) ||
			!inside((struct bytes){e->p, e->n}, sh.sh_offset, sh.sh_size))
			continue;
		sh.sh_offset = append(e, e->p + sh.sh_offset, sh.sh_size);
		if (!indexes)
			memcpy(e->p + e->n, again.p, again.n);
		size_t more = indexes ? n * sizeof(Elf64_Word) : again.n;
		e->n += more;
		sh.sh_size += more;
		put_header(e, i, &sh);
	}
}

/* The bits of e_flags in which the object differs from the reference, though it need not. */
static uint32_t other_flags(const struct link *l, struct bytes object)
{
	struct elf_form form;
	Elf64_Ehdr eh;
	if (!elf_form(object.p, object.n, &form))
		return 0;
	elf_ehdr(form, object.p, &eh);
	return (eh.e_flags ^ l->headers.flags) & l->platform->said_flags;
}

struct change {
	bool any, stack, says[STATEMENTS];
	struct bytes statement[STATEMENTS];
	size_t room;
	uint32_t flags;
	struct bytes again; /* symbols */
};

static struct change find_change(const struct link *l, struct bytes ref, struct bytes object)
{
	struct change c = {.stack = must_forget_stack(l), .flags = other_flags(l, object)};
	c.any = c.stack || c.flags;
	for (size_t i = 0; i < STATEMENTS && statement(l, i)->name; i++) {
		c.statement[i] = statement_of(ref, statement(l, i));
		c.says[i] = differs(statement_of(object, statement(l, i)), c.statement[i]);
		c.any |= c.says[i];
		c.room += c.statement[i].n;
	}
	return c;
}

/* Maps the file, with room for more behind it that is not the file's. */
static bool map_with_room(struct edit *e, int fd, size_t room)
{
	const int access = PROT_READ | PROT_WRITE;
	e->p = mmap(NULL, room, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return e->p != MAP_FAILED &&
		mmap(e->p, e->n, access, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED &&
		sections_open(&e->s, (struct bytes){e->p, e->n});
}

/* Changes a file, which may become longer. */
static bool edit_file(const struct link *l, const char *path, const struct change *c)
{
	struct stat st;
	struct edit e = {0};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return false;
	e.n = (size_t)st.st_size;
	/* for each change two tables are written again: at most as long as all of it */
	size_t room = (2 + STATEMENTS) * (e.n + c->room + c->again.n + 4096) + page;
	bool good = map_with_room(&e, fd, room);
	/* what is behind the file in its last page is not written */
	size_t start = e.n = (e.n + page - 1) / page * page;
	for (size_t i = 0; good && i < STATEMENTS; i++)
		if (c->says[i])
			set_statement(&e, statement(l, i), c->statement[i]);
	if (good && c->stack)
		forget_stack(&e);
	if (good && c->flags)
		elf_flip_flags(e.s.form, e.p, c->flags);
	if (good)
		repeat_symbols(&e, c->again);
	if (good && e.n > start)
		good = lseek(fd, (off_t)start, SEEK_SET) >= 0 &&
			bytes_write(fd, (struct bytes){e.p + start, e.n - start});
	int error = errno;
	if (e.p != MAP_FAILED)
		munmap(e.p, room);
	good &= !close(fd);
	errno = error;
	return good;
}

const char *adapt_object(struct link *l, const char *from, const char *to)
{
	struct bytes ref, object;
	if (!file_map(l->ref, &ref) || !file_map(from, &object))
		fatal("cannot read %s: %s", from, strerror(errno));
	struct change c = find_change(l, ref, object);
	bool good = true;
	if (c.any && from != to)
		good = file_write(to, object);
	file_unmap(object);
	good = !c.any || (good && edit_file(l, to, &c));
	file_unmap(ref);
	return !good ? NULL : c.any ? to : from;
}

/* Symbols of the output ---------------------------------------------------------- */

/* The number of st_others with this upper half.  fd: the file, in which they are cleared; or -1. */
static size_t find_marks(struct bytes file, uint8_t mark, int fd)
{
	struct sections s;
	Elf64_Shdr sh;
	size_t found = 0;
	bool sound = sections_open(&s, file);
	for (uint64_t i = 0; sound && section_get(&s, i, &sh); i++) {
		size_t size = ELF_SIZE(s.form, Sym);
		if ((sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM) ||
			!inside(file, sh.sh_offset, sh.sh_size))
			continue;
		for (uint64_t at = sh.sh_offset + elf_sym_other(s.form); sh.sh_size >= size;
			at += size, sh.sh_size -= size) {
			uint8_t other = file.p[at], clear = other & 0xf;
			if ((other & 0xf0) != mark)
				continue;
			found++;
			if (fd >= 0 && pwrite(fd, &clear, 1, (off_t)at) != 1)
				fatal("cannot write the output: %s", strerror(errno));
		}
	}
	return found;
}

/* LLD marks the functions of position-independent objects when it joins them (STO_MIPS_PIC). */
void adapt_symbols(struct link *l, const char *output)
{
	struct bytes ref, file;
	uint8_t mark = l->platform->object_other;
	if (!mark)
		return;
	int fd = open(output, O_RDWR | O_CLOEXEC);
	if (fd < 0 || !file_map(l->ref, &ref) || !file_map(output, &file))
		fatal("cannot read %s: %s", output, strerror(errno));
	if (!find_marks(ref, mark, -1))
		find_marks(file, mark, fd);
	file_unmap(ref);
	file_unmap(file);
	close(fd);
}

/* References ------------------------------------------------------------------------ */

struct repeating {
	struct strmap dynamic; /* name -> binding + 1, in the reference */
	struct sections s;
	struct buf again;
};

static void repeat_symbol(void *ctx, const char *name, const Elf64_Sym *sym, size_t at)
{
	struct repeating *r = ctx;
	unsigned seen = ELF64_ST_VISIBILITY(sym->st_other);
	if (sym->st_shndx != SHN_UNDEF || (seen != STV_HIDDEN && seen != STV_INTERNAL))
		return;
	const uint64_t *bind = strmap_find(&r->dynamic, name);
	unsigned times = !bind ? 1 : *bind == STB_LOCAL + 1 ? 2 : 0;
	while (times--)
		buf_put(&r->again, r->s.file.p + at, ELF_SIZE(r->s.form, Sym));
}

static void read_dynamic(struct strmap *to, struct image *im)
{
	Elf64_Sym s;
	image_dynamic(im);
	uint64_t n = image_symbols(im);
	for (uint64_t i = 1; i < n && image_symbol(im, i, &s); i++)
		*strmap_slot(to, image_string(im, s.st_name)) = ELF64_ST_BIND(s.st_info) + 1;
}

/*
 * GNU ld adds an undefined hidden symbol of a library to the dynamic symbols, makes it local and
 * removes it at the next reference, adds it again, and so on.  So one that it defines itself is a
 * dynamic symbol, or one that is local, or none, by the number of objects that refer to it, which
 * is 1 in the last link.  An entry of the symbol table is such a reference too.
 */
bool adapt_references(struct link *l, const char *object)
{
	struct repeating r = {0};
	struct bytes file = {0};
	struct image ref = {0};
	bool good = image_open(&ref, l->ref) && file_map(object, &file) &&
		sections_open(&r.s, file);
	if (good) {
		read_dynamic(&r.dynamic, &ref);
		each_global(&r.s, repeat_symbol, &r);
	}
	file_unmap(file);
	image_close(&ref);
	struct change c = {.again = {r.again.v, r.again.n}};
	good = good && (!r.again.n || edit_file(l, object, &c));
	strmap_free(&r.dynamic);
	vec_free(&r.again);
	return good;
}

static void read_visible(void *ctx, const char *name, const Elf64_Sym *sym, size_t at)
{
	(void)at;
	if (ELF64_ST_VISIBILITY(sym->st_other) == STV_DEFAULT)
		*strmap_slot(ctx, name) = 1;
}

/*
 * --exclude-libs.  What link-time optimization makes of a member of an archive is in none any more:
 * the reference tells which symbols are visible.
 */
bool adapt_visibility(struct link *l, const char *object)
{
	struct strmap visible = {0};
	struct sections s;
	struct image ref = {0};
	bool good = image_open(&ref, l->ref) && sections_open(&s, ref.file);
	if (good) {
		read_dynamic(&visible, &ref);
		each_global(&s, read_visible, &visible);
		good = object_hide_but(object, &visible);
	}
	image_close(&ref);
	strmap_free(&visible);
	return good;
}
