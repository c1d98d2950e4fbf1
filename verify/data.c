/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.c - relocations of data, and symbols of functions that routines replace
 */
#include "verify/data.h"
#include "verify/flow.h"
#include "verify/landing.h"
#include "verify/places.h"
#include "verify/tables.h"

bool is_unwind(const struct section *s)
{
	return !strcmp(s->name, ".eh_frame") || !strncmp(s->name, ".gcc_except_table", 17);
}

/*
 * A pc-relative word in data is relative to itself or to its table's base, and its target is an
 * instruction.  If both readings give one, one of them must be right.
 */
static bool same_relative(struct verify *v, const struct section *s, uint64_t off, uint32_t sec,
	uint64_t x, uint32_t nsec, uint64_t y)
{
	uint64_t base = off, dist;
	bool table = table_base(v, s, off, &base);
	dist = off - base;
	uint32_t jump = table ? jump_by(v, (struct vbase){s->index, base}) : NO_INSN;
	struct way branch = entry_of(jump, USE_BRANCH), enter = entry_of(jump, USE_ENTER);
	table = table && is_boundary(v, sec, x - dist);
	bool good = table && same_target(v, sec, x - dist, nsec, y - dist, &branch);
	v->ntable += good;
	bool self = is_boundary(v, sec, x);
	good = good || (self && same_target(v, sec, x, nsec, y, &enter));
	if (good)
		return true;
	if (table || self)
		return false;
	v->unproved++;
	return true;
}

/* What the second term of the difference that begins with r is. */
static struct vbase minus_place(const struct verify *v, const struct reloc *r)
{
	struct vbase b = {0};
	place_of(v->a, r + 1, 0, &b.sec, &b.off);
	return b;
}

/* A word of a jump table or of another one. */
static bool same_entry(struct verify *v, uint32_t sec, uint64_t x, uint32_t nsec, uint64_t y,
	struct vbase table)
{
	uint32_t jump = jump_by(v, table);
	struct way branch = entry_of(jump, USE_BRANCH), enter = entry_of(jump, USE_ENTER);
	bool good = is_boundary(v, sec, x) && same_target(v, sec, x, nsec, y, &branch);
	v->ntable += good;
	return good || same_target(v, sec, x, nsec, y, &enter);
}

bool same_unloaded_place(struct verify *v, uint32_t sec, uint64_t x, uint32_t nsec, uint64_t y)
{
	const struct section *a = &v->a->sec.v[sec], *b = &v->b->sec.v[nsec];
	if (x > a->size)
		return v->pair[sec] == nsec && y - b->size == x - a->size;
	return same_start(v, sec, x, nsec, y) || same_place(v, sec, x, nsec, y, USE_READ) ||
		same_place(v, sec, x, nsec, y, USE_END);
}

void verify_data_reloc(struct verify *v, const struct section *s, const struct reloc *r,
	const struct reloc *q)
{
	enum reloc_role role = v->target->reloc_info(r->type)->role;
	uint32_t sec = 0, nsec = 0;
	uint64_t x = 0, y = 0;
	bool address = role == ROLE_ABS || role == ROLE_PCREL || role == ROLE_PLT ||
		role == ROLE_GOTREL || role == ROLE_SUB || role == ROLE_PART;
	v->nreloc++;
	if (!address || !place_of(v->a, r, 0, &sec, &x) || !place_of(v->b, q, 0, &nsec, &y)) {
		if (r->addend != q->addend || r->sym != q->sym)
			vfail(v, s, r->off, "the relocation's addend changed");
		return;
	}
	const struct section *to = &v->a->sec.v[sec];
	if (!text_at(v, sec) && v->a->sec.v[sec].size != v->b->sec.v[nsec].size &&
		v->pair[sec] == nsec && (!(to->flags & SHF_ALLOC) || is_unwind(to))) {
		v->unproved++;
		return;
	}
	bool relative = role == ROLE_PCREL || role == ROLE_PLT, good;
	/* Notes of probes, and maps of patchable places or traps, name the very instruction. */
	bool exact = s->type == SHT_NOTE || lists_places(s) ||
		(!strcmp(s->name, "xray_instr_map") && r->off % 32 == 0) || role == ROLE_PART;
	const struct vtext *t = text_at(v, sec);
	/* the function behind what takes its place finds the GOT by its own address */
	bool own = v->target->abi.entry_label && role == ROLE_GOTREL && t && t->replaced &&
		x < t->a->size && bit_get(t->replaced, x);
	enum use use = exact ? USE_READ : own ? USE_BRANCH : USE_ENTER;
	if (!(s->flags & SHF_ALLOC) && !exact && text_at(v, sec))
		good = same_unloaded_place(v, sec, x, nsec, y);
	else if (is_difference(v, s, r) && text_at(v, sec))
		good = same_entry(v, sec, x, nsec, y, minus_place(v, r));
	else if (relative && !exact && text_at(v, sec))
		good = same_relative(v, s, r->off, sec, x, nsec, y);
	else
		good = same_place(v, sec, x, nsec, y, use);
	if (!good)
		vfail(v, s, r->off, "refers to %s+0x%llx, now to %s+0x%llx, which is another place",
			to->name, (unsigned long long)x, v->b->sec.v[nsec].name,
			(unsigned long long)y);
}

const struct reloc *without_redirect(struct verify *v, const struct section *a,
	const struct reloc *r, const struct reloc *q, bool calls)
{
	const redirect_vec *all = v->opt.redirects;
	const struct redirect *x = NULL;
	for (size_t k = 0; all && k < all->n && !x; k++)
		x = all->v[k].from == r->sym ? &all->v[k] : NULL;
	if (!x)
		return q;
	bool leads = q->sym == x->to;
	if (leads != calls)
		vfail(v, a, r->off,
			leads ? "leads to a routine of a tool"
			      : "does not lead to the routine of a tool");
	if (!leads)
		return q;
	struct reloc *as_before = arena_new(&v->arena, struct reloc);
	*as_before = *q;
	as_before->sym = r->sym;
	return as_before;
}
