/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify [-alone|-turned] IN OUT [NAME...]: prove that OUT is IN, rewritten, with the claims in
 * OUT.claims and the facts in OUT.facts and OUT.values.  Status 0: it is.  -alone: nothing else
 * counts at once. -turned: in a library, until a second thread comes.  Names: other libraries than
 * the C library define them.
 */
#include "verify/verify.h"

#include "ldwrap/lld.h"
#include "reloc/outside.h"
#include "testsuite/verify/claims.h"

int main(int argc, char **argv)
{
	struct outside outside = {.complete = true};
	struct arena a = {0};
	bool alone = argc > 1 && !strcmp(argv[1], "-alone");
	bool turned = argc > 1 && !strcmp(argv[1], "-turned");
	argc -= alone || turned;
	argv += alone || turned;
	if (argc < 3)
		return 2;
	for (int i = 3; i < argc; i++)
		outside_add(&a, &outside.foreign, argv[i]);
	claim_vec claims = {0};
	struct stated stated = {0};
	claims_read(argv[2], &claims);
	facts_read(argv[2], &stated);
	lld_find(LDX_LLD_DIR);
	struct verify_options opt = {.outside = argc > 3 ? &outside : NULL,
		.claims = &claims,
		.stated = &stated,
		.shared = turned,
		.turned = turned,
		.alone = alone,
		.dwarf = lld_dwarf()};
	return !verify_object(argv[1], argv[2], &opt, stdout);
}
