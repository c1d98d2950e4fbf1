/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - reading, adding and writing profiles
 */
#include "report/profile.h"

#include "report/util.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t counters_size(uint64_t n)
{
	return (n * 8 + LDX_PAGE - 1) & ~(uint64_t)(LDX_PAGE - 1);
}

/* The header, checked against the size of the file. */
static void read_header(const struct input *in, struct ldx_profile_header *h)
{
	if (in->size >= sizeof *h)
		memcpy(h, in->data, sizeof *h);
	if (in->size < LDX_PAGE || h->magic != LDX_PROFILE_MAGIC)
		die("%s: not a profile of ldx", in->path);
	if (h->ncounters > UINT64_MAX / 16 ||
		h->slot_size != LDX_PAGE + counters_size(h->ncounters))
		die("%s: the header of the profile is damaged", in->path);
	if (h->nslots > (in->size - LDX_PAGE) / h->slot_size)
		die("%s: the profile is truncated: it has no room for its %lu slots", in->path,
			(unsigned long)h->nslots);
	h->program[sizeof h->program - 1] = '\0';
	h->command[sizeof h->command - 1] = '\0';
}

static const uint8_t *slot_data(
	const struct input *in, const struct ldx_profile_header *h, uint64_t slot)
{
	return in->data + LDX_PAGE + slot * h->slot_size;
}

/* The owner may be counting: each counter is read once, as a whole. */
static void add_slot(struct profile *p, const uint8_t *slot)
{
	const volatile uint64_t *head = (const volatile uint64_t *)slot;
	const volatile uint64_t *count = (const volatile uint64_t *)(slot + LDX_PAGE);
	if (head[0] != 1)
		return;
	for (uint64_t i = 0; i < p->ncounters; i++)
		p->count[i] = add_sat(p->count[i], count[i]);
}

bool profile_add(struct profile *p, const char *path)
{
	struct input in;
	struct ldx_profile_header h = {0};
	if (!input_open(&in, path))
		return false;
	read_header(&in, &h);
	if (!p->files) {
		p->build = h.build;
		p->ncounters = h.ncounters;
		memcpy(p->program, h.program, sizeof p->program);
		memcpy(p->command, h.command, sizeof p->command);
	}
	if (p->build != h.build || p->ncounters != h.ncounters)
		die("%s: the profile is of build %016lx, not %016lx", path, (unsigned long)h.build,
			(unsigned long)p->build);
	/* Without slots nothing bounds the number of counters. */
	if (h.nslots && !p->count)
		p->count = NEW_ARRAY(uint64_t, h.ncounters);
	for (uint64_t i = 0; i < h.nslots; i++)
		add_slot(p, slot_data(&in, &h, i));
	p->files++;
	p->runs = add_sat(p->runs, h.runs);
	p->lost = add_sat(p->lost, h.lost);
	input_close(&in);
	return true;
}

bool profile_build(const char *path, uint64_t *build)
{
	struct input in;
	struct ldx_profile_header h = {0};
	if (!input_open(&in, path))
		return false;
	if (in.size >= sizeof h)
		memcpy(&h, in.data, sizeof h);
	*build = h.build;
	input_close(&in);
	return h.magic == LDX_PROFILE_MAGIC;
}

static void write_all(const struct profile *p, FILE *f, const char *path)
{
	static char page[LDX_PAGE];
	struct ldx_profile_header h = {.magic = LDX_PROFILE_MAGIC,
		.build = p->build,
		.ncounters = p->ncounters,
		.slot_size = LDX_PAGE + counters_size(p->ncounters),
		.nslots = p->count != NULL,
		.runs = p->runs,
		.lost = p->lost};
	struct ldx_slot_header s = {.used = 1};
	size_t rest = counters_size(p->ncounters) - p->ncounters * 8;
	memcpy(h.program, p->program, sizeof h.program);
	memcpy(h.command, p->command, sizeof h.command);
	fwrite(&h, sizeof h, 1, f);
	fwrite(page, LDX_PAGE - sizeof h, 1, f);
	if (p->count) {
		fwrite(&s, sizeof s, 1, f);
		fwrite(page, LDX_PAGE - sizeof s, 1, f);
		fwrite(p->count, 8, p->ncounters, f);
		fwrite(page, 1, rest, f);
	}
	if (fflush(f) || ferror(f))
		die("cannot write %s: %s", path, strerror(errno));
}

static const char *volatile unfinished;

static void remove_unfinished(void)
{
	if (unfinished)
		unlink(unfinished);
}

static void on_signal(int sig)
{
	remove_unfinished();
	raise(sig); /* SA_RESETHAND: ends the process now */
}

/* Whatever ends us before the file has its name, it goes. */
static void mark_unfinished(const char *path)
{
	struct sigaction old,
		act = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_NODEFER};
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
	unfinished = path;
	atexit(remove_unfinished);
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		if (!sigaction(ends[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(ends[i], &act, NULL);
}

void profile_write(const struct profile *p, const char *path)
{
	struct stat st;
	bool special = !stat(path, &st) && !S_ISREG(st.st_mode);
	char *tmp = new_string("%s.XXXXXX", path);
	int fd = special ? open(path, O_WRONLY | O_CLOEXEC) : mkstemp(tmp);
	if (fd < 0)
		die("cannot write %s: %s", path, strerror(errno));
	if (!special) {
		mode_t mask = umask(0);
		umask(mask);
		fchmod(fd, 0666 & ~mask);
		mark_unfinished(tmp);
	}
	FILE *f = fdopen(fd, "wb");
	if (!f)
		die("out of memory");
	write_all(p, f, special ? path : tmp);
	if (fclose(f) || (!special && rename(tmp, path)))
		die("cannot write %s: %s", path, strerror(errno));
	unfinished = NULL;
}

static bool is_locked(int fd, uint64_t at)
{
	struct flock l = {.l_type = F_WRLCK, .l_start = (off_t)at, .l_len = 1};
	return !fcntl(fd, F_OFD_GETLK, &l) && l.l_type != F_UNLCK;
}

/* A text that came from the file may hold anything. */
static void put_text(FILE *out, const char *s)
{
	for (; *s; s++)
		fputc((unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s, out);
}

static void put_command(FILE *out, const struct ldx_profile_header *h)
{
	for (const char *s = h->command; s < h->command + sizeof h->command && *s;) {
		if (s != h->command)
			fputc(' ', out);
		put_text(out, s);
		s += strlen(s) + 1;
	}
}

void profile_info(const char *path, FILE *out)
{
	struct input in;
	struct ldx_profile_header h = {0};
	uint64_t live = 0, used = 0;
	if (!input_open(&in, path))
		die("cannot open %s: %s", path, strerror(ENOENT));
	read_header(&in, &h);
	for (uint64_t i = 0; i < h.nslots; i++) {
		used += *(const volatile uint64_t *)slot_data(&in, &h, i) == 1;
		live += is_locked(in.fd, LDX_PAGE + i * h.slot_size);
	}
	fprintf(out, "program:   ");
	put_text(out, h.program);
	fprintf(out, "\ncommand:   ");
	put_command(out, &h);
	fprintf(out, "\nbuild:     %016lx\ncounters:  %lu\n", (unsigned long)h.build,
		(unsigned long)h.ncounters);
	fprintf(out, "slots:     %lu, %lu in use, %lu of running processes\n",
		(unsigned long)h.nslots, (unsigned long)used, (unsigned long)live);
	fprintf(out, "processes: %lu\nlost:      %lu\n", (unsigned long)h.runs,
		(unsigned long)h.lost);
	input_close(&in);
}
