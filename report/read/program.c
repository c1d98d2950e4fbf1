/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c - an instrumented program or shared object: its map, its counts, its code
 */
#include "report/read/program.h"

#include "report/read/debugfile.h"
#include "report/read/place.h"
#include "report/read/objects.h"
#include "targets/platform.h"
#include "targets/target.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/stat.h>

/* NULL: it is no ELF file. */
static Elf *elf_of(const struct program *p)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		die("libelf is too old");
	/* libelf only reads the memory */
	Elf *e = elf_memory((char *)p->file.data, p->file.size);
	if (e && elf_kind(e) == ELF_K_ELF && gelf_getclass(e) != ELFCLASSNONE)
		return e;
	elf_end(e);
	return NULL;
}

/* DF_1_PIE distinguishes a program without an interpreter from a shared object. */
static bool is_marked_pie(Elf *e, const GElf_Phdr *ph)
{
	Elf_Data *d = elf_getdata_rawchunk(e, (int64_t)ph->p_offset, ph->p_filesz, ELF_T_DYN);
	GElf_Dyn dyn;
	for (int i = 0; d && gelf_getdyn(d, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		if (dyn.d_tag == DT_FLAGS_1)
			return dyn.d_un.d_val & DF_1_PIE;
	return false;
}

static void read_segments(struct program *p, Elf *e)
{
	size_t n;
	GElf_Phdr ph;
	GElf_Ehdr eh;
	if (!gelf_getehdr(e, &eh))
		die("%s: bad header: %s", p->path, elf_errmsg(-1));
	p->library = eh.e_type == ET_DYN;
	p->big = eh.e_ident[EI_DATA] == ELFDATA2MSB;
	p->word = gelf_getclass(e) == ELFCLASS64 ? 8 : 4;
	p->on = platform_find(eh.e_machine, p->word, p->big);
	p->target = target_find(eh.e_machine, p->word, p->big);
	if (elf_getphdrnum(e, &n))
		die("%s: bad program headers: %s", p->path, elf_errmsg(-1));
	p->segment = NEW_ARRAY(struct segment, n);
	p->readers = NEW_ARRAY(struct program_readers, 1);
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(e, (int)i, &ph))
			continue;
		if (ph.p_type == PT_INTERP || (ph.p_type == PT_DYNAMIC && is_marked_pie(e, &ph)))
			p->library = false;
		if (ph.p_type == PT_DYNAMIC)
			p->dynamic = ph.p_vaddr;
		if (ph.p_type != PT_LOAD)
			continue;
		if (ph.p_offset > p->file.size || ph.p_filesz > p->file.size - ph.p_offset)
			die("%s: a segment lies outside the file", p->path);
		p->segment[p->nsegments++] = (struct segment){.address = ph.p_vaddr,
			.size = ph.p_filesz,
			.data = p->file.data + ph.p_offset,
			.executable = ph.p_flags & PF_X};
	}
}

/* The contents of the section called name, *n bytes; or NULL. */
static const uint8_t *find_section(const struct program *p, Elf *e, const char *name, size_t *n)
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
		return p->file.data + sh.sh_offset;
	}
	return NULL;
}

/* Another file that has the map: a copy of the section, or the file with what was stripped. */
static bool read_other_map(struct program *p)
{
	size_t n = 0;
	struct program *debug = new_array(1, sizeof *debug);
	char *path = new_string("%s.ldxmap", p->path);
	if (input_open(&debug->file, path)) {
		static_map_read(&p->map, path, debug->file.data, debug->file.size);
		return true;
	}
	debug->path = debug_file_of(p->path);
	if (!debug->path || !input_open(&debug->file, debug->path))
		return false;
	Elf *e = elf_of(debug);
	const uint8_t *d = e ? find_section(debug, e, ".ldx.map", &n) : NULL;
	if (d)
		static_map_read(&p->map, debug->path, d, n);
	elf_end(e);
	return d;
}

static void read_map(struct program *p, Elf *e)
{
	size_t n;
	const uint8_t *d = find_section(p, e, ".ldx.map", &n);
	if (d)
		static_map_read(&p->map, p->path, d, n);
	else if (!read_other_map(p))
		die("%s: not instrumented by ldx: neither it nor its debug file has a section "
		    ".ldx.map, and there is no %s.ldxmap",
			p->path, p->path);
}

static bool read_info(const struct program *p, Elf *e, struct ldx_info *info)
{
	size_t n;
	const uint8_t *d = find_section(p, e, ".ldx.info", &n);
	if (!d || n < sizeof *info)
		return false;
	struct reader c = reader_make(d, n);
	c.big = elf_getident(e, NULL)[EI_DATA] == ELFDATA2MSB;
	*info = (struct ldx_info){.magic = read_u64(&c)};
	info->build = read_u64(&c);
	info->ncounters = read_u64(&c);
	info->counters = (int64_t)read_u64(&c);
	info->flags = read_u64(&c);
	info->pattern = (int64_t)read_u64(&c);
	return info->magic == LDX_INFO_MAGIC;
}

