/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h - running code that is made for a process of its own, again and again
 *
 * The sources under test are compiled as they are.  The linker's --wrap leads
 * what they ask of the system here (the list is in meson.build): exit() returns
 * to fuzz_run(), memory and descriptors are kept account of and given back, and
 * open() finds only the files given with fuzz_file().
 */
#ifndef LDX_TESTSUITE_FUZZ_H
#define LDX_TESTSUITE_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Call fn(arg) as a process would.  Returns the status: 0, or what exit() was
 * called with.  Status 1 without a message is a finding, and so is any other.
 */
int fuzz_run(void (*fn)(void *arg), void *arg);

extern bool fuzz_running;

/* What fuzz_run()'s last run has written to standard error. */
const char *fuzz_message(void);

/* While it is set an error is a finding; harnesses set it where none may come. */
extern const char *fuzz_no_error;

/* A library frees p: it is not for the harness to free. */
void fuzz_forget(void *p);

/* From now on open(name) is a file with these contents.  FUZZ_OUTPUT can be written. */
void fuzz_file(const char *name, const void *data, size_t n);
#define FUZZ_INPUT "input"
#define FUZZ_OUTPUT "output"

/* A finding that is no fault of memory: prints and aborts. */
_Noreturn void fuzz_finding(const char *what);

/*
 * mutate_elf.c: change an ELF file of n bytes in place, to no more than max bytes,
 * and return its new size.  Mostly in sections whose names begin with one of
 * focus, which ends with NULL; the file stays one that can be read.
 */
size_t mutate_elf(uint8_t *data, size_t n, size_t max, unsigned seed, const char *const *focus);

/* libFuzzer's interface (llvm.org/docs/LibFuzzer.html); replay.c stands in for its half. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed);

#endif
