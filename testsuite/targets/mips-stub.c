/* SPDX-License-Identifier: Apache-2.0 */
/* What counting code of mips-link refers to. */
void __ldx_forked(void);

__attribute__((visibility("hidden"))) void __ldx_forked(void)
{
}
