/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c - an instrumented program: its map, its profile, its code
 */
#include "report/program.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static Elf *elf_of(const struct program *p)
{
	Elf *e;
	if (elf_version(EV_CURRENT) == EV_NONE)
		die("libelf is too old");
	/* libelf only reads what it was given. */
	e = elf_memory((char *)p->file.data, p->file.size);
	if (!e || elf_kind(e) != ELF_K_ELF || gelf_getclass(e) != ELFCLASS64 ||
		p->file.data[EI_DATA] != ELFDATA2LSB)
		die("%s: not a 64-bit little-endian ELF file", p->path);
	return e;
}

static void read_segments(struct program *p, Elf *e)
{
	size_t n;
	GElf_Phdr ph;
	if (elf_getphdrnum(e, &n))
		die("%s: bad program headers: %s", p->path, elf_errmsg(-1));
	p->segment = NEW_ARRAY(struct segment, n);
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(e, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		if (ph.p_offset > p->file.size || ph.p_filesz > p->file.size - ph.p_offset)
			die("%s: a segment lies outside the file", p->path);
		p->segment[p->nsegments++] = (struct segment){.address = ph.p_vaddr,
			.size = ph.p_filesz,
			.data = p->file.data + ph.p_offset,
			.executable = ph.p_flags & PF_X};
	}
}

/* The contents of the section called name, or NULL; n: how many bytes. */
static const uint8_t *find_section(
	const struct program *p, Elf *e, const char *name, size_t *n, uint64_t *address)
{
	size_t names;
	GElf_Shdr sh;
	if (elf_getshdrstrndx(e, &names))
		return NULL;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(e, s));) {
		if (!gelf_getshdr(s, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		const char *sn = elf_strptr(e, names, sh.sh_name);
		if (!sn || strcmp(sn, name))
			continue;
		if (sh.sh_offset > p->file.size || sh.sh_size > p->file.size - sh.sh_offset)
			die("%s: section %s lies outside the file", p->path, name);
		*n = sh.sh_size;
		*address = sh.sh_addr;
		return p->file.data + sh.sh_offset;
	}
	return NULL;
}

static void read_map(struct program *p, Elf *e)
{
	size_t n;
	uint64_t address;
	const uint8_t *d = find_section(p, e, ".ldx.map", &n, &address);
	if (d) {
		static_map_read(&p->map, p->path, d, n);
		return;
	}
	struct input *in = new_array(1, sizeof *in);
	char *path = new_string("%s.ldxmap", p->path);
	if (!input_open(in, path))
		die("%s: not instrumented by ldx: it has no section .ldx.map, and there is no %s",
			p->path, path);
	static_map_read(&p->map, path, in->data, in->size);
}

static void find_counters(struct program *p, Elf *e)
{
	size_t n;
	uint64_t address;
	struct ldx_info info;
	const uint8_t *d = find_section(p, e, ".ldx.info", &n, &address);
	if (!d || n < sizeof info)
		return;
	memcpy(&info, d, sizeof info);
	if (info.magic != LDX_INFO_MAGIC)
		return;
	if (info.build != p->map.build)
		die("%s: the map is of build %016lx, the program of %016lx", p->path,
			(unsigned long)p->map.build, (unsigned long)info.build);
	p->counters = address + offsetof(struct ldx_info, counters) + (uint64_t)info.counters;
	p->counters_end = p->counters + p->map.ncounters * 8;
}

/* A profile of this build beside the program: under its own name, or with the build in it. */
static bool find_profile(struct program *p, const char *path)
{
	uint64_t build;
	char *name = new_string("%s.ldxprof", path);
	if (profile_build(name, &build) && build == p->map.build)
		return profile_add(&p->profile, name);
	name = new_string("%s.%016lx.ldxprof", path, (unsigned long)p->map.build);
	return profile_add(&p->profile, name);
}

static void read_profiles(struct program *p, char *const *files, int nfiles)
{
	uint64_t build;
	for (int i = 0; i < nfiles; i++)
		if (!profile_add(&p->profile, files[i]))
			die("cannot open %s: %s", files[i], strerror(ENOENT));
	char *real = realpath(p->path, NULL);
	if (!nfiles && !find_profile(p, p->path) && (!real || !find_profile(p, real))) {
		char *name = new_string("%s.ldxprof", p->path);
		if (profile_build(name, &build))
			die("%s: the profile is of build %016lx, the program of %016lx", name,
				(unsigned long)build, (unsigned long)p->map.build);
		die("no profile of %s: there is no %s; run the program first, or name a profile",
			p->path, name);
	}
	free(real);
	if (p->profile.build != p->map.build || p->profile.ncounters != p->map.ncounters)
		die("%s: the profile is of build %016lx, the program %s of %016lx",
			nfiles ? files[0] : "", (unsigned long)p->profile.build, p->path,
			(unsigned long)p->map.build);
}

void program_open(struct program *p, const char *path, char *const *files, int nfiles)
{
	*p = (struct program){.path = path};
	if (!input_open(&p->file, path))
		die("cannot open %s: %s", path, strerror(ENOENT));
	Elf *e = elf_of(p);
	read_segments(p, e);
	read_map(p, e);
	find_counters(p, e);
	elf_end(e);
	read_profiles(p, files, nfiles);
}

const uint8_t *program_code(const struct program *p, uint64_t address, uint64_t *n)
{
	for (size_t i = 0; i < p->nsegments; i++) {
		const struct segment *s = &p->segment[i];
		if (!s->executable || address < s->address || address - s->address >= s->size)
			continue;
		*n = s->size - (address - s->address);
		return s->data + (address - s->address);
	}
	return NULL;
}

static uint64_t counter(const struct program *p, int64_t i)
{
	return p->profile.count ? p->profile.count[i] : 0;
}

bool block_count(const struct program *p, const struct map_block *b, uint64_t *count)
{
	*count = b->counter == NO_COUNTER ? 0 : counter(p, b->counter);
	return b->counter != NO_COUNTER;
}

bool func_calls(const struct program *p, const struct map_func *f, uint64_t *calls)
{
	*calls = 0;
	if (f->entry != NO_COUNTER) {
		*calls = counter(p, f->entry);
		return true;
	}
	const struct map_block *b = p->map.block + f->block;
	return f->nblocks && b->offset == 0 && block_count(p, b, calls);
}

bool func_linked(const struct program *p, const struct map_func *f)
{
	uint64_t n;
	return f->address && program_code(p, f->address, &n);
}

struct func_sum func_sum(const struct program *p, const struct map_func *f)
{
	struct func_sum s = {0};
	uint64_t count;
	for (size_t i = f->block; i < f->block + f->nblocks; i++) {
		const struct map_block *b = &p->map.block[i];
		if (!block_count(p, b, &count))
			continue;
		s.counted++;
		s.covered += count != 0;
		s.insns = add_sat(s.insns, mul_sat(count, b->insns));
	}
	s.calls_known = func_calls(p, f, &s.calls);
	return s;
}
