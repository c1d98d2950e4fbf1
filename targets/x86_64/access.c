/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.c - what an instruction does to memory, and where control goes behind it
 *
 * Memory operands of general registers have the sizes of effect.c's rows, those of vectors of the
 * table below, from the Intel SDM, volume 2.  What has no row is not known: XOP, FMA4, half
 * precision, bit strings in memory, the state of other units, and what is masked if its elements
 * are not said.
 */
#include "targets/access.h"
#include "targets/x86_64/x86_64.h"

enum { L = 1 << X86_LEGACY, V = 1 << X86_VEX, E = 1 << X86_EVEX };
enum { VE = V | E, LV = L | V, ANY = L | V | E };
enum { NP = 1 << X86_NP, P6 = 1 << X86_66, F3 = 1 << X86_F3, F2 = 1 << X86_F2 };

/*
 * Words of `size access elements value':
 *
 *	V H Q O		all of a vector, half of it, a quarter, an eighth
 *	1 2 4 8 X Y	bytes, 16, 32
 *	y		4, 8 by W
 *	s		scalars of prefixes: V, V, 4, 8 without one, with 66, f3, f2
 *	c t h e i	4, 8, -, -; 8, 16, 4, 8; H, V, 4, 8; -, V, H, V; V, V, 8, V
 *	m p q		V, of MMX registers 8; 4; X, of MMX registers 8
 *	d		V, but 8 of 16
 *	k		2, 1, -, - or with W 8, 4
 *
 * Access: r(ead), w(rite).  Elements, for masks: y as above, b: 1, 2 by W, f: 4, 8 by prefix 66,
 * j: b with f2, else y; 1 2 4; -: not said.  Value: v: it is the one of the vector register.
 */
struct memory_row {
	uint8_t enc, map, lo, hi, pp;
	char what[5];
};

