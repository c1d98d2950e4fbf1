/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routine.c - the object with a tool's routines
 *
 * What a routine may change is read from its code: what its instructions change, and those of what
 * it calls, except the registers that the psABI makes functions keep.  For the last link the object
 * is written with other names, and with its data in the cells behind the counters.
 */
#include "instr/tool/session.h"

#include "reloc/fix.h"

#include <stdlib.h>

/* Sections with the data of a tool: a copy for each thread, where counters have that; for all. */
#define THREAD_DATA ".bss.ldx_thread"
#define PROCESS_DATA ".bss.ldx_process"
/* The same with routines that may use floating point and vectors: LDX_VECTORS. */
#define VECTORS_CODE ".text.ldx_vectors"
/* In the runtime: how far from the cells those of the process are; for LDX_OWN. */
#define PROCESS "__ldx_process"

enum { NO_ROUTINE = UINT32_MAX };

struct arena kept_calls;

static const char *routines_of(const struct tools *t, const struct tool *tool)
{
	return tool->use->routines[t->p->addressing.access];
}

/* The same for messages: as a member of the package. */
static const char *shown_routines(const struct tools *t, const struct tool *tool)
{
	return arena_printf(t->g->arena, "%s(%s)", tool->use->package,
		strstr(strrchr(routines_of(t, tool), '/'), t->g->target->name));
}

static uint32_t routine_at(const struct tool *tool, uint32_t section, uint64_t off)
{
	for (uint32_t i = 0; i < tool->routine.n; i++) {
		const struct routine *r = &tool->routine.v[i];
		if (r->section == section && off - r->off < r->size)
			return i;
	}
	return NO_ROUTINE;
}

struct call_of {
	uint32_t caller, callee;
};
typedef VEC(struct call_of) calls_vec;

/* Where a direct call or a jump leads: a routine, or NO_ROUTINE. */
static uint32_t callee_of(const struct tools *t, const struct tool *tool, const struct section *s,
	const struct insn *in)
{
	const struct reloc *r = reloc_of_jump(t->g->target, s, in);
	if (r) {
		const struct symbol *sym = &tool->o->sym.v[r->sym];
		uint64_t addend = symbol_type(sym) == STT_SECTION ? (uint64_t)r->addend + 4 : 0;
		return routine_at(tool, sym->sec, sym->value + addend);
	}
	if (!in->pc_size)
		return NO_ROUTINE;
	return routine_at(tool, s->index,
		in->off + (uint64_t)t->g->target->form->distance(in, s->data + in->off, in->len));
}

/* A bit of the original that relocation r names; 0: it names none. */
static uint64_t original_named(struct tool *tool, const struct reloc *r)
{
	const char *name = tool->o->sym.v[r->sym].name;
	struct original *x = strncmp(name, ORIGINAL, strlen(ORIGINAL))
		? NULL
		: original_find(tool, name + strlen(ORIGINAL));
	return x ? (uint64_t)1 << (x - tool->original.v) : 0;
}

/* The same of a call or jump. */
static uint64_t original_called(const struct target *t, struct tool *tool, const struct section *s,
	const struct insn *in)
{
	const struct reloc *r = reloc_of_jump(t, s, in);
	return r ? original_named(tool, r) : 0;
}

static bool leads_elsewhere(const struct insn *in)
{
	return in->kind == INSN_CALL || in->kind == INSN_JUMP || in->kind == INSN_BRANCH ||
		in->kind == INSN_CALL_IND || in->kind == INSN_JUMP_IND;
}

/* Is it known where it leads: by the instruction, or by a relocation that says what it calls? */
static bool names_target(const struct target *t, const struct section *s, const struct insn *in)
{
	const struct reloc *r = reloc_of_jump(t, s, in);
	return (in->kind != INSN_CALL_IND && in->kind != INSN_JUMP_IND) ||
		(r && t->reloc_info(r->type)->callee);
}

/* What it does must be possible, and declared if it is about vectors and floating point. */
static void check_insn(const struct tools *t, struct tool *tool, struct routine *r,
	const struct section *s, const struct insn *in)
{
	const struct target *target = t->g->target;
	const struct effects *e = insn_effects(in);
	const char *why = target->micro->unfit ? target->micro->unfit(s->data + in->off, in) : NULL;
	if (why)
		tool_error("%s: (%s+0x%x): %s has %s", shown_routines(t, tool), s->name, in->off,
			r->name, why);
	if (!((e->clobbers | (in->flags & INSN_VAGUE ? 0 : e->reads)) & REGSET_VECTORS))
		return;
	if (in->flags & INSN_VAGUE || !r->vectors)
		tool_error("%s: (%s+0x%x): %s %s", shown_routines(t, tool), s->name, in->off,
			r->name,
			in->flags & INSN_VAGUE ? "may change what is not known"
					       : "uses vector registers without LDX_VECTORS");
	r->rest |= REST_FLOAT;
}

