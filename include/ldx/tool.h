/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldx/tool.h - the part of a tool that runs in the link, and asks for code at places of the program
 *
 * It is a shared object that defines ldx_tool.  ldx loads it when a program is linked with
 * --ldx-tool=NAME, and calls instrument() once, when it knows the whole program (ldx/program.h) and
 * nothing is inserted yet.  The routines that requests name are those of the tool's other part
 * (ldx/analysis.h), which is linked into the program.
 */
#ifndef LDX_TOOL_H
#define LDX_TOOL_H

#include <ldx/program.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LDX_TOOL_VERSION 1

struct ldx_tool {
	unsigned version; /* LDX_TOOL_VERSION */
	const char *name, *summary;
	const struct ldx_option *options; /* or NULL */
	void (*instrument)(const ldx_object *o);
};
#ifdef __cplusplus
extern "C" LDX_API const struct ldx_tool ldx_tool;
#else
LDX_API extern const struct ldx_tool ldx_tool;
#endif

/*
 * The value of an option as a number: with k, M or G behind it, times 1024 once, twice or three
 * times.  It is an error of the link if it is none.
 */
LDX_API uint64_t ldx_option_number(const char *name);

/*
 * Sites: places where code can stand.  What is asked for at one place runs in the order of the
 * requests.  A site that does not exist has ldx_site.place 0: then nothing can be asked for there,
 * and ldx_refused() says why.
 */
typedef struct ldx_site {
	uint64_t place;
} ldx_site;
LDX_API ldx_site ldx_before(const ldx_insn *i);
/*
 * Behind an instruction, when control goes on to the next one: behind a call when it returns,
 * behind a conditional branch that is not taken.  There is no such site behind a jump or a return.
 */
LDX_API ldx_site ldx_after(const ldx_insn *i);
LDX_API ldx_site ldx_at_block(const ldx_block *b); /* each time that the block is executed */
LDX_API ldx_site ldx_at_entry(const ldx_func *f);  /* each time that the function is called */
LDX_API ldx_site ldx_at_edge(const ldx_edge *e);   /* each time that control goes along it */
/*
 * Each time that a round of a loop begins.  The loop is entered and left by several edges: those of
 * ldx_next_entering() and ldx_next_leaving().
 */
LDX_API ldx_site ldx_at_loop_head(const ldx_loop *l);

/*
 * Where control leaves a function.  Exceptions that pass through it leave by LDX_EXIT_RESUME or,
 * where it has no landing pad, by a call; what handlers of signals do is no exit.
 */
enum ldx_exit_kind {
	LDX_EXIT_RETURN,
	LDX_EXIT_JUMP,	   /* a tail call */
	LDX_EXIT_BRANCH,   /* the same, if the branch is taken */
	LDX_EXIT_INDIRECT, /* an indirect jump to what is not in the function, or not known */
	LDX_EXIT_FALL,	   /* into what is behind the function */
	LDX_EXIT_CALL,	   /* a call that does not return: exit, throw */
	LDX_EXIT_RESUME,   /* the same: of a landing pad, when it lets an exception pass on */
	LDX_EXIT_LONGJMP,  /* the same: longjmp and its like, which return in another frame */
	LDX_EXIT_SYSCALL,  /* a system call that ends the thread or process */
	LDX_EXIT_TRAP,
};
typedef struct ldx_exit ldx_exit;
LDX_API const ldx_exit *ldx_next_exit(const ldx_func *f, const ldx_exit *x);
LDX_API enum ldx_exit_kind ldx_exit_kind(const ldx_exit *x);
LDX_API const ldx_block *ldx_exit_block(const ldx_exit *x);
LDX_API ldx_site ldx_at_exit(const ldx_exit *x);
/*
 * Each time that a call is made: in front of it, or where a jump leaves the function, as a tail
 * call or only if it is taken.  All that ldx_next_call() finds have such a site.
 */
LDX_API ldx_site ldx_at_call(const ldx_insn *i);

/*
 * Not at a place of the code, but when something happens to the process.  Arguments are numbers,
 * strings and bytes.  The routine is called by ldx's runtime, as functions are: it may take longer,
 * use more stack, and make system calls (ldx/sys.h).
 */