/* clang-format off */
static const struct memory_row rows[] = {
	{ANY, X86_0F, 0x10, 0x10, NP | P6, "Vrfv"}, {ANY, X86_0F, 0x10, 0x10, F3 | F2, "sr-v"},
	{ANY, X86_0F, 0x11, 0x11, NP | P6, "Vwfv"}, {ANY, X86_0F, 0x11, 0x11, F3 | F2, "sw-v"},
	{ANY, X86_0F, 0x12, 0x12, NP | P6, "8r-"}, {ANY, X86_0F, 0x12, 0x12, F3, "Vr-"},
	{ANY, X86_0F, 0x12, 0x12, F2, "dr-"},
	{ANY, X86_0F, 0x13, 0x13, NP | P6, "8w-v"},
	{ANY, X86_0F, 0x14, 0x15, NP | P6, "Vrf"},
	{ANY, X86_0F, 0x16, 0x16, NP | P6, "8r-"}, {ANY, X86_0F, 0x16, 0x16, F3, "Vr-"},
	{ANY, X86_0F, 0x17, 0x17, NP | P6, "8w-"},
	{ANY, X86_0F, 0x28, 0x28, NP | P6, "Vrfv"}, {ANY, X86_0F, 0x29, 0x29, NP | P6, "Vwfv"},
	{L, X86_0F, 0x2a, 0x2a, NP | P6, "8r-"}, {ANY, X86_0F, 0x2a, 0x2a, F3 | F2, "yr-"},
	{ANY, X86_0F, 0x2b, 0x2b, NP | P6, "Vw-v"},
	{L, X86_0F, 0x2c, 0x2d, NP | P6, "tr-"}, {ANY, X86_0F, 0x2c, 0x2d, F3 | F2, "tr-"},
	{ANY, X86_0F, 0x2e, 0x2f, NP | P6, "cr-"},
	{ANY, X86_0F, 0x51, 0x51, 0, "sr-"}, {LV, X86_0F, 0x52, 0x53, NP | F3, "sr-"},
	{ANY, X86_0F, 0x54, 0x57, NP | P6, "Vrf"},
	{ANY, X86_0F, 0x58, 0x59, 0, "sr-"}, {ANY, X86_0F, 0x5a, 0x5a, 0, "hr-"},
	{ANY, X86_0F, 0x5b, 0x5b, NP | P6 | F3, "Vr-"}, {ANY, X86_0F, 0x5c, 0x5f, 0, "sr-"},
	{L, X86_0F, 0x60, 0x62, NP, "pr-"}, {ANY, X86_0F, 0x60, 0x62, P6, "Vr-"},
	{L, X86_0F, 0x63, 0x6b, NP, "mr-"}, {ANY, X86_0F, 0x63, 0x63, P6, "Vr-"},
	{ANY, X86_0F, 0x64, 0x66, P6, "Vr-"},
	{ANY, X86_0F, 0x67, 0x6d, P6, "Vr-"},
	{L, X86_0F, 0x6e, 0x6e, NP, "yr-"}, {ANY, X86_0F, 0x6e, 0x6e, P6, "yr-v"},
	{L, X86_0F, 0x6f, 0x6f, NP, "8r-"}, {ANY, X86_0F, 0x6f, 0x6f, P6 | F3, "Vrjv"},
	{E, X86_0F, 0x6f, 0x6f, F2, "Vrjv"},
	{L, X86_0F, 0x70, 0x70, NP, "8r-"}, {ANY, X86_0F, 0x70, 0x70, P6 | F3 | F2, "Vr-"},
	{E, X86_0F, 0x71, 0x73, P6, "Vr-"},
	{L, X86_0F, 0x74, 0x76, NP, "8r-"}, {ANY, X86_0F, 0x74, 0x74, P6, "Vr1"},
	{ANY, X86_0F, 0x75, 0x75, P6, "Vr2"}, {ANY, X86_0F, 0x76, 0x76, P6, "Vr4"},
	{E, X86_0F, 0x78, 0x79, NP, "Vr-"}, {E, X86_0F, 0x78, 0x79, F3 | F2, "sr-"},
	{LV, X86_0F, 0x7c, 0x7d, P6 | F2, "Vr-"},
	{L, X86_0F, 0x7e, 0x7e, NP, "yw-"}, {ANY, X86_0F, 0x7e, 0x7e, P6, "yw-v"},
	{ANY, X86_0F, 0x7e, 0x7e, F3, "8r-v"},
	{L, X86_0F, 0x7f, 0x7f, NP, "8w-"}, {ANY, X86_0F, 0x7f, 0x7f, P6 | F3, "Vwjv"},
	{E, X86_0F, 0x7f, 0x7f, F2, "Vwjv"},
	{E, X86_0F, 0x7b, 0x7b, F3 | F2, "yr-"},
	{V, X86_0F, 0x90, 0x90, NP | P6, "kr-"}, {V, X86_0F, 0x91, 0x91, NP | P6, "kw-"},
	{ANY, X86_0F, 0xc2, 0xc2, 0, "sr-"},
	{ANY, X86_0F, 0xc4, 0xc4, NP | P6, "2r-"}, {ANY, X86_0F, 0xc6, 0xc6, NP | P6, "Vr-"},
	{LV, X86_0F, 0xd0, 0xd0, P6 | F2, "Vr-"}, {ANY, X86_0F, 0xd1, 0xd3, NP | P6, "qr-"},
	{ANY, X86_0F, 0xd4, 0xd5, NP | P6, "mr-"}, {ANY, X86_0F, 0xd6, 0xd6, P6, "8w-v"},
	{ANY, X86_0F, 0xd8, 0xd9, NP | P6, "mr-"}, {ANY, X86_0F, 0xda, 0xda, NP | P6, "mr1"},
	{ANY, X86_0F, 0xdb, 0xe0, NP | P6, "mr-"}, {ANY, X86_0F, 0xe1, 0xe2, NP | P6, "qr-"},
	{ANY, X86_0F, 0xe3, 0xe5, NP | P6, "mr-"}, {ANY, X86_0F, 0xe6, 0xe6, P6 | F3 | F2, "er-"},
	{L, X86_0F, 0xe7, 0xe7, NP, "8w-"}, {ANY, X86_0F, 0xe7, 0xe7, P6, "Vw-v"},
	{ANY, X86_0F, 0xe8, 0xef, NP | P6, "mr-"}, {LV, X86_0F, 0xf0, 0xf0, F2, "Vr-v"},
	{ANY, X86_0F, 0xf1, 0xf3, NP | P6, "qr-"}, {ANY, X86_0F, 0xf4, 0xf6, NP | P6, "mr-"},
	{ANY, X86_0F, 0xf8, 0xfe, NP | P6, "mr-"},

	{LV | E, X86_0F38, 0x00, 0x0b, NP | P6, "mr-"}, {VE, X86_0F38, 0x0c, 0x0d, P6, "Vr-"},
	{V, X86_0F38, 0x0e, 0x0f, P6, "Vr-"},
	{L, X86_0F38, 0x10, 0x17, P6, "Xr-"},
	{E, X86_0F38, 0x10, 0x10, F3, "Hw-"}, {E, X86_0F38, 0x11, 0x11, F3, "Qw-"},
	{E, X86_0F38, 0x12, 0x12, F3, "Ow-"}, {E, X86_0F38, 0x13, 0x13, F3, "Hw-"},
	{E, X86_0F38, 0x14, 0x14, F3, "Qw-"}, {E, X86_0F38, 0x15, 0x15, F3, "Hw-"},
	{E, X86_0F38, 0x10, 0x12, P6, "Vr-"}, {VE, X86_0F38, 0x13, 0x13, P6, "Hr-"},
	{E, X86_0F38, 0x14, 0x15, P6, "Vr-"}, {VE, X86_0F38, 0x16, 0x16, P6, "Vr-"},
	{V, X86_0F38, 0x17, 0x17, P6, "Vr-"},
	{VE, X86_0F38, 0x18, 0x18, P6, "4r-"}, {VE, X86_0F38, 0x19, 0x19, P6, "8r-"},
	{VE, X86_0F38, 0x1a, 0x1a, P6, "Xr-"}, {E, X86_0F38, 0x1b, 0x1b, P6, "Yr-"},
	{ANY, X86_0F38, 0x1c, 0x1f, NP | P6, "mr-"},
	{ANY, X86_0F38, 0x20, 0x20, P6, "Hr-"}, {ANY, X86_0F38, 0x21, 0x21, P6, "Qr-"},
	{ANY, X86_0F38, 0x22, 0x22, P6, "Or-"}, {ANY, X86_0F38, 0x23, 0x23, P6, "Hr-"},
	{ANY, X86_0F38, 0x24, 0x24, P6, "Qr-"}, {ANY, X86_0F38, 0x25, 0x25, P6, "Hr-"},
	{E, X86_0F38, 0x20, 0x20, F3, "Hw-"}, {E, X86_0F38, 0x21, 0x21, F3, "Qw-"},
	{E, X86_0F38, 0x22, 0x22, F3, "Ow-"}, {E, X86_0F38, 0x23, 0x23, F3, "Hw-"},
	{E, X86_0F38, 0x24, 0x24, F3, "Qw-"}, {E, X86_0F38, 0x25, 0x25, F3, "Hw-"},
	{E, X86_0F38, 0x26, 0x26, P6 | F3, "Vrb"}, {E, X86_0F38, 0x27, 0x27, P6 | F3, "Vry"},
	{ANY, X86_0F38, 0x28, 0x29, P6, "Vr-"}, {ANY, X86_0F38, 0x2a, 0x2a, P6, "Vr-v"},
	{ANY, X86_0F38, 0x2b, 0x2b, P6, "Vr-"}, {E, X86_0F38, 0x2c, 0x2c, P6, "Vr-"},
	{E, X86_0F38, 0x2d, 0x2d, P6, "yr-"},
	{ANY, X86_0F38, 0x30, 0x30, P6, "Hr-"}, {ANY, X86_0F38, 0x31, 0x31, P6, "Qr-"},
	{ANY, X86_0F38, 0x32, 0x32, P6, "Or-"}, {ANY, X86_0F38, 0x33, 0x33, P6, "Hr-"},
	{ANY, X86_0F38, 0x34, 0x34, P6, "Qr-"}, {ANY, X86_0F38, 0x35, 0x35, P6, "Hr-"},
	{E, X86_0F38, 0x30, 0x30, F3, "Hw-"}, {E, X86_0F38, 0x31, 0x31, F3, "Qw-"},
	{E, X86_0F38, 0x32, 0x32, F3, "Ow-"}, {E, X86_0F38, 0x33, 0x33, F3, "Hw-"},
	{E, X86_0F38, 0x34, 0x34, F3, "Qw-"}, {E, X86_0F38, 0x35, 0x35, F3, "Hw-"},
	{VE, X86_0F38, 0x36, 0x36, P6, "Vr-"}, {ANY, X86_0F38, 0x37, 0x40, P6, "Vr-"},
	{LV, X86_0F38, 0x41, 0x41, P6, "Xr-"},
	{E, X86_0F38, 0x42, 0x42, P6, "Vr-"}, {E, X86_0F38, 0x43, 0x43, P6, "yr-"},
	{E, X86_0F38, 0x44, 0x44, P6, "Vr-"}, {VE, X86_0F38, 0x45, 0x47, P6, "Vr-"},
	{E, X86_0F38, 0x4c, 0x4c, P6, "Vr-"}, {E, X86_0F38, 0x4d, 0x4d, P6, "yr-"},
	{E, X86_0F38, 0x4e, 0x4e, P6, "Vr-"}, {E, X86_0F38, 0x4f, 0x4f, P6, "yr-"},
	{VE, X86_0F38, 0x50, 0x53, P6, "Vr-"}, {E, X86_0F38, 0x54, 0x55, P6, "Vr-"},
	{VE, X86_0F38, 0x58, 0x58, P6, "4r-"}, {VE, X86_0F38, 0x59, 0x59, P6, "8r-"},
	{VE, X86_0F38, 0x5a, 0x5a, P6, "Xr-"}, {E, X86_0F38, 0x5b, 0x5b, P6, "Yr-"},
	{E, X86_0F38, 0x64, 0x66, P6, "Vr-"}, {E, X86_0F38, 0x70, 0x73, P6, "Vr-"},
	{E, X86_0F38, 0x75, 0x77, P6, "Vr-"},
	{VE, X86_0F38, 0x78, 0x78, P6, "1r-"}, {VE, X86_0F38, 0x79, 0x79, P6, "2r-"},
	{E, X86_0F38, 0x7d, 0x7f, P6, "Vr-"}, {E, X86_0F38, 0x83, 0x83, P6, "Vr-"},
	{E, X86_0F38, 0x8d, 0x8d, P6, "Vr-"}, {E, X86_0F38, 0x8f, 0x8f, P6, "Vr-"},
	{VE, X86_0F38, 0x96, 0x98, P6, "Vr-"}, {VE, X86_0F38, 0x99, 0x99, P6, "yr-"},
	{VE, X86_0F38, 0x9a, 0x9a, P6, "Vr-"}, {VE, X86_0F38, 0x9b, 0x9b, P6, "yr-"},
	{VE, X86_0F38, 0x9c, 0x9c, P6, "Vr-"}, {VE, X86_0F38, 0x9d, 0x9d, P6, "yr-"},
	{VE, X86_0F38, 0x9e, 0x9e, P6, "Vr-"}, {VE, X86_0F38, 0x9f, 0x9f, P6, "yr-"},
	{VE, X86_0F38, 0xa6, 0xa8, P6, "Vr-"}, {VE, X86_0F38, 0xa9, 0xa9, P6, "yr-"},
	{VE, X86_0F38, 0xaa, 0xaa, P6, "Vr-"}, {VE, X86_0F38, 0xab, 0xab, P6, "yr-"},
	{VE, X86_0F38, 0xac, 0xac, P6, "Vr-"}, {VE, X86_0F38, 0xad, 0xad, P6, "yr-"},
	{VE, X86_0F38, 0xae, 0xae, P6, "Vr-"}, {VE, X86_0F38, 0xaf, 0xaf, P6, "yr-"},
	{VE, X86_0F38, 0xb4, 0xb8, P6, "Vr-"}, {VE, X86_0F38, 0xb9, 0xb9, P6, "yr-"},
	{VE, X86_0F38, 0xba, 0xba, P6, "Vr-"}, {VE, X86_0F38, 0xbb, 0xbb, P6, "yr-"},
	{VE, X86_0F38, 0xbc, 0xbc, P6, "Vr-"}, {VE, X86_0F38, 0xbd, 0xbd, P6, "yr-"},
	{VE, X86_0F38, 0xbe, 0xbe, P6, "Vr-"}, {VE, X86_0F38, 0xbf, 0xbf, P6, "yr-"},
	{E, X86_0F38, 0xc4, 0xc4, P6, "Vr-"}, {L, X86_0F38, 0xc8, 0xcd, NP, "Xr-"},
	{ANY, X86_0F38, 0xcf, 0xcf, P6, "Vr-"}, {ANY, X86_0F38, 0xdb, 0xdf, P6, "Vr-"},

	{VE, X86_0F3A, 0x00, 0x01, P6, "Vr-"}, {V, X86_0F3A, 0x02, 0x02, P6, "Vr-"},
	{E, X86_0F3A, 0x03, 0x03, P6, "Vr-"}, {VE, X86_0F3A, 0x04, 0x05, P6, "Vr-"},
	{V, X86_0F3A, 0x06, 0x06, P6, "Vr-"}, {ANY, X86_0F3A, 0x08, 0x09, P6, "Vr-"},
	{ANY, X86_0F3A, 0x0a, 0x0a, P6, "4r-"}, {ANY, X86_0F3A, 0x0b, 0x0b, P6, "8r-"},
	{LV, X86_0F3A, 0x0c, 0x0e, P6, "Vr-"}, {ANY, X86_0F3A, 0x0f, 0x0f, NP | P6, "mr-"},
	{ANY, X86_0F3A, 0x14, 0x14, P6, "1w-"}, {ANY, X86_0F3A, 0x15, 0x15, P6, "2w-"},
	{ANY, X86_0F3A, 0x16, 0x16, P6, "yw-"}, {ANY, X86_0F3A, 0x17, 0x17, P6, "4w-"},
	{VE, X86_0F3A, 0x18, 0x18, P6, "Xr-"}, {VE, X86_0F3A, 0x19, 0x19, P6, "Xw-"},
	{E, X86_0F3A, 0x1a, 0x1a, P6, "Yr-"}, {E, X86_0F3A, 0x1b, 0x1b, P6, "Yw-"},
	{VE, X86_0F3A, 0x1d, 0x1d, P6, "Hw-"}, {E, X86_0F3A, 0x1e, 0x1f, P6, "Vry"},
	{ANY, X86_0F3A, 0x20, 0x20, P6, "1r-"}, {ANY, X86_0F3A, 0x21, 0x21, P6, "4r-"},
	{ANY, X86_0F3A, 0x22, 0x22, P6, "yr-"}, {E, X86_0F3A, 0x23, 0x23, P6, "Vr-"},
	{E, X86_0F3A, 0x25, 0x26, P6, "Vr-"}, {E, X86_0F3A, 0x27, 0x27, P6, "yr-"},
	{VE, X86_0F3A, 0x38, 0x38, P6, "Xr-"}, {VE, X86_0F3A, 0x39, 0x39, P6, "Xw-"},
	{E, X86_0F3A, 0x3a, 0x3a, P6, "Yr-"}, {E, X86_0F3A, 0x3b, 0x3b, P6, "Yw-"},
	{E, X86_0F3A, 0x3e, 0x3f, P6, "Vrb"}, {LV, X86_0F3A, 0x40, 0x40, P6, "Vr-"},
	{LV, X86_0F3A, 0x41, 0x41, P6, "Xr-"}, {ANY, X86_0F3A, 0x42, 0x42, P6, "Vr-"},
	{E, X86_0F3A, 0x43, 0x43, P6, "Vr-"}, {ANY, X86_0F3A, 0x44, 0x44, P6, "Vr-"},
	{V, X86_0F3A, 0x46, 0x46, P6, "Vr-"}, {V, X86_0F3A, 0x4a, 0x4c, P6, "Vr-"},
	{E, X86_0F3A, 0x50, 0x50, P6, "Vr-"}, {E, X86_0F3A, 0x51, 0x51, P6, "yr-"},
	{E, X86_0F3A, 0x54, 0x54, P6, "Vr-"}, {E, X86_0F3A, 0x55, 0x55, P6, "yr-"},
	{E, X86_0F3A, 0x56, 0x56, P6, "Vr-"}, {E, X86_0F3A, 0x57, 0x57, P6, "yr-"},
	{LV, X86_0F3A, 0x60, 0x63, P6, "Xr-"}, {E, X86_0F3A, 0x66, 0x66, P6, "Vr-"},
	{E, X86_0F3A, 0x67, 0x67, P6, "yr-"}, {E, X86_0F3A, 0x70, 0x73, P6, "Vr-"},
	{L, X86_0F3A, 0xcc, 0xcc, NP, "Xr-"}, {ANY, X86_0F3A, 0xce, 0xcf, P6, "Vr-"},
	{LV, X86_0F3A, 0xdf, 0xdf, P6, "Xr-"},
};
/* clang-format on */

