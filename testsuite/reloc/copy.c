/* SPDX-License-Identifier: Apache-2.0 */
/* copy IN OUT: read an object and write it again.  With IN alone: only read it. */
#include "reloc/object.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	struct arena a = { 0 };
	if (argc < 2 || argc > 3)
		fatal("usage: copy IN [OUT]");
	struct object *o = object_read(&a, argv[1]);
	if (argc == 3)
		object_write(o, argv[2]);
	vec_free(&o->sec);
	vec_free(&o->sym);
	arena_free(&a);
	return 0;
}