enum ldx_event {
	/*
	 * A program: in front of its entry point, when a dynamic linker has initialised the
	 * libraries; code of IFUNC resolvers has run.  A shared library: in front of its own
	 * initialisers, which is also when it is opened later.  Not if the process has elevated
	 * privileges: none of these events is told then.
	 */
	LDX_EVENT_BEGIN,
	/*
	 * Once, when the process leaves main or calls exit(): behind its handlers and destructors,
	 * or of a shared library its own, also when it is closed.  In a static program it is told
	 * in front of the system call that ends all threads, so at _exit(), too.  It is not told
	 * when a dynamic program calls _exit() or quick_exit(), when a signal ends the process
	 * (abort, a crash, kill), or when it executes another program.
	 */
	LDX_EVENT_END,
	/* In the child of a fork; not of vfork, which has its parent's memory. */
	LDX_EVENT_CHILD,
	/*
	 * A thread that is not the first, before it runs code of the program: in a static program
	 * behind the system call that makes it, else at the first function of the object that it
	 * enters by an address.  In a library, threads that are there already begin likewise.
	 */
	LDX_EVENT_THREAD_BEGIN,
	/*
	 * Such a thread returns, exits or is cancelled: behind its destructors.  Not at the end of
	 * the process.  A dynamic program or library uses a key of pthread_key_create() for both.
	 */
	LDX_EVENT_THREAD_END,
};
LDX_API ldx_site ldx_at_event(enum ldx_event e);

LDX_API const char *ldx_refused(void);

/* Bytes from the start of its function to an instruction, before anything is inserted. */
LDX_API uint64_t ldx_insn_offset(const ldx_insn *i);

/* The arguments of a routine: words of the CPU. */
enum { LDX_ARGS = 4 }; /* at most */
typedef struct ldx_arg {
	unsigned kind, reg;
	uint64_t number;
	const void *data;
} ldx_arg;
LDX_API ldx_arg ldx_number(uint64_t n);	   /* on CPUs of 32 bits, its low ones */
LDX_API ldx_arg ldx_string(const char *s); /* the address of a copy */
/* Likewise; align is 0 or a power of two up to 64. */
LDX_API ldx_arg ldx_bytes(const void *p, size_t n, size_t align);
/* In the same bytes, n bytes behind their start, at their end at most.  They are in one place, and
 * routines may change them. */
LDX_API ldx_arg ldx_bytes_at(ldx_arg bytes, size_t n);
/*
 * Likewise, the address of n words of 64 bits that hold these numbers; those of bytes, strings,
 * functions and instructions are what ldx_word() of ldx/analysis.h returns of the word.
 */
LDX_API ldx_arg ldx_words(const ldx_arg *v, size_t n);
LDX_API ldx_arg ldx_register(
	const char *name);	 /* as it is at the site; an error if there is none */
LDX_API ldx_arg ldx_stack(void); /* the stack pointer at the site */
/*
 * At a function's entry, at a call (ldx_at_call()), and before one: argument n, from 0 on, as the
 * psABI passes the integers and pointers of functions.  At a return, or behind a call: what it
 * returns, likewise.  Some are refused where a delay slot makes them.
 */
LDX_API ldx_arg ldx_call_arg(unsigned n);
LDX_API ldx_arg ldx_result(void);
/*
 * At a site in front of an instruction, of the instruction's access n (ldx/program.h): its address,
 * and how many bytes it is long.  What is read or written there by a word of which some bytes do
 * not count begins at the word.  Of an instruction that repeats itself, it is the address of the
 * first round, and the length of all; if it compares, that is not known.
 */
LDX_API ldx_arg ldx_access_address(const ldx_insn *i, unsigned n);
LDX_API ldx_arg ldx_access_length(const ldx_insn *i, unsigned n);
/*
 * In front of an instruction that stores a register or a constant, or behind one that loads a
 * general register: the bytes of access n, as a number without sign.
 */