static const struct memory_row *find_row(const struct x86_form *f)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct memory_row *r = &rows[i];

		if (r->map == f->map && f->op >= r->lo && f->op <= r->hi && r->enc >> f->enc & 1 &&
			(!r->pp || r->pp >> f->pp & 1))
			return r;
	}
	return NULL;
}

/* Bytes of a whole vector register: bits L'L of EVEX, L of VEX (in the byte before the opcode). */
static unsigned vector_length(const struct x86_form *f, const uint8_t *p)
{
	uint8_t last = p[f->op_off - 1];

	if (f->enc == X86_LEGACY)
		return 16;
	return f->enc == X86_VEX ? 16u << (last >> 2 & 1) : 16u << (last >> 5 & 3);
}

/* By prefix: none, 66, f3, f2. */
static unsigned by_prefix(const struct x86_form *f, unsigned none, unsigned p66, unsigned f3,
	unsigned f2)
{
	const unsigned size[] = {none, p66, f3, f2};

	return size[f->pp];
}

/* 0: no such instruction. */
static unsigned vector_size(const struct x86_form *f, const uint8_t *p, char c)
{
	unsigned all = vector_length(f, p);
	bool wide = f->rex & REX_W, mmx = f->enc == X86_LEGACY && f->pp == X86_NP;

	switch (c) {
	case 'V': return all;
	case 'H': return all / 2;
	case 'Q': return all / 4;
	case 'O': return all / 8;
	case 'X': return 16;
	case 'Y': return 32;
	case 'y': return wide ? 8 : 4;
	case 's': return by_prefix(f, all, all, 4, 8);
	case 'c': return by_prefix(f, 4, 8, 0, 0);
	case 't': return by_prefix(f, 8, 16, 4, 8);
	case 'h': return by_prefix(f, all / 2, all, 4, 8);
	case 'e': return by_prefix(f, 0, all, all / 2, all);
	case 'm': return mmx ? 8 : all;
	case 'p': return mmx ? 4 : all;
	case 'q': return mmx ? 8 : 16;
	case 'd': return all == 16 ? 8 : all;
	case 'k': return wide ? by_prefix(f, 8, 4, 0, 0) : by_prefix(f, 2, 1, 0, 0);
	case 'b': return wide ? 2 : 1;
	case 'f': return f->pp == X86_66 ? 8 : 4;
	case 'j': return f->pp == X86_F2 ? (wide ? 2 : 1) : wide ? 8 : 4;
	default: return c >= '1' && c <= '8' ? (unsigned)(c - '0') : 0;
	}
}

