/* SPDX-License-Identifier: Apache-2.0 */
/* verify IN OUT: prove that OUT is IN, rewritten.  Status 0: it is. */
#include "instr/verify.h"

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	return !verify_object(argv[1], argv[2], &(struct verify_options){ 0 }, stdout);
}
