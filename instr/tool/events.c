/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - what tools want to be told of the process: ldx_at_event()
 *
 * The runtime calls their routines by a table (runtime/events.c).  What it does not notice itself,
 * calls of it tell that are inserted here, in the name of the tool that asks first.
 */
#include "instr/tool/session.h"

#include "instr/count/threads.h"
#include "instr/emit.h"
#include "instr/static_map.h"

#include "runtime/abi.h"

enum { WORDS = sizeof(struct ldx_event_row) / 8 };

static bool is_static(const struct tools *t)
{
	return !t->p->opt->shared && !t->p->opt->dynamic;
}

/* Inserted calls of the runtime ------------------------------------------------ */

/* The runtime uses general registers only, and so do these functions of a libc. */
static regset hook_changes(const struct target *t)
{
	regset kept = callee_saved(t) | t->no_scratch | REGSET_VECTORS;
	return (t->abi.call_clobbers & ~kept) | t->micro->enter_changes;
}

/* Returns why it cannot be inserted, or NULL. */
static const char *insert_hook(struct tools *t, ldx_site site, const char *name,
	const struct call_arg *arg)
{
	struct request q = {.site = (uint32_t)site.place - 1,
		.tool = (uint32_t)t->now,
		.call = {.sym = outside_symbol(t, name),
			.nargs = arg ? 1 : 0,
			.changes = hook_changes(t->g->target),
			.rest = t->g->target->micro->rest_slots ? REST_PRODUCTS : 0}};
	if (!site.place)
		return t->refused;
	if (arg)
		q.call.arg[0] = *arg;
	vec_push(&t->request, q);
	return NULL;
}

/* Where a thread may start: it is noticed at the first such place that it executes. */
static void hook_starts(struct tools *t)
{
	const struct cfg *g = t->g;
	const uint64_t *entered = thread_entries(t->p);
	if (t->p->addressing.access == ACCESS_THREAD && !t->p->opt->shared)
		return; /* __ldx_threads_check() tells */
	for (uint32_t b = 0; b < g->block.n; b++) {
		const struct func *f = &g->func.v[g->block.v[b].func];
		if (f->why == OPAQUE_NOT && entered[b >> 6] >> (b & 63) & 1)
			insert_hook(t, site_in_block(b), "__ldx_event_thread", NULL);
	}
}

/* The number of the system call that ends the block; 0: it ends otherwise; -1: not known. */
static int64_t number_at(const struct cfg *g, uint32_t b)
{
	const struct block *bl = &g->block.v[b];
	const struct func *f = &g->func.v[bl->func];
	int64_t nr;
	if (bl->gap || bl->end != END_SYSCALL || f->why != OPAQUE_NOT)
		return 0;
	return g->target->syscall.number(cfg_decoder(g, 0), g->text.v[f->text].sec->data,
		       &g->insn.v[bl->insn], bl->ninsn, &nr)
		? nr
		: -1;
}

static const char no_call[] = "no system call of the program is known to do that";

/* In front of system calls that end threads or the process; of unknown ones, too. */
static const char *hook_exits(struct tools *t)
{
	const struct target *target = t->g->target;
	const char *why = target->syscall.exits ? NULL : no_call;
	const struct call_arg number = {.gives = GIVES_REGISTER, .reg = target->syscall.reg};
	for (uint32_t b = 0; !why && b < t->g->block.n; b++) {
		int64_t nr = number_at(t->g, b);
		if (nr == -1 || syscall_listed(target->syscall.exits, nr))
			why = insert_hook(t, site_before(b, t->g->block.v[b].ninsn - 1, 0),
				"__ldx_event_exit", &number);
	}
	return why;
}

/* Behind system calls that make threads or processes. */
static const char *hook_forks(struct tools *t)
{
	const char *why = no_call;
	const struct call_arg result = {.gives = GIVES_REGISTER, .reg = t->g->target->abi.result};
	for (uint32_t b = 0; b < t->g->block.n; b++) {
		if (!syscall_listed(t->g->target->syscall.forks, number_at(t->g, b)))
			continue;
		why = insert_hook(t, site_behind(b, 0), "__ldx_event_cloned", &result);
		if (why)
			break;
	}
	return why;
}

/* Makes that the runtime is told, once; why that cannot be, or NULL. */
static const char *hook(struct tools *t, unsigned event)
{
	bool threads = event == LDX_AT_THREAD || event == LDX_AT_THREAD_END;
	if (event == LDX_AT_END)
		return t->p->opt->ends ? NULL : "the start files do not tell when the process ends";
	if (event == LDX_AT_EXIT)
		return hook_exits(t);
	if (!threads || t->p->single_thread)
		return NULL;
	if (!is_static(t)) {
		hook_starts(t);
		t->hooked |= 1 << LDX_AT_THREAD | 1 << LDX_AT_THREAD_END;
		return NULL;
	}
	return hook_forks(t);
}

