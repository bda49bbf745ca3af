/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B16: with the FPU forbidden, double arithmetic becomes calls of
 * __floatsidf, __divdf3, __muldf3, __fixdfsi, which no kernel has.  Name
 * the missing isolation, not the missing symbol.
 *
 * Build: "base-no87": the kernel's flags and -mno-80387 (clang only; gcc
 * refuses the file).
 */
int
bad_ratio(int num, int den, int khz)
{
	double r = (double)num / den;

	return ((int)(r * khz));
}

int
good_ratio(int num, int den, int khz)
{
	return ((int)((long)num * khz / den));
}
