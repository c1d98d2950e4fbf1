/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bases.h - counters for each thread in the libraries of a process
 *
 * A thread has one %gs base, which all libraries add to the addresses of their counters: each has
 * a row of its own there.  Each library has its own runtime.  What they share is in memory that
 * all find at the same address, also those in other namespaces of the dynamic linker.  A program
 * that is instrumented takes part like a library that has always used bases (threads.c), or has
 * bases of its own.
 *
 *	bases.c		the shared memory: its lock, the libraries, the owners of bases
 *	hinders.c	does code in the process set the base itself?
 *	windows.c	the rows of this library
 *	turn.c		when this library uses bases
 */
#ifndef LDX_RUNTIME_BASES_H
#define LDX_RUNTIME_BASES_H

#include "runtime/rt.h"

enum { BASES = 1024, MEMBERS = 254 };

/* A thread that has a base; tid 0: none has. */
struct base_owner {
	uint64_t self; /* its thread pointer */
	int32_t tid;
	bool bad; /* a library has no room there */
};

/* A library; all its functions are called with the lock. */
struct member {
	uint64_t used;
	/* Be ready for threads with bases, unless one thread is here that cannot inherit any. */
	bool (*turn)(void);
	/* A thread with this pointer gets base n. */
	bool (*row)(uint32_t n, uint64_t self);
	/* Do not use bases any more; false: code must not be changed. */
	bool (*give_up)(void);
};

struct bases {
	uint64_t magic;
	uint64_t first, step; /* base n is first + n * step; 0: there is no room */
	uint64_t scanned;     /* a sum over the code that sets no base */
	uint64_t off;	      /* no more threads get bases */
	uint64_t program;     /* the program takes part */
	struct member member[MEMBERS];
	/* From here on the kernel wipes it in forked children. */
	uint64_t pid __attribute__((aligned(LDX_PAGE))); /* 0: in such a child */
	uint32_t lock;					 /* 0: free, 1: held, 2: others wait */
	uint32_t n, next; /* bases that were given so far; the one to visit next */
	struct base_owner owner[BASES];
};

#pragma GCC visibility push(hidden)

/* NULL: this process has none, or there is no room for rows. */
struct bases *__ldx_bases_attach(const struct rt_start *s);
/* The same, if a library has attached. */
struct bases *__ldx_bases_find(const struct rt_start *s);
/* 0: free, 1: held, 2: held, and others wait. */
void __ldx_lock_take(uint32_t *lock);
void __ldx_lock_give(uint32_t *lock);
/* The base of this thread. */
uint64_t __ldx_base(void);
void __ldx_base_set(uint64_t base);

/* The word that is mapped there; 1: it cannot be read. */
uint64_t __ldx_word_at(const void *at);

/* All of these with the lock.  join: false: there are too many libraries. */
bool __ldx_bases_join(struct bases *b, const struct member *m);
void __ldx_bases_leave(struct bases *b, const struct member *m);
/* Base n; the number of a base, BASES: it is none of them. */
uint64_t __ldx_bases_at(const struct bases *b, uint32_t n);
uint32_t __ldx_bases_number(const struct bases *b, uint64_t base);
/* Have all libraries that need it turned, before the first thread gets a base. */
bool __ldx_bases_begin(struct bases *b);
/* A base for this thread, with its row in all libraries; BASES: there is none. */
uint32_t __ldx_bases_take(struct bases *b, uint64_t self);
/* From now on no library uses bases; false: some still do. */
bool __ldx_bases_give_up(struct bases *b);

/*
 * May code that is loaded set the base, or forbid system calls?  *known: a sum over what was loaded
 * when it did not.
 */
bool __ldx_bases_hindered(uint64_t *known);

/*
 * The thread with this pointer has base n.  pass: it has not entered this library; own: it counts
 * in its row here.  False: that cannot be mapped.
 */
bool __ldx_window_pass(const struct bases *b, uint32_t n, uint64_t self);
bool __ldx_window_own(const struct bases *b, uint32_t n, uint64_t self);
/* Is there a row, or only memory? */
bool __ldx_window_owned(uint32_t n);
/* The library is closed. */
void __ldx_windows_leave(const struct bases *b);
/* In a forked child: the rows that are mapped are the parent's. */
void __ldx_windows_child(void);

#pragma GCC visibility pop

#endif
