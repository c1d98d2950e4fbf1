/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form.c - prefixes, opcode, ModRM, displacement, immediate
 *
 * Which opcodes have a ModRM byte and an immediate: Intel SDM volume 2,
 * appendix A (opcode maps), section 2.3 (VEX) and 2.7 (EVEX).  Whether an opcode
 * exists is not checked here: the disassemblers do that.
 */
#include "targets/x86_64/x86_64.h"

/*
 * One character for each opcode.  '.': nothing follows; m: ModRM; b w z v:
 * immediate of 1, 2, 2 or 4, 2 or 4 or 8 bytes; B Z: ModRM and immediate; j J:
 * distance of 1 or 4 bytes; F G: immediate in /0 and /1 only; e: enter; o: an
 * address; x: no such instruction in 64-bit mode; p: a prefix or an escape.
 */
/* clang-format off */
static const char map_1b[] =
	"mmmmbzxxmmmmbzxp" "mmmmbzxxmmmmbzxx" "mmmmbzpxmmmmbzpx" "mmmmbzpxmmmmbzpx"
	"pppppppppppppppp" "................" "xxpmppppzZbB...." "jjjjjjjjjjjjjjjj"
	"BZxBmmmmmmmmmmmm" "..........x....." "oooo....bz......" "bbbbbbbbvvvvvvvv"
	"BBw.ppBZe.w..bx." "mmmmxxx.mmmmmmmm" "jjjjbbbbJJxj...." "p.pp..FG......mm";
static const char map_0f[] =
	"mmmmx.....x.xm.B" "mmmmmmmmmmmmmmmm" "mmmmxxxxmmmmmmmm" "......x.pxpxxxxx"
	"mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "BBBBmmm.mmxxmmmm"
	"JJJJJJJJJJJJJJJJ" "mmmmmmmmmmmmmmmm" "...mBmmm...mBmmm" "mmmmmmmmmmBmmmmm"
	"mmBmBBBm........" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm";
/* clang-format on */

static uint8_t prefix_bit(uint8_t b)
{
	switch (b) {
	case 0x66: return X86_P66;
	case 0x67: return X86_P67;
	case 0xf0: return X86_PLOCK;
	case 0xf2: return X86_PF2;
	case 0xf3: return X86_PF3;
	case 0x3e: return X86_P3E;
	case 0x64:
	case 0x65: return X86_PSEG;
	default: return 0;
	}
}

/* Legacy prefixes and REX.  Returns where the opcode or its escape starts. */
static unsigned parse_prefixes(const uint8_t *p, unsigned n, struct x86_form *f)
{
	unsigned i = 0;

	for (; i < n; i++) {
		uint8_t b = p[i], bit;

		if ((b & 0xf0) == 0x40) {
			f->rex = REX_ANY | (b & 15);
			continue;
		}
		bit = prefix_bit(b);
		if (!bit && b != 0x26 && b != 0x2e && b != 0x36)
			break;
		/* A REX prefix that does not stand right before the opcode is ignored. */
		f->rex = 0;
		f->prefixes |= bit;
		if (b == 0xf2)
			f->pp = X86_F2;
		else if (b == 0xf3)
			f->pp = X86_F3;
	}
	if (!f->pp && f->prefixes & X86_P66)
		f->pp = X86_66;
	return i;
}

/* c5 and c4.  Returns the offset of the opcode, 0 when it is none. */
static unsigned parse_vex(const uint8_t *p, unsigned i, unsigned n, struct x86_form *f)
{
	uint8_t last;

	if (i + (p[i] == 0xc5 ? 3 : 4) > n)
		return 0;
	if (p[i] == 0xc5) {
		f->map = X86_0F;
		f->rex = p[i + 1] & 0x80 ? 0 : REX_R;
		last = p[i + 1];
		i += 2;
	} else {
		f->map = p[i + 1] & 31;
		f->rex = (uint8_t)(~p[i + 1] >> 5 & 7);
		last = p[i + 2];
		f->rex |= last & 0x80 ? REX_W : 0;
		i += 3;
	}
	f->vvvv = (uint8_t)(~last >> 3 & 15);
	f->pp = last & 3;
	return i;
}