static int64_t read_signed(const uint8_t *p, unsigned size)
{
	return size ? sign_extend(get_word(p, size, false), 8 * size) : 0;
}

/* Only what says where: its size comes from elsewhere.  scale: of a displacement of one byte. */
static void set_address(const struct x86_form *f, const uint8_t *p, unsigned scale,
	struct access *a)
{
	a->base = (int8_t)form_base(f);
	a->index = (int8_t)form_index(f);
	a->scale = (uint8_t)(f->has_sib ? 1 << (f->sib >> 6) : 1);
	a->disp_size = f->disp_size;
	a->disp_off = f->disp_size ? f->disp_off : 0;
	a->disp = read_signed(p + f->disp_off, f->disp_size) *
		(f->disp_size == 1 ? (int64_t)scale : 1);
	a->low = f->prefixes & X86_P67;
	a->pc_rel = form_is_rip(f);
	if (a->pc_rel)
		a->disp += f->len;
}

/* The last of the prefixes counts; others than these two do nothing. */
static uint8_t find_segment(const uint8_t *p, const struct x86_form *f)
{
	uint8_t segment = SEGMENT_NONE;

	if (!(f->prefixes & X86_PSEG))
		return segment;
	for (unsigned i = 0; i < f->op_off; i++) {
		bool vector = f->enc != X86_LEGACY && memchr("\xc4\xc5\x62\x8f", p[i], 4);

		if (vector || p[i] == 0x0f)
			break;
		if (p[i] == 0x64 || p[i] == 0x65)
			segment = p[i] == 0x64 ? SEGMENT_FS : SEGMENT_GS;
	}
	return segment;
}

