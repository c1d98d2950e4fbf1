/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lld.h - LLD as a library: the only C++ in ldx is behind this header
 *
 * It is a module, which is loaded when a function of it is called first: ldxlld.so, or for links of
 * bitcode ldxlto.so, with all of LLVM, which takes as long as many a link.
 */
#ifndef LDX_LDWRAP_LLD_H
#define LDX_LDWRAP_LLD_H

#include <stdbool.h>
#include <stddef.h>

struct dwarf_reader;

#ifdef __cplusplus
extern "C" {
#endif

/* The folder of the module, before any other function is called. */
void lld_find(const char *libdir);

/*
 * Call it in a process of its own: LLD keeps global state, and calls _exit() on some errors.
 * Links as `ld.lld argv[1..]' does and returns its exit status.  Messages go to
 * the descriptor err, traces to out; reports that LLD writes to standard output
 * itself (-M, --cref) still go to descriptor 1.  The process ends with LLD_LACKS_LLVM if there is
 * bitcode, or an option for LLVM is not known, and llvm is false.
 */
enum { LLD_LACKS_LLVM = 99 };
int lld_link(bool llvm, size_t argc, const char *const *argv, int out, int err);

/* LLD's name and version: "Debian LLD 19.1.7". */
const char *lld_version(void);

/* The name as LLD prints it; malloc'd. */
char *lld_demangle(const char *name);

/* LLVM's reader of debug information: verify/dwarf.h. */
const struct dwarf_reader *lld_dwarf(void);

/* The module's only symbol: the functions above. */
struct lld_module {
	int (*link)(size_t argc, const char *const *argv, int out, int err);
	const char *(*version)(void);
	char *(*demangle)(const char *name);
	const struct dwarf_reader *dwarf;
};
extern const struct lld_module lld_module __attribute__((visibility("default")));

#ifdef __cplusplus
}
#endif
#endif
