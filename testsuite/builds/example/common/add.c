/* SPDX-License-Identifier: Apache-2.0 */
/* A file of its own, so that no compiler inlines add: its calls can be told. */
int add(int a, int b)
{
	return a + b;
}
