/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity ARCHIVE...: read and write every object in archives.  The file that is written must be
 * the one that was read.  Where addends are in fields, they are taken out, the fields are cleared,
 * and they must be put back from the relocations.  Differences are put into fields, and must be
 * relocations again in a section that is not rewritten.
 */
#include "base/parallel.h"
#include "reloc/fix.h"

#include <gelf.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

const struct reloc_info *rv_reloc_info(uint32_t type); /* targets/riscv64/reloc.c */

struct test {
	const char *in, *out;
	unsigned long objects, different, fields, folded;
};

/* The fields of o32 MIPS that this test knows; the addends of the others stay in the field. */
static const struct reloc_info *mips_info(uint32_t type)
{
	static const struct reloc_info
		word = {.name = "R_MIPS_32", .size = 4, .role = ROLE_ABS, .bits = 32},
		jump = {.name = "R_MIPS_26", .size = 4, .role = ROLE_ABS, .bits = 26, .shift = 2},
		high = {.name = "R_MIPS_HI16",
			.size = 4,
			.role = ROLE_ABS,
			.bits = 16,
			.shift = 16},
		low = {.name = "16 bits", .size = 4, .role = ROLE_ABS, .bits = 16},
		branch = {.name = "R_MIPS_PC16",
			.size = 4,
			.role = ROLE_PCREL,
			.bits = 16,
			.shift = 2},
		none = {.name = "no field", .size = 0, .role = ROLE_NONE};
	switch (type) {
	case R_MIPS_32:
	case R_MIPS_REL32:
	case R_MIPS_GPREL32: return &word;
	case R_MIPS_26: return &jump;
	case R_MIPS_HI16: return &high;
	case R_MIPS_LO16:
	case R_MIPS_GPREL16:
	case R_MIPS_GOT16:
	case R_MIPS_CALL16: return &low;
	case R_MIPS_PC16: return &branch;
	default: return &none;
	}
}

static void clear_fields(struct test *t, const struct object *o, const struct section *s)
{
	for (uint32_t k = 0; k < s->nrel; k++) {
		const struct reloc_info *info = o->reloc_info(s->rel[k].type);
		struct reloc zero = s->rel[k];
		zero.addend = 0;
		if (!info->size)
			continue;
		if (!fix_put_addend(o, &zero, (uint8_t *)s->data + zero.off))
			fatal_at(s, zero.off, "0 does not fit");
		t->fields++;
	}
}

static void copy(void *arg)
{
	struct test *t = arg;
	struct arena a = {0};
	struct object *o = object_read(&a, t->in);
	if (o->machine == EM_MIPS && o->word == 4) {
		fix_check(o, mips_info);
		for (size_t i = 1; i < o->sec.n; i++)
			if (o->sec.v[o->sec.v[i].rela].type == SHT_REL)
				clear_fields(t, o, &o->sec.v[i]);
	} else if (o->machine == EM_RISCV) {
		fix_check(o, rv_reloc_info);
		for (size_t i = 1; i < o->sec.n; i++)
			t->folded += o->sec.v[i].as_read != NULL;
	}
	object_write(o, t->out);
	munmap(o->file, o->file_size);
	vec_free(&o->part);
	vec_free(&o->sec);
	vec_free(&o->sym);
	arena_free(&a);
}

static bool is_file(const char *path, const char *p, size_t n)
{
	FILE *f = fopen(path, "rb");
	char *q = malloc(n + 1);
	bool same = f && q && fread(q, 1, n + 1, f) == n && !memcmp(p, q, n);
	free(q);
	if (f)
		fclose(f);
	return same;
}

static void check(struct test *t, const char *archive, const char *member, const char *p, size_t n)
{
	struct arena a = {0};
	FILE *f = fopen(t->in, "wb");
	if (!f || fwrite(p, 1, n, f) != n || fclose(f))
		fatal("cannot write %s", t->in);
	t->objects++;
	const char *why = attempt(&a, copy, t);
	if (why || !is_file(t->out, p, n)) {
		printf("%s(%s): %s\n", archive, member, why ? why : "another file");
		t->different++;
	}
	arena_free(&a);
}

static void check_archive(struct test *t, const char *path)
{
	int fd = open(path, O_RDONLY);
	Elf *ar = elf_begin(fd, ELF_C_READ, NULL), *e;
	if (!ar || elf_kind(ar) != ELF_K_AR)
		fatal("%s: not an archive", path);
	for (Elf_Cmd c = ELF_C_READ; (e = elf_begin(fd, c, ar)); c = elf_next(e), elf_end(e)) {
		size_t n;
		char *p = elf_rawfile(e, &n);
		if (elf_kind(e) == ELF_K_ELF)
			check(t, path, elf_getarhdr(e)->ar_name, p, n);
	}
	elf_end(ar);
	close(fd);
}

int main(int argc, char **argv)
{
	char dir[] = "/tmp/ldx-identity.XXXXXX", in[64], out[64];
	struct test t = {.in = in, .out = out};
	parallel_threads = 1; /* objects are small */
	elf_version(EV_CURRENT);
	if (!mkdtemp(dir))
		fatal("cannot make a directory");
	snprintf(in, sizeof in, "%s/in.o", dir);
	snprintf(out, sizeof out, "%s/out.o", dir);
	for (int i = 1; i < argc; i++)
		check_archive(&t, argv[i]);
	unlink(in);
	unlink(out);
	rmdir(dir);
	printf("%lu objects, %lu different, %lu fields written anew, %lu sections with differences\n",
		t.objects, t.different, t.fields, t.folded);
	return !t.objects || t.different;
}
