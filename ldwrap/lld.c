/* SPDX-License-Identifier: Apache-2.0 */
/* lld.c - loads the module with LLD; see lld.h */
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

static const struct lld_module *module(void)
{
	static const struct lld_module *loaded;
	char path[PATH_MAX];
	if (loaded)
		return loaded;
	snprintf(path, sizeof path, "%s/ldxlld.so", folder);
	void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	loaded = so ? dlsym(so, "lld_module") : NULL;
	if (!loaded)
		fatal("cannot load LLD: %s", dlerror());
	return loaded;
}

int lld_link(size_t argc, const char *const *argv, int out, int err)
{
	return module()->link(argc, argv, out, err);
}

const char *lld_version(void)
{
	return module()->version();
}

char *lld_demangle(const char *name)
{
	return module()->demangle(name);
}
