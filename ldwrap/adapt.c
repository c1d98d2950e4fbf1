/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapt.c - what the last link's objects say of the whole program
 *
 * Linkers merge the flags of all inputs and their notes about the stack and about properties of the
 * program (Linux Extensions to gABI, 2.1), and what they make of a missing note differs.  The
 * reference has what comes of the user's inputs.  If ldx's objects say just that, nothing else can
 * come of them.
 */
#include "ldwrap/ldwrap.h"

#include "ldwrap/sections.h"
#include "targets/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char stack_note[] = ".note.GNU-stack", property_note[] = ".note.gnu.property";

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

static void set_property(struct edit *e, struct bytes note)
{
	uint64_t index;
	Elf64_Shdr sh;
	bool has = find_section(&e->s, property_note, &index, &sh);
	if (!has)
		sh = (Elf64_Shdr){.sh_type = SHT_NOTE,
			.sh_flags = SHF_ALLOC,
			.sh_addralign = e->s.form.word};
	if (!note.n)
		sh.sh_type = SHT_NULL;
	sh.sh_offset = append(e, note.p, note.n);
	sh.sh_size = note.n;
	if (has)
		put_header(e, index, &sh);
	else if (note.n)
		add_section(e, &sh, property_note);
}

static void forget_section(struct edit *e, const char *name)
{
	uint64_t index;
	Elf64_Shdr sh;
	if (!find_section(&e->s, name, &index, &sh))
		return;
	sh.sh_type = SHT_NULL;
	put_header(e, index, &sh);
}

/* The contents of the section in the reference; none: .n is 0. */
static struct bytes property_of(struct bytes file)
{
	struct sections s;
	uint64_t index;
	Elf64_Shdr sh;
	if (!sections_open(&s, file) || !find_section(&s, property_note, &index, &sh) ||
		!inside(file, sh.sh_offset, sh.sh_size))
		return (struct bytes){0};
	return (struct bytes){file.p + sh.sh_offset, sh.sh_size};
}

static bool says_the_same(struct bytes object, struct bytes note)
{
	struct bytes own = property_of(object);
	return own.n == note.n && (!note.n || !memcmp(own.p, note.p, note.n));
}

/* Only GNU ld and gold read the notes about the stack. */
static bool must_forget_stack(const struct link *l)
{
	return !l->headers.stack && is_binutils(&l->linker);
}

/* What the object says of its source and the reference does not. */
static uint32_t needless_flags(const struct link *l, struct bytes object)
{
	struct elf_form form;
	Elf64_Ehdr eh;
	if (!elf_form(object.p, object.n, &form))
		return 0;
	elf_ehdr(form, object.p, &eh);
	return eh.e_flags & l->platform->source_flags & ~l->headers.flags;
}

static bool has_section(struct bytes file, const char *name)
{
	struct sections s;
	uint64_t index;
	Elf64_Shdr sh;
	return sections_open(&s, file) && find_section(&s, name, &index, &sh);
}

/* Has the object a mark of its compiler that the reference lacks? */
static bool must_forget_mark(const struct link *l, struct bytes ref, struct bytes object)
{
	const char *mark = l->platform->mark;
	return mark && has_section(object, mark) && !has_section(ref, mark);
}

struct change {
	bool note;
	const char *gone[2]; /* sections that the object loses, or NULL */
	uint32_t flags;	     /* likewise */
	struct bytes property;
};

/* Changes a file, which may become longer. */
static bool edit_file(const char *path, const struct change *c)
{
	struct stat st;
	struct edit e = {0};
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return false;
	e.n = (size_t)st.st_size;
	/* two tables are written again: at most as long as all of it */
	size_t room = 2 * e.n + c->property.n + 4096;
	bool good = !ftruncate(fd, (off_t)room);
	if (good)
		e.p = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	good = good && e.p != MAP_FAILED && sections_open(&e.s, (struct bytes){e.p, e.n});
	if (good && c->note)
		set_property(&e, c->property);
	for (size_t i = 0; i < 2; i++)
		if (good && c->gone[i])
			forget_section(&e, c->gone[i]);
	if (good && c->flags)
		elf_clear_flags(e.s.form, e.p, c->flags);
	if (e.p && e.p != MAP_FAILED)
		munmap(e.p, room);
	good &= !ftruncate(fd, (off_t)e.n);
	return !close(fd) && good;
}

const char *adapt_object(struct link *l, const char *from, const char *to)
{
	struct bytes ref, object;
	if (!file_map(l->ref, &ref) || !file_map(from, &object))
		fatal("cannot read %s: %s", from, strerror(errno));
	struct change c = {.property = property_of(ref),
		.gone = {must_forget_stack(l) ? stack_note : NULL,
			must_forget_mark(l, ref, object) ? l->platform->mark : NULL},
		.flags = needless_flags(l, object)};
	c.note = !says_the_same(object, c.property);
	bool changed = c.note || c.gone[0] || c.gone[1] || c.flags, good = true;
	if (changed && from != to)
		good = file_write(to, object);
	file_unmap(object);
	if (changed && !(good && edit_file(to, &c)))
		fatal("cannot write %s: %s", to, strerror(errno));
	file_unmap(ref);
	return changed ? to : from;
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