static void value_in_vector(const struct x86_form *f, const uint8_t *p, struct access *a)
{
	a->value_kind = VALUE_VECTOR;
	a->value = (int8_t)form_reg(f);
	if (f->enc == X86_EVEX && !(p[f->op_off - 3] & 0x10))
		a->value = (int8_t)(a->value + 16);
	a->extend = EXTEND_KEEP;
}

enum { EVEX_BROADCAST = 0x10, EVEX_V = 8, EVEX_MASK = 7 };

static bool vector_memory(const struct x86_form *f, const uint8_t *p, struct access *a)
{
	const struct memory_row *r = find_row(f);
	uint8_t last = f->enc == X86_EVEX ? p[f->op_off - 1] : 0;
	unsigned size = r ? vector_size(f, p, r->what[0]) : 0, element;

	if (!size)
		return false;
	if (last & EVEX_BROADCAST) {
		if (last & EVEX_MASK ||
			(size != vector_length(f, p) && size != vector_length(f, p) / 2))
			return false;
		size = f->rex & REX_W ? 8 : 4;
	}
	set_address(f, p, f->enc == X86_EVEX ? size : 1, a);
	a->size = (uint16_t)size;
	a->reads = r->what[1] == 'r';
	a->writes = !a->reads;
	if (r->what[3] == 'v' && !(last & EVEX_BROADCAST))
		value_in_vector(f, p, a);
	if (!(last & EVEX_MASK))
		return true;
	element = vector_size(f, p, r->what[2]);
	if (!element)
		return false;
	a->elements = (uint8_t)(size / element);
	a->size = (uint16_t)element;
	a->mask_kind = MASK_BITS;
	a->mask = last & EVEX_MASK;
	a->value_kind = VALUE_OTHER;
	a->value = -1;
	return true;
}

/* Gathers 90 to 93 and scatters a0 to a3: with indices of 4 or 8 bytes, integers or not. */
static bool lane_memory(const struct x86_form *f, const uint8_t *p, struct access *a)
{
	uint8_t last = p[f->op_off - 1];
	unsigned size = f->rex & REX_W ? 8 : 4, index = f->op & 1 ? 8 : 4;
	bool evex = f->enc == X86_EVEX;

	if (!f->has_sib)
		return false;
	set_address(f, p, evex ? size : 1, a);
	a->size = (uint16_t)size;
	a->elements = (uint8_t)(vector_length(f, p) / (size > index ? size : index));
	a->index = -1;
	a->index_size = (uint8_t)index;
	a->index_sext = true;
	a->lanes = (int8_t)((f->sib >> 3 & 7) | (f->rex & REX_X ? 8 : 0));
	a->lanes = (int8_t)(a->lanes + (evex && !(last & EVEX_V) ? 16 : 0));
	a->mask_kind = evex ? MASK_BITS : MASK_SIGN;
	a->mask = (int8_t)(evex ? last & EVEX_MASK : f->vvvv);
	a->reads = f->op < 0xa0;
	a->writes = !a->reads;
	return !evex || last & EVEX_MASK;
}

/* vmaskmov, vpmaskmov: elements by the signs of another vector. */
static void signs_memory(const struct x86_form *f, const uint8_t *p, struct access *a)
{
	bool wide = f->op == 0x2d || f->op == 0x2f || (f->op >= 0x8c && f->rex & REX_W);

	set_address(f, p, 1, a);
	a->size = wide ? 8 : 4;
	a->elements = (uint8_t)(vector_length(f, p) / a->size);
	a->mask_kind = MASK_SIGN;
	a->mask = (int8_t)f->vvvv;
	a->reads = f->op == 0x2c || f->op == 0x2d || f->op == 0x8c;
	a->writes = !a->reads;
}

/* Expanding loads and compressing stores. */
static void packed_memory(const struct x86_form *f, const uint8_t *p, struct access *a)
{
	uint8_t mask = p[f->op_off - 1] & EVEX_MASK;

	a->size = f->op < 0x80 ? (f->rex & REX_W ? 2 : 1) : f->rex & REX_W ? 8 : 4;
	set_address(f, p, a->size, a);
	a->elements = (uint8_t)(vector_length(f, p) / a->size);
	a->mask_kind = mask ? MASK_PACK : MASK_NONE;
	a->mask = mask ? (int8_t)mask : -1;
	a->reads = f->op == 0x62 || f->op == 0x88 || f->op == 0x89;
	a->writes = !a->reads;
}