/* What a system call may change: kernels preserve vectors. */
static void change_all(const struct tools *t, struct routine *r, bool vectors)
{
	const struct target *target = t->g->target;
	r->changes |= target->abi.call_clobbers & ~REGSET_VECTORS;
	r->rest |= target->micro->rest_slots ? REST_PRODUCTS : 0;
	if (!vectors)
		return;
	r->changes |= REGSET_VECTORS;
	r->rest |= REST_FLOAT;
}

/* May what a routine calls by its address change vectors? */
static bool declares_vectors(const struct tool *tool)
{
	bool any = false;
	for (uint32_t i = 0; i < tool->routine.n && !any; i++)
		any = tool->routine.v[i].vectors;
	return any;
}

static void read_call(const struct tools *t, struct tool *tool, uint32_t number,
	const struct insn *in, calls_vec *calls)
{
	const struct target *target = t->g->target;
	struct routine *r = &tool->routine.v[number];
	const struct section *s = &tool->o->sec.v[r->section];
	bool named = names_target(target, s, in);
	uint32_t to = named ? callee_of(t, tool, s, in) : NO_ROUTINE;
	uint64_t original = named && to == NO_ROUTINE ? original_called(target, tool, s, in) : 0;
	if (to != NO_ROUTINE)
		vec_push(calls, (struct call_of){number, to});
	else if (original)
		r->originals |= original;
	else
		change_all(t, r, declares_vectors(tool));
}

static void read_code(const struct tools *t, struct tool *tool, uint32_t number, calls_vec *calls)
{
	const struct target *target = t->g->target;
	struct routine *r = &tool->routine.v[number];
	const struct section *s = &tool->o->sec.v[r->section];
	struct insn in = {.off = (uint32_t)r->off};
	while (in.off < r->off + r->size) {
		uint32_t off = in.off;
		if (!target->decode(cfg_decoder(t->g, 0), s->data + off, s->size - off, &in))
			tool_error("%s: (%s+0x%x): no instruction", shown_routines(t, tool),
				s->name, off);
		in.off = off;
		if (target->micro->landing && in.flags & INSN_LANDING && off == r->off)
			r->landing = in.len;
		check_insn(t, tool, r, s, &in);
		r->changes |= insn_effects(&in)->clobbers;
		if (target->micro->changes_rest &&
			target->micro->changes_rest(s->data + off, in.len))
			r->rest |= REST_PRODUCTS;
		if (leads_elsewhere(&in))
			read_call(t, tool, number, &in, calls);
		if (in.kind == INSN_SYSCALL || in.flags & INSN_VAGUE)
			change_all(t, r, false);
		in.off += in.len;
	}
	for (uint32_t k = section_first_reloc(s, r->off);
		k < s->nrel && s->rel[k].off < r->off + r->size; k++)
		r->originals |= original_named(tool, &s->rel[k]);
	/* of vectors, callees keep parts only */
	r->changes &= ~((callee_saved(target) | target->no_scratch) & REGSET_GENERAL);
	r->body_changes = r->changes;
	r->changes |= target->micro->enter_changes;
}

/* What callees change, their callers change. */
static void close_calls(struct tool *tool, const calls_vec *calls)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < calls->n; i++) {
			struct routine *caller = &tool->routine.v[calls->v[i].caller];
			regset changes = tool->routine.v[calls->v[i].callee].changes;
			uint64_t originals = tool->routine.v[calls->v[i].callee].originals;
			uint8_t rest = tool->routine.v[calls->v[i].callee].rest;
			more |= changes & ~caller->changes || rest & ~caller->rest ||
				originals & ~caller->originals;
			caller->changes |= changes;
			caller->originals |= originals;
			caller->rest |= rest;
		}
	}
}

