/* SPDX-License-Identifier: Apache-2.0 */
/* outside.c - questions about the shared libraries that the output needs; see outside.h */
#include "reloc/outside.h"

bool outside_imports(const struct outside *o, const char *name)
{
	return o && strmap_find(&o->imported, name);
}

bool outside_is_libc(const struct outside *o, const char *name)
{
	return !o || !strmap_find(&o->foreign, name);
}