/* x87: sizes by opcode from d8 on and ModRM.reg; w: written. */
static bool x87_memory(const struct x86_form *f, const uint8_t *p, struct access *a)
{
	enum { W = 128 };
	static const uint8_t size[8][8] = {{4, 4, 4, 4, 4, 4, 4, 4},
		{4, 0, 4 | W, 4 | W, 28, 2, 28 | W, 2 | W}, {4, 4, 4, 4, 4, 4, 4, 4},
		{4, 4 | W, 4 | W, 4 | W, 0, 10, 0, 10 | W}, {8, 8, 8, 8, 8, 8, 8, 8},
		{8, 8 | W, 8 | W, 8 | W, 108, 0, 108 | W, 2 | W}, {2, 2, 2, 2, 2, 2, 2, 2},
		{2, 2 | W, 2 | W, 2 | W, 10, 8, 10 | W, 8 | W}};
	uint8_t s = size[f->op - 0xd8][form_ext(f)];

	set_address(f, p, 1, a);
	a->size = s & (W - 1);
	a->writes = s & W;
	a->reads = !a->writes;
	a->perhaps = a->size > 10; /* reserved parts */
	/* with prefix 66 environments are those of 16 bits */
	return a->size && (a->size < 28 || !(f->prefixes & X86_P66));
}

/* 0f ae: fxsave and fxrstor leave some of their 512 bytes alone. */
static bool unit_memory(const struct x86_form *f, const uint8_t *p, struct access *a)
{
	static const uint16_t size[] = {512, 512, 4, 4};
	unsigned ext = form_ext(f);

	set_address(f, p, 1, a);
	if (ext > 3 || (f->enc == X86_LEGACY ? f->pp != X86_NP : ext < 2))
		return false;
	a->size = size[ext];
	a->reads = ext == 1 || ext == 2;
	a->writes = !a->reads;
	a->perhaps = ext < 2;
	return true;
}

/* Instructions whose memory operand effect.c does not name, and others that are not plain. */
static bool special_memory(const struct x86_form *f, const uint8_t *p, struct access *a,
	bool *known)
{
	uint8_t op = f->op;

	*known = true;
	if (f->enc == X86_LEGACY && f->map == X86_1B && op >= 0xd8 && op <= 0xdf) {
		*known = x87_memory(f, p, a);
	} else if (f->map == X86_0F && op == 0xae) {
		*known = unit_memory(f, p, a);
	} else if (f->enc == X86_LEGACY && f->map == X86_1B && op == 0x8c) {
		a->size = 2, a->writes = true;
	} else if (f->enc == X86_LEGACY && f->map == X86_0F &&
		(op == 0xa3 || op == 0xab || op == 0xb3 || op == 0xbb)) {
		*known = false; /* bit strings */
	} else if (f->enc == X86_LEGACY && f->map == X86_0F && op == 0xc3) {
		a->size = f->rex & REX_W ? 8 : 4, a->writes = true; /* movnti */
	} else if (f->enc == X86_LEGACY && f->map == X86_0F && op == 0xc7) {
		a->size = f->rex & REX_W ? 16 : 8, a->reads = a->writes = true; /* cmpxchg8b */
		*known = form_ext(f) == 1;
	} else if (f->enc == X86_LEGACY && f->map == X86_0F38 && (op == 0xf0 || op == 0xf1) &&
		f->pp != X86_F2) {
		a->size = (uint16_t)form_opsize(f); /* movbe */
		a->reads = op == 0xf0, a->writes = op == 0xf1;
	} else if (f->enc == X86_LEGACY && f->map == X86_0F38 && op >= 0xf6 && op != 0xf6) {
		*known = op == 0xf9; /* movdiri */
		a->size = f->rex & REX_W ? 8 : 4, a->writes = true;
	} else if ((f->enc == X86_VEX || f->enc == X86_EVEX) && f->map == X86_0F38 && op >= 0x90 &&
		op <= 0x93) {
		*known = lane_memory(f, p, a);
	} else if (f->enc == X86_EVEX && f->map == X86_0F38 && op >= 0xa0 && op <= 0xa3) {
		*known = lane_memory(f, p, a);
	} else if (f->enc == X86_VEX && f->map == X86_0F38 &&
		((op >= 0x2c && op <= 0x2f) || op == 0x8c || op == 0x8e)) {
		signs_memory(f, p, a);
	} else if (f->enc == X86_EVEX && f->map == X86_0F38 &&
		(op == 0x62 || op == 0x63 || (op >= 0x88 && op <= 0x8b))) {
		packed_memory(f, p, a);
	} else {
		return false;
	}
	return true;
}

/* mov, movzx and the like: the register that the memory operand is loaded to or stored from. */
static void set_value(const struct x86_form *f, const uint8_t *p, struct access *a)
{
	bool one = f->map == X86_1B, two = f->map == X86_0F;
	uint8_t op = f->op;
	bool plain = one && (op >= 0x88 && op <= 0x8b), zero = two && (op == 0xb6 || op == 0xb7);
	bool sign = (two && (op == 0xbe || op == 0xbf)) || (one && op == 0x63);

	if (one && (op == 0xc6 || op == 0xc7)) {
		a->value_kind = VALUE_CONST;
		a->constant = read_signed(p + f->imm_off, f->imm_size);
		return;
	}
	if (!plain && !zero && !sign)
		return;
	a->value_kind = VALUE_REG;
	a->value = (int8_t)form_reg(f);
	a->extend = zero ? EXTEND_ZERO
		: sign	 ? (form_opsize(f) == 8 ? EXTEND_SIGN : EXTEND_SIGN_32)
			 : EXTEND_ZERO;
	if (form_opsize(f) == 2 && (zero || sign))
		a->value_kind = VALUE_OTHER; /* extended to 16 bits */
	if (plain && a->size < 4)
		a->extend = EXTEND_KEEP;
	if (plain && a->size == 1 && !f->rex && a->value >= 4) {
		a->value_kind = VALUE_HIGH;
		a->value = (int8_t)(a->value - 4);
	}
}

/* The memory operand that ModRM names, if it is accessed; false: not known. */
static bool operand_memory(const struct x86_form *f, const uint8_t *p, struct action *action)
{
	struct access a = access_none;
	unsigned size;
	bool known = true;

	if (f->enc == X86_XOP || (f->enc == X86_EVEX && f->map > X86_0F3A))
		return false;
	set_address(f, p, 1, &a);
	if (special_memory(f, p, &a, &known) || (known = vector_memory(f, p, &a))) {
		if (!known)
			return false;
	} else {
		if (!x86_general_memory(f, &size, &a.reads, &a.writes))
			return false;
		if (!size)
			return true;
		a.size = (uint16_t)size;
		set_value(f, p, &a);
	}
	a.segment = find_segment(p, f);
	action_add(action, a);
	return true;
}