/* Who calls what is declared is declared, too. */
static void check_vectors(const struct tools *t, const struct tool *tool)
{
	for (const struct routine *r = tool->routine.v; r < tool->routine.v + tool->routine.n; r++)
		if (r->changes & REGSET_VECTORS && !r->vectors)
			tool_error("%s: %s may call a routine with LDX_VECTORS, and has none",
				shown_routines(t, tool), r->name);
}

/* What follows in its name; NULL: it has no data of a tool. */
static const char *behind(const struct section *s, const char *name)
{
	return strncmp(s->name, name, strlen(name)) ? NULL : s->name + strlen(name);
}

static bool is_data(const struct section *s)
{
	return behind(s, THREAD_DATA) || behind(s, PROCESS_DATA);
}

/* What an object of routines may refer to beside itself. */
static bool is_known(const struct target *t, const char *name)
{
	const char *const *known = t->linker_names;
	while (known && *known && strcmp(*known, name) != 0)
		known++;
	return (known && *known) || !strcmp(name, "_GLOBAL_OFFSET_TABLE_") ||
		!strcmp(name, PROCESS);
}

static bool is_original(const struct symbol *s)
{
	return s->sec == SEC_UNDEF && !strncmp(s->name, ORIGINAL, strlen(ORIGINAL));
}

struct original *original_find(struct tool *tool, const char *name)
{
	for (struct original *x = tool->original.v; x < tool->original.v + tool->original.n; x++)
		if (!strcmp(x->name, name))
			return x;
	return NULL;
}

static void read_originals(struct tool *tool)
{
	for (uint32_t i = 1; i < tool->o->sym.n; i++) {
		const struct symbol *s = &tool->o->sym.v[i];
		if (is_original(s))
			vec_push(&tool->original,
				(struct original){s->name + strlen(ORIGINAL), NO_SYMBOL});
	}
	if (tool->original.n > 64)
		tool_error("its routines call more than 64 originals");
}

regset routine_changes(const struct tools *t, const struct routine *r, uint64_t keep)
{
	const struct target *target = t->g->target;
	regset of_originals = target->abi.call_clobbers & ~callee_saved(target) &
		~target->no_scratch;
	return r->changes | (r->originals & ~keep ? of_originals : 0);
}

static void check_symbols(const struct tools *t, const struct tool *tool)
{
	const struct object *o = tool->o;
	for (uint32_t i = 1; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		if (symbol_type(s) == STT_TLS)
			tool_error("%s: %s is thread-local; use LDX_THREAD",
				shown_routines(t, tool), s->name);
		if (s->sec == SEC_UNDEF && !is_known(t->g->target, s->name) && !is_original(s))
			tool_error("%s: %s is not defined", shown_routines(t, tool), s->name);
	}
}

const char *linked_name(const struct tools *t, const struct tool *tool, const char *name)
{
	return arena_printf(t->g->arena, "__ldx_%s_%s", tool->use->name, name);
}

/* Where each thread has a copy, a variable's value is a distance, which ldx_data() has in its code.
 */
static bool is_distance(const struct tools *t, const struct section *s, const struct reloc *r)
{
	return t->p->addressing.access != ACCESS_THREAD || !(s->flags & SHF_ALLOC) ||
		(section_is_code(s) && t->g->target->reloc_info(r->type)->role == ROLE_ABS);
}

/* Code refers to variables by global symbols only: on some CPUs, others are not found by a GOT. */
static void check_section(const struct tools *t, const struct tool *tool, const struct section *s)
{
	const struct object *o = tool->o;
	for (const struct reloc *r = s->rel; r < s->rel + s->nrel; r++) {
		const struct symbol *sym = &o->sym.v[r->sym];
		if (sym->sec >= o->sec.n || !is_data(&o->sec.v[sym->sec]))
			continue;
		if (r->sym < o->nlocal)
			tool_error("%s: (%s+0x%llx): a variable of the profile is static",
				shown_routines(t, tool), s->name, (unsigned long long)r->off);
		if (!is_distance(t, s, r))
			tool_error("%s: (%s+0x%llx): variable %s is not accessed by ldx_data()",
				shown_routines(t, tool), s->name, (unsigned long long)r->off,
				sym->name);
	}
}

