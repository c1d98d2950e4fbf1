/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records.c - records, strings, enumerations and many small functions
 *
 * The mixture of statements that Dhrystone stands for: nearly no loops, short
 * basic blocks, a call every ten instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel.h"

enum colour { RED, GREEN, BLUE, WHITE, BLACK };

struct record {
	struct record *next;
	enum colour colour;
	int number;
	char name[32];
};

#define OWN __attribute__((noinline))

static struct record *here, *there;
static int table[64], grid[64][64], total;
static char mark;

static OWN int is_dark(enum colour c)
{
	return c == BLUE || c == BLACK;
}

static OWN enum colour mix(enum colour a, enum colour b)
{
	switch (a) {
	case RED: return b == GREEN ? WHITE : RED;
	case GREEN: return total > 100 ? RED : BLUE;
	case BLUE: return is_dark(b) ? BLACK : GREEN;
	case WHITE: return b;
	default: return is_dark(a) ? GREEN : WHITE;
	}
}

static OWN int shift(int a, int b)
{
	return a + 2 + b;
}

static OWN void fill(int *row, int (*field)[64], int at, int value)
{
	int k = at + 5;

	row[k] = value;
	row[k + 1] = row[k];
	row[k + 30] = k;
	for (int i = k; i <= k + 1; i++)
		field[k][i] = k;
	field[k][k - 1]++;
	field[k + 20][k] = row[k];
	total = 5;
}

static OWN int same_letter(char a, char b)
{
	char c = a;

	if (c != b)
		return 0;
	mark = c;
	return 1;
}

static OWN int follows(const char *a, const char *b)
{
	int i = 2;
	char seen = 'A';

	while (i <= 2)
		if (!same_letter(a[i], b[i + 1])) {
			seen = 'B';
			i++;
		} else {
			break;
		}
	if (seen >= 'W' && seen < 'Z')
		i = 7;
	if (seen == 'R')
		return 1;
	if (strcmp(a, b) <= 0)
		return 0;
	total = i + 7;
	return 1;
}

static OWN void link_next(struct record *r)
{
	struct record *n = r->next;

	*n = *there;
	r->number = 5;
	n->number = r->number;
	n->next = r->next;
	n->colour = mix(n->colour, r->colour);
	if (n->colour == WHITE) {
		n->number = shift(6, n->number);
		n->next = there->next;
	} else {
		*r = *n;
		r->next = n;
	}
}

static OWN void step(int i)
{
	static const char a[] = "SOME PROGRAM, 1'ST STRING";
	int x = 2, y = 3, z = 0;
	char b[32];

	strcpy(b, "SOME PROGRAM, 2'ND STRING");
	while (x < y) {
		z = 5 * x - y;
		z = shift(z, x) - 9;
		x++;
	}
	fill(table, grid, x, z);
	here->next = here == there ? here : here->next;
	link_next(here);
	for (char c = 'A'; c <= 'C'; c++)
		if (same_letter(c, 'C'))
			here->colour = mix(here->colour, (enum colour)(i % 5));
	if (!follows(a, b))
		y = x * (i & 7);
	x = y / (z + 7);
	total += x + mark + is_dark(here->colour);
}

int main(int argc, char **argv)
{
	int n = rounds(argc, 10000000);

	(void)argv;
	here = calloc(1, sizeof *here);
	there = calloc(1, sizeof *there);
	here->next = there;
	there->next = here;
	strcpy(there->name, "SOME PROGRAM");
	there->colour = GREEN;
	unsigned sum = 0;

	for (int i = 0; i < n; i++) {
		step(i);
		sum = sum * 31 + (unsigned)total;
	}
	printf("%u %d %d %s\n", sum, table[8], here->number, here->name);
	return 0;
}