static struct access *add_stack(struct action *action, int64_t disp, unsigned size, bool writes)
{
	struct access a = access_none;

	a.base = RSP;
	a.disp = disp;
	a.size = (uint16_t)size;
	a.writes = writes;
	a.reads = !writes;
	a.implicit = true;
	return action_add(action, a);
}

static void push(struct action *action, unsigned size)
{
	add_stack(action, -(int64_t)size, size, true);
}

static void add_value(struct access *a, enum value_kind kind, int value, int64_t constant)
{
	a->value_kind = (uint8_t)kind;
	a->value = (int8_t)value;
	a->constant = constant;
	a->extend = a->size < 4 ? EXTEND_KEEP : EXTEND_ZERO;
}

static void add_string(struct action *action, int reg, unsigned size, bool writes, uint8_t segment)
{
	struct access a = access_none;

	a.base = (int8_t)reg;
	a.size = (uint16_t)size;
	a.writes = writes;
	a.reads = !writes;
	a.implicit = true;
	a.segment = segment;
	action_add(action, a);
}

/* movs, cmps, stos, lods, scas. */
static bool string_action(const struct x86_form *f, const uint8_t *p, struct action *action)
{
	unsigned size = f->op & 1 ? form_opsize(f) : 1, op = f->op & 0xfeu;
	bool repeats = f->prefixes & (X86_PF2 | X86_PF3), compares = op == 0xa6 || op == 0xae;
	uint8_t segment = find_segment(p, f);

	if (f->prefixes & X86_P67)
		return false;
	if (op == 0xa4 || op == 0xa6 || op == 0xac)
		add_string(action, RSI, size, false, segment);
	if (op != 0xac)
		add_string(action, RDI, size, op == 0xa4 || op == 0xaa, SEGMENT_NONE);
	if (op == 0xaa || (op == 0xac && !repeats))
		add_value(&action->access[0], VALUE_REG, RAX, 0);
	if (repeats) {
		action->count = RCX;
		action->rounds = !compares ? ROUNDS_COUNT
			: f->pp == X86_F3  ? ROUNDS_EQUAL
					   : ROUNDS_DIFFERENT;
	}
	return true;
}

static void set_condition(struct condition *c, unsigned cc)
{
	static const struct {
		regset set, differ;
	} of[8] = {{REG_BIT(X86_OF), 0}, {REG_BIT(X86_CF), 0}, {REG_BIT(X86_ZF), 0},
		{REG_BIT(X86_CF) | REG_BIT(X86_ZF), 0}, {REG_BIT(X86_SF), 0}, {REG_BIT(X86_PF), 0},
		{0, REG_BIT(X86_SF) | REG_BIT(X86_OF)},
		{REG_BIT(X86_ZF), REG_BIT(X86_SF) | REG_BIT(X86_OF)}};

	c->set = of[cc >> 1 & 7].set;
	c->differ = of[cc >> 1 & 7].differ;
	c->negated = cc & 1;
}

/* loopne, loope, loop: if the count, which they decrement, is not 0 then; jrcxz: if it is. */
static void count_condition(const struct x86_form *f, struct condition *c)
{
	c->a = RCX;
	c->size = f->prefixes & X86_P67 ? 4 : 8;
	c->relation = f->op == 0xe3 ? RELATION_EQ : RELATION_NE;
	c->with = f->op == 0xe3 ? 0 : 1;
	if (f->op < 0xe2) {
		c->set = REG_BIT(X86_ZF);
		c->negated = f->op == 0xe0;
	}
}

static void go_direct(const struct x86_form *f, const uint8_t *p, struct action *action)
{
	action->leads = LEADS_DIRECT;
	action->distance = f->len + read_signed(p + f->imm_off, f->imm_size);
}

/* ff /2, /4 and /6; 8f. */
static bool indirect_action(const struct x86_form *f, const uint8_t *p, struct action *action)
{
	unsigned ext = form_ext(f), size = form_opsize(f) == 2 ? 2 : 8;
	bool memory = form_is_mem(f);

	if (f->op == 0x8f) {
		struct access *a;

		add_stack(action, 0, size, false);
		if (!memory) {
			add_value(&action->access[0], VALUE_REG, form_rm(f), 0);
			return true;
		}
		if (!operand_memory(f, p, action))
			return false;
		/* the stack pointer has been raised then */
		a = &action->access[1];
		a->disp += a->base == RSP ? size : 0;
		return true;
	}
	if (memory && !operand_memory(f, p, action))
		return false;
	if (ext != 4)
		push(action, ext == 6 ? size : 8);
	if (ext != 6 && form_opsize(f) == 2)
		return false;
	if (ext == 6) {
		if (!memory)
			add_value(&action->access[0], VALUE_REG, form_rm(f), 0);
		return true;
	}
	action->leads = memory ? LEADS_MEMORY : LEADS_REGISTER;
	action->reg = memory ? -1 : (int8_t)form_rm(f);
	action->calls = ext == 2;
	return true;
}

/* CPUs do not agree on what a prefix 66 makes of these, or another one of loopne and loope. */
static bool is_odd_transfer(const struct x86_form *f)
{
	unsigned op = f->op;

	if ((op == 0xe0 || op == 0xe1) && f->prefixes & (X86_PF2 | X86_PF3))
		return true;
	if (form_opsize(f) != 2)
		return false;
	return (op >= 0x70 && op <= 0x7f) || op == 0xc2 || op == 0xc3 ||
		(op >= 0xe0 && op <= 0xe3) || (op >= 0xe8 && op <= 0xeb);
}