/* The name of a variable's section tells its rule: see ldx/analysis.h. */
static void read_rule(const struct tools *t, const struct tool *tool, struct variable *x,
	const char *name)
{
	static const char *const rule[LDX_RULE_KINDS] = {[LDX_RULE_SUM] = "",
		[LDX_RULE_OR] = ".or",
		[LDX_RULE_MAXIMUM] = ".maximum",
		[LDX_RULE_MINIMUM] = ".minimum",
		[LDX_RULE_FIRST] = ".first",
		[LDX_RULE_TABLE] = ".table."};
	if (!strcmp(name, ".tool")) {
		x->rule = LDX_RULE_TOOL;
		return;
	}
	while (x->rule < LDX_RULE_TABLE && strcmp(name, rule[x->rule]) != 0)
		x->rule++;
	if (x->rule < LDX_RULE_TABLE)
		return;
	if (sscanf(name, ".table.%u.%u", &x->keys, &x->sums) != 2 || !x->keys || !x->sums)
		tool_error("%s: %s has no rule of ldx/analysis.h: %s", shown_routines(t, tool),
			x->name, name);
	uint64_t entry = ((uint64_t)x->keys + x->sums) * 8;
	if (x->size % entry || x->size < 2 * entry || x->off % 8)
		tool_error("%s: table %s is not an array of entries of %u keys and %u sums",
			shown_routines(t, tool), x->name, x->keys, x->sums);
}

static void read_variables(struct tools *t, struct tool *tool)
{
	struct object *o = tool->o;
	uint64_t *cell = arena_array(o->arena, uint64_t, o->sec.n);
	for (uint32_t i = 1; i < o->sec.n; i++) {
		check_section(t, tool, &o->sec.v[i]);
		cell[i] = tool->cells;
		if (is_data(&o->sec.v[i]))
			tool->cells += (o->sec.v[i].size + 7) / 8;
	}
	for (uint32_t i = o->nlocal; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		if (s->sec >= o->sec.n || !is_data(&o->sec.v[s->sec]))
			continue;
		struct variable x = {.name = s->name,
			.size = s->size,
			.symbol = i,
			.off = cell[s->sec] * 8 + s->value};
		const char *rule = behind(&o->sec.v[s->sec], THREAD_DATA);
		x.process = !rule;
		read_rule(t, tool, &x, rule ? rule : behind(&o->sec.v[s->sec], PROCESS_DATA));
		struct symbol own = {.name = linked_name(t, tool, s->name),
			.sec = SEC_UNDEF,
			.size = s->size,
			.info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE),
			.other = STV_HIDDEN};
		x.sym = object_add_symbol(t->g->obj, &own);
		vec_push(&tool->variable, x);
	}
}

uint32_t tool_symbol(const struct tools *t, const struct tool *tool, uint32_t sym)
{
	const struct object *o = tool->o;
	const struct symbol *s = &o->sym.v[sym];
	for (size_t i = 0; i < tool->variable.n; i++)
		if (tool->variable.v[i].symbol == sym)
			return tool->variable.v[i].sym;
	if (sym < o->nlocal || !s->sec || s->sec >= o->sec.n || section_is_code(&o->sec.v[s->sec]))
		return NO_SYMBOL;
	const char *name = linked_name(t, tool, s->name);
	for (uint32_t i = t->g->obj->nlocal; i < t->g->obj->sym.n; i++)
		if (!strcmp(t->g->obj->sym.v[i].name, name))
			return i;
	return outside_symbol(t, name);
}

void routines_read(struct tools *t, struct tool *tool)
{
	const struct target *target = t->g->target;
	calls_vec calls = {0};
	if (!routines_of(t, tool))
		return;
	struct object *o = tool->o = object_read(t->g->arena, routines_of(t, tool));
	if (target_for(o) != target)
		tool_error("%s is for another CPU than %s", shown_routines(t, tool), target->name);
	fix_check(o, target->reloc_info);
	check_symbols(t, tool);
	read_originals(tool);
	for (uint32_t i = 1; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		if (s->sec && s->sec < o->sec.n && symbol_type(s) == STT_FUNC &&
			section_is_code(&o->sec.v[s->sec]))
			vec_push(&tool->routine,
				(struct routine){.name = s->name,
					.local = i < o->nlocal,
					.vectors = !strcmp(o->sec.v[s->sec].name, VECTORS_CODE),
					.section = s->sec,
					.off = s->value,
					.size = s->size});
	}
	for (uint32_t i = 0; i < tool->routine.n; i++)
		read_code(t, tool, i, &calls);
	close_calls(tool, &calls);
	check_vectors(t, tool);
	vec_free(&calls);
	read_variables(t, tool);
	for (uint32_t i = 0; i < tool->routine.n; i++)
		body_read(t, tool, &tool->routine.v[i]);
}

