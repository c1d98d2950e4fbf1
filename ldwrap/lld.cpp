// SPDX-License-Identifier: Apache-2.0
//
// lld.cpp - ldxlld.so, the shim around LLD; see lld.h
//
// lld::elf::link() is declared here because its prototype is the one thing that
// has stayed the same over many versions of LLVM.
#include "ldwrap/lld.h"
#include "verify/dwarf.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <string>

namespace lld
{
std::string getLLDVersion();
namespace elf
{
bool link(llvm::ArrayRef<const char *> args, llvm::raw_ostream &out, llvm::raw_ostream &err,
	bool exitEarly, bool disableOutput);
}
} // namespace lld

static int link(size_t argc, const char *const *argv, int out, int err)
{
	// Leaving through fatal() flushes both, but skips their destructors.
	auto *o = new llvm::raw_fd_ostream(out, false);
	auto *e = new llvm::raw_fd_ostream(err, false, true);
	bool ok = lld::elf::link({argv, argc}, *o, *e, false, false);
	o->flush();
	return ok ? 0 : 1;
}

static const char *version(void)
{
	static const std::string text = lld::getLLDVersion();
	return text.c_str();
}

static char *demangle(const char *name)
{
	return strdup(llvm::demangle(name).c_str());
}

const struct lld_module lld_module = {link, version, demangle, &dwarf_reader};