static unsigned parse_evex(const uint8_t *p, unsigned i, unsigned n, struct x86_form *f)
{
	if (i + 5 > n)
		return 0;
	/* Bits that only APX and AVX10.2 use otherwise, and mean other registers there. */
	if (p[i + 1] & 8 || !(p[i + 2] & 4))
		return 0;
	f->map = p[i + 1] & 7;
	f->reg_high = !(p[i + 1] & 0x10);
	f->rex = (uint8_t)(~p[i + 1] >> 5 & 7) | (p[i + 2] & 0x80 ? REX_W : 0);
	f->vvvv = (uint8_t)(~p[i + 2] >> 3 & 15);
	f->pp = p[i + 2] & 3;
	return i + 4;
}

static char shape_vector(struct x86_form *f)
{
	uint8_t op = f->op;

	switch (f->map) {
	case X86_0F:
		if (f->enc == X86_VEX && op == 0x77)
			return '.';
		return (op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6) ? 'B'
											      : 'm';
	case X86_0F38: return 'm';
	case X86_0F3A: return 'B';
	case X86_M5:
	case X86_M6: return f->enc == X86_EVEX ? 'm' : 'x';
	case X86_XOP8: return f->enc == X86_XOP ? 'B' : 'x';
	case X86_XOP9: return f->enc == X86_XOP ? 'm' : 'x';
	case X86_XOPA: return f->enc == X86_XOP ? 'Z' : 'x';
	default: return 'x';
	}
}

/* The opcode and its maps; returns its shape and sets f->op_off. */
static char parse_opcode(const uint8_t *p, unsigned i, unsigned n, struct x86_form *f)
{
	uint8_t b = p[i];

	if (b == 0xc5 || b == 0xc4 || b == 0x62 ||
		(b == 0x8f && i + 1 < n && (p[i + 1] & 31) >= 8)) {
		/* These prefixes in front of VEX are no instruction. */
		if (f->rex || f->prefixes & (X86_P66 | X86_PLOCK | X86_PF2 | X86_PF3))
			return 'x';
		f->enc = b == 0x62 ? X86_EVEX : b == 0x8f ? X86_XOP : X86_VEX;
		i = b == 0x62 ? parse_evex(p, i, n, f) : parse_vex(p, i, n, f);
		if (!i)
			return 'x';
		f->op_off = (uint8_t)i;
		f->op = p[i];
		return shape_vector(f);
	}
	if (b != 0x0f) {
		f->op_off = (uint8_t)i;
		f->op = b;
		return map_1b[b];
	}
	if (i + 1 >= n)
		return 'x';
	b = p[++i];
	f->map = b == 0x38 ? X86_0F38 : b == 0x3a ? X86_0F3A : X86_0F;
	if (f->map != X86_0F && ++i >= n)
		return 'x';
	f->op_off = (uint8_t)i;
	f->op = p[i];
	if (f->map != X86_0F)
		return f->map == X86_0F38 ? 'm' : 'B';
	return map_0f[b];
}

static unsigned parse_modrm(const uint8_t *p, unsigned i, unsigned n, struct x86_form *f)
{
	unsigned mod;

	if (i >= n)
		return 0;
	f->has_modrm = true;
	f->modrm = p[i++];
	mod = form_mod(f);
	if (mod == 3)
		return i;
	if ((f->modrm & 7) == 4) {
		if (i >= n)
			return 0;
		f->has_sib = true;
		f->sib = p[i++];
	}
	if (mod == 1)
		f->disp_size = 1;
	else if (mod == 2 || (f->modrm & 7) == 5 || (f->has_sib && (f->sib & 7) == 5))
		f->disp_size = 4;
	return i;
}

/* Bytes of the immediate, -1: a length that CPUs do not agree on. */
static int imm_size(const struct x86_form *f, char shape)
{
	switch (shape) {
	case 'b':
	case 'B':
	case 'j': return 1;
	case 'w': return 2;
	case 'e': return 3;
	case 'z':
	case 'Z': return f->enc == X86_XOP || form_opsize(f) != 2 ? 4 : 2;
	case 'v': return (int)form_opsize(f);
	case 'o': return f->prefixes & X86_P67 ? 4 : 8;
	/* Intel ignores 66 here, AMD takes a 16-bit distance. */
	case 'J': return form_opsize(f) == 2 ? -1 : 4;
	case 'F': return form_ext(f) < 2 ? 1 : 0;
	case 'G': return form_ext(f) >= 2 ? 0 : form_opsize(f) == 2 ? 2 : 4;
	default: return 0;
	}
}

static bool is_insertq(const struct x86_form *f)
{
	return f->enc == X86_LEGACY && f->map == X86_0F && f->op == 0x78 &&
		(f->pp == X86_66 || f->pp == X86_F2);
}

