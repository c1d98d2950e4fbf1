/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branch.c - branches of changing length, and sequences that stay together
 *
 * A branch keeps its prefixes (bnd, hints) when it grows.  jrcxz and loop have
 * no long form and are replaced by
 *
 *		jrcxz 1f
 *		jmp 2f
 *	1:	jmp target		(rel32)
 *	2:
 *
 * hazard: branch of one byte only.  jrcxz and loop have no long form.
 */
#include "targets/x86_64/x86_64.h"

/* LONGEST: a processor takes no longer instruction (Intel SDM, volume 2, 2.3.11). */
enum { JMP8 = 2, JMP32 = 5, LONGEST = 15 };

static bool fits8(int64_t x)
{
	return x >= -128 && x <= 127;
}

static bool fits32(int64_t x)
{
	return x >= INT32_MIN && x <= INT32_MAX;
}

static unsigned long_len(const struct insn *in)
{
	if (in->pc_size != 1)
		return in->len;
	if (in->flags & INSN_SHORT_ONLY)
		return in->len + JMP8 + JMP32;
	return in->len + (in->kind == INSN_JUMP ? 3u : 4u);
}

unsigned x86_branch_len(const struct insn *in, int64_t dist, unsigned now)
{
	if (now <= in->len && (in->pc_size != 1 || fits8(dist - in->len)))
		return in->len;
	return long_len(in);
}

unsigned x86_field(const struct insn *in, unsigned len)
{
	return len == in->len ? in->pc_off : len - 4;
}

int64_t x86_distance(const struct insn *in, const uint8_t *p, unsigned len)
{
	const uint8_t *field = p + x86_field(in, len);

	return (int64_t)len +
		(len == in->len && in->pc_size == 1 ? (int8_t)*field : (int32_t)get_u32(field));
}

bool x86_same_but_field(const struct insn *in, const uint8_t *p, const uint8_t *q)
{
	unsigned behind = in->pc_off + in->pc_size;

	return !memcmp(p, q, in->pc_off) && !memcmp(p + behind, q + behind, in->len - behind);
}

static bool grow(const struct insn *in, const uint8_t *p, uint8_t *out)
{
	unsigned prefixes = in->len - 2u, n = prefixes;
	uint8_t op = p[prefixes];

	memcpy(out, p, in->len);
	if (in->flags & INSN_SHORT_ONLY) {
		out[in->len - 1] = JMP8;
		out[in->len] = 0xeb;
		out[in->len + 1] = JMP32;
		out[in->len + 2] = 0xe9;
	} else if (op == 0xeb) {
		out[n] = 0xe9;
	} else if ((op & 0xf0) == 0x70) {
		out[n++] = 0x0f;
		out[n] = 0x80 | (op & 15);
	} else {
		return false;
	}
	return true;
}

/* On some CPUs prefix 66 changes the meaning of a distance, unless REX.W overrides it. */
static bool has_opsize(const struct insn *in, const uint8_t *p)
{
	struct x86_form f;

	return !x86_parse(p, in->len, &f) || form_opsize(&f) == 2;
}

bool x86_encode(const struct insn *in, const uint8_t *p, unsigned len, int64_t dist, uint8_t *out)
{
	int64_t rel = dist - (int64_t)len;

	if (!in->pc_size || (!(in->flags & INSN_OPERAND_PC) && has_opsize(in, p)))
		return false;
	if (len == in->len) {
		memcpy(out, p, len);
		if (in->pc_size == 1) {
			out[in->pc_off] = (uint8_t)rel;
			return fits8(rel);
		}
	} else if (len != long_len(in) || len > LONGEST || !grow(in, p, out)) {
		return false;
	}
	put_u32(out + x86_field(in, len), (uint32_t)rel);
	return fits32(rel);
}

/* The first relocation of s in the size bytes at off, or NULL. */
static const struct reloc *find_reloc(const struct section *s, uint64_t off, unsigned size)
{
	uint32_t i = section_first_reloc(s, off);
	return i < s->nrel && s->rel[i].off < off + size ? &s->rel[i] : NULL;
}

static bool is_tls_get_addr(const struct object *o, const struct reloc *r)
{
	return r && r->type == R_X86_64_PLTOFF64 && r->sym < o->sym.n &&
		!strcmp(o->sym.v[r->sym].name, "__tls_get_addr");
}

/*
 * Code sequences of the x86-64 psABI, section "Thread-Local Storage", all of
 * which begin with `lea x@tlsgd(%rip),%rdi' or `lea x@tlsld(%rip),%rdi':
 *
 *	lea; call __tls_get_addr		(also with prefixes as padding)
 *	lea; call *__tls_get_addr@GOTPCREL(%rip)
 *	lea; movabs $__tls_get_addr@pltoff,%rax; add %rbx,%rax; call *%rax
 *
 * hazard: TLS sequence.  The linker rewrites a call of __tls_get_addr and the lea in front
 * as one: bfd rejects code between them, LLD overwrites it.
 */
bool x86_glued(const struct object *o, const struct section *s, const struct insn *first,
	const struct insn *second)
{
	const struct reloc *r = find_reloc(s, first->off, first->len);

	(void)second;
	if (r && (r->type == R_X86_64_TLSGD || r->type == R_X86_64_TLSLD))
		return true;
	if (r)
		return is_tls_get_addr(o, r);
	/* The add: 48 01 d8 or 4c 01 f8 behind the movabs. */
	if (first->len != 3 || first->off < 10 || first->off + 3u > s->size)
		return false;
	if ((s->data[first->off] & 0xf8) != 0x48 || s->data[first->off + 1] != 0x01)
		return false;
	return is_tls_get_addr(o, find_reloc(s, first->off - 8, 8));
}
