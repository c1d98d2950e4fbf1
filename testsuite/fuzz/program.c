/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c - fuzz target: ldxprof's reading of a program, its map and its code
 *
 * The input is an instrumented program.  Its profile is made here, for the build
 * and the number of counters its map tells.
 */
#include "fuzz.h"

#include "report/figures/views.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "p"
#define PROFILE PROGRAM ".ldxprof"

static void write_profile(const struct static_map *m)
{
	enum { MOST = 4096 };
	static struct {
		char page[2][LDX_PAGE];
		uint64_t count[MOST];
	} file;
	uint64_t n = m->ncounters <= MOST ? m->ncounters : 0;
	uint64_t size = LDX_PAGE + (n * 8 + LDX_PAGE - 1) / LDX_PAGE * LDX_PAGE;
	struct ldx_profile_header h = {.magic = LDX_PROFILE_MAGIC,
		.build = m->build,
		.end = LDX_PAGE + size};
	struct ldx_slot_header s = {.used = 1,
		.build = m->build,
		.ncounters = n,
		.size = size,
		.runs = 1};
	memcpy(file.page[0], &h, sizeof h);
	memcpy(file.page[1], &s, sizeof s);
	for (uint64_t i = 0; i < MOST; i++)
		file.count[i] = i % 5 == 4 ? UINT64_MAX / 2 : i % 3 * 1000;
	fuzz_file(PROFILE, &file, h.end);
}

static void show(const struct run *run)
{
	const struct program *p = run->v;
	struct view_options opt = {.all = true};
	for (int format = FORMAT_TEXT; format <= FORMAT_TSV; format++) {
		opt.format = (enum format)format;
		opt.sort = (enum sort)(SORT_DEFAULT + format);
		view_functions(run, &opt, stdout);
		view_blocks(run, &opt, stdout);
		if (p->map.mode == LDX_MODE_BLOCKS || p->map.mode == LDX_MODE_EDGES) {
			view_lines(run, &opt, stdout);
			view_inlined(run, &opt, stdout);
		}
	}
	view_json(run, stdout);
	view_counts(run, false, stdout);
	view_counts(run, true, stdout);
	for (size_t i = 0; i < p->map.nfuncs && i < 4; i++)
		if (func_linked(p, &p->map.func[i]))
			view_annotation(run, &opt,
				&(struct annotate_options){.name = p->map.func[i].name,
					.assembly = true},
				stdout);
	view_symbol_order(run, stdout);
	view_call_graph_order(run, stdout);
	if (p->map.mode == LDX_MODE_EDGES)
		view_fdata(run, stdout);
	view_afdo(run, stdout);
	view_sample(run, stdout);
}

/* run_open() wants the profile, and the profile wants what the map says. */
void __real_static_map_read(struct static_map *m, const char *path, const uint8_t *data, size_t n);
void __wrap_static_map_read(struct static_map *m, const char *path, const uint8_t *data, size_t n);
void __wrap_static_map_read(struct static_map *m, const char *path, const uint8_t *data, size_t n)
{
	__real_static_map_read(m, path, data, n);
	write_profile(m);
}

/* The library frees the text. */
struct libscols_line;
int __real_scols_line_refer_data(struct libscols_line *line, size_t n, char *text);
int __wrap_scols_line_refer_data(struct libscols_line *line, size_t n, char *text);
int __wrap_scols_line_refer_data(struct libscols_line *line, size_t n, char *text)
{
	fuzz_forget(text);
	return __real_scols_line_refer_data(line, n, text);
}

static void read_program(void *arg)
{
	struct run run;
	char profile[] = PROFILE, *named[] = {profile}; /* none is looked for: there is no folder */
	(void)arg;
	run_open(&run, PROGRAM, named, 1);
	run_flows(&run);
	show(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_file(PROGRAM, data, n);
	fuzz_file(PROFILE, NULL, 0);
	fuzz_run(read_program, NULL);
	return 0;
}

static void put_build(uint8_t *data, size_t n, const char *magic, size_t size, uint64_t build)
{
	uint8_t *at = memmem(data, n, magic, size);
	if (at && (size_t)(data + n - at) >= 8 + sizeof build)
		memcpy(at + 8, &build, sizeof build);
}

/* A map is refused for its checksum when it is changed; the message says the right one. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
	static const char *const focus[] = {".ldx.map", ".ldx.info", ".text", NULL};
	static const char sign[] = "its checksum is ";
	n = mutate_elf(data, n, max, seed, focus);
	LLVMFuzzerTestOneInput(data, n);
	const char *sum = strstr(fuzz_message(), sign);
	if (sum) {
		uint64_t build = strtoull(sum + sizeof sign - 1, NULL, 16);
		uint64_t info = LDX_INFO_MAGIC;
		uint32_t map = LDX_MAP_MAGIC;
		put_build(data, n, (char *)&map, sizeof map, build);
		put_build(data, n, (char *)&info, sizeof info, build);
	}
	return n;
}
