/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numbers.c - numbers of variable length: what is written is read, what does not fit is bad
 */
#include "base/base.h"
#include "testsuite/check.h"

#include <stdlib.h>

static void check_unsigned(const char *bytes, size_t n, bool good, uint64_t x)
{
	struct reader r = reader_make(bytes, n);
	uint64_t got = read_uleb(&r);
	CHECK(r.bad == !good && got == x, "unsigned number of %zu bytes: %llx, %s", n,
		(unsigned long long)got, r.bad ? "bad" : "good");
}

static void check_signed(const char *bytes, size_t n, bool good, int64_t x)
{
	struct reader r = reader_make(bytes, n);
	int64_t got = read_sleb(&r);
	CHECK(r.bad == !good && got == x, "signed number of %zu bytes: %llx, %s", n,
		(unsigned long long)got, r.bad ? "bad" : "good");
}

#define NINE "\xff\xff\xff\xff\xff\xff\xff\xff\xff"
#define ZEROS "\x80\x80\x80\x80\x80\x80\x80\x80\x80"

static void check_widths(void)
{
	check_unsigned(NINE "\x01", 10, true, UINT64_MAX);
	check_unsigned(NINE "\x7f", 10, false, 0);
	check_unsigned(ZEROS "\x02", 10, false, 0);
	check_unsigned(ZEROS "\x80\x00", 11, true, 0);
	check_unsigned(ZEROS "\x80\x01", 11, false, 0);
	check_unsigned(NINE, 9, false, 0);
	check_signed(NINE "\x7f", 10, true, -1);
	check_signed(ZEROS "\x7f", 10, true, INT64_MIN);
	check_signed(NINE "\x00", 10, true, INT64_MAX);
	check_signed(NINE "\x01", 10, false, 0);
	check_signed(NINE "\x3f", 10, false, 0);
	check_signed(NINE "\xff\x7f", 11, true, -1);
	check_signed(NINE "\xff\x00", 11, false, 0);
	check_signed(NINE, 9, false, 0);
}

static void check_round(uint64_t x)
{
	struct buf b = {0};
	buf_uleb(&b, x);
	buf_sleb(&b, (int64_t)x);
	struct reader r = reader_make(b.v, b.n);
	uint64_t u = read_uleb(&r);
	int64_t s = read_sleb(&r);
	CHECK(u == x && s == (int64_t)x && !r.bad && r.p == r.end, "%llx is read as %llx and %llx",
		(unsigned long long)x, (unsigned long long)u, (unsigned long long)s);
	vec_free(&b);
}

int main(void)
{
	check_widths();
	for (unsigned bit = 0; bit < 64; bit++)
		for (int d = -1; d <= 1; d++) {
			check_round(((uint64_t)1 << bit) + (uint64_t)d);
			check_round(0 - ((uint64_t)1 << bit) + (uint64_t)d);
		}
	return check_report();
}
