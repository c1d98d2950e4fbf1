/* SPDX-License-Identifier: Apache-2.0 */
/* caller.c - a plain program whose work a shared library does */

int ldx_bench_main(int argc, char **argv);

int main(int argc, char **argv)
{
	return ldx_bench_main(argc, argv);
}