LDX_API ldx_arg ldx_access_value(const ldx_insn *i, unsigned n);
/* In front of a conditional branch: 1 if it will be taken, else 0. */
LDX_API ldx_arg ldx_branch_taken(const ldx_insn *i);
/*
 * What an instruction compares, or a branch that compares registers: two values, with numbers 0 and
 * 1, of that many bytes; 0: nothing, or that is not known.  memory: the number of the one that is
 * its access 0, for ldx_access_address(); -1: none.  The value of another one in front of the
 * instruction, without sign.
 */
LDX_API unsigned ldx_compare_size(const ldx_insn *i);
LDX_API int ldx_compare_memory(const ldx_insn *i);
LDX_API ldx_arg ldx_compare_value(const ldx_insn *i, unsigned n);
/* In front of an indirect jump or call, or a return, or where it is an exit: where it leads. */
LDX_API ldx_arg ldx_target(const ldx_insn *i);
/* At a function's entry (ldx_at_entry()): where it returns to. */
LDX_API ldx_arg ldx_return_address(void);
/*
 * At any site and event: the address of a function of the object, to which its callers call it; the
 * address of an instruction.  They are those of the process, with what is inserted: what
 * ldx_target() gives, debuggers and addr2line show.  A linker that removes unused functions keeps
 * what is named in this way.
 */
LDX_API ldx_arg ldx_func_address(const ldx_func *f);
LDX_API ldx_arg ldx_insn_address(const ldx_insn *i);

/* Call a routine.  False: refused, see ldx_refused(). */
LDX_API bool ldx_call(ldx_site site, const char *routine, unsigned n, const ldx_arg *arg);

/*
 * Wrap a call: call a routine in front of it, and another one when it has returned.  False: at
 * least one is refused, and then neither is called; a jump to a function returns to another place.
 * All functions can be wrapped so, also those with a variable number of arguments and those of
 * other objects: ldx_next_call() finds their calls.
 */
LDX_API bool ldx_wrap(const ldx_insn *call, const char *before, unsigned n, const ldx_arg *arg,
	const char *after, unsigned m, const ldx_arg *behind);

/* Is the routine so short that it is copied into the places where it is called? */
LDX_API bool ldx_is_copied(const char *routine);

/*
 * Call a routine if a predicate returns another word than 0, all of it: a routine like unsigned
 * long f(...) that is so short that it is copied into the place (--ldx-stats: inlined), which is an
 * error of the tool otherwise.  Where it returns 0, nothing is saved for the routine.
 */
LDX_API bool ldx_call_if(ldx_site site, const char *predicate, unsigned np, const ldx_arg *parg,
	const char *routine, unsigned n, const ldx_arg *arg);

/*
 * The same without a routine, on a variable with LDX_THREAD, at the cost of a counter: add n, of at
 * most 32 bits and a sign, to its word of 64 bits with this number, so that no other thread's
 * addition is lost; or set its byte with this number to 1.  n < 0 is refused on CPUs of 32 bits.
 * ldxprof adds words also where marks are in them, unless the variable is declared with
 * LDX_THREAD_BY(or); to variables with other rules nothing can be added so.
 */
LDX_API bool ldx_add_to(ldx_site site, const char *variable, size_t word, int64_t n);
LDX_API bool ldx_mark(ldx_site site, const char *variable, size_t byte);
/*
 * Likewise on a variable of the routines without LDX_THREAD, which is not static: add 1 to its byte
 * with this number, where 255 becomes 1, so that what was counted is never 0.  Threads that do it
 * at once may lose one; it is not in the profile.
 */
LDX_API bool ldx_count_byte(ldx_site site, const char *variable, size_t byte);

/*
 * A clock: the word of the variable becomes the number of instructions that have been executed in
 * the functions for which this is asked.  It is right where they are entered and where they return
 * or jump to another function; elsewhere something is lacking (or too much), as code is put only
 * where paths divide.  lacks: how much at the end of a block, so also while the call there lasts: 0
 * if the call may not return, so that frames may be unwound.  Once for each function.
 */
LDX_API bool ldx_clock(const ldx_func *f, const char *variable, size_t word);
LDX_API int64_t ldx_clock_lacks(const ldx_block *b);

