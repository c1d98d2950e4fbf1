/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - compares what an instruction did with its description
 */
#include "testsuite/access/accesses.h"

#include <signal.h>

static void complain(const struct planned *p, const struct trial *t, const struct outcome *o,
	const char *what, uint64_t is, uint64_t should)
{
	if (count.wrong++ >= LIST_MAX || g.wrong)
		return;
	printf("%s: ", what);
	for (unsigned i = 0; i < p->in.len; i++)
		printf("%02x", t->code[i]);
	printf(" %s: %llx for %llx; signal %d at %llx, fault %llx\n", p->form->text,
		(unsigned long long)is, (unsigned long long)should, (int)o->signal,
		(unsigned long long)o->after.pc, (unsigned long long)o->fault);
	for (unsigned i = 0; i < p->ntouch && i < 6; i++)
		printf("\tdescribed: %llx %u %s%s\n", (unsigned long long)p->touch[i].at,
			p->touch[i].size, p->touch[i].reads ? "r" : "",
			p->touch[i].writes ? "w" : "");
	for (unsigned i = 0; i < o->seen.n && i < 6; i++)
		printf("\tseen: %llx %u %s\n", (unsigned long long)o->seen.access[i].at,
			(unsigned)o->seen.access[i].how & 255,
			o->seen.access[i].how >> 8 ? "w" : "r");
}

/* Is the byte one that is described? */
static bool is_described(const struct planned *p, uint64_t at, bool store)
{
	for (unsigned i = 0; i < p->ntouch; i++) {
		const struct touch *c = &p->touch[i];
		uint64_t first = c->at, n = c->size;

		if (c->loose && !store)
			first &= ~UINT64_C(7), n = 8;
		if (at - first < n && (store ? c->writes : c->reads))
			return true;
	}
	return false;
}

static bool is_seen(const struct seen *s, uint64_t at, bool store, uint64_t *first)
{
	for (uint64_t i = 0; i < s->n; i++)
		if (at - s->access[i].at < (s->access[i].how & 255) &&
			s->access[i].how >> 8 == store) {
			*first = i;
			return true;
		}
	return false;
}

/* What the emulator saw is what is described, in its order. */
static void judge_seen(const struct planned *p, const struct trial *t, const struct outcome *o)
{
	const struct seen *s = &o->seen;
	uint64_t before = 0, first = 0;

	if (s->n == SEEN)
		return;
	for (uint64_t i = 0; i < s->n; i++)
		for (unsigned k = 0; k < (s->access[i].how & 255); k++)
			if (!is_described(p, s->access[i].at + k, s->access[i].how >> 8)) {
				complain(p, t, o, "not described", s->access[i].at + k, 0);
				return;
			}
	for (unsigned i = 0; i < p->ntouch; i++) {
		const struct touch *c = &p->touch[i];

		/* of dc zva QEMU tells nothing */
		for (unsigned k = 0; k < c->size && c->size != ZVA; k++) {
			/* QEMU 7.2 tells of an atomic operation's store only */
			bool loads = !c->reads || (c->perhaps && !c->writes) ||
				(c->writes && is_seen(s, c->at + k, true, &first)) ||
				is_seen(s, c->at + k, false, &first);
			bool stores = !c->writes || c->perhaps ||
				is_seen(s, c->at + k, true, &first);
			if (!loads || !stores) {
				complain(p, t, o, "not seen", c->at + k, 0);
				return;
			}
		}
		if (!c->perhaps && i && i < p->n * ACCESSES && c->which != p->touch[i - 1].which) {
			if (first < before)
				complain(p, t, o, "another order", first, before);
		}
		before = first;
	}
}

/* Bytes that changed are those of stores. */
static void judge_changes(const struct planned *p, const struct trial *t, const struct outcome *o)
{
	for (unsigned r = 0; r < REGIONS; r++)
		for (unsigned i = 0; i < WINDOW; i++) {
			uint64_t at = MIDDLE(r) - WINDOW / 2 + i;
			if (t->window[r][i] != o->window[r][i] && !is_described(p, at, true)) {
				complain(p, t, o, "changed", at, 0);
				return;
			}
		}
}

static bool has_vector(const struct access *a)
{
	unsigned most = is_x86() ? (g.emulator ? 16 : 64) : g.t->machine == EM_AARCH64 ? 16 : 8;

	if (is_x86() && g.emulator && a->value > 15)
		return false;
	if (is_mips() && a->size > 4)
		return false;
	return a->size <= most;
}

static void judge_value(const struct planned *p, const struct access *a, const struct action *by,
	struct trial *t, struct outcome *o)
{
	const struct state *s = state_of(p, t, by), *after = &o->after;
	uint64_t at = address(a, s, 0), value, expected, is;
	uint8_t *was, *now;