ldx_site ldx_at_event(enum ldx_event e)
{
	static const uint8_t events[] = {[LDX_EVENT_BEGIN] = LDX_AT_BEGIN,
		[LDX_EVENT_END] = LDX_AT_END,
		[LDX_EVENT_CHILD] = LDX_AT_CHILD,
		[LDX_EVENT_THREAD_BEGIN] = LDX_AT_THREAD,
		[LDX_EVENT_THREAD_END] = LDX_AT_THREAD_END};
	struct tools *t = asking;
	if ((size_t)e >= sizeof events)
		tool_error("there is no event %d", (int)e);
	unsigned event = events[e] == LDX_AT_END && is_static(t) ? LDX_AT_EXIT : events[e];
	/* system calls that end threads, or the process */
	unsigned told = event == LDX_AT_THREAD_END && is_static(t) ? LDX_AT_EXIT : event;
	const char *why = t->hooked >> told & 1 ? NULL : hook(t, told);
	if (why)
		return site_refused(why);
	t->hooked |= (uint64_t)1 << told;
	vec_push(&t->site, (struct tool_site){.event = (uint8_t)(event + 1)});
	return (ldx_site){t->site.n};
}

/* The table ------------------------------------------------------------------- */

void events_name(struct tools *t)
{
	struct symbol sym = {.name = "__ldx_events",
		.sec = SEC_UNDEF,
		.other = STV_HIDDEN,
		.info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)};
	if (!t->event.n)
		return;
	t->sym_event = outside_symbol(t, "__ldx_event");
	t->sym_events = object_add_symbol(t->g->obj, &sym);
	for (struct event_call *e = t->event.v; e < t->event.v + t->event.n; e++)
		for (unsigned k = 0; k < e->call.nargs; k++)
			if (e->call.arg[k].gives == GIVES_ADDRESS)
				e->call.arg[k].sym = t->sym_data;
}

uint32_t tools_event_symbol(const struct tools *t)
{
	return t ? t->sym_event : 0;
}

/* What an argument is the address of. */
static struct reloc named_by(const struct tools *t, const uint32_t *symbol,
	const struct call_arg *a)
{
	struct reloc r = {.sym = a->sym, .addend = a->number};
	if (a->gives == GIVES_ADDRESS)
		return r;
	r.sym += PLACE_SYM + (a->exact ? PLACE_EXACT : 0);
	return emit_place(t->g->obj, symbol, r, 0);
}

struct reloc *address_relocs(const struct tools *t, const uint32_t *symbol,
	const struct call_arg *a, uint32_t sec, uint64_t off, struct reloc *r)
{
	struct reloc to = named_by(t, symbol, a);
	return distance_reloc(t->g, r, sec, off, to.sym, to.addend);
}

/* A row of the table; returns what is behind its relocations. */
static struct reloc *put_event(const struct tools *t, const struct event_call *e,
	const uint32_t *symbol, uint8_t *row, uint32_t sec, uint64_t off, struct reloc *r)
{
	const struct object *o = t->g->obj;
	uint64_t addresses = 0;
	r = distance_reloc(t->g, r, sec, off + offsetof(struct ldx_event_row, routine), e->call.sym,
		0);
	put_word(row + offsetof(struct ldx_event_row, event), 8, o->big, e->event);
	for (unsigned k = 0; k < e->call.nargs; k++) {
		const struct call_arg *a = &e->call.arg[k];
		uint64_t at = offsetof(struct ldx_event_row, arg) + k * sizeof(int64_t);
		if (a->gives != GIVES_NUMBER) {
			addresses |= (uint64_t)1 << k;
			r = address_relocs(t, symbol, a, sec, off + at, r);
		} else {
			put_word(row + at, 8, o->big, (uint64_t)a->number);
		}
	}
	put_word(row + offsetof(struct ldx_event_row, addresses), 8, o->big, addresses);
	return r;
}

void events_write(const struct tools *t)
{
	struct object *o = t->g->obj;
	size_t n = t->event.n, size = (n + 1) * sizeof(struct ldx_event_row);
	if (!n)
		return;
	const uint32_t *symbol = section_symbols(o->arena, o);
	uint8_t *bytes = arena_array(o->arena, uint8_t, size);
	struct reloc *rel = arena_array(o->arena, struct reloc, 2 * WORDS * n), *r = rel;
	struct section s = {.name = ".ldx.data",
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_WRITE,
		.align = 8,
		.size = size,
		.data = bytes,
		.rewritten = true,
		.out = bytes,
		.out_size = size,
		.out_rel = rel};
	uint32_t sec = object_add_section(o, &s);
	for (size_t i = 0; i < n; i++)
		r = put_event(t, &t->event.v[i], symbol, bytes + i * sizeof(struct ldx_event_row),
			sec, i * sizeof(struct ldx_event_row), r);
	o->sec.v[sec].out_nrel = (uint32_t)(r - rel);
	o->sym.v[t->sym_events].sec = sec;
	o->sym.v[t->sym_events].size = size;
}
