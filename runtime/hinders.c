/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hinders.c - does code in the process set the base of %gs, or filter system calls?
 *
 * As the linker sees it in a program and its libraries (targets/x86_64/syscall.c): wrgsbase,
 * arch_prctl(2) by name or by number.  A filter (seccomp(2)) may forbid the system calls that make
 * a row for a new thread.  All files with code are read, by a copy of their memory, as another
 * thread may unload them.
 *
 * hazard: program sets %gs.  The program, or a library that is not instrumented, may use it:
 * then the threads of a library share its counters.
 */
#include "runtime/bases.h"
#include "runtime/sys.h"

enum { RANGES = 16, CHUNK = 4096, AROUND = 64, NEAR = 48 };
enum { NR_FILTER = 317, SET_FILTER = 22, SET_GS = 0x1001, NR_PRCTL = 158 };
/* What is found in a file; the last two together mean a filter. */
enum { FOUND_SETTER = 1, FOUND_FILTER = 2, FOUND_PRCTL = 4, FOUND_NUMBER = 8 };
#define READ_MOST ((uint64_t)512 << 20)

/* Memory of one file. */
static struct range {
	uint64_t at, end;
	bool code;
} range[RANGES];
static unsigned nranges;
static bool has_code, many; /* one of them has code; there are more than RANGES */
static char file[RT_PATH];
static uint64_t unread; /* bytes that may still be read */
static uint8_t chunk[AROUND + CHUNK + AROUND];
static bool begins[256];
static int mem;

/* Not the numbers and names themselves, which another one that looks for them would find here. */
static uint32_t hidden(uint32_t above)
{
	__asm__("" : "+r"(above));
	return above - 1;
}

