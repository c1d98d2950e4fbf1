# SPDX-License-Identifier: Apache-2.0
# A function that does nothing for each one that the headers declare.
BEGIN { print "#include <stdlib.h>" }
/^LDX_API/ && match($0, /ldx_[a-z_]+\(/) {
	name = substr($0, RSTART, RLENGTH - 1)
	print "_Noreturn void " name "(void);\n_Noreturn void " name "(void) { abort(); }"
}