uint32_t outside_symbol(const struct tools *t, const char *name)
{
	struct symbol s = {.name = name,
		.sec = SEC_UNDEF,
		.info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE),
		.other = STV_HIDDEN};
	return object_add_symbol(t->g->obj, &s);
}

const struct routine *routine_find(struct tools *t, struct tool *tool, const char *name)
{
	for (struct routine *r = tool->routine.v; r < tool->routine.v + tool->routine.n; r++) {
		if (strcmp(r->name, name) != 0)
			continue;
		if (!r->sym)
			r->sym = outside_symbol(t, linked_name(t, tool, name));
		return r;
	}
	tool_error("it has no routine %s", name);
}

const struct variable *variable_find(const struct tool *tool, const char *name)
{
	for (size_t i = 0; i < tool->variable.n; i++)
		if (!strcmp(tool->variable.v[i].name, name))
			return &tool->variable.v[i];
	tool_error("it has no variable %s with LDX_THREAD or LDX_PROCESS", name);
}

const struct variable *ordinary_find(struct tools *t, struct tool *tool, const char *name)
{
	const struct object *o = tool->o;
	uint32_t i = o ? o->nlocal : 0;
	for (size_t k = 0; k < tool->ordinary.n; k++)
		if (!strcmp(tool->ordinary.v[k].name, name))
			return &tool->ordinary.v[k];
	while (o && i < o->sym.n && strcmp(o->sym.v[i].name, name) != 0)
		i++;
	const struct symbol *s = o && i < o->sym.n ? &o->sym.v[i] : NULL;
	if (!s || symbol_type(s) != STT_OBJECT || s->sec >= o->sec.n || is_data(&o->sec.v[s->sec]))
		tool_error("it has no variable %s without LDX_THREAD", name);
	vec_push(&tool->ordinary,
		(struct variable){.name = s->name,
			.size = s->size,
			.sym = tool_symbol(t, tool, i)});
	return &tool->ordinary.v[tool->ordinary.n - 1];
}

/* Writing ------------------------------------------------------------------- */

/* The symbol that routines find their variables beside: a fixed one if each thread has a copy. */
static const struct symbol *counters_symbol(const struct tools *t)
{
	const struct counter_addressing *to = &t->p->addressing;
	return &t->g->obj->sym.v[to->access == ACCESS_THREAD ? to->sym_fixed : to->sym];
}

struct counter_addressing variable_addressing(const struct tools *t, uint32_t sym)
{
	struct counter_addressing to = t->p->addressing;
	to.sym = to.sym_fixed = sym;
	to.fixed &= to.access == ACCESS_THREAD || !to.moved; /* beside counters_symbol() */
	to.repeat = REPEAT_SOON;
	return to;
}

struct counter_addressing ordinary_addressing(const struct tools *t, uint32_t sym)
{
	const struct counter_addressing *counters = &t->p->addressing;
	return (struct counter_addressing){.sym = sym,
		.sym_fixed = sym,
		.near = true,
		.fixed = !counters->pic,
		.pic = counters->pic,
		.repeat = REPEAT_SOON};
}

void variables_define(const struct tools *t, const struct tool *tool, uint64_t cell)
{
	const struct symbol *counters = counters_symbol(t);
	for (size_t i = 0; i < tool->variable.n; i++) {
		const struct variable *x = &tool->variable.v[i];
		struct symbol *s = &t->g->obj->sym.v[x->sym];
		s->sec = counters->sec;
		s->value = counters->value + cell * 8 + x->off;
	}
}

/* The program's object defines the variables; constant addresses are put into the code later. */
static void refer_to_variables(const struct tools *t, const struct tool *tool)
{
	for (size_t i = 0; i < tool->variable.n; i++) {
		struct symbol *s = &tool->o->sym.v[tool->variable.v[i].symbol];
		const struct symbol *defined = &t->g->obj->sym.v[tool->variable.v[i].sym];
		bool fixed = defined->sec == SEC_ABS;
		s->sec = fixed ? SEC_ABS : SEC_UNDEF;
		s->value = fixed ? defined->value : 0;
		s->size = 0;
		unsigned bind = fixed ? STB_WEAK : STB_GLOBAL;
		s->info = (uint8_t)ELF64_ST_INFO(bind, STT_NOTYPE);
	}
}