static uint32_t word_at(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool is_own(const uint8_t *wrgsbase)
{
	return wrgsbase[-4] == 'l' && wrgsbase[-3] == 'd' && wrgsbase[-2] == 'x' &&
		wrgsbase[-1] == '!';
}

/* p is at ae of f3 [REX] 0f ae /3, if it is that. */
static bool is_wrgsbase(const uint8_t *p)
{
	return p[-1] == 0x0f && (p[1] & 0xf8) == 0xd8 &&
		(p[-2] == 0xf3 || (p[-3] == 0xf3 && (p[-2] & 0xf0) == 0x40 && !is_own(p - 3)));
}

/* The number of arch_prctl(2) near that of what it is to do. */
static bool has_number_near(const uint8_t *p)
{
	uint32_t number = hidden(NR_PRCTL + 1);
	for (int i = -NEAR; i <= NEAR; i++)
		if (word_at(p + i) == number)
			return true;
	return false;
}

static bool is_name(const uint8_t *p, const char *above)
{
	for (; *above; above++, p++)
		if (*p != (uint8_t)(*above - 1))
			return false;
	return true;
}

/* mov of a number to %edi, the first argument. */
static bool moves_to_edi(const uint8_t *p, uint32_t number)
{
	return p[0] == 0xbf && word_at(p + 1) == number;
}

/* What begins at p. */
static unsigned found_at(const uint8_t *p, bool code)
{
	uint32_t set_gs = hidden(SET_GS + 1), seccomp = hidden(NR_FILTER + 1);
	bool number = code && (p[0] == 0xb8 || p[0] == 0xbf) && word_at(p + 1) == seccomp;
	if (is_name(p, "bsdi`qsdum\1") || (code && p[0] == 0xae && is_wrgsbase(p)) ||
		(code && word_at(p) == set_gs && has_number_near(p)))
		return FOUND_SETTER;
	if (is_name(p, "tfddpnq`") || number)
		return FOUND_FILTER;
	if (is_name(p, "qsdum\1") && !p[-1])
		return FOUND_PRCTL;
	return code && moves_to_edi(p, hidden(SET_FILTER + 1)) ? FOUND_NUMBER : 0;
}

/* The first bytes of all that. */
static void prepare(void)
{
	static const uint8_t first[] = {'a', 'p', 's', 0xae, 0xb8, 0xbf, SET_GS & 0xff};
	for (unsigned i = 0; i < sizeof first; i++)
		begins[first[i]] = true;
}

/* What begins in n bytes from p on; AROUND bytes before and behind are there, too. */
static unsigned found_in(const uint8_t *p, uint64_t n, bool code)
{
	unsigned found = 0;
	for (const uint8_t *end = p + n; p < end; p++)
		if (begins[*p])
			found |= found_at(p, code);
	return found;
}

/* In steps that overlap; what cannot be read is not known. */
static unsigned found_between(uint64_t at, uint64_t end, bool code)
{
	unsigned found = 0;
	for (unsigned i = 0; i < sizeof chunk; i++)
		chunk[i] = 0;
	for (; at < end; at += CHUNK) {
		uint64_t n = end - at < CHUNK + AROUND ? end - at : CHUNK + AROUND;
		for (unsigned i = 0; i < AROUND; i++)
			chunk[i] = chunk[i + CHUNK];
		long got = unread < n ? 0 : sys_pread(mem, chunk + AROUND, n, at);
		if (got <= 0)
			return FOUND_SETTER;
		for (uint64_t i = AROUND + (uint64_t)got; i < sizeof chunk; i++)
			chunk[i] = 0;
		found |= found_in(chunk + AROUND, n < CHUNK ? n : CHUNK, code);
		unread -= n;
	}
	return found;
}

/* The C library has the function, and calls it for %fs. */
static bool is_libc(const char *from)
{
	const char *name = from;
	for (const char *p = from; *p; p++)
		name = *p == '/' ? p + 1 : name;
	return __ldx_after(name, "libc.") || __ldx_after(name, "libc-") ||
		__ldx_after(name, "ld-") || __ldx_after(name, "ld.");
}

/* Of all ranges of a file. */
static bool file_hinders(void)
{
	unsigned found = has_code && many ? FOUND_SETTER : 0;
	for (unsigned i = 0; i < nranges && has_code && !is_libc(file); i++)
		found |= found_between(range[i].at, range[i].end, range[i].code);
	nranges = 0;
	has_code = many = false;
	return found & (FOUND_SETTER | FOUND_FILTER) ||
		(found & FOUND_PRCTL && found & FOUND_NUMBER);
}

/* One line of /proc/self/maps: of a file, and the program may read it, but not write. */
static bool take_line(const char *line, const char *from)
{
	bool hinders = false;
	if (!__ldx_same(file, from)) {
		hinders = file_hinders();
		size_t n = __ldx_length(from);
		for (size_t i = 0; i <= n && i < sizeof file; i++)
			file[i] = from[i];
		file[sizeof file - 1] = '\0';
	}
	struct range r = {.at = __ldx_hex(&line)};
	line++;
	r.end = __ldx_hex(&line);
	r.code = line[3] == 'x';
	if (line[1] == 'r' && (line[2] != 'w' || r.code)) {
		many |= nranges == RANGES;
		if (nranges < RANGES)
			range[nranges++] = r;
		has_code |= r.code;
	}
	return hinders;
}

static bool any_hinders(void)
{
	bool hinders = false;
	prepare();
	unread = READ_MOST;
	nranges = 0;
	file[0] = '\0';
	has_code = many = false;
	for (char *line; !hinders && (line = __ldx_records_next(&__ldx_records));) {
		const char *from = line;
		while (*from && *from != '/')
			from++;
		if (*from)
			hinders = take_line(line, from);
	}
	return file_hinders() || hinders;
}

/* Of the lines about code, and their number. */
static uint64_t sum_code(void)
{
	uint64_t sum = 0xcbf29ce484222325;
	for (char *line; (line = __ldx_records_next(&__ldx_records));) {
		const char *p = line;
		while (*p && *p != ' ')
			p++;
		for (p = *p && p[3] == 'x' ? line : ""; *p; p++)
			sum = (sum ^ (uint8_t)*p) * 0x100000001b3;
	}
	return sum | 1;
}

/* A pass over the lines: the sum if it is NULL, or what it says. */
static uint64_t pass(bool (*f)(void))
{
	if (!__ldx_records_open(&__ldx_records, "/proc/self/maps", '\n'))
		return f != NULL;
	uint64_t r = f ? f() : sum_code();
	__ldx_records_close(&__ldx_records);
	return r;
}

bool __ldx_bases_hindered(uint64_t *known)
{
	uint64_t sum = pass(NULL);
	if (sum && sum == *known)
		return false;
	mem = (int)sys_open("/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
	if (mem < 0)
		return true;
	bool hinders = pass(any_hinders);
	sys_close(mem);
	*known = hinders ? 0 : sum;
	return hinders;
}