/*
 * What is known of a call, or a jump out of a function, by an instruction.  returns: its callee
 * returns exactly once, unless a signal ends the process: neither longjmp, exceptions, exit() and
 * fork() can come between, nor calls by an address.  recurs: the thread may execute the instruction
 * again before its call has returned, by recursion or in a handler of signals; true if the call may
 * not return.  calls_back: the callee may call functions of this object; false only if it is not
 * one itself.
 */
LDX_API bool ldx_call_returns(const ldx_insn *i);
LDX_API bool ldx_call_recurs(const ldx_insn *i);
LDX_API bool ldx_call_calls_back(const ldx_insn *i);
/*
 * What a call, or a jump out of a function, is for those who follow calls from their start to their
 * end, however they end.
 */
enum ldx_call_kind {
	LDX_CALL_NONE,	 /* none; or a jump that may lead to a label of its function */
	LDX_CALL_CLOSED, /* nothing of the object is executed until it returns */
	LDX_CALL_UNSEEN, /* no code can stand at its start and at its end */
	LDX_CALL_SEEN,
	LDX_CALL_JUMP, /* it ends with the call around it */
};
LDX_API enum ldx_call_kind ldx_call_kind(const ldx_insn *i);
/*
 * If what is executed until calls end is added up: what a call adds follows from other calls, and
 * from what functions execute themselves, so it need not be followed.  enclosed: control enters and
 * leaves the function by calls that are known, so what they add is what it executes itself, and
 * what its own calls add.
 */
LDX_API bool ldx_call_is_derived(const ldx_insn *i);
LDX_API bool ldx_func_is_enclosed(const ldx_func *f);

/*
 * Follow all calls that are seen, and jumps: the routines of ldx/open.h, which the tool's routines
 * include, call two functions of the tool, when a call begins and when it ends.
 */
struct ldx_follow {
	const char *clock; /* a variable for ldx_clock(), that both read; or NULL */
	bool derives;	   /* leave out what follows from other calls */
	/*
	 * Or NULL: routines that are called with the number of a call (ldx_block_id()) in place of
	 * both, if it surely returns, not within itself, and what it leads to has returned then.
	 */
	const char *begin, *end;
	/*
	 * Or NULL: of calls by an address, asks for a routine in place of ldx_open_call() or
	 * ldx_open_jump(); false: it does not.  leave_found, a predicate, and returned_found are in
	 * place of ldx_is_other() with ldx_end_call(), and ldx_returned().
	 */
	bool (*begin_found)(const ldx_insn *i, ldx_site site);
	const char *leave_found, *returned_found;
};
LDX_API void ldx_follow_calls(const ldx_object *o, const struct ldx_follow *how);

/*
 * The function of the object that has this name, which may be one of several; NULL: there is none.
 * Of local functions with the same name it is the first.
 */
LDX_API const ldx_func *ldx_find_func(const ldx_object *o, const char *name);

/*
 * Let a routine take the place of a function: whoever calls it, jumps to it from another function
 * or has its address calls the routine, which has the function's type (ldx/analysis.h: LDX_ORIGINAL
 * tells how it calls the function, if it does).  A jump of the function to its own start is none of
 * these.  The routine must return if and only if the function would.
 *
 * False: refused; then nothing has changed.  It is refused if control reaches the function in
 * another way, and if a caller relies on registers that the routine may change although the psABI
 * lets it: compilers know what functions of the same source file leave alone.  So is a function
 * with a variable number of arguments, on x86-64; elsewhere nothing tells that it is one.
 */
LDX_API bool ldx_replace(const ldx_func *f, const char *routine);
/*
 * The same of a function that is not in the object, such as malloc() of a shared C library, or that
 * is chosen when the program is loaded: the calls and tail calls by its name lead to the routine.
 * Its address stays the one that others have, so calls through pointers lead to the function.
 */
LDX_API bool ldx_replace_outside(const ldx_object *o, const char *name, const char *routine);

/*
 * Give a variable of the routines (LDX_THREAD) at least this size, as what it must hold depends on
 * the program.  It is declared with any size, and indices beyond that are right; but of an array
 * with one element compilers know that two accesses are to the same one.  All data of all tools of
 * a link may be 1 GB: more is an error.
 */
LDX_API void ldx_set_size(const char *variable, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