/* The pattern is behind the fields, in the same section. */
static void read_pattern(struct program *p, Elf *e)
{
	size_t n;
	const uint8_t *d = find_section(p, e, ".ldx.info", &n);
	struct ldx_info info;
	if (!read_info(p, e, &info) || !info.pattern)
		return;
	uint64_t at = offsetof(struct ldx_info, pattern) + (uint64_t)info.pattern;
	if (at < sizeof info || at >= n || !memchr(d + at, 0, n - at))
		die("%s: the name of the profile in it is damaged", p->path);
	p->pattern = new_string("%s", (const char *)d + at);
}

/* What tells where the profile is: all but the map.  False: only the map has the build. */
static bool read_head(struct program *p, Elf *e)
{
	struct ldx_info info;
	read_segments(p, e);
	read_pattern(p, e);
	if (!read_info(p, e, &info))
		return false;
	p->map.build = info.build;
	p->map.ncounters = info.ncounters;
	return info.ncounters != 0;
}

static void read_body(struct program *p, Elf *e)
{
	struct ldx_info info;
	read_map(p, e);
	if (read_info(p, e, &info) && info.build != p->map.build)
		die("%s: the map is of build %016lx, the program of %016lx", p->path,
			(unsigned long)p->map.build, (unsigned long)info.build);
}

static void read_object(struct program *p, Elf *e)
{
	read_head(p, e);
	read_body(p, e);
}

static void read_profiles(const struct program *p, struct profile_set *s, char *const *files,
	int nfiles)
{
	struct place pl = {0};
	for (int i = 0; i < nfiles; i++)
		if (!profile_add(s, files[i], p->map.build))
			die("cannot open %s: %s", files[i], strerror(ENOENT));
	if (nfiles)
		return;
	place_find(&pl, p);
	if (!pl.n)
		die("no profile of %s: %s", p->path, pl.problem);
	for (size_t i = 0; i < pl.n; i++)
		profile_add(s, pl.file[i], p->map.build);
}

static void check_solved(const struct program *p)
{
	if (p->counts.unsolved)
		die("%s: the map is damaged: %zu counts cannot be derived", p->path,
			p->counts.unsolved);
}

static void solve(struct program *p)
{
	solve_counts(&p->map, p->profile.count, &p->counts);
	check_solved(p);
}

void program_flow(const struct program *p, const struct map_func *f)
{
	solve_func(&p->map, (struct map_func *)f, (struct counts *)&p->counts);
	check_solved(p);
}

void run_flows(const struct run *r)
{
	for (size_t i = 0; i < r->n; i++)
		for (size_t f = 0; f < r->v[i].map.nfuncs; f++)
			program_flow(&r->v[i], &r->v[i].map.func[f]);
}

static void take_profile(struct program *p, const struct profile *counts)
{
	p->profile = *counts;
	if (p->profile.ncounters != p->map.ncounters)
		die("%s: build %016lx has %lu counters, its profile %lu", p->path,
			(unsigned long)p->map.build, (unsigned long)p->map.ncounters,
			(unsigned long)p->profile.ncounters);
	if (p->profile.marks != map_has_marks(&p->map))
		die("%s: the profile of build %016lx is not of mode %s", p->path,
			(unsigned long)p->map.build, mode_name(p->map.mode));
	solve(p);
}

bool program_build(const char *path, uint64_t *build)
{
	struct ldx_info info;
	struct program p = {.path = path};
	if (input_try(&p.file, path))
		return false;
	Elf *e = elf_of(&p);
	bool has = e && read_info(&p, e, &info);
	*build = has ? info.build : 0;
	elf_end(e);
	input_close(&p.file);
	return has;
}

/* The shared object of these counts; false: it no longer exists. */
static bool open_library(struct program *p, const struct profile *counts)
{
	const char *path = object_of_build(counts->object, counts->build);
	*p = (struct program){.path = path};
	if (!path || !input_open(&p->file, path))
		return false;
	Elf *e = elf_of(p);
	if (e)
		read_object(p, e);
	elf_end(e);
	if (!e || p->map.build != counts->build)
		die("%s has changed while it was read", path);
	take_profile(p, counts);
	return true;
}

/* libtool has a script in place of a program that is not installed yet. */
static noreturn void not_a_program(const char *path)
{
	const char *name = last_part(path);
	char real[PATH_MAX];
	snprintf(real, sizeof real, "%.*s.libs/%s", (int)(name - path), path, name);
	struct stat st;
	if (stat(real, &st))
		die("%s: not an ELF file", path);
	die("%s: not a program; libtool's is %s", path, real);
}

