/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atfork.c - forked children have slots of their own
 *
 * A shared libc reports forks.  The program's imports must not change, so the libc's function
 * is looked up by hand: from the executable's program headers to its dynamic section, the
 * dynamic linker's list of objects and their symbol tables.  A statically linked libc needs
 * none of this: the rewriter inserted calls of __ldx_forked in it.
 */
#include "runtime/rt.h"
#include "runtime/sys.h"

#include <link.h>
#include <sys/mman.h>

struct owner_page __ldx_owner __attribute__((aligned(LDX_PAGE)));
static bool watching;
static long owner_pid; /* 0: the page can be relied on */

static void owner_mark(void)
{
	if (owner_pid)
		owner_pid = sys_getpid();
	else
		__ldx_owner.set = 1;
}

/*
 * The kernel wipes anonymous memory only.  If it cannot (Linux before 4.14, emulators), the
 * process id shows a fork; the page stays 0, so that the id is compared.  A vfork then looks
 * like a fork: parent and child share a new slot.
 */
static void owner_set(void)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	if (sys_failed(sys_mmap(&__ldx_owner, LDX_PAGE, PROT_READ | PROT_WRITE, flags, -1, 0)) ||
		sys_failed(sys_madvise(&__ldx_owner, LDX_PAGE, MADV_WIPEONFORK)))
		owner_pid = 1;
	owner_mark();
}

static bool is_owner(void)
{
	return owner_pid ? owner_pid == sys_getpid() : __ldx_owner.set != 0;
}

/* False in a child whose fork was not reported, if the kernel wipes the page. */
bool __ldx_has_slot(void)
{
	return owner_pid || __ldx_owner.set;
}

/*
 * Until this call the child counts in its parent's slot, whose mapping it inherited: no count
 * is lost, and none has to be copied.
 */
static void forked(void)
{
	__ldx_child_cells(__ldx_threads_child());
	__ldx_threads_own();
	owner_mark();
	rt_tell(LDX_AT_CHILD, NULL);
}

void __ldx_child(void)
{
	if (watching && !is_owner())
		forked();
}

/* The symbol tables of a loaded object. */
struct symbols {
	uintptr_t base;
	const ElfW(Sym) * sym;
	const char *str;
	const uint32_t *gnu_hash, *hash;
};

static void (*finalize)(void *);

/* Some dynamic linkers relocate the addresses in dynamic sections, some do not. */
static const void *dyn_pointer(uintptr_t v, uintptr_t base)
{
	return (const void *)(v < base ? v + base : v);
}

static bool symbols_of(const struct link_map *l, struct symbols *t)
{
	*t = (struct symbols){.base = l->l_addr};
	for (const ElfW(Dyn) *d = l->l_ld; d && d->d_tag != DT_NULL; d++) {
		const void *p = dyn_pointer(d->d_un.d_ptr, l->l_addr);
		switch (d->d_tag) {
		case DT_SYMTAB: t->sym = p; break;
		case DT_STRTAB: t->str = p; break;
		case DT_GNU_HASH: t->gnu_hash = p; break;
		case DT_HASH: t->hash = p; break;
		}
	}
	return t->sym && t->str;
}

static void *function_at(const struct symbols *t, uint32_t i, const char *name)
{
	const ElfW(Sym) *s = t->sym + i;
	if (s->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(s->st_info) != STT_FUNC ||
		!__ldx_same(t->str + s->st_name, name))
		return NULL;
	return (void *)(t->base + s->st_value);
}

static void *find_gnu(const struct symbols *t, const char *name)
{
	const uint32_t *h = t->gnu_hash;
	uint32_t nbuckets = h[0], first = h[1], words = h[2], hash = 5381;
	const uint32_t *buckets = h + 4 + sizeof(ElfW(Addr)) / 4 * words,
		       *chain = buckets + nbuckets;
	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	uint32_t i = nbuckets ? buckets[hash % nbuckets] : 0;
	if (i < first || !i)
		return NULL;
	for (;; i++) {
		void *f = (chain[i - first] | 1) == (hash | 1) ? function_at(t, i, name) : NULL;
		if (f || chain[i - first] & 1)
			return f;
	}
}

static void *find_sysv(const struct symbols *t, const char *name)
{
	for (uint32_t i = 1; i < t->hash[1]; i++) {
		void *f = function_at(t, i, name);
		if (f)
			return f;
	}
	return NULL;
}

static void *find(const struct link_map *l, const char *name)
{
	struct symbols t;
	for (void *f; l; l = l->l_next) {
		if (!symbols_of(l, &t))
			continue;
		f = t.gnu_hash ? find_gnu(&t, name) : t.hash ? find_sysv(&t, name) : NULL;
		if (f)
			return f;
	}
	return NULL;
}

#ifndef SYS_DEBUG
#define SYS_DEBUG(d) ((d)->d_tag == DT_DEBUG ? (const struct r_debug *)(d)->d_un.d_ptr : NULL)
#endif

/* The dynamic linker's list of objects; NULL: there is no dynamic linker, or no list yet. */
static const struct link_map *objects(const struct rt_start *s)
{
	uintptr_t base = 0;
	const ElfW(Dyn) *d = NULL;
	for (size_t i = 0; s->phdr && i < s->phnum; i++)
		if (s->phdr[i].p_type == PT_PHDR)
			base = (uintptr_t)s->phdr - s->phdr[i].p_vaddr;
	for (size_t i = 0; s->phdr && i < s->phnum; i++)
		if (s->phdr[i].p_type == PT_DYNAMIC)
			d = (const ElfW(Dyn) *)(base + s->phdr[i].p_vaddr);
	/* Without PT_PHDR a position-independent program's base is not known. */
	if (!base && d && (uintptr_t)d < (uintptr_t)s->phdr)
		return NULL;
	const struct r_debug *list = NULL;
	for (; d && d->d_tag != DT_NULL && !list; d++)
		list = SYS_DEBUG(d);
	return list ? list->r_map : NULL;
}

void *__ldx_find(const struct rt_start *s, const char *name)
{
	return find(objects(s), name);
}

void __ldx_atfork(const struct rt_start *s)
{
	const struct link_map *l = objects(s);
	typedef int register_fn(void (*)(void), void (*)(void), void (*)(void), void *);
	typedef int pthread_fn(void (*)(void), void (*)(void), void (*)(void));
	watching = true;
	owner_set();
	void *f = find(l, "__register_atfork");
	if (f) {
		((register_fn *)f)(NULL, NULL, forked, s->dso);
		if (s->dso)
			finalize = (void (*)(void *))find(l, "__cxa_finalize");
		return;
	}
	f = find(l, "pthread_atfork");
	if (f)
		((pthread_fn *)f)(NULL, NULL, forked);
}

void __ldx_atfork_end(void *dso)
{
	if (finalize)
		finalize(dso);
}