static uint8_t variant(const struct x86_form *f, const uint8_t *p)
{
	uint8_t imm = f->imm_size ? p[f->imm_off] : 0;
	uint8_t mask = f->rex & REX_W ? 63 : 31;

	if (f->enc != X86_LEGACY)
		return 0;
	if ((f->map == X86_1B && (f->op == 0xc0 || f->op == 0xc1)) ||
		(f->map == X86_0F && (f->op == 0xa4 || f->op == 0xac))) {
		if (!(imm & mask))
			return SHIFT_NONE;
		/* For a byte the SDM counts to 63 with REX.W, CPUs do not. */
		return f->op == 0xc0 && !(imm & 31) ? SHIFT_PERHAPS : 0;
	}
	if ((f->map == X86_1B && f->op == 0xcd) || (f->map == X86_0F && f->op == 0x0f))
		return imm;
	return 0;
}

/* Shapes with a ModRM byte. */
static bool takes_modrm(char shape)
{
	return shape == 'm' || shape == 'B' || shape == 'Z' || shape == 'F' || shape == 'G';
}

bool x86_parse(const uint8_t *p, size_t size, struct x86_form *f)
{
	unsigned n = size < 15 ? (unsigned)size : 15, i;
	int imm;
	char shape;

	memset(f, 0, sizeof *f);
	i = parse_prefixes(p, n, f);
	if (i >= n)
		return false;
	shape = parse_opcode(p, i, n, f);
	if (shape == 'x' || shape == 'p')
		return false;
	i = f->op_off + 1u;
	if (takes_modrm(shape)) {
		i = parse_modrm(p, i, n, f);
		if (!i)
			return false;
	}
	imm = is_insertq(f) ? 2 : imm_size(f, shape);
	/* xbegin has a distance: see 'J'. */
	if (imm == 2 && f->map == X86_1B && f->op == 0xc7 && f->modrm == 0xf8)
		imm = -1;
	f->head = (uint8_t)i;
	f->disp_off = (uint8_t)i;
	f->imm_off = (uint8_t)(i + f->disp_size);
	if (imm < 0 || f->imm_off + (unsigned)imm > n)
		return false;
	f->imm_size = (uint8_t)imm;
	f->len = (uint8_t)(f->imm_off + f->imm_size);
	f->variant = variant(f, p);
	return true;
}

unsigned x86_head(const uint8_t *p)
{
	unsigned i = 0;
	char shape = 'm';

	while (i < 4 && (prefix_bit(p[i]) || p[i] == 0x2e))
		i++;
	if ((p[i] & 0xf0) == 0x40)
		i++;
	switch (p[i]) {
	case 0x0f:
		shape = map_0f[p[++i]];
		if (shape == 'p')
			i++, shape = 'm';
		else if (p[i] == 0x0f || p[i] == 0xa4 || p[i] == 0xac)
			return 0;
		break;
	case 0xc5: i += 2; break;
	case 0xc4: i += 3; break;
	case 0x62: i += 4; break;
	case 0x8f:
	case 0xc0:
	case 0xc1:
	case 0xcd: return 0;
	default: shape = map_1b[p[i]];
	}
	if (shape == 'x' || shape == 'p')
		return 0;
	if (i > 2 && p[i] == 0x77 && shape == 'm')
		return 0;
	if (!takes_modrm(shape))
		return i + 1;
	i += 2;
	return p[i - 1] < 0xc0 && (p[i - 1] & 7) == 4 ? i + 1 : i;
}

int form_base(const struct x86_form *f)
{
	unsigned base;

	if (!form_is_mem(f) || form_is_rip(f))
		return -1;
	base = f->has_sib ? f->sib & 7 : f->modrm & 7;
	if (f->has_sib && base == 5 && form_mod(f) == 0)
		return -1;
	return (int)base | (f->rex & REX_B ? 8 : 0);
}

/* Gathers and scatters have a vector of indices. */
static bool is_vsib(const struct x86_form *f)
{
	uint8_t op = f->op;

	if (f->map != X86_0F38 || (f->enc != X86_VEX && f->enc != X86_EVEX))
		return false;
	if (op >= 0x90 && op <= 0x93)
		return true;
	return f->enc == X86_EVEX && ((op >= 0xa0 && op <= 0xa3) || op == 0xc6 || op == 0xc7);
}

int form_index(const struct x86_form *f)
{
	unsigned index;

	if (!form_is_mem(f) || !f->has_sib || is_vsib(f))
		return -1;
	index = (f->sib >> 3 & 7u) | (f->rex & REX_X ? 8u : 0u);
	return index == RSP ? -1 : (int)index;
}
