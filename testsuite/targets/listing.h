/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing.h - what the tests of decoders read of a disassembly
 *
 * The text is what `objdump -dw --show-raw-insn' prints for CPUs whose instructions are shown as
 * one number.
 */
#ifndef LDX_TESTSUITE_LISTING_H
#define LDX_TESTSUITE_LISTING_H

#include "targets/target.h"

#include <ctype.h>
#include <stdlib.h>

struct line {
	uint64_t addr;
	uint32_t w;
	char text[256]; /* mnemonic and operands */
};

static struct {
	unsigned long wrong, vague;
	bool list_vague;
} listing;

static void complain(uint64_t addr, uint32_t w, const char *text, const char *what)
{
	if (listing.wrong++ < 60)
		printf("%s: %llx %08x %s\n", what, (unsigned long long)addr, w, text);
}

/* Is it the mnemonic, or that with a condition or a type? */
static bool is(const char *text, const char *mnemonic)
{
	size_t n = strlen(mnemonic);

	return !strncmp(text, mnemonic, n) && (!text[n] || strchr(" \t.", text[n]));
}

static inline bool is_one_of(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (is(text, *list))
			return true;
	return false;
}

/*
 * The registers that the operands name; *first: the first operand, if it is one of them, or -1.
 * number(): of the name of n characters, -1: it is none, or one that is always 0.
 */
static regset regs_of(const char *s, int (*number)(const char *name, size_t n), int *first)
{
	regset set = 0;

	*first = -1;
	s += strcspn(s, " \t");
	s += strspn(s, " \t");
	const char *start = s;
	while (*s && *s != '<' && strncmp(s, "//", 2) != 0 && strncmp(s, "# ", 2) != 0) {
		size_t n = 0;
		while (isalnum((unsigned char)s[n]) || (s[n] && strchr("$_.#", s[n])))
			n++;
		/* the address of a branch is no register: a0 */
		int r = n && strncmp(s + n, " <", 2) != 0 ? number(s, n) : -1;
		if (r >= 0)
			set |= REG_BIT(r);
		if (r >= 0 && s == start)
			*first = r;
		s += n ? n : 1;
	}
	return set;
}

/* The address behind the last comma or blank, in front of <symbol>. */
static bool target_of(const char *s, uint64_t *to)
{
	const char *symbol = strstr(s, " <"), *p = symbol;
	char *end;

	if (!symbol)
		return false;
	while (p > s && isxdigit((unsigned char)p[-1]))
		p--;
	*to = strtoull(p, &end, 16);
	return end == symbol && p > s && !isxdigit((unsigned char)p[-1]);
}

static bool is_vague(uint32_t w, const char *text, unsigned flags)
{
	if (!(flags & INSN_VAGUE))
		return false;
	listing.vague++;
	if (listing.list_vague)
		printf("vague\t%08x\t%s\n", w, text);
	return true;
}

/* Calls check for each instruction of standard input, and pair for those of four bytes and the
 * next. */
static void read_listing(void (*check)(uint64_t addr, uint32_t w, const char *text),
	void (*pair)(const struct line *first, const struct line *second))
{
	static char *line;
	static size_t cap;
	struct line before = {0};

	while (getline(&line, &cap, stdin) > 0) {
		struct line l = {0};
		char *end, *s = line;
		l.addr = strtoull(s, &end, 16);
		if (end == s || *end != ':')
			continue;
		s = end + 1;
		l.w = (uint32_t)strtoul(s, &end, 16);
		end += strspn(end, " \t");
		end[strcspn(end, "\n")] = 0;
		if (end == s || !*end)
			continue;
		snprintf(l.text, sizeof l.text, "%s", end);
		check(l.addr, l.w, l.text);
		if (pair && *before.text && l.addr == before.addr + 4)
			pair(&before, &l);
		before = l;
	}
}

#endif
