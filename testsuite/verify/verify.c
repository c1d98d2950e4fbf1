/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify IN OUT [NAME...]: prove that OUT is IN, rewritten.  Status 0: it is.  Names: other
 * libraries than the C library define them.
 */
#include "verify/verify.h"

#include "reloc/outside.h"

int main(int argc, char **argv)
{
	struct outside outside = {.complete = true};
	struct arena a = {0};
	if (argc < 3)
		return 2;
	for (int i = 3; i < argc; i++)
		outside_add(&a, &outside.foreign, argv[i]);
	struct verify_options opt = {.outside = argc > 3 ? &outside : NULL};
	return !verify_object(argv[1], argv[2], &opt, stdout);
}