	if (a->value_kind == VALUE_OTHER || a->perhaps || a->span || (a->writes && a->reads) ||
		by->rounds || !content(t->window, at, a->size, &was) ||
		!content(o->window, at, a->size, &now))
		return;
	if (a->value_kind == VALUE_VECTOR) {
		const uint8_t *v = (a->writes ? s : after)->vector[a->value];
		if (has_vector(a) && memcmp(v, a->writes ? now : was, a->size) != 0 &&
			!(g.t->big && a->size < 8))
			complain(p, t, o, "value", v[0], (a->writes ? now : was)[0]);
		return;
	}
	if (a->size > 8)
		return;
	if (a->writes) {
		value = a->value_kind == VALUE_CONST  ? (uint64_t)a->constant
			: a->value_kind == VALUE_HIGH ? s->reg[a->value] >> 8
						      : s->reg[a->value];
		is = get_word(now, a->size, g.t->big);
		expected = extended(value, a->size, false);
		if (is != expected)
			complain(p, t, o, "value stored", is, expected);
		return;
	}
	value = get_word(was, a->size, g.t->big);
	is = after->reg[a->value] & word_mask();
	expected =
		extended(value, a->size, a->extend == EXTEND_SIGN || a->extend == EXTEND_SIGN_32);
	if (a->extend == EXTEND_SIGN_32)
		expected &= UINT32_MAX;
	if (a->value_kind == VALUE_HIGH)
		expected = (s->reg[a->value] & ~UINT64_C(0xff00)) | expected << 8;
	else if (a->extend == EXTEND_KEEP)
		expected |= s->reg[a->value] & ~extended(UINT64_MAX, a->size, false);
	expected &= word_mask();
	if (is != expected)
		complain(p, t, o, "value loaded", is, expected);
}

/* Registers that effects do not name, and the one with the return address. */
static void judge_registers(const struct planned *p, const struct trial *t, const struct outcome *o)
{
	regset changes = insn_effects(&p->in)->clobbers;
	int link = p->action[0].link;
	size_t size = is_x86() || g.t->machine == EM_AARCH64 ? 16 : 8;

	for (int i = 0; i < (is_x86() ? 16 : 32); i++) {
		if ((i == 0 || i == 26 || i == 27) && is_mips())
			continue;
		if (i == 0 && g.t->machine == EM_RISCV)
			continue;
		if (!(changes >> i & 1) && reg_value(&t->before, i) != reg_value(&o->after, i))
			complain(p, t, o, "register", o->after.reg[i], t->before.reg[i]);
	}
	for (int i = 0; i < (is_x86() ? 16 : 32); i++)
		if (!(changes >> (REG_VECTOR + i) & 1) &&
			memcmp(t->before.vector[i], o->after.vector[i], size) != 0)
			complain(p, t, o, "vector register", o->after.vector[i][0],
				t->before.vector[i][0]);
	if (link >= 0 && p->n == 1 &&
		(o->after.reg[link] & word_mask()) != t->before.pc + p->in.len)
		complain(p, t, o, "return address", o->after.reg[link], t->before.pc + p->in.len);
}

static bool is_fault(const struct outcome *o)
{
	return o->signal == SIGSEGV || o->signal == SIGBUS;
}

void judge(struct planned *p, struct trial *t, struct outcome *o)
{
	/* a fault in a delay slot is one of the branch, or its own */
	bool here = o->after.pc == t->before.pc || (p->n == 2 && o->after.pc == t->before.pc + 4);

	if (is_mips() && o->signal == 10)
		o->signal = SIGBUS;
	if (is_x86() && o->signal == SIGTRAP)
		o->after.pc--;
	count.ran++;
	if (o->signal == SIGILL && here) {
		count.absent++;
		if (g.verbose)
			printf("absent: %s\n", p->form->text);
		return;
	}
	/* x86-64: values that are refused have no address of a fault */
	bool refused = is_x86() && o->signal == SIGSEGV && !o->fault && !p->odd;
	if (here && (refused || o->signal == SIGFPE || (o->signal == SIGTRAP && !p->ntouch))) {
		if (g.verbose)
			printf("trapped: %s\n", p->form->text);
		count.trapped++;
		return;
	}
	if (here &&
		((o->signal == SIGBUS && p->odder) ||
			(is_fault(o) && p->odd && !(p->may_miss && o->fault > 4096)))) {
		count.odd++;
		return;
	}
	if (p->misses || (p->may_miss && is_fault(o))) {
		count.misses++;
		if (!is_fault(o))
			complain(p, t, o, "no fault", o->after.pc, p->to);
		else if (may_access(t, o->fault) == MAY_WRITE && o->fault)
			complain(p, t, o, "fault elsewhere", o->fault, 0);
		return;
	}
	bool there = o->after.pc == p->to && !here; /* where nothing can be executed */
	if ((o->signal != SIGTRAP && !there) || o->after.pc != p->to) {
		complain(p, t, o, "control", o->after.pc, p->to);
		return;
	}
	count.executed++;
	if (p->action[0].leads && p->to == t->before.pc + BRANCH_TO)
		count.taken++;
	else if (p->action[0].leads)
		count.untaken++;
	if (g.emulator)
		judge_seen(p, t, o);
	judge_changes(p, t, o);
	for (unsigned i = 0; i < p->n; i++)
		for (unsigned k = 0; k < p->action[i].naccess; k++)
			judge_value(p, &p->action[i].access[k], &p->action[i], t, o);
	judge_registers(p, t, o);
}
