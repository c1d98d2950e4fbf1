/* SPDX-License-Identifier: Apache-2.0 */
/* lld.c - loads a module with LLD; see lld.h */
#include "ldwrap/lld.h"

#include "base/base.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

static const char *folder;

void lld_find(const char *libdir)
{
	folder = libdir;
}

static const struct lld_module *module(bool llvm)
{
	static const struct lld_module *loaded[2];
	char path[PATH_MAX];
	if (loaded[llvm])
		return loaded[llvm];
	snprintf(path, sizeof path, "%s/%s.so", folder, llvm ? "ldxlto" : "ldxlld");
	void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	loaded[llvm] = so ? dlsym(so, "lld_module") : NULL;
	if (!loaded[llvm])
		fatal("cannot load LLD: %s", dlerror());
	return loaded[llvm];
}

int lld_link(bool llvm, size_t argc, const char *const *argv, int out, int err)
{
	return module(llvm)->link(argc, argv, out, err);
}

const char *lld_version(void)
{
	return module(false)->version();
}

const struct dwarf_reader *lld_dwarf(void)
{
	return module(false)->dwarf;
}

char *lld_demangle(const char *name)
{
	return module(false)->demangle(name);
}
