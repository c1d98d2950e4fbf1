/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accesses.c - do instructions access memory, and lead, as targets say?
 *
 *	accesses [-v|-w] CPU STATES EVERY RUNNER DIR [EMULATOR PLUGIN]
 *
 * Standard input is what `objdump -dw --show-raw-insn' prints.  Every form of instruction in it (or
 * each EVERY-th one) is executed by runner.c (trial.h) in STATES random states of registers, flags
 * and memory: on this machine, where protected pages tell which bytes an instruction accesses, or
 * under an emulator that says it itself.  Then
 *
 *	the bytes that are loaded and stored are those that are described, and no others,
 *	they are accessed in the order of the description,
 *	a page that must not be accessed is hit exactly if the description says so,
 *	values come from and go to the registers that are described,
 *	control is where it is to be, with its return address where that is to be,
 *	registers that effects say are kept are kept.
 *
 * What is not described, and what cannot be executed here, is counted; -v lists it.  Status 1:
 * something is not as it is described; 77: nothing can be executed.  -w: descriptions are made
 *wrong in each of several ways; status 1: one was not found.
 */
#include "testsuite/access/accesses.h"

#include "testsuite/access/wrong.h"
#include "testsuite/targets/disasm.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct tests g = {.seed = 88172645463325252u};
struct counts count;

static uint64_t rnd(void)
{
	g.seed ^= g.seed << 13;
	g.seed ^= g.seed >> 7;
	g.seed ^= g.seed << 17;
	return g.seed * 0x2545f4914f6cdd1du;
}

/* Forms ---------------------------------------------------------------- */

/* Where displacement and immediate do not make another form. */
static void make_key(const struct insn *in, const uint8_t *p, uint8_t *key)
{
	struct x86_form f;

	memset(key, 0, FORM_BYTES);
	memcpy(key, p, in->len);
	if (is_x86() && x86_parse(p, in->len, &f))
		memset(key + f.head, 0, in->len - f.head);
	else if (in->pc_size && !(in->flags & INSN_OPERAND_PC))
		g.t->form->encode(in, p, in->len, BRANCH_TO, key);
}

static void add_form(const struct insn *in, const uint8_t *p, const char *text)
{
	uint8_t key[FORM_BYTES];
	uint64_t h;
	size_t i;

	make_key(in, p, key);
	h = get_u64(key) * 0x9e3779b97f4a7c15u ^ get_u64(key + 8) * 0xd6e8feb86659fd93u;
	for (i = h >> 20 & (g.cap - 1); g.slot[i]; i = (i + 1) & (g.cap - 1))
		if (!memcmp(g.form.v[g.slot[i] - 1].key, key, FORM_BYTES))
			return;
	if (g.form.n * 2 > g.cap)
		fatal("too many forms");
	struct form f = {{0}, {0}, ""};
	memcpy(f.key, key, FORM_BYTES);
	memcpy(f.code, p, in->len);
	snprintf(f.text, sizeof f.text, "%.90s", text);
	vec_push(&g.form, f);
	g.slot[i] = (uint32_t)g.form.n;
}

static bool next_line(struct disasm_line *l)
{
	static char *line;
	static size_t cap;

	while (getline(&line, &cap, stdin) > 0) {
		char *end, *s = line;

		*l = (struct disasm_line){.addr = strtoull(line, &end, 16)};
		if (end == s || *end != ':')
			continue;
		for (s = end + 1; l->len + 4u <= sizeof l->bytes; s = end) {
			s += strspn(s, " ");
			s += *s == '\t' && !l->len;
			size_t n = strspn(s, "0123456789abcdef");
			uint64_t word = strtoull(s, &end, 16);
			if ((n != 2 && n != 4 && n != 8) || !strchr(" \t\n", s[n]) ||
				(n == 2) != is_x86())
				break;
			put_word(l->bytes + l->len, (unsigned)n / 2, g.t->big, word);
			l->len = (uint8_t)(l->len + n / 2);
			if (!is_x86())
				break;
		}
		s = strchr(s, '\t');
		if (!l->len || !s)
			continue;
		s[strcspn(s, "\n")] = 0;
		snprintf(l->text, sizeof l->text, "%s", s + 1);
		return true;
	}
	return false;
}

static void read_forms(void)
{
	struct disasm_line l, next;
	bool more = next_line(&l);

	g.cap = 1 << 20;
	g.slot = calloc(g.cap, sizeof *g.slot);
	for (; more; l = next) {
		uint8_t bytes[64] = {0};
		size_t n = l.len;
		struct insn in = {0};

		memcpy(bytes, l.bytes, l.len);
		more = next_line(&next);
		if (more && next.addr == l.addr + l.len) {
			memcpy(bytes + l.len, next.bytes, next.len);
			n += next.len;
		}
		count.insns++;
		if (g.t->decode(g.d, bytes, n, &in) && in.len <= FORM_BYTES)
			add_form(&in, bytes, l.text);
	}
	count.forms = g.form.n;
}

/* Placing -------------------------------------------------------------- */

static uint64_t random_value(void)
{
	switch (rnd() % 8) {
	case 0: return 0;
	case 1: return rnd() % 70;
	case 2: return (uint64_t)-1 << rnd() % 64;
	case 3: return (uint64_t)1 << rnd() % 64;
	default: return rnd();
	}
}

static const uint64_t CANONICAL = UINT64_MAX >> 17;

static void set_reg(struct state *s, int reg, uint64_t value)
{
	if (reg < 0 || (reg == 0 && !is_x86() && g.t->machine != EM_AARCH64))
		return;
	/* kernels that return to programs by ERETU refuse another stack pointer of x86-64 */
	if (is_x86() && reg == (int)g.t->stack_reg)
		value &= CANONICAL;
	s->reg[reg] = g.t->word == 4 ? (uint64_t)(int32_t)value : value;
}

static void randomise(struct trial *t, unsigned slot)
{
	static const uint64_t flags[] = {0xcd5, 0xf0000000, 0, 0xfe800000};
	unsigned which = is_x86() ? 0 : g.t->machine == EM_AARCH64 ? 1 : is_mips() ? 3 : 2;
	uint8_t *p = (uint8_t *)&t->before.vector;

	for (int i = 0; i < 32; i++)
		set_reg(&t->before, i, random_value());
	t->before.flags = (rnd() & flags[which]) | (is_x86() ? 0x202 : 0);
	t->before.pc = CODE + slot * SLOT;
	for (int i = 0; i < 8; i++)
		t->before.mask[i] = rnd() % 4 ? rnd() : UINT64_MAX;
	for (size_t i = 0; i < sizeof t->before.vector; i += 8)
		put_u64(p + i, rnd() % 4 ? rnd() : random_value());
	p = (uint8_t *)t->window;
	for (size_t i = 0; i < sizeof t->window; i++)
		p[i] = (uint8_t)rnd();
	memset(t->may, MAY_WRITE, sizeof t->may);
}

static unsigned total_size(const struct access *a)
{
	return (a->size ? a->size : ZVA) * (a->lanes < 0 ? a->elements : 1u);
}

/* Where an access is to be: somewhere around the middle of region r, often at the border. */
static uint64_t wanted(const struct access *a, unsigned r, bool aligned)
{
	unsigned size = total_size(a);
	uint64_t middle = MIDDLE(r), way = rnd() % 6;
	unsigned unit = size & (size - 1) ? 16 : size;

	if (aligned)
		return middle +
			(way < 2		  ? 0
					: way < 4 ? -(uint64_t)((size + unit - 1) / unit * unit)
						  : (rnd() % 3 - 1) * 64);
	switch (way) {
	case 0: return middle;
	case 1: return middle - size;
	case 2: return middle - 1;
	case 3: return middle - size + 1;
	default: return middle + rnd() % 130 - 65;
	}
}

static void small_lanes(const struct access *a, struct state *s)
{
	for (unsigned i = 0; i < a->elements; i++) {
		uint64_t v = rnd() % 12 - 6;
		put_word(s->vector[a->lanes] + i * a->index_size, a->index_size, false, v);
	}
}

/*
 * Make a's address the wanted one by a register that is not set yet, or by its displacement in the
 * instruction.
 */
static void place(const struct access *a, const struct insn *in, struct trial *t, uint64_t want,
	bool *set)
{
	struct state *s = &t->before;
	uint64_t delta;
	int reg = a->base >= 0 && !set[a->base] ? a->base : -1;
	int64_t by = 1;

	if (a->lanes >= 0)
		small_lanes(a, s);
	if (reg >= 0 && a->index == reg)
		by += a->scale;
	if (reg < 0 && a->index >= 0 && !set[a->index] && a->base != a->index &&
		a->index_size == g.t->word)
		reg = a->index, by = a->scale;
	delta = want - address(a, s, 0);
	if (g.t->word == 4)
		delta = (uint64_t)(int64_t)(int32_t)delta;
	if (reg >= 0) {
		set_reg(s, reg, s->reg[reg] + (uint64_t)((int64_t)delta / by));
	} else if (a->pc_rel) {
		uint64_t dist = want - s->pc;
		if (!g.t->form->encode(in, t->code, in->len, (int64_t)dist, t->code))
			g.t->form->encode(in, t->code, in->len, 16, t->code);
	} else if (a->disp_size == 4 && a->base < 0) {
		put_u32(t->code + a->disp_off,
			a->segment == SEGMENT_FS ? (uint32_t)(rnd() % 4000)
						 : (uint32_t)(want - segment_base(a->segment)));
	} else if (a->disp_size == 8) {
		put_u64(t->code + a->disp_off, want - segment_base(a->segment));
	} else if (a->disp_size == 4) {
		put_u32(t->code + a->disp_off, (uint32_t)(rnd() % 128 - 64));
	}
	if (a->base >= 0)
		set[a->base] = true;
	if (a->index >= 0)
		set[a->index] = true;
}

/* Direct branches lead a little farther in their slot; indirect ones too. */
static void place_target(struct planned *p, struct trial *t)
{
	const struct insn *in = &p->in;
	struct action *a = &p->action[0];
	uint64_t to = t->before.pc + BRANCH_TO;

	if (a->leads == LEADS_DIRECT && a->distance != (int64_t)in->len && in->pc_size)
		g.t->form->encode(in, t->code, in->len, BRANCH_TO, t->code);
	else if (a->leads == LEADS_REGION)
		put_word(t->code, 4, g.t->big,
			(get_word(t->code, 4, g.t->big) & 0xfc000000) | (to & 0xfffffff) >> 2);
	else if (a->leads == LEADS_REGISTER)
		set_reg(&t->before, a->reg, to - (uint64_t)a->distance);
}

/* Conditions that hold by chance only would seldom hold. */
static void make_even(const struct condition *c, struct state *s)
{
	if (c->relation < RELATION_EQ || c->relation > RELATION_GEU || rnd() % 2)
		return;
	set_reg(s, c->a, (c->b < 0 ? (uint64_t)c->with : s->reg[c->b]) + rnd() % 3 - 1);
}

int may_access(const struct trial *t, uint64_t at)
{
	uint64_t r = (at - DATA) / REGION, page = (at - DATA) % REGION / PAGE;

	if (at >= CODE && at < CODE + TRIALS * SLOT + PAGE)
		return MAY_READ;
	if (at < 4096)
		return MAY_NOTHING;
	if (is_x86() && at >= FS_BASE - PAGE && at < FS_BASE + PAGE)
		return MAY_WRITE;
	if (at < DATA || r >= REGIONS || page > 3)
		return -1;
	return page == 1 ? t->may[r][0] : page == 2 ? t->may[r][1] : MAY_WRITE;
}

/* False: it touches memory of which nothing is known. */
static bool judge_touches(struct planned *p, const struct trial *t)
{
	for (unsigned i = 0; i < p->ntouch; i++) {
		const struct touch *c = &p->touch[i];

		p->odder |= c->at & 15;
		p->odd |= c->at & (c->size & (c->size - 1) ? 15 : c->size - 1);
		for (unsigned k = 0; k < c->size; k++) {
			int may = may_access(t, c->at + k);
			if (may < 0)
				return false;
			bool misses = (c->reads && !(may & MAY_READ)) ||
				(c->writes && (may & MAY_WRITE) != MAY_WRITE);
			p->misses |= misses && !c->perhaps;
			p->may_miss |= misses;
		}
	}
	return true;
}

static uint64_t leads_to(const struct planned *p, struct trial *t)
{
	const struct action *a = &p->action[0];
	const struct state *s = &t->before;
	uint64_t next = s->pc + p->in.len;

	if (a->leads == LEADS_ON || !relation_holds(&a->condition, s) ||
		!flags_hold(&a->condition, s))
		return next;
	switch (a->leads) {
	case LEADS_DIRECT: return s->pc + (uint64_t)a->distance;
	case LEADS_REGION: return ((s->pc + 4) & ~UINT64_C(0xfffffff)) | (uint64_t)a->distance;
	case LEADS_REGISTER:
		return ((reg_value(s, a->reg) + (uint64_t)a->distance) & word_mask()) &
			~(uint64_t)a->even;
	case LEADS_MEMORY: return memory(t, address(&a->access[0], s, 0), 8);
	default: return next;
	}
}

static void put_target(struct planned *p, struct trial *t)
{
	const struct access *a = &p->action[0].access[0];
	uint8_t *at;

	if (p->action[0].leads == LEADS_MEMORY &&
		content(t->window, address(a, &t->before, 0), 8, &at))
		put_u64(at, t->before.pc + BRANCH_TO);
	/* popf: not the flags that trap */
	if (is_x86() && !(p->in.flags & INSN_VAGUE) && t->code[p->in.len - 1u] == 0x9d &&
		!p->action[0].leads && content(t->window, address(a, &t->before, 0), 8, &at))
		put_u64(at, rnd() & 0xcd5);
}

/* Some of it cannot be undone, or is not for programs; QEMU 7.2 takes xabort for mov. */
static bool is_dangerous(const struct planned *p)
{
	const uint8_t *c = p->form->code;
	struct x86_form f;

	/* the base register is loaded, and written back */
	if (g.t->machine == EM_AARCH64) {
		uint32_t w = get_u32(c), base = w >> 5 & 31;
		bool pair = (w & 0x3e800000) == 0x28800000, one = (w & 0x3f200400) == 0x38000400;
		return (pair || one) && ((w & 31) == base || (pair && (w >> 10 & 31) == base));
	}
	if (!is_x86() || !x86_parse(c, p->in.len, &f))
		return false;
	return (f.enc == X86_LEGACY && f.map == X86_0F &&
		       ((f.op == 0xae && f.pp == X86_F3) || f.op == 0xa1 || f.op == 0xa9)) ||
		(f.enc == X86_LEGACY && f.map == X86_1B &&
			(f.op == 0x8e || (f.op == 0xc6 && f.modrm == 0xf8)));
}

static bool describe(struct planned *p, const uint8_t *code)
{
	p->n = 0;
	if (!g.t->decode(g.d, code, FORM_BYTES, &p->in))
		return false;
	p->n = g.t->actions(code, &p->in, p->action);
	return p->n && (!g.wrong || make_wrong(p->action, p->n, g.way));
}

/* QEMU 7.2 loads 16 bytes for each scalar of vfmadd and the like; the CPU tells the truth. */
static bool is_mistaken(const struct planned *p)
{
	struct x86_form f;

	return g.emulator && is_x86() && x86_parse(p->form->code, p->in.len, &f) &&
		f.enc == X86_VEX && f.map == X86_0F38 && f.op >= 0x99 && f.op <= 0xbf &&
		(f.op & 9) == 9;
}

/* What memory depends on is in vectors that signal frames of emulators do not have. */
static bool uses_vectors(const struct planned *p)
{
	for (unsigned i = 0; i < p->n; i++)
		for (unsigned k = 0; k < p->action[i].naccess; k++) {
			const struct access *a = &p->action[i].access[k];
			if (a->lanes >= 0 || (a->mask_kind && total_size(a) > 16) ||
				a->mask_kind == MASK_BITS || a->mask_kind == MASK_PACK)
				return true;
		}
	return false;
}

/* False: it is not executed. */
static bool plan(struct planned *p, struct trial *t, unsigned slot, unsigned state)
{
	bool set[32] = {false}, aligned = state % 2 == 0;
	unsigned region = 0;
	const struct action *a;

	memset(t, 0, sizeof *t);
	p->ntouch = 0;
	p->odd = p->odder = p->misses = p->may_miss = false;
	memcpy(t->code, p->form->code, FORM_BYTES);
	if (!describe(p, t->code))
		return false;
	t->len = p->in.len;
	randomise(t, slot);
	a = &p->action[0];
	if (a->leads == LEADS_REGISTER && a->reg >= 0)
		set[a->reg] = true;
	place_target(p, t);
	make_even(&a->condition, &t->before);
	for (unsigned i = 0; i < p->n; i++) {
		a = &p->action[i];
		if (a->rounds) {
			set_reg(&t->before, a->count, rnd() % 6);
			set[a->count] = true;
			uint8_t *bytes = (uint8_t *)t->window;
			for (size_t k = 0; k < sizeof t->window && a->rounds > ROUNDS_COUNT; k++)
				bytes[k] &= rnd() % 16 ? 0 : 1;
		}
		for (unsigned k = 0; k < a->naccess; k++, region++)
			place(&a->access[k], &p->in, t, wanted(&a->access[k], region, aligned),
				set);
	}
	for (unsigned r = 0; r < REGIONS; r++)
		if (rnd() % 3 == 0)
			t->may[r][rnd() % 2] = rnd() % 2 ? MAY_NOTHING : MAY_READ;
	/* with the displacements that it has now */
	if (!describe(p, t->code))
		return false;
	put_target(p, t);
	p->to = leads_to(p, t);
	if (p->action[p->n - 1].if_taken && p->to == t->before.pc + p->in.len)
		p->n--;
	for (unsigned i = 0; i < p->n; i++)
		touch_rounds(p, t, &p->action[i]);
	p->vectors = uses_vectors(p);
	return true;
}

/* Running -------------------------------------------------------------- */

static char *path(const char *name)
{
	static char buf[4][4096];
	static unsigned i;
	char *s = buf[i++ % 4];

	snprintf(s, sizeof buf[0], "%s/%s", g.dir, name);
	return s;
}

static void *map_new(const char *name, size_t size)
{
	int fd = open(path(name), O_RDWR | O_CREAT | O_TRUNC, 0600);
	void *p;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		fatal("cannot write %s", path(name));
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		fatal("out of memory");
	return p;
}

static void swap_words(void *p, size_t n)
{
	uint8_t *b = p;

	for (size_t i = 0; g.t->big && i < n; i += 8)
		put_word(b + i, 8, true, get_u64(b + i));
}

/* Words in front of the vectors, and those of MIPS. */
static void swap_state(struct state *s)
{
	swap_words(s, offsetof(struct state, vector));
}

static void run_all(void)
{
	char option[4200], *trials = path("trials"), *outcomes = path("outcomes"),
			   *seen = path("seen");
	int status;
	pid_t pid;

	if (truncate(trials, (off_t)(g.n * sizeof *g.trial)))
		fatal("cannot write %s", trials);
	for (size_t i = 0; i < g.n; i++)
		swap_state(&g.trial[i].before);
	snprintf(option, sizeof option, "%s,seen=%s", g.plugin, seen);
	/* signal frames have no room for more than what all CPUs have, or restore that first */
	if (g.t->machine == EM_AARCH64)
		setenv("QEMU_CPU", "max,sve=off", 0);
	else if (is_x86())
		setenv("QEMU_CPU", "max", 0);
	else if (is_mips() && g.t->word == 8) /* the usual one has no condition bits */
		setenv("QEMU_CPU", "MIPS64R2-generic", 0);
	pid = fork();
	if (!pid) {
		if (g.emulator)
			execlp(g.emulator, g.emulator, "-plugin", option, g.runner, trials,
				outcomes, seen, (char *)NULL);
		else
			execl(g.runner, g.runner, trials, outcomes, (char *)NULL);
		_exit(77);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status)) {
		printf("runner: status %x\n", status);
		exit(WIFEXITED(status) && WEXITSTATUS(status) == 77 ? 77 : 1);
	}
	for (size_t i = 0; i < g.n; i++) {
		swap_state(&g.trial[i].before);
		swap_state(&g.outcome[i].after);
		swap_words(&g.outcome[i].signal, 24);
		judge(&g.planned[i], &g.trial[i], &g.outcome[i]);
	}
	g.n = 0;
	if (truncate(trials, (off_t)(TRIALS * sizeof *g.trial)))
		fatal("cannot write %s", trials);
}

static void try_form(const struct form *f)
{
	unsigned states = 0;

	for (unsigned state = 0; state < g.states; state++) {
		struct planned *p = &g.planned[g.n];

		p->form = f;
		if (!plan(p, &g.trial[g.n], (unsigned)g.n, state)) {
			count.unknown++;
			if (g.verbose)
				printf("not described: %s\n", f->text);
			return;
		}
		if (p->action[0].leads == LEADS_AWAY || is_dangerous(p)) {
			count.away++;
			if (g.verbose)
				printf("not executed: %s\n", f->text);
			return;
		}
		if ((p->vectors && g.emulator) || is_mistaken(p)) {
			count.vectors++;
			return;
		}
		if (!judge_touches(p, &g.trial[g.n])) {
			states++;
			continue;
		}
		if (++g.n == TRIALS)
			run_all();
	}
	if (states == g.states) {
		count.unplaced++;
		if (g.verbose)
			printf("not placed: %s\n", f->text);
	}
}

static const struct target *find_target(const char *name)
{
	static const struct target *const all[] = {&target_x86_64, &target_aarch64, &target_mips,
		&target_mipsel, &target_mips64el, &target_riscv64};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	fatal("no CPU %s", name);
}

/* Every way in which a description can be wrong is found, if there is an instruction for it. */
static int find_wrong(size_t every)
{
	int bad = 0;

	for (g.wrong = true; wrong_name(g.way); g.way++) {
		/* of the order only emulators tell; all addresses of o32 have 32 bits */
		const char *name = wrong_name(g.way);
		bool blind = (!g.emulator && !strcmp(name, "order")) ||
			(g.t->word == 4 && !strcmp(name, "32 bits"));

		memset(&count, 0, sizeof count);
		for (size_t i = 0; i < g.form.n && !count.wrong && !blind; i += every)
			try_form(&g.form.v[i]);
		if (g.n)
			run_all();
		bool none = count.ran > 10 && !count.wrong; /* fewer may be right by chance */
		printf("%s: %lu executions, %lu found wrong%s\n", name, count.ran, count.wrong,
			none ? ": none" : "");
		bad |= none;
	}
	return bad;
}

int main(int argc, char **argv)
{
	size_t every;

	if (argc > 1 && !strcmp(argv[1], "-v"))
		g.verbose = true, argc--, argv++;
	bool wrong = argc > 1 && !strcmp(argv[1], "-w");
	if (wrong)
		argc--, argv++;
	if (argc != 6 && argc != 8)
		fatal("usage: accesses [-v|-w] CPU STATES EVERY RUNNER DIR [EMULATOR PLUGIN]");
	g.t = find_target(argv[1]);
	g.states = (unsigned)strtoul(argv[2], NULL, 0);
	every = strtoul(argv[3], NULL, 0);
	every = every ? every : 1;
	g.runner = argv[4];
	g.dir = argv[5];
	g.emulator = argc > 6 ? argv[6] : NULL;
	g.plugin = argc > 6 ? argv[7] : NULL;
	g.d = g.t->decoder_new();
	g.trial = map_new("trials", TRIALS * sizeof *g.trial);
	g.outcome = map_new("outcomes", TRIALS * sizeof *g.outcome);
	map_new("seen", sizeof(struct seen));
	g.planned = calloc(TRIALS, sizeof *g.planned);
	if (!g.planned)
		fatal("out of memory");
	read_forms();
	if (wrong)
		return find_wrong(every);
	for (size_t i = 0; i < g.form.n; i += every)
		try_form(&g.form.v[i]);
	if (g.n)
		run_all();
	printf("%lu instructions, %lu forms: %lu not described, %lu not for programs, %lu not placed, %lu not "
	       "for the emulator\n",
		count.insns, count.forms, count.unknown, count.away, count.unplaced, count.vectors);
	printf("%lu executions: %lu compared, %lu hit protected memory as described; %lu absent from this CPU, "
	       "%lu not aligned, %lu trapped; branches taken %lu, not taken %lu; %lu wrong\n",
		count.ran, count.executed, count.misses, count.absent, count.odd, count.trapped,
		count.taken, count.untaken, count.wrong);
	if (count.executed * 2 < count.ran || count.forms < 100)
		printf("too little was compared\n");
	return count.wrong || count.executed * 2 < count.ran || count.forms < 100;
}