static Elf *open_elf(struct program *p, const char *path)
{
	*p = (struct program){.path = path};
	if (!input_open(&p->file, path))
		die("cannot open %s: %s", path, strerror(ENOENT));
	Elf *e = elf_of(p);
	if (!e)
		not_a_program(path);
	return e;
}

bool program_open(struct program *p, const char *path)
{
	size_t n;
	Elf *e = open_elf(p, path);
	bool own = find_section(p, e, ".ldx.map", &n) || find_section(p, e, ".ldx.info", &n);
	if (own)
		read_object(p, e);
	elf_end(e);
	return own;
}

void run_open(struct run *r, const char *path, char *const *files, int nfiles)
{
	struct program main;
	struct profile_set *s = new_array(1, sizeof *s);
	Elf *e = open_elf(&main, path);
	/* a map may be large: it is not read for a profile that is not there */
	bool known = read_head(&main, e);
	if (known)
		read_profiles(&main, s, files, nfiles);
	read_body(&main, e);
	elf_end(e);
	if (!known)
		read_profiles(&main, s, files, nfiles);
	*r = (struct run){.v = NEW_ARRAY(struct program, s->n + 1), .n = 1};
	for (size_t i = 0; i < s->n; i++) {
		const struct profile *counts = &s->v[i];
		if (counts->build == main.map.build)
			take_profile(&main, counts);
		else if (open_library(&r->v[r->n], counts))
			r->n++;
		else
			warn("%s has changed since it ran, as build %016lx: its counts are left out",
				counts->object[0] ? counts->object : "a shared object",
				(unsigned long)counts->build);
	}
	if (!main.counts.block)
		solve(&main);
	r->v[0] = main;
}

/* Each object records lost processes, all objects of a process the same ones: take the maximum. */
struct lost run_lost(const struct run *r)
{
	struct lost most = {0};
	for (size_t i = 0; i < r->n; i++) {
		const struct profile *p = &r->v[i].profile;
		most.processes = p->lost > most.processes ? p->lost : most.processes;
		most.threads = p->lost_threads > most.threads ? p->lost_threads : most.threads;
	}
	return most;
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

bool block_count(const struct program *p, const struct map_block *b, uint64_t *count)
{
	size_t i = (size_t)(b - p->map.block);
	*count = p->counts.block[i];
	return p->counts.block_known[i];
}

bool edge_count(const struct program *p, const struct map_edge *e, uint64_t *count)
{
	size_t i = (size_t)(e - p->map.edge);
	*count = p->counts.edge[i];
	return p->counts.edge_known[i];
}

bool program_has_flow(const struct program *p, const struct map_func *f)
{
	return p->counts.func_known[f - p->map.func];
}

static bool find_calls(const struct program *p, const struct map_func *f, uint64_t *calls)
{
	*calls = 0;
	if (f->entry != NO_COUNTER) {
		*calls = counter_value(&p->map, p->profile.count, f->entry);
		return true;
	}
	if (!program_has_flow(p, f))
		return true;
	for (size_t e = f->edge; e < f->edge + f->nedges; e++)
		if (!p->map.edge[e].from && p->map.edge[e].to == 1)
			return edge_count(p, &p->map.edge[e], calls);
	const struct map_block *b = p->map.block + f->block;
	return f->nblocks && b->offset == 0 && block_count(p, b, calls);
}

void run_need_blocks(const struct run *r)
{
	if (r->v[0].map.mode == LDX_MODE_NONE)
		die("%s: nothing is counted in mode none", r->v[0].path);
	if (r->v[0].map.mode == LDX_MODE_FUNCTIONS)
		die("%s: mode functions counts only the calls of functions", r->v[0].path);
}

void run_need_counts(const struct run *r)
{
	run_need_blocks(r);
	if (map_has_marks(&r->v[0].map))
		die("%s: mode cover records what was executed, not how often", r->v[0].path);
}

bool func_calls(const struct program *p, const struct map_func *f, uint64_t *calls)
{
	return find_calls(p, f, calls) && !map_has_marks(&p->map);
}

bool func_linked(const struct program *p, const struct map_func *f)
{
	uint64_t n;
	return f->address && program_code(p, f->address, &n);
}

const char *func_origin(const struct map_func *f)
{
	return *f->input ? f->input : f->file;
}

struct func_sum func_sum(const struct program *p, const struct map_func *f)
{
	struct func_sum s = {0};
	uint64_t count;
	if (!program_has_flow(p, f))
		s.counted = f->nblocks;
	for (size_t i = f->block; program_has_flow(p, f) && i < f->block + f->nblocks; i++) {
		const struct map_block *b = &p->map.block[i];
		if (!block_count(p, b, &count))
			continue;
		s.counted++;
		s.covered += count != 0;
		s.insns = add_sat(s.insns, mul_sat(count, b->insns));
	}
	s.calls_known = func_calls(p, f, &s.calls);
	s.insns_known = s.counted && !map_has_marks(&p->map);
	s.run = s.calls || s.covered;
	return s;
}