/* Opcodes of one byte that access memory by no operand, or transfer control; false: not known. */
static bool plain_action(const struct x86_form *f, const uint8_t *p, struct action *action,
	bool *done)
{
	unsigned op = f->op, size = form_opsize(f) == 2 ? 2 : 8;
	int low = (f->op & 7) | (f->rex & REX_B ? 8 : 0);
	struct access a = access_none;

	*done = true;
	if (is_odd_transfer(f))
		return false;
	if (op >= 0x50 && op <= 0x57) {
		push(action, size);
		add_value(&action->access[0], VALUE_REG, low, 0);
	} else if (op >= 0x58 && op <= 0x5f) {
		add_value(add_stack(action, 0, size, false), VALUE_REG, low, 0);
	} else if (op == 0x68 || op == 0x6a) {
		push(action, size);
		add_value(&action->access[0], VALUE_CONST, -1,
			read_signed(p + f->imm_off, f->imm_size));
	} else if (op >= 0x70 && op <= 0x7f) {
		go_direct(f, p, action);
		set_condition(&action->condition, op & 15);
	} else if (op == 0x8f || (op == 0xff && form_ext(f) > 1)) {
		return indirect_action(f, p, action);
	} else if (op == 0x9c) {
		push(action, size);
	} else if (op == 0x9d) {
		add_stack(action, 0, size, false);
	} else if (op >= 0xa0 && op <= 0xa3) {
		a.size = op & 1 ? (uint16_t)form_opsize(f) : 1;
		a.writes = op & 2;
		a.reads = !a.writes;
		a.disp = f->imm_size == 8 ? (int64_t)get_u64(p + f->imm_off)
					  : get_u32(p + f->imm_off);
		a.disp_off = f->imm_off;
		a.disp_size = f->imm_size;
		a.segment = find_segment(p, f);
		add_value(&a, VALUE_REG, RAX, 0);
		action_add(action, a);
	} else if ((op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf)) {
		return string_action(f, p, action);
	} else if (op == 0xc2 || op == 0xc3) {
		add_stack(action, 0, 8, false);
		action->leads = LEADS_MEMORY;
		action->returns = true;
	} else if (op == 0xc8) {
		return false; /* enter */
	} else if (op == 0xc9) {
		struct access *frame = add_stack(action, 0, 8, false);
		frame->base = RBP;
		add_value(frame, VALUE_REG, RBP, 0);
		return !(f->prefixes & X86_P66);
	} else if (op == 0xd7) {
		a.base = RBX;
		a.index = RAX;
		a.index_size = 1;
		a.size = 1;
		a.reads = a.implicit = true;
		a.segment = find_segment(p, f);
		add_value(&a, VALUE_REG, RAX, 0);
		action_add(action, a);
		return !(f->prefixes & X86_P67);
	} else if (op >= 0xe0 && op <= 0xe3) {
		go_direct(f, p, action);
		count_condition(f, &action->condition);
	} else if (op == 0xe8) {
		push(action, 8);
		go_direct(f, p, action);
		action->calls = true;
	} else if (op == 0xe9 || op == 0xeb) {
		go_direct(f, p, action);
	} else {
		*done = false;
	}
	return true;
}

/* The same with opcodes behind 0f. */
static bool second_action(const struct x86_form *f, const uint8_t *p, struct action *action,
	bool *done)
{
	unsigned size = form_opsize(f) == 2 ? 2 : 8;

	*done = true;
	if (f->enc != X86_LEGACY && f->op != 0xf7) {
		*done = false;
	} else if (f->op >= 0x80 && f->op <= 0x8f) {
		if (form_opsize(f) == 2)
			return false;
		go_direct(f, p, action);
		set_condition(&action->condition, f->op & 15);
	} else if (f->op == 0xa0 || f->op == 0xa8) {
		push(action, size);
	} else if (f->op == 0xa1 || f->op == 0xa9) {
		add_stack(action, 0, size, false);
	} else if (f->op == 0xf7) {
		/* maskmovq, maskmovdqu: bytes by the signs of those of a vector */
		struct access a = access_none;
		a.base = RDI;
		a.size = 1;
		a.elements = 16;
		a.writes = a.implicit = true;
		a.mask_kind = MASK_SIGN;
		a.mask = (int8_t)form_rm(f);
		a.segment = find_segment(p, f);
		action_add(action, a);
		return f->pp == X86_66 && !(f->prefixes & X86_P67);
	} else {
		*done = false;
	}
	return true;
}

/* cmp */
static void compare_action(const struct x86_form *f, const uint8_t *p, struct comparison *c)
{
	unsigned op = f->op;
	bool low = op == 0x80 || !(op & 1), memory = form_is_mem(f);
	bool number = (op == 0x80 || op == 0x81 || op == 0x83) && form_ext(f) == 7;
	int rm = memory ? COMPARES_MEMORY : form_rm(f), reg = form_reg(f);
	uint8_t size = low ? 1 : (uint8_t)form_opsize(f);

	if (number || op == 0x3c || op == 0x3d) {
		*c = (struct comparison){.size = size,
			.value = {number ? (int8_t)rm : RAX, COMPARES_NUMBER},
			.imm_off = f->imm_off,
			.with = read_signed(p + f->imm_off, f->imm_size)};
	} else if (op >= 0x38 && op <= 0x3b) {
		bool first = op >= 0x3a;
		*c = (struct comparison){.size = size,
			.value = {(int8_t)(first ? reg : rm), (int8_t)(first ? rm : reg)}};
	}
	/* %ah and its like */
	for (unsigned i = 0; low && !f->rex && i < 2; i++)
		if (c->value[i] >= 4)
			c->size = 0;
}

unsigned x86_actions(const uint8_t *p, const struct insn *in, struct action *out)
{
	struct action *action = &out[0];
	struct x86_form f;
	bool done = false;

	*action = action_none;
	if (in->flags & INSN_VAGUE || in->kind == INSN_XBEGIN || !x86_parse(p, in->len, &f))
		return 0;
	if (in->kind == INSN_NOP)
		return 1;
	if (in->kind == INSN_SYSCALL || in->kind == INSN_TRAP) {
		action->leads = LEADS_AWAY;
		return 1;
	}
	if (f.enc == X86_LEGACY && f.map == X86_1B && !plain_action(&f, p, action, &done))
		return 0;
	if (f.enc != X86_XOP && f.enc != X86_EVEX && f.map == X86_0F && !done &&
		!second_action(&f, p, action, &done))
		return 0;
	if (!done && form_is_mem(&f) && !operand_memory(&f, p, action))
		return 0;
	if (f.enc == X86_LEGACY && f.map == X86_1B)
		compare_action(&f, p, &action->compares);
	return 1;
}