/* What is called by the program or the runtime, and what that may call: which originals. */
struct reached {
	const struct tools *t;
	struct tool *tool;
	bool *seen; /* by routine */
	uint64_t originals;
};

static bool call_names(const struct tool_call *call, uint32_t sym)
{
	return call->sym == sym || (call->when && call->when->sym == sym);
}

static bool is_requested(const struct tools *t, uint32_t sym)
{
	bool named = false;
	for (size_t i = 0; i < t->request.n && !named; i++)
		named = call_names(&t->request.v[i].call, sym);
	for (size_t i = 0; i < t->event.n && !named; i++)
		named = call_names(&t->event.v[i].call, sym);
	for (size_t i = 0; i < t->redirect.n && !named; i++)
		named = t->redirect.v[i].to == sym;
	return named;
}

/* Calls that the assembler has resolved are in a routine's set of originals. */
static void reach(struct reached *w, uint32_t i)
{
	const struct routine *r = &w->tool->routine.v[i];
	const struct object *o = w->tool->o;
	const struct section *s = &o->sec.v[r->section];
	if (w->seen[i])
		return;
	w->seen[i] = true;
	w->originals |= r->originals;
	for (uint32_t k = section_first_reloc(s, r->off);
		k < s->nrel && s->rel[k].off < r->off + r->size; k++) {
		const struct symbol *sym = &o->sym.v[s->rel[k].sym];
		uint32_t to = routine_at(w->tool, sym->sec, sym->value);
		if (to != NO_ROUTINE && symbol_type(sym) != STT_SECTION)
			reach(w, to);
	}
}

/* Has its data addresses of code? */
static bool has_pointers(struct tool *tool)
{
	const struct object *o = tool->o;
	for (uint32_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		bool data = s->flags & SHF_WRITE && strcmp(s->name, ".eh_frame") != 0;
		for (uint32_t k = 0; data && k < s->nrel; k++) {
			uint32_t sec = o->sym.v[s->rel[k].sym].sec;
			if (original_named(tool, &s->rel[k]) ||
				(sec && sec < o->sec.n && section_is_code(&o->sec.v[sec])))
				return true;
		}
	}
	return false;
}

/* Static functions are some routine's: that is called perhaps. */
static uint64_t originals_reached(const struct tools *t, struct tool *tool)
{
	struct reached w = {t, tool, arena_array(t->g->arena, bool, tool->routine.n + 1), 0};
	bool all = has_pointers(tool);
	for (uint32_t i = 0; i < tool->routine.n; i++) {
		const struct routine *r = &tool->routine.v[i];
		if (all || r->local || (r->sym && is_requested(t, r->sym)))
			reach(&w, i);
	}
	return w.originals;
}

/* Those that nothing calls need not exist: a program may not have all functions of a tool. */
static void bind_original(const struct tools *t, struct tool *tool, struct symbol *s,
	uint64_t reached)
{
	const char *name = s->name + strlen(ORIGINAL);
	const struct original *x = original_find(tool, name);
	if (x->sym != NO_SYMBOL)
		s->name = t->g->obj->sym.v[x->sym].name;
	else if (reached >> (x - tool->original.v) & 1)
		tool_error("%s calls the original of %s, which it does not replace",
			shown_routines(t, tool), name);
	else { /* any code: that of a routine that there is, as one refers to it */
		s->sec = (uint32_t)tool->routine.v[0].section;
		s->value = tool->routine.v[0].off;
	}
}

/* No name of the object may be one of the program's, or be seen outside. */
static void rename_symbols(const struct tools *t, struct tool *tool)
{
	struct object *o = tool->o;
	uint64_t reached = originals_reached(t, tool);
	for (uint32_t i = 1; i < o->sym.n; i++) {
		struct symbol *s = &o->sym.v[i];
		if (is_original(s))
			bind_original(t, tool, s, reached);
		if (s->sec == SEC_UNDEF || !*s->name || *s->name == '.')
			continue;
		s->name = linked_name(t, tool, s->name);
		s->other = (uint8_t)((s->other & ~3) | STV_HIDDEN);
	}
}

void routines_write(const struct tools *t, struct tool *tool)
{
	struct object *o = tool->o;
	rename_symbols(t, tool);
	refer_to_variables(t, tool);
	for (uint32_t i = 1; i < o->sec.n; i++)
		o->sec.v[i].dropped |= is_data(&o->sec.v[i]);
	object_write(o, tool->use->linked);
}
